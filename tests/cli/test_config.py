"""``punto config``: every setting from every source, and their precedence."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from punto.floor.errors import FloorCode, FloorRefused
from punto.web.config import Config, Setting, printable_value, read_config, without_password
from tests.cli.running import punto_here
from tests.web.process import CLEAN

pytestmark = pytest.mark.slow

GIVEN: dict[str, tuple[Any, str, list[str], Any, Any]] = {
    # in the file, in the environment, as flags; the values of the last two
    "db": ("a.db", "b.db", ["--db", "c.db"], "b.db", "c.db"),
    "key_file": ("a.key", "b.key", ["--key-file", "c.key"], "b.key", "c.key"),
    "host": ("127.0.0.2", "127.0.0.3", ["--host", "127.0.0.4"], "127.0.0.3", "127.0.0.4"),
    "port": (1001, "1002", ["--port", "1003"], 1002, 1003),
    "origins": (
        ["https://a"],
        "https://b, https://c",
        ["--origin", "https://d", "--origin", "https://e"],
        ["https://b", "https://c"],
        ["https://d", "https://e"],
    ),
    "hosts": (["a"], "b, c", ["--host-name", "d"], ["b", "c"], ["d"]),
    "secure": (True, "no", ["--secure"], False, True),
    "proxies": (["10.0.0.1"], "10.0.0.2,10.0.0.3", ["--proxy", "10.0.0.4"], ["10.0.0.2", "10.0.0.3"], ["10.0.0.4"]),
    "log": ("debug", "warning", ["--log", "error"], "warning", "error"),
    "log_file": ("a.log", "b.log", ["--log-file", "c.log"], "b.log", "c.log"),
    "commands_per_s": (1, "2", ["--commands-per-s", "3"], 2, 3),
    "accepted_per_min": (1, "2", ["--accepted-per-min", "3"], 2, 3),
    "accepted_per_min_from": (1, "2", ["--accepted-per-min-from", "3"], 2, 3),
    "asks_per_s": (1, "2", ["--asks-per-s", "3"], 2, 3),
    "sign_ins_per_min": (1, "2", ["--sign-ins-per-min", "3"], 2, 3),
    "sockets": (1, "2", ["--sockets", "3"], 2, 3),
    "sockets_each": (1, "2", ["--sockets-each", "3"], 2, 3),
    "lines": (1, "2", ["--lines", "3"], 2, 3),
    "lines_each": (1, "2", ["--lines-each", "3"], 2, 3),
    "replay_kb_per_s": (1, "2", ["--replay-kb-per-s", "3"], 2, 3),
    "heads_to": ("http://a", "http://b", ["--heads-to", "https://c"], "http://b", "https://c"),
    "heads_every_s": (10, "20", ["--heads-every-s", "30"], 20, 30),
    "verify_daily": (False, "yes", ["--no-verify-daily"], True, False),
    "odds": (False, "yes", ["--no-odds"], True, False),
    "metrics": ("off", "all", ["--metrics", "here"], "all", "here"),
    "empty": (True, "0", ["--empty"], False, True),
    "house_players": (1, "2", ["--house-players", "0"], 2, 0),
    "training": (True, "no", ["--training"], False, True),
}
TOML = {name: given[0] for name, given in GIVEN.items()}


def config(folder: Path, *flags: str, environment: dict[str, str] | None = None) -> Any:
    """Run ``punto config --json`` in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in os.environ.keys() - CLEAN.keys():
            patch.delenv(name)
        for name, value in (environment or {}).items():
            patch.setenv(name, value)
        done = punto_here("config", "--json", *flags)
    assert done.stderr == b""
    told = json.loads(done.stdout)
    assert done.returncode == (2 if "error" in told else 0)
    return told


def write(path: Path, values: dict[str, Any]) -> None:
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))


def test_there_is_a_case_for_every_setting() -> None:
    assert set(GIVEN) == set(Config.__struct_fields__)


def test_flags_over_the_environment_over_the_file_over_what_is_built_in(tmp_path: Path) -> None:
    built_in = config(tmp_path)
    assert {one["source"] for one in built_in.values()} == {"default"}
    for field in fields(Config):
        value = list(field.default) if isinstance(field.default, tuple) else field.default
        assert built_in[field.name]["value"] == value
    write(tmp_path / "punto.toml", TOML)
    by_file = config(tmp_path)
    assert by_file == {name: {"value": value, "source": "punto.toml"} for name, value in TOML.items()}
    variables = {f"PUNTO_{name.upper()}": given[1] for name, given in GIVEN.items()}
    by_environment = config(tmp_path, environment=variables)
    assert by_environment == {
        name: {"value": given[3], "source": f"PUNTO_{name.upper()}"} for name, given in GIVEN.items()
    }
    flags = [flag for given in GIVEN.values() for flag in given[2]]
    by_flag = config(tmp_path, *flags, environment=variables)
    assert by_flag == {name: {"value": given[4], "source": "flag"} for name, given in GIVEN.items()}


@pytest.mark.parametrize("text", ["--5", "\u00b2", "-", "", "9" * 5_000, "0x10", "1_000"])
def test_a_number_in_the_environment_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(FloorRefused, match=re.escape("`port` (PUNTO_PORT) is not valid: ")) as refused:
        read_config({}, {"PUNTO_PORT": text}, None)
    assert refused.value.code is FloorCode.BAD_CONFIG


@pytest.mark.parametrize("name", GIVEN)
def test_each_setting_alone_from_each_source(tmp_path: Path, name: str) -> None:
    in_file, variable, _, from_environment, from_flag = GIVEN[name]
    file = tmp_path / "other.toml"
    write(file, {name: in_file})

    def found(flags: dict[str, Any], environment: dict[str, str], path: Path | None) -> tuple[Any, str]:
        _, settings = read_config(flags, environment, path)
        (one,) = [setting for setting in settings if setting.name == name]
        assert all(setting.source == "default" for setting in settings if setting is not one)
        return list(one.value) if isinstance(one.value, tuple) else one.value, one.source

    told = f"PUNTO_{name.upper()}"
    flag = tuple(from_flag) if isinstance(from_flag, list) else from_flag
    assert found({}, {}, file) == (in_file, str(file))
    assert found({}, {"PUNTO_CONFIG": str(file)}, None) == (in_file, str(file))
    assert found({}, {told: variable}, file) == (from_environment, told)
    assert found({name: flag}, {told: variable}, file) == (from_flag, "flag")
    assert found({name: flag}, {}, None) == (from_flag, "flag")


def test_it_prints_for_people_too(tmp_path: Path) -> None:
    write(tmp_path / "punto.toml", {"port": 9000, "origins": ["https://a", "https://b"], "secure": True})
    done = subprocess.run(
        [sys.executable, "-m", "punto", "config"], cwd=tmp_path, env=CLEAN, capture_output=True, text=True, check=True
    )
    lines = {line.split()[0]: line.split(None, 1)[1].strip() for line in done.stdout.splitlines()}
    assert lines["port"].split() == ["9000", "punto.toml"]
    assert lines["origins"] == "https://a, https://b  punto.toml"
    assert lines["secure"].split() == ["yes", "punto.toml"]
    assert lines["metrics"].split() == ["staff", "default"]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("ports = 1", "unknown settings: ports."),
        ("[server]\nport = 1", "unknown settings: server."),
        ('port = "1"', "port"),
        ("port = 1.5", "port"),
        ("port = true", "port"),
        ("port = 99999", "99999 is not a valid port"),
        ("db = 5", "db"),
        ('db = ""', "`db` is empty"),
        ('secure = "yes"', "secure"),
        ('origins = "http://a"', "origins"),
        ('origins = ["http://a/b"]', "is not a valid origin"),
        ('origins = ["ftp://a"]', "is not a valid origin"),
        ("origins = [5]", "origins"),
        ('origins = ["http://a"]\nsecure = true', "does not use https"),
        ('hosts = ["https://a"]', "is not a valid host name"),
        ('hosts = [""]', "is not a valid host name"),
        ('metrics = "some"', "Use off, staff, here or all."),
        ("metrics = true", "metrics"),
        ("lines_each = 0", "lines_each"),
        ("lines_each = 1000001", "lines_each"),
        ("heads_every_s = 0", "heads_every_s"),
        ('heads_to = "no such directory"', "heads_to"),
        ('log = "loud"', "log"),
        ("sockets = 0", "sockets"),
        ("port = ", "is not valid TOML"),
        ("\x00", "is not valid TOML"),
    ],
)
def test_a_file_that_cannot_be(tmp_path: Path, written: str, words: str) -> None:
    file = tmp_path / "punto.toml"
    file.write_text(written)
    with pytest.raises(FloorRefused) as trouble:
        read_config({}, {}, file)
    assert trouble.value.code is FloorCode.BAD_CONFIG
    assert words in trouble.value.message


@pytest.mark.parametrize(
    ("variable", "value"),
    [("PORT", "x"), ("PORT", ""), ("PORT", "1e3"), ("SECURE", "perhaps"), ("SOCKETS", "-1"), ("LOG", ""), ("DB", "")],
)
def test_a_variable_that_cannot_be(variable: str, value: str) -> None:
    with pytest.raises(FloorRefused) as trouble:
        read_config({}, {f"PUNTO_{variable}": value}, None)
    assert trouble.value.code is FloorCode.BAD_CONFIG
    assert variable.lower() in trouble.value.message or "port" in trouble.value.message


def test_a_refusal_has_the_one_shape(tmp_path: Path) -> None:
    write(tmp_path / "punto.toml", {"ports": 1})
    told = config(tmp_path)
    assert set(told["error"]) == {"code", "message", "clauses"}
    assert told["error"]["code"] == "bad_config"
    (tmp_path / "punto.toml").write_bytes(b"\xff")
    assert config(tmp_path)["error"]["code"] == "bad_config"
    (tmp_path / "punto.toml").unlink()
    (tmp_path / "punto.toml").mkdir()
    assert config(tmp_path)["error"]["code"] == "bad_config"


SECRET = "hunter2"  # noqa: S105 - to be looked for


@pytest.mark.parametrize(
    "db",
    [
        f"postgresql://punto:{SECRET}@db.example/floor",
        f"postgresql://:{SECRET}@db.example/floor",
        f"postgres://punto:{SECRET}@db.example:5432/floor?sslmode=require",
        f"postgresql://punto:a@{SECRET}@db.example/floor",
        f"postgresql://punto:a/{SECRET}@db.example/floor",
        f"postgresql://db.example/floor?user=punto&password={SECRET}",
        f"postgresql://db.example/floor?PASSWORD={SECRET}&user=punto",
        f"postgresql://db.example/floor?sslpassword={SECRET}",
    ],
)
def test_no_password_of_a_database_is_printed(tmp_path: Path, db: str) -> None:
    assert SECRET not in without_password(db)
    assert "db.example" in without_password(db)
    assert SECRET not in str(printable_value(Setting("db", db, "flag")))
    assert SECRET not in json.dumps(config(tmp_path, "--db", db))


@pytest.mark.parametrize("db", ["punto.db", "a:b@c.db", "/var/lib/punto/floor.db", "postgresql://db.example/floor"])
def test_what_holds_no_password_is_printed_as_it_is(db: str) -> None:
    assert without_password(db) == db
