"""The auditor's desk: the day with its exceptions and its sign-off, the tabs, and who looked at whose figures."""

from collections.abc import Iterator

import pytest

from punto.table.records.positions import Position
from tests.floor.audit_day import DAY, HOSTILE, audited
from tests.web.page_tree import Element, read_page
from tests.web.serving import NAMES, Server, server


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("desk") / "floor.db")
    audited(path)
    with server(path) as served:
        yield served


def read(floor: Server, path: str, language: str = "en", position: Position = Position.AUDITOR) -> Element:
    return read_page(floor.by(position), path, language).one("main")


def links(page: Element) -> list[str]:
    return [link.attributes["href"] for link in page.all("a")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_day_at_a_glance_with_every_exception(floor: Server, language: str) -> None:
    page = read(floor, f"/audit?day={DAY}", language)
    rows = list(page.one("table", "exceptions").one("tbody").all("tr"))
    assert len(rows) == 11
    rounds = [f"/tables/felt/rounds/1-{number}" for number in (1, 2, 3, 3, 4, 5, 6, 6, 6)]
    assert [address for row in rows for address in links(row) if "/rounds/" in address] == rounds
    incidents = page.one("table", "incidents").one("tbody")
    assert [address for address in links(incidents) if "/rounds/" in address] == [rounds[5], rounds[4]]
    assert HOSTILE in page.words, "as text"
    assert not list(page.all("script"))
    assert "/incidents/1" in links(page)
    if language == "en":
        assert "Nobody has signed this day off." in page.words
        first = rows[0]
        assert "2023-11-14 10:00:00" in first.words, "local time"
        assert "The server started with release" in first.words


def test_kinds_and_shifts_narrow_the_list_and_stay_in_the_address(floor: Server) -> None:
    page = read(floor, f"/audit?day={DAY}&kind=void")
    (row,) = page.one("table", "exceptions").one("tbody").all("tr")
    assert "On record: the game was interrupted" in row.words
    current = [link.words for link in page.one("nav", "kinds").all("a") if "aria-current" in link.attributes]
    assert current == ["void round 1"]
    assert f"/api/exceptions/day.csv?day={DAY}&shift=0&kind=void" in links(page)
    assert "Nothing out of the ordinary." in read(floor, "/audit?day=2020-02-29&kind=nonsense&shift=x").words
    assert "Shift 2 of 2023-11-14" in read(floor, f"/audit?day={DAY}&shift=2").one("h1").words


def test_those_who_may_sign_get_a_form_for_a_whole_day_that_is_over(floor: Server) -> None:
    def forms(path: str, position: Position = Position.SHIFT_MANAGER) -> int:
        return sum("data-send" in form.attributes for form in read(floor, path, position=position).all("form"))

    assert forms(f"/audit?day={DAY}") == 1
    assert forms(f"/audit?day={DAY}", Position.PIT_MANAGER) == 0
    assert forms(f"/audit?day={DAY}&shift=1") == 0
    assert forms("/audit") == 0
    floor.by(Position.SHIFT_MANAGER).post(f"/api/days/{DAY}/sign-off", json={"note": HOSTILE})
    page = read(floor, f"/audit?day={DAY}", position=Position.SHIFT_MANAGER)
    assert f"{NAMES[Position.SHIFT_MANAGER]}, shift manager" in page.one("p", "signed-by").words
    assert page.one("q").words == HOSTILE
    assert forms(f"/audit?day={DAY}") == 0
    report = read(floor, f"/pit/reports?day={DAY}")
    assert f"Sign-off {NAMES[Position.SHIFT_MANAGER]}, shift manager" in report.words


def test_the_desk_is_for_auditors_and_managers(floor: Server) -> None:
    for position, status in ((Position.DEALER, 403), (Position.PIT_SUPERVISOR, 403), (Position.PIT_MANAGER, 200)):
        for path in ("/audit", "/audit/looks"):
            assert floor.by(position).get(path).status_code == status, (position, path)
    bar = read_page(floor.by(Position.PIT_MANAGER), "/pit").one("header", "bar")
    assert "/audit" in links(bar)
    assert "/audit" not in links(read_page(floor.by(Position.PIT_SUPERVISOR), "/pit").one("header", "bar"))
    assert floor.client().get("/audit").status_code == 401


def test_every_tab_leads_to_its_page(floor: Server) -> None:
    tabs = links(read(floor, "/audit").one("nav", "tabs"))
    assert len(tabs) == 6
    for address in tabs:
        (current,) = (
            link.attributes["href"]
            for link in read(floor, address).one("nav", "tabs").all("a")
            if "aria-current" in link.attributes
        )
        assert current == address
    assert links(read(floor, "/audit/rounds", position=Position.PIT_SUPERVISOR).one("nav", "tabs")) == ["/audit/rounds"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_looks_are_listed_with_links_to_what_was_looked_at(floor: Server, language: str) -> None:
    read(floor, f"/audit?day={DAY}")
    page = read(floor, "/audit/looks", language)
    assert f"/audit?day={DAY}" in links(page)
    assert NAMES[Position.AUDITOR] in page.one("tbody").words
    (tab,) = (link for link in page.one("nav", "tabs").all("a") if "aria-current" in link.attributes)
    assert tab.attributes["href"] == "/audit/looks"
    only = read(floor, "/audit/looks?by=nobody&of=&day=", language)
    assert not list(only.all("table"))
