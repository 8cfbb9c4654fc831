"""Facts are filled in from the table, asked for only where they matter, and read strictly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.table.procedure.trouble.bet_acts import CORRECT_CHOICE
from punto.table.procedure.trouble.facts import Missing, build, questions
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.procedure.trouble.questions import FactQuestion
from punto.table.procedure.trouble.tiles import TileName, tiles
from punto.table.records import commands, reports
from punto.table.records.kinds import Choice
from punto.table.refusals import TableCode
from tests.table.tables import DEALER, NATURAL, SUPERVISOR, betting, dealing

INSURANCE = book("commission-insurance")


def dealt(cards: str = NATURAL, *, sealed: bool = False, **changes: object) -> TableInTrouble:
    """Ann has 100 on Banker and ben 50 on Player, and these cards are out."""
    evening = dealing(INSURANCE, ("ann", "banker", 100_00), ("ben", "player", 50_00), **changes)
    for card in cards.split():
        evening.do(commands.DealCard(*DEALER, None if card == "??" else Card(card)))
    return TableInTrouble(INSURANCE, evening.table, sealed)


def raised(cards: str = NATURAL) -> TableInTrouble:
    """A fifth card, 5h, came after a natural."""
    return dealt(f"{cards} 5h")


def asked(felt: TableInTrouble, tile: TileName, **facts: str) -> dict[str, FactQuestion]:
    return {question.name: question for question in questions(felt, tile, facts)}


def test_the_card_at_which_the_table_stopped_is_filled_in_and_stays() -> None:
    felt = raised()
    assert asked(felt, TileName.EXCESS)["cards"].answer == "5h"
    assert build(felt, TileName.EXCESS, {}) == {"command": "report_excess_card.1", "cards": [Card("5h")]}
    assert build(felt, TileName.EXCESS, {"cards": "4h"}) == Missing(("cards",), ("cards",))
    wanted = {tile.name for tile in tiles(felt) if tile.wanted}
    assert wanted == {TileName.EXCESS, TileName.STOPPED}


def test_a_reason_is_needed_once_the_order_is_lost() -> None:
    felt, facts = raised(), {"cards": "5h.?", "to": "player", "order": "lost"}
    assert not asked(felt, TileName.EXCESS)["reason"].answer
    assert build(felt, TileName.EXCESS, facts) == Missing(("reason",))
    assert build(felt, TileName.EXCESS, {**facts, "reason": "it fell"}) == {
        "command": "report_excess_card.1",
        "cards": [Card("5h"), None],
        "to": "player",
        "reconstructable": False,
        "reason": "it fell",
    }


def test_before_the_close_no_card_lies_with_a_hand() -> None:
    felt = TableInTrouble(INSURANCE, betting(INSURANCE).table)
    assert asked(felt, TileName.EXCESS).keys() == {"cards", "reason"}


def test_cards_that_are_tapped_lie_with_the_other_hand() -> None:
    body = build(dealt(), TileName.WRONG_SIDE, {"wrong": "1.2"})
    assert isinstance(body, dict)
    assert body["as_dealt"] == ["banker", "player", "player", "banker"]


def test_the_last_card_of_an_order_needs_no_tap() -> None:
    evening = dealing(INSURANCE)
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("2d"), Card("9s"))))
    felt = TableInTrouble(INSURANCE, evening.table)
    assert build(felt, TileName.AT_ONCE, {"places": "2"}) == {"command": "rule_card_order.1", "order": [2, 1]}


def test_the_last_card_that_lies_face_down_is_the_one_that_landed_face_up() -> None:
    felt = dealt("?? ??", face_down=True)
    assert asked(felt, TileName.FACE_UP)["place"].answer == "2"
    body = build(felt, TileName.FACE_UP, {"card": "9s"})
    assert body == {"command": "report_face_up_card.1", "place": 2, "card": Card("9s")}


def test_a_bet_that_was_pulled_was_pulled_whole() -> None:
    body = build(dealt(), TileName.LATE_BET, {"tried": "withdrawn", "bet": "1:banker:ann"})
    assert body == {
        "command": "report_late_bet.1",
        "tried": "withdrawn",
        "who": "ann",
        "box": 1,
        "bet": "banker",
        "amount_minor": 100_00,
    }
    other = asked(dealt(), TileName.LATE_BET, tried="withdrawn", bet="2:player:ben")
    assert other["amount"].preset == other["amount"].answer == "50.00"


def test_nobody_names_a_card_of_a_sealed_shoe() -> None:
    felt = dealt(sealed=True)
    assert build(felt, TileName.EXCESS, {}) == {"command": "report_excess_card.1", "cards": [None]}
    assert build(felt, TileName.EXCESS, {"cards": "5h"}) == Missing(("cards",), ("cards",))
    down = dealt("?? ??", face_down=True, sealed=True)
    assert build(down, TileName.FACE_UP, {}) == {"command": "report_face_up_card.1", "place": 2}


def test_ranks_are_enough_where_the_table_says_so() -> None:
    assert build(dealt(), TileName.EXCESS, {"cards": "5"}) == Missing(("cards",), ("cards",))
    by_rank = dealt(observing=True, faces_by_rank=True)
    body = build(by_rank, TileName.EXCESS, {"cards": "5.K"})
    assert isinstance(body, dict)
    assert body["cards"] == ["5", "K"]


def test_a_grey_tile_gives_no_command() -> None:
    assert build(dealt(), TileName.FACE_UP, {"place": "1", "card": "9s"}) == Missing(("what",))
    assert build(dealt(), TileName.RUNS_OUT, {}) == Missing(("what",))


@pytest.mark.parametrize(
    ("tile", "facts", "unreadable"),
    [
        (TileName.EXCESS, {"cards": "x"}, "cards"),
        (TileName.EXCESS, {"cards": "5h..4c"}, "cards"),
        (TileName.EXCESS, {"cards": ".".join(["?"] * 13)}, "cards"),
        (TileName.EXCESS, {"cards": "?", "to": "tie"}, "to"),
        (TileName.WRONG_SIDE, {"wrong": "1.1"}, "wrong"),
        (TileName.WRONG_SIDE, {"wrong": "7"}, "wrong"),
        (TileName.WRONG_SIDE, {"wrong": "9" * 5_000}, "wrong"),
        (TileName.AT_ONCE, {"cards": "?.?", "entered": "9" * 5_000}, "entered"),
        (TileName.LATE_BET, {"tried": "withdrawn", "bet": "1:banker:ben", "amount": "1"}, "bet"),
        (TileName.LATE_BET, {"tried": "withdrawn", "bet": "1:banker:ann", "amount": "1e3"}, "amount"),
        (TileName.INTERRUPTION, {"reason": "\x1b[2J"}, "reason"),
        (TileName.INTERRUPTION, {"reason": "long " * 100}, "reason"),
        (TileName.NOTHING_FITS, {"effect": "adjust", "amounts": "ann 1", "reason": "so"}, "amounts"),
        (TileName.NOTHING_FITS, {"effect": "adjust", "amounts": "1 sid", "reason": "so"}, "amounts"),
        (TileName.WRONG_CARDS, {"what": "ruling"}, "what"),
    ],
)
def test_what_cannot_be_read_is_no_answer(tile: TileName, facts: dict[str, str], unreadable: str) -> None:
    assert build(DEALT, tile, facts) == Missing((unreadable,), (unreadable,))


DEALT = dealt()


@given(st.dictionaries(st.sampled_from(["cards", "to", "order", "bets", "amounts", "effect", "reason"]), st.text()))
@settings(max_examples=60)
def test_any_text_is_read_or_refused(facts: dict[str, str]) -> None:
    for tile in (TileName.EXCESS, TileName.WRONG_NUMBER, TileName.NOTHING_FITS):
        build(DEALT, tile, facts)


def test_a_choice_is_put_right_until_something_follows_it() -> None:
    """The tile names those whose choice can be, and says who rules on the others."""
    evening = dealing(INSURANCE, ("ann", "banker", 100_00), ("ben", "player", 50_00)).deal("9s 2d")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", Choice.RETURN))
    felt = TableInTrouble(INSURANCE, evening.table)
    assert CORRECT_CHOICE.why_not(felt) is None
    picks = {
        pick.key: pick.why_not for pick in asked(felt, TileName.ENTERED_WRONGLY, what="correct_choice")["who"].picks
    }
    assert picks == {"ann": None}
    evening.do(reports.CallTime(*SUPERVISOR))
    refusal = CORRECT_CHOICE.why_not(TableInTrouble(INSURANCE, evening.table))
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.clauses) == (TableCode.TOO_LATE, ("5.12", "5.18"))
    assert "shift manager" in refusal.message
