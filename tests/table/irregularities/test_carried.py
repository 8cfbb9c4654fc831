"""Cards drawn too early are dealt next, in this or the next round, are counted once, and go with their shoe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.rulebook import Rulebook
from punto.table import next_step
from punto.table.records import commands, reports
from punto.table.records.events import BettingOpened, CardDealt, CardTurned, RoundSettled
from punto.table.records.findings import RoundVoided
from punto.table.records.kinds import Irregularity
from punto.table.records.settings import Automation
from punto.table.records.state import CARD_AT, Phase
from punto.table.refusals import TableCode
from tests.marks import LATER, clause, reading
from tests.table.irregularities.test_misdeals import cards, excess
from tests.table.numbers import cited, having
from tests.table.tables import ALL_AUTOMATIONS, DEALER, NATURAL, SUPERVISOR, Evening, dealing, drawn_to, ready

EXCESS = having("excess", "reconstruction")


def _left(evening: Evening) -> list[Card | None]:
    return [carried.card for carried in evening.table.carried]


def _seen(evening: Evening, card: str) -> int:
    assert evening.table.shoe is not None
    return evening.table.shoe.seen[CARD_AT[Card(card)]]


@reading("left_over_cards")
@pytest.mark.parametrize("rules", EXCESS)
def test_cards_left_over_come_first_in_the_next_round_and_are_shown_before_betting(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(excess("4h ?? 5c"))
    evening.settle().open_betting()
    assert evening.happened(BettingOpened)[-1].carried == cards("4h ?? 5c")
    evening.close_betting()
    evening.do(commands.DealCard(*DEALER))  # everybody knows which
    evening.refuse(commands.DealCard(*DEALER), TableCode.CARD_NEEDED)  # nobody knows this one
    evening.do(commands.DealCard(*DEALER, Card("8d")))
    wrong = commands.DealCard(*DEALER, Card("Ks"))
    assert "5c" in evening.refuse(wrong, TableCode.NOT_THE_NEXT_CARD, *cited(rules, "reconstruction")).message
    evening.do(commands.DealCard(*DEALER, Card("5c")))
    assert _left(evening) == []
    dealt = evening.happened(CardDealt)
    assert [one.carried for one in dealt] == [False] * 4 + [True] * 3
    turned = evening.happened(CardTurned)[4:]
    assert [(one.card, one.again) for one in turned] == [("4h", True), ("8d", False), ("5c", True)]


@reading("left_over_cards")
@pytest.mark.parametrize("rules", EXCESS)
def test_they_are_counted_once(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(excess("4h ??"))
    assert evening.table.shoe is not None
    assert (evening.table.shoe.drawn, sum(evening.table.shoe.seen), _seen(evening, "4h")) == (6, 5, 1)
    evening.settle().open_betting().close_betting()
    evening.do(commands.DealCard(*DEALER))
    evening.do(commands.DealCard(*DEALER, Card("8d")))
    assert (evening.table.shoe.drawn, sum(evening.table.shoe.seen)) == (6, 6)
    assert (_seen(evening, "4h"), _seen(evening, "8d")) == (1, 1)


@reading("left_over_cards")
@pytest.mark.parametrize("rules", EXCESS)
def test_more_are_left_over_than_a_round_takes(rules: Rulebook) -> None:
    evening = dealing(rules)
    out = "9s 2d Kh 3c 8s 2h Kc 3d 5h"
    evening.do(reports.ReportExcessCard(*SUPERVISOR, cards(out)))
    assert evening.table.round is not None
    assert evening.table.round.irregularities.options is None  # the four of the round are certain
    for number in (1, 2):
        for _ in range(4):
            evening.do(commands.DealCard(*DEALER))
        evening.settle()
        assert evening.happened(RoundSettled)[-1].player == (9, 8)[number - 1]
        evening.open_betting().close_betting()
    assert _left(evening) == [Card("5h")]


@reading("left_over_cards")
@pytest.mark.parametrize("rules", EXCESS)
def test_a_new_shoe_has_none_of_them(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(excess("4h"))
    evening.settle()
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 8))
    assert _left(evening) == []
    evening.do(excess("4h"))
    evening.do(reports.ReportNotShuffled(*SUPERVISOR))
    assert (_left(evening), evening.table.shoe) == ([], None)


@reading("left_over_cards", "new_shoe")
@pytest.mark.parametrize("rules", having("replace_shoe"))
@pytest.mark.parametrize("now", [False, True], ids=["next round", "now"])
def test_a_replacement_shoe_gets_no_carried_cards(rules: Rulebook, *, now: bool) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(reports.ReportSimultaneousCards(*DEALER, cards("4h 5h")))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (5, 6)))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8, now))
    assert len(_left(evening)) == 2  # until the round is over they are next
    evening.settle()
    assert _left(evening) == []


@reading("left_over_cards")
@pytest.mark.parametrize("rules", having("excess"))
@pytest.mark.parametrize(("dealt", "left"), [(0, "4h"), (1, ""), (2, "")])
def test_the_cards_of_a_void_round_are_discarded_with_those_drawn_in_it(rules: Rulebook, dealt: int, left: str) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(excess("4h"))
    evening.settle().open_betting().close_betting()
    evening.do(excess("?? ??"))
    for card in ("4h", "8d")[:dealt]:
        evening.do(commands.DealCard(*DEALER, Card(card)))
    evening.do(reports.ReportInterruption(*SUPERVISOR))
    assert evening.happened(RoundVoided)
    assert _left(evening) == list(cards(left))  # a card carried over from before and not yet dealt stays


@reading("left_over_cards")
@pytest.mark.parametrize("rules", having("at_once"))
def test_cards_in_no_known_order_do_not_outlive_their_round(rules: Rulebook) -> None:
    evening = dealing(rules)
    evening.do(reports.ReportSimultaneousCards(*DEALER, cards("2s 7s")))
    evening.do(reports.ReportInterruption(*SUPERVISOR))
    assert evening.happened(RoundVoided)
    assert _left(evening) == []


@reading("left_over_cards")
@pytest.mark.parametrize("rules", having("shoe_run_out", "excess", among=[book(one) for one in LATER]))
def test_they_count_for_a_shoe_that_has_run_out(rules: Rulebook) -> None:
    evening = drawn_to(rules, 0, cut_card=0)
    table = evening.table
    assert table.shoe is not None
    shoe = replace(table.shoe, drawn=table.shoe.decks * 52 - 3, seen=bytes(52))
    evening.table = replace(table, shoe=shoe, round=None, phase=Phase.READY)
    evening.do(excess("Kd Kc Qc"))
    evening.open_betting().close_betting()  # the shoe is empty, three cards lie there
    for _ in range(3):
        evening.do(commands.DealCard(*DEALER))
    evening.do(reports.ReportShoeRunOut(*SUPERVISOR))
    assert [void.ground for void in evening.happened(RoundVoided)] == [Irregularity.SHOE_RUN_OUT]
    assert _left(evening) == []


@reading("left_over_cards")
@pytest.mark.parametrize("rules", EXCESS)
def test_at_a_table_face_down_one_that_was_seen_lies_face_up(rules: Rulebook) -> None:
    evening = ready(rules, face_down=True)
    evening.do(excess("4h ??"))
    evening.open_betting().close_betting().deal_unseen(4)
    assert evening.table.round is not None
    assert evening.table.round.cards == cards("4h ?? ?? ??")
    evening.turn("9c Kd 2d")
    assert evening.table.shoe is not None
    assert sum(evening.table.shoe.seen) == 4


def test_a_table_that_deals_by_itself_asks_for_no_card_that_lies_there() -> None:
    rules = book("super-six-plus")
    evening = ready(rules, automations=ALL_AUTOMATIONS)
    evening.do(excess("4h ??"))
    evening.open_betting().close_betting()
    step = next_step(rules, evening.table)
    assert step is not None
    assert (step.automation, step.needs_card) == (Automation.DEAL, False)
    evening.do(step.command())
    step = next_step(rules, evening.table)
    assert step is not None
    assert (step.automation, step.needs_card) == (Automation.DEAL, True)


@clause("super-six-plus", "1.15", "5.7")
@given(st.lists(st.sampled_from([None, "2s", "9d", "Kh", "6c", "7s"]), min_size=1, max_size=8), st.integers(0, 3))
def test_whatever_was_drawn_too_early_the_cards_come_in_the_order_of_the_shoe(
    drawn: list[str | None], dealt: int
) -> None:
    rules = book("super-six-plus")
    evening = dealing(rules).deal(" ".join(["As", "5d", "4h"][:dealt]))
    out = tuple(None if card is None else Card(card) for card in drawn)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, out))
    if evening.table.round is not None and evening.table.round.irregularities.options:
        evening.do(reports.CallTime(*SUPERVISOR))
    seen: list[Card] = list(map(Card, ["As", "5d", "4h"][:dealt]))
    came = [card or Card("3d") for card in out]
    while not Coup.of(rules.space, tuple(seen)).finished:
        wanted = came.pop(0) if came else Card("Qc")
        evening.do(commands.DealCard(*DEALER, wanted))
        seen.append(wanted)
    evening.settle()
    settled, coup = evening.happened(RoundSettled)[0], Coup.of(rules.space, tuple(seen))
    assert coup.end is not None
    assert (settled.player, settled.banker) == (coup.end.player, coup.end.banker)
    assert len(evening.table.carried) == len(came)
    assert evening.table.shoe is not None
    assert evening.table.shoe.drawn == len(seen) + len(came)
