"""Corner cases in which a table once got stuck, looped or missed something."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, legal, next_step
from punto.table.records import commands
from punto.table.records.findings import RoundVoided
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, BetLimits
from punto.table.records.state import Table
from punto.table.refusals import TableCode
from punto.table.situation import AutomaticStep
from punto.table.vocabulary import AnyCommand, AnyEvent
from tests.marks import BOOKS
from tests.table.samples import commands_by
from tests.table.tables import (
    ALL_AUTOMATIONS,
    DEALER,
    NATURAL,
    SUPERVISOR,
    Evening,
    betting,
    drawn_to,
    opened,
    ready,
    settings,
)

RULES = book("commission-insurance")
ANN = ("ann", Position.PLAYER)


def _code(table: Table, command: commands.Command, game: str = "commission-insurance") -> str | None:
    decision = decide(book(game), table, command)
    return decision.code if isinstance(decision, Refusal) else None


def test_with_every_card_seen_there_is_still_something_legal() -> None:
    assert legal(RULES, drawn_to(RULES, 0, cut_card=0).table, *DEALER)


def test_a_card_that_an_empty_shoe_does_not_have_voids_the_round_by_itself() -> None:
    evening = drawn_to(RULES, 0, cut_card=0, automations=ALL_AUTOMATIONS)
    step = next_step(RULES, evening.table)
    assert step == AutomaticStep(Automation.DEAL)  # no floor can supply a card for it
    evening.do(step.command())
    assert [event.ground for event in evening.happened(RoundVoided)] == [Irregularity.SHOE_RUN_OUT]
    assert next_step(RULES, evening.table) is None  # a shoe


def test_a_table_does_not_call_for_bets_on_an_empty_shoe_by_itself() -> None:
    evening = betting(RULES, cut_card=0, automations=ALL_AUTOMATIONS).play(NATURAL)
    assert evening.table.shoe is not None
    cards = evening.table.shoe.decks * 52
    for left in (1, 0):
        shoe = replace(evening.table.shoe, drawn=cards - left, cut_card_out=True)
        assert (next_step(RULES, replace(evening.table, shoe=shoe)) is None) is (left == 0)


def test_burning_switched_on_in_mid_shoe_waits_for_the_next_shoe() -> None:
    evening = betting(RULES).play(NATURAL)
    evening.do(commands.ChangeSettings(*SUPERVISOR, settings(RULES, burn=True, automations=ALL_AUTOMATIONS)))
    step = next_step(RULES, evening.table)
    assert step is not None
    assert step.automation is Automation.NEXT_ROUND
    evening.open_betting()


@pytest.mark.parametrize(
    "raw",
    [
        '{"command":"open_table.1","by":"a","position":"pit_supervisor","settings":{"layout":"A","boxes":9,"mim":5}}',
        '{"command":"change_settings.1","by":"a","position":"dealer","settings":{"layout":"A","boxes":9,"main":{"x":5}}}',
    ],
)
def test_an_unknown_setting_is_refused_when_it_is_read(raw: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(raw, type=AnyCommand)


def test_a_posting_has_an_account_and_an_amount_and_no_more() -> None:
    raw = '{"event":"chips_bought.1","who":"a","postings":[["float",-1,9],["chips:a",1]]}'
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(raw, type=AnyEvent)


def test_settings_are_written_down_in_one_way() -> None:
    written = msgspec.json.encode(settings(RULES, automations=ALL_AUTOMATIONS))
    assert msgspec.json.encode(msgspec.json.decode(written)) == written


@pytest.mark.parametrize("currency", ["S$D", "A1B", "sgd", "SGDX", "ÄÖÜ"])
def test_a_currency_has_three_letters(currency: str) -> None:
    command = commands.OpenTable(*SUPERVISOR, settings(RULES, currency=currency))
    assert _code(Table(), command) is TableCode.BAD_SETTING


@pytest.mark.parametrize(("game", "clauses"), [("commission", ("3.1",)), ("commission-insurance", ("3.3",))])
def test_a_bet_before_the_call_cites_the_call(game: str, clauses: tuple[str, ...]) -> None:
    evening = ready(book(game))
    decision = decide(book(game), evening.table, evening.placing("ann", "tie", 1))
    assert isinstance(decision, Refusal)
    assert (decision.code, decision.clauses) == (TableCode.BETTING_NOT_OPEN, clauses)


def test_a_player_who_walked_away_no_longer_squeezes_and_another_has_the_highest_bet() -> None:
    evening = betting(RULES, face_down=True)
    evening.bet("ann", "player", 300)
    evening.bet("ben", "player", 100)
    evening.do(commands.Leave(*ANN, "ann"))
    evening.close_betting()
    assert _code(evening.table, commands.RequestSqueeze(*ANN, "ann", Side.PLAYER)) is TableCode.AWAY
    assert _code(evening.table, commands.RequestSqueeze("ben", Position.PLAYER, "ben", Side.PLAYER)) is None


def test_a_box_that_does_not_exist_has_no_excess() -> None:
    evening = betting(RULES, differential_minor=5)
    assert _code(evening.table, commands.RejectExcess(*DEALER, 77)) is Code.UNKNOWN_BOX


def test_a_book_without_the_rule_has_not_the_setting() -> None:
    command = commands.OpenTable(*SUPERVISOR, settings(book("commission"), established_by_staked_bets=True))
    assert _code(Table(), command, "commission") is TableCode.NOT_IN_BOOK


@pytest.mark.parametrize("name", ["observing", "forgone_for_the_round"])
@pytest.mark.parametrize("game", ["commission", "super-six-plus"])
def test_every_book_has_the_setting(game: str, name: str) -> None:
    command = commands.OpenTable(*SUPERVISOR, settings(book(game), **{name: True}))
    assert _code(Table(), command, game) is None


def test_a_dealer_may_sell_chips_to_the_first_who_comes() -> None:
    options = legal(RULES, opened(RULES).table, *DEALER)
    assert any(isinstance(option.command, commands.BuyIn) for option in options)


@pytest.mark.parametrize("name", ["", " red", "red ", "r\ned", "r" * 41])
def test_a_shoe_has_a_name(name: str) -> None:
    assert _code(opened(RULES).table, commands.LoadShoe(*SUPERVISOR, name, 8)) is TableCode.BAD_NAME


@pytest.mark.parametrize(("boxes", "refused"), [(0, True), (1, False), (8, False), (12, False), (13, True)])
def test_a_layout_that_shows_one_number_shows_the_most(boxes: int, refused: bool) -> None:  # noqa: FBT001
    code = _code(Table(), commands.OpenTable(*SUPERVISOR, settings(RULES, boxes=boxes)))
    assert code is (TableCode.BOXES_OUT_OF_RANGE if refused else None)


@pytest.mark.parametrize(
    "carried", [{"chips:": 5}, {"chips:ann\n": 5}, {"chips:ann": 0}, {"commission": -1}, {"felt": 1}]
)
def test_impossible_balances_are_not_carried_over(carried: dict[str, int]) -> None:
    assert _code(Table(), commands.OpenTable(*SUPERVISOR, settings(RULES), 0, carried)) is TableCode.BAD_SETTING


@pytest.mark.parametrize("float_minor", [-1, 10**40])
def test_a_float_is_an_amount_that_a_table_can_have(float_minor: int) -> None:
    assert _code(Table(), commands.OpenTable(*SUPERVISOR, settings(RULES), float_minor)) is TableCode.BAD_SETTING


def test_a_person_without_a_place_cannot_leave() -> None:
    evening: Evening = opened(RULES)
    evening.do(commands.BuyIn(*DEALER, "zed", 5))
    assert _code(evening.table, commands.Leave("zed", Position.PLAYER, "zed")) is TableCode.NOT_AT_BOX


@pytest.mark.parametrize("amount", [10**5000, -(10**5000)], ids=["above", "below"])
def test_no_amount_is_too_long_to_be_refused_in_words(amount: int) -> None:
    evening = betting(RULES)
    for command in (
        commands.BuyIn(*DEALER, "ann", amount),
        commands.CashOut(*DEALER, "ann", amount),
        commands.PlaceBet(*ANN, "ann", 1, "player", amount),
    ):
        assert _code(evening.table, command) is not None


@pytest.mark.parametrize("amount", [1.5, 1.0, True, "1", None], ids=repr)
def test_a_table_is_opened_with_whole_amounts(amount: Any) -> None:
    for float_minor, carried in ((amount, {}), (0, {"chips:ann": amount}), (0, {"float": amount})):
        command = commands.OpenTable(*SUPERVISOR, settings(RULES), float_minor, carried)
        assert _code(Table(), command) is Code.NOT_AN_AMOUNT
    if amount is not None:
        for changes in ({"main": BetLimits(amount)}, {"side": BetLimits(None, amount)}, {"differential_minor": amount}):
            opening = commands.OpenTable(*SUPERVISOR, settings(RULES, **changes))
            assert _code(Table(), opening) is TableCode.BAD_SETTING


def test_nobody_carries_over_more_than_a_table_can_have_held() -> None:
    command = commands.OpenTable(*SUPERVISOR, settings(RULES), 0, {"chips:ann": 10**30})
    assert _code(Table(), command) is Code.AMOUNT_TOO_LARGE


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_another_books_law_is_the_wrong_book_for_every_command(rules: Rulebook) -> None:
    evening = ready(rules)
    for other in BOOKS:
        for command in commands_by(other, "dora", Position.DEALER, "ann") if other is not rules else ():
            wanted = TableCode.WRONG_BOOK if command.position in type(command).may else TableCode.NOT_AUTHORISED
            assert _code(evening.table, command, other.id) is wanted, command
