"""The automatic dealer closes an offer of insurance a moment after the last person present has answered it."""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

from punto.floor.running.auto_dealer import ANSWERED_S, Dealer
from punto.floor.running.players_here import AWAY_S, FORGET_S, PlayersHere
from punto.floor.running.table_setup import Pace, TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.settings import Automation
from tests.floor.clocks import ManualClock
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, player, running
from tests.waiting import run

PACE = Pace(close_insurance_s=30.0)
CARDS = "4s 6d Kh Kc"
"""Player 4, Banker 6: insurance on Banker."""


class Offer:
    """An offer to Ann and Ben, and the dealer that closes it."""

    def __init__(self, at: At, clock: ManualClock) -> None:
        self.at, self.clock = at, clock
        self.live = at.floor.table("t1")
        self.dealer = Dealer(at.floor, self.live)

    def closes_in_s(self) -> float:
        """Or in how long the dealer looks again."""
        wait_s = self.dealer._wait_s()
        assert wait_s is not None
        return round(wait_s, 3)

    def line(self, who: str) -> AbstractContextManager[None]:
        return self.at.floor.watched_by(self.live, player(who))

    async def passes(self, who: str, box: int) -> None:
        await self.at.do(player(who), "pass_insurance", who=who, box=box)


@asynccontextmanager
async def offered(path: Path) -> AsyncIterator[Offer]:
    clock = ManualClock()
    async with running(f"sqlite:///{path / 'floor.db'}", clock) as floor:
        await floor.create_table(MANAGER, TableSetup("t1", "commission-insurance", ShoeKind.MANUAL, pace=PACE))
        at = At(floor, "t1")
        await at.open("commission-insurance", automations=(Automation.CLOSE_INSURANCE,))
        await at.do(SUPERVISOR, "load_shoe", shoe="one", decks=8)
        await at.seat("ann", "ben")
        await at.do(DEALER, "open_betting")
        await at.bet("ann", 100_00, bet="banker")
        await at.bet("ben", 100_00, box=2, bet="banker")
        await at.do(DEALER, "close_betting")
        for card in CARDS.split():
            await at.do(DEALER, "deal_card", card=card)
        await at.do(DEALER, "open_insurance")
        yield Offer(at, clock)


def test_it_closes_a_moment_after_the_last_answer(tmp_path: Path) -> None:
    async def evening() -> None:
        async with offered(tmp_path) as offer:
            assert offer.closes_in_s() == PACE.close_insurance_s
            offer.clock.passes(5)
            await offer.passes("ann", 1)
            assert offer.closes_in_s() == PACE.close_insurance_s - 5
            await offer.at.do(player("ben"), "take_insurance", who="ben", box=2, stake_minor=5_00)
            assert offer.closes_in_s() == ANSWERED_S
            offer.clock.passes(1)
            assert offer.closes_in_s() == ANSWERED_S - 1
            offer.clock.passes(ANSWERED_S - 1)
            assert await offer.dealer.step()
            now = offer.live.state.round
            assert now is not None
            assert not now.insurance.offer_open

    run(evening())


def test_it_never_stays_open_longer_than_its_time(tmp_path: Path) -> None:
    async def evening() -> None:
        async with offered(tmp_path) as offer:
            assert offer.closes_in_s() == PACE.close_insurance_s
            offer.clock.passes(PACE.close_insurance_s - 1)
            for who, box in (("ann", 1), ("ben", 2)):
                await offer.passes(who, box)
            assert offer.closes_in_s() == 1

    run(evening())


def test_nobody_waits_for_who_has_gone_and_everybody_for_who_comes_back(tmp_path: Path) -> None:
    async def evening() -> None:
        async with offered(tmp_path) as offer:
            assert offer.closes_in_s() == PACE.close_insurance_s
            await offer.passes("ann", 1)
            with offer.line("ben"), offer.line("ben"):
                assert offer.closes_in_s() == PACE.close_insurance_s
            assert offer.closes_in_s() == AWAY_S  # the line may come back
            with offer.line("ben"):
                assert offer.closes_in_s() == PACE.close_insurance_s
            offer.clock.passes(AWAY_S)
            assert offer.closes_in_s() == ANSWERED_S
            with offer.line("ben"):
                assert offer.closes_in_s() == PACE.close_insurance_s - AWAY_S

    run(evening())


def test_a_player_who_was_never_seen_here_counts_as_present() -> None:
    here = PlayersHere()
    assert here.away_at_s("ann") is None
    here.arrived("ann")
    assert here.away_at_s("ann") is None
    here.left("ann", 5.0)
    assert here.away_at_s("ann") == 5.0 + AWAY_S
    here.arrived("ben")
    here.left("ben", 5.0 + FORGET_S)
    assert here.away_at_s("ann") is None
