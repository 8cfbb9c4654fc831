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
from punto.table.records import commands, corrections, reports
from punto.table.records.events import RoundSettled
from punto.table.records.findings import CardOrderRuled, IrregularityReported, OptionsGiven, OrderLost, RoundVoided
from punto.table.records.kinds import Choice, Irregularity
from punto.table.records.positions import Position
from punto.table.records.state import CarriedCard, Table
from punto.table.refusals import TableCode
from tests.marks import reading
from tests.plainly import VALUES, deal
from tests.table.numbers import cited, having
from tests.table.tables import DEALER, NATURAL, SUPERVISOR, Evening, dealing, opened

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


# ---- cards that lie with no hand

FELL = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"), Card("4c")), None, False, "both fell")  # noqa: FBT003
FALLEN = replace(MIXED, reason="both fell")
KNOCKED = reports.ReportDealingError(*SUPERVISOR, "the shoe was knocked over")


def _early(evening: Evening, drawn: str) -> None:
    """Cards drawn too early, in a known order."""
    evening.do(reports.ReportExcessCard(*SUPERVISOR, tuple(Card(word) for word in drawn.split())))
    for _ in evening.happened(OptionsGiven):
        evening.do(TIME)


def _crossed(dealt: int) -> tuple[Side, ...]:
    return tuple(PLAYER if place % 2 else BANKER for place in range(dealt))


@reading("when_options_arise", "order_by_ruling")
@pytest.mark.parametrize("rules", having("excess_options", "at_once", "at_once_options", "goes_on_as_it_is"))
@pytest.mark.parametrize("dealt", ["2s 9d", "2s 9d 2h", "2s 9d 2h 7c"])
@pytest.mark.parametrize("how", ["excess", "wrong side", "dealing error", "at once"])
def test_an_order_that_decides_the_coup_is_ruled_and_then_everybody_chooses(
    rules: Rulebook, dealt: str, how: str
) -> None:
    """Whatever is established, and whichever report says it."""
    evening = dealing(rules).deal(dealt)
    first = len(dealt.split()) + 1
    places = (first, first + 1)
    if how in ("wrong side", "dealing error"):
        _early(evening, "5h 4c")
    asked = len(evening.happened(OptionsGiven))
    evening.do(
        {
            "excess": FELL,
            "wrong side": reports.ReportWrongSide(
                *SUPERVISOR, _crossed(first - 1), reconstructable=False, reason="both fell", in_doubt=places
            ),
            "dealing error": replace(FALLEN, in_doubt=places),
            "at once": reports.ReportSimultaneousCards(*DEALER, FELL.cards),
        }[how]
    )
    report = evening.happened(IrregularityReported)[-1]
    assert set(cited(rules, "at_once")) <= set(report.clauses)
    assert evening.happened(OrderLost) == [OrderLost(places, simultaneous=True)]
    assert len(evening.happened(OptionsGiven)) == asked, "nobody chooses before the ruling"
    evening.refuse(commands.DealCard(*DEALER), TableCode.IRREGULARITY_OPEN, *cited(rules, "at_once"))
    ruled, given = evening.do(order(*reversed(places)))
    assert ruled == CardOrderRuled(places[::-1], cited(rules, "at_once"))
    assert isinstance(given, OptionsGiven)
    assert (given.players, given.reconstructable) == (("ann",), True)
    assert set(cited(rules, "at_once_options")) <= set(given.clauses)
    evening.do(TIME)
    assert [carried.card for carried in evening.table.carried] == [Card("4c"), Card("5h")]
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8))


@reading("when_options_arise", "order_by_ruling")
@pytest.mark.parametrize("rules", having("excess_options", "at_once", "at_once_options", "goes_on_as_it_is"))
@pytest.mark.parametrize("how", ["wrong side", "dealing error", "at once"])
def test_so_is_the_order_of_a_dealt_card_and_one_with_no_hand(rules: Rulebook, how: str) -> None:
    """The same facts give the same rights in one command and in two."""
    evening = dealing(rules).deal("2s 9d 2h 7c")
    if how != "at once":
        _early(evening, "5h")
    evening.do(
        {
            "wrong side": reports.ReportWrongSide(
                *SUPERVISOR, _crossed(4), reconstructable=False, reason="both fell", in_doubt=(4, 5)
            ),
            "dealing error": replace(FALLEN, in_doubt=(4, 5)),
            "at once": reports.ReportSimultaneousCards(*DEALER, (Card("5h"),), 1),
        }[how]
    )
    assert set(cited(rules, "at_once")) <= set(evening.happened(IrregularityReported)[-1].clauses)
    assert evening.happened(OrderLost) == [OrderLost((4, 5), simultaneous=True)]
    assert not evening.happened(OptionsGiven)
    evening.do(order(5, 4))
    (given,) = evening.happened(OptionsGiven)
    assert set(cited(rules, "at_once_options")) <= set(given.clauses)
    assert [carried.card for carried in evening.table.carried] == [Card("7c")]


@reading("when_options_arise", "order_by_ruling")
@pytest.mark.parametrize("rules", having("excess_options", "goes_on_as_it_is"))
def test_an_order_that_decides_only_the_next_round_is_ruled_and_nobody_chooses(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(FELL)
    assert evening.happened(OrderLost) == [OrderLost((5, 6))]
    assert evening.do(order(6, 5)) == (CardOrderRuled((6, 5), cited(rules, "goes_on_as_it_is")),)
    assert not evening.happened(OptionsGiven)
    evening.settle()


@reading("when_options_arise", "order_by_ruling")
@pytest.mark.parametrize("rules", having("excess_options", "goes_on_as_it_is"))
def test_where_the_order_does_not_matter_excess_cards_are_excess_cards(rules: Rulebook) -> None:
    same = replace(FELL, cards=(Card("5h"), Card("5c")))
    for dealt, arise in (("", True), (NATURAL, False)):
        evening = dealing(rules).deal(dealt)
        evening.do(same)
        assert not evening.happened(OrderLost)
        assert bool(evening.happened(OptionsGiven)) is arise


@pytest.mark.parametrize("rules", having("excess_options", "at_once", "at_once_options"))
@pytest.mark.parametrize("dealt", ["2s", "2s 9d 2h 7c"])
def test_a_card_that_was_never_drawn_leaves_the_rights_of_the_other(rules: Rulebook, dealt: str) -> None:
    """One card in excess has no order to lose: the players choose unless something is decided."""
    evening = dealing(rules).deal(dealt)
    evening.do(FELL)
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", len(dealt.split()) + 1, None))
    given = evening.happened(OptionsGiven)
    assert [each.clauses for each in given] == (
        [cited(rules, "excess_options") + cited(rules, "options")] if dealt == "2s" else []
    )
    evening = dealing(rules).deal(dealt)
    evening.do(reports.ReportSimultaneousCards(*DEALER, FELL.cards))
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", len(dealt.split()) + 1, None))
    assert not evening.happened(OptionsGiven), "a single card was drawn as it should be"


@pytest.mark.parametrize("rules", having("excess_options", "at_once", "at_once_options"))
def test_a_corrected_card_can_make_the_order_decide_the_coup(rules: Rulebook) -> None:
    """A natural 9 was entered. Player has 5 and draws, so which of the two cards came first decides."""
    evening = dealing(rules, ("ann", "tie", 10_00)).deal("9s 2d Kh 3c")
    evening.do(FELL)
    assert evening.happened(OrderLost) == [OrderLost((5, 6))]
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 0, Card("5s")))
    assert evening.happened(OrderLost)[1:] == [OrderLost((5, 6), simultaneous=True)]
    assert evening.table.round is not None
    assert len(evening.table.round.cards) == 4, "nobody knows yet which card came next"
    assert evening.table.carried[0].card == FELL.cards[0]
    evening.refuse(commands.DealCard(*DEALER), TableCode.IRREGULARITY_OPEN, *cited(rules, "at_once"))
    ruled, *_, given = evening.do(order(6, 5))
    assert (type(ruled), type(given)) == (CardOrderRuled, OptionsGiven)
    assert isinstance(given, OptionsGiven)
    assert set(cited(rules, "at_once_options")) <= set(given.clauses)
    evening.do(TIME)
    evening.deal("4c 5h")  # as the ruling has them
    (*_, settled) = evening.settle().happened(RoundSettled)
    assert (settled.player, settled.banker, settled.winner.value) == (9, 0, "player")


@reading("card_entered_wrongly", "order_by_ruling")
@pytest.mark.parametrize("rules", having("excess_options", "display"))
def test_cards_in_a_known_order_are_dealt_when_a_corrected_card_wants_them(rules: Rulebook) -> None:
    """The same correction, but nobody lost the order: the cards belong to this round."""
    evening = dealing(rules, ("ann", "tie", 10_00)).deal("9s 2d Kh 3c")
    evening.do(reports.ReportExcessCard(*SUPERVISOR, FELL.cards))
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 0, Card("5s")))
    assert evening.table.round is not None
    assert len(evening.table.round.cards) > 4
    assert not evening.happened(OrderLost)


@reading("when_options_arise", "order_by_ruling")
@pytest.mark.parametrize("rules", having("options", "at_once", "at_once_options"))
@pytest.mark.parametrize("cards_only", [False, True])
@pytest.mark.parametrize("asked", [False, True])
def test_and_who_was_asked_about_it_before_is_not_asked_again(
    rules: Rulebook, *, cards_only: bool, asked: bool
) -> None:
    """A natural 9 was entered, so the order decided nothing, and time was called."""
    evening = opened(rules, cards_only=cards_only, observing=not cards_only)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    evening.open_betting()
    if not cards_only:
        evening.do(commands.BuyIn(*DEALER, "ann", 100_00))
        evening.do(commands.Sit(*DEALER, "ann", 1))
        evening.do(commands.PlaceBet(*DEALER, "ann", 1, "tie", 10_00))
    evening.close_betting().deal("9s 2d Kh 3c")
    if asked:
        evening.do(reports.ReportExcessCard(*SUPERVISOR, FELL.cards))
        evening.do(replace(FALLEN, in_doubt=(5, 6)))
        evening.do(TIME)
    else:
        evening.do(FELL)
    assert evening.happened(OrderLost) == [OrderLost((5, 6))]
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 0, Card("5s")))
    assert evening.happened(OrderLost)[1:] == ([] if asked else [OrderLost((5, 6), simultaneous=True)])
    ruled, *others = evening.do(order(6, 5))
    assert isinstance(ruled, CardOrderRuled)
    assert any(isinstance(event, OptionsGiven) for event in others) is not asked


@pytest.mark.parametrize("rules", having("options", "at_once", "at_once_options"))
def test_a_choice_before_the_order_was_lost_is_about_something_else(rules: Rulebook) -> None:
    """The players played on after one error. Then both cards fell, and it is found that their order decides."""
    evening = dealing(rules, ("ann", "tie", 10_00)).deal("9s 2d Kh 3c")
    evening.do(KNOCKED)
    evening.do(reports.ChooseOption("ann", Position.PLAYER, "ann", Choice.CONTINUE))
    evening.do(FELL)
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 0, Card("5s")))
    assert evening.happened(OrderLost)[1:] == [OrderLost((5, 6), simultaneous=True)]


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
        ("9s 2d Kh 3c", "", (1, 2), Possible.DIFFERENT_COUPS),
        ("9s 9d Kh 3c", "", (1, 2), Possible.SAME_RESULT),  # the same rank
        ("9s 2d Kh 3c", "", (3, 4), Possible.DIFFERENT_COUPS),
        ("Ks Qd 9h 4c", "", (1, 2), Possible.SAME_RESULT),  # both count 0 and neither makes a pair
        ("Ks Qd Kh 4c", "", (1, 2), Possible.DIFFERENT_COUPS),  # only the king makes a pair
        ("Ks Qd", "", (1, 2), Possible.DIFFERENT_COUPS),  # either can still become a pair
        ("Ks 2d 5h 5c Qs", "", (1, 5), Possible.SAME_RESULT),  # Player's third card counts, not its rank
        ("Ks 2d 5h 5c Qs", "", (3, 5), Possible.DIFFERENT_COUPS),
        ("Ks 2d Kh 3c", "6h 9c", (5, 6), Possible.DIFFERENT_COUPS),
        ("Ks 2d Kh 3c", "Qh Jc", (5, 6), Possible.SAME_COUP),  # one is carried over
        ("Ks Ad Kh Ac", "Qh Jc", (5, 6), Possible.SAME_RESULT),  # both are dealt
        ("9s 2d Kh 3c", "Qh Jc", (5, 6), Possible.SAME_COUP),  # both are carried over
        ("9s 2d Kh 3c", "Qh Qc", (5, 6), Possible.SAME_RESULT),
        ("9s 2d Kh 3c", "As 2s 3s 4s 5s 6s 7s", tuple(range(5, 12)), Possible.SAME_COUP),  # none can be dealt
        ("Ks 2d Kh 3c", "As 2s 3s 4s 5s 6s 7s", tuple(range(5, 12)), Possible.DIFFERENT_COUPS),
        ("9s 2d Kh 3c", "Qh Qc", (3, 5), Possible.SAME_COUP),  # the next round opens with another card
        ("9s ?? Kh ??", "", (2, 4), Possible.SAME_RESULT),  # one hand, whatever they are
        ("9s ?? ?? 3c", "", (2, 3), Possible.DIFFERENT_COUPS),
        ("9s 2d Kh ??", "", (2, 4), Possible.SAME_RESULT),
        ("9s 2d Kh ??", "", (3, 4), Possible.DIFFERENT_COUPS),
        ("?? 2d ?? 3c", "Qh Jc", (5, 6), Possible.DIFFERENT_COUPS),  # either may be carried over
        ("2s 7d 7h Kc 3c", "", (1, 3), Possible.NO_LAWFUL_ORDER),  # a natural 9 in either order
        ("2s 7d 7h Kc 3c", "", (1, 2), Possible.DIFFERENT_COUPS),  # only the other order is lawful
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
        assert _lost(evening) == ([places] if doubt > MAX_COMPARED else [])
        assert [move.command for move in _rulings(evening)] == [order(*places) for _ in _lost(evening)]
        assert bool(evening.happened(OptionsGiven)) is (doubt <= MAX_COMPARED)  # the seventh card lies with no hand


def _rulings(evening: Evening) -> list[LegalMove]:
    moves = legal(evening.rules, evening.table, *SUPERVISOR)
    return [move for move in moves if isinstance(move.command, reports.RuleCardOrder)]
