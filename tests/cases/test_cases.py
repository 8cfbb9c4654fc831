"""Every case of the case files, settled by ``punto settle``."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from _pytest.mark import ParameterSet

from punto import book_ids
from punto.cli.settle import settle_line
from tests.cases.case_files import CASES, Case, read_cases
from tests.marks import clause, reading

FILES = sorted(CASES.glob("*/*.toml"))


def parameters() -> list[ParameterSet]:
    return [_parameter(path, case) for path in FILES for case in read_cases(path.read_text("utf-8"))]


def _parameter(path: Path, case: Case) -> ParameterSet:
    book = path.parent.name
    marks = [clause(book, *case.clauses)] if case.clauses else []
    if case.readings:
        marks.append(reading(*case.readings))
    return pytest.param(book, case, id=f"{book}/{path.name}::{case.name}", marks=marks)


@pytest.mark.parametrize(("book", "case"), parameters())
def test_case(book: str, case: Case) -> None:
    layouts: list[str | None] = [*case.layouts] or [None]
    for layout in layouts:
        record = msgspec.json.encode(settle_line(case.line(book, layout)))
        came = msgspec.json.decode(record, type=dict[str, Any])
        if case.error is None:
            require_settled(case, came)
        else:
            require_refused(case, came)


def require_refused(case: Case, came: dict[str, Any]) -> None:
    assert came.keys() == {"error"}, came
    error = came["error"]
    assert error["code"] == case.error, error
    assert sorted(error["clauses"]) == sorted(case.cited)
    # 1,000 is not a part of 1,000.01
    assert re.search(rf"(?<![\d.,]){re.escape(case.says)}(?![.,]?\d)", error["message"]), error


def require_settled(case: Case, came: dict[str, Any]) -> None:
    assert "error" not in came, came["error"]
    coup = came["round"]
    assert (coup["player"]["points"], coup["banker"]["points"]) == (case.player, case.banker)
    assert coup["winner"] == winner(case)
    assert coup["natural"] is case.natural
    assert came["unused"] == case.unused.split()
    used = coup["player"]["cards"] + coup["banker"]["cards"]
    assert sorted(used + came["unused"]) == sorted(case.cards.split())
    if case.offers is not None:
        assert came["offers"] == msgspec.to_builtins(case.offers)
    for row, result in zip(case.rows, came["results"], strict=True):
        cited = result.pop("clauses")
        assert result == {key: value for key, value in row.settled().items() if value is not None}
        assert cited if row.cited is None else sorted(cited) == sorted(row.cited)


def winner(case: Case) -> str:
    assert case.player is not None
    assert case.banker is not None
    if case.player == case.banker:
        return "tie"
    return "player" if case.player > case.banker else "banker"


def test_every_book_has_cases() -> None:
    assert {path.parent.name for path in FILES} == set(book_ids())


GOOD = """
[[cases]]
name = "a case"
clauses = ["4.1.2"]
cards = "Ks 2d 7h 4c"
player = 7
banker = 6
bets = [{ bet = "player", stake = "100", result = "win", odds = "1", returned = "200.00" }]
"""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GOOD + GOOD, "more than one case"),
        (GOOD + 'colour = "red"\n', "unknown field `colour`"),
        (GOOD.replace("stake", 'colour = "red", stake'), "unknown field `colour`"),
        (GOOD.replace('"4.1.2"', ""), "names no clause"),
        (GOOD.replace("a case", "a cas\u00e9"), "plain ASCII"),
        (GOOD.replace("banker = 6", ""), "lacks points"),
        (GOOD.replace(', returned = "200.00"', ""), "what is returned"),
        (GOOD + 'error = "unknown_bet"\n', "cannot have an outcome"),
        (GOOD + 'cited = ["4.1.2"]\n', "cannot have `cited`"),
    ],
)
def test_a_case_file_with_an_unknown_or_missing_key_is_refused(text: str, complaint: str) -> None:
    assert read_cases(GOOD)
    with pytest.raises(msgspec.ValidationError, match=complaint):
        read_cases(text)


def test_the_readme_shows_a_case_that_passes() -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```", (CASES / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (case,) = read_cases(block)
    test_case("commission", case)
