"""``verify`` compares the tables ``rounds`` and ``seals`` with the journal."""

import asyncio
import shutil
from pathlib import Path

import pytest

from punto.floor import audit
from punto.floor.audit.checks import rounds as check_rounds
from punto.floor.audit.faults import FaultCode
from punto.floor.audit.stored import read_stored
from punto.floor.audit.verify import verify
from punto.floor.database.base import Database
from punto.floor.house.replica import Replica
from punto.floor.upkeep.rebuild import rebuild
from punto.table.records.state import Phase
from tests.floor.audit.forging import tamper
from tests.floor.journal.test_round_index import stored
from tests.floor.nights import Night, night, opened, small


def faults(url: str) -> list[tuple[str, int | None, FaultCode, str]]:
    with opened(url) as database:
        return [(each.stream, each.version, each.code, each.message) for each in verify(database).faults]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small journal with a bit of everything."""
    url = str(tmp_path_factory.mktemp("verify") / "floor.db")
    small(url)
    return url


@pytest.fixture(params=[1, 3, 200])
def url(request: pytest.FixtureRequest, made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A copy that the test may change, verified in pages of this many rounds."""
    monkeypatch.setattr(check_rounds, "ROUNDS_A_PAGE", request.param)
    return shutil.copyfile(made, str(tmp_path / "floor.db"))


DIFFERS = "in the table `rounds` differs from the journal in"
IN_T1 = "stream = (SELECT id FROM streams WHERE name = 't1/1')"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            "UPDATE rounds SET win_minor = win_minor + 1 WHERE number = 3",
            "round 3 in the table `rounds` differs from the journal in win_minor",
        ),
        (
            "UPDATE rounds SET record = replace(record, 'ann', 'eve') WHERE number = 5",
            "round 5 in the table `rounds` differs from the journal in record",
        ),
        (
            "UPDATE rounds SET record = '{' WHERE number > 1",
            "round 2 in the table `rounds` differs from the journal in record (and 3 more)",
        ),
        ("DELETE FROM rounds WHERE number IN (2, 4)", "the table `rounds` lacks round 2 (and 1 more)"),
        ("DELETE FROM rounds WHERE number = 5", "the table `rounds` lacks round 5"),
        ("UPDATE rounds SET number = 9 WHERE number = 5", "the table `rounds` lacks round 5 (and 1 more)"),
        (
            "UPDATE rounds SET number = -9 WHERE number = 5",
            "the table `rounds` has a round -9 that is not in the journal (and 1 more)",
        ),
    ],
)
def test_verify_finds_rows_that_differ(url: str, change: str, words: str) -> None:
    assert faults(url) == []
    tamper(url, (f"{change} {'AND' if 'WHERE' in change else 'WHERE'} {IN_T1}", ()))
    ((stream, _, code, message),) = faults(url)
    assert (stream, code, message) == ("t1/1", FaultCode.ROUNDS_DIFFER, f"{words}; run `punto rebuild`")


def test_verify_finds_rows_without_a_table(url: str) -> None:
    tamper(url, ("UPDATE rounds SET stream = 99 WHERE number = 5", ()))
    assert [(stream, code) for stream, _, code, _ in faults(url)] == [
        ("t1/1", FaultCode.ROUNDS_DIFFER),
        ("database", FaultCode.ROUNDS_DIFFER),
    ]


@pytest.mark.parametrize("column", ["outcome", "record"])
def test_verify_finds_rows_that_are_not_text(url: str, column: str) -> None:
    tamper(url, (f"UPDATE rounds SET {column} = CAST(x'ff' AS TEXT) WHERE number = 2 AND {IN_T1}", ()))  # noqa: S608
    assert [(stream, code) for stream, _, code, _ in faults(url)] == [("t1/1", FaultCode.ROUNDS_DIFFER)]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE seals SET revealed = 0 WHERE revealed > 0",
        "UPDATE seals SET sealed = sealed + 1",
        "DELETE FROM seals WHERE revealed = 0",
        "INSERT INTO seals (shoe, at_table, sealed, revealed) VALUES ('forged', 't1', 3, 0)",
    ],
)
def test_verify_compares_the_seals(url: str, change: str) -> None:
    tamper(url, (change, ()))
    assert {(stream, code) for stream, _, code, _ in faults(url)} == {("house", FaultCode.SEALS_DIFFER)}
    rebuild(url)
    assert faults(url) == []


def test_verify_ignores_rounds_that_are_played_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the heads are read, the round in play is settled and another is played; old rows are still compared."""
    monkeypatch.setattr(check_rounds, "ROUNDS_A_PAGE", 1)
    url = str(tmp_path / "floor.db")
    real = read_stored
    found: list[list[str]] = []

    async def play(floor: Night) -> None:
        await floor.table("t1")
        await floor.rounds("t1", 2)
        await floor.until("t1", Phase.BETTING)
        loop = asyncio.get_running_loop()

        def reading(database: Database, replica: Replica) -> object:
            stored_then = real(database, replica)
            asyncio.run_coroutine_threadsafe(floor.rounds("t1", 2), loop).result()
            return stored_then

        monkeypatch.setattr(audit.verify, "read_stored", reading)
        for change in ("", "UPDATE rounds SET win_minor = win_minor + 1 WHERE number = 1"):
            if change:
                await floor.floor.database.write(lambda transaction: transaction.change(change))  # noqa: B023
            result = await asyncio.to_thread(verify, floor.floor.database)
            found.append([fault.message for fault in result.faults])

    night(url, play)
    assert found == [[], [f"round 1 {DIFFERS} win_minor; run `punto rebuild`"]]


def test_a_new_field_with_its_default_differs_from_nothing(url: str) -> None:
    """Records are compared as they are read."""
    tamper(url, ("""UPDATE rounds SET record = replace(record, ',"reason":""', '')""", ()))
    assert any('"reason"' not in row[-1] for row in stored(url))
    assert faults(url) == []


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("UPDATE seals SET at_table = CAST(x'ff' AS TEXT)", FaultCode.SEALS_DIFFER),
        (
            "INSERT INTO players (number, name, notes, registered_us) VALUES (1, 'Ann', CAST(x'ff' AS TEXT), 1)",
            FaultCode.PLAYER_DIFFERS,
        ),
    ],
)
def test_damage_beside_the_journal_does_not_stop_the_audit(tmp_path: Path, damage: str, code: FaultCode) -> None:
    url = str(tmp_path / "floor.db")
    small(url)
    tamper(url, (damage, ()))
    with opened(url) as database:
        seen = verify(database)
    assert [fault.code for fault in seen.faults] == [code]
    assert seen.judged_again == seen.commands > 0
