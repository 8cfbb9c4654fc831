"""What the questions of the tiles collect is exactly the command of every irregularity case and golden evening."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from punto.rules.refusals import Refusal
from punto.table.refusals import TableCode
from tests.cases.irregularity_files import Filed, all_irregularities
from tests.web.pages.trouble.steps import EVENINGS, Step, is_trouble, steps_of_case, steps_of_evening
from tests.web.pages.trouble.witness import tell


def parameters() -> list[ParameterSet]:
    return [
        pytest.param(filed, id=f"{filed.book}/{filed.path.name}::{filed.case.name}") for filed in all_irregularities()
    ]


@pytest.mark.parametrize("filed", parameters())
def test_the_facts_of_a_case_give_its_command(filed: Filed) -> None:
    require_told(steps_of_case(filed))


@pytest.mark.sweep
@pytest.mark.parametrize("path", EVENINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_facts_of_an_evening_give_its_commands(path: Path) -> None:
    require_told(steps_of_evening(path))


def require_told(steps: Iterator[Step]) -> None:
    for felt, command, decision in steps:
        if not is_trouble(felt, command):
            continue
        if not isinstance(decision, Refusal):
            assert tell(felt, command) is not None, command
        elif decision.code is TableCode.NOT_IN_BOOK:
            assert tell(felt, command) is None, command
