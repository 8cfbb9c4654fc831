"""Somebody writes commands for terminals into the database. ``verify`` prints none of them."""
# ruff: noqa: S608 - the statements are our own

import unicodedata

import pytest
from click.testing import CliRunner

from punto.cli.main import main
from punto.floor.journal.entry import Entry
from tests.attacks.tampered import LATER_US, found
from tests.floor.audit.forging import is_a, retold, rewrite, tamper

pytestmark = pytest.mark.slow

ESCAPES = "\x1b[2J\x1b]0;Sound.\x07\x9b31m\u202e\nSound."
HOSTILE: dict[str, str] = {
    "an account": "INSERT INTO accounts VALUES (?, ?, 'person', '', 'administrator', 0, 0)",
    "a position": "UPDATE accounts SET position = ? || ? WHERE name = 'sue'",
    "a session": f"INSERT INTO sessions (token, folded, name, kind, expires_us) VALUES (?, '', ?, 'staff', {LATER_US})",
    "a shoe": "UPDATE shoes SET id = ? || ? WHERE id = 'v1 2'",
    "a seal": "UPDATE seals SET shoe = ? || ? WHERE shoe = 'v1 2'",
    "a scan": "INSERT INTO scans (stream, shoe, draw, card, version) VALUES (?, ?, 5, '8s', 0)",
    "a table": "INSERT INTO tables (name, setup) VALUES (?, ?)",
    "a stream": "UPDATE streams SET name = ? || ? WHERE name = 'c1/1'",
    "an event": "UPDATE entries SET event = ? || ? WHERE id = 9",
    "a command id": "UPDATE entries SET command_id = ? || ? WHERE id = 9",
    "rules": "UPDATE meta SET value = ? || ? WHERE name = 'floor_rules'",
    "the schema's version": "UPDATE meta SET value = ? || ? WHERE name = 'schema'",
}


@pytest.mark.parametrize("where", HOSTILE)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nothing_that_a_terminal_obeys_is_printed(whole_url: str, where: str, options: list[str]) -> None:
    tamper(whole_url, (HOSTILE[where], (ESCAPES, ESCAPES)))
    _require_plain(whole_url, options)


@pytest.mark.parametrize("kind", ["TABLE {} (a)", "VIEW {} AS SELECT 1", "INDEX {} ON sessions (name)"])
def test_nor_from_the_schema(whole_url: str, kind: str) -> None:
    quoted = '"' + ESCAPES.replace('"', '""') + '"'
    tamper(whole_url, (f"CREATE {kind.format(quoted)}", ()))
    _require_plain(whole_url, [])


def test_nor_from_an_event_with_hashes_that_fit(whole_url: str) -> None:
    def forge(entries: list[Entry]) -> list[Entry]:
        return [retold(entry, stream=ESCAPES) if is_a(entry, "stream_closed.1") else entry for entry in entries]

    rewrite(whole_url, "house", forge)
    _require_plain(whole_url, [])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE scans SET draw = 'x' WHERE draw = 4",
        "UPDATE scans SET card = x'ff' WHERE draw = 4",
        "UPDATE scans SET nonce = x'ff' WHERE draw = 4",
        "UPDATE accounts SET password = x'ff00' WHERE name = 'sue'",
        "UPDATE accounts SET to_change = 'x' WHERE name = 'dora'",
        "UPDATE pins SET hash = x'ff'",
        "UPDATE totp SET secret = 'text'",
        "UPDATE terminals SET title = x'ff'",
        "UPDATE sessions SET expires_us = 'never'",
        "UPDATE sessions SET stopped = x'00'",
        "UPDATE sessions SET name = x'ff'",
        "UPDATE players SET notes = x'ff' WHERE number = 1",
        "UPDATE players SET registered_us = 'x' WHERE number = 1",
        "UPDATE seals SET sealed = 'x'",
        "UPDATE shoes SET kind = x'ff'",
        "UPDATE duty SET from_us = 'x'",
        "UPDATE proposals SET at_us = 'x'",
        "UPDATE meta SET value = x'ff' WHERE name = 'floor_rules'",
    ],
)
def test_values_of_another_kind_are_faults(whole_url: str, statement: str) -> None:
    tamper(whole_url, (statement, ()))
    assert found(whole_url)


def _require_plain(whole_url: str, options: list[str]) -> None:
    done = CliRunner().invoke(main, ["verify", "--db", whole_url, *options])
    assert done.exit_code in (1, 2), done.output
    lines = done.output.split("\n")
    assert all(map(_is_plain, lines)), ascii(done.output)
    assert "Sound." not in lines


def _is_plain(line: str) -> bool:
    return all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in line)
