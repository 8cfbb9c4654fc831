"""The list of incidents, and one of them with the felt before and after."""

from collections.abc import Iterator

import pytest

from punto.table.records.positions import Position
from tests.web.incidents import troubled_table
from tests.web.page_tree import Element, read_page
from tests.web.serving import NAMES, Server, server


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("incidents") / "floor.db")) as served:
        troubled_table(served)
        yield served


def read(floor: Server, path: str, language: str = "en", position: Position = Position.AUDITOR) -> Element:
    return read_page(floor.by(position), path, language).one("main")


def numbers(page: Element) -> list[str]:
    return [row.one("th").words for table in page.all("table", "incidents") for row in table.one("tbody").all("tr")]


def test_the_list_is_newest_first_and_narrowed_down_by_a_form(floor: Server) -> None:
    page = read(floor, "/incidents")
    assert numbers(page) == ["4", "3", "2", "1"]
    assert "Open: waits for another shoe" in page.words
    assert numbers(read(floor, "/incidents?table=felt+1&round=2&since=&until=")) == ["3", "2"]
    assert "No incident fits." in read(floor, "/incidents?until=2020-01-01").words
    assert numbers(read(floor, "/incidents?before=3")) == ["2", "1"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_incident_shows_people_words_money_and_the_felt(floor: Server, language: str) -> None:
    page = read(floor, "/incidents/1", language).one("article")
    felts = list(page.all("figure"))
    assert len(felts) == 4, "before, after, as the cards lay, as they should be"
    pictures = [[image.attributes["alt"] for image in felt.all("img")] for felt in felts]
    assert [len(each) for each in pictures] == [2, 2, 2, 2]
    assert pictures[2] == pictures[3][::-1], "each card lay with the other hand"
    for name in (NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR], "Li Na"):
        assert name in page.words
    assert "+100" in page.one("table", "moved").words
    assert ["Li Na" in felt.words for felt in felts[:2]] == [True, False]
    if language == "en":
        assert f"Proposed by {NAMES[Position.DEALER]}, dealer; approved by" in page.words
        assert page.one("h1").words == "cards at the wrong side"


def test_an_incident_that_changed_nothing_draws_the_felt_once(floor: Server) -> None:
    page = read(floor, "/incidents/3").one("article")
    (felt,) = page.all("figure")
    assert felt.one("figcaption").words == "The felt, which did not change"
    assert [link.attributes["href"] for link in page.one("p", "others").all("a")] == ["/incidents/2"]
    assert "a chip had rolled" in page.words


def test_staff_find_the_incidents_of_a_round_in_its_history(floor: Server) -> None:
    page = read(floor, "/tables/felt%201/history", position=Position.PIT_SUPERVISOR)
    links = [each.attributes["href"] for each in page.all("a") if "/incidents/" in each.attributes["href"]]
    assert links == ["/incidents/4", "/incidents/2", "/incidents/3", "/incidents/1"]


def test_the_pages_are_for_staff_and_auditors(floor: Server) -> None:
    for position in (Position.PLAYER, Position.ADMINISTRATOR):
        assert floor.by(position).get("/incidents").status_code == 403
        assert floor.by(position).get("/incidents/1").status_code == 403
    assert floor.by(Position.DEALER).get("/incidents/99").status_code == 404
