"""Which cards an error puts in doubt, which orders of them are possible, and when nobody has to rule."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card, read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.irregularities.possible_orders import MAX_COMPARED, Possible, compare_orders, lawful_orders
from punto.table.moves.legal_move import LegalMove
from punto.table.records import commands, reports
from punto.table.records.events import RoundSettled
from punto.table.records.findings import IrregularityReported, OptionsGiven, OrderLost, RoundVoided
from punto.table.records.kinds import Irregularity
from punto.table.records.state import CarriedCard, Table
from punto.table.refusals import TableCode
from tests.marks import reading
from tests.plainly import VALUES, deal
from tests.table.numbers import cited, having
from tests.table.tables import DEALER, NATURAL, SUPERVISOR, Evening, dealing

PLAYER, BANKER = Side.PLAYER, Side.BANKER
LOST = having("options", "goes_on_as_it_is", "reconstruction")
MIXED = reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False)
TIME = reports.CallTime(*SUPERVISOR)
RULES = book("super-six-plus")


def order(*places: int) -> reports.RuleCardOrder:
    return reports.RuleCardOrder(*SUPERVISOR, places)


def _lost(evening: Evening) -> list[tuple[int, ...]]:
    return [lost.places for lost in evening.happened(OrderLost)]


def _table(dealt: str, carried: str = "") -> Table:
    """A table with these cards; ``??`` for a card that nobody has seen."""
    table = dealing(RULES).table
    assert table.round is not None
    cards = tuple(None if word == "??" else read_card(word) for word in dealt.split())
    out = (None if word == "??" else read_card(word) for word in carried.split())
    return replace(
        table,
        round=replace(table.round, cards=cards, shoes=("s1",) * len(cards), draws=tuple(range(len(cards)))),
        carried=tuple(CarriedCard(card, "s1", at, 1) for at, card in enumerate(out, len(cards))),
    )


# ---- which cards


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", LOST)
@pytest.mark.parametrize(
    ("as_dealt", "places"),
    [
        ("BPBP", (1, 2, 3, 4)),  # both hands have cards of the other
        ("PBBB", (2, 3, 4)),  # Player's second card went to Banker; the first stays
        ("PPPB", (1, 2, 3)),
        ("PBPP", (1, 3, 4)),
        ("BBPB", (1, 2, 4)),
    ],
)
def test_a_card_on_the_wrong_side_puts_the_cards_of_that_hand_in_doubt(
    rules: Rulebook, as_dealt: str, places: tuple[int, ...]
) -> None:
    went = tuple(PLAYER if letter == "P" else BANKER for letter in as_dealt)
    report = reports.ReportWrongSide(*SUPERVISOR, went, reconstructable=False, reason="picked up again")
    evening = dealing(rules).deal("2s 9d 5h 7c")
    evening.do(report)
    assert _lost(evening) == [places]
    evening = dealing(rules).deal("2s 9d 5h 7c")
    evening.do(replace(report, in_doubt=(4, 1)))
    assert _lost(evening) == [(1, 4)]


@reading("order_by_ruling", "left_over_cards")
@pytest.mark.parametrize("rules", LOST)
def test_any_other_error_puts_all_dealt_cards_in_doubt_or_those_named(rules: Rulebook) -> None:
    for named, places in (((), (1, 2)), ((3, 2), (2, 3))):
        evening = dealing(rules).deal("2s 9d")
        evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),)))
        for _ in evening.happened(OptionsGiven):
            evening.do(TIME)
        evening.do(replace(MIXED, in_doubt=named))
        assert _lost(evening) == [places]  # the card carried over only if it is named


@reading("order_by_ruling", "established")
@pytest.mark.parametrize("rules", LOST)
def test_cards_that_are_not_in_doubt_still_establish_what_they_do(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d 2h 7c")
    evening.do(replace(MIXED, in_doubt=(2, 4)))  # Banker's cards alone: the same hand in either order
    report = evening.happened(IrregularityReported)[0]
    assert (report.same_in_any_order, report.reconstructable, report.should_be) == (True, False, None)
    assert report.established
    evening = dealing(rules, ("ann", "tie", 10_00)).deal("2s 9d 2h 2c 5h 3s")
    evening.do(replace(MIXED, in_doubt=(5, 6)))
    report = evening.happened(IrregularityReported)[0]
    assert (report.same_in_any_order, _lost(evening)) == (False, [(5, 6)])
    assert {"player_pair", "tiger_pair"} & set(report.established)  # both first pairs are known
    assert not {"player", "banker", "tie"} & set(report.established)


@reading("when_options_arise", "order_by_ruling")
@pytest.mark.parametrize("rules", having("excess_options", "goes_on_as_it_is"))
def test_excess_cards_give_options_only_if_what_is_known_decides_nothing(rules: Rulebook) -> None:
    mixed = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"), Card("4c")), None, False, "both fell")  # noqa: FBT003
    for dealt, arise in (("2s 9d", True), (NATURAL, False)):
        evening = dealing(rules).deal(dealt)
        evening.do(mixed)
        first = len(dealt.split()) + 1
        assert _lost(evening) == [(first, first + 1)]
        assert bool(evening.happened(OptionsGiven)) is arise


# ---- which orders


@reading("order_by_ruling")
@pytest.mark.parametrize(
    "cards",
    ["2s 7d 3h Kc 4c", "As 2s Ad 3d 7c", "4s 6d Kh Kc 9c", "As 2s Ad 3d 4c 2h", "Ks Kd Kh 3c 8c Kc", "6s 5d Kh Kc 2h"],
)
def test_an_order_is_lawful_if_every_dealt_card_was_called_for(cards: str) -> None:
    drawn, table = cards.split(), _table(cards)
    places = tuple(range(1, len(drawn) + 1))

    def plainly(tried: tuple[int, ...]) -> bool:
        values = [VALUES[drawn[place - 1][0]] for place in tried] + [0]
        end = deal((values[0] + values[2]) % 10, (values[1] + values[3]) % 10, values[4], values[5])
        return end.player_cards + end.banker_cards >= len(drawn)

    lawful = set(lawful_orders(RULES, table, places))
    assert lawful == {tried for tried in permutations(places) if plainly(tried)}
    assert 0 < len(lawful) < 720


@pytest.mark.parametrize(
    ("dealt", "carried", "places", "expected"),
    [
        ("9s 2d Kh 3c", "", (1, 3), Possible.SAME_RESULT),
        ("9s 2d Kh 3c", "", (2, 4), Possible.SAME_RESULT),
        ("9s 2d Kh 3c", "", (1, 2), Possible.DIFFERENT_RESULTS),
        ("9s 9d Kh 3c", "", (1, 2), Possible.SAME_RESULT),  # the same rank
        ("9s 2d Kh 3c", "", (3, 4), Possible.DIFFERENT_RESULTS),
        ("Ks Qd 9h 4c", "", (1, 2), Possible.SAME_RESULT),  # both count 0 and neither makes a pair
        ("Ks Qd Kh 4c", "", (1, 2), Possible.DIFFERENT_RESULTS),  # only the king makes a pair
        ("Ks Qd", "", (1, 2), Possible.DIFFERENT_RESULTS),  # either can still become a pair
        ("Ks 2d 5h 5c Qs", "", (1, 5), Possible.SAME_RESULT),  # Player's third card counts, not its rank
        ("Ks 2d 5h 5c Qs", "", (3, 5), Possible.DIFFERENT_RESULTS),
        ("Ks 2d Kh 3c", "6h 9c", (5, 6), Possible.DIFFERENT_RESULTS),
        ("Ks 2d Kh 3c", "Qh Jc", (5, 6), Possible.DIFFERENT_RESULTS),  # one is carried over
        ("Ks Ad Kh Ac", "Qh Jc", (5, 6), Possible.SAME_RESULT),  # both are dealt
        ("9s 2d Kh 3c", "Qh Jc", (5, 6), Possible.DIFFERENT_RESULTS),  # both are carried over
        ("9s 2d Kh 3c", "Qh Qc", (5, 6), Possible.SAME_RESULT),
        ("9s 2d Kh 3c", "Qh Qc", (3, 5), Possible.DIFFERENT_RESULTS),  # the next round opens with another card
        ("9s ?? Kh ??", "", (2, 4), Possible.SAME_RESULT),  # one hand, whatever they are
        ("9s ?? ?? 3c", "", (2, 3), Possible.DIFFERENT_RESULTS),
        ("9s 2d Kh ??", "", (2, 4), Possible.SAME_RESULT),
        ("9s 2d Kh ??", "", (3, 4), Possible.DIFFERENT_RESULTS),
        ("?? 2d ?? 3c", "Qh Jc", (5, 6), Possible.DIFFERENT_RESULTS),  # either may be carried over
        ("2s 7d 7h Kc 3c", "", (1, 3), Possible.NO_LAWFUL_ORDER),  # a natural 9 in either order
        ("2s 7d 7h Kc 3c", "", (1, 2), Possible.DIFFERENT_RESULTS),  # only the other order is lawful
    ],
)
@reading("order_by_ruling")
def test_what_the_possible_orders_have_in_common(
    dealt: str, carried: str, places: tuple[int, ...], expected: Possible
) -> None:
    assert compare_orders(RULES, _table(dealt, carried), places) is expected


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", LOST)
def test_an_unlawful_order_is_refused_and_a_lawful_one_is_listed(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "tie", 10_00)).deal("2s 7d 3h Kc 4c")
    evening.do(MIXED)
    evening.do(TIME)
    natural = order(1, 3, 2, 4, 5)
    refusal = evening.refuse(natural, TableCode.NOT_AN_ORDER, *cited(rules, "table_of_play"))
    assert "Table of Play" in refusal.message
    assert [move.command for move in _rulings(evening)] == [order(1, 2, 3, 4, 5)]
    evening.do(order(3, 2, 1, 4, 5))
    evening.settle()
    assert evening.happened(RoundSettled)[0].player == 9


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", having("options", "wrong_number", "void", "goes_on_as_it_is"))
def test_where_no_order_is_lawful_the_round_is_void_at_once(rules: Rulebook) -> None:
    evening = _one_too_many(rules)
    events = evening.do(replace(MIXED, in_doubt=(1, 3)))
    assert [type(event) for event in events] == [IrregularityReported, RoundVoided]
    assert events[-1] == evening.happened(RoundVoided)[0]
    assert evening.happened(RoundVoided)[0].ground is Irregularity.WRONG_NUMBER
    evening = _one_too_many(rules)
    evening.do(replace(MIXED, in_doubt=(1, 2)))
    evening.do(TIME)
    assert [move.command for move in _rulings(evening)] == [order(2, 1)]
    evening.refuse(order(1, 2), TableCode.NOT_AN_ORDER, *cited(rules, "table_of_play"))
    evening.do(order(2, 1))


def _one_too_many(rules: Rulebook) -> Evening:
    """Five cards, although Player has a natural 9: one was ruled unseen and turned later."""
    evening = dealing(rules, ("ann", "tie", 10_00), face_down=True).deal_unseen(4)
    evening.turn("2s 7d 3h Kc").deal_unseen(1)
    evening.do(MIXED)
    evening.do(TIME)
    evening.do(order(1, 2, 5, 4, 3))
    evening.do(commands.TurnCard(*DEALER, 3, Card("7c")))
    return evening


@reading("order_by_ruling")
def test_very_many_cards_in_doubt_need_a_ruling() -> None:
    kings = tuple(Card(f"K{suit}") for suit in "shdcshdcs")
    for doubt in (MAX_COMPARED, MAX_COMPARED + 1):
        evening = dealing(RULES, ("ann", "tie", 10_00)).deal(" ".join(kings[:6]))
        evening.do(reports.ReportExcessCard(*SUPERVISOR, kings[6:]))
        places = tuple(range(1, doubt + 1))
        evening.do(replace(MIXED, in_doubt=places))
        evening.do(TIME)
        assert _lost(evening) == ([places] if doubt > MAX_COMPARED else [])
        assert [move.command for move in _rulings(evening)] == [order(*places) for _ in _lost(evening)]


def _rulings(evening: Evening) -> list[LegalMove]:
    moves = legal(evening.rules, evening.table, *SUPERVISOR)
    return [move for move in moves if isinstance(move.command, reports.RuleCardOrder)]
