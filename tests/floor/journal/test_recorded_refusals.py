"""Refusals for lack of authority and attempts to bet too late are recorded, and nobody can fill the disk with them."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from punto import book
from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, too_busy
from punto.floor.house.recorded_refusals import MAX_BURST, REFILL_S, RecordedRefusals
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, AnyActor
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, HouseEvent, LateAttempt, read_house_event
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import TableSetup
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.clocks import ManualClock
from tests.floor.playing import DEALER, At, betting_table, player, running
from tests.floor.staff_floor import refused
from tests.marks import BOOKS, INSURED
from tests.table.numbers import cited
from tests.waiting import run

MANY = MAX_BURST + 50


async def written(floor: Floor, name: str) -> list[HouseEvent]:
    """All entries of a person in the house's stream."""
    head = (await floor.database.read(streams.heads))[HOUSE]
    entries = await floor.database.read(lambda transaction: streams.read(transaction, head, 0))
    return [read_house_event(entry.event) for entry in entries if entry.actor == name]


async def on_record(floor: Floor, name: str) -> list[AuthorityRefused]:
    """All entries about somebody's refusals."""
    return [event for event in await written(floor, name) if isinstance(event, AuthorityRefused)]


async def late(floor: Floor, name: str) -> list[LateAttempt]:
    """All entries about somebody's late attempts."""
    return [event for event in await written(floor, name) if isinstance(event, LateAttempt)]


async def ask(floor: Floor, by: Actor, times: int) -> None:
    """Give a command without authority this many times; each is refused."""
    for number in range(times):
        asked = floor.create_table(by, TableSetup(f"t{number}", "commission"))
        await refused(asked, TableCode.NOT_AUTHORISED)


def evening(url: str, test: Callable[[Floor, ManualClock], Awaitable[None]]) -> None:
    async def whole() -> None:
        clock = ManualClock()
        async with running(url, clock) as floor:
            await test(floor, clock)
            assert verify(floor.database).faults == []

    run(whole())


def test_the_first_are_written_one_by_one_and_the_rest_as_one_that_counts_them(database_url: str) -> None:
    async def test(floor: Floor, clock: ManualClock) -> None:
        await ask(floor, player("mal"), MANY)
        told = await on_record(floor, "mal")
        assert [one.times for one in told] == [1] * MAX_BURST
        while not clock.asleep():
            await asyncio.sleep(0)
        clock.passes(REFILL_S)
        while clock.asleep() or len(told) == MAX_BURST:
            await asyncio.sleep(0)
            told = await on_record(floor, "mal")
        assert sum(one.times for one in told) == MANY
        assert told[-1] == AuthorityRefused(
            f"t{MANY - 1}", "mal", Position.PLAYER, "create_table", TableCode.NOT_AUTHORISED, MANY - MAX_BURST
        )

    evening(database_url, test)


def test_one_persons_flood_takes_nobody_elses_place_on_record(database_url: str) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        await ask(floor, player("mal"), MANY)
        await ask(floor, Actor("dora", Position.DEALER), 3)
        assert [one.times for one in await on_record(floor, "dora")] == [1, 1, 1]

    evening(database_url, test)


def test_who_has_waited_is_written_one_by_one_again(database_url: str) -> None:
    async def test(floor: Floor, clock: ManualClock) -> None:
        await ask(floor, player("mal"), MAX_BURST)
        clock.passes(3 * REFILL_S)
        await ask(floor, player("mal"), 3)
        assert [one.times for one in await on_record(floor, "mal")] == [1] * (MAX_BURST + 3)

    evening(database_url, test)


def test_a_floor_that_ends_forgets_none(database_url: str) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        await ask(floor, player("mal"), MANY)
        await floor.flush()
        assert sum(one.times for one in await on_record(floor, "mal")) == MANY
        await floor.flush()
        assert sum(one.times for one in await on_record(floor, "mal")) == MANY

    evening(database_url, test)


# ---- attempts to bet too late


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_the_first_late_attempt_of_each_player_and_round_is_on_record(rules: Rulebook, tmp_path: Path) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        at = await betting_table(floor, rules=rules.id, **limits(rules))
        await at.bet("ann", 100_00)
        bet: dict[str, Any] = {"who": "ann", "box": 1, "bet": "player"}
        await at.do(DEALER, "close_betting")
        assert await late(floor, "ann") == []
        await at.ask(player("ann"), "withdraw_bet", **bet, amount_minor=100_00)
        first = LateAttempt("t1", "t1/1", 1, "ann", "withdraw_bet.1", cited(rules, "late_withdrawal"))
        for _attempt in range(3):
            answer = await at.bet("ann", 100_00)
            assert answer.refusal is not None
        assert await late(floor, "ann") == [first]
        await at.bet("ben", 100_00, box=2)
        second = LateAttempt("t1", "t1/1", 1, "ben", "place_bet.1", cited(rules, "bets_closed"))
        assert await late(floor, "ben") == [second]
        await play_natural(at)
        await at.bet("ann", 100_00)  # before the next call for bets: not late
        await at.do(DEALER, "open_betting")
        await at.do(DEALER, "close_betting")
        assert await late(floor, "ann") == [first]
        await at.bet("ann", 100_00)
        assert [each.round for each in await late(floor, "ann")] == [1, 2]

    evening(str(tmp_path / "floor.db"), test)


def test_what_staff_are_refused_after_the_close_is_no_players_attempt(database_url: str) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        at = await betting_table(floor, rules="tiger-buffalo", **limits(book("tiger-buffalo")))
        await at.do(DEALER, "close_betting")
        answer = await at.ask(DEALER, "place_bet", who="ann", box=1, bet="player", stake_minor=100_00)
        assert answer.refusal is not None
        assert answer.refusal.code is TableCode.BETTING_NOT_OPEN
        assert await late(floor, "dora") == []

    evening(database_url, test)


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
def test_insurance_after_the_offer_is_a_late_attempt_and_before_it_is_not(rules: Rulebook, tmp_path: Path) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        at = await betting_table(floor, rules=rules.id, **limits(rules))
        await at.bet("ann", 100_00, bet="banker")
        await at.bet("ben", 100_00, box=2, bet="banker")
        await at.do(DEALER, "close_betting")
        for card in ("As", "2s", "Ad", "3d"):
            await at.do(DEALER, "deal_card", card=card)
        await at.ask(player("ann"), "take_insurance", who="ann", box=1, stake_minor=1_00)
        assert await late(floor, "ann") == []
        await at.do(DEALER, "open_insurance")
        await at.do(player("ben"), "take_insurance", who="ben", box=2, stake_minor=1_00)
        await at.do(DEALER, "close_insurance")
        await at.do(DEALER, "deal_card", card="5h")
        answer = await at.ask(player("ann"), "take_insurance", who="ann", box=1, stake_minor=1_00)
        assert answer.refusal is not None
        assert await late(floor, "ann") == [
            LateAttempt("t1", "t1/1", 1, "ann", "take_insurance.1", answer.refusal.clauses)
        ]

    evening(str(tmp_path / "floor.db"), test)


def test_a_late_attempt_is_written_once_by_all_processes(database_url: str) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        at = await betting_table(floor)
        await at.do(DEALER, "close_betting")
        await at.bet("ann", 100_00)
        assert len(await late(floor, "ann")) == 1
        again = RecordedRefusals(floor.database, ManualClock())  # of another process, or after a restart
        await again.record_late(player("ann"), LateAttempt("t1", "t1/1", 1, "ann", "place_bet.1", ()))
        assert len(await late(floor, "ann")) == 1
        await again.record_late(player("ann"), LateAttempt("t1", "t1/1", 2, "ann", "place_bet.1", ()))
        assert len(await late(floor, "ann")) == 2

    evening(database_url, test)


def test_late_attempts_at_the_same_time_are_each_written_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        await betting_table(floor)
        refusals = RecordedRefusals(floor.database, ManualClock())
        write, writes = RecordedRefusals._write, []

        async def counted(self: RecordedRefusals, by: AnyActor, event: LateAttempt) -> None:
            writes.append(event.who)
            await write(self, by, event)

        monkeypatch.setattr(RecordedRefusals, "_write", counted)
        both = ("ann", "ben", "ann", "ben")
        for _time in range(2):
            attempts = [(player(who), LateAttempt("t1", "t1/1", 1, who, "place_bet.1", ())) for who in both]
            await asyncio.gather(*(refusals.record_late(*attempt) for attempt in attempts))
        assert sorted(writes) == ["ann", "ben"]
        assert (len(await late(floor, "ann")), len(await late(floor, "ben"))) == (1, 1)

    evening(database_url, test)


def test_a_late_attempt_that_could_not_be_written_is_written_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        at = await betting_table(floor)
        await at.do(DEALER, "close_betting")
        with monkeypatch.context() as lost:
            lost.setattr(floor.database, "write", _lost)
            await refused(at.bet("ann", 100_00), FloorCode.DATABASE_LOST)
        await at.bet("ann", 100_00)
        assert len(await late(floor, "ann")) == 1

    evening(str(tmp_path / "floor.db"), test)


async def _lost(_: object) -> None:
    raise too_busy("t1")


@pytest.mark.parametrize("by", ["ann", "ben"])
def test_the_next_card_does_not_wait_for_the_record_of_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Ann is late, Ben bets for Ann."""

    async def test(floor: Floor, _: ManualClock) -> None:
        at = await betting_table(floor)
        await at.do(DEALER, "close_betting")
        go_on, record = asyncio.Event(), floor.house_log.record

        async def slow(actor: AnyActor, event: AuthorityRefused | LateAttempt) -> None:
            await go_on.wait()
            await record(actor, event)

        monkeypatch.setattr(floor.house_log, "record", slow)
        bet = at.ask(player(by), "place_bet", who="ann", box=1, bet="player", stake_minor=100_00)
        attempt = asyncio.create_task(bet)
        await asyncio.sleep(0)
        await at.do(DEALER, "deal_card", card="9s")
        assert not attempt.done()
        go_on.set()
        answer = await attempt
        assert answer.refusal is not None
        assert len(await late(floor, by)) + len(await on_record(floor, by)) == 1

    evening(str(tmp_path / "floor.db"), test)


def test_a_late_attempt_waits_behind_a_flood_and_is_not_lost(database_url: str) -> None:
    async def test(floor: Floor, _: ManualClock) -> None:
        at = await betting_table(floor)
        await at.do(DEALER, "close_betting")
        await ask(floor, player("ann"), MANY)
        await at.bet("ann", 100_00)
        assert await late(floor, "ann") == []
        await floor.flush()
        assert [each.command for each in await late(floor, "ann")] == ["place_bet.1"]
        assert sum(one.times for one in await on_record(floor, "ann")) == MANY

    evening(database_url, test)


@pytest.mark.parametrize(
    ("table", "stream", "sound"),
    [("t1", "t1/1", True), ("t1", "t1/2", False), ("t2", "t1/1", False), ("t1", "no stream", False)],
)
def test_verify_finds_a_late_attempt_at_a_table_that_was_not_open(
    table: str, stream: str, database_url: str, *, sound: bool
) -> None:
    async def whole() -> None:
        async with running(database_url) as floor:
            await betting_table(floor)
            await floor.house_log.write(player("ann"), LateAttempt(table, stream, 1, "ann", "place_bet.1", ()))
            codes = [fault.code for fault in verify(floor.database).faults]
            assert codes == ([] if sound else [FaultCode.STREAM_UNKNOWN])

    run(whole())


def limits(rules: Rulebook) -> dict[str, Any]:
    return {"least": 1, "differential_minor": 1_000_000_00} if rules.has(Topic.DIFFERENTIAL) else {}


async def play_natural(at: At) -> None:
    for card in ("9s", "2d", "Kh", "3c"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")
