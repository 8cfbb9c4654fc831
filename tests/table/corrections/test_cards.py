"""A card entered wrongly is corrected, and the round ends as if it had been entered rightly."""

import random
from collections import Counter
from collections.abc import Iterator
from enum import Enum, auto

import msgspec
import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import RANKS, Card, Face, read_cards
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.records import commands, reports
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import Difference, Event, InsuranceClosed, InsuranceMissed, RoundSettled
from punto.table.records.findings import (
    CardCorrected,
    InsuranceRejudged,
    IrregularityDismissed,
    IrregularityRaised,
    SettlementReversed,
    UninsuredBetPutBack,
    UninsuredBetReturned,
)
from punto.table.records.kinds import Choice, Irregularity
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.lanes import examples
from tests.marks import BOOKS, INSURED, books, reading
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    opened,
    ready,
)

RULES = book("commission-insurance")
STAKES = (("ann", "banker", 100_00), ("ben", "player", 250_00), ("cat", "tie", 10_00))
Staff = tuple[str, Position]


def correcting(draw: int, card: str | None, by: Staff = SUPERVISOR) -> CorrectCard:
    return CorrectCard(*by, "s1", draw, None if card is None else Face(card))


def correct(evening: Evening, draw: int, card: str | None, by: Staff = SUPERVISOR) -> tuple[Event, ...]:
    return evening.do(correcting(draw, card, by))


# ---- planted slips


class When(Enum):
    """When the slip is noticed, unless the table stops the dealer before."""

    AT_ONCE = auto()
    NEXT_CARD = auto()
    BEFORE_SETTLEMENT = auto()
    SETTLED = auto()


def _coups(rules: Rulebook, count: int) -> Iterator[tuple[Face, ...]]:
    """Random coups, as they lie on the felt."""
    some = random.Random(f"slips of {rules.id}")  # noqa: S311 - the same coups each time
    deck = [card for card in Card for _ in range(rules.decks.most)]
    for _ in range(count):
        cards = tuple(some.sample(deck, 6))
        yield cards[: Coup.of(rules.space, cards).used]


def _enter(evening: Evening, card: Face) -> None:
    dealing_it = commands.DealCard(*DEALER, card)
    decision = decide(evening.rules, evening.table, dealing_it)
    if isinstance(decision, Refusal) and decision.code is TableCode.INSURANCE_DUE:
        evening.do(commands.OpenInsurance(*DEALER))
    evening.do(dealing_it)


def _raised(evening: Evening) -> bool:
    return evening.table.round is not None and evening.table.round.irregularities.raised is not None


def _finished(evening: Evening) -> bool:
    return evening.table.round is not None and Coup.of(evening.rules.space, evening.table.round.cards).finished


def _with_slip(
    rules: Rulebook, felt: tuple[Face, ...], at: int, wrong: Face, when: When, *, observing: bool
) -> Evening:
    """The dealer enters what lies on the felt, one card of it wrongly, and the slip is put right."""
    evening = dealing(rules, *STAKES, observing=observing)
    corrected = False

    def put_right() -> None:
        nonlocal corrected
        corrected = True
        before = evening.chips
        events = correct(evening, at, felt[at], MANAGER)
        for settled in (event for event in events if isinstance(event, RoundSettled)):
            _check_differences(evening, before, settled.differences)

    for place, card in enumerate(felt):
        _enter(evening, wrong if place == at else card)
        if place < at or corrected:
            continue
        if when is When.SETTLED and _finished(evening) and not _raised(evening):
            evening.settle()
            put_right()
        elif _raised(evening) or when is When.AT_ONCE or (when is When.NEXT_CARD and place > at):
            put_right()
    if not corrected:
        put_right()
    return evening.settle() if evening.table.phase is Phase.DEALING else evening


def _check_differences(evening: Evening, before: dict[str, int], differences: tuple[Difference, ...]) -> None:
    """What the dealer pays and collects brings everybody from the chips they had to those they should have."""
    moved = Counter[str]()
    for each in differences:
        moved[each.who] += each.amount_minor
        assert each.amount_minor
    assert {who: chips + moved[who] for who, chips in before.items()} == evening.chips


def _same_end(one: Evening, other: Evening) -> bool:
    ends = [(each.table.balances, each.table.shoe, each.table.carried, each.table.phase) for each in (one, other)]
    results = [each.table.round.results if each.table.round else () for each in (one, other)]
    return ends[0] == ends[1] and results[0] == results[1]


@pytest.mark.sweep
@reading("card_entered_wrongly")
@pytest.mark.parametrize("observing", [False, True])
@pytest.mark.parametrize("rules", [*books(Topic.DISPLAY), pytest.param(book("commission"), id="commission")])
def test_a_slip_of_any_card_at_any_moment_ends_as_if_it_had_not_been(rules: Rulebook, *, observing: bool) -> None:
    for felt in _coups(rules, examples(2)):
        rightly = dealing(rules, *STAKES, observing=observing)
        for card in felt:
            _enter(rightly, card)
        rightly.settle()
        for at, right in enumerate(felt):
            for rank in RANKS:
                wrong = Face(rank + "hscd"["shdc".index(right.suit)])
                for when in When:
                    ended = _with_slip(rules, felt, at, wrong, when, observing=observing)
                    assert _same_end(ended, rightly), (felt, at, wrong, when)


# ---- by hand


def test_the_correction_says_what_was_entered_and_what_lies_there() -> None:
    evening = dealing(RULES).deal("9s 2d Kh")
    (event,) = correct(evening, 2, "Qh", DEALER)
    assert event == CardCorrected("s1", 2, Card("Kh"), Card("Qh"), 3, 3, RULES.topics[Topic.DISPLAY])
    assert evening.table.round is not None
    assert evening.table.round.cards == read_cards("9s 2d Qh")
    assert evening.table.shoe is not None
    assert evening.table.shoe.copies_seen(Face("Kh")) == 0
    assert evening.table.shoe.copies_seen(Face("Qh")) == 1


def test_a_natural_that_was_none_takes_the_card_that_the_table_raised() -> None:
    """8 entered for 3: the dealer draws for Player, and the table does not want the card."""
    evening = dealing(RULES).deal("8s 2d Kh 3c")
    (raised,) = evening.do(commands.DealCard(*DEALER, Card("4d")))
    assert isinstance(raised, IrregularityRaised)
    events = correct(evening, 0, "3s")
    assert [type(event) for event in events[:3]] == [CardCorrected, IrregularityDismissed, InsuranceMissed]
    assert evening.table.round is not None
    assert evening.table.round.cards == read_cards("3s 2d Kh 3c 4d")
    assert evening.table.round.irregularities.raised is None


def test_a_card_beyond_the_coup_is_carried_to_the_next_round() -> None:
    """3 entered for 8: a third card was drawn on a natural."""
    evening = dealing(RULES, observing=True).deal("3s 2d Kh 3c 4d")
    correct(evening, 0, "8s")
    assert evening.table.round is not None
    assert evening.table.round.cards == read_cards("8s 2d Kh 3c")
    assert [card.card for card in evening.table.carried] == ["4d"]
    settled = evening.do(commands.Settle(*MANAGER))[0]
    assert isinstance(settled, RoundSettled)
    assert (settled.winner, settled.player, settled.banker) == ("player", 8, 5)
    assert [card.card for card in evening.table.carried] == ["4d"]


def test_the_card_that_is_left_over_by_a_settled_coup_comes_back_into_it() -> None:
    evening = dealing(RULES, observing=True).deal("3s 2d Kh 3c 4d")
    correct(evening, 0, "8s")
    evening.settle()
    events = correct(evening, 0, "3s", MANAGER)  # it was a 3 after all
    assert isinstance(events[0], SettlementReversed)
    assert evening.table.carried == ()
    assert evening.table.phase is Phase.DEALING
    assert evening.table.round is not None
    assert evening.table.round.cards == read_cards("3s 2d Kh 3c 4d")


def test_a_card_that_nobody_drew_is_taken_back() -> None:
    """The key was pressed twice."""
    evening = dealing(RULES).deal("2s 2d 2d")
    correct(evening, 2, None, DEALER)
    assert evening.table.round is not None
    assert evening.table.round.cards == read_cards("2s 2d")
    assert evening.table.shoe is not None
    assert evening.table.shoe.drawn == 2
    evening.deal("Kh 3c")


def test_only_the_last_card_can_be_taken_back() -> None:
    evening = dealing(RULES).deal("2s 2d 2d")
    evening.refuse(correcting(1, None), TableCode.NOTHING_TO_CORRECT, *RULES.topics[Topic.DISPLAY])
    evening.deal("Kh").do(correcting(3, None))


def test_a_card_between_rounds_that_nobody_drew_is_taken_back() -> None:
    evening = dealing(RULES).deal(NATURAL).settle()
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("4d"),)))
    evening.refuse(correcting(3, None, MANAGER), TableCode.NOTHING_TO_CORRECT, *RULES.topics[Topic.DISPLAY])
    correct(evening, 4, None)
    assert evening.table.carried == ()
    assert evening.table.shoe is not None
    assert evening.table.shoe.drawn == 4
    evening.refuse(correcting(3, None, MANAGER), TableCode.NOTHING_TO_CORRECT, *RULES.topics[Topic.DISPLAY])


@pytest.mark.parametrize("cards", [2, 3])
def test_a_card_of_a_lost_order_that_nobody_drew_is_taken_back(cards: int) -> None:
    """One card alone has no order, so the round goes on."""
    evening = dealing(RULES).deal("2s 2d")
    drawn = tuple(map(Card, ("3c", "4c", "5c")[:cards]))
    evening.do(reports.ReportSimultaneousCards(*DEALER, drawn))
    correct(evening, 1 + cards, None)
    assert evening.table.round is not None
    assert evening.table.round.irregularities.order_lost == ((3, 4) if cards == 3 else ())
    evening.do(reports.ReportInterruption(*SUPERVISOR, "fire drill"))


@pytest.mark.parametrize("rules", BOOKS, ids=[each.id for each in BOOKS])
def test_a_stray_key_after_a_finished_coup_is_taken_back_by_the_dealer(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Card("4d")))
    (event,) = correct(evening, 4, None, DEALER)
    assert isinstance(event, IrregularityDismissed)
    evening.settle()


def test_but_not_once_anything_else_has_happened() -> None:
    evening = dealing(RULES).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Card("4d")))
    evening.do(commands.BuyIn(*DEALER, "ann", 1_00))
    evening.refuse(correcting(4, None, DEALER), TableCode.NOT_AUTHORISED, *RULES.topics[Topic.DISPLAY])
    correct(evening, 4, None, SUPERVISOR)


def test_a_raised_card_is_taken_back_before_another_is_entered() -> None:
    evening = dealing(RULES).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Card("4d")))
    evening.refuse(correcting(4, "5d", DEALER), TableCode.NO_SUCH_CARD, *RULES.topics[Topic.DISPLAY])


# ---- who may


def test_a_dealer_corrects_the_last_entry_only() -> None:
    evening = dealing(RULES).deal("9s 2d Kh")
    cited = RULES.topics[Topic.DISPLAY]
    evening.refuse(correcting(1, "3d", DEALER), TableCode.NOT_AUTHORISED, *cited)
    evening.do(correcting(2, "3h", DEALER))
    evening.do(correcting(2, "4h", DEALER))
    evening.do(commands.BuyIn(*DEALER, "ann", 1_00))
    evening.refuse(correcting(2, "5h", DEALER), TableCode.NOT_AUTHORISED, *cited)
    evening.do(correcting(2, "5h", SUPERVISOR))


def test_and_no_result_of_a_stake() -> None:
    evening = dealing(RULES).deal("7s 2d Kh")
    evening.deal("3c")  # Player stands on 7, Banker has 5 and draws
    evening.do(commands.DealCard(*DEALER, Card("4c")))  # 9: Banker wins
    cited = RULES.topics[Topic.DISPLAY]
    evening.refuse(correcting(4, "Ac", DEALER), TableCode.NOT_AUTHORISED, *cited)  # 6: Player wins
    evening.do(correcting(4, "3c", DEALER))  # 8: Banker still wins
    evening.do(correcting(4, "Ac", SUPERVISOR))


def test_nor_what_a_winning_bet_pays() -> None:
    """Banker pays even money, but half if it wins on 6."""
    rules = book("da-hu-ying-xiong")
    evening = dealing(rules).deal("Ks 2d Ah 3c 4d 2c")  # 7 to 5
    evening.refuse(correcting(5, "Ac", DEALER), TableCode.NOT_AUTHORISED, *rules.topics[Topic.DISPLAY])
    evening.do(correcting(5, "3c", DEALER))  # 8 to 5


def test_where_nothing_is_staked_the_dealer_corrects_any_last_card() -> None:
    evening = betting(RULES).close_betting().deal("7s 2d Kh 3c 4c")
    evening.do(correcting(4, "Ac", DEALER))


@pytest.mark.parametrize("by", [DEALER, SUPERVISOR])
def test_after_the_settlement_a_pit_manager_corrects(by: Staff) -> None:
    evening = dealing(RULES).deal(NATURAL).settle()
    evening.refuse(correcting(0, "8s", by), TableCode.NOT_AUTHORISED, *RULES.topics[Topic.DISPLAY])
    evening.do(correcting(0, "8s", MANAGER))


def test_and_until_the_next_call_for_bets() -> None:
    evening = dealing(RULES).deal(NATURAL).settle().open_betting()
    evening.refuse(correcting(0, "8s", SHIFT), TableCode.NO_SUCH_CARD, *RULES.topics[Topic.DISPLAY])


# ---- after the settlement


def test_the_dealer_is_told_what_to_collect_and_to_pay() -> None:
    """9 for Player entered, 4 lies there: Banker wins 5 to 4."""
    evening = dealing(RULES, ("ann", "banker", 100_00), ("ben", "player", 50_00)).deal("9s 2d Kh 3c").settle()
    held = evening.chips
    events = correct(evening, 0, "6s", MANAGER)
    settled = events[-1]
    assert evening.table.phase is Phase.DEALING  # Banker draws on 5 against 6
    assert not isinstance(settled, RoundSettled)
    settled = evening.deal("2c").do(commands.Settle(*MANAGER))[0]
    assert isinstance(settled, RoundSettled)
    assert settled.differences == (
        Difference("ann", 1, "banker", 195_00),
        Difference("ben", 2, "player", -100_00),
    )
    assert evening.chips["ann"] - held["ann"] == 195_00
    assert evening.chips["ben"] - held["ben"] == -100_00


def test_chips_already_spent_are_owed() -> None:
    evening = dealing(RULES, ("ben", "player", 50_00)).deal("9s 2d Kh 3c").settle()
    evening.do(commands.CashOut(*DEALER, "ben", evening.table.chips_minor("ben")))
    correct(evening, 0, "2s", MANAGER)
    evening.deal("2c").settle()  # Banker wins 5 to 4
    assert evening.table.chips_minor("ben") < 0


def test_a_void_round_is_not_corrected() -> None:
    evening = dealing(RULES).deal("9s 2d")
    evening.do(reports.ReportForeignCard(*SUPERVISOR))
    evening.refuse(correcting(0, "8s", SHIFT), TableCode.NOTHING_TO_CORRECT, *RULES.topics[Topic.DISPLAY])


def test_the_same_card_again_is_no_correction() -> None:
    evening = dealing(RULES).deal("9s 2d")
    evening.refuse(correcting(1, "2d"), TableCode.NOTHING_TO_CORRECT, *RULES.topics[Topic.DISPLAY])


def test_a_card_face_down_is_not_corrected() -> None:
    evening = dealing(RULES, face_down=True).deal_unseen(2)
    evening.refuse(correcting(1, "2d"), TableCode.NO_SUCH_CARD, *RULES.topics[Topic.DISPLAY])


def test_a_turned_card_is() -> None:
    evening = dealing(RULES, face_down=True).deal_unseen(4)
    evening.do(commands.TurnCard(*DEALER, 1, Card("9s")))
    evening.do(correcting(0, "8s", DEALER))
    assert evening.table.round is not None
    assert evening.table.round.cards == (Card("8s"), None, None, None)


# ---- cards carried over


def test_a_card_carried_over_is_corrected_before_and_while_betting_is_open() -> None:
    evening = dealing(RULES).deal(NATURAL)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("4d"),)))
    evening.settle()
    (event,) = correct(evening, 4, "5d")
    assert isinstance(event, CardCorrected)
    assert evening.table.phase is Phase.READY
    evening.open_betting()
    correct(evening, 4, "6d")
    assert [card.card for card in evening.table.carried] == ["6d"]
    evening.refuse(correcting(4, "7d", DEALER), TableCode.NOT_AUTHORISED, *RULES.topics[Topic.DISPLAY])


# ---- the burned card


def _burned(card: str) -> Evening:
    evening = opened(RULES, burn=True)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    evening.do(commands.BurnCards(*DEALER, Card(card)))
    return evening


def test_the_burned_card_decides_how_many_were_burned() -> None:
    evening = _burned("5h")
    correct(evening, 0, "7h", DEALER)
    assert evening.table == msgspec.structs.replace(_burned("7h").table, last_entered=evening.table.last_entered)


def test_cards_after_it_were_drawn_later() -> None:
    wrongly, rightly = (_burned(card).open_betting().close_betting().deal("2s 3h") for card in ("5h", "7h"))
    wrongly.refuse(correcting(0, "7h", DEALER), TableCode.NOT_AUTHORISED, *RULES.topics[Topic.DISPLAY])
    correct(wrongly, 0, "7h")
    assert wrongly.table == msgspec.structs.replace(rightly.table, last_entered=None)


# ---- a shoe that was ended


def test_a_round_that_wants_a_card_again_after_its_shoe_was_ended_gets_it_from_another() -> None:
    evening = dealing(RULES, observing=True).deal(NATURAL).settle()
    evening.do(commands.EndShoe(*DEALER))
    correct(evening, 0, "6s", MANAGER)  # Banker draws on 5 against 6
    assert evening.table.phase is Phase.DEALING
    evening.refuse(commands.DealCard(*DEALER, Card("2c")), TableCode.NO_SHOE)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 8))
    evening.deal("2c").settle()


# ---- copies


def test_one_copy_too_many_is_raised() -> None:
    evening = ready(RULES)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 4))
    evening.open_betting().close_betting()
    for card in ("As", "As", "As", "As", "Kc"):
        _enter(evening, Card(card))
    events = evening.do(CorrectCard(*SUPERVISOR, "s2", 4, Card("As")))
    assert isinstance(events[-1], IrregularityRaised)
    assert events[-1].kind is Irregularity.CARD_COUNT


def test_a_copy_too_many_that_was_a_slip_is_dealt() -> None:
    """The earlier card was no ace of spades, so this one can be."""
    evening = ready(RULES)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 4))
    evening.open_betting().close_betting()
    for card in ("As", "As", "As", "As"):
        _enter(evening, Card(card))
    evening.do(commands.DealCard(*DEALER, Card("As")))
    assert _raised(evening)
    evening.do(CorrectCard(*SUPERVISOR, "s2", 0, Card("Ah")))
    assert evening.table.round is not None
    assert evening.table.round.cards == read_cards("Ah As As As As")


# ---- insurance


@reading("card_entered_wrongly")
@pytest.mark.parametrize("rules", INSURED, ids=[each.id for each in INSURED])
def test_an_offer_on_the_wrong_points_is_closed_and_the_right_one_is_due(rules: Rulebook) -> None:
    """Banker 5 entered, 6 lies there: another line on the same side, so the stake stays at its odds."""
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    events = correct(evening, 3, "4d")
    assert isinstance(events[0], InsuranceClosed)
    assert events[0].forgone == ()
    rejudged = next(event for event in events if isinstance(event, InsuranceRejudged))
    assert rejudged.cover[0].stake_minor == 10_00
    assert rejudged.cover[0].odds == rules.insurance.line(Stage.FOUR, 2, 6).odds_text  # type: ignore[union-attr]
    evening.do(commands.OpenInsurance(*DEALER))


def test_a_suit_alone_changes_nothing_about_an_offer() -> None:
    evening = dealing(RULES).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    (event,) = correct(evening, 3, "3c")
    assert isinstance(event, CardCorrected)
    assert evening.table.round is not None
    assert evening.table.round.insurance.offer_open


def test_insurance_that_the_right_cards_do_not_offer_goes_back() -> None:
    evening = dealing(RULES).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    held = evening.table.chips_minor("ann")
    correct(evening, 3, "7d")  # Banker has a natural 9
    assert evening.table.chips_minor("ann") == held + 10_00
    evening.settle()


def test_a_bet_returned_for_an_offer_that_never_was_is_put_back() -> None:
    """Banker 5 against 2 entered and the offer missed. It was 3, so nothing was due."""
    evening = dealing(RULES, observing=True).deal("As 2s Ad 3d 6h Kc")
    assert len(evening.happened(InsuranceMissed)) >= 1
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "meant to"))
    assert not evening.stakes
    events = correct(evening, 3, "Ad")
    assert any(isinstance(event, UninsuredBetPutBack) for event in events)
    assert evening.stakes == {("ann", 1, "banker"): 100_00}


def test_after_the_settlement_it_is_collected_and_where_it_holds_it_is_returned_again() -> None:
    evening = dealing(RULES, observing=True).deal("As 2s Ad 3d 6h Kc").settle()
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "meant to"))
    held = evening.table.chips_minor("ann")
    events = correct(evening, 3, "3c", MANAGER)  # another suit: all of it holds
    assert [event.stake_minor for event in events if isinstance(event, UninsuredBetReturned)] == [100_00]
    settled = next(event for event in events if isinstance(event, RoundSettled))
    assert settled.differences == ()
    assert evening.table.chips_minor("ann") == held
    events = correct(evening, 3, "Ac", MANAGER)
    settled = next(event for event in events if isinstance(event, RoundSettled))
    assert settled.differences == (Difference("ann", 1, "banker", -100_00),)
    assert evening.table.chips_minor("ann") == held - 100_00


# ---- options


def _missing(evening: Evening) -> None:
    """Player 5 against 5 was entered, nobody drew, and a missing card was reported. ben takes the bet back."""
    evening.deal("5s 2d Kh 3c")
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, (), reconstructable=True, reason="no third card"))
    evening.do(reports.ChooseOption("ben", Position.PLAYER, "ben", Choice.RETURN))


@reading("card_entered_wrongly")
def test_options_are_undone_if_there_was_no_error() -> None:
    """It was a natural 9, so no card was missing."""
    evening = dealing(RULES, *STAKES)
    _missing(evening)
    assert ("ben", 2, "player") not in evening.stakes
    correct(evening, 0, "9s")
    assert evening.stakes[("ben", 2, "player")] == 250_00
    assert evening.table.round is not None
    assert evening.table.round.irregularities.options is None
    rightly = dealing(RULES, *STAKES).deal("9s 2d Kh 3c").settle()
    assert evening.settle().table.balances == rightly.table.balances


def test_insurance_that_was_taken_back_is_judged_by_the_right_cards() -> None:
    """Player 2 against 5 was entered. It was 9, so nothing was on offer."""
    evening = dealing(RULES, ("ann", "banker", 100_00)).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, (), reconstructable=True, reason="no third card"))
    evening.do(reports.ChooseOption("ann", Position.PLAYER, "ann", Choice.RETURN))
    correct(evening, 0, "8s")
    assert evening.stakes == {("ann", 1, "banker"): 100_00}
    assert evening.table.round is not None
    assert evening.table.round.insurance.cover == ()
    rightly = dealing(RULES, ("ann", "banker", 100_00)).deal("8s 2s Ad 3d").settle()
    assert evening.settle().table.balances == rightly.table.balances


def test_options_stand_if_the_error_does() -> None:
    """It was a 4: the third card is still missing."""
    evening = dealing(RULES, *STAKES)
    _missing(evening)
    correct(evening, 0, "4s")
    assert ("ben", 2, "player") not in evening.stakes
    assert evening.table.round is not None
    assert evening.table.round.irregularities.options is not None


# ---- To.NOBODY is not reached by the sweep's helper in any other way


def test_the_sweep_has_coups_of_every_length() -> None:
    lengths = {len(felt) for rules in BOOKS for felt in _coups(rules, 60)}
    assert lengths == {4, 5, 6}
    assert all(Coup.of(rules.space, felt).next.to is To.NOBODY for rules in BOOKS for felt in _coups(rules, 60))
