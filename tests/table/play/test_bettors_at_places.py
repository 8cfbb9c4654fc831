"""A book without seated and standing players: somebody bets at a place without sitting down.

Their place stays theirs until the next call for bets, because the round can still be corrected.
"""

import pytest

from punto import book
from punto.table import legal
from punto.table.records import reports
from punto.table.records.commands import BuyIn, CashOut, IdentifyPlayer, Leave, LoadShoe, PlaceBet, Sit
from punto.table.records.kinds import Effect
from punto.table.refusals import TableCode
from tests.table.tables import CHIPS_MINOR, DEALER, NATURAL, SHIFT, SUPERVISOR, Evening, opened

HERE, FIRST, SECOND = "box 4", "P000001", "P000002"
STAKE_MINOR = 100_00
COMMISSION = book("commission")


def _arrives(evening: Evening) -> None:
    evening.do(BuyIn(*DEALER, HERE, CHIPS_MINOR))
    evening.do(Sit(*DEALER, HERE, 4))


def _cash_out(evening: Evening) -> None:
    evening.do(CashOut(*DEALER, HERE, evening.table.chips_minor(HERE)))


def _round_of_first(bet: str) -> Evening:
    """The first one buys 100 at the place, bets all of it, and the round is settled."""
    evening = opened(COMMISSION)
    evening.do(LoadShoe(*SUPERVISOR, "s1", 8))
    evening.do(BuyIn(*DEALER, HERE, STAKE_MINOR))
    evening.open_betting()
    evening.do(PlaceBet(*DEALER, HERE, 4, bet, STAKE_MINOR))
    evening.play(NATURAL)
    return evening


@pytest.mark.parametrize(("bet", "owes_minor"), [("banker", 0), ("player", STAKE_MINOR)])
def test_a_bettor_who_never_sat_keeps_the_place_until_the_next_call(bet: str, owes_minor: int) -> None:
    """Without chips, lost or cashed out: the round is voided, and nothing of it is the next person's."""
    evening = _round_of_first(bet)
    if evening.table.chips_minor(HERE):
        _cash_out(evening)
    assert evening.table.people == frozenset()
    assert evening.refuse(BuyIn(*DEALER, HERE, 1), TableCode.CHIPS_LEFT_HERE).variant == "last_round"
    evening.refuse(IdentifyPlayer(*DEALER, HERE, "box 6"), TableCode.UNKNOWN_PERSON)
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    assert evening.chips[HERE] == (-owes_minor if owes_minor else STAKE_MINOR)
    assert evening.refuse(BuyIn(*DEALER, HERE, 1), TableCode.CHIPS_LEFT_HERE).variant == (
        "owed" if owes_minor else "chips"
    )


def test_a_bettor_who_never_sat_frees_the_place_with_the_next_call() -> None:
    evening = _round_of_first("banker")
    evening.open_betting()
    _arrives(evening)
    evening.do(IdentifyPlayer(*DEALER, HERE, SECOND))
    assert evening.table.chips_minor(SECOND) == CHIPS_MINOR


def test_a_bettor_without_chips_is_identified_for_the_correction() -> None:
    evening = _round_of_first("banker")
    identify = IdentifyPlayer(*DEALER, HERE, FIRST)
    listed = [move.command for move in legal(COMMISSION, evening.table, *DEALER)]
    assert [command.who for command in listed if isinstance(command, IdentifyPlayer)] == [HERE]
    evening.do(identify)
    _arrives(evening)
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    assert (evening.table.chips_minor(FIRST), evening.table.chips_minor(HERE)) == (STAKE_MINOR, CHIPS_MINOR)
    evening.do(IdentifyPlayer(*DEALER, HERE, SECOND))
    assert (evening.table.chips_minor(FIRST), evening.table.chips_minor(SECOND)) == (STAKE_MINOR, CHIPS_MINOR)


def test_the_next_person_after_a_void_round_is_not_its_bettor() -> None:
    """The first one has taken the returned stake and gone; the round still has the place's name."""
    evening = _round_of_first("banker")
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    _cash_out(evening)
    _arrives(evening)
    evening.do(Leave(*DEALER, HERE))
    assert evening.refuse(IdentifyPlayer(*DEALER, HERE, SECOND), TableCode.BOTH_IN_ROUND).variant == "gone"
