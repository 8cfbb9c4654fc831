"""Every page in every position and both languages: nothing inline, nothing from other hosts, no HTML from names."""

from collections.abc import Iterator
from urllib.parse import quote

import httpx2
import pytest

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book_ids
from punto.table.records.positions import Position
from punto.web.pages.base.static_files import static_files
from punto.web.pages.base.templates import POLICY
from punto.web.pages.sign_in import own_address
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, MANAGER, At, betting_table, manual_table, player
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

GAMES = {f"t{number}": book for number, book in enumerate(book_ids(), 1)}
OF_A_TABLE = ("", "/board", "/odds", "/fairness", "/history")
PAGES = (
    "/",
    "/enter",
    "/referee",
    "/rules/readings",
    *(f"/rules/{book}" for book in GAMES.values()),
    *(f"/tables/{table}{page}" for table in (*GAMES, "closed") for page in OF_A_TABLE),
    *(f"/tables/{table}/rounds/1-1" for table in GAMES),
)
HOSTILE = (
    "<script>alert(1)</script>",
    "'\"><img src=x onerror=alert(1)>",
    "</title></svg><b>&amp;{{7*7}}",
    "?a=b#c%41&d=%2F..",
    "שלום عليكم",
    "🂡🎲 鬼佬",
    "W" * 38,
)
"""Hostile names that people and tables can have."""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with all games, betting open, and one closed table."""
    with server(str(tmp_path_factory.mktemp("pages") / "floor.db")) as running:
        for table, book in GAMES.items():
            running.run(betting_table(running.floor, table, book))
        running.run(running.floor.create_table(MANAGER, TableSetup("closed", "tiger-buffalo", ShoeKind.VIRTUAL)))
        rules = FloorRules(visitors=True, buy_in_minor=500_00, tables=("t1",))
        running.run(set_rules(running.service.visitors, rules))
        yield running


@pytest.fixture(scope="module", params=["nobody", "visitor", "seated", "dealer", "pit_manager", "auditor", "off duty"])
def looking(request: pytest.FixtureRequest, floor: Server) -> httpx2.Client:
    """Clients in every position."""
    match request.param:
        case "nobody":
            return floor.client()
        case "visitor":
            return floor.by(Position.PLAYER)
        case "seated":
            token = floor.visitor("sam")
            for number, table in enumerate(GAMES):
                at = At(floor.floor, table, f"sam-{number}")
                floor.run(at.do(DEALER, "buy_in", who="sam", amount_minor=100_00))
                floor.run(at.do(player("sam"), "sit", who="sam", box=3))
            return floor.client(token)
        case "off duty":
            return floor.client(floor.hired("otto", None))
        case position:
            return floor.by(Position(position))


def faults(page: Element) -> list[str]:
    """What the content security policy would block, and what no page should have."""
    found = []
    ids = [each.attributes["id"] for each in page.all() if "id" in each.attributes]
    found += [f"the id {name} twice" for name in {name for name in ids if ids.count(name) > 1}]
    for each in page.all():
        found += [f"{each.tag} has {name}" for name in each.attributes if name == "style" or name.startswith("on")]
        for name in ("href", "src", "action"):
            address = each.attributes.get(name, "/")
            if not address.startswith(("/", "?", "#")) or address.startswith("//"):
                found.append(f"{each.tag} leads to {address}")
        if each.tag == "script" and (not each.attributes.get("src", "").startswith("/static/") or each.children):
            found.append("a script in the page")
        if each.tag in ("style", "iframe", "object", "embed", "base"):
            found.append(f"there is a {each.tag}")
        if each.tag == "img" and "alt" not in each.attributes:
            found.append(f"{each.attributes} has no words")
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_answers_everybody(floor: Server, looking: httpx2.Client, language: str) -> None:
    assert floor.url
    for path in PAGES:
        page = read_page(looking, path, language)
        assert faults(page) == [], path
        assert page.one("html").attributes["lang"] == {"en": "en", "zh": "zh-Hans"}[language]
        assert len(list(page.all("h1"))) == 1, path
        assert page.one("main").attributes["id"] == "main"
        assert page.one("head").one("title").words.endswith("· Punto")


def test_pages_come_under_a_policy_that_lets_nothing_in(floor: Server) -> None:
    for path in (*PAGES, "/tables/none", "/rules/none"):
        answer = floor.client().get(path)
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
    for part in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in POLICY
    assert "unsafe" not in POLICY
    assert "*" not in POLICY


def test_every_static_file_and_every_link_of_a_page_is_there(floor: Server) -> None:
    client = floor.client()
    links = {
        each.attributes[name].partition("#")[0]
        for path in PAGES
        for each in read_page(client, path).all()
        for name in ("href", "src")
        if each.attributes.get(name, "").startswith("/")
    }
    assert len(links) > 30
    assert [link for link in sorted(links) if client.get(link).status_code != 200] == []


def test_no_form_leads_nowhere(looking: httpx2.Client) -> None:
    """Forms are sent by the script."""
    forms = [form for path in PAGES for form in read_page(looking, path).all("form")]
    assert forms
    assert [form.attributes for form in forms if "action" in form.attributes] == []


def test_whatever_a_page_says_to_the_script_the_script_reads(looking: httpx2.Client) -> None:
    scripts = (file.answer.body.decode() for name, file in static_files().items() if name.endswith((".js", ".css")))
    read = "".join(scripts)
    said = {name for path in PAGES for each in read_page(looking, path).all() for name in each.attributes}
    said = {name.removeprefix("data-") for name in said if name.startswith("data-")}
    assert {"live", "now"} <= said
    written = ("data-{0}", "dataset.{1}", 'words("{1}")')
    said.discard("minor")  # the balance to the last unit, for programs that read the page
    assert [name for name in said if not any(each.format(name, _camel(name)) in read for each in written)] == []


def _camel(name: str) -> str:
    """The name in a script's ``dataset``."""
    first, *others = name.split("-")
    return first + "".join(map(str.capitalize, others))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/tables/none", "There is no table 'none'."),
        ("/tables/none/board", "There is no table 'none'."),
        ("/tables/none/odds", "There is no table 'none'."),
        ("/tables/none/fairness", "There is no table 'none'."),
        ("/tables/none/history", "There is no table 'none'."),
        ("/rules/none", "There is no rulebook 'none'."),
        ("/rules/commission/99.9", "Commission Baccarat has no clause '99.9'."),
    ],
)
def test_what_is_not_there_is_said_on_a_page(floor: Server, path: str, words: str) -> None:
    page = read_page(floor.client(), path, status=404)
    assert page.one("h1").words == "Page not found"
    assert words in page.one("main").words
    assert faults(page) == []


def test_a_bad_address_is_said_on_a_page(floor: Server) -> None:
    page = read_page(floor.client(), "/tables/t1/board?colour=blue", status=400)
    assert "colour" in page.one("main").words
    page = read_page(floor.by(Position.PLAYER), "/tables/t1/history?before=yesterday", status=400)
    assert "is not a valid cursor" in page.one("main").words


def test_the_switch_keeps_the_language(floor: Server) -> None:
    client = floor.client()
    assert read_page(client, "/?lang=zh").one("h1").words == "大厅"
    assert read_page(client, "/").one("h1").words == "大厅"
    assert read_page(client, "/?lang=en", "zh").one("h1").words == "Lobby"
    assert read_page(client, "/", "zh").one("h1").words == "Lobby"


def test_a_language_is_kept_once_it_is_chosen_and_by_every_page(floor: Server) -> None:
    kept = "punto-language=zh; Path=/; Max-Age=31536000; SameSite=Strict"
    paths = ("/", "/enter", "/rules/commission", "/rules/commission/1", "/tables/nowhere")
    pages = ("", "/board", "/odds", "/fairness", "/history")
    for path in (*paths, *(f"/tables/t1{page}" for page in pages)):
        assert floor.client().get(f"{path}?lang=zh").headers.get_list("set-cookie") == [kept], path
        assert floor.client().get(path).headers.get_list("set-cookie") == [], path
    for path, cookies in (("/nowhere", []), ("/nowhere?lang=zh", [kept])):
        answer = floor.client().get(path, headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers.get_list("set-cookie")) == (404, cookies), path


# ---- names


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Tables with hostile names, and people with such names at all of them."""
    with server(str(tmp_path_factory.mktemp("hostile") / "floor.db")) as running:
        for number, name in enumerate(named.replace("/", "|") for named in HOSTILE):
            at = running.run(manual_table(running.floor, name))
            running.run(_play(At(running.floor, at.name, f"h{number}")))
        yield running


async def _play(at: At) -> None:
    await at.do(DEALER, "open_betting")
    for box, who in enumerate(HOSTILE, 3):
        await at.do(DEALER, "buy_in", who=who, amount_minor=100_00)
        await at.do(player(who), "sit", who=who, box=box)
        assert (await at.bet(who, 10_00, box=box)).refusal is None
    await at.do(DEALER, "close_betting")
    for card in ("9s", "2d", "Kh", "3c"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_names_are_shown_and_do_nothing(hostile: Server, language: str) -> None:
    for client in (hostile.client(), hostile.by(Position.DEALER)):
        lobby = read_page(client, "/", language)
        for name in (named.replace("/", "|") for named in HOSTILE):
            path = f"/tables/{quote(name, safe='')}"
            assert [link for link in lobby.all("a") if link.attributes["href"] == path]
            assert name in lobby.one("main").words
            for page in OF_A_TABLE:
                shown = read_page(client, f"{path}{page}", language)
                assert faults(shown) == [], (name, page)
                assert name in shown.one("html").words
    history = read_page(hostile.by(Position.DEALER), f"/tables/{quote(HOSTILE[-1], safe='')}/history", language)
    for who in HOSTILE:
        assert " ".join(who.split()) in history.one("main").words


def test_boards_and_lobby_name_nobody(floor: Server, hostile: Server) -> None:
    table = quote(HOSTILE[-1], safe="")
    for page in ("/board", "/odds", "/fairness", "/history"):
        words = read_page(hostile.client(), f"/tables/{table}{page}").one("main").words
        assert [who for who in ("ann", "ben", *HOSTILE[:-1]) if f" {who} " in f" {words} "] == [], page
    for client in (floor.client(), floor.by(Position.DEALER)):
        for path in ("/", "/tables/t1/board"):
            assert not {"ann", "ben"} & set(read_page(client, path).one("main").words.split())


# ---- the lobby


def test_a_floor_without_tables_says_so(served: Server) -> None:
    page = read_page(served.client(), "/")
    assert "There are no tables yet." in page.id("lobby").words
    assert faults(page) == []


# ---- the way in


@pytest.mark.parametrize(
    ("to", "goes"),
    [
        ("/tables/Orchid", "/tables/Orchid"),
        ("/tables/a%20b?box=2", "/tables/a%20b?box=2"),
        (None, "/"),
        ("", "/"),
        ("tables/Orchid", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("\\\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/\n/evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/" + "a" * 300, "/"),
    ],
)
def test_only_own_addresses_are_gone_back_to(to: str | None, goes: str) -> None:
    assert own_address(to) == goes


def test_the_way_in_has_a_door_for_visitors_and_one_for_the_staff(floor: Server) -> None:
    page = read_page(floor.client(), "/enter?to=%2Ftables%2Ft1")
    forms = {form.attributes["data-enter"]: form for form in page.all("form") if "data-enter" in form.attributes}
    assert set(forms) == {"visit"}
    (name,) = forms["visit"].all("input")
    assert name.attributes["name"] == "name"
    assert "autofocus" in name.attributes
    (door,) = [link.attributes["href"] for link in page.one("main").all("a") if "staff" in link.attributes["href"]]
    staff = read_page(floor.client(), door)
    (form,) = [form for form in staff.all("form") if "data-enter" in form.attributes]
    assert [field.attributes["name"] for field in form.all("input")] == ["name", "password", "code"]
    assert {each.attributes["data-to"] for each in (forms["visit"], form)} == {"/tables/t1"}
    to_pit = read_page(floor.client(), "/enter?to=%2Fpit").all("form")
    assert [form.attributes["data-enter"] for form in to_pit if "data-enter" in form.attributes] == ["session"]
    for address, goes in (("/enter?to=%2F%2Fevil.example", "/"), ("/enter?staff=1&to=%2F%2Fevil.example", "/start")):
        evil = read_page(floor.client(), address)
        assert {form.attributes["data-to"] for form in evil.all("form") if "data-to" in form.attributes} == {goes}


def test_a_floor_without_visitors_has_one_door(served: Server) -> None:
    forms = read_page(served.client(), "/enter").all("form")
    assert [form.attributes["data-enter"] for form in forms] == ["session"]


def test_a_one_time_password_is_changed_first(served: Server) -> None:
    once = served.run(served.service.accounts.create(THE_CONSOLE, "nora", Position.DEALER))
    client = served.client()
    signed = client.post("/api/session", json={"name": "nora", "password": once})
    assert signed.json()["to_change"]
    page = read_page(client, "/enter?to=%2Ftables%2Ft1")
    form = next(form for form in page.all("form") if form.attributes.get("data-enter") == "password")
    names = [field.attributes["name"] for field in form.all("input") if field.attributes["type"] == "password"]
    assert names == ["before", "password"]
    assert "nora" in page.one("main").words
    changed = client.post("/api/session/password", json={"before": once, "password": "nine of clubs at noon"})
    assert changed.status_code == 204
    assert "Your name here is nora." in read_page(client, "/enter").one("main").words


# ---- the house's setting


def test_a_house_can_keep_the_odds_to_itself(tmp_path_factory: pytest.TempPathFactory) -> None:
    with server(str(tmp_path_factory.mktemp("no-odds") / "floor.db"), odds=False) as running:
        running.run(betting_table(running.floor))
        page = read_page(running.client(), "/tables/t1/odds", status=404)
        assert "This server does not show odds." in page.one("main").words
        for other in ("/fairness", "/history", ""):
            links = [link.attributes["href"] for link in read_page(running.client(), f"/tables/t1{other}").all("a")]
            assert [link for link in links if link.endswith("/odds")] == []
