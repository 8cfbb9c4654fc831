"""The page on complaints: for everybody, with the contacts of the house, and about a round if it has its address."""

import pytest

from punto.table.records.positions import Position
from punto.web.pages.complaints import quoted_round
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
