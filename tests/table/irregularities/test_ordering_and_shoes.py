"""Cards drawn at once: a supervisor rules the order, and the shoe may be replaced."""

from itertools import permutations

import pytest

from punto import book
from punto.rules.coup.cards import Card, read_card
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import CardDealt, InsuranceClosed, InsuranceMissed, RoundSettled
from punto.table.records.findings import (
    CardOrderRuled,
    CardsDrawnOutOfTurn,
    IrregularityRaised,
    IrregularityReported,
    OptionsGiven,
    OrderLost,
    ShoeReplaced,
    ShoeTakenOff,
)
from punto.table.records.kinds import CardUse, Irregularity
from punto.table.records.state import Table
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    dealing,
    opened,
)


def at_once(words: str) -> reports.ReportSimultaneousCards:
    """``??`` is a card that nobody has seen."""
    out = tuple(None if word == "??" else read_card(word) for word in words.split())
    return reports.ReportSimultaneousCards(*DEALER, out)


def _ruled(rules: Rulebook, dealt: str, out: str, order: tuple[int, ...]) -> Evening:
    evening = dealing(rules).deal(dealt)
    evening.do(at_once(out))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, order))
    evening.do(reports.CallTime(*SUPERVISOR))
    return evening


def _next(table: Table) -> list[Card | None]:
    return [carried.card for carried in table.carried]


@pytest.mark.parametrize("rules", having("at_once", "at_once_options", "options"))
@reading("when_options_arise")
def test_cards_drawn_at_once_wait_for_a_ruling_and_then_players_choose(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d 2h")
    reported, drawn, lost = evening.do(at_once("7c ??"))
    assert isinstance(reported, IrregularityReported)
    assert (reported.kind, reported.clauses) == (Irregularity.SIMULTANEOUS_CARDS, cited(rules, "at_once"))
    assert reported.established  # the pair is decided; they still choose
    assert drawn == CardsDrawnOutOfTurn("s1", (Card("7c"), None), CardUse.THIS_ROUND)
    assert lost == OrderLost((4, 5), simultaneous=True)
    waiting = evening.refuse(commands.DealCard(*DEALER), TableCode.IRREGULARITY_OPEN, *cited(rules, "at_once"))
    assert waiting.message_in("zh").startswith("第4张和第5张牌的顺序不明")
    ruled, given = evening.do(reports.RuleCardOrder(*SUPERVISOR, (5, 4)))
    assert ruled == CardOrderRuled((5, 4), cited(rules, "at_once"))
    clauses = cited(rules, "at_once_options") + cited(rules, "options")
    assert given == OptionsGiven(Irregularity.SIMULTANEOUS_CARDS, ("ann",), True, clauses)  # noqa: FBT003 - its name
    assert _next(evening.table) == [None, Card("7c")]


@pytest.mark.parametrize("rules", having("at_once"))
def test_a_supervisor_or_above_may_rule(rules: Rulebook) -> None:
    for by in (SUPERVISOR, MANAGER, SHIFT):
        evening = dealing(rules)
        evening.do(at_once("7c ??"))
        evening.refuse(reports.RuleCardOrder(*DEALER, (1, 2)), TableCode.NOT_AUTHORISED, *cited(rules, "at_once"))
        evening.do(reports.RuleCardOrder(*by, (1, 2)))


@pytest.mark.parametrize("rules", having("at_once"))
@pytest.mark.parametrize("order", list(permutations((3, 4, 5))))
def test_every_order_can_be_ruled_and_is_the_coup(rules: Rulebook, order: tuple[int, ...]) -> None:
    out = ["6h", "7c", "Kd"]
    evening = _ruled(rules, "2s 9d", " ".join(out), order)
    ordered = [out[place - 3] for place in order]
    assert _next(evening.table) == list(map(read_card, ordered))
    coup = rules.coup(" ".join(["2s", "9d", *ordered]))
    for _ in coup.cards[2 : coup.used]:
        evening.do(commands.DealCard(*DEALER))
    assert evening.table.round is not None
    assert evening.table.round.cards == coup.cards[: coup.used]
    assert _next(evening.table) == list(coup.left_over)


@pytest.mark.parametrize("rules", having("at_once", "insurance", among=INSURED))
@pytest.mark.parametrize("out", ["?? 7s", "7s ??", "?? ??"])
def test_cards_drawn_at_once_end_an_open_offer_if_one_is_seen(rules: Rulebook, out: str) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(at_once(out))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (6, 5)))
    evening.do(reports.CallTime(*SUPERVISOR))
    if out == "?? ??":
        assert not evening.happened(InsuranceClosed)
        evening.do(evening.insuring("ann", 1))
        return
    assert [missed.players for missed in evening.happened(InsuranceMissed)] == [("ann",)]
    evening.refuse(evening.insuring("ann", 1), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))


# ---- another shoe


@pytest.mark.parametrize("rules", having("replace_shoe", "at_once"))
@reading("new_shoe")
def test_from_the_next_round_on_unless_the_supervisor_says_now(rules: Rulebook) -> None:
    evening = _ruled(rules, "", "9s 2d", (1, 2))
    replaced = evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8))
    assert replaced == (ShoeReplaced("s2", 8, False, cited(rules, "replace_shoe")),)  # noqa: FBT003 - its name
    evening.deal("9s 2d Kh 3c").settle()
    assert [dealt.shoe for dealt in evening.happened(CardDealt)] == ["s1"] * 4
    assert evening.table.shoe is not None
    assert (evening.table.shoe.id, evening.table.shoe.drawn, evening.table.next_shoe) == ("s2", 0, None)
    evening.open_betting().close_betting().deal("9s")
    assert evening.happened(CardDealt)[-1].shoe == "s2"


@pytest.mark.parametrize("rules", having("replace_shoe", "at_once"))
@reading("new_shoe")
def test_now_the_cards_drawn_at_once_are_dealt_still_and_the_next_come_from_the_new_shoe(rules: Rulebook) -> None:
    evening = _ruled(rules, "9s", "2d Kh", (2, 3))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8, now=True))
    evening.deal("2d Kh 3c").settle()
    assert [dealt.shoe for dealt in evening.happened(CardDealt)] == ["s1", "s1", "s1", "s2"]
    assert evening.table.shoe is not None
    assert (evening.table.shoe.id, evening.table.shoe.drawn) == ("s2", 1)


@pytest.mark.parametrize("rules", having("replace_shoe", "decks"))
@reading("new_shoe")
def test_copies_are_counted_per_shoe(rules: Rulebook) -> None:
    evening = dealing(rules)
    evening.do(reports.ReportForeignCard(*SUPERVISOR))
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 4))
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting().close_betting()
    (raised,) = evening.do(at_once("9s 2d"))
    assert isinstance(raised, IrregularityRaised)
    evening.do(reports.DismissIrregularity(*SUPERVISOR, "the 9 of hearts"))
    evening.do(at_once("9h 2d"))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s3", 4, now=True))
    evening.deal("9h 2d 9s 9s").settle()  # the new shoe has four more of them
    assert evening.happened(RoundSettled)[-1].player == 8
    assert evening.table.shoe is not None
    assert sum(evening.table.shoe.seen) == 2


@pytest.mark.parametrize("rules", having("replace_shoe", "decks"))
def test_an_unseen_card_of_the_old_shoe_is_counted_there(rules: Rulebook) -> None:
    evening = dealing(rules, face_down=True)
    evening.do(at_once("?? ??"))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8, now=True))
    evening.deal("9s 2d Kh 3c")
    table = evening.table
    assert table.round is not None
    assert table.shoe is not None
    assert [sum(shoe.seen) for shoe in (table.shoe, *table.round.irregularities.replaced_shoes)] == [2, 2]


@pytest.mark.parametrize("rules", having("replace_shoe", "at_once"))
def test_a_new_shoe_is_burned_before_it_is_dealt_from(rules: Rulebook) -> None:
    evening = _burning(rules)
    evening.do(at_once("9s 2d"))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8, now=True))
    evening.deal("9s 2d")
    evening.refuse(commands.DealCard(*DEALER, Card("Kh")), TableCode.NOT_BURNED)
    evening.do(commands.BurnCards(*DEALER, Card("5h")))
    evening.deal("Kh 3c").settle()
    assert evening.table.shoe is not None
    assert evening.table.shoe.drawn == 1 + 5 + 2


def _burning(rules: Rulebook) -> Evening:
    """Betting is closed at a table with a burn; its first shoe is burned."""
    evening = opened(rules, burn=True)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    evening.do(commands.BurnCards(*DEALER, Card("Ah")))
    return evening.open_betting().close_betting()


@pytest.mark.parametrize("rules", having("replace_shoe", "at_once"))
def test_one_for_the_next_round_is_burned_then(rules: Rulebook) -> None:
    evening = _burning(rules)
    evening.do(at_once("9s 2d"))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8))
    evening.deal("9s 2d Kh 3c").settle()
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.NOT_BURNED)
    evening.do(commands.BurnCards(*DEALER, Card("5h")))
    evening.open_betting()


@pytest.mark.parametrize("rules", having("replace_shoe", "card_count"))
@reading("new_shoe")
def test_a_shoe_that_waits_is_not_taken_off_with_the_bad_one(rules: Rulebook) -> None:
    evening = _ruled(rules, "", "9s 2d", (1, 2))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8))
    evening.do(reports.ReportCardCount(*SUPERVISOR))
    assert [gone.shoe for gone in evening.happened(ShoeTakenOff)] == ["s1"]
    assert evening.table.shoe is not None
    assert evening.table.shoe.id == "s2"
    evening.open_betting()


def test_a_name_that_is_in_play_is_not_given_again() -> None:
    evening = _ruled(book("super-six-plus"), "", "9s 2d", (1, 2))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8, now=True))
    for name in ("s1", "s2"):
        evening.refuse(reports.ReplaceShoe(*SUPERVISOR, name, 8, now=True), TableCode.SHOE_IN_USE)
    evening.deal(NATURAL).settle()
    evening.refuse(commands.LoadShoe(*SUPERVISOR, "s1", 8), TableCode.SHOE_TAKEN_OFF)
    evening.refuse(commands.LoadShoe(*SUPERVISOR, "s2", 8), TableCode.SHOE_IN_USE)
