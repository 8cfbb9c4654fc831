"""The alarms of the pit over HTTP: who reads them, who acknowledges them, and in which words."""

from typing import Any

import pytest

from punto.floor.alarms.alarms import ALARM_READERS
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.refusals import TableCode
from tests.floor.playing import SUPERVISOR
from tests.web.serving import STAFFED, Server
from tests.web.wire import problem

DUE = (
    DueAlarm(AlarmKind.BIG_BUY_IN, "1", "t1", subject="ann", values={"amount_minor": 60_000_00}),
    DueAlarm(AlarmKind.OVER_LIMIT, "2", "t2", 1, 31, "banker", {"box": 3, "bet": "banker", "amount_minor": 60_000_00}),
    DueAlarm(AlarmKind.RESTART, "3", values={"tables": ("t1", "t2"), "voided": 1}),
)


def rung(served: Server, *due: DueAlarm) -> None:
    served.run(served.service.alarms.ring(due or DUE))


def listed(served: Server, position: Position = Position.AUDITOR, **query: Any) -> list[dict[str, Any]]:
    answer = served.by(position).get("/api/alarms", params=query)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["alarms"])


@pytest.mark.parametrize("position", [None, Position.PLAYER, *STAFFED])
def test_the_pit_and_auditors_read_them_and_nobody_else(standing: Server, position: Position | None) -> None:
    client = standing.client() if position is None else standing.by(position)
    answer = client.get("/api/alarms")
    if position is None:
        problem(answer, 401, "not_signed_in")
    elif position not in ALARM_READERS:
        problem(answer, 403, TableCode.NOT_AUTHORISED)
    else:
        assert answer.json() == {"alarms": [], "next": None}


@pytest.mark.parametrize("position", STAFFED)
def test_supervisors_and_above_acknowledge_them(standing: Server, position: Position) -> None:
    answer = standing.by(position).post("/api/alarms/99/acknowledge", json={})
    if position in SUPERVISOR_UP:
        problem(answer, 404, "unknown_alarm")
    else:
        problem(answer, 403, TableCode.NOT_AUTHORISED)


def test_they_are_listed_filtered_and_acknowledged(served: Server) -> None:
    rung(served)
    assert [each["number"] for each in listed(served)] == [3, 2, 1]
    assert [each["number"] for each in listed(served, table="t2")] == [2]
    page = served.by(Position.AUDITOR).get("/api/alarms", params={"most": 2}).json()
    assert ([each["number"] for each in page["alarms"]], page["next"]) == ([3, 2], 2)
    assert [each["number"] for each in listed(served, before=2)] == [1]
    sue = served.by(Position.PIT_SUPERVISOR)
    seen = sue.post("/api/alarms/2/acknowledge", json={"note": "known to the house"}).json()
    assert (seen["acknowledged_by"], seen["note"]) == ("sue", "known to the house")
    assert served.by(Position.PIT_MANAGER).post("/api/alarms/2/acknowledge", json={}).json() == seen
    assert [each["number"] for each in listed(served, open=True)] == [3, 1]
    assert listed(served, open=False) == [seen]
    problem(sue.post("/api/alarms/two/acknowledge", json={}), 404, "unknown_alarm")
    problem(sue.post("/api/alarms/1/acknowledge", json={"note": "x" * 201}), 400, "bad_request")
    for note in (" ", "two\nlines"):
        problem(sue.post("/api/alarms/1/acknowledge", json={"note": note}), 409, TableCode.REASON_NEEDED)


def test_a_day_is_a_gaming_day(served: Server) -> None:
    rung(served)
    day = served.run(served.service.floor_view.gaming_day())
    today = day.day_of(served.floor.clock.now_us()).isoformat()
    assert len(listed(served, day=today)) == 3
    assert listed(served, day="2020-01-01") == []
    problem(served.by(Position.AUDITOR).get("/api/alarms", params={"day": "today"}), 400, "bad_period")


def test_they_are_in_words_with_names_and_labels(served: Server) -> None:
    player = served.run(served.service.players.register(SUPERVISOR, "Ann Li"))
    due = DueAlarm(AlarmKind.PLAYER_WIN, "9", "t1", subject=player.id, values={"amount_minor": 250_000_00})
    rung(served, *DUE, due)
    assert [each["words"] for each in listed(served)] == [
        "Ann Li (P000001) has won 250,000 on this gaming day.",
        "The server was away while a round was in play: t1, t2. 1 round is void.",
        "60,000 on Banker in box 3 at the close: over the limit.",
        "ann buys in for 60,000.",
    ]
    chinese = served.by(Position.AUDITOR).get("/api/alarms", headers={"accept-language": "zh"}).json()["alarms"]
    assert chinese[0]["words"].endswith("本营业日已赢250,000。")


def test_open_alarms_are_counted_for_prometheus(served: Server) -> None:
    rung(served)
    figures = served.by(Position.AUDITOR).get("/metrics").text.splitlines()
    counted = [line for line in figures if line.startswith("punto_alarms_open{")]
    assert counted == [f'punto_alarms_open{{severity="{severity}"}} 1.0' for severity in (1, 2, 3)]


def test_a_server_watches_its_tables(served: Server) -> None:
    """A table is opened and a card comes out of turn: the server rings by itself."""
    sue, dora = served.by(Position.PIT_SUPERVISOR), served.by(Position.DEALER)
    made = sue.post("/api/tables", json={"name": "t1", "book": "commission", "shoes": "manual"})
    assert made.status_code == 201, made.text

    def give(client: Any, command: str, **fields: Any) -> None:
        body = {"id": served.next_id(), "command": {"command": f"{command}.1", **fields}}
        answer = client.post("/api/tables/t1/commands", json=body)
        assert answer.status_code == 200, answer.text

    give(sue, "open_table", settings={"layout": "A", "boxes": 7, "burn": False})
    give(sue, "load_shoe", shoe="s1", decks=8)
    give(dora, "open_betting")
    give(dora, "close_betting")
    for card in ("9s", "2d", "Kh", "3c", "4d"):
        give(dora, "deal_card", card=card)
    served.until(lambda: bool(listed(served)))
    (alarm,) = listed(served)
    assert (alarm["kind"], alarm["table"], alarm["severity"]) == ("irregularity", "t1", 3)
