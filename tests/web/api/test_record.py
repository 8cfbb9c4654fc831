"""The house's record over HTTP and at the desk: every kind of event in words, values before and after, and filters."""

from collections.abc import Iterator
from typing import Any

import pytest

from punto.floor.journal.event_base import RecordGroup
from punto.floor.journal.house_events import HOUSE_KINDS
from punto.floor.reports.house_lines import LAST_KEY
from punto.floor.reports.moments import iso_utc
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.conftest import _databases, own_postgres, postgres_server, postgres_url
from tests.web.page_tree import read_page
from tests.web.serving import NAMES, Server, server
from tests.web.wire import problem

__all__ = ["_databases", "own_postgres", "postgres_server", "postgres_url"]  # fixtures, for pytest to find
HOSTILE = "<script>alert('x')</script> \"100%_\" " + "x" * 60


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor on which settings of every kind were changed."""
    with server(str(tmp_path_factory.mktemp("record") / "floor.db")) as served:
        _change_settings(served)
        yield served


def _change_settings(served: Server) -> None:
    sid, pit, dora = (served.by(each) for each in (Position.SHIFT_MANAGER, Position.PIT_MANAGER, Position.DEALER))
    setup = {"name": "real", "book": "commission", "shoes": "manual", "decks": 8}
    assert sid.post("/api/tables", json=setup).status_code == 201
    for tray, minimum in ((500, 100_00), (600, 200_00)):
        assert sid.put("/api/settings", json={"tray_chips": tray, "alarms": {"round_s": tray}}).status_code == 200
        assert pit.put("/api/tables/real/title", json={"title": f"Room {tray}"}).status_code == 200
        command = "open_table" if tray == 500 else "change_settings"
        settings = {"layout": "A", "boxes": 7, "main": {"min_minor": minimum}}
        given = served.command(pit, "real", command, settings=settings)
        assert given.status_code == 200, given.text
    assert pit.post("/api/stops", json={"scope": "game", "of": "tiger-buffalo", "reason": HOSTILE}).status_code == 201
    adopted = {"value": True, "reason": "the house always grants it"}
    assert sid.post("/api/readings/squeeze_needs_permission", json=adopted).status_code == 200
    problem(dora.put("/api/settings", json={"tray_chips": 1}), 403, TableCode.NOT_AUTHORISED)


def lines(floor: Server, **query: Any) -> list[dict[str, Any]]:
    answer = floor.by(Position.AUDITOR).get("/api/record", params={"most": 200, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["lines"]
    return found


def test_every_kind_of_event_is_in_one_group() -> None:
    assert {kind.group for kind in HOUSE_KINDS} == set(RecordGroup)


def test_changes_have_the_value_before_and_after(floor: Server) -> None:
    changed, first, *_ = [line for line in lines(floor, group="settings") if "floor_settings" in line["event"]["event"]]
    by_name = {one["name"]: (one["before"], one["after"]) for one in changed["changes"]}
    assert by_name["tray_chips"] == ("500", "600")
    assert by_name["alarms.round_s"] == ("500 seconds", "600 seconds")
    assert {one["words"] for one in changed["changes"]} == {"Chips a table can hold", "Alarm: A round"}
    assert changed["by"] == NAMES[Position.SHIFT_MANAGER]
    usual = {one["name"]: one["before"] for one in first["changes"]}
    assert usual["tray_chips"] == "1000", "before the first change, what is usual"
    of_table = lines(floor, group="settings", table="real")
    titled = next(line for line in of_table if line["event"]["event"] == "table_titled.1")
    assert titled["changes"] == [{"name": "title", "words": "Title", "before": "Room 500", "after": "Room 600"}]
    limits = next(line for line in of_table if line["event"]["event"] == "settings_changed.1")
    label = "Minimum, Player and Banker"
    assert limits["changes"] == [{"name": "main.min_minor", "words": label, "before": "100", "after": "200"}]
    assert (limits["stream"], limits["by"]) == ("real/1", NAMES[Position.PIT_MANAGER])


def test_the_first_value_adopted_for_a_reading_replaces_ours(floor: Server) -> None:
    adopted = next(line for line in lines(floor, group="settings") if line["event"]["event"] == "reading_adopted.1")
    assert adopted["words"] == "The house adopted a reading (Squeezing needs permission): the house always grants it"
    ours = {"name": "value", "words": "Value", "before": "the house decides each time", "after": "granted at once"}
    assert adopted["changes"] == [ours]


def test_filters_and_pages_give_the_same_lines(floor: Server) -> None:
    auditor, everything = floor.by(Position.AUDITOR), lines(floor)
    places = [(line["stream"], line["version"]) for line in everything]
    assert len(set(places)) == len(places)
    for group in RecordGroup:
        assert lines(floor, group=group) == [line for line in everything if line["group"] == group]
    name = NAMES[Position.DEALER]
    refused = [line for line in lines(floor, person=name) if line["group"] == "refusals"]
    assert [line["event"]["command"] for line in refused] == ["change_settings"]
    assert lines(floor, person="100%_") == []
    assert lines(floor, since="2020-01-01", until="2020-01-31") == []
    paged, before = list[Any](), LAST_KEY
    while before:
        answer = auditor.get("/api/record", params={"most": 7, "before": before}).json()
        paged += [(line["stream"], line["version"]) for line in answer["lines"]]
        before = answer["next"]
    assert paged == places


def test_the_same_on_postgres(postgres_url: str) -> None:
    with server(postgres_url) as served:
        _change_settings(served)
        test_changes_have_the_value_before_and_after(served)
        test_filters_and_pages_give_the_same_lines(served)


def test_no_secret_is_shown_in_full(floor: Server) -> None:
    for line in lines(floor, group="sign_ins") + lines(floor, group="accounts"):
        assert all(len(str(line["event"].get(name, ""))) < 12 for name in ("session", "password")), line


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_shows_the_same_in_words(floor: Server, language: str) -> None:
    page = read_page(floor.by(Position.AUDITOR), "/audit/record?group=settings", language).one("main")
    assert not list(page.all("script"))
    assert "Room 600" in page.words
    stops = read_page(floor.by(Position.AUDITOR), "/audit/record?group=stops", language).one("main")
    assert HOSTILE in stops.words, "as text"
    assert not list(stops.all("script"))
    assert any("500" in table.words for table in page.all("table", "changes"))
    refusals = read_page(floor.by(Position.AUDITOR), "/audit/record?group=refusals", language).one("main")
    assert {"en": "Change the settings of the floor", "zh": "更改全场设置"}[language] in refusals.words
    for raw in ("tray_chips", "round_s", "min_minor", "change_settings", "squeeze_granted"):
        assert raw not in page.words + refusals.words
    assert any("/api/record.csv?group=settings" in link.attributes["href"] for link in page.all("a"))
    csv = floor.by(Position.AUDITOR).get("/api/record.csv?group=settings").text
    assert "tray_chips: 500 > 600" in csv


@pytest.mark.parametrize("position", [each for each in Position if each is not Position.HOUSE])
def test_who_may_read_it(floor: Server, position: Position) -> None:
    managers = (Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.CASINO_MANAGER)
    for path in ("/api/record", "/api/record.csv", "/audit/record"):
        status = floor.by(position).get(path).status_code
        assert status == (200 if position in (*managers, Position.AUDITOR) else 403), (path, status)


def test_whoever_may_count_a_tray_does_not_read_what_should_lie_there(floor: Server) -> None:
    """Neither in the record, where its settings changed, nor among the exceptions, where the table was opened late."""
    pit = floor.by(Position.PIT_MANAGER)
    assert pit.post("/api/tables", json={"name": "blind", "book": "commission", "shoes": "manual"}).status_code == 201
    settings = {"layout": "A", "boxes": 7, "observing": True, "tray_par_minor": 71_234_00}
    opening = {"command": "open_table.1", "settings": settings, "float_minor": 71_234_00}
    body = {"id": "late", "command": opening, "happened_at": iso_utc(floor.floor.clock.now_us() - 60_000_000)}
    proposed = floor.by(Position.DEALER).post("/api/tables/blind/proposals", json=body)
    assert proposed.status_code == 201, proposed.text
    given = pit.post(f"/api/tables/blind/proposals/{body['id']}/approve", json={})
    assert given.status_code == 200, given.text
    given = floor.command(pit, "blind", "change_settings", settings={**settings, "tray_par_minor": 82_345_00})
    assert given.status_code == 200, given.text
    read = (
        *("/api/record?table=blind", "/api/record.csv?table=blind", "/audit/record?table=blind"),
        *("/api/exceptions/day", "/api/exceptions/day.csv", "/audit?kind=entered_later"),
    )
    figures = ("71,234", "71234", "7123400", "82,345", "82345", "8234500")
    seen = {
        position: {path: [each for each in figures if each in floor.by(position).get(path).text] for path in read}
        for position in (Position.AUDITOR, Position.PIT_MANAGER, Position.SHIFT_MANAGER)
    }
    assert seen[Position.AUDITOR][read[0]], "an auditor reads them"
    assert "7123400" in seen[Position.AUDITOR]["/api/exceptions/day"]
    for position in (Position.PIT_MANAGER, Position.SHIFT_MANAGER):
        assert {path: found for path, found in seen[position].items() if found} == {}
