"""A manager alone rules large amounts, or moves a threshold so that nothing rings. Both need a second person."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from punto.floor.journal.entry import context_of
from punto.floor.journal.house_events import ChipSetChanged, read_house_event
from punto.floor.journal.pit_events import FloorSettingsChanged
from punto.table.records.positions import Position
from tests.attacks.test_alone import entries, is_refused
from tests.attacks.test_customers_name import CUSTOMER, REAL, REGISTERED, house, sell
from tests.web.serving import Server

DAY = {"zone": "Asia/Macau", "starts": "06:00", "shifts": ["06:00", "18:00"]}
SETTINGS: dict[str, dict[str, Any]] = {
    "an alarm's threshold": {"alarms": {"big_bet_minor": 9_999_999_00}},
    "an alarm switched off": {"alarms": {"late_bets": 0}},
    "the limit for cash": {"large_cash_minor": 0},
    "the tray": {"tray_chips": 900_000},
    "the gaming day": {"gaming_day": DAY},
    "rulings": {"ruling_by_two_minor": 0},
    "among contacts": {"complaints": "at the desk", "large_cash_minor": 0},
}
CHIPS = {"chips": [{"value_minor": 5_00, "colour": "red"}, {"value_minor": 777_00, "colour": "black"}]}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real table with two customers; adam and sid are the two who act together, and cass is above them."""
    with house(str(tmp_path_factory.mktemp("by-two") / "floor.db")) as served:
        for position in (Position.SHIFT_MANAGER, Position.CASINO_MANAGER, Position.DEALER):
            served.token(position)
        sell(served, 600_00)
        yield served


def changes(served: Server) -> list[Any]:
    events = [read_house_event(each.event) for each in entries(served)]
    return [event for event in events if isinstance(event, FloorSettingsChanged | ChipSetChanged)]


@pytest.mark.parametrize("position", [Position.ADMINISTRATOR, Position.SHIFT_MANAGER, Position.CASINO_MANAGER])
@pytest.mark.parametrize("what", SETTINGS)
def test_nobody_moves_a_threshold_alone(floor: Server, what: str, position: Position) -> None:
    client, before = floor.by(position), changes(floor)
    refused = client.put("/api/settings", json=SETTINGS[what])
    assert is_refused(refused), refused.text
    assert refused.json()["error"]["propose_at"] == "/api/proposals"
    assert changes(floor) == before


def test_nobody_changes_the_chips_alone(floor: Server) -> None:
    before = changes(floor)
    assert is_refused(floor.by(Position.CASINO_MANAGER).put("/api/chips", json=CHIPS))
    assert changes(floor) == before


ACTS: dict[str, dict[str, Any]] = {
    "change_floor_settings.1": {"changes": {"alarms": {"big_bet_minor": 60_000_00}, "gaming_day": DAY}},
    "change_chip_set.1": CHIPS,
}


@pytest.mark.parametrize("act", ACTS)
def test_two_together_change_them_and_it_is_among_the_exceptions(floor: Server, act: str) -> None:
    proposed = {"id": act, "act": {"act": act, **ACTS[act]}}
    assert is_refused(floor.by(Position.DEALER).post("/api/proposals", json=proposed), "not_authorised", 403)
    sid, cass = floor.by(Position.SHIFT_MANAGER), floor.by(Position.CASINO_MANAGER)
    made = sid.post("/api/proposals", json=proposed)
    assert made.status_code == 201, made.text
    assert is_refused(sid.post(f"/api/proposals/{act}/approve", json={}), "own_proposal", 403)
    assert "60,000" in cass.get("/approvals").text or act == "change_chip_set.1"
    approved = cass.post(f"/api/proposals/{act}/approve", json={})
    assert approved.status_code == 200, approved.text
    last = entries(floor)[-1]
    assert isinstance(read_house_event(last.event), FloorSettingsChanged | ChipSetChanged)
    assert (context_of(last).proposed_by, context_of(last).approved_by) == ("sid", "cass")
    day = floor.by(Position.AUDITOR).get("/api/exceptions/day").json()
    assert day["counts"]["settings"] >= 1


def test_what_players_read_is_changed_by_one(floor: Server) -> None:
    answer = floor.by(Position.SHIFT_MANAGER).put("/api/settings", json={"complaints": "at the desk"})
    assert answer.status_code == 200, answer.text
    assert not context_of(entries(floor)[-1]).alone


# ---- rulings


def rule(floor: Server, client: httpx2.Client, **fields: Any) -> httpx2.Response:
    return floor.command(client, REAL, "rule", reason="as seen on camera", **fields)


def bet(who: str, box: int) -> dict[str, Any]:
    return {"who": who, "box": box, "bet": "banker"}


LARGE: dict[str, dict[str, Any]] = {
    "one amount": {"effect": "adjust", "amounts": {REGISTERED: 1_000_00}},
    "taken and given": {"effect": "adjust", "amounts": {REGISTERED: 500_00, CUSTOMER: -500_00}},
    "bets returned": {"effect": "return", "bets": [bet(CUSTOMER, 1), bet(REGISTERED, 2)]},
    "the round void": {"effect": "void"},
}


@pytest.mark.parametrize("what", LARGE)
def test_nobody_rules_a_large_amount_alone(floor: Server, what: str) -> None:
    before = dict(floor.floor.table(REAL).state.balances)
    for position in (Position.SHIFT_MANAGER, Position.CASINO_MANAGER):
        refused = rule(floor, floor.by(position), **LARGE[what])
        assert is_refused(refused), refused.text
        assert refused.json()["error"]["propose_at"] == f"/api/tables/{REAL}/proposals"
    assert dict(floor.floor.table(REAL).state.balances) == before


def test_a_small_ruling_is_given_by_one_and_rings(floor: Server) -> None:
    given = rule(floor, floor.by(Position.SHIFT_MANAGER), effect="adjust", amounts={REGISTERED: 999_99})
    assert given.status_code == 200, given.text
    assert rule(floor, floor.by(Position.SHIFT_MANAGER), effect="continue").status_code == 200
    reader = floor.by(Position.CASINO_MANAGER)
    floor.until(lambda: bool(rulings(reader)))
    (rung,) = rulings(reader)
    assert "sid" in rung["words"]
    assert "999.99" in rung["words"]


def rulings(reader: httpx2.Client) -> list[dict[str, Any]]:
    alarms = reader.get("/api/alarms").json()["alarms"]
    return [each for each in alarms if each["kind"] == "ruling"]


def test_two_rule_a_large_amount(floor: Server) -> None:
    address = f"/api/tables/{REAL}/proposals"
    command = {"command": "rule.1", "reason": "as seen on camera", **LARGE["one amount"]}
    made = floor.by(Position.DEALER).post(address, json={"id": "rule", "command": command})
    assert made.status_code == 201, made.text
    approved = floor.by(Position.SHIFT_MANAGER).post(f"{address}/rule/approve", json={})
    assert approved.status_code == 200, approved.text
