"""Backups of a running floor: complete, sound, and usable for both kinds of database."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import Verified, verify
from punto.floor.database import open_database
from punto.floor.database.copying import tables_of
from punto.floor.database.schema import VERSION
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import SignedOut
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.terminals import Terminals
from punto.floor.people.approvals.proposals import Proposals
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper
from punto.floor.upkeep.backup import backup
from punto.table.records.positions import Position
from tests.cli.running import ENVIRONMENT
from tests.floor.audit.forging import tamper
from tests.floor.nights import Night, night, opened, small
from tests.floor.people.test_visitors import ALLOWED
from tests.floor.people.test_visitors import opened as opened_for_visitors
from tests.floor.playing import DEALER, SUPERVISOR, manual_table
from tests.floor.restoring import restored
from tests.floor.staff_floor import PASSWORD, Staffed, refused, run
from tests.waiting import DEADLINE_S, until

pytestmark = pytest.mark.slow

TABLES = 6


def _seen(url: str) -> Verified:
    with opened(url) as database:
        return verify(database)


def _rows(url: str, table: str) -> list[tuple[object, ...]]:
    with opened(url) as database:
        rows = database.reading(lambda transaction: transaction.rows(f"SELECT * FROM {table}")).result()  # noqa: S608
    return sorted(map(tuple, rows))


WHOLE = (
    "meta",
    "streams",
    "entries",
    "snapshots",
    "tables",
    "shoes",
    "scans",
    "scan_reads",
    "seals",
    "processes",
    "players",
    "rounds",
    "incidents",
    "alarms",
    "shoe_steps",
    "stops",
    "looks",
    "signatures",
    "round_marks",
    "round_blocks",
    "accounts",
    "sign_ins",
    "duty",
    "proposals",
    "terminals",
    "pins",
    "totp",
    "jobs",
    "day_sign_offs",
    "clocks",
)
"""All tables except the sessions and the codes of players."""


RECORDED = ("meta", "streams", "entries")
"""Tables where a restore leaves its own record."""


def _check_restored(target: str, source: str) -> None:
    """Everything is as it was, and one entry of the house says that it was restored."""
    for table in set(WHOLE) - set(RECORDED):
        assert _rows(target, table) == _rows(source, table), table
    before, after = _rows(source, "entries"), _rows(target, "entries")
    (added,) = set(after) - set(before)
    assert set(before) < set(after)
    assert "floor_restored.1" in str(added)


def _backed_up(url: str, path: Path) -> Path:
    with opened(url) as database:
        backup(database, path)
    return path


# ---- while it runs


def _entries(night: Night) -> int:
    return sum(live.head.version for live in night.floor.tables.values() if live.head)


def test_backups_by_another_process_while_tables_run_by_themselves(database_url: str, tmp_path: Path) -> None:
    """Each is the floor at one moment: sound, and later than the one before."""
    taken = [tmp_path / f"backup-{number}.db" for number in range(3)]

    async def play() -> None:
        database = open_database(database_url)
        try:
            floor = await Floor.start(database)
            night = Night(floor)
            for number in range(TABLES):
                await night.table(f"t{number}", cut_card=51)
            keeper = Keeper(floor)
            await keeper.run_once()
            for path in taken:
                before = _entries(night)
                await until(lambda before=before: _entries(night) > before + 100)  # type: ignore[misc]
                during = _entries(night)
                punto = [sys.executable, "-m", "punto", "backup", "--db", database_url, str(path)]
                process = await asyncio.create_subprocess_exec(
                    *punto, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
                _, said = await asyncio.wait_for(process.communicate(), DEADLINE_S)
                assert process.returncode == 0, said
                assert _entries(night) > during  # no writer waited for it
            await keeper.stop()
        finally:
            database.close()

    asyncio.run(play())
    entries = []
    for path in taken:
        seen = _seen(str(path))
        assert seen.faults == []
        entries.append(seen.entries)
        with opened(database_url) as database:
            assert verify(database, seen.heads).faults == []
    assert entries == sorted(set(entries))


# ---- backup and restore between both kinds


OTHER_KIND = ["other", pytest.param("same", marks=pytest.mark.nightly)]


@pytest.fixture
def target(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> str:
    """An empty database of the other kind, or of the same."""
    from_file = database_url.endswith(".db")
    to_file = from_file if request.param == "same" else not from_file
    return str(tmp_path / "target.db") if to_file else request.getfixturevalue("postgres_target")


@pytest.fixture
def postgres_target(postgres_server: str) -> str:
    """A second PostgreSQL database."""
    from tests.floor.servers import new_database  # noqa: PLC0415 - beside the fixture that starts it

    return new_database(postgres_server)


@pytest.mark.parametrize("target", OTHER_KIND, indirect=True)
def test_a_backup_of_either_kind_restores_into_either_kind(database_url: str, target: str, tmp_path: Path) -> None:
    small(database_url)
    restored(_backed_up(database_url, tmp_path / "backup.db"), target)
    _check_restored(target, database_url)
    kept = _seen(database_url).heads
    with opened(target) as database:
        assert verify(database, kept).faults == []
    # and the floor continues
    night(target, lambda floor: floor.rounds("t1", 1))
    with opened(target) as database:
        assert verify(database, kept).faults == []


def test_nobody_plays_on_from_a_backup(database_url: str, tmp_path: Path) -> None:
    """Its shoes may have been revealed since: a restore ends them."""
    small(database_url)
    path = _backed_up(database_url, tmp_path / "backup.db")
    with pytest.raises(FloorRefused) as caught:
        night(str(path), lambda floor: floor.rounds("t1", 1))
    assert caught.value.code is FloorCode.NOT_A_FLOOR
    assert "punto restore" in caught.value.message
    assert _rows(str(path), "entries") == _rows(database_url, "entries")


def test_a_backup_is_a_floor_of_its_own_that_verify_reads(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    path = _backed_up(str(tmp_path / "floor.db"), tmp_path / "backup.db")
    assert _seen(str(path)).sound
    assert _rows(str(path), "entries") == _rows(str(tmp_path / "floor.db"), "entries")


def test_a_backup_is_nobody_elses_to_read(database_url: str, tmp_path: Path) -> None:
    """It contains hashes of passwords and names of players."""
    small(database_url)
    path = _backed_up(database_url, tmp_path / "backup.db")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_sessions_are_not_restored_and_one_that_is_put_back_is_found(tmp_path: Path) -> None:
    """A session that was revoked after the backup must not come back."""
    url, target = str(tmp_path / "floor.db"), str(tmp_path / "target.db")

    async def before(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)

    run(url, before)
    restored(_backed_up(url, tmp_path / "backup.db"), target)
    (session,) = _rows(str(tmp_path / "backup.db"), "sessions")
    assert _rows(target, "sessions") == []
    assert _seen(target).faults == []
    tamper(target, (f"INSERT INTO sessions VALUES ({', '.join('?' for _ in session)})", session))  # noqa: S608 - marks
    assert [fault.code for fault in _seen(target).faults] == [FaultCode.SESSION_DIFFERS]


@pytest.mark.parametrize("target", OTHER_KIND, indirect=True)
def test_terminals_are_revoked_by_a_restore(database_url: str, target: str, tmp_path: Path) -> None:
    """One that was revoked after the backup must not come back, and no id is used again."""
    max_ = Actor("max", Position.PIT_MANAGER)
    keys = []

    async def before(house: Staffed) -> None:
        token, terminals = await house.hired("max", Position.PIT_MANAGER), Terminals(house.floor.house_log)
        keys.append((await terminals.enrol(max_, token, None, "pit")).key)

    async def after(house: Staffed) -> None:
        terminals = Terminals(house.floor.house_log)
        assert await terminals.find(keys[0]) == ""
        token = (await house.sessions.sign_in("max", PASSWORD)).token
        assert (await terminals.enrol(max_, token, None, "pit")).terminal.id == "terminal-2"

    run(database_url, before)
    restored(_backed_up(database_url, tmp_path / "backup.db"), target)
    run(target, after)
    with opened(target) as database:
        assert verify(database).faults == []


@pytest.mark.parametrize("target", OTHER_KIND, indirect=True)
def test_open_proposals_end_with_a_restore(database_url: str, target: str, tmp_path: Path) -> None:
    """One that was declined after the backup must not be approved."""

    async def before(house: Staffed) -> None:
        await house.hired(DEALER.name, DEALER.position)
        await house.hired(SUPERVISOR.name, SUPERVISOR.position)
        await manual_table(house.floor, "c1")
        proposals = Proposals(house.floor, house.acting)
        made = await proposals.propose(DEALER, "c1", "close", {"command": "close_table.1"})
        assert await proposals.list(SUPERVISOR) == [made]

    async def after(house: Staffed) -> None:
        proposals = Proposals(house.floor, house.acting)
        assert await proposals.list(SUPERVISOR) == []
        await refused(proposals.approve(SUPERVISOR, "c1", "close"), FloorCode.PROPOSAL_OVER)

    run(database_url, before)
    restored(_backed_up(database_url, tmp_path / "backup.db"), target)
    run(target, after)
    assert _seen(target).faults == []


@pytest.mark.parametrize("target", OTHER_KIND, indirect=True)
def test_visitors_come_back_signed_out_and_are_cashed_out(database_url: str, target: str, tmp_path: Path) -> None:
    """Otherwise their chips would stay and their names would be blocked."""

    async def before(house: Staffed) -> None:
        await opened_for_visitors(house)
        tokens.append((await house.visitors.enter("ann")).token)
        await house.visitors.buy_in(tokens[0], "t1")
        await house.hired("dora", Position.DEALER)

    async def after(house: Staffed) -> None:
        assert await house.visitors.rules() == ALLOWED
        await refused(house.sessions.actor(tokens[0]), FloorCode.NOT_SIGNED_IN)
        assert house.floor.table("t1").state.chips_minor("ann") == ALLOWED.buy_in_minor
        await house.visitors.enter("ann")
        assert house.floor.table("t1").state.chips_minor("ann") == 0
        assert [event for _, _, event in await house.told(SignedOut)] == [SignedOut("ann")]

    tokens: list[str] = []
    run(database_url, before)
    restored(_backed_up(database_url, tmp_path / "backup.db"), target)
    _check_restored(target, database_url)
    assert [row[2:4] for row in _rows(target, "sessions")] == [("ann", "visitor")]
    run(target, after)
    assert _seen(target).faults == []


@pytest.mark.parametrize("target", OTHER_KIND, indirect=True)
def test_players_come_back_and_no_id_is_given_twice(database_url: str, target: str, tmp_path: Path) -> None:
    async def before(house: Staffed) -> None:
        for name in ("Ann", "Bo"):
            await house.players.register(THE_CONSOLE, name, name)
        await house.players.erase(THE_CONSOLE, "P000002")

    async def after(house: Staffed) -> None:
        assert [player.name for player in await house.players.search(THE_CONSOLE)] == ["Ann"]
        assert (await house.players.register(THE_CONSOLE, "Cy")).id == "P000003"

    run(database_url, before)
    restored(_backed_up(database_url, tmp_path / "backup.db"), target)
    run(target, after)
    assert _seen(target).faults == []


def test_no_table_of_the_database_is_left_out_by_these_tests(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    with opened(str(tmp_path / "floor.db")) as database:
        assert {name for name, _ in database.reading(tables_of).result()} == {
            *WHOLE,
            "sessions",
            "player_codes",
            "counts",
        }


def test_a_restore_leaves_the_backup_as_it_was(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    path = _backed_up(str(tmp_path / "floor.db"), tmp_path / "backup.db")
    path.chmod(0o400)
    before = path.read_bytes()
    restored(path, str(tmp_path / "target.db"))
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("backup.db-*"))


# ---- refused, without changes


def test_a_backup_never_writes_over_a_file(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    (tmp_path / "backup.db").write_text("mine")
    with pytest.raises(FloorRefused) as refused:
        _backed_up(str(tmp_path / "floor.db"), tmp_path / "backup.db")
    assert refused.value.code is FloorCode.FILE_EXISTS
    assert (tmp_path / "backup.db").read_text() == "mine"


def test_a_backup_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    with pytest.raises(FloorRefused):
        _backed_up(str(tmp_path / "floor.db"), tmp_path / "none" / "backup.db")
    assert not (tmp_path / "none").exists()


def test_a_database_that_is_not_empty_is_refused(database_url: str, tmp_path: Path) -> None:
    small(str(tmp_path / "other.db"))
    path = _backed_up(str(tmp_path / "other.db"), tmp_path / "backup.db")

    async def play(_: Night) -> None:
        pass

    night(database_url, play)
    before = _rows(database_url, "entries")
    with pytest.raises(FloorRefused) as refused:
        restored(path, database_url)
    assert refused.value.code is FloorCode.NOT_EMPTY
    assert _rows(database_url, "entries") == before


def test_a_database_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    path = _backed_up(str(tmp_path / "floor.db"), tmp_path / "backup.db")
    other = apsw.Connection(str(tmp_path / "other.db"))
    other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    with pytest.raises(FloorRefused):
        restored(path, str(tmp_path / "other.db"))


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to look at" * 40, None])
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "backup.db").write_bytes(content)
    with pytest.raises(FloorRefused) as refused:
        restored(tmp_path / "backup.db", str(tmp_path / "target.db"))
    assert refused.value.code is FloorCode.NOT_A_BACKUP
    assert str(tmp_path / "backup.db") in refused.value.message
    assert not (tmp_path / "target.db").exists()


def test_a_backup_cut_off_in_the_middle_is_not_restored(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    path = _backed_up(str(tmp_path / "floor.db"), tmp_path / "backup.db")
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(FloorRefused):
        restored(path, str(tmp_path / "target.db"))
    assert not (tmp_path / "target.db").exists() or _rows(str(tmp_path / "target.db"), "entries") == []


def test_a_backup_of_a_newer_punto_is_refused(tmp_path: Path) -> None:
    small(str(tmp_path / "floor.db"))
    path = _backed_up(str(tmp_path / "floor.db"), tmp_path / "backup.db")
    newer = Path(shutil.copyfile(path, tmp_path / "newer.db"))
    tamper(str(newer), ("UPDATE meta SET value = ? WHERE name = 'schema'", (str(VERSION + 1),)))
    with pytest.raises(FloorRefused) as refused:
        restored(newer, str(tmp_path / "target.db"))
    assert refused.value.code is FloorCode.DATABASE_NEWER
