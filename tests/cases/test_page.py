"""docs/irregularities.md is generated from the register, the commands and the cases."""

import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.engine import decide
from punto.table.records import reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from punto.table.vocabulary import AnyCommand
from tests.cases.page import ASKED, NAMES, NONE, TOO_FEW, anchor, page
from tests.cases.page_subjects import SUBJECTS
from tests.cases.playing import played
from tests.marks import BOOKS
from tests.table.samples import COMMANDS
from tests.table.tables import ready

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


def _choose_table() -> dict[str, list[str]]:
    text = PAGE.read_text("utf-8")
    rows = text[text.index("| do they choose?") :].split("\n\n")[0].splitlines()[2:]
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)}


def test_the_table_of_choices_agrees_with_every_case() -> None:
    """A cell says what came of all cases that it is about, decided or not and with the order known or lost."""
    table, compared = _choose_table(), 0
    names = {kind: name for name, kind in ASKED if name != TOO_FEW}
    for filed, came in played():
        for judged in came.judged if filed.book != "commission" else ():
            if judged.kind not in names:
                continue
            row = table[TOO_FEW if judged.too_few else names[judged.kind]]
            cell = row[(2 if judged.reconstructable is False else 0) + judged.established]
            assert judged.came == cell or (cell == "if the order matters" and judged.came != "void"), filed.case.name
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("rules", BOOKS, ids=lambda each: each.id)
def test_a_command_has_clauses_in_the_last_table_only_where_the_book_has_it(rules: Rulebook) -> None:
    """The engine refuses the others as not in the book."""
    text = PAGE.read_text("utf-8")
    head, _, *rows = text[text.index("| | who |") :].split("\n\n")[0].splitlines()
    column = [cell.strip() for cell in head.strip("|").split("|")].index(NAMES[rules.id])
    cells = {row.strip("|").split("|")[0].strip(" `"): row.strip("|").split("|")[column].strip() for row in rows}
    commands = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyCommand)}
    samples = {type(each): each for each in COMMANDS}
    dashed = {tag for tag, cell in cells.items() if tag in commands and cell == NONE}
    refused = {tag for tag in cells if tag in commands and _is_not_in(rules, samples[commands[tag]])}
    assert dashed == refused


def _is_not_in(rules: Rulebook, command: Command) -> bool:
    position = next(each for each in (Position.CASINO_MANAGER, Position.HOUSE, Position.PLAYER) if each in command.may)
    by = command.by if position is Position.PLAYER else "cas"
    decision = decide(rules, ready(rules).table, replace(command, by=by, position=position))
    return isinstance(decision, Refusal) and decision.code is TableCode.NOT_IN_BOOK
