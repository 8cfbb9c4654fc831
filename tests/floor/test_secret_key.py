"""The floor's secret key: where it is, who may read it, and which one a database is used with."""

import asyncio
import logging
import stat
from pathlib import Path

import pytest

from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.running.floor import Floor
from punto.floor.secret_key import VARIABLE, NotOpened, SecretKey, find_key, floor_key

KEY = SecretKey(bytes(32))


@pytest.fixture(autouse=True)
def _unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)


def _write(path: Path, text: str = "ab" * 32) -> str:
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def _started(url: str, key_file: str = "") -> None:
    asyncio.run(_start(url, key_file))


async def _start(url: str, key_file: str) -> None:
    database = open_database(url)
    try:
        await Floor.start(database, key_file=key_file)
    finally:
        await asyncio.to_thread(database.close)


def _refused(url: str, key_file: str = "") -> FloorRefused:
    with pytest.raises(FloorRefused) as caught:
        _started(url, key_file)
    assert caught.value.code == FloorCode.BAD_KEY
    return caught.value


# ---- sealing


def test_what_is_sealed_opens_with_the_key_and_what_it_is_about() -> None:
    sealed = KEY.seal(b"Ah Kd", b"shoe 1")
    assert b"Ah" not in sealed
    assert KEY.open(sealed, b"shoe 1") == b"Ah Kd"


def test_the_same_text_is_never_sealed_the_same_way_twice() -> None:
    assert KEY.seal(b"Ah Kd", b"shoe 1") != KEY.seal(b"Ah Kd", b"shoe 1")


@pytest.mark.parametrize("change", ["about", "key", "bit", "cut", "empty"])
def test_anything_else_does_not_open(change: str) -> None:
    sealed = KEY.seal(b"Ah Kd", b"shoe 1")
    key = SecretKey(bytes([1]) * 32) if change == "key" else KEY
    about = b"shoe 2" if change == "about" else b"shoe 1"
    altered = {"bit": sealed[:-1] + bytes([sealed[-1] ^ 1]), "cut": sealed[:-1], "empty": b""}
    with pytest.raises(NotOpened):
        key.open(altered.get(change, sealed), about)


# ---- beside an SQLite file


def test_the_first_start_makes_a_key_that_its_owner_alone_can_read(tmp_path: Path) -> None:
    _started(str(tmp_path / "floor.db"))
    made = tmp_path / "punto.key"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert len(bytes.fromhex(made.read_text())) == 32
    before = made.read_bytes()
    _started(str(tmp_path / "floor.db"))
    assert made.read_bytes() == before


def test_a_floor_does_not_start_without_the_key_it_was_used_with(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    _started(url)
    (tmp_path / "punto.key").unlink()
    assert "Put it back" in _refused(url).message
    assert not (tmp_path / "punto.key").exists()
    _write(tmp_path / "punto.key")
    assert "is not the key" in _refused(url).message


@pytest.mark.parametrize("text", ["", "ab", "ab" * 33, "zz" * 32, "\u00e9" * 64])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    refused = _refused(str(tmp_path / "floor.db"), _write(tmp_path / "other.key", text))
    assert "64 hexadecimal digits" in refused.message


def test_a_named_key_is_never_made(tmp_path: Path) -> None:
    named = tmp_path / "typo.key"
    _refused(str(tmp_path / "floor.db"), str(named))
    assert not named.exists()


def test_a_key_that_others_can_read_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    key = tmp_path / "open.key"
    _write(key)
    key.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        _started(str(tmp_path / "floor.db"), str(key))
    assert "others can read the key" in caplog.text
    assert "ab" * 32 not in caplog.text


# ---- PostgreSQL, and named keys


def test_a_floor_on_postgresql_needs_a_named_key(postgres_url: str) -> None:
    assert VARIABLE in _refused(postgres_url).message


def test_every_process_needs_the_same_key(database_url: str, tmp_path: Path) -> None:
    _started(database_url, _write(tmp_path / "one.key"))
    _refused(database_url, _write(tmp_path / "two.key", "cd" * 32))
    _started(database_url, str(tmp_path / "one.key"))


def test_the_environment_names_the_key_too(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, _write(tmp_path / "one.key"))
    _started(database_url)
    monkeypatch.delenv(VARIABLE)
    _refused(database_url, _write(tmp_path / "two.key", "cd" * 32))


def test_the_database_holds_nothing_of_the_key_but_a_check_value(database_url: str, tmp_path: Path) -> None:
    _started(database_url, _write(tmp_path / "one.key"))
    database = open_database(database_url)
    try:
        meta: dict[str, str] = dict(
            database.reading(lambda transaction: transaction.rows("SELECT name, value FROM meta")).result()
        )
    finally:
        database.close()
    assert "ab" * 8 not in str(meta)
    assert meta["key_check"] == SecretKey(bytes.fromhex("ab" * 32)).check_value


# ---- for reading


def test_a_reader_takes_only_the_key_of_the_database(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    _started(url)
    database = open_database(url)
    try:
        key = find_key(database)
        assert key is not None
        assert key.check_value == floor_key(database).check_value
        _write(tmp_path / "punto.key", "cd" * 32)
        assert find_key(database) is None
        with pytest.raises(FloorRefused):
            find_key(database, str(tmp_path / "punto.key"))
        (tmp_path / "punto.key").unlink()
        assert find_key(database) is None
    finally:
        database.close()
