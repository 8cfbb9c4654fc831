"""The memo on a game: two sheets of A4, and readable on any screen."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from punto.cli import main
from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.looking import look_at

MEMOS = [
    pytest.param("commission-insurance", "en", marks=pytest.mark.nightly),
    ("tiger-buffalo", "en"),
    ("tiger-buffalo", "zh"),
]


@pytest.mark.parametrize(("game", "language"), MEMOS)
def test_a_memo_prints_on_two_sheets(
    game: str, language: str, tmp_path: Path, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    file = tmp_path / "memo.html"
    options = ["--decks", "8", "--shoes", "2", "--language", language, "--output", str(file)]
    made = CliRunner().invoke(main, ["memo", game, *options])
    assert made.exit_code == 0, made.output
    page.goto(file.as_uri())
    expect(page.get_by_role("heading", level=2)).to_have_count(5)
    look_at(page, f"memo-{game}-{language}", axe, screenshot)
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
    assert troubles.left == []
