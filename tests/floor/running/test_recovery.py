"""After a crash each table matches its journal.

At a virtual shoe an open round is continued or voided by its book's clause; for real ones see test_restart.
"""

import asyncio
from typing import Any

import msgspec
import pytest

from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import replay, streams
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.house_events import TableRecovered, read_house_event
from punto.floor.journal.replay import FORM, rebuild, take_snapshot
from punto.floor.journal.streams import Snapshot
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import ENTRIES_A_SNAPSHOT
from punto.floor.running.supervisor import Keeper
from punto.library import book
from punto.rules.rulebook import Rulebook
from punto.table import evolve
from punto.table.records.events import Event
from punto.table.records.findings import IrregularityReported, RoundVoided
from punto.table.records.kinds import Irregularity
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode
from tests.floor.long_journals import lengthen
from tests.floor.playing import DEALER, SUPERVISOR, At, automatic_table, betting_table, running, sealed_table
from tests.floor.running.test_floor import all_entries
from tests.marks import BOOKS, reading
from tests.table.numbers import cited
from tests.waiting import run, until

LONG = 5_000
"""Entries of a journal with a snapshot in between."""
SIX = ("As", "2s", "Ad", "3d", "4c", "2h")
"""Player 2, Banker 5: each draws a third card."""
THREE_ESTABLISHED = ("2s", "9d", "2h")
"""A Player pair: an outcome in every book with that bet."""
THREE_OPEN = ("2s", "9d", "3h")
"""An unpaired 5: no pair is possible any more, which is an outcome in every book but one."""


async def deal(at: At, cards: int) -> None:
    """Deal this many cards; offer insurance first if it is due."""
    for _ in range(cards):
        answer = await at.ask(DEALER, "deal_card")
        if answer.refusal is not None and answer.refusal.code is TableCode.INSURANCE_DUE:
            await at.do(DEALER, "open_insurance")
            await at.do(DEALER, "deal_card")


async def crash_and_come_back(
    url: str, rules: str, dealt: int | None, cards: tuple[str, ...] = SIX
) -> tuple[Table, Table, list[Entry]]:
    """The table before and after, and the entries of the recovery. ``dealt`` is None while betting is open."""
    async with running(url) as floor:
        at = await sealed_table(floor, " ".join(cards), rules=rules)
        await at.do(DEALER, "open_betting")
        assert (await at.bet("ann", 100_00, bet="banker")).refusal is None
        if dealt is not None:
            await at.do(DEALER, "close_betting")
            await deal(at, dealt)
        before = floor.table("t1").state
        entries = await all_entries(floor, "t1/1")
    async with running(url) as floor:
        keeper = Keeper(floor)
        await keeper.run_once()
        await keeper.run_once()  # recovered only once
        after, more = floor.table("t1").state, await all_entries(floor, "t1/1")
        await keeper.stop()
        assert more[: len(entries)] == entries
        house = [read_house_event(entry.event) for entry in await all_entries(floor, "house")]
        (taken,) = [event for event in house if isinstance(event, TableRecovered)]
        assert (taken.stream, taken.version, taken.hash) == ("t1/1", len(entries), entries[-1].hash)
        assert (taken.round_open, taken.round, taken.shoes, taken.cards) == (True, 1, "virtual", dealt or 0)
        assert taken.voided is (after.phase is Phase.READY)
        assert taken.returned_minor == ({"ann": 100_00} if taken.voided else {})
        assert verify(floor.database).faults == []
        assert sum(after.balances.values()) == 0
    return before, after, more[len(entries) :]


def _check_void(rules: Rulebook, after: Table, written: list[Entry]) -> None:
    said, void = (read_event(entry.event) for entry in written)
    assert isinstance(said, IrregularityReported)
    assert (said.kind, said.clauses) == (Irregularity.INTERRUPTION, cited(rules, "interruption"))
    assert isinstance(void, RoundVoided)
    assert void.clauses == cited(rules, "interruption_voids") + cited(rules, "void_returns")
    assert after.phase is Phase.READY
    assert after.chips_minor("ann") == 10_000_00


def _check_goes_on(rules: Rulebook, after: Table, written: list[Entry]) -> None:
    said = read_event(written[0].event)
    assert isinstance(said, IrregularityReported)
    assert said.clauses == cited(rules, "interruption") + cited(rules, "goes_on")
    assert after.phase is Phase.DEALING
    assert after.chips_minor("ann") == 9_900_00


@reading("interruptions")
@pytest.mark.parametrize("dealt", [None, *range(7)], ids=lambda dealt: "betting" if dealt is None else f"{dealt} cards")
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_an_open_round_is_decided_by_the_book(rules: Rulebook, dealt: int | None, tmp_path: Any) -> None:
    cards = THREE_OPEN if dealt == 3 else SIX
    stood, after, written = asyncio.run(crash_and_come_back(str(tmp_path / "floor.db"), rules.id, dealt, cards))
    assert {(entry.actor, entry.position) for entry in written} <= {("house", "house")}
    if rules.id == "commission":  # its book has no clause on interruptions: the round continues
        assert (after, written) == (stood, [])
    elif dealt is None or dealt < 3 or (dealt == 3 and rules.id == "da-hu-ying-xiong"):
        _check_void(rules, after, written)
    else:
        _check_goes_on(rules, after, written)


@reading("interruptions", "established")
@pytest.mark.parametrize("rules", [one for one in BOOKS if one.id != "commission"], ids=lambda rules: rules.id)
def test_three_cards_that_establish_an_outcome(rules: Rulebook, tmp_path: Any) -> None:
    url = str(tmp_path / "floor.db")
    _, after, written = asyncio.run(crash_and_come_back(url, rules.id, 3, THREE_ESTABLISHED))
    _check_goes_on(rules, after, written)


@pytest.mark.parametrize("dealt", [2, 4])
def test_the_same_on_every_database(database_url: str, dealt: int) -> None:
    rules = book("commission-insurance")
    _, after, written = asyncio.run(crash_and_come_back(database_url, rules.id, dealt))
    (_check_void if dealt == 2 else _check_goes_on)(rules, after, written)


def test_a_round_that_goes_on_is_played_to_its_end(database_url: str) -> None:
    async def evening() -> None:
        await crash_and_come_back(database_url, "commission-insurance", 4)
        async with running(database_url) as floor:
            keeper = Keeper(floor)
            await keeper.run_once()  # a second crash: reported again, and the round still continues
            at = At(floor, "t1", "later")
            await deal(at, 2)
            await at.do(DEALER, "settle")
            assert floor.table("t1").state.phase is Phase.READY
            await keeper.stop()
            assert verify(floor.database).faults == []

    asyncio.run(evening())


# ---- not an interruption


def test_between_rounds_nothing_is_interrupted(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await sealed_table(floor, "9s 2d Kh 3c", rules="commission-insurance")
            await at.do(DEALER, "open_betting")
            await at.do(DEALER, "close_betting")
            await deal(at, 4)
            await at.do(DEALER, "settle")
            entries = await all_entries(floor, "t1/1")
        async with running(database_url) as floor:
            keeper = Keeper(floor)
            await keeper.run_once()
            assert await all_entries(floor, "t1/1") == entries
            await At(floor, "t1", "more").do(SUPERVISOR, "close_table")
            await keeper.stop()
        async with running(database_url) as floor:
            keeper = Keeper(floor)
            await keeper.run_once()
            house = [read_house_event(entry.event) for entry in await all_entries(floor, "house")]
            assert [event.round_open for event in house if isinstance(event, TableRecovered)] == [False]
            await keeper.stop()

    asyncio.run(evening())


def test_a_table_just_created_was_never_left(database_url: str) -> None:
    """A keeper that finds it with a round open has not taken it over from another process."""

    async def evening() -> None:
        async with running(database_url) as floor:
            await betting_table(floor, rules="commission-insurance")
            entries = await all_entries(floor, "t1/1")
            keeper = Keeper(floor)
            await keeper.run_once()
            assert await all_entries(floor, "t1/1") == entries
            await keeper.stop()
            await keeper.run_once()
            assert await all_entries(floor, "t1/1") == entries
            await keeper.stop()

    asyncio.run(evening())


def test_claims_lost_and_taken_again_by_the_same_process(postgres_url: str) -> None:
    async def evening() -> None:
        async with running(postgres_url) as floor:
            await betting_table(floor, rules="commission-insurance")
            keeper = Keeper(floor)
            await keeper.run_once()
            entries = await all_entries(floor, "t1/1")
            for _ in range(3):
                await floor.database.read(
                    lambda tx: tx.rows(
                        "SELECT pg_terminate_backend(pid, 180000) FROM pg_locks"
                        " WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
                    )
                )
                await keeper.run_once()
            await keeper.run_once()
            assert await all_entries(floor, "t1/1") == entries
            async with running(postgres_url) as other:
                second = Keeper(other)
                await second.run_once()  # it is held
                assert await all_entries(floor, "t1/1") == entries
                await second.stop()
            await keeper.stop()

    asyncio.run(evening())


async def _plays_on(floor: Floor, rounds: int) -> None:
    """Wait for a later round."""
    live = floor.table("t1")
    await until(lambda: live.state.round is not None and live.state.round.number > rounds)


def test_a_virtual_shoe_goes_on_with_the_very_next_card(database_url: str) -> None:
    """A crash never reshuffles: the cards after it are those sealed before the first card."""

    async def evening() -> None:
        for crash in range(4):
            async with running(database_url) as floor:
                if not crash:
                    await automatic_table(floor)
                keeper = Keeper(floor)
                await keeper.run_once()
                live = floor.table("t1")
                first = live.state.round.number if live.state.round else 0
                await _plays_on(floor, first + 2)
                await keeper.stop()
        async with running(database_url) as floor:
            found = verify(floor.database)
            assert (found.faults, found.shoes) == ([], 1)

    run(evening())


# ---- snapshots


async def _as_the_journal_has_it(floor: Floor) -> Table:
    """Rebuilt without any snapshot."""
    await floor.database.write(lambda tx: tx.change("DELETE FROM snapshots"))
    head = await floor.database.read(lambda tx: streams.head(tx, "t1/1"))
    return (await floor.database.read(lambda tx: rebuild(tx, head))).state


def test_snapshots_are_taken_and_believed(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await betting_table(floor)
            live = floor.table("t1")
            assert live.head is not None
            lengthen(floor.database, "t1/1", live.state, ENTRIES_A_SNAPSHOT - 100 - live.head.version, snapshots=False)
            live.stale = True
            for number in range(101):
                await at.bet("ann", 1, f"bet {number}")
            taken = await floor.database.read(lambda tx: streams.snapshot(tx, live.head))  # type: ignore[arg-type]
            assert taken is not None
            assert (taken.version, taken.form) == (ENTRIES_A_SNAPSHOT, FORM)
            state = live.state
        async with running(database_url) as floor:
            live = floor.table("t1")
            assert (live.state, live.snapshot_at) == (state, ENTRIES_A_SNAPSHOT)
            assert await _as_the_journal_has_it(floor) == state

    asyncio.run(evening())


def _wrong_snapshots(state: Table, head: streams.Head) -> dict[str, Snapshot]:
    right = take_snapshot(state, head)
    richer = msgspec.structs.replace(state, balances={**state.balances, "chips:ann": 10**9})
    elsewhere = msgspec.structs.replace(head, stream="t2/1")
    flipped = right.state[:9] + bytes([right.state[9] ^ 1]) + right.state[10:]
    of_before = msgspec.structs.replace(head, hash="0" * 64)
    return {
        "another state under the same seal": msgspec.structs.replace(right, state=take_snapshot(richer, head).state),
        "of another table": take_snapshot(richer, elsewhere),
        "on another entry": take_snapshot(richer, of_before),
        "of entries that are not there": take_snapshot(
            richer, msgspec.structs.replace(head, version=head.version + 1_000)
        ),
        "of 0.3.0": _sealed(head, take_snapshot(richer, head).state, "punto 0.3.0"),
        "no snapshot at all": msgspec.structs.replace(right, state=b"\xc1\xff"),
        "cut off": msgspec.structs.replace(right, state=right.state[:-1]),
        "sealed nonsense": _sealed(head, b"\x93\x01"),
        "one bit": msgspec.structs.replace(right, state=flipped),
    }


def _sealed(head: streams.Head, state: bytes, form: str = FORM) -> Snapshot:
    from punto.floor.journal.replay import _seal  # noqa: PLC0415 - somebody who knows how

    return Snapshot(head.version, form, state, _seal(head, form, state))


def test_a_wrong_snapshot_is_not_believed(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await betting_table(floor)
            state, head = floor.table("t1").state, floor.table("t1").head
            assert head is not None
        for name, wrong in _wrong_snapshots(state, head).items():
            async with running(database_url) as floor:
                await floor.database.write(lambda tx, one=wrong: streams.save_snapshot(tx, head, one))  # type: ignore[misc]
            async with running(database_url) as floor:
                assert (floor.table("t1").state, floor.table("t1").snapshot_at) == (state, 0), name

    asyncio.run(evening())


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET event = replace(event, '100000', '900000') WHERE version = 5",
        "DELETE FROM entries WHERE version = 6",
        "DELETE FROM entries WHERE version > 6",
        "UPDATE streams SET version = version + 1 WHERE name = 't1/1'",
    ],
)
def test_a_journal_that_is_not_as_it_was_written_is_refused(database_url: str, change: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await betting_table(floor)
            changed = await floor.database.write(lambda tx: tx.change(change))
            assert changed
        with pytest.raises(FloorRefused) as refused:
            async with running(database_url):
                pass
        assert refused.value.code is FloorCode.BAD_DATABASE
        assert "punto verify" in refused.value.message

    asyncio.run(evening())


def test_a_long_journal_is_back_without_being_read_whole(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``bench/floor.py`` measures how fast."""
    evolved: list[Event] = []

    def counted(state: Table, event: Event) -> Table:
        evolved.append(event)
        return evolve(state, event)

    async def evening() -> None:
        async with running(database_url) as floor:
            await betting_table(floor)
            live = floor.table("t1")
            state = lengthen(floor.database, "t1/1", live.state, LONG)
        monkeypatch.setattr(replay, "evolve", counted)
        async with running(database_url) as floor:
            assert len(evolved) < LONG // 10
            assert floor.table("t1").state == state
            assert (await At(floor, "t1", "on").bet("ann", 1)).refusal is None

    asyncio.run(evening())
