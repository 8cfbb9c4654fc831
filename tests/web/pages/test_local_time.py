"""Pages show the time of the floor, and say once whose time it is."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from punto.table.records.positions import Position
from punto.web.pages.base.templates import local_time
from tests.floor.playing import DEALER
from tests.web.incidents import troubled_table
from tests.web.serving import Server, server

ZONE = "America/St_Johns"  # half an hour from all neighbours
TIME = re.compile(r'<time datetime="([^"]+)" title="([^"]+)">([^<]+)</time>')
PAGES = {
    "/incidents": 4,
    "/incidents/1": 4,
    "/tables/felt%201/history": 3,
    "/tables/felt%201/rounds/1-1": 20,
    "/tables/felt%201/guide": 1,
    "/tables/felt%201/deal": 1,
    "/pit": 1,
    "/pit/tables/felt%201": 1,
    "/approvals": 1,
    "/pit/reports": 0,
    "/me": 2,
}
"""How many times each shows, at least."""
PRINTED = ("/incidents/1", "/tables/felt%201/rounds/1-1")
"""Without the foot of the page, so the record itself names the zone too."""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor in Newfoundland with incidents, where the pit is called."""
    with server(str(tmp_path_factory.mktemp("local") / "floor.db")) as running:
        day = {"zone": ZONE, "starts": "08:00", "shifts": ["08:00"]}
        changed = running.by(Position.SHIFT_MANAGER).put("/api/settings", json={"gaming_day": day})
        assert changed.status_code == 200, changed.text
        troubled_table(running)
        running.run(running.floor.submit(DEALER, "felt 1", running.next_id(), {"command": "call_pit.1"}))
        yield running


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_time_on_a_page_is_the_floors(floor: Server, path: str, language: str) -> None:
    page = floor.by(Position.PIT_SUPERVISOR).get(path, params={"lang": language}, follow_redirects=True).text
    times = TIME.findall(page)
    assert len(times) >= PAGES[path]
    assert page.count("<time datetime") == len(times)  # others count from a moment on
    for exact, title, shown in times:
        at = datetime.fromisoformat(exact)
        assert at.utcoffset() == UTC.utcoffset(None)
        assert title == ZONE
        local = at.astimezone(ZoneInfo(ZONE))
        assert shown in (f"{local:%Y-%m-%d %H:%M:%S}", f"{local:%Y-%m-%d %H:%M}", f"{local:%H:%M}", f"{local:%H:%M:%S}")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_once_whose_time_it_shows(floor: Server, path: str) -> None:
    page = floor.by(Position.PIT_SUPERVISOR).get(path, follow_redirects=True).text
    named = TIME.sub("", page).count(ZONE)
    assert named == (2 if path in PRINTED else 1)


def test_the_date_of_a_time_is_the_floors_too() -> None:
    at = datetime(2026, 12, 31, 20, 5, 7, 123_456, tzinfo=UTC).astimezone(ZoneInfo("Asia/Singapore"))
    attributes = 'datetime="2026-12-31T20:05:07+00:00" title="Asia/Singapore"'
    assert local_time(at) == f"<time {attributes}>2027-01-01 04:05</time>"
    assert local_time(at, "second") == f"<time {attributes}>2027-01-01 04:05:07</time>"
    assert local_time(at, "time") == f"<time {attributes}>04:05</time>"
    assert local_time(at, "clock") == f"<time {attributes}>04:05:07</time>"
