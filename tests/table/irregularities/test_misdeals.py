"""Cards in excess, exposed, on the wrong side or face up; hands as dealt and as they should be."""

import pytest

from punto import book
from punto.rules.coup.cards import Card, read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import CardTurned, InsuranceClosed, InsuranceMissed, RoundSettled
from punto.table.records.findings import (
    CardsDrawnOutOfTurn,
    Hands,
    IrregularityReported,
    OptionsGiven,
    OrderLost,
)
from punto.table.records.kinds import CardUse, Choice, Irregularity
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import BANKER_ON_FIVE, DEALER, MANAGER, NATURAL, SHIFT, SUPERVISOR, Evening, dealing

PLAYER, BANKER = Side.PLAYER, Side.BANKER
UNPAIRED = "2s 9d 3h"
"""Three cards that decide a bet only on a menu with pair bets or Buffalo bets."""


def cards(words: str) -> tuple[Card | None, ...]:
    """``??`` is a card that nobody has seen."""
    return tuple(None if word == "??" else read_card(word) for word in words.split())


def excess(words: str, to: Side | None = None, *, reconstructable: bool = True) -> reports.ReportExcessCard:
    return reports.ReportExcessCard(*SUPERVISOR, cards(words), to, reconstructable, "it stuck to the other")


def last_report(evening: Evening) -> IrregularityReported:
    return evening.happened(IrregularityReported)[-1]


# ---- excess or exposed


@pytest.mark.parametrize("rules", having("excess", "reconstruction"))
def test_an_excess_card_is_carried_over_and_both_hands_are_reported(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    report, drawn = evening.do(excess("4h", PLAYER))
    assert isinstance(report, IrregularityReported)
    assert (report.kind, report.reconstructable) == (Irregularity.EXCESS_CARD, True)
    assert set(report.clauses) == {*cited(rules, "excess"), *cited(rules, "reconstruction")}
    assert report.as_dealt == Hands(cards("9s Kh 4h"), cards("2d 3c"))
    assert report.should_be == Hands(cards("9s Kh"), cards("2d 3c"))
    assert set(report.established) >= {"player", "banker", "tie"}
    assert drawn == CardsDrawnOutOfTurn("s1", cards("4h"), CardUse.NEXT_ROUND)
    evening.settle()
    assert evening.happened(RoundSettled)[0].player == 9


@pytest.mark.parametrize("rules", having("excess", "reconstruction"))
def test_a_card_goes_where_the_table_of_play_puts_it(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d 3h")
    evening.do(excess("7c 4h", BANKER))  # Banker's second card, and the next one with it
    report = last_report(evening)
    assert report.as_dealt == Hands(cards("2s 3h"), cards("9d 7c 4h"))
    assert report.should_be == Hands(cards("2s 3h 4h"), cards("9d 7c"))
    for _ in range(2):
        evening.do(commands.DealCard(*DEALER))
    turned = evening.happened(CardTurned)[-2:]
    assert [(one.place, one.card, one.again) for one in turned] == [(4, "7c", True), (5, "4h", True)]
    assert evening.table.carried == ()
    evening.settle()  # Banker stands on 6 against a 4
    assert evening.happened(RoundSettled)[0].player == 9


@pytest.mark.parametrize("rules", having("excess_options", "options"))
@pytest.mark.parametrize(
    ("dealt", "out", "arise"),
    [
        ("", "??", True),
        ("", "2s", True),
        ("2s", "9d", True),
        ("2s 9d", "??", True),  # nobody has seen it
        ("2s 9d", "2h", False),  # a pair
        ("2s 9d 2h", "??", False),
        (NATURAL, "4h", False),
    ],
)
@reading("when_options_arise")
def test_players_choose_exactly_if_nothing_is_established(
    rules: Rulebook, dealt: str, out: str, *, arise: bool
) -> None:
    evening = dealing(rules).deal(dealt)
    evening.do(excess(out))
    assert bool(last_report(evening).established) is not arise
    given = evening.happened(OptionsGiven)
    assert bool(given) is arise
    if arise:
        clauses = cited(rules, "excess_options") + cited(rules, "options")
        assert given == [OptionsGiven(Irregularity.EXCESS_CARD, ("ann",), True, clauses)]  # noqa: FBT003 - its name


@pytest.mark.parametrize("rules", having("excess_options"))
@reading("when_options_arise", "established")
def test_on_three_cards_it_is_the_menu_that_says(rules: Rulebook) -> None:
    evening = dealing(rules).deal(UNPAIRED)
    evening.do(excess("??"))
    assert bool(evening.happened(OptionsGiven)) is (rules.id == "da-hu-ying-xiong")


@pytest.mark.parametrize("rules", having("excess_options"))
@reading("when_options_arise", "established")
def test_or_the_bets_staked_by_setting(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), established_by_staked_bets=True).deal("2s 9d 2h")
    evening.do(excess("??"))
    assert evening.happened(OptionsGiven)
    evening = dealing(rules, ("ann", "player", 100_00), established_by_staked_bets=True).deal(NATURAL)
    evening.do(excess("??"))
    assert not evening.happened(OptionsGiven)


@pytest.mark.parametrize("rules", having("excess", "reconstruction", "goes_on_as_it_is"))
@reading("order_by_ruling")
def test_the_house_may_say_that_it_cannot_be_reconstructed(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d")
    evening.do(excess("2h 4c", reconstructable=False))
    report = last_report(evening)
    assert (report.reconstructable, report.should_be) == (False, None)
    assert report.established == ()  # a pair only in one order of them
    assert evening.happened(OrderLost) == [OrderLost((3, 4), simultaneous=True)]  # the dealt cards stay where they are
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (4, 3)))
    evening.do(reports.CallTime(*SUPERVISOR))
    assert evening.table.round is not None
    assert evening.table.round.cards == cards("2s 9d")
    assert [carried.card for carried in evening.table.carried] == list(cards("4c 2h"))


@pytest.mark.parametrize("rules", having("excess"))
@reading("left_over_cards")
def test_between_rounds_and_before_the_close_it_only_waits(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL).settle()
    evening.do(excess("5h"))
    evening.open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.do(excess("??"))
    assert not evening.happened(OptionsGiven)
    assert [carried.card for carried in evening.table.carried] == list(cards("5h ??"))


@pytest.mark.parametrize("rules", having("excess", "insurance", "insurance_neglected", among=INSURED))
def test_an_exposed_card_ends_insurance_against_it(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(excess("7c"))
    (missed,) = evening.happened(InsuranceMissed)
    assert missed.clauses == cited(rules, "not_offered")
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    if cited(rules, "late_insurance"):  # nor is there a late offer on what everybody knows
        late = reports.OfferLateInsurance(*MANAGER)
        evening.refuse(late, TableCode.NO_INSURANCE_DUE, *cited(rules, "uninsured_bet"))


@pytest.mark.parametrize("rules", having("excess", "insurance", among=INSURED))
@pytest.mark.parametrize("out", ["7c", "??"])
def test_an_open_offer_ends_when_a_card_drawn_too_early_is_seen(rules: Rulebook, out: str) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1))
    evening.do(excess(out))
    assert not evening.happened(InsuranceMissed)
    if out == "??":
        evening.do(evening.insuring("ann", 1))
        return
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(cut_short=True)]
    evening.refuse(evening.insuring("ann", 1), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))


@pytest.mark.parametrize("rules", having("excess", among=INSURED))
def test_an_unseen_one_leaves_an_offer_that_is_due_to_be_made(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(excess("??"))
    assert not evening.happened(InsuranceMissed)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1))


# ---- too few


@pytest.mark.parametrize("rules", having("options", "wrong_number", "reconstruction"))
@pytest.mark.parametrize("dealt", range(1, 7))
@reading("when_options_arise")
def test_too_few_cards_are_an_ordinary_dealing_error(rules: Rulebook, dealt: int) -> None:
    evening = dealing(rules).deal(" ".join(f"{BANKER_ON_FIVE} 4c 2h".split()[:dealt]))
    report, given = evening.do(reports.ReportWrongNumber(*SUPERVISOR, (), reconstructable=True))
    assert isinstance(report, IrregularityReported)
    assert (report.kind, report.reconstructable) == (Irregularity.WRONG_NUMBER, True)
    assert bool(report.established) is (dealt > 2)  # from the third card on a pair of aces is certain
    clauses = cited(rules, "options")  # not those on cards in excess
    assert given == OptionsGiven(Irregularity.WRONG_NUMBER, ("ann",), True, clauses)  # noqa: FBT003 - its name
    assert evening.table.carried == ()


@pytest.mark.parametrize("rules", having("excess_options", "wrong_number"))
def test_too_many_are_judged_as_cards_in_excess(rules: Rulebook) -> None:
    for dealt, arise in (("2s 9d", True), (NATURAL, False)):
        evening = dealing(rules).deal(dealt)
        evening.do(reports.ReportWrongNumber(*SUPERVISOR, (None,), reconstructable=True))
        clauses = cited(rules, "excess_options") + cited(rules, "options")
        assert [given.clauses for given in evening.happened(OptionsGiven)] == ([clauses] if arise else [])


# ---- to the wrong side or person


@pytest.mark.parametrize("to_person", [False, True], ids=["area", "person"])
@pytest.mark.parametrize("rules", having("wrong_side", "wrong_area", "wrong_person", "reconstruction"))
def test_the_order_in_which_they_came_puts_cards_where_they_belong(rules: Rulebook, *, to_person: bool) -> None:
    evening = dealing(rules, face_down=True)
    evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", BANKER))
    evening.do(commands.GrantSqueeze(*SUPERVISOR, BANKER))
    evening.deal_unseen(4).turn("2s 9d 2h 7c")
    evening.do(reports.ReportWrongSide(*SUPERVISOR, (BANKER, PLAYER, PLAYER, BANKER), to_person))
    report = last_report(evening)
    where = cited(rules, "wrong_person" if to_person else "wrong_area")
    wanted = cited(rules, "wrong_side") + where + cited(rules, "reconstruction")
    assert (report.kind, report.clauses) == (Irregularity.WRONG_SIDE, wanted)
    assert report.as_dealt == Hands(cards("9d 2h"), cards("2s 7c"))
    assert report.should_be == Hands(cards("2s 2h"), cards("9d 7c"))
    assert not evening.happened(OptionsGiven)  # a pair is certain, and the hands are clear


@pytest.mark.parametrize("rules", having("wrong_side", "options"))
@pytest.mark.parametrize("face_down", [False, True], ids=["seen", "unseen"])
@pytest.mark.parametrize("reconstructable", [True, False], ids=["restored", "not"])
@pytest.mark.parametrize("certain", [True, False], ids=["certain", "open"])
@reading("when_options_arise")
def test_players_choose_unless_something_is_certain_and_the_hands_can_be_restored(
    rules: Rulebook,
    *,
    certain: bool,
    reconstructable: bool,
    face_down: bool,
) -> None:
    if face_down:
        evening = dealing(rules, face_down=True).deal_unseen(4 if certain else 2)
        if certain:
            evening.turn("2s 9d 2h 7c")
    else:
        evening = dealing(rules).deal("2s 9d 2h 7c" if certain else "2s 9d")
    went = (BANKER, PLAYER, PLAYER, BANKER)[: 4 if certain else 2]
    evening.do(reports.ReportWrongSide(*SUPERVISOR, went, False, reconstructable, "crossed"))  # noqa: FBT003
    assert bool(last_report(evening).established) is (certain and reconstructable)  # without a known order nothing is
    given = evening.happened(OptionsGiven)
    assert bool(given) is not (certain and reconstructable)
    for options in given:
        clauses = cited(rules, "wrong_side") + cited(rules, "options")
        assert options == OptionsGiven(Irregularity.WRONG_SIDE, ("ann",), reconstructable, clauses)
    assert bool(evening.happened(OrderLost)) is not reconstructable


# ---- face up


def _shown(rules: Rulebook, down: int, *place_and_card: tuple[int, str]) -> Evening:
    evening = dealing(rules, face_down=True).deal_unseen(down)
    for place, card in place_and_card:
        evening.do(reports.ReportFaceUpCard(*DEALER, place, Card(card)))
    return evening


@pytest.mark.parametrize("rules", having("face_up", "options"))
@reading("when_options_arise")
def test_a_card_face_up_gives_the_options_if_nothing_is_established(rules: Rulebook) -> None:
    evening = _shown(rules, 3, (1, "2s"))
    report = last_report(evening)
    assert (report.kind, report.clauses, report.established) == (
        Irregularity.FACE_UP_CARD,
        cited(rules, "face_up"),
        (),
    )
    clauses = cited(rules, "face_up") + cited(rules, "options")
    assert evening.happened(OptionsGiven) == [
        OptionsGiven(Irregularity.FACE_UP_CARD, ("ann",), True, clauses)  # noqa: FBT003 - its name
    ]
    assert evening.happened(CardTurned) == [CardTurned(1, Card("2s"))]


@pytest.mark.parametrize("rules", having("face_up"))
@reading("when_options_arise")
def test_no_options_if_that_card_establishes_something(rules: Rulebook) -> None:
    evening = dealing(rules, face_down=True).deal_unseen(3)
    evening.do(commands.TurnCard(*DEALER, 1, Card("2s")))
    evening.do(reports.ReportFaceUpCard(*DEALER, 3, Card("2h")))
    assert last_report(evening).established
    assert not evening.happened(OptionsGiven)


@pytest.mark.parametrize("rules", having("face_up", "goes_on_reconstructed"))
def test_the_round_goes_on_and_stands(rules: Rulebook) -> None:
    evening = _shown(rules, 4, (4, "3c"))
    evening.do(reports.ChooseOption("ann", Position.PLAYER, "ann", Choice.CONTINUE))
    evening.turn("9s 2d Kh").settle()
    assert evening.happened(RoundSettled)[0].player == 9


@pytest.mark.parametrize("rules", having("late_insurance", "face_up"))
def test_a_late_offer_over_a_card_that_shows_now_is_over(rules: Rulebook) -> None:
    evening = dealing(rules, face_down=True, observing=True).deal(BANKER_ON_FIVE).deal_unseen(1)
    evening.do(reports.OfferLateInsurance(*MANAGER))
    evening.do(evening.insuring("ann", 1))
    evening.do(reports.ReportFaceUpCard(*DEALER, 5, Card("9c")))
    assert len(evening.happened(InsuranceClosed)) == 1
    evening.refuse(evening.insuring("ann", 1), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))


@pytest.mark.parametrize("rules", having("face_up"))
def test_a_dealer_reports_it_and_a_player_does_not(rules: Rulebook) -> None:
    for by in (DEALER, SUPERVISOR, MANAGER, SHIFT):
        evening = dealing(rules, face_down=True).deal_unseen(1)
        evening.do(reports.ReportFaceUpCard(*by, 1, Card("2s")))
    evening = dealing(rules, face_down=True).deal_unseen(1)
    report = reports.ReportFaceUpCard("ann", Position.PLAYER, 1, Card("2s"))
    evening.refuse(report, TableCode.NOT_AUTHORISED, *cited(rules, "face_up"))


# ---- any other dealing error


@pytest.mark.parametrize("rules", having("options"))
@pytest.mark.parametrize("dealt", range(7))
@pytest.mark.parametrize("reconstructable", [True, False], ids=["restored", "not"])
@reading("when_options_arise")
def test_any_other_dealing_error_always_gives_the_options(
    rules: Rulebook, dealt: int, *, reconstructable: bool
) -> None:
    evening = dealing(rules).deal(" ".join(f"{BANKER_ON_FIVE} 4c 2h".split()[:dealt]))
    evening.do(reports.ReportDealingError(*SUPERVISOR, "the shoe was knocked", reconstructable))
    clauses = cited(rules, "options")
    assert evening.happened(OptionsGiven) == [
        OptionsGiven(Irregularity.DEALING_ERROR, ("ann",), reconstructable, clauses)
    ]
    assert bool(evening.happened(OrderLost)) is (not reconstructable and dealt > 1)


def test_two_mistakes_of_one_round_are_two_questions() -> None:
    evening = dealing(book("commission-insurance"))
    for _ in range(2):
        evening.do(reports.ReportDealingError(*SUPERVISOR, "the shoe was knocked"))
        evening.do(reports.ChooseOption("ann", Position.PLAYER, "ann", Choice.CONTINUE))
    assert len(evening.happened(OptionsGiven)) == 2
