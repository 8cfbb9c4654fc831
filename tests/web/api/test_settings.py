"""The settings of the floor over the API."""

import pytest

from punto.floor.errors import FloorCode
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.web.serving import Server
from tests.web.wire import problem

MACAU = {"zone": "Asia/Macau", "starts": "06:00", "shifts": ["06:00", "18:00"]}


def test_staff_read_the_settings_and_a_shift_manager_changes_some(served: Server) -> None:
    dora, sid = served.by(Position.DEALER), served.by(Position.SHIFT_MANAGER)
    before = dora.get("/api/settings").json()
    assert before["gaming_day"]["zone"] == "Asia/Singapore"
    assert before["alarms"]["round_s"] == 180
    assert sid.put("/api/settings", json={"gaming_day": MACAU}).json() == before | {"gaming_day": MACAU}
    after = sid.put("/api/settings", json={"alarms": {"round_s": 0}, "tray_chips": 500}).json()
    assert after == before | {"gaming_day": MACAU, "alarms": before["alarms"] | {"round_s": 0}, "tray_chips": 500}
    assert dora.get("/api/settings").json() == after


@pytest.mark.parametrize("position", [each for each in Position if each is not Position.HOUSE])
def test_who_may_read_and_change_the_settings(served: Server, position: Position) -> None:
    client = served.by(position)
    if position is Position.PLAYER:
        problem(client.get("/api/settings"), 403, TableCode.NOT_AUTHORISED)
    else:
        assert client.get("/api/settings").status_code == 200
    changed = client.put("/api/settings", json={"tray_chips": 500})
    if position in (Position.SHIFT_MANAGER, Position.CASINO_MANAGER, Position.ADMINISTRATOR):
        assert changed.json()["tray_chips"] == 500
    else:
        problem(changed, 403, TableCode.NOT_AUTHORISED)


def test_what_cannot_be_is_refused(served: Server) -> None:
    sid = served.by(Position.SHIFT_MANAGER)
    for wrong in (
        {"gaming_day": MACAU | {"zone": "Macau"}},
        {"gaming_day": MACAU | {"shifts": ["06:00", "05:30", "05:00"]}},
        {"alarms": {"round_s": -1}},
        {"alarms": {"rounds": 1}},
        {"tray_chips": 0},
    ):
        problem(sid.put("/api/settings", json=wrong), 400, FloorCode.BAD_SETTINGS)
    for malformed in ({"gaming_day": {"zone": "Asia/Macau"}}, {"tray_chips": 1.5}, {"trays": 5}):
        problem(sid.put("/api/settings", json=malformed), 400, "bad_request")
