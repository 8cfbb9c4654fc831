"""Floors of earlier releases, killed with a round open in every stage, go on under this one."""

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from punto.cli import main
from punto.floor.database import read_database
from punto.floor.database.base import Transaction
from punto.floor.database.schema import POSTGRES_TYPES, SQLITE_TYPES, VERSION
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.command_ids import RECOVERY_ID
from punto.floor.journal.entry import read_event
from punto.floor.people.players import Players
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.known_orders import known_orders, shoes_to_come
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.upkeep.migration import migrate
from punto.rules.topics import Topic
from punto.table.records.commands import BuyIn, OpenTable
from punto.table.records.findings import RestartRecorded, RoundVoided
from punto.table.records.ledger import FELT, chips
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.floor.earlier_schemas import make_older
from tests.floor.staff_floor import staffed
from tests.floor.upgrades.old_floors import RELEASES, OldCommand, OldFloor, OldTable
from tests.floor.upgrades.upgraded import (
    DEALER,
    OLD_SCHEMAS,
    SUPERVISOR,
    Upgraded,
    heads_of_backup,
    put_old_floor,
    upgraded,
    verified,
)
from tests.marks import rest_at_night
from tests.table.tables import json_limits, settings
from tests.waiting import run

pytestmark = pytest.mark.slow

ON_SQLITE = [(release.schema, game, name, "sqlite") for name, release in RELEASES.items() for game in release.books]
ON_SQLITE += [(2, game, "0.3.0", "sqlite") for game in ("commission", "commission-insurance")]
ON_POSTGRES = [
    (1, "commission", "0.2.0", "postgres"),
    (2, "commission-insurance", "0.3.0", "postgres"),
    (3, "tiger-buffalo", "0.3.0", "postgres"),
    (4, "da-hu-ying-xiong", "0.7.0", "postgres"),
    (5, "super-six-plus", "0.8.0", "postgres"),
]
"""Tables are decided by the same code on every database, so a floor of each schema is enough."""
IN_TEST = {floor for floor in ON_SQLITE if floor[0] != 2 and floor[1] in RELEASES[floor[2]].in_test}
IN_TEST |= {ON_POSTGRES[0]}
"""The oldest and the newest release; on PostgreSQL every step of the migration."""
TOO_FEW_CARDS = ("betting", "closed", "one card", "two cards", "carried", "replaced", "observing")
"""Stages without an established outcome in any book."""


@pytest.fixture(params=rest_at_night([*ON_SQLITE, *ON_POSTGRES], IN_TEST, lambda floor: "-".join(map(str, floor))))
def floor(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, OldFloor]:
    """The URL of a migrated floor, and what it was before."""
    number, game, release, kind = request.param
    url: str = str(tmp_path / "floor.db") if kind == "sqlite" else request.getfixturevalue("postgres_url")
    old = put_old_floor(url, number, game, tmp_path, release)
    assert migrate(url) == (number, VERSION)
    return url, old


def test_open_rounds_go_on_or_are_void_and_everything_verifies(floor: tuple[str, OldFloor], tmp_path: Path) -> None:
    url, old = floor
    heads = heads_of_backup(tmp_path)
    assert verified(url, heads).faults == []

    async def play() -> None:
        async with upgraded(url, old) as house:
            check_tables_are_as_they_were(house)
            await house.keeper.run_once()
            await check_interrupted_rounds(house)
            await check_old_commands(house)
            await asyncio.gather(*(go_on(house, live) for live in house.floor.tables.values()))
            await check_old_commands(house)

    run(play())
    after = verified(url, heads)
    assert after.faults == []
    assert after.commands > len(old.commands) + len(old.tables) * 5


async def go_on(house: Upgraded, live: LiveTable) -> None:
    """Finish the round at a table, play another one and close it."""
    if live.state.phase in (Phase.BETTING, Phase.DEALING):
        await house.finish(live)
    if live.state.phase is Phase.CLOSED:
        await reopen(house, live.setup.name)
    await play_another_round(house, live.setup.name)
    await house.do(live, SUPERVISOR, "close_table")
    assert sum(live.closing.balances.values()) == 0


def check_tables_are_as_they_were(house: Upgraded) -> None:
    """The journal gives the same table under this release, also from an old snapshot."""
    assert {name: OldTable.of(live) for name, live in house.floor.tables.items()} == house.old.tables


async def check_restored(house: Upgraded) -> None:
    """Tables with real shoes are as they were. No card comes any more from a sealed shoe of the backup."""
    for name, was in house.old.tables.items():
        live = house.floor.table(name)
        if live.setup.shoes is ShoeKind.MANUAL or was.phase is Phase.CLOSED:
            assert OldTable.of(live) == was
        shoes = shoes_to_come(live.state)
        assert not await house.floor.database.read(lambda transaction, shoes=shoes: known_orders(transaction, shoes))  # type: ignore[misc]


async def check_interrupted_rounds(house: Upgraded) -> None:
    """At a real shoe every round goes on as it was; the time of its last entry is when the server went away.

    At others a round without an established outcome is void, if the book says so. Cards that
    nobody has seen establish nothing. Four cards that everybody has seen always do.
    """
    for name, was in house.old.tables.items():
        live, stage = house.floor.table(name), name.partition(" ")[2]
        recovery = await house.floor.answer_to(f"{RECOVERY_ID}{live.stream}:{was.version}")
        real = live.setup.shoes is ShoeKind.MANUAL
        if was.phase not in (Phase.BETTING, Phase.DEALING) or not (real or live.rules.topics[Topic.INTERRUPTION]):
            assert recovery is None
            continue
        assert recovery is not None
        events = [read_event(entry.event) for entry in recovery.entries]
        if real:
            last = (await live.after(live.openings, was.version - 1))[0]
            (recorded,) = events
            assert isinstance(recorded, RestartRecorded)
            assert (recorded.from_us, recorded.asks) == (last.at_us, True)
            assert OldTable.of(live) == replace(was, version=was.version + 1)
            continue
        voids = [event for event in events if isinstance(event, RoundVoided)]
        if stage in TOO_FEW_CARDS or not any(was.cards):
            assert voids
        elif len(was.cards) >= 4 and all(was.cards[:4]):
            assert not voids
        if voids:
            assert {posting.account: posting.amount_minor for posting in voids[0].postings} == _stakes_back(was)
        else:
            now = OldTable.of(live)  # an automatic dealer may have gone on already
            assert (now.round, now.bets) == (was.round, was.bets)
            assert all(before in (None, card) for before, card in zip(was.cards, now.cards, strict=False))


def _stakes_back(was: OldTable) -> dict[str, int]:
    stakes = {chips(who): stake_minor for who, _, _, stake_minor in was.bets}
    return {**stakes, FELT: -sum(stakes.values())}


async def check_old_commands(house: Upgraded) -> None:
    """Every accepted command id answers as it did, and is taken for any other command."""
    await asyncio.gather(*(check_old_command(house, command) for command in house.old.commands))


async def check_old_command(house: Upgraded, command: OldCommand) -> None:
    answer = await house.repeat(command)
    assert [entry.version for entry in answer.entries] == command.versions, command
    assert {str(entry.stream) for entry in answer.entries} == {command.stream}
    for amount in command.body.keys() & {"stake_minor", "amount_minor", "float_minor"}:
        with pytest.raises(FloorRefused) as refused:
            await house.repeat(command, **{amount: command.body[amount] + 1_00})
        assert refused.value.code is FloorCode.COMMAND_ID_TAKEN


async def reopen(house: Upgraded, name: str) -> None:
    """A closed table opens with the balances that its last closing left."""
    live, carried = house.floor.table(name), house.old.tables[name].balances
    opening = next(command for command in house.old.commands if command.table == name)
    await house.do(live, SUPERVISOR, "open_table", settings={**opening.body["settings"], **json_limits(live.rules)})
    assert live.state.balances == carried
    for box, who in enumerate(("ann", "ben"), 1):
        await house.do(live, DEALER, "sit", who=who, box=box)


async def play_another_round(house: Upgraded, name: str) -> None:
    live = house.floor.table(name)
    is_felt = live.setup.shoes is ShoeKind.MANUAL
    bettor = Actor("ann", Position.PLAYER)
    if not is_felt:
        bettor = await house.sessions.actor(house.old.visitors["vera"])
    before = live.state.round.number if live.state.round else 0
    assert await house.play(live, bettor) == before + 1


# ---- people


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_staff_machines_and_visitors_are_still_signed_in(number: int, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    old = put_old_floor(url, number, "commission-insurance", tmp_path)
    migrate(url)

    async def play() -> None:
        async with upgraded(url, old) as house:
            for name in ("sue", "eve"):  # idle since the migration: those releases did not note when it was
                assert not (await house.sessions.standing(old.staff[name])).locked
            assert (await house.sessions.actor(old.staff["sue"])).position is Position.PIT_SUPERVISOR
            assert (await house.sessions.actor(old.visitors["vito"])).position is Position.PLAYER
            if bridge := old.staff.get("bridge"):
                assert (await house.sessions.actor(bridge)).position is Position.DEALER
            with pytest.raises(FloorRefused) as refused:
                await house.sessions.actor(old.staff["eve"])
            assert refused.value.code is FloorCode.NO_POSITION

    run(play())


@pytest.mark.parametrize("number", [1, 2, 3])
def test_visitors_whose_time_is_over_are_cashed_out_at_play_money_tables_alone(number: int, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    old = put_old_floor(url, number, "commission", tmp_path)
    migrate(url)

    async def play() -> None:
        async with upgraded(url, old, hours_later=25) as house:
            await house.keeper.run_once()
            for live in house.tables(ShoeKind.VIRTUAL):
                await house.finish(live)
            await house.visitors.clear()
            for live in house.tables(ShoeKind.VIRTUAL):
                assert not live.state.people, live.setup.name
            sold = house.floor.table("felt ready")
            assert sold.state.chips_minor("vito") == 300_00  # bought from the dealer: staff cash it out
            await house.do(sold, DEALER, "cash_out", who="vito", amount_minor=300_00)
            await house.visitors.clear()
            assert {(await house.visitors.enter(name)).name for name in old.visitors} == {"vera", "vito"}

    run(play())
    assert verified(url).faults == []


@pytest.mark.parametrize("number", rest_at_night(OLD_SCHEMAS, (min(OLD_SCHEMAS), max(OLD_SCHEMAS))))
def test_a_customer_with_a_plain_name_is_identified(number: int, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    old = put_old_floor(url, number, "commission-insurance", tmp_path)
    migrate(url)

    async def play() -> None:
        async with upgraded(url, old) as house:
            live = house.floor.table("felt settled")
            chips_minor = live.state.chips_minor("ann")
            player = await Players(house.floor.house_log).register(SUPERVISOR, "Ann Lee")
            await house.do(live, SUPERVISOR, "identify_player", who="ann", player_id=player.id)
            assert (live.state.chips_minor("ann"), live.state.chips_minor(player.id)) == (0, chips_minor)
            assert live.state.seats == {1: player.id, 2: "ben"}
            bets = [command for command in old.commands if command.table == "felt settled"]
            assert all([(await house.repeat(bet)).entries for bet in bets])

    run(play())
    assert verified(url).faults == []


def test_nobody_gets_an_id_that_somebody_with_chips_had_as_a_name(database_url: str) -> None:
    """Earlier releases let people be called ``P000002``."""

    async def play() -> None:
        async with staffed(database_url) as house:
            await house.table("t1")
            live = house.floor.table("t1")
            by = (SUPERVISOR.name, SUPERVISOR.position)
            await house.floor.give(live, "open", OpenTable(*by, settings(live.rules)))
            for who in ("P000002", "P000003", "ann"):
                await house.floor.give(live, f"buy {who}", BuyIn(*by, who, 50_000_00))
        make_older(database_url, 3)
        migrate(database_url)
        async with staffed(database_url) as house:
            players = Players(house.floor.house_log)
            ids = [(await players.register(SUPERVISOR, f"Player {number}")).id for number in range(3)]
            assert ids == ["P000001", "P000004", "P000005"]

    run(play())
    assert verified(database_url).faults == []


# ---- backups and the command line


@pytest.mark.parametrize("number", rest_at_night(OLD_SCHEMAS, (min(OLD_SCHEMAS), max(OLD_SCHEMAS))))
def test_backups_of_every_schema_restore(number: int, database_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    old = put_old_floor(str(folder / "floor.db"), number, "commission-insurance", folder)
    backup = folder / ("floor.db" if number == 2 else "backup.db")
    done = CliRunner().invoke(main, ["restore", str(backup), "--db", database_url, "--alone", "a test"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, ["verify", "--db", database_url])
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, "Sound."), done.output

    async def play() -> None:
        async with upgraded(database_url, old) as house:
            await check_restored(house)
            await house.keeper.run_once()
            await check_interrupted_rounds(house)
            for token in (*old.staff.values(), *old.visitors.values()):
                with pytest.raises(FloorRefused) as refused:
                    await house.sessions.actor(token)
                assert refused.value.code is FloorCode.NOT_SIGNED_IN

    run(play())
    seen = verified(database_url)
    assert seen.faults == []
    assert seen.judged_again == seen.commands - seen.earlier_revision > 0


@pytest.mark.parametrize("number", rest_at_night(OLD_SCHEMAS, (min(OLD_SCHEMAS), max(OLD_SCHEMAS))))
def test_a_floor_is_backed_up_before_it_is_migrated(number: int, database_url: str, tmp_path: Path) -> None:
    put_old_floor(database_url, number, "commission", tmp_path)
    file, restored = tmp_path / "before.db", str(tmp_path / "restored.db")
    done = CliRunner().invoke(main, ["backup", "--db", database_url, str(file)])
    assert (done.exit_code, f"schema {number}." in done.output) == (0, True), done.output
    assert all_rows(str(file)) | {"meta": []} == all_rows(database_url) | {"meta": []}
    assert migrate(database_url) == (number, VERSION)
    done = CliRunner().invoke(main, ["restore", str(file), "--db", restored, "--alone", "a test"])
    assert done.exit_code == 0, done.output
    journal = ("shoes", "rounds", "seals")
    written = len(all_rows(str(file))["entries"])
    after, before = all_rows(database_url), all_rows(restored)
    assert _first(before["entries"], written) == _first(after["entries"], written)
    assert len(before["entries"]) > len(after["entries"]) > written  # a migration and a restore are on record
    assert {table: before[table] for table in journal} == {table: after[table] for table in journal}
    assert len(before["accounts"]) == len(after["accounts"])  # one-time passwords expire 72 hours after the migration
    assert verified(restored).faults == []


def _first(entries: list[str], number: int) -> list[str]:
    """The entries that were written first, by the key of their row."""
    return sorted(entries, key=lambda row: int(row[1 : row.index(",")]))[:number]


def all_rows(url: str) -> dict[str, list[str]]:
    """The rows of every table, of a floor of any schema."""

    def work(transaction: Transaction) -> dict[str, list[str]]:
        kind = POSTGRES_TYPES if url.startswith("postgresql") else SQLITE_TYPES
        tables = sorted(name for (name,) in transaction.rows(kind["made"]))
        return {table: sorted(map(repr, transaction.rows(f"SELECT * FROM {table}"))) for table in tables}  # noqa: S608

    database = read_database(url, older=True)
    try:
        return database.reading(work).result()
    finally:
        database.close()


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_verify_replays_what_an_earlier_revision_decided(number: int, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    put_old_floor(url, number, "super-six-plus" if number > 1 else "commission", tmp_path)
    migrate(url)
    before = verified(url)
    assert before.judged_again == 0
    done = CliRunner().invoke(main, ["verify", "--db", url])
    assert done.exit_code == 0, done.output
    assert f"{before.commands} commands were only replayed" in done.output
    assert done.output.splitlines()[-1] == "Sound."
