"""The language of an answer: by cookie or header, over HTTP, at sockets and on the error page; players as "you"."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from punto import book
from punto.catalogue import en
from punto.catalogue.sentence import phrase
from punto.client import Client, ClientRefused
from punto.floor.journal.actor import Actor
from punto.rules.refusals import Clause, Code, Refusal, Refused
from punto.table.records.positions import Position
from punto.web.http.errors import RefusedByTable, WebCode, problem_of, status_of
from punto.web.http.language import Reader, language_of, reader_of
from punto.web.http.rate_limits import TooMany
from punto.web.live import connection
from punto.web.messages import Problem
from punto.web.pages.base.handler import ErrorPage
from punto.web.pages.base.layout import PageLayout
from punto.web.pages.base.templates import render
from tests.floor.nights import DORA
from tests.web.serving import Server
from tests.web.watching import line
from tests.web.wire import problem

NO_TABLE = {"en": "There is no table 'none'.", "zh": "没有赌桌“none”。"}
ASKED: list[tuple[Mapping[str, str], str]] = [
    ({}, "en"),
    ({"accept-language": "zh-CN,zh;q=0.9"}, "zh"),
    ({"cookie": "punto-language=zh"}, "zh"),
    ({"cookie": "other=1; punto-language=en", "accept-language": "zh"}, "en"),
    ({"punto-language": "zh", "cookie": "punto-language=en", "accept-language": "en"}, "zh"),
]
"""Headers of a request, and the language of its answer."""
by_language = pytest.mark.parametrize(("headers", "language"), ASKED)
ZH = {"accept-language": "zh"}


@by_language
def test_an_error_of_the_api(standing: Server, headers: Mapping[str, str], language: str) -> None:
    answer = standing.client().get("/api/tables/none", headers=dict(headers))
    assert problem(answer, 404, "unknown_table")["message"] == NO_TABLE[language]


@by_language
def test_an_error_before_the_request_is_read(standing: Server, headers: Mapping[str, str], language: str) -> None:
    answer = standing.client().post("/api/session", content=b"{", headers={**headers, "content-type": "text/plain"})
    told = problem(answer, 415, "unsupported_media_type")["message"]
    assert told.startswith("The body must be" if language == "en" else "正文必须是")


@by_language
def test_the_error_page(standing: Server, headers: Mapping[str, str], language: str) -> None:
    page = standing.client().get("/tables/none", headers={**headers, "accept": "text/html"})
    assert page.status_code == 404
    assert NO_TABLE[language].replace("'", "&#39;") in page.text
    chosen = standing.client().get("/tables/none?lang=zh", headers=dict(headers))
    assert NO_TABLE["zh"] in chosen.text


@by_language
def test_a_socket(standing: Server, headers: Mapping[str, str], language: str) -> None:
    with line(standing, headers=dict(headers)) as one:
        one.watch("none")
        assert one.next()["error"]["message"] == NO_TABLE[language]
        one.socket.send(b"{}")
        reason = {"en": "A message must be short JSON text.", "zh": "消息必须是简短的JSON文本。"}[language]
        assert one.closed_with() == (connection.CLOSE_BAD_MESSAGE, reason)
    with pytest.raises(InvalidStatus) as refused, line(standing, path="/nowhere", headers=dict(headers)):
        pass
    nothing = {"en": "There is nothing at this address.", "zh": "此地址没有内容。"}[language]
    assert nothing in (refused.value.response.body or b"").decode()


def test_the_socket_of_a_page_has_the_language_of_the_page(standing: Server) -> None:
    reasons = {"en": "There is no such page.", "zh": "没有这个页面。"}
    for lang, headers in (("zh", {}), ("en", ZH)):
        with line(standing, path=f"/live/nowhere?lang={lang}", headers=headers) as one:
            assert one.next()["error"]["message"] == reasons[lang]
            assert one.closed_with() == (connection.CLOSE_BAD_MESSAGE, reasons[lang])


def test_clauses_and_titles(standing: Server) -> None:
    client, path, clause = standing.client(), "/api/books/commission/clauses/3.2", Clause("3.2")
    assert client.get(path, headers=ZH).json()["summary"] == book("commission").summary(clause, "zh")
    assert client.get(path).json()["summary"] == book("commission").summary(clause)
    titles = [each["title"] for each in client.get("/api/books", headers=ZH).json()["books"]]
    assert "佣金百家乐" in titles
    assert "Commission Baccarat" in [each["title"] for each in client.get("/api/books").json()["books"]]


def _bet(server: Server, client: httpx2.Client, stake_minor: int, **headers: str) -> dict[str, Any]:
    command = {"command": "place_bet.1", "who": "vera", "box": 3, "bet": "banker", "stake_minor": stake_minor}
    body = {"id": server.next_id(), "command": command}
    return problem(client.post("/api/tables/t1/commands", json=body, headers=headers), 409, "not_enough_chips")


def test_players_are_addressed_themselves_and_the_staff_are_not(standing: Server) -> None:
    vera, dora = standing.by(Position.PLAYER), standing.by(Position.DEALER)
    standing.chips("t1", "vera", 200_00)
    assert standing.command(vera, "t1", "sit", who="vera", box=3).status_code == 200
    assert _bet(standing, vera, 500_00)["message"] == "You have 200 in chips, which is not enough."
    assert _bet(standing, vera, 500_00, **ZH)["message"] == "筹码不足：您还有200。"
    staff = standing.command(dora, "t1", "cash_out", who="vera", amount_minor=500_00)
    assert problem(staff, 409, "not_enough_chips")["message"] == "'vera' has 200 in chips, which is not enough."


def test_a_problem_names_the_book_of_its_clauses(standing: Server) -> None:
    dora = standing.by(Position.DEALER)
    cited = problem(standing.command(dora, "t1", "settle"), 409, "not_dealing")
    assert (bool(cited["clauses"]), cited["book"]) == (True, standing.floor.table("t1").rules.id)
    plain = problem(standing.command(dora, "t1", "cash_out", who="nobody", amount_minor=1), 409, "unknown_person")
    assert (plain["clauses"], plain["book"]) == ([], None)


def test_so_does_a_problem_that_the_rules_have_found_without_a_table() -> None:
    rules = book("super-six-plus")
    for refused in (rules.unknown_layout("Z"), rules.decks_out_of_range(3), rules.not_on_menu("x", rules.layout("A"))):
        told = problem_of(refused, Reader())
        assert (told.clauses, told.book) == (refused.clauses, "super-six-plus")
        assert told.clauses
    assert problem_of(Refused(Code.UNKNOWN_BOOK, book="x", books=("a",)), Reader()).book is None


def test_the_client_library_asks_for_english(standing: Server) -> None:
    with Client(standing.url, token=standing.token(Position.DEALER)) as client, pytest.raises(ClientRefused) as refused:
        client.table("none")
    assert refused.value.message == NO_TABLE["en"]


def test_clause_marks_of_the_error_page_are_links() -> None:
    layout = PageLayout(who=None, here="", path="/", odds=True)
    link, plain = (
        '<a class="clause" href="/rules/commission/3.2" data-clause aria-label="clause 3.2">3.2</a>',
        '<span class="clause">3.2</span>',
    )
    for law, mark in (("commission", link), (None, plain)):
        told = Problem(code="x", message="No.", clauses=(Clause("3.2"),), book=law)
        assert mark in render(ErrorPage(layout=layout, problem=told, status=409), "en")


def test_who_reads() -> None:
    assert Reader() == reader_of("en", DORA)
    assert Reader(to_player=True) == reader_of("en", None)
    assert language_of({"cookie": "punto-language=zh"}, "en") == "en"


def test_people_who_are_not_signed_in_are_addressed_like_players() -> None:
    error = RuntimeError("secret")
    told = {problem_of(error, reader_of("en", actor)).message for actor in (None, Actor("ann", Position.PLAYER))}
    assert told == {"Something went wrong on our side. Please try again."}
    assert "log" in problem_of(error, reader_of("en", DORA)).message


def test_who_is_too_fast_reads_when_to_try_again() -> None:
    refused = TooMany(phrase("phrase.commands"), 0.3)
    assert problem_of(refused, reader_of("en", None)).message == "You are going too fast. Try again in 1 second."
    assert problem_of(refused, reader_of("zh", None)).message == "操作太快，请1秒后再试。"
    assert problem_of(refused, reader_of("en", DORA)).message == "Too many commands. Try again in 1 second."


def test_a_sentence_that_cannot_be_made_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    for refused in (
        Refused("no_such_code"),
        Refused(Code.UNKNOWN_BOOK, variant="no_such_variant"),
        RefusedByTable(Refusal(Code.UNKNOWN_BET), "commission", ()),
    ):
        told = problem_of(refused, Reader("zh"))
        assert (told.code, told.message) == (WebCode.INTERNAL, "服务器出错，详情见日志。")
        assert status_of(told.code) == 500
        assert caplog.records.pop().exc_info is not None


def test_an_answer_is_json_even_where_its_sentence_cannot_be_made(
    standing: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(en.SENTENCES, "unknown_table")
    told = problem(standing.client().get("/api/tables/none"), 500, "internal_error")
    assert told["message"] == "Something went wrong on our side. Please try again."


@pytest.mark.parametrize("path", ["/nowhere?lang=zh", "/nowhere?lang=zh&other=1", "/?lang=zh&page=x"])
def test_pages_that_are_refused_have_the_language_of_their_address(standing: Server, path: str) -> None:
    page = standing.client().get(path, headers={"accept": "text/html"})
    assert page.status_code in (400, 404)
    assert '<html lang="zh' in page.text


def test_a_language_that_does_not_exist_changes_nothing(standing: Server) -> None:
    client = standing.client()
    kept = client.get("/?lang=fr", headers={"cookie": "punto-language=zh"})
    assert '<html lang="zh' in kept.text
    assert "punto-language" not in kept.headers.get("set-cookie", "")
    chosen = client.get("/?lang=zh")
    assert "punto-language=zh" in chosen.headers["set-cookie"]


def test_methods_are_listed_in_the_language(standing: Server) -> None:
    client = standing.client()
    assert problem(client.delete("/api/books"), 405, "method_not_allowed")["message"].endswith("Use GET, HEAD.")
    assert problem(client.delete("/api/books", headers=ZH), 405, "method_not_allowed")["message"].endswith(
        "请用GET、HEAD。"
    )
