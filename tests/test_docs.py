"""What the docs show is what happens."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from punto.floor.errors import FloorCode
from punto.rules.refusals import Code
from punto.table.records.settings import Automation, Settings
from punto.table.refusals import FROM_THE_RULES, TableCode
from punto.table.vocabulary import AnyCommand, AnyEvent

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


def _examples() -> list[tuple[str, str]]:
    """Each command of the README's console blocks, with what it says comes out."""
    blocks = re.findall(r"^```console\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


@pytest.mark.parametrize(("command", "output"), _examples(), ids=lambda text: text[:30])
def test_the_readmes_commands_print_what_it_says(command: str, output: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", command], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout == output
    assert done.stderr == ""


def test_the_readme_has_examples() -> None:
    assert len(_examples()) >= 3


def test_every_code_of_refusal_is_documented() -> None:
    said = re.findall(r"`([a-z_]+)`", (ROOT / "docs/command-line.md").read_text())
    assert [code for code in Code if code not in said] == []


def test_every_code_of_a_floor_is_documented() -> None:
    page = (ROOT / "docs/floor.md").read_text()
    said = re.findall(r"`([a-z_]+)`", page[page.index("## Codes of refusal") :])
    of_other_rooms = (TableCode.NOT_AUTHORISED, TableCode.BAD_NAME, Code.EXTRA_MISSING)
    assert sorted(said) == sorted([*FloorCode, *of_other_rooms])


def test_every_command_event_refusal_and_setting_of_a_table_is_documented() -> None:
    page = (ROOT / "docs/table.md").read_text()
    said = re.findall(r"^\| `([a-z0-9_.]+)` \|", page, re.MULTILINE)
    kinds = [*get_args(AnyCommand), *get_args(AnyEvent)]
    tags = [kind.__struct_config__.tag for kind in kinds]
    assert sorted(said) == sorted([*tags, *TableCode, *FROM_THE_RULES, *Settings.__struct_fields__])
    assert all(f"`{automation}`" in page for automation in Automation)
