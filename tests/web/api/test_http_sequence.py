"""The worked sequence of docs/http.md, sent to a real server on an empty floor, request by request."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.web.process import process

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[3] / "docs/http.md").read_text(encoding="utf-8")
SEQUENCE = PAGE[PAGE.index("## Play a round from an empty floor") :].partition("\n## ")[0]
EXCHANGE = re.compile(
    r"^```http\n(?P<request>.*?)\nHTTP/1.1 (?P<status>\d+) [A-Za-z ]+\n(?P<answer>.*?)^```$", re.MULTILINE | re.DOTALL
)
ANYTHING = "..."


def exchanges() -> list[tuple[str, int, str]]:
    """Each request, and the status and body of its answer."""
    return [(found["request"], int(found["status"]), found["answer"]) for found in EXCHANGE.finditer(SEQUENCE)]


def parse(body: str) -> Any:
    """A body as the page shows it: JSON in which ``...`` stands for any value, or for the rest of a list."""
    return msgspec.json.decode(re.sub(r'(?<!")\.\.\.(?!")', f'"{ANYTHING}"', body)) if body.strip() else None


class Reader:
    """Follows the page: remembers the value of ``$NAME`` in an answer and sends it in later requests."""

    def __init__(self, **known: str) -> None:
        self.known = known

    def fill_in(self, text: str) -> str:
        return re.sub(r"\$([A-Z_]+)", lambda name: self.known[name[1]], text)

    def compare(self, expected: Any, actual: Any, where: str) -> None:
        """Fail where an answer is not as the page shows it."""
        if expected == ANYTHING:
            return
        if isinstance(expected, str) and expected.startswith("$"):
            assert isinstance(actual, str), where
            self.known[expected[1:]] = actual
        elif isinstance(expected, dict):
            assert sorted(expected) == sorted(actual), where
            for key, value in expected.items():
                self.compare(value, actual[key], f"{where}.{key}")
        elif isinstance(expected, list):
            if expected[-1:] == [ANYTHING]:
                expected, actual = expected[:-1], actual[: len(expected) - 1]
            assert len(expected) == len(actual), where
            for place, value in enumerate(expected):
                self.compare(value, actual[place], f"{where}[{place}]")
        else:
            assert actual == expected, where


def test_the_worked_sequence_runs_as_written(tmp_path: Path) -> None:
    with process(tmp_path) as served:
        reader, client = Reader(PASSWORD=served.password), served.client()
        for request, status, answer in exchanges():
            head, _, body = reader.fill_in(request).partition("\n\n")
            line, *headers = head.splitlines()
            method, address = line.split(" ")
            sent = dict(header.split(": ", 1) for header in headers)
            if body:
                sent["Content-Type"] = "application/json"
            response = client.request(method, address, content=body.encode(), headers=sent)
            assert response.status_code == status, (line, response.text)
            assert bool(response.content) == bool(answer.strip()), line
            if response.content:
                reader.compare(parse(answer), response.json(), line)


def test_the_sequence_ends_with_a_settled_round() -> None:
    request, _, answer = exchanges()[-1]
    assert request.startswith("GET /api/tables/felt%201/rounds\n")
    assert parse(answer)["rounds"][0]["winner"] == "banker"
    assert len(exchanges()) == SEQUENCE.count("```http") >= 20


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ('{"a": 1}', {"a": 2}),
        ('{"a": 1}', {"a": 1, "b": 2}),
        ('{"a": 1, "b": ...}', {"a": 1}),
        ("[1]", [1, 2]),
        ("[2, ...]", [1, 2]),
        ("[1, 2, ...]", [1]),
    ],
)
def test_an_answer_that_is_not_as_shown_is_noticed(expected: str, actual: Any) -> None:
    with pytest.raises(AssertionError):
        Reader().compare(parse(expected), actual, "")
