"""``punto staff`` as a real process, while the floor runs on the same database."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.floor.database import open_database
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import AccountCreated, FloorRulesChanged, PositionAssigned
from punto.floor.people.accounts.accounts import Accounts
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.sessions import Sessions
from punto.table.records.positions import Position
from tests.cli.running import punto
from tests.floor.staff_floor import BRIDGE, CHEAP, PASSWORD, Staffed, refused, run
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow


def staff(url: str, *arguments: str) -> Any:
    """Its JSON output."""
    done = punto("staff", *arguments, "--json", "--db", url)
    assert done.returncode == 0, done
    return msgspec.json.decode(done.stdout)


def refusal(url: str, *arguments: str) -> str:
    """The code of a refusal, without starting a process."""
    done = CliRunner().invoke(main, ["staff", *arguments, "--json", "--db", url])
    assert done.exit_code == 2, done
    return str(msgspec.json.decode(done.stdout)["error"]["code"])


def test_the_command_line_looks_after_a_floor_that_runs(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        sessions = Sessions(house.floor.house_log, house.floor.key, Passwords())
        await house.table("t1")
        made = await asyncio.to_thread(staff, database_url, "add", "dora", "--position", "dealer")
        assert made.keys() == {"name", "position", "password", "administrator_password"}
        first = await sessions.sign_in("administrator", made["administrator_password"])
        assert (first.position, first.to_change) == (Position.ADMINISTRATOR, True)
        signed_in = await sessions.sign_in("dora", made["password"])
        await sessions.change_password(signed_in.token, made["password"], PASSWORD)
        assert await sessions.actor(signed_in.token) == Actor("dora", Position.DEALER)

        await asyncio.to_thread(staff, database_url, "assign", "dora", "pit_manager")
        assert await sessions.actor(signed_in.token) == Actor("dora", Position.PIT_MANAGER)
        await asyncio.to_thread(staff, database_url, "assign", "dora", "off")
        await refused(sessions.actor(signed_in.token), FloorCode.NO_POSITION)
        await asyncio.to_thread(staff, database_url, "revoke", "dora")
        await refused(sessions.actor(signed_in.token), FloorCode.NOT_SIGNED_IN)
        again = await asyncio.to_thread(staff, database_url, "password", "dora")
        assert (await sessions.sign_in("dora", again["password"])).to_change

        scanner = ("scanner", "--position", "dealer", "--work", "cards", "--table", "t1", "--days", "1")
        issued = await asyncio.to_thread(staff, database_url, "token", *scanner)
        lines = {line["name"]: line for line in await asyncio.to_thread(staff, database_url, "list")}
        assert {name: (line["holder"], line["position"]) for name, line in lines.items()} == {
            "administrator": ("person", "administrator"),
            "dora": ("person", "off"),
            "scanner": ("machine", "dealer"),
        }
        assert await sessions.actor(issued["token"]) == Actor("scanner", Position.DEALER, bounds=BRIDGE)

        asked = ("visitors", "--allow", "--buy-in", "97.50", "--times", "2", "--boxes", "3", "--table", "t1")
        rules = await asyncio.to_thread(staff, database_url, *asked)
        assert rules == {"visitors": True, "buy_in": "97.50", "buy_ins": 2, "tables": ["t1"], "boxes": 3}
        allowed = FloorRules(visitors=True, buy_in_minor=97_50, buy_ins=2, tables=("t1",), boxes=3)
        assert await house.visitors.rules() == allowed
        emptied = await asyncio.to_thread(staff, database_url, "visitors", "--no-tables")
        shown = await asyncio.to_thread(punto, "staff", "visitors", "--db", database_url)
        assert shown.stdout == b"Visitors may enter.\n  At most 3 boxes of a table\n  No table is for play money\n"
        assert emptied == {"visitors": True, "buy_in": "97.50", "buy_ins": 2, "tables": [], "boxes": 3}
        visit = await house.visitors.enter("ann")
        await asyncio.to_thread(staff, database_url, "revoke", "ann")
        await refused(sessions.actor(visit.token), FloorCode.NOT_SIGNED_IN)
        visit = await house.visitors.enter("dora")
        assert (await asyncio.to_thread(staff, database_url, "revoke", "dora"))["visit_open"]
        assert (await sessions.actor(visit.token)).position is Position.PLAYER
        await asyncio.to_thread(staff, database_url, "revoke", "dora", "--visitor")
        await refused(sessions.actor(visit.token), FloorCode.NOT_SIGNED_IN)
        told = await house.told()
        by = {
            (who, position) for who, position, event in told if isinstance(event, PositionAssigned | FloorRulesChanged)
        }
        assert by == {("console", "administrator")}
        assert len([event for _, _, event in told if isinstance(event, AccountCreated)]) == 3

    run(database_url, test)


def test_the_first_account_makes_the_floor_and_what_is_refused_says_why(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    for arguments in (
        ("list",),
        ("assign", "dora", "dealer"),
        ("token", "s", "--position", "dealer", "--work", "read"),
    ):
        assert refusal(url, *arguments) == "not_a_floor"
    assert not Path(url).exists()
    done = punto("staff", "add", "house", "--db", url)
    assert done.returncode == 2
    assert b"administrator (administrator)\n  One-time password, shown only once: " in done.stdout
    assert done.stderr == b"Refused (name_taken): The name 'house' is reserved for the house. Choose another one.\n"
    refusals: list[tuple[tuple[str, ...], str]] = [
        (("add", "administrator"), "account_exists"),
        (("add", "a\tb"), "bad_name"),
        (("assign", "dora", "dealer"), "unknown_account"),
        (("token", "scanner", "--position", "dealer", "--work", "read", "--days", "0"), "bad_token"),
        (("token", "administrator", "--position", "dealer", "--work", "read"), "account_exists"),
        (("visitors", "--buy-in", "much"), "not_an_amount"),
        (("visitors", "--times", "0"), "bad_floor_rules"),
        (("visitors", "--table", "t9"), "unknown_table"),
        (("visitors", "--table", "t9", "--no-tables"), "bad_floor_rules"),
    ]
    for asked, code in refusals:
        assert refusal(url, *asked) == code, asked
    for wrong in (("assign", "administrator", "house"), ("add", "eve", "--position", "player"), ("fire", "eve")):
        done_here = CliRunner().invoke(main, ["staff", *wrong, "--db", url])
        assert (done_here.exit_code, type(done_here.exception)) == (2, SystemExit), done_here
    listed = punto("staff", "list", "--db", url).stdout.decode().splitlines()
    assert [line.split() for line in listed] == [
        ["name", "position", "sessions"],
        ["administrator", "administrator", "0", "one-time", "password"],
    ]


WRITING = {
    ("add", "dora"): 0,
    ("assign", "dora", "dealer"): 2,
    ("password", "dora"): 2,
    ("revoke", "dora"): 2,
    ("token", "scanner", "--position", "dealer", "--work", "read"): 0,
    ("visitors", "--allow"): 0,
}
"""With the exit code on a floor without accounts."""


@pytest.mark.parametrize("arguments", WRITING, ids=lambda arguments: arguments[0])
def test_whatever_changes_a_floor_first_creates_its_administrator(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Passwords.__init__, "__defaults__", (CHEAP,))  # the last test shows how dear they are
    for as_json in (["--json"], []):
        url = str(tmp_path / f"floor{len(as_json)}.db")
        open_database(url).close()
        for reading in (["list"], ["visitors"]):  # commands that only read change nothing
            looked = CliRunner().invoke(main, ["staff", *reading, "--json", "--db", url])
            assert (looked.exit_code, "administrator" in looked.output) == (0, False), looked.output
        done = CliRunner().invoke(main, ["staff", *arguments, *as_json, "--db", url])
        assert done.exit_code == WRITING[arguments], done.output
        shown = done.stderr if as_json else done.stdout
        assert shown.startswith("administrator (administrator)\n  One-time password, shown only once: ")
        once = shown.split(": ")[1].splitlines()[0]
        if as_json and not done.exit_code:
            assert msgspec.json.decode(done.stdout)["administrator_password"] == once
        again = CliRunner().invoke(main, ["staff", *arguments, *as_json, "--db", url])
        assert "administrator" not in again.output

        async def test(house: Staffed, once: str = once) -> None:
            sessions = Sessions(house.floor.house_log, house.floor.key, Passwords())
            assert (await sessions.sign_in("administrator", once)).position is Position.ADMINISTRATOR

        run(url, test)


def test_without_argon2_it_says_how_to_install_it_and_still_helps(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['argon2'] = None; from punto.cli import main; main()"
    for arguments, status in ((("staff", "add", "dora", "--db", str(tmp_path / "f.db")), 2), (("staff", "-h"), 0)):
        command = [sys.executable, "-c", hidden, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        assert done.returncode == status, done
        assert ("pip install 'punto[serve]'" in done.stderr) is (status == 2)
        assert "Traceback" not in done.stderr


def test_passwords_of_the_command_line_are_as_dear_as_any(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    staff(url, "add", "dora")

    async def test(house: Staffed) -> None:
        rows = await house.database.read(lambda tx: tx.rows("SELECT password FROM accounts"))
        assert len(rows) == 2
        assert all(kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$") for (kept,) in rows)
        assert await Accounts(house.floor.house_log).first_start() is None

    run(url, test)
