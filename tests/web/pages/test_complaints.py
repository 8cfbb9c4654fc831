"""The page on complaints: for everybody, with the contacts of the house, and about a round if it has its address."""

from urllib.parse import parse_qsl, quote

import httpx2
import pytest

from punto.floor.audit.verify import verify
from punto.floor.people.floor_rules import FloorRules
from punto.table.records.positions import Position
from punto.web.http.rate_limits import COMPLAINTS_AT_ONCE
from punto.web.pages.complaints import quoted_round
from punto.web.pages.sign_in import own_address
from tests.floor.play_money import set_rules
from tests.floor.playing import betting_table
from tests.web.page_tree import read_page
from tests.web.serving import Server


@pytest.mark.parametrize(
    ("address", "table", "name"),
    [
        ("/tables/Orchid/rounds/2-17", "Orchid", "2-17"),
        ("/tables/Orchid/rounds/17", "Orchid", "17"),
        ("/tables/salon%201/rounds/1-0", "salon 1", "1-0"),
        ("/tables/a%2Fb/rounds/1-2", "a/b", "1-2"),
    ],
)
def test_the_address_of_a_round_is_quoted(address: str, table: str, name: str) -> None:
    found = quoted_round(address)
    assert found is not None
    assert (found.address, found.table, found.name) == (address, table, name)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "2-17",
        "//evil.example/tables/T/rounds/2-17",
        "https://evil.example/tables/T/rounds/2-17",
        "javascript:alert(1)",
        "/tables/T/rounds/2-17?x=1",
        "/tables/T/rounds/2-17\n",
        "/tables/../rounds/x",
        "/tables/<script>/rounds/2-17",
        "/tables/T/rounds/2-x",
    ],
)
def test_anything_else_is_not_shown(served: Server, address: str) -> None:
    assert quoted_round(address) is None
    page = served.client().get("/complaints", params={"round": address, "lang": "en"}).text
    assert "The round in question" not in page
    assert "evil" not in page.partition("<main")[2]


@pytest.mark.parametrize(("language", "words"), [("en", "Ask any member of staff"), ("zh", "请向任何一位工作人员询问")])
def test_everybody_reads_it_and_it_cites_the_books(served: Server, language: str, words: str) -> None:
    assert served.by(Position.SHIFT_MANAGER).put("/api/settings", json={"complaints": "", "regulator": ""}).is_success
    page = served.client().get("/complaints", params={"lang": language}).text
    assert words in page
    for book, clause in (("commission-insurance", "5.18"), ("super-six-plus", "5.17"), ("tiger-buffalo", "5.18")):
        assert f'href="/rules/{book}/{clause}"' in page


def test_the_contacts_are_shown_as_text(served: Server) -> None:
    contacts = {"complaints": " Desk 4 \n\n<b>level</b> B1", "regulator": "Authority & Co."}
    assert served.by(Position.SHIFT_MANAGER).put("/api/settings", json=contacts).is_success
    page = served.client().get("/complaints").text
    assert "<span>Desk 4</span><span>&lt;b&gt;level&lt;/b&gt; B1</span>" in page
    assert "<span>Authority &amp; Co.</span>" in page


# ---- sending one


COMPLAINT = "I had 100 on Banker.\nIt <b>won</b> & was not paid."
ONE_LINE = "I had 100 on Banker. It <b>won</b> & was not paid."


@pytest.fixture
def played(served: Server) -> Server:
    """With tables t1, for play money, and t2, which is not, and a round in play at both."""
    for table in ("t1", "t2"):
        served.run(betting_table(served.floor, table))
    return served


def enter(served: Server, *names: str) -> list[httpx2.Client]:
    clients = [served.client(served.visitor(name)) for name in names]
    served.run(set_rules(served.service.visitors, FloorRules(visitors=True, buy_in_minor=100_00, tables=("t1",))))
    served.service.floor_view.refresh()
    return clients


def test_a_player_sends_a_complaint_and_auditors_read_it_with_its_round(played: Server) -> None:
    path = "/tables/t1/rounds/1-1"
    (vera,) = enter(played, "vera")
    page = read_page(vera, f"/complaints?round={quote(path, safe='')}", "en")
    (form,) = [form for form in page.all("form") if "data-send" in form.attributes]
    method, address = form.attributes["data-send"].split()
    assert (method, address) == ("POST", f"/api{path}/complaints")
    sent = vera.post(address, json={"text": COMPLAINT})
    assert sent.status_code == 201
    auditor = played.by(Position.AUDITOR)
    (found,) = [
        each
        for each in auditor.get("/api/exceptions").json()["exceptions"]
        if each["event"]["event"] == "complaint_made.1"
    ]
    assert (found["version"], found["by"], found["position"]) == (sent.json()["number"], "vera", "player")
    assert found["event"] == {
        "event": "complaint_made.1",
        "table": "t1",
        "stream": "t1/1",
        "round": 1,
        "text": ONE_LINE,
    }
    desk = auditor.get("/audit", params={"lang": "en"}).text
    assert "It &lt;b&gt;won&lt;/b&gt; &amp; was not paid." in desk
    assert "<b>won</b>" not in desk
    assert f'href="{path}"' in desk
    assert verify(played.floor.database).faults == []


@pytest.mark.parametrize("text", ["", " \n ", "x" * 1_001, "a\u202eb", "bell \x07"], ids=len)
def test_nothing_empty_too_long_or_unprintable_is_put_on_record(played: Server, text: str) -> None:
    (vera,) = enter(played, "vera")
    answer = vera.post("/api/tables/t1/rounds/1-1/complaints", json={"text": text})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "reason_needed")
    assert "complaint" not in played.by(Position.AUDITOR).get("/api/exceptions").text


def test_only_players_of_the_table_send_one_about_a_round_it_had(played: Server) -> None:
    (vera,) = enter(played, "vera")
    for client, path, status in (
        (vera, "/api/tables/t1/rounds/1-9/complaints", 404),
        (vera, "/api/tables/t2/rounds/1-1/complaints", 403),
        (played.by(Position.DEALER), "/api/tables/t1/rounds/1-1/complaints", 403),
        (played.client(), "/api/tables/t1/rounds/1-1/complaints", 401),
    ):
        assert client.post(path, json={"text": "odd"}).status_code == status, path
    assert "data-send" not in read_page(played.client(), "/complaints?round=%2Ftables%2Ft1%2Frounds%2F1-1").words


def test_a_player_cannot_fill_the_record(played: Server) -> None:
    path, body = "/api/tables/t1/rounds/1/complaints", {"text": "odd"}
    clients = enter(played, "vera", "vic")  # another name from the same address does not help
    codes = [client.post(path, json=body).status_code for client in clients for _ in range(COMPLAINTS_AT_ONCE)]
    assert codes == [201] * COMPLAINTS_AT_ONCE + [429] * COMPLAINTS_AT_ONCE


def test_whoever_has_not_entered_is_led_there_and_back(played: Server) -> None:
    enter(played)
    page = read_page(played.client(), "/complaints?round=%2Ftables%2Ft1%2Frounds%2F1-1", "en")
    (link,) = [each.attributes["href"] for each in page.one("main").all("a") if "/enter" in each.attributes["href"]]
    assert own_address(dict(parse_qsl(link.partition("?")[2]))["to"]) == "/complaints?round=/tables/t1/rounds/1-1"
