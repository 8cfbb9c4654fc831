"""A reader of the documentation gets where they want to go."""

from pathlib import Path

import click
import pytest

from punto.cli.main import main
from tests.console import PAGES, ROOT
from tests.markdown import clicks_to, dead_links, links, sections

INDEX = ROOT / "docs/README.md"
TASKS = {
    "Open a felt table": ("docs/felt.md", "open_table"),
    "Settle a file of rounds": ("docs/command-line.md", "punto settle"),
    "Read a clause": ("docs/books.md", "5.13"),
    "Restore a backup": ("docs/backup.md", "punto restore"),
    "Add a bet": ("docs/books.md", "make register"),
}
"""Each task of the reader's test: the page that has it under this heading, and what its examples or text must name."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert dead_links(page) == []


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("[a](other.md) [b](other.md#two-words) [c](#here) [d](https://example.com/x#y)\n\n# Here\n", []),
        ("[a](none.md)", ["none.md"]),
        ("[a](other.md#none) and ![b](none.jpg)", ["other.md#none", "none.jpg"]),
        ("[a](other.md#two-words-1) [b](other.md#two-words-2)", ["other.md#two-words-2"]),
        ("`[a](none.md)`\n\n```text\n[a](none.md)\n# Not a heading\n```\n\n[b](#not-a-heading)", ["#not-a-heading"]),
    ],
)
def test_a_link_that_leads_nowhere_is_found(text: str, dead: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# `Two` words\n\n## Two words\n")
    (tmp_path / "page.md").write_text(text)
    assert dead_links(tmp_path / "page.md") == dead


def test_the_index_lists_every_page_once_for_somebody() -> None:
    targets = {link.target.partition("#")[0] for link in links(INDEX)}
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {INDEX.name}
    assert targets == pages | {"../CONTRIBUTING.md"}


def test_the_index_lists_every_command() -> None:
    index = INDEX.read_text()
    names = main.list_commands(click.Context(main))
    assert len(names) > 10
    assert [name for name in names if f"`punto {name}`" not in index] == []


@pytest.mark.parametrize("task", TASKS)
def test_a_reader_gets_from_the_readme_to_a_task_in_three_clicks(task: str) -> None:
    clicks = clicks_to(task)
    assert clicks is not None
    assert clicks <= 3
    name, words = TASKS[task]
    page = ROOT / name
    (section,) = [section for section in sections(page) if section.heading == task]
    assert words in section.text


def test_clicks_are_counted(tmp_path: Path) -> None:
    pages = {"start": "[1](one.md)", "one": "# One\n\n## Deep\n\n[2](two.md#b)", "two": "# Two\n\n## A\n\n## B\n"}
    for name, text in pages.items():
        (tmp_path / f"{name}.md").write_text(text)
    counts = {heading: clicks_to(heading, tmp_path / "start.md") for heading in ("One", "Deep", "Two", "A", "B")}
    assert counts == {"One": 1, "Deep": None, "Two": 2, "A": None, "B": 2}
