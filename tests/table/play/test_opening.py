"""Opening a table, changing its settings between rounds, closing it with its balances, and its shoes."""

from typing import Any

import pytest
from msgspec.structs import replace

from punto import book
from punto.catalogue.sentence import say
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, evolve, legal
from punto.table.records import commands
from punto.table.records.events import (
    BettingOpened,
    CardDealt,
    CardsBurned,
    CardTurned,
    CutCardReached,
    SettingsChanged,
    ShoeLoaded,
    TableClosed,
    TableOpened,
)
from punto.table.records.findings import IrregularityRaised
from punto.table.records.ledger import BANK, COMMISSION, FLOAT
from punto.table.records.positions import STAFF, Position
from punto.table.records.reports import DismissIrregularity
from punto.table.records.settings import BetLimits, Settings
from punto.table.records.state import CARD_AT, Phase, Table
from punto.table.refusals import TableCode
from tests.marks import BOOKS, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    CHIPS_MINOR,
    DEALER,
    FLOAT_MINOR,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    drawn_to,
    opened,
    ready,
    settings,
)

RULES = book("commission-insurance")
SHOE_CARDS = 4 * 52
HOUSE_SETTINGS = ("burn", "cut_card", "rounds_after_cut_card", "currency", "house")
SPEAKERS = STAFF[1:]
"""The positions that may act for the house, lowest first."""


def _opening(rules: Rulebook, wanted: Settings) -> Refusal | None:
    opening = commands.OpenTable(*SUPERVISOR, wanted, FLOAT_MINOR, no_insurance_asked_by="ann")
    decision = decide(rules, Table(), opening)
    return decision if isinstance(decision, Refusal) else None


def _refused(rules: Rulebook, code: TableCode | Code, clauses: tuple[str, ...], **changes: Any) -> str:
    refusal = _opening(rules, settings(rules, **changes))
    assert refusal is not None
    assert (refusal.code, refusal.clauses) == (code, clauses)
    return refusal.message


# ---- settings


@pytest.mark.parametrize("rules", having("layouts", "boxes"))
def test_every_layout_opens_with_its_boxes_and_no_more(rules: Rulebook) -> None:
    for layout in rules.layouts.values():
        most = layout.most_boxes or 99
        assert _opening(rules, settings(rules, layout=layout.id, boxes=most)) is None
        for boxes in (most + 1, 0, -1):
            detail = _refused(rules, TableCode.BOXES_OUT_OF_RANGE, cited(rules, "boxes"), layout=layout.id, boxes=boxes)
            assert f"not {boxes}" in detail
            assert f"Layout {layout.id}" in detail
    detail = _refused(rules, Code.UNKNOWN_LAYOUT, cited(rules, "layouts"), layout="Z")
    assert "'Z'" in detail
    assert ", ".join(list(rules.layouts)[:-1]) + " or " in detail


@pytest.mark.parametrize("rules", having("boxes", among=[book("tiger-buffalo")]))
def test_tiger_buffalo_k_has_ten_boxes_or_more(rules: Rulebook) -> None:
    assert _opening(rules, settings(rules, layout="K", boxes=10)) is None
    assert "10 to 16" in _refused(rules, TableCode.BOXES_OUT_OF_RANGE, cited(rules, "boxes"), layout="K", boxes=9)


@pytest.mark.parametrize("rules", having("differential"))
@reading("limits_displayed")
def test_a_differential_limit_is_a_setting_where_the_book_has_one(rules: Rulebook) -> None:
    assert _opening(rules, settings(rules, differential_minor=1000_00, least=1000_00)) is None
    clauses = cited(rules, "differential")
    assert "minimum bet" in _refused(rules, TableCode.BAD_SETTING, clauses, differential_minor=999_99, least=1000_00)
    for wrong in (0, -5):
        _refused(rules, TableCode.BAD_SETTING, clauses, differential_minor=wrong)


def _limits_missing(rules: Rulebook) -> list[Settings]:
    return [
        settings(rules, least=None),
        settings(rules, differential_minor=None),
        settings(rules, least=None, most=500_00),
    ]


@pytest.mark.parametrize("rules", having("limits_displayed"))
@reading("limits_displayed")
def test_a_table_opens_and_changes_its_settings_only_with_a_minimum_and_a_differential_limit(rules: Rulebook) -> None:
    evening = ready(rules)
    clauses = cited(rules, "limits_displayed")
    for wanted in _limits_missing(rules):
        refusal = _opening(rules, wanted)
        assert refusal is not None
        assert (refusal.code, refusal.clauses) == (TableCode.BAD_SETTING, clauses)
        assert "minimum" in refusal.message
        evening.refuse(commands.ChangeSettings(*SUPERVISOR, wanted), TableCode.BAD_SETTING, *clauses)
    both = settings(rules, least=1, differential_minor=1)
    assert _opening(rules, both) is None
    assert evening.do(commands.ChangeSettings(*SUPERVISOR, both)) == (SettingsChanged(both),)


@pytest.mark.parametrize("limits", [BetLimits(), BetLimits(1), BetLimits(None, 500_00)])
def test_commission_displays_no_limits(limits: BetLimits) -> None:
    rules = book("commission")
    wanted = settings(rules, main=limits)
    assert _opening(rules, wanted) is None
    changed = ready(rules, least=50_00, most=1000_00).do(commands.ChangeSettings(*SUPERVISOR, wanted))
    assert changed == (SettingsChanged(wanted),)


@pytest.mark.parametrize("rules", having(where="limits_displayed"))
def test_a_table_that_an_earlier_release_opened_without_limits_goes_on(rules: Rulebook) -> None:
    for wanted in _limits_missing(rules):
        evening = ready(rules)
        evening.table = evolve(evening.table, SettingsChanged(wanted))
        evening.open_betting().bet("ann", "banker", 100_00)
        evening.play(NATURAL)
        evening.do(commands.CloseTable(*SUPERVISOR))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_closed_table_proposes_settings_that_open_it(rules: Rulebook) -> None:
    (proposed,) = legal(rules, Table(), *SUPERVISOR)
    assert isinstance(proposed.command, commands.OpenTable)
    assert (proposed.command.settings.differential_minor is not None) == bool(cited(rules, "limits_displayed"))
    assert proposed.command.settings.main.min_minor is not None


def test_a_differential_limit_is_refused_in_commission() -> None:
    detail = _refused(book("commission"), TableCode.NOT_IN_BOOK, (), differential_minor=1000_00)
    assert "differential" in detail


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("kind", ["main", "side"])
def test_limits_are_above_zero_and_the_minimum_not_above_the_maximum(rules: Rulebook, kind: str) -> None:
    good_limits = [BetLimits(1), BetLimits(50_00, 50_00)]
    if kind == "side" or not cited(rules, "limits_displayed"):
        good_limits += [BetLimits(), BetLimits(None, 1)]
    for good in good_limits:
        assert _opening(rules, settings(rules, **{kind: good})) is None
    clauses = cited(rules, "limits")
    for wrong in (BetLimits(0), BetLimits(-1), BetLimits(None, 0), BetLimits(None, -1)):
        assert kind in _refused(rules, TableCode.BAD_SETTING, clauses, **{kind: wrong})
    detail = _refused(rules, TableCode.BAD_SETTING, clauses, **{kind: BetLimits(50_01, 50_00)})
    assert "50.01" in detail
    assert "maximum 50." in detail


@pytest.mark.parametrize("rules", having("no_insurance"))
@reading("no_insurance_at_private_tables")
def test_only_a_private_table_goes_without_insurance(rules: Rulebook) -> None:
    assert _opening(rules, settings(rules, no_insurance=True, private=True)) is None
    detail = _refused(rules, TableCode.BAD_SETTING, cited(rules, "no_insurance"), no_insurance=True)
    assert "private" in detail


@pytest.mark.parametrize("rules", having("no_insurance"))
@pytest.mark.parametrize("asked_by", ["ann", "P000001", "box 1", "behind box 1"])
@reading("no_insurance_at_private_tables")
def test_who_asked_for_a_table_without_insurance_is_on_record(rules: Rulebook, asked_by: str) -> None:
    clauses, without = cited(rules, "no_insurance"), settings(rules, no_insurance=True, private=True)
    (event,) = Evening(rules).do(commands.OpenTable(*SUPERVISOR, without, no_insurance_asked_by=asked_by))
    assert isinstance(event, TableOpened)
    assert (event.clauses, event.no_insurance_asked_by) == (clauses, asked_by)
    evening = opened(rules, private=True)
    changing = commands.ChangeSettings(*SUPERVISOR, without, no_insurance_asked_by=asked_by)
    assert evening.do(changing) == (SettingsChanged(without, clauses, asked_by),)
    assert evening.do(commands.ChangeSettings(*SUPERVISOR, without)) == (SettingsChanged(without),)  # as it was


@pytest.mark.parametrize("rules", having("no_insurance"))
@pytest.mark.parametrize("asked_by", ["", " ann", "x" * 41, "box 99", "behind box 99", SUPERVISOR[0]])
@reading("no_insurance_at_private_tables")
def test_without_a_player_who_asks_insurance_is_not_left_out(rules: Rulebook, asked_by: str) -> None:
    clauses, without = cited(rules, "no_insurance"), settings(rules, no_insurance=True, private=True)
    opening = commands.OpenTable(*SUPERVISOR, without, no_insurance_asked_by=asked_by)
    message = Evening(rules).refuse(opening, TableCode.BAD_SETTING, *clauses).message
    assert "Name the player" in message
    changing = commands.ChangeSettings(*SUPERVISOR, without, no_insurance_asked_by=asked_by)
    opened(rules, private=True).refuse(changing, TableCode.BAD_SETTING, *clauses)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_table_with_insurance_has_no_such_request_on_record(rules: Rulebook) -> None:
    (event,) = Evening(rules).do(commands.OpenTable(*SUPERVISOR, settings(rules), no_insurance_asked_by="ann"))
    assert isinstance(event, TableOpened)
    assert event.no_insurance_asked_by == ""


@pytest.mark.parametrize("id_", ["commission", "super-six-plus"])
@pytest.mark.parametrize("private", [False, True])
def test_a_book_without_insurance_has_none_to_leave_out(id_: str, private: bool) -> None:  # noqa: FBT001
    _refused(book(id_), TableCode.NOT_IN_BOOK, (), no_insurance=True, private=private)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@reading("burn_cards", "cut_card", "rounds_after_cut_card")
def test_the_houses_own_settings_are_checked_too(rules: Rulebook) -> None:
    plain = Settings(layout=next(iter(rules.layouts)), boxes=rules.layouts[next(iter(rules.layouts))].most_boxes or 7)
    assert (plain.burn, plain.cut_card, plain.rounds_after_cut_card) == (True, 14, 1)
    displayed = replace(settings(rules), **{name: getattr(plain, name) for name in HOUSE_SETTINGS})
    assert _opening(rules, displayed) is None
    good: list[dict[str, Any]] = [{"cut_card": 0}, {"cut_card": 51}, {"rounds_after_cut_card": 0}]
    good += [{"house": each} for each in SPEAKERS[1:]]
    assert [_opening(rules, settings(rules, **changes)) for changes in good] == [None] * len(good)
    wrong: list[dict[str, Any]] = [{"cut_card": -1}, {"cut_card": 52}, {"rounds_after_cut_card": -1}]
    wrong += [{"rounds_after_cut_card": 100}, {"currency": "sgd"}, {"currency": "DOLLAR"}, {"currency": ""}]
    outside = (Position.PLAYER, Position.DEALER, Position.AUDITOR, Position.ADMINISTRATOR, Position.HOUSE)
    wrong += [{"house": each} for each in outside]
    for changes in wrong:
        _refused(rules, TableCode.BAD_SETTING, (), **changes)


# ---- change, close, open again


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_settings_change_between_rounds_only(rules: Rulebook) -> None:
    evening = ready(rules)
    wanted = settings(rules, least=50_00)
    changing = commands.ChangeSettings(*SUPERVISOR, wanted)
    evening.open_betting()
    evening.bet("ann", "banker", 10_00)
    assert "Settle" in evening.refuse(changing, TableCode.ROUND_OPEN).message
    evening.close_betting()
    evening.refuse(changing, TableCode.ROUND_OPEN)
    evening.deal(NATURAL)
    evening.refuse(changing, TableCode.ROUND_OPEN)
    evening.settle()
    assert evening.do(changing) == (SettingsChanged(wanted),)
    evening.open_betting()
    evening.refuse(evening.placing("ann", "banker", 10_00), TableCode.BELOW_MINIMUM, *cited(rules, "below_minimum"))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_change_is_checked_like_an_opening_and_leaves_felt_and_currency(rules: Rulebook) -> None:
    evening = ready(rules)
    wrong = settings(rules, boxes=1000)
    evening.refuse(commands.ChangeSettings(*SUPERVISOR, wrong), TableCode.BOXES_OUT_OF_RANGE, *cited(rules, "boxes"))
    for changes in ({"currency": "EUR"}, {"layout": list(rules.layouts)[1], "boxes": _boxes(rules, 1)}):
        changing = commands.ChangeSettings(*SUPERVISOR, settings(rules, **changes))
        evening.refuse(changing, TableCode.BAD_SETTING, *cited(rules, "layouts"))


def _boxes(rules: Rulebook, layout: int) -> int:
    return list(rules.layouts.values())[layout].most_boxes or 7


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_closing_carries_balances_over_to_the_next_opening(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.refuse(commands.CloseTable(*SUPERVISOR), TableCode.ROUND_OPEN)
    evening.play("2s 9d Kh Kc")  # Banker wins 9 to 2
    before = dict(evening.table.balances)
    evening.do(commands.CloseTable(*SUPERVISOR))
    carried = evening.happened(TableClosed)[-1].balances
    assert carried == before
    assert evening.table == Table()
    # commission is an account of its own and is carried over with the rest
    assert carried.get(COMMISSION, 0) == (0 if rules.id == "da-hu-ying-xiong" else 5_00)
    evening.do(commands.OpenTable(*SUPERVISOR, settings(rules), 0, carried))
    assert evening.table.balances == before
    assert evening.table.people == {"ann", "ben", "cat", "dan", "eve"}
    assert (evening.table.seats, evening.table.shoe, evening.table.round) == ({}, None, None)
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 1))


def test_only_chips_float_and_commission_are_carried_over() -> None:
    opening = commands.OpenTable(*SUPERVISOR, settings(RULES), 500_00, {FLOAT: 100_00, COMMISSION: 5_00})
    evening = Evening(RULES)
    event = evening.do(opening)[0]
    assert isinstance(event, TableOpened)
    assert (event.book, event.law_hash, event.clauses) == (RULES.id, RULES.law_hash, ())
    assert evening.table.balances == {FLOAT: 600_00, COMMISSION: 5_00, BANK: -605_00}
    negative = replace(opening, float_minor=-1)
    assert "between 0 and" in Evening(RULES).refuse(negative, TableCode.BAD_SETTING).message
    for carried in ({"felt": 10_00}, {"chips:ann": 0}, {"chips:": -1}, {"somewhere": 5}):
        wrong = replace(opening, carried=carried)
        assert next(iter(carried)) in Evening(RULES).refuse(wrong, TableCode.BAD_SETTING).message


def test_what_a_player_owes_is_carried_over_too() -> None:
    evening = Evening(RULES)
    evening.do(commands.OpenTable(*SUPERVISOR, settings(RULES), 0, {"chips:ann": -5, FLOAT: 5}))
    assert evening.table.balances == {"chips:ann": -5, FLOAT: 5}
    assert evening.table.people == {"ann"}
    evening.refuse(commands.CashOut(*DEALER, "ann", 1), TableCode.NOT_ENOUGH_CHIPS)
    evening.do(commands.BuyIn(*DEALER, "ann", 5))
    assert evening.table.balances == {}


def test_an_open_table_is_not_opened_again_and_a_closed_one_does_nothing() -> None:
    evening = opened(RULES)
    evening.refuse(commands.OpenTable(*SUPERVISOR, settings(RULES)), TableCode.TABLE_OPEN)
    evening.do(commands.CloseTable(*SUPERVISOR))
    assert evening.table.phase is Phase.CLOSED
    evening.refuse(commands.BuyIn(*DEALER, "ann", 1), TableCode.TABLE_CLOSED)


# ---- the shoe


@pytest.mark.parametrize("rules", having("decks"))
def test_a_shoe_has_the_books_decks(rules: Rulebook) -> None:
    evening = opened(rules)
    most = 10 if rules.id in {"da-hu-ying-xiong", "tiger-buffalo"} else 8
    for decks in (3, most + 1, 0, -4):
        loading = commands.LoadShoe(*SUPERVISOR, "s1", decks)
        detail = evening.refuse(loading, Code.DECKS_OUT_OF_RANGE, *cited(rules, "decks")).message
        assert f"4 to {most} decks, not {decks}" in detail
    for decks in (4, most):
        assert evening.do(commands.LoadShoe(*SUPERVISOR, f"of {decks}", decks)) == (ShoeLoaded(f"of {decks}", decks),)


def test_a_shoe_is_replaced_between_rounds_by_another_of_which_nothing_was_seen() -> None:
    evening = betting(RULES)
    loading = commands.LoadShoe(*SUPERVISOR, "s2", 8)
    evening.refuse(loading, TableCode.ROUND_OPEN)
    evening.play(NATURAL)
    shoe = evening.table.shoe
    assert shoe is not None
    assert (shoe.drawn, shoe.left, sum(shoe.seen)) == (4, 8 * 52 - 4, 4)
    assert [shoe.seen[CARD_AT[Card(one)]] for one in NATURAL.split()] == [1, 1, 1, 1]
    assert "'s1'" in evening.refuse(replace(loading, shoe="s1"), TableCode.SHOE_IN_USE).message
    evening.do(loading)
    assert evening.table.shoe is not None
    assert (evening.table.shoe.id, evening.table.shoe.drawn, sum(evening.table.shoe.seen)) == ("s2", 0, 0)


def test_a_shoe_has_another_name_than_the_one_whose_cards_can_still_be_corrected() -> None:
    evening = betting(RULES)
    evening.play(NATURAL)
    evening.do(commands.EndShoe(*DEALER))
    again = commands.LoadShoe(*SUPERVISOR, "s1", 8)
    assert evening.refuse(again, TableCode.SHOE_IN_USE).variant == "last_round"
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 8))
    evening.open_betting().play(NATURAL)
    evening.do(again)


@pytest.mark.parametrize("rules", having("decks"))
def test_a_card_comes_as_often_as_there_are_decks(rules: Rulebook) -> None:
    evening = opened(rules)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting().close_betting()
    dealing_ = commands.DealCard(*DEALER, Card("9s"))
    raised = evening.do(dealing_)[0]
    assert isinstance(raised, IrregularityRaised)
    assert (raised.card, raised.place) == (Card("9s"), 1)
    evening.do(DismissIrregularity(*SUPERVISOR, "misread"))
    evening.do(replace(dealing_, card=Card("9h")))


@pytest.mark.parametrize(
    ("card", "unseen"), [("As", 1), ("2h", 2), ("9d", 9), ("Tc", 10), ("Js", 10), ("Qh", 10), ("Kd", 10)]
)
@reading("burn_cards")
def test_the_first_card_says_how_many_are_burned(card: str, unseen: int) -> None:
    evening = opened(RULES, burn=True)
    burning = commands.BurnCards(*DEALER, Card(card))
    evening.refuse(burning, TableCode.NO_SHOE)
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.NO_SHOE)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.NOT_BURNED)
    assert evening.do(burning) == (CardsBurned("s1", Card(card), unseen),)
    shoe = evening.table.shoe
    assert shoe is not None
    assert (shoe.drawn, sum(shoe.seen), shoe.seen[CARD_AT[Card(card)]]) == (1 + unseen, 1, 1)
    evening.refuse(burning, TableCode.ALREADY_BURNED)
    evening.open_betting()
    evening.refuse(burning, TableCode.ROUND_OPEN)


def _to_the_cut_card(cut_card: int, rounds_after: int) -> Evening:
    """A shoe of four decks, dealt in rounds of four cards until the cut card is out."""
    evening = opened(RULES, cut_card=cut_card, rounds_after_cut_card=rounds_after)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    fours = [f"{a}{s} {b}{s} {c}{s} {d}{s}" for a, b, c, d in ("9AK2", "83T4", "76JQ") for s in "shdc" * 4]
    while not evening.happened(CutCardReached):
        evening.open_betting().close_betting().deal(fours.pop(0)).settle()
    return evening


@pytest.mark.parametrize("rounds_after", [0, 1, 2])
@reading("rounds_after_cut_card")
def test_after_the_cut_card_come_so_many_rounds_and_the_last_is_announced(rounds_after: int) -> None:
    evening = _to_the_cut_card(51, rounds_after)
    shoe = evening.table.shoe
    assert shoe is not None
    assert SHOE_CARDS - 51 <= shoe.drawn < SHOE_CARDS - 51 + 4
    announced: list[bool] = []
    for _ in range(rounds_after):
        evening.open_betting().close_betting().deal("7s 6s Js Qs").settle()
        announced.append(evening.happened(BettingOpened)[-1].last)
    assert announced == [False] * (rounds_after - 1) + [True] * (rounds_after > 0)
    assert not any(event.last for event in evening.happened(BettingOpened)[: -rounds_after or None])
    assert "Load another" in evening.refuse(commands.OpenBetting(*DEALER), TableCode.SHOE_ENDED).message
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 4))
    evening.open_betting()


@reading("cut_card")
def test_the_cut_card_comes_out_with_the_card_that_leaves_so_many_behind_it() -> None:
    for cut_card in (0, 14, 51):
        evening = drawn_to(RULES, cut_card + 1, cut_card=cut_card)
        assert evening.happened(CutCardReached) == []
        evening = drawn_to(RULES, cut_card, cut_card=cut_card)
        assert evening.happened(CutCardReached) == [CutCardReached("s1", last=False)]


def test_what_opening_needs_is_all_in_the_event() -> None:
    evening = opened(RULES, face_down=True)
    event = evening.happened(TableOpened)[0]
    assert event.settings == evening.table.settings
    assert {posting.account: posting.amount_minor for posting in event.postings} == {
        FLOAT: FLOAT_MINOR,
        BANK: -FLOAT_MINOR,
    }
    assert CHIPS_MINOR not in evening.table.balances.values()


def test_the_round_number_counts_the_rounds_of_an_opening() -> None:
    evening = dealing(RULES)
    evening.deal(NATURAL).settle().open_betting()
    assert [event.round for event in evening.happened(BettingOpened)] == [1, 2]


# ---- under which law


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_table_keeps_the_book_that_it_was_opened_under_and_no_other_decides(rules: Rulebook) -> None:
    evening = ready(rules)
    event = evening.happened(TableOpened)[0]
    assert (event.book, event.law_hash) == (rules.id, rules.law_hash)
    assert (evening.table.book, evening.table.law_hash) == (rules.id, rules.law_hash)
    asked = (
        commands.OpenBetting(*DEALER),
        commands.BuyIn(*DEALER, "ann", 1),
        commands.Sit("dan", Position.PLAYER, "dan", 4),
        commands.CloseTable(*SUPERVISOR),
    )
    for other in BOOKS:
        for command in asked:
            decision = decide(other, evening.table, command)
            wrong = isinstance(decision, Refusal) and decision.code is TableCode.WRONG_BOOK
            assert wrong is (other is not rules), decision
            if isinstance(decision, Refusal) and wrong:
                assert say(f"book.{rules.id}") in decision.message
                assert (decision.topic, decision.clauses) == (None, ())
    # the same book with another date is another law
    evening.rules = rules
    evening.table = replace(evening.table, law_hash="0" * 64)
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.WRONG_BOOK)


def test_once_closed_a_table_may_be_opened_under_another_book() -> None:
    evening = opened(RULES)
    evening.do(commands.CloseTable(*SUPERVISOR))
    assert (evening.table.book, evening.table.law_hash) == ("", "")
    evening.rules = book("commission")
    evening.do(commands.OpenTable(*SUPERVISOR, settings(evening.rules)))
    assert evening.table.book == "commission"


# ---- the consent of the house


@pytest.mark.parametrize("rules", having("no_insurance", "house"))
@pytest.mark.parametrize("house", SPEAKERS)
@reading("no_insurance_at_private_tables")
def test_a_table_is_opened_without_insurance_by_who_speaks_for_the_house(rules: Rulebook, house: Position) -> None:
    clauses = cited(rules, "no_insurance")
    without = settings(rules, private=True, no_insurance=True, house=house)
    plain = settings(rules, private=True, house=house)
    for staff in (SUPERVISOR, MANAGER, SHIFT):
        opening = commands.OpenTable(*staff, without, no_insurance_asked_by="ann")
        if SPEAKERS.index(staff[1]) < SPEAKERS.index(house):
            assert (
                say(f"position.{house}") + " or above"
                in Evening(rules).refuse(opening, TableCode.NOT_AUTHORISED, *clauses).message
            )
        else:
            (event,) = Evening(rules).do(opening)
            assert isinstance(event, TableOpened)
            assert event.clauses == clauses
        (event,) = Evening(rules).do(commands.OpenTable(*staff, plain))  # with insurance any of these may
        assert isinstance(event, TableOpened)
        assert event.clauses == ()


@pytest.mark.parametrize("rules", having("no_insurance", "house"))
@reading("no_insurance_at_private_tables")
def test_insurance_is_left_out_and_brought_back_by_who_speaks_for_the_house(rules: Rulebook) -> None:
    clauses = cited(rules, "no_insurance")
    evening = opened(rules, private=True, house=Position.PIT_MANAGER)

    def changing(staff: tuple[str, Position], **changes: Any) -> commands.ChangeSettings:
        wanted: dict[str, Any] = {"private": True, "house": Position.PIT_MANAGER, **changes}
        return commands.ChangeSettings(*staff, settings(rules, **wanted), "ann")

    evening.refuse(changing(SUPERVISOR, no_insurance=True), TableCode.NOT_AUTHORISED, *clauses)
    # the current settings say who consents, not the requested ones
    supervisor = changing(SUPERVISOR, no_insurance=True, house=Position.PIT_SUPERVISOR)
    evening.refuse(supervisor, TableCode.NOT_AUTHORISED, *clauses)
    leaving_out = changing(MANAGER, no_insurance=True)
    assert evening.do(leaving_out) == (SettingsChanged(leaving_out.settings, clauses, "ann"),)
    # any supervisor may change other settings, which the clause is not about
    other = changing(SUPERVISOR, no_insurance=True, least=5_00)
    assert evening.do(other) == (SettingsChanged(other.settings, ()),)
    evening.refuse(changing(SUPERVISOR), TableCode.NOT_AUTHORISED, *clauses)
    back = changing(SHIFT)
    assert evening.do(back) == (SettingsChanged(back.settings, ()),)


@pytest.mark.parametrize("rules", having("house"))
def test_only_the_position_acting_for_the_house_changes_that_setting(rules: Rulebook) -> None:
    evening = opened(rules, house=Position.PIT_MANAGER)
    clauses = cited(rules, "no_insurance")

    def changing(staff: tuple[str, Position], house: Position) -> commands.ChangeSettings:
        return commands.ChangeSettings(*staff, settings(rules, house=house, least=5_00))

    for house in (Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER):
        evening.refuse(changing(SUPERVISOR, house), TableCode.NOT_AUTHORISED, *clauses)
    assert (
        "pit manager or above"
        in evening.refuse(changing(SUPERVISOR, house), TableCode.NOT_AUTHORISED, *clauses).message
    )
    evening.do(changing(SUPERVISOR, Position.PIT_MANAGER))  # unchanged
    evening.do(changing(MANAGER, Position.SHIFT_MANAGER))
    evening.refuse(changing(MANAGER, Position.PIT_MANAGER), TableCode.NOT_AUTHORISED, *clauses)
    raised = changing(SHIFT, Position.PIT_SUPERVISOR)
    assert evening.do(raised) == (SettingsChanged(raised.settings, ()),)
    evening.do(changing(SUPERVISOR, Position.PIT_MANAGER))


# ---- the last round, and which shoe the cards are from


@pytest.mark.parametrize(("rounds_after", "last"), [(0, True), (1, False), (2, False)])
@reading("rounds_after_cut_card")
def test_without_rounds_after_it_the_round_of_the_cut_card_is_announced_as_the_last(
    rounds_after: int,
    last: bool,  # noqa: FBT001
) -> None:
    evening = opened(RULES, cut_card=51, rounds_after_cut_card=rounds_after)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    fours = [f"{a}{s} {b}{s} {c}{s} {d}{s}" for a, b, c, d in ("9AK2", "83T4", "76JQ") for s in "shdc" * 4]
    while not evening.happened(CutCardReached):
        evening.open_betting().close_betting()
        assert evening.table.round is not None
        assert not evening.table.round.last
        evening.deal(fours.pop(0))
        assert evening.table.round.last is (last and bool(evening.happened(CutCardReached)))
        evening.settle()
    assert evening.happened(CutCardReached) == [CutCardReached("s1", last)]
    assert evening.table.round is not None
    assert evening.table.round.last is last
    assert not evening.happened(BettingOpened)[-1].last  # nobody knew at the call


def test_a_cut_card_between_rounds_makes_no_round_the_last() -> None:
    evening = betting(RULES).play(NATURAL)
    after = evolve(evening.table, CutCardReached("s1", last=True))
    assert after.round is not None
    assert after.shoe is not None
    assert (after.round.last, after.shoe.cut_card_out) == (False, True)


def test_every_card_is_of_a_shoe_and_copies_are_counted_for_that_shoe() -> None:
    evening = dealing(RULES, face_down=True).deal_unseen(2)
    assert evening.table.round is not None
    assert evening.table.round.shoes == ("s1", "s1")
    assert [event.shoe for event in evening.happened(CardDealt)] == ["s1", "s1"]
    # another shoe replaces it during the round
    table = evolve(evening.table, ShoeLoaded("s2", 8))
    table = evolve(table, CardDealt(3, "s2", Side.PLAYER, ()))
    assert table.round is not None
    assert table.round.shoes == ("s1", "s1", "s2")
    for place, counted in ((1, 0), (3, 1), (2, 1)):
        table = evolve(table, CardTurned(place, Card("9s")))
        assert table.shoe is not None
        assert (sum(table.shoe.seen), table.shoe.drawn) == (counted, 1)
    assert table.round is not None
    assert table.round.cards == (Card("9s"),) * 3
