"""What ``--db`` accepts: one file is one floor under any name, and other addresses are refused with a clear message."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.running.floor import Floor
from punto.floor.upkeep.migration import migrate
from tests.floor.playing import running


def refused(url: str, code: FloorCode = FloorCode.BAD_DATABASE) -> str:
    """The message of the refusal."""
    with pytest.raises(FloorRefused) as trouble:
        open_database(url).close()
    assert trouble.value.code is code, trouble.value.message
    return trouble.value.message


# ---- one file, many names


@pytest.mark.parametrize("kind", ["file", "directory", "dots", "prefix"])
def test_a_second_floor_on_the_same_file_by_another_name_is_refused(tmp_path: Path, kind: str) -> None:
    room = tmp_path / "room"
    room.mkdir()
    path = room / "floor.db"
    names = {
        "file": tmp_path / "link.db",
        "directory": tmp_path / "link" / "floor.db",
        "dots": room / ".." / "room" / "floor.db",
        "prefix": f"sqlite://{path}",
    }
    (tmp_path / "link.db").symlink_to(path)
    (tmp_path / "link").symlink_to(room)

    async def evening() -> None:
        async with running(str(path)):
            second = open_database(str(names[kind]))
            try:
                with pytest.raises(FloorRefused) as trouble:
                    await Floor.start(second)
                assert trouble.value.code is FloorCode.DATABASE_IN_USE
            finally:
                second.close()
            with pytest.raises(FloorRefused) as trouble:
                migrate(str(names[kind]))
            assert trouble.value.code is FloorCode.DATABASE_IN_USE

    asyncio.run(evening())


def test_a_link_to_a_file_that_is_not_there_yet_makes_the_file(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "floor.db")
    open_database(str(tmp_path / "link.db")).close()
    assert (tmp_path / "floor.db").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "link.db").is_symlink()


def test_links_in_a_circle_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "one.db").symlink_to(tmp_path / "two.db")
    (tmp_path / "two.db").symlink_to(tmp_path / "one.db")
    assert "one.db" in refused(str(tmp_path / "one.db"))


def test_a_place_where_the_lock_cannot_be_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    (tmp_path / "floor.db-floor").mkdir()
    database = open_database(str(path))
    try:
        with pytest.raises(FloorRefused) as trouble:
            asyncio.run(Floor.start(database))
    finally:
        database.close()
    assert trouble.value.code is FloorCode.BAD_DATABASE


# ---- not a database


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "No database is given"),
        (" ", "No database is given"),
        ("sqlite://", "No database is given"),
        (":memory:", "cannot be kept in memory"),
        ("sqlite://:memory:", "cannot be kept in memory"),
        ("mysql://root@localhost/floor", "'mysql' databases are not supported"),
        ("https://example.org/floor.db", "'https' databases are not supported"),
        ("PostgreSQL://localhost/floor", "'PostgreSQL' databases are not supported"),
        ("file:floor.db?mode=memory", "'file' databases are not supported"),
    ],
)
def test_what_names_no_database(url: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    message = refused(url)
    assert words in message
    assert "Give the path of an SQLite file or a postgresql:// address." in message
    assert not list(tmp_path.iterdir())
    for command in (["verify"], ["migrate"], ["staff", "add", "dora"], ["backup", "copy"]):
        done = CliRunner().invoke(main, [*command, "--db", url, "--json"])
        assert done.exit_code == 2, done.output
        assert msgspec.json.decode(done.stdout)["error"] == {"code": "bad_database", "message": message, "clauses": []}
    assert not list(tmp_path.iterdir())


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    assert refused(str(tmp_path)) == f"{tmp_path} is a directory. Give the path of a file."


def test_a_name_with_a_colon_is_a_name(tmp_path: Path) -> None:
    open_database(str(tmp_path / "salon:1.db")).close()
    assert (tmp_path / "salon:1.db").exists()


@pytest.mark.parametrize("url", ["postgresql://%%%", "postgresql://ann:secret%zz@localhost/floor", "postgresql://[::1"])
def test_what_is_no_address_of_a_server(url: str) -> None:
    message = refused(url)
    assert "This is not a valid database address. Use postgresql://" in message
    assert "secret" not in message


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/none", "postgresql://?host=/no/such/directory"])
def test_a_server_that_is_not_there_is_not_to_be_asked_again_with_an_id(url: str) -> None:
    message = refused(url, FloorCode.DATABASE_LOST)
    assert "does not answer" in message
    assert "Check that it is running and that the address is right." in message
    assert "Send the command again" not in message
