"""``verify`` compares snapshots, accounts, rules and setups with the entries."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry
from punto.floor.journal.replay import take_snapshot
from punto.floor.journal.streams import Head
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.adopted_readings import adopt_reading
from punto.floor.running.floor import Floor
from punto.table.records.ledger import FLOAT
from punto.table.records.positions import Position
from punto.table.records.state import Table
from tests.floor.audit.forging import entries, is_a, retold, rewrite, tamper
from tests.floor.audit.test_verify import found
from tests.floor.nights import opened, small
from tests.floor.staff_floor import READER, Staffed, run

pytestmark = pytest.mark.slow

MANAGER = Actor("sid", Position.SHIFT_MANAGER)
RICH = Table(balances={"chips:ann": 1, FLOAT: -1})
INSERT = "INSERT INTO snapshots (stream, version, form, state, hash) SELECT id, ?, ?, ?, ? FROM streams WHERE name = ?"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small journal with a bit of everything."""
    path = tmp_path_factory.mktemp("journal") / "floor.db"
    small(str(path))
    return path


@pytest.fixture
def url(made: Path, tmp_path: Path) -> str:
    """A copy that the test may change."""
    return str(shutil.copyfile(made, tmp_path / "floor.db"))


async def _started(url: str) -> Table:
    database = open_database(url)
    try:
        floor = await Floor.start(database)
        return floor.table("t1").state
    finally:
        await asyncio.to_thread(database.close)


# ---- snapshots


def _forge(url: str, version: int, before: str) -> None:
    """A snapshot at an entry, with a valid hash."""
    forged = take_snapshot(RICH, Head("t1/2", 0, version, before))
    row = (forged.version, forged.form, forged.state, forged.hash, "t1/2")
    tamper(url, ("DELETE FROM snapshots", ()), (INSERT, row))


def test_a_snapshot_from_the_middle_of_a_command_is_found_and_not_used(url: str) -> None:
    told = entries(url, "t1/2")
    honest = asyncio.run(_started(url))
    middle = next(after.version - 1 for after in told if after.part)
    _forge(url, middle, told[middle - 1].hash)
    assert found(url) == [("t1/2", middle, FaultCode.SNAPSHOT_DIFFERS)]
    assert asyncio.run(_started(url)) == honest


@pytest.mark.parametrize("version", [-1, 0, 100_000])
def test_a_snapshot_of_an_entry_that_there_is_not_is_found_and_not_used(url: str, version: int) -> None:
    honest = asyncio.run(_started(url))
    _forge(url, version, "")
    assert found(url) == [("t1/2", version, FaultCode.SNAPSHOT_DIFFERS)]
    assert asyncio.run(_started(url)) == honest


@pytest.mark.parametrize(
    "damage",
    ["form = CAST(x'ff' AS TEXT)", "hash = CAST(x'ff' AS TEXT)", "state = 'text'", "state = 9", "form = x'00'"],
)
def test_a_snapshot_that_can_be_none_is_found_and_not_used(url: str, damage: str) -> None:
    told = entries(url, "t1/2")
    honest = asyncio.run(_started(url))
    _forge(url, 5, told[4].hash)
    tamper(url, (f"UPDATE snapshots SET {damage}", ()))  # noqa: S608 - our own
    assert found(url) == [("t1/2", None, FaultCode.SNAPSHOT_DIFFERS)]
    assert asyncio.run(_started(url)) == honest


# ---- accounts, rules, setups


def _staff(url: str) -> None:
    async def hire(house: Staffed) -> None:
        await house.accounts.create(THE_CONSOLE, "dora", Position.DEALER)
        await house.accounts.create(THE_CONSOLE, "sue", None)
        await house.accounts.assign(THE_CONSOLE, "sue", Position.PIT_SUPERVISOR)
        await house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER)
        for name in ("Ann", "Bo", "Cy"):
            await house.players.register(THE_CONSOLE, name, notes="tall")
        await house.players.change(THE_CONSOLE, "P000002", name="Bob")
        await house.players.erase(THE_CONSOLE, "P000003")
        await house.table("t1")
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, buy_in_minor=5_00, tables=("t1",)))
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, buy_in_minor=7_00, tables=("t1",)))
        for value in (20, 30):
            await adopt_reading(house.floor.house_log, MANAGER, "cut_card", value, "the shift agreed")

    run(url, hire)


ALTERED = {
    "UPDATE accounts SET position = 'administrator' WHERE name = 'dora'": FaultCode.ACCOUNT_DIFFERS,
    "UPDATE accounts SET folded = 'eve' WHERE name = 'dora'": FaultCode.ACCOUNT_DIFFERS,
    "DELETE FROM accounts WHERE name = 'dora'": FaultCode.ACCOUNT_DIFFERS,
    "INSERT INTO accounts (folded, name, kind, password, position, to_change)"
    " VALUES ('eve', 'eve', 'person', '', 'administrator', 0)": FaultCode.ACCOUNT_DIFFERS,
    "DELETE FROM players WHERE number = 1": FaultCode.PLAYER_DIFFERS,
    "DELETE FROM players WHERE number = 3": FaultCode.PLAYER_DIFFERS,
    "UPDATE players SET name = NULL WHERE number = 1": FaultCode.PLAYER_DIFFERS,
    "UPDATE players SET name = 'Eve' WHERE number = 1": FaultCode.PLAYER_DIFFERS,
    "UPDATE players SET name = 'Cy', folded = 'cy' WHERE number = 3": FaultCode.PLAYER_DIFFERS,
    "UPDATE players SET notes = 'tall' WHERE number = 3": FaultCode.PLAYER_DIFFERS,
    "INSERT INTO players (number, name, folded, notes, registered_us)"
    " VALUES (4, 'Eve', 'eve', '', 0)": FaultCode.PLAYER_DIFFERS,
    "UPDATE meta SET value = replace(value, '700', '70000') WHERE name = 'floor_rules'": FaultCode.FLOOR_RULES_DIFFER,
    "UPDATE meta SET value = 'none' WHERE name = 'floor_rules'": FaultCode.FLOOR_RULES_DIFFER,
    "DELETE FROM meta WHERE name = 'floor_rules'": FaultCode.FLOOR_RULES_DIFFER,
    "UPDATE meta SET value = '{\"cut_card\":1}' WHERE name = 'adopted_readings'": FaultCode.READINGS_DIFFER,
    "UPDATE meta SET value = 'none' WHERE name = 'adopted_readings'": FaultCode.READINGS_DIFFER,
    "UPDATE meta SET value = '{}' WHERE name = 'adopted_readings'": FaultCode.READINGS_DIFFER,
    "DELETE FROM meta WHERE name = 'adopted_readings'": FaultCode.READINGS_DIFFER,
    "UPDATE tables SET setup = replace(setup, '\"deal_s\":1.0', '\"deal_s\":0.0')": FaultCode.TABLE_DIFFERS,
    'UPDATE tables SET setup = replace(setup, \'"seed":""\', \'"seed":"x"\')': FaultCode.TABLE_DIFFERS,
}


@pytest.mark.parametrize("statement", ALTERED)
def test_what_stands_beside_the_streams_is_held_against_the_record(tmp_path: Path, statement: str) -> None:
    url = str(tmp_path / "floor.db")
    _staff(url)
    assert found(url) == []
    tamper(url, (statement, ()))
    assert found(url) == [("house", None, ALTERED[statement])]


def test_it_is_so_on_postgresql_too(postgres_url: str) -> None:
    _staff(postgres_url)
    assert found(postgres_url) == []
    tamper(postgres_url, *((statement, ()) for statement in list(ALTERED)[:1]))
    with opened(postgres_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.ACCOUNT_DIFFERS]


def _registered_out_of_order(told: list[Entry]) -> tuple[list[Entry], int]:
    at = max(at for at, entry in enumerate(told) if is_a(entry, "player_registered.1"))
    return [*told[:at], retold(told[at], player="P000007"), *told[at + 1 :]], at


def _changed_though_unknown(told: list[Entry]) -> tuple[list[Entry], int]:
    at = next(at for at, entry in enumerate(told) if is_a(entry, "player_changed.1"))
    return [*told[:at], retold(told[at], player="P000009"), *told[at + 1 :]], at


def _changed_though_erased(told: list[Entry]) -> tuple[list[Entry], int]:
    at = next(at for at, entry in enumerate(told) if is_a(entry, "player_changed.1"))
    return [*told[:at], told[at + 1], retold(told[at], player="P000003"), *told[at + 2 :]], at + 1


@pytest.mark.parametrize("forge", [_registered_out_of_order, _changed_though_unknown, _changed_though_erased])
def test_events_of_players_that_cannot_be_are_found(
    tmp_path: Path, forge: Callable[[list[Entry]], tuple[list[Entry], int]]
) -> None:
    url = str(tmp_path / "floor.db")
    _staff(url)
    _, at = forge(entries(url, "house"))
    rewrite(url, "house", lambda told: forge(told)[0])
    assert ("house", at + 1, FaultCode.PLAYER_DIFFERS) in found(url)


def test_an_adoption_that_was_retold_is_found(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    _staff(url)
    at = next(entry.version for entry in entries(url, "house") if is_a(entry, "reading_adopted.1"))
    altered = "UPDATE entries SET event = replace(event, '\"value\":20', '\"value\":51') WHERE version = ?"
    tamper(url, (altered, (at,)))
    assert found(url)[0] == ("house", at, FaultCode.ENTRY_ALTERED)
