"""A floor that is watched: what rings, that it rings once, also with two processes and after a restart."""

import asyncio

from msgspec.structs import replace

from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode
from punto.floor.house.alarm import AlarmKind
from punto.floor.house.projections.alarms import AlarmFilter
from punto.floor.journal.actor import Actor
from punto.floor.people.floor_rules import FloorRules
from punto.floor.settings.floor_settings import FloorSettings
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.alarms.watched import SUE, Watched, watched
from tests.floor.nights import SID
from tests.floor.playing import DEALER, SUPERVISOR, betting_table, manual_table, player, running
from tests.floor.reading import NATURAL, Read
from tests.floor.staff_floor import SetClock, refused
from tests.waiting import run

AUDITOR = Actor("aude", Position.AUDITOR)


def test_an_irregularity_rings_escalates_and_is_acknowledged_by_name(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor, rules="commission-insurance")
        await at.bet("ann", 100_00)
        await at.do(DEALER, "close_betting")
        for card in (*NATURAL, "4d"):
            await at.do(DEALER, "deal_card", card=card)
        (rung,) = await pit.tick()
        assert (rung.number, rung.kind, rung.table, rung.round, rung.severity) == (1, "irregularity", "t1", 1, 3)
        assert [alarm.escalated_us for alarm in await pit.tick(59)] == [0]
        (escalated,) = await pit.tick(1)
        assert (escalated.severity, escalated.escalated_us) == (3, pit.clock.us)
        await refused(pit.alarms.acknowledge(DEALER, 1), TableCode.NOT_AUTHORISED)
        await refused(pit.alarms.acknowledge(AUDITOR, 1), TableCode.NOT_AUTHORISED)
        await refused(pit.alarms.open(DEALER), TableCode.NOT_AUTHORISED)
        await refused(pit.alarms.acknowledge(SUE, 2), FloorCode.UNKNOWN_ALARM)
        assert await pit.alarms.open(AUDITOR, "t1") == [escalated]
        assert await pit.alarms.open(AUDITOR, "t2") == []
        seen = await pit.alarms.acknowledge(SUE, 1, "at the table")
        assert (seen.acknowledged_by, seen.acknowledged_us, seen.note) == ("sue", pit.clock.us, "at the table")
        pit.clock.go_on(1)
        assert await pit.alarms.acknowledge(Actor("max", Position.PIT_MANAGER), 1) == seen
        assert await pit.tick(600) == []

    watched(database_url, test)


def test_a_notice_becomes_a_warning_and_stays_one(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor)
        pit.set(big_bet_minor=100_00, round_s=0)
        await at.bet("ann", 100_00)
        assert [alarm.severity for alarm in await pit.tick()] == [1]
        assert [alarm.severity for alarm in await pit.tick(60)] == [2]
        assert [alarm.severity for alarm in await pit.tick(600)] == [2]

    watched(database_url, test)


def test_two_processes_ring_once(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor)
        pit.set(big_bet_minor=100_00)
        other = pit.another()
        await other.run_once()
        await pit.watcher.run_once()
        await at.bet("ann", 100_00)
        await asyncio.gather(pit.watcher.run_once(), other.run_once())
        assert await pit.kinds() == ["big_bet"]
        pit.clock.go_on(1)
        await asyncio.gather(pit.watcher.run_once(), other.run_once())
        escalated = [row for row in await pit.rows("SELECT event FROM entries") if "alarm_escalated" in str(row)]
        assert len(escalated) == 1

    watched(database_url, test)


def test_what_a_stopped_process_did_not_ring_rings_after_the_restart(database_url: str) -> None:
    clock = SetClock()

    async def stops() -> None:
        async with running(database_url, clock) as floor:
            pit = Watched(floor, clock)
            pit.set(big_buy_in_minor=5_000_00, round_s=0)
            at = await betting_table(floor, rules="commission-insurance")
            await at.do(DEALER, "buy_in", who="ann", amount_minor=20_000_00)
            await at.bet("ann", 100_00)
            await at.do(DEALER, "close_betting")
            await at.do(DEALER, "deal_card", card="2s")
            await at.do(SID, "rule", effect="adjust", amounts={"ann": 10_00}, reason="as seen on camera")

    async def goes_on() -> None:
        async with running(database_url, clock) as floor:
            pit = Watched(floor, clock)
            pit.set(big_buy_in_minor=5_000_00, round_s=0)
            await floor.take_over(floor.table("t1"))
            assert sorted(await pit.kinds()) == ["big_buy_in"] * 3 + ["restart", "ruling"]
            (restart,) = [alarm for alarm in await pit.tick() if alarm.kind == AlarmKind.RESTART]
            assert (restart.table, restart.round, restart.values) == ("t1", 1, {"tables": ("t1",), "voided": 0})
            again = Watched(floor, clock)
            again.set(big_buy_in_minor=5_000_00, round_s=0)
            assert len(await again.tick()) == 5
            assert verify(floor.database).faults == []

    run(stops())
    clock.go_on(2)
    run(goes_on())


def test_time_rings_without_a_command(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor, rules="commission-insurance")
        assert (await at.bet("ann", 100_00, bet="banker")).refusal is None
        await at.do(DEALER, "close_betting")
        for card in ("As", "2s", "Ad", "3d"):
            await at.do(DEALER, "deal_card", card=card)
        assert await pit.kinds() == []
        assert await pit.kinds(19) == []
        assert await pit.kinds(1) == ["insurance_due"]
        assert await pit.kinds(159) == ["insurance_due"]
        assert await pit.kinds(1) == ["insurance_due", "long_round"]

    watched(database_url, test)


def test_a_scanner_that_stops_reading_sends_gaps_or_misreads(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await manual_table(pit.floor)
        scanner = Read(at)
        await scanner.closed()
        await scanner.taken(1, "9s")
        assert await pit.kinds() == []
        await refused(scanner.ask(3, "2d"), FloorCode.CARD_GAP)
        await refused(scanner.ask(1, "2d"), FloorCode.CARD_DIFFERS)
        assert await pit.kinds(1) == ["scanner_gap", "scanner_misread"]
        assert "2d" not in str(
            [row for row in await pit.rows("SELECT event FROM entries") if "alarm_raised" in str(row)]
        )
        await at.do(DEALER, "deal_card", card="2d")
        assert len(await pit.kinds(59)) == 2
        assert (await pit.kinds(1))[2:] == ["scanner_silent"]

    watched(database_url, test)


def test_repeated_corrections_and_late_bets(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor, rules="commission-insurance", observing=True)
        await at.do(DEALER, "place_bet", who="box 5", box=5, bet="banker", stake_minor=100_00)
        await at.do(DEALER, "close_betting")
        for stake_minor in (200_00, 300_00, 400_00):
            await at.do(DEALER, "correct_bet", who="box 5", box=5, bet="banker", stake_minor=stake_minor)
        assert await pit.kinds(60) == []
        await at.do(DEALER, "correct_bet", who="box 5", box=5, bet="banker", stake_minor=100_00)
        (corrections,) = await pit.tick()
        assert (corrections.kind, corrections.subject, corrections.values) == ("corrections", "dora", {"count": 4})
        for _ in range(3):
            assert await pit.kinds() == ["corrections"]
            await at.do(DEALER, "report_late_bet", who="box 5", box=5, bet="banker", tried="placed", amount_minor=50_00)
        assert await pit.kinds() == ["corrections", "late_bets"]

    watched(database_url, test)


def test_a_screen_that_is_pressed_too_late_counts_once_a_round(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor)
        for number in range(3):
            assert await pit.kinds() == []
            await at.do(DEALER, "close_betting")
            for _ in range(2):
                assert (await at.bet("ann", 100_00)).refusal is not None
            for card in NATURAL:
                await at.do(DEALER, "deal_card", card=card)
            await at.do(DEALER, "settle")
            await at.do(DEALER, "open_betting", f"next {number}")
        (late,) = await pit.tick()
        assert (late.kind, late.subject, late.values) == ("late_bets", "ann", {"count": 3})

    watched(database_url, test)


def test_play_money_rings_only_for_the_game(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        pit.rules = FloorRules(tables=("t1",))
        pit.settings = FloorSettings(large_cash_minor=1)
        pit.set(big_bet_minor=1, big_buy_in_minor=1, round_s=1)
        at = await betting_table(pit.floor, rules="commission-insurance")
        await at.bet("ann", 100_00)
        await at.do(DEALER, "close_betting")
        for card in NATURAL:
            await at.do(DEALER, "deal_card", card=card)
        assert await pit.kinds(60) == []
        await at.do(DEALER, "deal_card", card="4d")
        assert await pit.kinds() == ["irregularity"]

    watched(database_url, test)


def test_money_on_a_bet_that_favours_the_bettor_rings_by_the_exact_edge(database_url: str) -> None:
    """With a nine known as the first card, Player is worth a fifth of its stake."""

    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor, rules="commission-insurance")
        await at.bet("ann", 100_00)
        await at.do(DEALER, "close_betting")
        for card in (*NATURAL, "9d"):
            await at.do(DEALER, "deal_card", card=card)
        await at.do(SUPERVISOR, "report_excess_card", cards=["9d"])
        await at.do(DEALER, "settle")
        await at.do(DEALER, "open_betting")
        assert await pit.kinds() == ["first_card_known"]
        await at.bet("ann", 2_000_00)
        assert len(await pit.tick()) == 1
        assert (await at.bet("ann", 3_000_00)).refusal is None
        (_, money) = await pit.tick()
        assert (money.kind, money.subject, money.severity) == ("edge_money", "player", 3)
        assert 500_00 <= int(str(money.values["worth_minor"])) <= 5_000_00 * 0.22

    watched(database_url, test)


def test_a_table_that_cannot_be_watched_is_a_fault_and_the_others_ring(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        broken = await betting_table(pit.floor, "a1")
        at = await betting_table(pit.floor)
        pit.set(big_bet_minor=100_00)
        await pit.tick()
        pit.floor.table("a1").setup = replace(pit.floor.table("a1").setup, name="gone")
        del pit.watcher._tables["a1"]
        await at.bet("ann", 100_00)
        assert await pit.kinds() == ["big_bet"]
        assert pit.floor.faults.tables == ("a1",)
        pit.floor.table("a1").setup = replace(pit.floor.table("a1").setup, name="a1")
        await broken.bet("ann", 100_00)
        assert len(await pit.tick()) == 2
        assert not pit.floor.faults.tables

    watched(database_url, test)


def test_a_second_opening_is_followed(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await manual_table(pit.floor)
        pit.set(big_bet_minor=100_00)
        await pit.tick()
        for who in ("ann", "ben"):
            await at.do(DEALER, "leave", who=who)
        await at.do(SUPERVISOR, "close_table")
        await at.open()
        await at.do(SUPERVISOR, "load_shoe", shoe="next", decks=8)
        await at.do(DEALER, "buy_in", who="cy", amount_minor=200_00)
        await at.do(player("cy"), "sit", who="cy", box=1)
        await at.do(DEALER, "open_betting")
        await at.bet("cy", 100_00)
        assert [(alarm.kind, alarm.opening) for alarm in await pit.tick()] == [("big_bet", 2)]

    watched(database_url, test)


def test_an_alarm_ends_by_itself_when_its_cause_does(database_url: str) -> None:
    async def test(pit: Watched) -> None:
        at = await betting_table(pit.floor, rules="commission-insurance")
        await at.bet("ann", 100_00)
        await at.do(DEALER, "close_betting")
        for card in (*NATURAL, "4d"):
            await at.do(DEALER, "deal_card", card=card)
        assert await pit.kinds() == ["irregularity"]
        assert await pit.kinds(30) == ["irregularity"], "while the table has stopped it goes on"
        await at.do(SUPERVISOR, "dismiss_irregularity", reason="a misread")
        assert await pit.tick(10) == []
        ended_us = pit.clock.us
        (alarm,) = await pit.alarms.list(SUE, AlarmFilter(), 9)
        assert (alarm.open, alarm.ended_us, alarm.acknowledged_by) == (False, ended_us, "")
        assert await pit.tick(100) == [], "neither does it escalate"
        ended = [row for row in await pit.rows("SELECT event FROM entries") if "alarm_ended" in str(row)]
        assert len(ended) == 1

    watched(database_url, test)
