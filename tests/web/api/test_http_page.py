"""docs/http.md has every address and code, docs/floor.md every setting and metric."""

import re
from pathlib import Path

import pytest
from click import Parameter
from msgspec.structs import fields
from prometheus_client.parser import text_string_to_metric_families

from punto.cli.serve import command
from punto.floor.errors import FloorCode
from punto.floor.house.projections.sessions import VISIT_S
from punto.floor.journal.command_ids import HOUSE_PREFIXES
from punto.floor.people.sessions.sessions import SESSION_S
from punto.floor.runtime.sign_in_locks import LOCKED_S
from punto.rules.refusals import Code
from punto.table.refusals import TableCode
from punto.web.config import Config
from punto.web.http import errors
from punto.web.http.body import BODY_TIMEOUT_S, MAX_BODY_BYTES
from punto.web.http.errors import status_of
from punto.web.live import connection
from punto.web.server.app import ALL
from punto.web.server.http_protocol import HEAD_TIMEOUT_S, MAX_HEAD_BYTES
from tests.web.serving import Server

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "http.md").read_text(encoding="utf-8")
FLOOR_PAGE = (DOCS / "floor.md").read_text(encoding="utf-8")
AT_THE_CONSOLE = {
    FloorCode.DATABASE_NEWER,
    FloorCode.DATABASE_OLDER,
    FloorCode.NOT_A_FLOOR,
    FloorCode.BAD_HEADS,
    FloorCode.BAD_PERIOD,
    FloorCode.FILE_EXISTS,
    FloorCode.NOT_EMPTY,
    FloorCode.NOT_A_BACKUP,
    FloorCode.MAY_NOT_RESTORE,
    FloorCode.BAD_KEY,
    Code.EXTRA_MISSING,
    FloorCode.BAD_CONFIG,
}
"""Codes that occur only on the command line."""


def section(name: str, page: str = PAGE) -> str:
    return page[page.index(f"## {name}\n") :].partition("\n## ")[0]


def rows(name: str, page: str = PAGE) -> list[list[str]]:
    lines = [line for line in section(name, page).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_address_is_documented() -> None:
    told = re.findall(r"^\| `([A-Z]+ /[^`]*)` \| .+ \|$", PAGE, re.MULTILINE)
    assert sorted(told) == sorted(f"{each.method} {each.path}" for each in ALL)


def test_every_code_is_documented_with_its_status() -> None:
    told = {code.strip("`"): int(status) for code, status, _ in rows("Errors")}
    ours = {getattr(errors, name) for name in dir(errors) if name.isupper() and isinstance(getattr(errors, name), str)}
    wanted = ours | {str(code) for code in FloorCode if code not in AT_THE_CONSOLE}
    assert wanted <= set(told)
    for code, status in told.items():
        assert status_of(code) == status, code
    for table_code in TableCode:
        assert status_of(table_code) == told.get(str(table_code), 409), table_code


def test_every_setting_is_documented_with_what_is_built_in_and_its_flag() -> None:
    told = {row[0].strip("`"): row[1:3] for row in rows("Settings", FLOOR_PAGE)}
    flags = {str(option.name): ", ".join(f"`{flag}`" for flag in _flags(option)) for option in command.params}
    assert set(told) == set(Config.__struct_fields__)
    for field in fields(Config):
        built_in = {False: "no", True: "yes", (): "none", "": "none"}.get(field.default, f"`{field.default}`")
        assert told[field.name] == [built_in, flags[field.name]], field.name


def _flags(option: Parameter) -> list[str]:
    """The flag that sets it and, where it has one, the flag that unsets it."""
    return [option.opts[0], *option.secondary_opts[:1]]


def test_every_close_code_is_documented() -> None:
    told = {int(row[0]) for row in rows("Live")}
    ours = {getattr(connection, name) for name in dir(connection) if name.startswith("CLOSE_")}
    # the protocol's own: of bad frames, texts, pings and lengths, and when the server stops
    assert told == ours | {1002, 1007, 1008, 1009, 1012}


def test_every_figure_is_documented(standing: Server) -> None:
    text = standing.client().get("/metrics").text
    families = [one for one in text_string_to_metric_families(text) if not one.name.endswith("_created")]
    assert families
    names = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    assert names == set(re.findall(r"`(punto_[a-z_]+)`", section("Logs and figures", FLOOR_PAGE)))


@pytest.mark.parametrize(
    ("words", "bytes_"), [("more than 64 KiB", MAX_BODY_BYTES), ("more than 32 KiB", MAX_HEAD_BYTES)]
)
def test_lengths_are_as_documented(words: str, bytes_: int) -> None:
    assert words in PAGE
    assert words == f"more than {bytes_ // 1024} KiB"


def test_times_are_as_documented() -> None:
    hours = (SESSION_S // 3_600, VISIT_S // 3_600)
    assert f"A staff session lasts {hours[0]} hours, a visitor's {hours[1]}." in PAGE
    assert f"is locked out for {LOCKED_S // 60} minutes" in PAGE
    assert f"lock a name for {LOCKED_S // 60} minutes" in FLOOR_PAGE
    assert f"within {BODY_TIMEOUT_S:.0f} seconds" in PAGE
    assert f"sends nothing for {HEAD_TIMEOUT_S:.0f} seconds" in FLOOR_PAGE


def test_ids_that_are_the_houses_own_are_as_documented() -> None:
    (listed,) = re.findall(r"Ids that start with (.*?) are reserved", PAGE, re.DOTALL)
    assert set(re.findall(r"`([^`]+)`", listed)) == set(HOUSE_PREFIXES)
