"""Who looked at whose figures, over HTTP: every endpoint that shows them writes it down first."""

from typing import Any

from punto.table.records.positions import Position
from tests.web.serving import NAMES, Server
from tests.web.wire import problem


def looked(server: Server, **query: Any) -> list[tuple[str, str, str]]:
    answer = server.by(Position.AUDITOR).get("/api/looks", params=query)
    assert answer.status_code == 200, answer.text
    found = [(look["by"], look["what"], look["of"]) for look in answer.json()["looks"]]
    return [look for look in reversed(found) if look[1] != "looks"]


def test_what_staff_see_of_players_and_days_is_on_record(served: Server) -> None:
    sue, dan, amy = (served.by(each) for each in (Position.PIT_SUPERVISOR, Position.DEALER, Position.AUDITOR))
    for name in ("Ann Li", "Bo <script>"):
        assert sue.post("/api/players", json={"name": name}).status_code == 201
    dealer, pit = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
    dan.get("/api/players", params={"search": "nobody"})
    dan.get("/api/players", params={"search": "ann"})
    dan.get("/api/players/P000002")
    problem(dan.get("/api/players/P000009"), 404, "unknown_player")
    day = sue.get("/api/cash").json()["day"]
    sue.get("/api/players/P000001/rating")
    sue.get("/api/reports/day.csv")
    assert looked(served) == [
        (dealer, "register", "P000001"),
        (dealer, "register", "P000002"),
        (pit, "cash", day),
        (pit, "rating", "P000001"),
        (pit, "report", day),
    ]
    amy.get("/pit/players?player=P000001")
    amy.get("/pit/reports")
    mine = looked(served, by=NAMES[Position.AUDITOR], day=day)
    assert [what for _, what, _ in mine] == ["register", "cash", "rating", "report"]
    assert {by for by, _, _ in looked(served, of="P000001")} == {dealer, pit, NAMES[Position.AUDITOR]}
    first = amy.get("/api/looks?most=1").json()
    assert len(first["looks"]) == 1
    assert amy.get("/api/looks", params={"before": first["next"], "most": 100}).json()["next"] is None
    problem(sue.get("/api/looks"), 403, "not_authorised")
    problem(amy.get("/api/looks?day=yesterday"), 400, "bad_period")
