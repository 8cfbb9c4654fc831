"""The par of a tray is in no dialog, and settings that leave it out keep it."""

import json
from typing import Any

import pytest

from punto.client.command_body import order
from punto.table.records.commands import ChangeSettings
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from tests.floor.playing import manual_table
from tests.web.page_tree import read_html
from tests.web.serving import Server

PAR = 4_321_098_00


@pytest.fixture
def floor(served: Server) -> Server:
    served.run(manual_table(served.floor, observing=True, tray_par_minor=PAR))
    return served


def dialog(floor: Server, name: str, position: Position = Position.PIT_MANAGER) -> dict[str, Any]:
    """The command that a dialog starts from. Nothing in it says what should lie in the tray."""
    text = floor.by(position).get(f"/tables/t1/deal/{name}").text
    assert "4321098" not in text.replace(",", "")
    command: dict[str, Any] = json.loads(read_html(text).one("form").attributes["data-command"])
    return command


def par(floor: Server) -> int | None:
    settings = floor.floor.tables["t1"].state.settings
    assert settings is not None
    return settings.tray_par_minor


def give(floor: Server, body: dict[str, Any]) -> None:
    manager = floor.by(Position.SHIFT_MANAGER)
    answer = manager.post("/api/tables/t1/commands", json={"id": floor.next_id(), "command": body})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("position", [Position.DEALER, Position.PIT_SUPERVISOR, Position.CASINO_MANAGER])
def test_nobody_who_opens_a_dialog_is_told_it(floor: Server, position: Position) -> None:
    assert "tray_par_minor" not in dialog(floor, "change_settings", position)["settings"]
    legal = floor.by(position).get("/api/tables/t1/legal")
    assert legal.status_code == 200
    assert str(PAR) not in legal.text


def test_a_change_and_an_opening_keep_it_unless_they_say_otherwise(floor: Server) -> None:
    give(floor, dialog(floor, "change_settings"))
    assert par(floor) == PAR
    settings = Settings(layout="A", boxes=7, observing=True)
    changed = order(ChangeSettings, settings=settings)
    assert "tray_par_minor" not in changed["settings"]
    for name in ("ann", "ben"):
        give(floor, {"command": "leave.1", "who": name})
    give(floor, {"command": "close_table.1"})
    give(floor, dialog(floor, "open_table"))
    assert par(floor) == PAR
    change = dialog(floor, "change_settings")
    change["settings"]["tray_par_minor"] = None
    give(floor, change)
    assert par(floor) is None
    given = order(ChangeSettings, settings=Settings(layout="A", boxes=7, observing=True, tray_par_minor=5))
    assert given["settings"]["tray_par_minor"] == 5


def test_an_approver_reads_it_only_where_it_changes(floor: Server) -> None:
    for number, change, shown in (("kept", {}, False), ("new", {"tray_par_minor": 77_00}, True)):
        command = dialog(floor, "change_settings", Position.DEALER)
        command["settings"] |= {"buy_in_supervised_minor": 1_234_00, **change}
        proposal = {"id": number, "command": command}
        made = floor.by(Position.DEALER).post("/api/tables/t1/proposals", json=proposal)
        assert made.status_code == 201, made.text
        page = floor.by(Position.PIT_MANAGER).get(f"/tables/t1/deal/approval?proposal={number}").text
        assert 'data-asked="buy_in_supervised_minor"' in page
        assert ('data-asked="tray_par_minor"' in page) is shown
        assert "4321098" not in page.replace(",", "")  # nor what it was
