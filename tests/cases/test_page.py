"""docs/irregularities.md is generated from the register, the commands and the cases."""

import re
from pathlib import Path
from typing import get_args

import pytest

from punto.table.records import reports
from punto.table.records.kinds import Irregularity
from punto.table.vocabulary import AnyCommand
from tests.cases.page import anchor, page
from tests.cases.page_subjects import SUBJECTS
from tests.cases.playing import played

pytestmark = pytest.mark.sweep

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "irregularities.md"


def test_the_page_is_made_from_books_commands_and_cases() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m tests.cases.page > docs/irregularities.md"


def test_the_page_can_be_read_in_one_sitting() -> None:
    assert len(PAGE.read_text("utf-8").splitlines()) <= 460


def test_every_command_about_irregularities_is_on_the_page() -> None:
    commands = {command for subject in SUBJECTS for command, _ in subject.commands}
    assert {kind for kind in get_args(AnyCommand) if kind.__module__ == reports.__name__} <= commands


def test_every_irregularity_has_a_worked_case_on_the_page() -> None:
    named = {case for subject in SUBJECTS for case in subject.cases}
    kinds = {kind for filed, came in played() if (filed.book, filed.case.name) in named for kind in came.kinds}
    alike = {Irregularity.FOREIGN_CARD, Irregularity.NOT_SHUFFLED}  # they end like a wrong count, which has an example
    assert set(Irregularity) - kinds - alike == {Irregularity.RULING}  # a ruling is not a report


def test_the_links_of_the_page_lead_somewhere() -> None:
    text = PAGE.read_text("utf-8")
    headings = {anchor(heading) for heading in re.findall("^#+ (.+)$", text, re.MULTILINE)}
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert {link[1:] for link in links if link[0] == "#"} <= headings
    assert all((DOCS / link.partition("#")[0]).is_file() for link in links if link[0] != "#")
