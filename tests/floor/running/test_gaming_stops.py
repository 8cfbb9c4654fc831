"""What a stop does at the tables: the round in play ends, and no other starts; on a felt it is recorded and rings."""

import asyncio
from typing import Any

import pytest

from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.demo.house_players import HousePlayers
from punto.floor.errors import FloorCode
from punto.floor.house.alarm import AlarmKind
from punto.floor.house.projections.stops import StopScope
from punto.floor.journal import streams
from punto.floor.journal.audit_events import PlayedWhileStopped
from punto.floor.journal.entry import EntryContext, text_start
from punto.floor.journal.house_events import HOUSE, HouseEvent, read_house_event
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.players import Players
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.people.stops import Stops
from punto.floor.running.auto_dealer import Dealer
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import CLAIM_TABLES_S, Keeper
from punto.floor.running.table_setup import Pace
from punto.table.records.state import Phase
from tests.floor.alarms.watched import Watched, watched
from tests.floor.clocks import ManualClock
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, automatic_table, betting_table, manual_table, running
from tests.floor.staff_floor import refused
from tests.waiting import run, turns, until

HOUR_S = 3_600.0


def test_the_round_in_play_ends_and_no_other_starts(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at, other = await betting_table(floor), await betting_table(floor, "t2", "super-six-plus")
            await at.bet("ann", 100_00)
            stops, live = Stops(floor), floor.table("t1")
            await stops.stop(MANAGER, StopScope.GAME, "commission", "misprinted cards")
            told = await refused(at.bet("ann", 50_00), FloorCode.GAMING_STOPPED)
            assert told.refusal.key == "gaming_stopped.game"
            assert "misprinted cards" in told.message
            assert "misprinted cards" not in told.refusal.message_in("zh", to_player=True)
            await at.do(DEALER, "close_betting")
            for card in ("9s", "2d", "Kh", "3c"):
                await at.do(DEALER, "deal_card", card=card)
            await at.do(DEALER, "settle")
            assert live.state.chips_minor("ann") == 10_100_00
            await refused(at.ask(DEALER, "open_betting"), FloorCode.GAMING_STOPPED)
            assert (await other.bet("ann", 100_00)).refusal is None  # another game goes on
            await stops.stop(MANAGER, StopScope.ALL, "", "smoke in the hall")
            await refused(other.bet("ann", 100_00), FloorCode.GAMING_STOPPED)
            await stops.release(MANAGER, 1, "new cards")
            await refused(at.ask(DEALER, "open_betting"), FloorCode.GAMING_STOPPED)
            await stops.release(MANAGER, 2, "no fire")
            await at.do(DEALER, "open_betting", "the call")
            await stops.stop(MANAGER, StopScope.ALL, "", "smoke again")
            again = await at.ask(DEALER, "open_betting", "the call")  # what was accepted before is answered the same
            assert len(again.entries) == 1
            assert verify(floor.database).faults == []

    run(evening())


def test_the_automatic_dealer_and_house_players_hold_until_it_is_released(database_url: str) -> None:
    async def evening() -> None:
        clock, pace = ManualClock(), Pace()
        async with running(database_url, clock) as floor:
            at = await automatic_table(floor, pace=pace)
            await set_rules(Visitors(floor), FloorRules(visitors=True, buy_in_minor=1_000_00, tables=("t1",)))
            live, stops, keeper = floor.table("t1"), Stops(floor), Keeper(floor)
            company = HousePlayers(floor, Visitors(floor), 3)
            await keeper.run_once()

            async def passes(until_phase: Phase) -> None:
                while live.state.phase is not until_phase:
                    await until(lambda: clock.asleep() > 0 or live.state.phase is until_phase)
                    clock.passes(1.0)
                    await turns()

            await passes(Phase.BETTING)
            await at.bet("ann", 100_00)
            await stops.stop(MANAGER, StopScope.ALL, "", "smoke in the hall")
            await passes(Phase.READY)
            now = live.state.round
            assert now is not None
            assert now.settled
            await turns()
            head = live.head
            for _ in range(3):
                clock.passes(HOUR_S)
                await company.run_once()
                await turns()
            assert live.head == head
            await stops.release(MANAGER, 1, "no fire")
            await passes(Phase.BETTING)
            await keeper.stop()
            assert verify(floor.database).faults == []

    run(evening())


async def _played(floor: Floor) -> list[HouseEvent]:
    heads = await floor.database.read(streams.heads)
    entries = await floor.database.read(lambda transaction: streams.read(transaction, heads[HOUSE], 0))
    start = text_start(PlayedWhileStopped)
    return [read_house_event(entry.event) for entry in entries if entry.event.startswith(start)]


def test_at_a_felt_table_it_is_recorded_and_rings_once_a_round(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        floor, stops = pit.floor, Stops(pit.floor)
        at = await betting_table(floor, observing=True)
        await stops.stop(MANAGER, StopScope.ALL, "", "smoke in the hall")
        fields: dict[str, Any] = {"who": "box 3", "box": 3, "bet": "player", "stake_minor": 100_00}
        await at.do(DEALER, "place_bet", **fields)  # it lay there before
        assert await _played(floor) == []
        await at.do(DEALER, "close_betting")
        for card in ("9s", "2d", "Kh", "3c"):
            await at.do(DEALER, "deal_card", card=card)
        await at.do(DEALER, "settle")
        await at.do(DEALER, "open_betting")
        assert await _played(floor) == [PlayedWhileStopped(1, "t1", "t1/1", 2, "open_betting.1")]
        rung = [alarm for alarm in await pit.tick() if alarm.kind == AlarmKind.PLAYED_WHILE_STOPPED]
        assert [(each.severity, each.table, each.opening, each.round, each.values) for each in rung] == [
            (3, "t1", 1, 2, {"stop": 1})
        ]
        await stops.release(MANAGER, 1, "no fire")
        assert [alarm.kind for alarm in await pit.tick()].count("played_while_stopped") == 1

    watched(database_url, test)


def test_a_player_who_is_stopped_is_noticed_on_a_felt_also_when_their_place_is_identified(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        floor = pit.floor
        at = await betting_table(floor, observing=True)
        await Players(floor.house_log).register(SUPERVISOR, "Ann")
        await Stops(floor).stop(MANAGER, StopScope.PLAYER, "P000001", "asked to be kept out")
        for who in ("box 3", "P000001"):
            fields: dict[str, Any] = {"who": who, "box": 3, "bet": "player", "stake_minor": 100_00}
            await at.do(DEALER, "place_bet", **fields)
        await at.do(DEALER, "place_bet", who="P000001", box=3, bet="tie", stake_minor=100_00)
        await at.do(DEALER, "buy_in", who="box 4", amount_minor=100_00)
        await at.do(DEALER, "identify_player", who="box 4", player_id="P000001")
        at_table = ("t1", "t1/1", 1)
        assert await _played(floor) == [
            PlayedWhileStopped(1, *at_table, command, "P000001")
            for command in ("place_bet.1", "place_bet.1", "identify_player.1")
        ]
        rung = [alarm for alarm in await pit.tick() if alarm.kind == AlarmKind.PLAYED_WHILE_STOPPED]
        assert [(each.subject, each.round) for each in rung] == [("P000001", 1)]

    watched(database_url, test)


@pytest.mark.slow
def test_another_process_calls_for_no_bets_at_once_and_knows_it_within_a_second(postgres_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(postgres_url, clock) as floor:
            at = await manual_table(floor)
            other = open_database(postgres_url)
            try:
                there = await Floor.start(other, clock)
                await Stops(there).stop(MANAGER, StopScope.ALL, "", "smoke in the hall")
                assert floor.table("t1").stop is None
                await refused(at.ask(SUPERVISOR, "open_betting"), FloorCode.GAMING_STOPPED)
                keeper = Keeper(floor)
                running_keeper = asyncio.create_task(keeper.run())
                await until(lambda: clock.asleep() > 0)
                stop = floor.table("t1").stop
                assert stop is not None
                await Stops(there).release(MANAGER, 1, "no fire")
                clock.passes(CLAIM_TABLES_S)
                await until(lambda: floor.table("t1").stop is None)
                assert CLAIM_TABLES_S <= 1.0
                running_keeper.cancel()
                await asyncio.gather(running_keeper, return_exceptions=True)
                await keeper.stop()
                await at.do(SUPERVISOR, "open_betting")
            finally:
                other.close()

    run(evening())


def test_what_is_entered_on_a_felt_later_counts_as_of_when_it_happened(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        floor, stops = pit.floor, Stops(pit.floor)
        at = await betting_table(floor, observing=True)
        await at.do(DEALER, "close_betting")
        for card in ("9s", "2d", "Kh", "3c"):
            await at.do(DEALER, "deal_card", card=card)
        await at.do(DEALER, "settle")
        pit.clock.go_on(1)
        before_us = pit.clock.us
        pit.clock.go_on(1)
        await stops.stop(MANAGER, StopScope.ALL, "", "the server was away")

        async def call(command_id: str, happened_at_us: int) -> None:
            body = {"command": "open_betting.1"}
            context = EntryContext(happened_at_us=happened_at_us)
            answer = await floor.submit(DEALER, "t1", command_id, body, context=context)
            assert answer.refusal is None
            await at.do(DEALER, "cancel_round")

        await call("before it", before_us)
        assert await _played(floor) == []
        pit.clock.go_on(1)
        during_us = pit.clock.us
        pit.clock.go_on(1)
        await stops.release(MANAGER, 1, "it is back")
        await call("during it", during_us)
        (played,) = await _played(floor)
        assert isinstance(played, PlayedWhileStopped)
        assert (played.number, played.command) == (1, "open_betting.1")

    watched(database_url, test)


def test_the_automatic_dealer_does_not_call_for_bets_on_a_felt_either(database_url: str) -> None:
    """Nor where it does not know of the stop yet."""

    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await manual_table(floor, observing=True, automations=("open_betting",))
            live, stops, keeper = floor.table("t1"), Stops(floor), Keeper(floor)
            await stops.stop(MANAGER, StopScope.ALL, "", "smoke in the hall")
            head, dealer = live.head, Dealer(floor, live)
            await refused(dealer.step(), FloorCode.GAMING_STOPPED)
            floor.stops.set((), [live])  # as in another process that has not read it yet
            await refused(dealer.step(), FloorCode.GAMING_STOPPED)
            await floor.load_tables()
            await keeper.run_once()
            for _ in range(3):
                await turns()
                clock.passes(HOUR_S)
            await turns()
            assert (live.head, await _played(floor)) == (head, [])
            assert clock.asleep() == 0  # it does not try
            await stops.release(MANAGER, 1, "no fire")
            await until(lambda: live.state.phase is Phase.BETTING)
            await keeper.stop()

    run(evening())
