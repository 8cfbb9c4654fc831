"""A shuffler that takes cards back: what it holds, when cards go back, and what is judged by it."""

from typing import Any

import pytest

from punto import book
from punto.rules.coup.cards import Card, Face
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import legal, next_step
from punto.table.records import commands, corrections, reports
from punto.table.records.events import (
    BettingOpened,
    BoardStarted,
    CardsPutBack,
    CutCardReached,
    ShoeLoaded,
    ShoeReconciled,
)
from punto.table.records.findings import IrregularityRaised, RoundVoided, ShoeTakenOff
from punto.table.records.kinds import Effect, Irregularity
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, ContinuousShuffler
from punto.table.records.state import CARD_AT, CarriedCard, RestingCards, Shoe
from punto.table.refusals import TableCode
from punto.table.situation import Then, situation
from tests.marks import reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    DEALER,
    HOUSE,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    dealing,
    opened,
    ready,
    settings,
)

RULES = book("commission-insurance")
WHOLE = RULES.decks.most * 52
OTHER = "8h 7d Qs 9c"
"""Banker wins 6 to 8 on four cards."""
pytestmark = reading("electronic_shuffler")


def machine(rules: Rulebook = RULES, rounds: int = 1, decks: int = 0, **changes: Any) -> Evening:
    """Between rounds, with a machine whose cards go back after this many rounds."""
    burn = changes.pop("burn", False)
    evening = ready(rules, continuous=ContinuousShuffler(rounds, burn), **changes)
    if decks:
        evening.do(commands.LoadShoe(*SUPERVISOR, "m2", decks))
    return evening


def shoe_of(evening: Evening) -> Shoe:
    assert evening.table.shoe is not None
    return evening.table.shoe


def copies_out(evening: Evening) -> dict[str, int]:
    seen = shoe_of(evening).seen
    return {str(card): seen[at] for card, at in CARD_AT.items() if seen[at]}


# ---- cards go back


@pytest.mark.parametrize("rules", having("shuffler"))
def test_the_cards_of_a_round_go_back_at_the_next_call(rules: Rulebook) -> None:
    evening = machine(rules).open_betting().play(NATURAL)
    assert shoe_of(evening).left == rules.decks.most * 52 - 4, "they can still be corrected"
    evening.open_betting()
    assert evening.happened(CardsPutBack) == [CardsPutBack("s1", (1,), 4, cited(rules, "shuffler"))]
    assert isinstance(evening.events[-2], CardsPutBack)
    assert isinstance(evening.events[-1], BettingOpened)
    shoe = shoe_of(evening)
    assert (shoe.left, shoe.drawn, shoe.gone_back) == (rules.decks.most * 52, 4, 4)
    assert (copies_out(evening), shoe.resting) == ({}, ())


def test_after_three_rounds_the_cards_of_the_last_two_stay_out() -> None:
    evening, left = machine(rounds=3), []
    for _ in range(5):
        evening.open_betting()
        left.append(WHOLE - shoe_of(evening).left)
        evening.play(NATURAL)
    assert left == [0, 4, 8, 8, 8]
    assert [event.rounds for event in evening.happened(CardsPutBack)] == [(1,), (2,)]
    assert [resting.round for resting in shoe_of(evening).resting] == [3, 4]
    assert set(copies_out(evening).values()) == {3}


def test_a_card_has_a_position_of_its_own_for_ever() -> None:
    evening = machine()
    evening.open_betting().play(NATURAL)
    evening.open_betting().play(OTHER)
    assert evening.table.round is not None
    assert evening.table.round.draws == (4, 5, 6, 7)


@pytest.mark.parametrize("rules", having("shuffler"))
def test_burned_cards_go_back_with_those_of_the_first_round(rules: Rulebook) -> None:
    evening = machine(rules, burn=True)
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.NOT_BURNED)
    evening.do(commands.BurnCards(*DEALER, Face("5s")))
    evening.open_betting()
    assert shoe_of(evening).left == rules.decks.most * 52 - 6
    evening.play(NATURAL).open_betting()
    assert [event.cards for event in evening.happened(CardsPutBack)] == [10]
    assert shoe_of(evening).left == rules.decks.most * 52
    evening.play(OTHER).open_betting()
    assert [event.cards for event in evening.happened(CardsPutBack)] == [10, 4]


def test_without_the_setting_nothing_is_burned_whatever_the_shoes_do() -> None:
    evening = machine(burn=False)
    evening.do(commands.ChangeSettings(*SUPERVISOR, settings(RULES, burn=True, continuous=ContinuousShuffler())))
    evening.refuse(commands.BurnCards(*DEALER, Face("5s")), TableCode.NO_BURN)
    assert isinstance(evening.do(commands.OpenBetting(*DEALER))[-1], BettingOpened)


def test_the_burned_card_can_be_corrected_until_its_round_is_over() -> None:
    evening = machine(burn=True)
    evening.do(commands.BurnCards(*DEALER, Face("5s")))
    evening.open_betting()
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 0, Face("6s")))
    assert shoe_of(evening).drawn == 7
    evening.play(NATURAL).open_betting()
    assert [event.cards for event in evening.happened(CardsPutBack)] == [11]
    evening.refuse(corrections.CorrectCard(*SUPERVISOR, "s1", 0, Face("5s")), TableCode.NO_SUCH_CARD, "5.15")


def test_the_cards_of_a_void_round_go_back_too_seen_or_not() -> None:
    evening = dealing(RULES, continuous=ContinuousShuffler(), face_down=True).deal_unseen(3)
    evening.do(commands.TurnCard(*DEALER, 2, Face("9s")))
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("4h"),)))
    evening.do(reports.Rule(*SHIFT, "two dealers", Effect.VOID))
    assert evening.table.carried == ()
    evening.open_betting()
    assert [event.cards for event in evening.happened(CardsPutBack)] == [4]
    assert (copies_out(evening), shoe_of(evening).left) == ({}, WHOLE)


def test_a_cancelled_round_has_nothing_to_put_back() -> None:
    evening = machine().open_betting()
    evening.do(corrections.CancelRound(*SUPERVISOR))
    evening.open_betting()
    assert evening.happened(CardsPutBack) == []
    assert shoe_of(evening).rounds == 2


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_card_of_the_last_round_is_corrected_before_it_goes_back(rounds: int) -> None:
    evening = machine(rounds=rounds).open_betting().play(NATURAL)
    evening.do(corrections.CorrectCard(*SHIFT, "s1", 1, Face("2h")))
    assert copies_out(evening) == {"9s": 1, "2h": 1, "Kh": 1, "3c": 1}
    evening.open_betting()
    assert sum(copies_out(evening).values()) == 4 * (rounds - 1)
    evening.refuse(corrections.CorrectCard(*SHIFT, "s1", 1, Face("2d")), TableCode.NO_SUCH_CARD, "5.15")


# ---- cards drawn too early


@pytest.mark.parametrize("rules", having("shuffler"))
def test_a_card_drawn_too_early_stays_out_until_it_is_dealt(rules: Rulebook) -> None:
    evening = dealing(rules, continuous=ContinuousShuffler()).deal(NATURAL)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("7c"),)))
    evening.settle().open_betting()
    assert evening.table.carried == (CarriedCard(Face("7c"), "s1", 4, 1),)
    assert (copies_out(evening), shoe_of(evening).left) == ({"7c": 1}, rules.decks.most * 52 - 1)
    evening.close_betting().do(commands.DealCard(*DEALER))
    evening.deal("9h 2d Kc").settle().open_betting()
    assert [event.cards for event in evening.happened(CardsPutBack)] == [4, 4]
    assert (copies_out(evening), shoe_of(evening).left) == ({}, rules.decks.most * 52)


def test_cards_drawn_between_the_rounds_stay_out_as_well() -> None:
    evening = machine(rounds=2).open_betting().play(NATURAL)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None, Card("7c"))))
    evening.open_betting()
    assert [resting.draws for resting in shoe_of(evening).resting] == [(0, 1, 2, 3)]
    assert [card.draw for card in shoe_of(evening).held] == [4, 5]
    evening.close_betting().deal("9d 7c Kd 2h").settle().open_betting()
    assert shoe_of(evening).resting == (RestingCards(2, (4, 5, 6, 7), shoe_of(evening).resting[0].seen),)
    assert sorted(map(str, shoe_of(evening).resting[0].seen)) == ["2h", "7c", "9d", "Kd"]


def test_a_card_that_was_never_drawn_is_not_put_back() -> None:
    evening = machine().open_betting().play(NATURAL)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("7c"),)))
    evening.open_betting()
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 4, None))
    evening.do(corrections.CancelRound(*SUPERVISOR))
    evening.open_betting()
    assert [event.cards for event in evening.happened(CardsPutBack)] == [4]
    assert (copies_out(evening), shoe_of(evening).left) == ({}, WHOLE)


# ---- what is judged by the cards that are out


@pytest.mark.parametrize("rules", having("shuffler", "card_count"))
def test_copies_are_counted_among_the_cards_that_are_out(rules: Rulebook) -> None:
    evening = machine(rules, decks=4)
    for _ in range(3):
        evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting().close_betting().deal("9s 9s 9s 9s")
    raised = evening.do(commands.DealCard(*DEALER, Face("9s")))[0]
    assert isinstance(raised, IrregularityRaised)


@pytest.mark.parametrize(("rounds", "raises"), [(1, False), (2, True)])
def test_cards_that_rest_count_as_out(rounds: int, *, raises: bool) -> None:
    evening = machine(rounds=rounds, decks=4)
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    decision = evening.open_betting().close_betting().do(commands.DealCard(*DEALER, Face("9s")))
    assert isinstance(decision[0], IrregularityRaised) is raises
    if raises:
        evening.do(reports.ReportCardCount(*SUPERVISOR))
        assert [event.ground for event in evening.happened(RoundVoided)] == [Irregularity.CARD_COUNT]
        assert evening.happened(ShoeTakenOff)


def test_ranks_without_a_suit_go_back_as_ranks() -> None:
    evening = machine(decks=4, faces_by_rank=True).open_betting().play("9 2d K 3")
    assert sum(shoe_of(evening).seen_ranks) == 3
    evening.open_betting()
    assert (sum(shoe_of(evening).seen_ranks), sum(shoe_of(evening).seen)) == (0, 0)


def drained(rules: Rulebook, left: int, rounds: int) -> Evening:
    """A void round took all but this many cards out of four decks; the next one is dealt."""
    evening = machine(rules, rounds=rounds, decks=4, face_down=True).open_betting().close_betting().deal_unseen(4)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,) * (4 * 52 - 4 - left)))
    evening.do(reports.Rule(*SHIFT, "cards on the floor", Effect.VOID))
    return evening.open_betting().close_betting()


@pytest.mark.parametrize("rules", having("shuffler", "shoe_run_out"))
def test_a_needed_card_that_the_machine_does_not_hold_voids_the_round(rules: Rulebook) -> None:
    """Cards that rest are not in it, however many they are."""
    evening = drained(rules, 3, rounds=2).deal_unseen(3)
    evening.refuse(commands.DealCard(*DEALER), TableCode.SHOE_EMPTY, *cited(rules, "shoe_run_out"))
    evening.do(reports.ReportShoeRunOut(*SUPERVISOR))
    assert [event.ground for event in evening.happened(RoundVoided)][-1] is Irregularity.SHOE_RUN_OUT
    assert evening.happened(ShoeTakenOff)[-1].clauses == cited(rules, "shoe_run_out")


@pytest.mark.parametrize(("left", "rounds"), [(4, 2), (3, 1)])
def test_with_the_last_card_that_it_holds_the_round_is_finished(left: int, rounds: int) -> None:
    evening = drained(RULES, left, rounds).deal_unseen(4).turn(NATURAL).settle()
    assert len(evening.happened(RoundVoided)) == 1


def test_a_machine_that_is_empty_waits_for_another() -> None:
    evening = machine(rounds=34, decks=4)
    evening.open_betting().play(NATURAL)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,) * (4 * 52 - 4)))
    assert (shoe_of(evening).left, situation(RULES, evening.table).then) == (0, Then.BET), (
        "the cards drawn too early come"
    )


@pytest.mark.parametrize(("rounds", "then"), [(1, Then.BET), (2, Then.LOAD_SHOE)])
def test_what_goes_back_at_the_call_counts_for_the_next_round(rounds: int, then: Then) -> None:
    evening = machine(rounds=rounds, decks=4, automations=tuple(Automation), face_down=True)
    evening.open_betting().close_betting().deal_unseen(4)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,) * (4 * 52 - 4)))
    evening.do(reports.Rule(*SHIFT, "the machine was emptied", Effect.VOID))
    assert shoe_of(evening).left == 0
    assert situation(RULES, evening.table).then is then
    assert (next_step(RULES, evening.table) is not None) == (then is Then.BET)
    if then is Then.BET:
        evening.open_betting()
        assert shoe_of(evening).left == 4 * 52
    else:
        evening.refuse(commands.OpenBetting(*DEALER), TableCode.SHOE_EMPTY, "5.5.4")


# ---- no cut card, a new machine, a new board


def test_no_cut_card_comes_out_and_none_is_announced() -> None:
    evening = drained(RULES, 4, rounds=2)
    assert evening.happened(CutCardReached) == [], "fewer cards than behind a cut card"
    evening.refuse(commands.CutCardOut(*DEALER), TableCode.NO_CUT_CARD, "1.6")
    assert not any(isinstance(move.command, commands.CutCardOut) for move in legal(RULES, evening.table, *DEALER))


def test_the_setting_applies_to_the_next_shoe() -> None:
    evening = ready(RULES)
    evening.do(commands.ChangeSettings(*SUPERVISOR, settings(RULES, continuous=ContinuousShuffler(2))))
    assert shoe_of(evening).continuous is None, "a shoe does not become a machine"
    evening.do(commands.LoadShoe(*SUPERVISOR, "m1", 8))
    assert evening.happened(ShoeLoaded)[-1].continuous == shoe_of(evening).continuous == ContinuousShuffler(2)
    evening.do(commands.ChangeSettings(*SUPERVISOR, settings(RULES)))
    assert shoe_of(evening).continuous == ContinuousShuffler(2)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 8))
    assert shoe_of(evening).continuous is None


@pytest.mark.parametrize("now", [True, False])
def test_a_machine_that_replaces_another_takes_back_its_own_cards(*, now: bool) -> None:
    evening = dealing(RULES, continuous=ContinuousShuffler())
    evening.do(reports.ReportSimultaneousCards(*SUPERVISOR, (Card("9s"), Card("2d"))))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "m2", 8, now))
    evening.do(commands.DealCard(*DEALER))
    evening.do(commands.DealCard(*DEALER))
    evening.deal("Kh 3c").settle()
    assert (shoe_of(evening).id, shoe_of(evening).rounds) == ("m2", int(now))
    evening.open_betting()
    assert [(event.shoe, event.cards) for event in evening.happened(CardsPutBack)] == ([("m2", 2)] if now else [])
    assert (shoe_of(evening).left, shoe_of(evening).rounds) == (WHOLE, 1 + now)


def test_the_house_exchanges_a_machine_during_a_round() -> None:
    evening = dealing(RULES, continuous=ContinuousShuffler(), face_down=True).deal_unseen(4)
    evening.do(reports.ExchangeShoe(*HOUSE, "m2", 8))
    assert (shoe_of(evening).drawn, shoe_of(evening).rounds, shoe_of(evening).continuous) == (
        4,
        1,
        ContinuousShuffler(),
    )
    evening.turn(NATURAL).settle().open_betting()
    assert shoe_of(evening).left == WHOLE


def test_what_is_burned_after_a_round_that_a_machine_dealt_nothing_to_belongs_to_the_next() -> None:
    """It came when all cards of the round were seen."""
    evening = machine(burn=True)
    evening.do(commands.BurnCards(*DEALER, Card("5s")))
    evening.open_betting().close_betting().deal(NATURAL)
    evening.do(reports.ExchangeShoe(*HOUSE, "m2", 8))
    evening.settle()
    evening.do(commands.BurnCards(*DEALER, Card("3s")))
    evening.open_betting()
    assert (shoe_of(evening).left, shoe_of(evening).order) == (WHOLE - 4, 0)
    evening.play(NATURAL).open_betting()
    assert [event.cards for event in evening.happened(CardsPutBack)] == [8]
    assert (shoe_of(evening).left, shoe_of(evening).order) == (WHOLE, 1)


def test_a_machine_is_taken_off_with_what_it_holds() -> None:
    evening = machine(rounds=2)
    evening.open_betting().play(NATURAL).open_betting().play(OTHER).open_betting().play(NATURAL)
    reconciled = evening.do(commands.EndShoe(*DEALER, WHOLE - 8))[0]
    assert isinstance(reconciled, ShoeReconciled)
    assert (reconciled.dealt, reconciled.left, reconciled.difference) == (12, WHOLE - 8, 0)


def test_a_supervisor_starts_a_new_board_between_rounds() -> None:
    evening = machine().open_betting().play(NATURAL)
    listed = [move.command for move in legal(RULES, evening.table, *MANAGER)]
    assert commands.StartBoard(*MANAGER) in listed
    evening.refuse(commands.StartBoard(*DEALER), TableCode.NOT_AUTHORISED)
    assert evening.do(commands.StartBoard(*SUPERVISOR)) == (BoardStarted(),)
    evening.open_betting().refuse(commands.StartBoard(*SUPERVISOR), TableCode.ROUND_OPEN)


def test_an_empty_board_is_not_started_again() -> None:
    evening = machine()
    evening.refuse(commands.StartBoard(*SUPERVISOR), TableCode.BOARD_IS_EMPTY)
    evening.open_betting().play(NATURAL).do(commands.StartBoard(*SUPERVISOR))
    evening.refuse(commands.StartBoard(*SUPERVISOR), TableCode.BOARD_IS_EMPTY)
    assert commands.StartBoard(*MANAGER) not in [move.command for move in legal(RULES, evening.table, *MANAGER)]
    evening.do(corrections.CorrectCard(*SHIFT, "s1", 1, Face("2h")))
    evening.refuse(commands.StartBoard(*SUPERVISOR), TableCode.BOARD_IS_EMPTY)  # that round is on the board before
    evening.open_betting().do(corrections.CancelRound(*SUPERVISOR))
    evening.refuse(commands.StartBoard(*SUPERVISOR), TableCode.BOARD_IS_EMPTY)
    evening.open_betting().play(OTHER)
    evening.do(corrections.CorrectCard(*SHIFT, "s1", 5, Face("7h")))
    assert evening.do(commands.StartBoard(*SUPERVISOR)) == (BoardStarted(),)


# ---- how long cards stay out


@pytest.mark.parametrize("rules", having("shuffler"))
@pytest.mark.parametrize(("decks", "burn", "most"), [(4, False, 34), (4, True, 32), (8, False, 69), (8, True, 67)])
def test_a_machine_always_holds_the_cards_of_a_round(rules: Rulebook, decks: int, *, burn: bool, most: int) -> None:
    """At the last call before cards go back, 6 cards of each earlier round are out, and up to 11 that were burned."""
    assert 52 * decks - 6 * (most - 1) - 11 * burn >= 6 > 52 * decks - 6 * most - 11 * burn
    assert machine(rules, most, decks, burn=burn).table.at_shuffler
    evening = machine(rules, 1)
    wide = settings(rules, continuous=ContinuousShuffler(most + 1, burn))
    if decks == rules.decks.most:
        evening.refuse(commands.ChangeSettings(*SUPERVISOR, wide), TableCode.BAD_SETTING, *cited(rules, "shuffler"))
        return
    evening.do(commands.ChangeSettings(*SUPERVISOR, wide))
    load = commands.LoadShoe(*SUPERVISOR, "m2", decks)
    refusal = evening.refuse(load, TableCode.BAD_SETTING, *cited(rules, "shuffler"))
    assert (refusal.variant, refusal.values["most"], refusal.values["decks"]) == ("continuous_decks", most, decks)
    listed = [move.command for move in legal(rules, evening.table, *SUPERVISOR)]
    assert [each.decks for each in listed if isinstance(each, commands.LoadShoe)] == [decks + 1]
    evening.do(commands.LoadShoe(*SUPERVISOR, "m2", decks + 1))


def test_the_setting_is_not_raised_beyond_the_machine_on_the_table() -> None:
    evening = machine(rounds=34, decks=4)
    more = commands.ChangeSettings(*SUPERVISOR, settings(RULES, continuous=ContinuousShuffler(35)))
    evening.refuse(more, TableCode.BAD_SETTING, "1.6")


def test_a_replacement_needs_the_decks_too() -> None:
    evening = machine(rounds=35).open_betting().close_betting()
    evening.do(reports.ReportSimultaneousCards(*SUPERVISOR, (Card("9s"), Card("2d"))))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.refuse(reports.ReplaceShoe(*SUPERVISOR, "m2", 4, now=False), TableCode.BAD_SETTING, "1.6")
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "m2", 5, now=False))


def test_a_table_without_a_machine_lists_no_new_board() -> None:
    for evening in (opened(RULES), ready(RULES)):
        listed = [type(move.command) for move in legal(RULES, evening.table, "max", Position.PIT_MANAGER)]
        assert commands.StartBoard not in listed


def test_the_book_without_the_shuffler_has_none() -> None:
    assert [rules for rules in ("commission",) if book(rules).topics[Topic.ELECTRONIC_SHUFFLER]] == []
