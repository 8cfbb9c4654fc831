"""Insurance that lay there and was typed wrongly, and offers that were made or not made other than on record."""

import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Code
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, corrections, reports
from punto.table.records.correction_events import InsuranceCorrected
from punto.table.records.events import InsuranceFlag, InsuranceFlagged, InsuranceMissed, InsuranceOffered
from punto.table.records.findings import UninsuredBetPutBack
from punto.table.records.kinds import Choice
from punto.table.records.ledger import Posting
from punto.table.records.state import MissedOffer
from punto.table.refusals import TableCode
from tests.table.corrections.slips import (
    SETTLED,
    Entries,
    correct_bet,
    correct_offer,
    correct_stake,
    differences,
    end_of,
    felt,
    give,
    played,
)
from tests.table.numbers import having
from tests.table.tables import BANKER_ON_FIVE, DEALER, MANAGER, NATURAL, SUPERVISOR, Evening

FOUR, THIRD = Stage
TWO_OFFERS = "2s 2h 3d 4d 6c"
"""Player 1, Banker 6 to draw: insurance on Banker was offered on four cards, and is again."""
BETS = {("ann", "banker"): 100_00, ("ben", "banker"): 200_00, ("cat", "banker"): 50_00, ("dan", "player"): 10_00}
TAKEN = {(FOUR, "ann"): 10_00, (FOUR, "ben"): 20_00, (THIRD, "ben"): 3_00}
SLIPS = {
    "too much": ({(FOUR, "ann"): 30_00}, [correct_stake(FOUR, "ann", 10_00)]),
    "too little": ({(FOUR, "ann"): 1_00}, [correct_stake(FOUR, "ann", 10_00)]),
    "not typed": ({(FOUR, "ann"): 0}, [correct_stake(FOUR, "ann", 10_00)]),
    "none lay there": ({(FOUR, "cat"): 5_00}, [correct_stake(FOUR, "cat", 0)]),
    "another player": (
        {(FOUR, "ann"): 0, (FOUR, "cat"): 10_00},
        [correct_stake(FOUR, "cat", 0), correct_stake(FOUR, "ann", 10_00)],
    ),
}


def _entries(taken: dict[tuple[Stage, str], int], last: str, offers: tuple[Stage, ...] = (FOUR, THIRD)) -> Entries:
    stakes = {key: stake for key, stake in taken.items() if stake}
    return Entries(BETS, f"{TWO_OFFERS} {last}", offers, stakes)


@pytest.mark.parametrize("rules", having("insurance", "chips_position"))
@pytest.mark.parametrize("moment", [4, 5, 6, SETTLED])
@pytest.mark.parametrize("slip", SLIPS)
def test_after_the_correction_everything_is_as_without_the_slip(rules: Rulebook, moment: int, slip: str) -> None:
    """Only an offer that went by while the record had ann as having forgone it does not come back: she missed it."""
    wrong, fixes = SLIPS[slip]
    for last in ("Kc", "4c", "5c"):  # Banker wins, Player wins, a tie
        right = end_of(played(rules, _entries(TAKEN, last)))
        if (FOUR, "ann") in wrong and not wrong[FOUR, "ann"] and moment > THIRD.cards:
            right["forgone"] = (frozenset({"cat"}), frozenset())
            right["offers"] = ((FOUR, THIRD), (_missed_third({"cat"}, {"ann"}),))
        assert end_of(played(rules, _entries(TAKEN | wrong, last), fixes, moment)) == right, last


def _missed_third(forgone: set[str], players: set[str]) -> MissedOffer:
    return MissedOffer(THIRD, Side.BANKER, 1, 6, frozenset(forgone), frozenset(players))


@pytest.mark.parametrize("rules", having("insurance", "chips_position"))
@pytest.mark.parametrize("moment", [5, 6, SETTLED])
def test_a_stake_at_the_second_offer_is_corrected_too(rules: Rulebook, moment: int) -> None:
    for last in ("Kc", "4c"):
        right = played(rules, _entries(TAKEN | {(THIRD, "ann"): 2_00}, last))
        slip = _entries(TAKEN | {(THIRD, "ben"): 1_00}, last)
        fixes = [correct_stake(THIRD, "ben", 3_00), correct_stake(THIRD, "ann", 2_00)]
        assert end_of(played(rules, slip, fixes, moment)) == end_of(right)


@pytest.mark.parametrize("rules", having("insurance", "not_offered"))
@pytest.mark.parametrize("moment", [4, 5, 6, SETTLED])
def test_an_offer_that_was_made_and_not_typed(rules: Rulebook, moment: int) -> None:
    """With offers at both stages, the second is typed."""
    stakes = [correct_stake(FOUR, "ann", 10_00), correct_stake(FOUR, "ben", 20_00)]
    for last in ("Kc", "4c"):
        right = played(rules, _entries(TAKEN, last))
        slip = _entries(TAKEN, last, (THIRD,))
        for fixes in ([correct_offer(FOUR, offered=True), *stakes], stakes):  # chips at an offer show that it was made
            assert end_of(played(rules, slip, fixes, moment)) == end_of(right)


@pytest.mark.parametrize("rules", having("insurance", "not_offered"))
@pytest.mark.parametrize("moment", [4, 5, 6, SETTLED])
def test_an_offer_that_was_typed_and_not_made(rules: Rulebook, moment: int) -> None:
    """The players who passed on it have forgone nothing by that, and stakes typed there go back."""
    for last in ("Kc", "4c"):
        right = end_of(played(rules, _entries({(THIRD, "ben"): 3_00}, last, (THIRD,))))
        if moment > THIRD.cards:  # it went by while the record had them as having forgone it
            right["forgone"] = (frozenset(), frozenset())
            offered, missed = right["offers"]
            right["offers"] = (offered, (_missed_third(set(), {"ann", "cat"}), *missed))
        slip = _entries({(FOUR, "ben"): 5_00, (THIRD, "ben"): 3_00}, last)
        corrected = played(rules, slip, [correct_offer(FOUR, offered=False)], moment)
        end = end_of(corrected)
        end["offers"] = (end["offers"][0], tuple(sorted(end["offers"][1], key=lambda each: each.stage, reverse=True)))
        assert end == right
        assert corrected.happened(InsuranceMissed)


def test_an_offer_opened_by_a_slip_is_due_again_until_the_next_card() -> None:
    evening = _offered()
    evening.do(evening.insuring("ann", 10_00))
    evening.do(correct_offer(FOUR, offered=False, by=DEALER))
    assert evening.table.round is not None
    assert not evening.table.round.insurance.offer_stands
    assert not evening.table.round.insurance.cover
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, "3.12", "3.12.1")
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))


def test_a_stake_typed_late_keeps_the_right_to_the_next_offer() -> None:
    evening = _offered(TWO_OFFERS)
    assert evening.table.round is not None
    assert evening.table.round.insurance.forgone == {"ann"}
    evening.do(correct_stake(FOUR, "ann", 10_00))
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1_00))


# ---- what may not play


def _offered(cards: str = BANKER_ON_FIVE) -> Evening:
    """Ann has 100.00 on Banker, ben 50.00 on Player; an offer on four cards stands, or has been passed on."""
    evening = felt(book("commission-insurance"))
    evening.bet("ann", "banker", 100_00)
    evening.bet("ben", "player", 50_00)
    words = cards.split()
    evening.close_betting().deal(" ".join(words[:4]))
    evening.do(commands.OpenInsurance(*DEALER))
    for word in words[4:]:
        evening.deal(word)
    return evening


@pytest.mark.parametrize("settled", [False, True])
def test_what_lay_there_above_the_cap_is_flagged_and_goes_back(settled: bool) -> None:  # noqa: FBT001 - a parameter
    evening = _offered()
    if settled:
        evening.deal("Kc").settle()
    before = evening.table.chips_minor("ann")
    evening.do(correct_stake(FOUR, "ann", 80_00))  # 2 to 1: at most 50.00
    (flag,) = evening.happened(InsuranceFlagged)
    assert flag == InsuranceFlagged("ann", 1, FOUR, 30_00, InsuranceFlag.ABOVE_CAP, (Clause("3.12.2"),))
    assert evening.happened(InsuranceCorrected)[-1].stake_minor == 50_00
    assert evening.table.chips_minor("ann") == before - 50_00


def test_chips_that_only_go_back_change_no_settlement() -> None:
    evening = _offered().deal("Kc").settle()
    before = evening.table
    (flag,) = evening.do(correct_stake(FOUR, "ben", 5_00))
    assert isinstance(flag, InsuranceFlagged)
    assert evening.table == before


def test_what_somebody_without_the_right_laid_there_is_flagged_and_goes_back() -> None:
    evening = _offered()
    evening.do(correct_stake(FOUR, "ben", 5_00))
    flag = InsuranceFlagged("ben", 2, FOUR, 5_00, InsuranceFlag.NO_ORIGINAL_BET, (Clause("3.11"),))
    assert evening.happened(InsuranceFlagged) == [flag]
    evening = _offered(TWO_OFFERS)
    evening.do(correct_bet("cat", "banker", 100_00))
    assert evening.table.round is not None
    assert evening.table.round.insurance.forgone == {"ann", "cat"}
    evening.do(correct_stake(THIRD, "ann", 1_00))
    assert evening.happened(InsuranceFlagged)[-1].why is InsuranceFlag.FORGONE
    assert not evening.happened(InsuranceCorrected)


def test_later_insurance_above_the_cap_goes_back_first() -> None:
    """All insurance of the round wins at most the Original Bet."""
    evening = _offered(TWO_OFFERS)
    evening.do(correct_stake(FOUR, "ann", 10_00))  # wins 30.00
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))  # wins 70.00
    evening.do(correct_stake(FOUR, "ann", 24_00))  # wins 72.00, so 28.00 are left: 4.00 at 7 to 1
    assert evening.table.round is not None
    cover = {taken.stage: taken.stake_minor for taken in evening.table.round.insurance.cover}
    assert cover == {FOUR: 24_00, THIRD: 4_00}


# ---- bets returned for want of insurance


def test_a_bet_returned_for_an_offer_that_was_made_is_put_back() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(f"{TWO_OFFERS} 4c").settle()
    before = evening.table.chips_minor("ann")
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "had asked"))
    assert evening.table.chips_minor("ann") == before + 100_00
    give(evening, [correct_offer(FOUR, offered=True)])
    assert evening.table.chips_minor("ann") == before
    assert differences(evening) == {("ann", "banker"): -100_00}
    assert not evening.happened(UninsuredBetPutBack)  # it was on the felt again by the reversal


# ---- what a dealer pays and collects


def test_the_differences_are_what_the_dealer_pays_and_collects() -> None:
    for last, taken, fix, expected in (
        # Player wins, insurance at 3 to 1: 30.00 were paid on 10.00; 20.00 lay there
        ("4c", 10_00, correct_stake(FOUR, "ann", 20_00), 30_00),
        ("4c", 10_00, correct_stake(FOUR, "ann", 0), -30_00),
        ("4c", 0, correct_stake(FOUR, "ann", 10_00), 30_00),
        # Banker wins: the chips that were known were taken; those that were not were left lying
        ("Kc", 10_00, correct_stake(FOUR, "ann", 20_00), 0),
        ("Kc", 0, correct_stake(FOUR, "ann", 10_00), -10_00),
        # the offer was not made, so chips taken by mistake go back
        ("Kc", 10_00, correct_offer(FOUR, offered=False), 10_00),
        ("4c", 10_00, correct_offer(FOUR, offered=False), -30_00),
    ):
        evening = felt(book("commission-insurance"))
        evening.bet("ann", "banker", 100_00)
        evening.close_betting().deal("2s 2h 3d 4d")
        evening.do(commands.OpenInsurance(*DEALER))
        if taken:
            evening.do(evening.insuring("ann", taken))
        evening.deal(f"6c {last}").settle()
        evening.do(fix)
        assert differences(evening) == ({("ann", "banker_insurance"): expected} if expected else {}), (last, fix)


# ---- who may, until when, and what is refused


def test_the_dealer_corrects_until_the_next_card() -> None:
    evening = _offered()
    evening.do(correct_stake(FOUR, "ann", 10_00, DEALER))
    evening.deal("4c")
    refusal = evening.refuse(correct_stake(FOUR, "ann", 5_00, DEALER), TableCode.NOT_AUTHORISED, "3.12", "3.12.1")
    assert "The next card is out." in refusal.message
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(correct_stake(THIRD, "ben", 5_00, DEALER))
    evening.do(correct_stake(FOUR, "ann", 5_00))
    evening.deal("Kc").settle()
    evening.refuse(correct_offer(THIRD, offered=False, by=DEALER), TableCode.NOT_AUTHORISED, "3.12", "3.12.1")
    evening.do(correct_offer(THIRD, offered=False))
    evening.open_betting()
    evening.refuse(correct_stake(FOUR, "ann", 10_00), TableCode.TOO_LATE, "5.11")


def test_what_states_nothing_is_refused() -> None:
    evening = _offered()
    insurance = ("3.12", "3.12.1")
    for by_nothing in (
        corrections.CorrectInsurance(*DEALER, FOUR),
        corrections.CorrectInsurance(*DEALER, FOUR, "ann", 1),
        corrections.CorrectInsurance(*DEALER, FOUR, "ann", 1, offered=True),
        corrections.CorrectInsurance(*DEALER, FOUR, "ann", 1, 5_00, offered=False),
        correct_offer(FOUR, offered=True, by=DEALER),
    ):
        evening.refuse(by_nothing, TableCode.NOTHING_TO_CORRECT, *insurance)
    evening.refuse(correct_stake(FOUR, "ann", 0), TableCode.NOTHING_TO_CORRECT, "5.14")
    evening.refuse(correct_stake(FOUR, "ann", -1), TableCode.AMOUNT_NOT_POSITIVE)
    evening.refuse(corrections.CorrectInsurance(*DEALER, FOUR, "ann", 99, 5), Code.UNKNOWN_BOX, "2.1.1(a)")
    evening.refuse(corrections.CorrectInsurance(*DEALER, FOUR, "zoe", 1, 5), TableCode.UNKNOWN_PERSON)
    evening.refuse(correct_stake(THIRD, "ann", 5), TableCode.NO_INSURANCE_DUE, *insurance)
    evening.do(correct_offer(FOUR, offered=False))
    evening.refuse(correct_offer(FOUR, offered=False), TableCode.NOTHING_TO_CORRECT, *insurance)
    evening = felt(evening.rules).close_betting().deal(NATURAL)
    evening.refuse(correct_offer(FOUR, offered=True), TableCode.NO_INSURANCE_DUE, *insurance)
    evening = felt(evening.rules).close_betting().deal(BANKER_ON_FIVE)
    evening.refuse(correct_offer(FOUR, offered=True), TableCode.NO_INSURANCE_DUE, *insurance)


def test_insurance_of_somebody_who_took_their_bets_back_is_not_corrected() -> None:
    evening = _offered()
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", Choice.RETURN))
    evening.refuse(correct_stake(FOUR, "ann", 5_00), TableCode.NO_SUCH_BET, "5.12.3")


def test_the_event_says_what_was_on_record() -> None:
    evening = _offered()
    evening.do(evening.insuring("ann", 10_00))
    evening.do(corrections.CorrectInsurance(*DEALER, FOUR, "ann", 1, 15_00, reason="counted again"))
    (event,) = evening.happened(InsuranceCorrected)
    assert (event.was_minor, event.stake_minor, event.odds, event.reason) == (10_00, 15_00, "2", "counted again")
    assert event.postings == (Posting("chips:ann", -5_00), Posting("felt", 5_00))
    assert len(evening.happened(InsuranceOffered)) == 1
