"""The referee over HTTP: for anybody, in the reader's language."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha512
from typing import Any

import httpx2
import pytest

from tests.cli.test_referee import QUESTION, REFUSED
from tests.waiting import DEADLINE_S, wait_until
from tests.web.serving import Server


def _by_api(served: Server) -> httpx2.Response:
    return served.client().post("/api/referee", json=QUESTION)


def _by_page(served: Server) -> httpx2.Response:
    return served.client().get("/referee")


def test_anybody_may_ask_and_no_session_is_looked_up(standing: Server) -> None:
    answer = standing.client("no such token").post("/api/referee", json=QUESTION)
    assert answer.status_code == 200, answer.text
    (outcome,) = answer.json()["outcomes"]
    assert [end["change_minor"] for end in outcome["ends"]] == [-10000, 5000]
    assert outcome["words"] == "Player wins 9 to 5."


def test_a_question_that_is_too_long_for_a_link_has_none(standing: Server) -> None:
    rulings = [
        {"command": "rule.1", "effect": "continue", "reason": sha512(bytes([each])).hexdigest()} for each in range(60)
    ]
    linked = standing.client().post("/api/referee", json=QUESTION).json()["link"]
    assert standing.client().get(linked).status_code == 200
    answer = standing.client().post("/api/referee", json={**QUESTION, "happened": rulings})
    assert answer.json()["link"] == "", answer.text


def test_it_answers_in_the_readers_language(standing: Server) -> None:
    answer = standing.client().post("/api/referee", json=QUESTION, headers={"accept-language": "zh"})
    assert answer.json()["outcomes"][0]["words"].endswith("9比5。")


def test_a_book_that_does_not_exist_is_not_found(standing: Server) -> None:
    answer = standing.client().post("/api/referee", json={"book": "poker"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_book")


def test_a_step_that_cannot_be_is_part_of_the_answer(standing: Server) -> None:
    refused = standing.client().post("/api/referee", json=REFUSED).json()["refused"]
    assert (refused["step"], refused["code"]) == (1, "no_options")


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ({"book": "commission", "happened": ["Z"]}, "not_a_card"),
        ({"book": "commission", "colour": "red"}, "bad_request"),
        ({"book": "commission", "happened": ["9"] * 61}, "bad_request"),
        ({"book": "commission", "happened": [{"command": "open_table.1"}]}, "wrong_type"),
    ],
)
def test_what_is_no_question_is_refused(standing: Server, question: dict[str, Any], code: str) -> None:
    answer = standing.client().post("/api/referee", json=question)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


def test_a_table_that_cannot_be_is_part_of_the_answer_too(standing: Server) -> None:
    question = {"book": "commission", "table": {"boxes": 10**9}}
    refused = standing.client().post("/api/referee", json=question).json()["refused"]
    assert (refused["step"], refused["code"]) == (-1, "boxes_out_of_range")


@pytest.mark.parametrize("ask", [_by_api, _by_page])
def test_questions_are_ruled_on_one_at_a_time_and_few_may_wait(
    standing: Server, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Server], httpx2.Response]
) -> None:
    """Anybody may ask, and a question may take seconds: the floor has to go on."""
    monkeypatch.setattr(standing.service.questions, "_max_waiting", 1)
    first, held = standing.service.questions.turn(), ThreadPoolExecutor(1)
    standing.run(first.__aenter__())
    try:
        waiting = held.submit(ask, standing)
        wait_until(lambda: standing.service.questions._waiting == 1)
        refused = ask(standing)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
    finally:
        standing.run(first.__aexit__(None, None, None))
    assert waiting.result(DEADLINE_S).status_code == 200
    held.shutdown()
