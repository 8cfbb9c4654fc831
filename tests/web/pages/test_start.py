"""The list of tables where staff land: who assigns whom there, and what waits for them."""

from collections.abc import Iterator

import pytest

from punto.table.records.positions import MANAGER_UP, Position
from tests.floor.playing import DEALER, betting_table
from tests.web.pages_read import Element, read_page
from tests.web.serving import NAMES, STAFFED, Server, server

DORA, SUE, SID = (NAMES[each] for each in (Position.DEALER, Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER))
AT_TABLES = [each for each in STAFFED if each is not Position.ADMINISTRATOR]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("start") / "floor.db")) as served:
        for table in ("t1", "t2"):
            at = served.run(betting_table(served.floor, table, "commission-insurance"))
            served.run(at.do(DEALER, "close_betting"))
        for position in STAFFED:
            served.token(position)
        yield served


def start(floor: Server, position: Position, language: str = "en") -> Element:
    return read_page(floor.by(position), "/start", language).one("main")


def sends(part: Element) -> list[str]:
    return [each.attributes["data-send"] for each in part.all() if "data-send" in each.attributes]


@pytest.mark.parametrize("position", AT_TABLES)
def test_pit_managers_and_above_assign_and_nobody_else_is_offered_to(floor: Server, position: Position) -> None:
    page = start(floor, position)
    if position not in MANAGER_UP:
        assert sends(page) == []
        assert list(page.all("datalist")) == []
        return
    assert sends(page) == ["PUT /api/duty/{name}"] * 2
    options = {option.attributes["value"]: option.words for option in page.one("datalist").all("option")}
    assert (options[DORA], options[SUE]) == ("dealer", "pit supervisor")
    assert options.keys().isdisjoint({NAMES[Position.AUDITOR], NAMES[Position.ADMINISTRATOR]})


def test_proposals_are_counted_for_those_who_may_approve_them(floor: Server) -> None:
    assert start(floor, Position.PIT_SUPERVISOR).one("a", "waiting").words == "Approvals"
    proposal = {"id": "fell", "command": {"command": "report_dealing_error.1", "reason": "a card fell"}}
    made = floor.by(Position.DEALER).post("/api/tables/t1/proposals", json=proposal)
    assert made.status_code == 201, made.text
    for position in AT_TABLES:
        links = [link.words for link in start(floor, position).all("a", "waiting")]
        assert links == ([] if position in (Position.DEALER, Position.AUDITOR) else ["1 waits for approval"])


def test_those_on_duty_are_relieved_and_sent_off(floor: Server) -> None:
    manager = floor.by(Position.PIT_MANAGER)
    for name, table in ((DORA, "t1"), (SUE, "t2"), (SID, "t2")):
        assert manager.put(f"/api/duty/{name}", json={"table": table}).status_code == 204
    page = start(floor, Position.PIT_MANAGER)
    first, second = page.all("tbody")
    assert sends(first) == ["DELETE /api/duty/{name}", "PUT /api/duty/{name}", "POST /api/tables/{table}/relief"]
    assert "Relieve dora" in first.words
    assert sends(second) == ["DELETE /api/duty/{name}"] * 2 + ["PUT /api/duty/{name}"]
    ended = [button.attributes["aria-label"] for button in page.all("button") if "aria-label" in button.attributes]
    assert ended == [f"End the duty of {name} at every table" for name in (DORA, SUE, SID)]
    in_chinese = start(floor, Position.PIT_MANAGER, "zh")
    assert "接替dora" in in_chinese.words
    assert "dora" in start(floor, Position.AUDITOR).words
