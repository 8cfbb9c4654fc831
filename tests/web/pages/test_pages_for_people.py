"""What pages say to players, visitors and screen readers: names of clauses, people and bets, and how to sign in."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

from collections.abc import Iterator

import msgspec
import pytest
from msgspec import UNSET

from punto.library import book
from punto.table.records.positions import Position
from punto.web.pages.base.i18n import CHINESE, TRANSLATORS, clause_mark, clause_name, definitions, person_name
from punto.web.pages.table.boxes import seats_of
from punto.web.views.visibility import Sight
from tests.floor.playing import DEALER, At, betting_table, player
from tests.web.page_tree import read_page
from tests.web.serving import Server, server

EN, ZH = TRANSLATORS["en"], TRANSLATORS["zh"]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A table of commission where betting is open."""
    with server(str(tmp_path_factory.mktemp("pages") / "floor.db")) as running:
        running.run(betting_table(running.floor, "t1", "commission"))
        yield running


def seat(floor: Server, who: str, box: int) -> None:
    at = At(floor.floor, "t1", f"seat-{who}")
    floor.run(at.do(DEALER, "buy_in", who=who, amount_minor=100_00))
    floor.run(at.do(player(who), "sit", who=who, box=box))


def test_definitions_are_named() -> None:
    assert [clause_mark("1:tie", t) for t in (EN, ZH)] == ["1 (Tie)", "1（和局）"]
    assert [clause_name("1:tie", t) for t in (EN, ZH)] == ["clause 1 (Tie)", "第1条（和局）"]
    assert [clause_name("5.2", t) for t in (EN, ZH)] == ["clause 5.2", "第5.2条"]
    assert clause_mark("1:mine", EN) == "1 (mine)"  # of a custom book
    ids = {clause.partition(":")[2] for clause in book("commission").clauses if ":" in clause}
    assert all(f'"{each}":' in definitions("zh") for each in ids)


def test_definitions_are_one_chapter(floor: Server) -> None:
    for language, caption, mark, name in (
        ("en", "Chapter 1", "1 (Table of Play)", "clause 1 (Table of Play)"),
        ("zh", "第1章", "1（补牌规则表）", "第1条（补牌规则表）"),
    ):
        page = read_page(floor.client(), "/rules/commission", language)
        (chapter,) = [table for table in page.all("table") if table.one("caption").words == caption]
        (link,) = [link for link in chapter.all("a", "clause") if link.words == mark]
        assert link.attributes["aria-label"] == name
        assert link.attributes["href"] == "/rules/commission/1%3Atable_of_play"
        title = read_page(floor.client(), link.attributes["href"], language).one("h1").words
        assert title == {"en": f"Commission Baccarat, {name}", "zh": f"佣金百家乐{name}"}[language]


def test_only_staff_see_the_command_of_a_clause(floor: Server) -> None:
    rules = book("commission-insurance")
    clause = next(clause for clause in rules.clauses.values() if clause.command)
    path = f"/rules/{rules.id}/{clause.id}"
    for client, shown in (
        (floor.client(), False),
        (floor.by(Position.PLAYER), False),
        (floor.by(Position.DEALER), True),
    ):
        assert (f" {clause.command}" in read_page(client, path).id("clause").words) == shown


def test_house_players_are_named_in_the_language_of_the_page(floor: Server) -> None:
    assert [person_name("Mei (house)", t, UNSET) for t in (EN, ZH)] == ["Mei (house)", "Mei（赌场）"]
    assert person_name("house (guest)", ZH, {}) == "house (guest)"
    cache = floor.run(floor.service.table_caches.of("t1"))
    view = msgspec.structs.replace(floor.run(cache.view(Sight.PLAYER)), seats={5: "Mei (house)"})
    assert view.settings is not None
    for t, name in ((EN, "box 5: Mei (house)"), (ZH, "5号位：Mei（赌场）")):
        seat_5 = seats_of(view, view.settings, "", t)[4]
        assert (seat_5.label, seat_5.who) == (name, person_name("Mei (house)", t, UNSET))


def test_bets_and_chips_have_names_for_screen_readers(floor: Server) -> None:
    olga = floor.client(floor.visitor("Olga"))
    seat(floor, "Olga", 6)
    for language, name in (("en", "Player"), ("zh", "闲")):
        page = read_page(olga, "/tables/t1", language)
        (area,) = [each for each in page.all("button", "area") if each.attributes["data-bet"] == "player"]
        heard = [each.words for each in area.all("span") if "aria-hidden" not in each.attributes]
        assert heard[0] == name
        assert area.one("span", "zh").words == "闲"
        labels = [each.attributes["aria-label"] for each in page.all("input") if each.attributes.get("name") == "chip"]
        assert "1,000" in labels
        assert not any("K" in label for label in labels)


def test_the_board_writes_simplified_chinese(floor: Server) -> None:
    for language in ("en", "zh"):
        board = read_page(floor.client(), "/tables/t1/board", language)
        signs = [next(hand.one("h2").all("span")).words for hand in board.all("section", "hand")]
        assert signs == [CHINESE["player"], CHINESE["banker"]] == ["闲", "庄"]


@pytest.mark.parametrize(("language", "heading"), [("en", "Watching"), ("zh", "旁观中")])
def test_visitors_without_a_name_watch_and_can_complain_and_sign_in(floor: Server, language: str, heading: str) -> None:
    page = read_page(floor.client(), "/tables/t1", language)
    assert page.id("box-h").words == heading
    for path in ("/tables/t1/odds", "/tables/t1/fairness", "/rules/commission"):
        footer = read_page(floor.client(), path, language).one("footer")
        assert [link.attributes["href"] for link in footer.all("a")] == ["/complaints", "/enter"]


@pytest.mark.parametrize("path", ["/rules/none", "/tables/none", "/tables/t1/odds?what=x"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_title_of_an_error_page_is_its_heading(floor: Server, path: str, language: str) -> None:
    status = 400 if "what" in path else 404
    page = read_page(floor.client(), path, language, status)
    assert page.one("title").words == f"{page.one('h1').words} · Punto"


def test_a_book_that_does_not_exist(floor: Server) -> None:
    vera = floor.by(Position.PLAYER)
    assert "There are: Commission Baccarat, " in read_page(vera, "/rules/none", "en", 404).one("main").words
    chinese = read_page(vera, "/rules/none", "zh", 404).one("main").words
    assert "现有：佣金百家乐、" in chinese
    assert "commission" not in chinese
