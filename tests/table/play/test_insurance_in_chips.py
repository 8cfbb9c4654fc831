"""The largest insurance is what the chips of the table can make of the cap; what lies there is a fact."""

from fractions import Fraction

import pytest

from punto.rules.bets.insurance import Stage
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.play.insurance_stakes import felt_room
from punto.table.records import commands, corrections, reports
from punto.table.records.correction_events import InsuranceCorrected
from punto.table.records.events import (
    Event,
    InsuranceClosed,
    InsuranceFlag,
    InsuranceFlagged,
    InsuranceMissed,
    InsuranceOffered,
    InsuranceTaken,
    RoundSettled,
)
from punto.table.records.findings import InsuranceRejudged
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.table.numbers import cited, having
from tests.table.tables import BANKER_ON_FIVE, DEALER, MANAGER, SUPERVISOR, Evening, dealing

CHIP_MINOR = 2_50
ODD_MINOR = 501_01
"""On Banker: no chips make the cap of it."""


def _offered(rules: Rulebook, stake_minor: int = ODD_MINOR, **changes: object) -> Evening:
    """Ann has an odd bet on Banker, and ben one on Player; the offer on Banker stands."""
    chosen = {"observing": True, "smallest_chip_minor": CHIP_MINOR, **changes}
    evening = dealing(rules, ("ann", "banker", stake_minor), ("ben", "player", 100_00), **chosen)
    evening.deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    return evening


def _cap(evening: Evening, stake_minor: int = ODD_MINOR) -> int:
    """To the cent: by the winnings, or by the Original Bet."""
    if evening.rules.id != "commission-insurance":
        return stake_minor
    return stake_minor // int(Fraction(evening.happened(InsuranceOffered)[-1].odds))


def _in_chips(minor: int) -> int:
    return minor - minor % CHIP_MINOR


def _lies(stake_minor: int) -> commands.TakeInsurance:
    return commands.TakeInsurance(*DEALER, "ann", 1, stake_minor)


def _taken(events: tuple[Event, ...]) -> list[int]:
    return [event.stake_minor for event in events if isinstance(event, InsuranceTaken)]


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_the_largest_stake_is_rounded_down_to_the_smallest_chip(rules: Rulebook) -> None:
    evening = _offered(rules)
    cap = _cap(evening)
    assert cap % CHIP_MINOR
    room = felt_room(rules, evening.table, "ann", 1)
    assert (room.room_minor, room.largest_minor) == (cap, _in_chips(cap))
    most = [
        move.most
        for move in legal(rules, evening.table, *DEALER)
        if isinstance(move.command, commands.TakeInsurance) and move.command.who == "ann"
    ]
    assert most == [_in_chips(cap)]


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_a_call_without_an_amount_is_for_the_largest_stake(rules: Rulebook) -> None:
    evening = _offered(rules)
    events = evening.do(commands.CallInsurance(*DEALER, "ann", 1))
    assert _taken(events) == [_in_chips(_cap(evening))]
    assert len(events) == 1


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_what_lies_there_within_the_cap_plays_as_it_lies(rules: Rulebook) -> None:
    evening = _offered(rules)
    cap = _cap(evening)
    assert _taken(evening.do(_lies(cap))) == [cap]


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_above_the_cap_plays_what_chips_make_of_it_and_the_rest_goes_back(rules: Rulebook) -> None:
    evening = _offered(rules)
    cap = _in_chips(_cap(evening))
    lay = cap + 4 * CHIP_MINOR
    taken, flagged = evening.do(_lies(lay))
    assert _taken((taken,)) == [cap]
    back = 4 * CHIP_MINOR
    assert flagged == InsuranceFlagged(
        "ann", 1, Stage.FOUR, back, InsuranceFlag.ABOVE_CAP, cited(rules, "insurance_cap")
    )
    assert evening.do(_lies(CHIP_MINOR)) == (
        InsuranceFlagged("ann", 1, Stage.FOUR, CHIP_MINOR, InsuranceFlag.ABOVE_CAP, cited(rules, "insurance_cap")),
    )


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_tray_and_record_agree_to_the_cent(rules: Rulebook) -> None:
    """All that moves in chips for the insurance is a multiple of the smallest one."""
    evening = _offered(rules)
    evening.do(_lies(_in_chips(_cap(evening)) + CHIP_MINOR))
    evening.deal("6c 2d").settle()
    insured = [each for each in evening.happened(RoundSettled)[-1].results if each.stage is not None]
    assert insured
    for each in insured:
        assert each.stake_minor % CHIP_MINOR == each.returned_minor % CHIP_MINOR == 0


@pytest.mark.parametrize("rules", having("insurance_cap"))
@pytest.mark.parametrize("stake_minor", [1, 2_49])
def test_nobody_passes_on_or_misses_what_no_chip_could_take(rules: Rulebook, stake_minor: int) -> None:
    """The bet is below the smallest chip, so no insurance on it is due."""
    chosen = {"observing": True, "smallest_chip_minor": CHIP_MINOR}
    evening = dealing(rules, ("ann", "banker", stake_minor), **chosen)
    evening.deal(BANKER_ON_FIVE)
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    evening.deal("6c")
    assert not evening.happened(InsuranceMissed) + evening.happened(InsuranceClosed)


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_a_correction_judges_the_stake_in_the_same_way(rules: Rulebook) -> None:
    evening = _offered(rules)
    cap = _cap(evening)
    evening.do(_lies(CHIP_MINOR))
    lay = _in_chips(cap) + CHIP_MINOR
    events = evening.do(corrections.CorrectInsurance(*SUPERVISOR, Stage.FOUR, "ann", 1, lay))
    assert [event.stake_minor for event in events if isinstance(event, InsuranceCorrected)] == [_in_chips(cap)]
    assert [event.amount_minor for event in events if isinstance(event, InsuranceFlagged)] == [CHIP_MINOR]


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_what_the_right_bet_leaves_under_the_cap_stays_in_chips(rules: Rulebook) -> None:
    """The bet was lower than typed: the insurance above its cap goes back, and what stays is chips."""
    evening = _offered(rules)
    evening.do(commands.CallInsurance(*DEALER, "ann", 1))
    right_minor = 333_33
    events = evening.do(corrections.CorrectBet(*SUPERVISOR, "ann", 1, "banker", right_minor))
    (rejudged,) = (event for event in events if isinstance(event, InsuranceRejudged))
    assert [each.stake_minor for each in rejudged.cover] == [_in_chips(_cap(evening, right_minor))]


@pytest.mark.parametrize("rules", having("late_insurance"))
def test_so_does_what_a_late_offer_leaves(rules: Rulebook) -> None:
    chosen = {"observing": True, "smallest_chip_minor": CHIP_MINOR, "face_down": True}
    evening = dealing(rules, ("ann", "banker", ODD_MINOR), **chosen)
    evening.deal(BANKER_ON_FIVE)
    evening.do(commands.DealCard(*DEALER))
    evening.do(reports.OfferLateInsurance(*MANAGER))
    offer = evening.happened(InsuranceOffered)[-1]
    to_win = int(ODD_MINOR / Fraction(offer.odds))
    assert _taken(evening.do(commands.CallInsurance(*DEALER, "ann", 1))) == [_in_chips(to_win)]


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_a_screen_table_without_chips_of_its_own_keeps_the_cap_to_the_cent(rules: Rulebook) -> None:
    evening = _offered(rules, observing=False, smallest_chip_minor=1)
    cap = _cap(evening)
    assert _taken(evening.do(commands.TakeInsurance("ann", Position.PLAYER, "ann", 1, cap))) == [cap]
