"""What the docs show is what happens."""

import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import fields

from punto.floor.errors import FloorCode
from punto.rules.refusals import Code
from punto.table.records.reports import ReportLaterError
from punto.table.records.settings import Automation, Settings
from punto.table.refusals import FROM_THE_RULES, TableCode
from punto.table.vocabulary import AnyCommand, AnyEvent
from tests.console import ADDRESS, PAGES, ROOT, examples, run_page

pytestmark = pytest.mark.slow

WITH_EXAMPLES = [page for page in PAGES if any(examples(page.read_text()))]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_the_commands_of_a_page_print_what_it_says(page: Path, tmp_path: Path) -> None:
    run_page(page.read_text(), tmp_path)


def test_the_readme_has_commands_to_try() -> None:
    assert len(list(examples((ROOT / "README.md").read_text()))) >= 3


BLOCKS = """
```json title="greeting.json"
{"a": 1}
```

```console
$ cat greeting.json
{"a": 1}
$ printf '%s\\n' one \\
>   two three
one
...
```
"""


def test_a_page_writes_its_files_and_runs_its_commands(tmp_path: Path) -> None:
    run_page(BLOCKS, tmp_path)
    assert (tmp_path / "greeting.json").read_text() == '{"a": 1}\n'


@pytest.mark.parametrize(
    "block",
    [
        "$ echo one\ntwo\n",
        "$ echo one\n",
        "$ echo one\none\ntwo\n",
        "$ echo one two\none ...three\n",
        "$ echo one >&2\n",
        "$ false\n",
    ],
)
def test_output_that_is_not_as_written_fails(block: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"^\$ "):
        run_page(f"```console\n{block}```\n", tmp_path)


def test_a_block_without_a_command_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="starts with"):
        run_page("```console\npunto rules\n```\n", tmp_path)


def test_a_page_that_names_the_address_gets_the_demo_tables(tmp_path: Path) -> None:
    read = "import json, urllib.request as r; print(sorted(t['table'] for t in json.load(r.urlopen('{}'))['tables']))"
    command = f'python -c "{read.format(ADDRESS + "/api/tables")}"'
    run_page(f"```console\n$ {command}\n['Camellia', ..., 'Orchid']\n```\n", tmp_path)


def test_every_code_of_refusal_is_documented() -> None:
    said = re.findall(r"`([a-z_]+)`", (ROOT / "docs/command-line.md").read_text())
    assert [code for code in Code if code not in said] == []


def test_every_code_of_a_floor_is_documented() -> None:
    page = (ROOT / "docs/floor.md").read_text()
    said = re.findall(r"`([a-z_]+)`", page[page.index("## Error codes") :])
    of_other_rooms = (TableCode.NOT_AUTHORISED, TableCode.BAD_NAME, Code.EXTRA_MISSING)
    assert sorted(said) == sorted([*FloorCode, *of_other_rooms])


def test_every_command_event_refusal_and_setting_of_a_table_is_documented() -> None:
    page = (ROOT / "docs/table.md").read_text()
    said = re.findall(r"^\| `([a-z0-9_.]+)` \|", page, re.MULTILINE)
    kinds = [*get_args(AnyCommand), *get_args(AnyEvent)]
    tags = [kind.__struct_config__.tag for kind in kinds]
    assert sorted(said) == sorted([*tags, *TableCode, *FROM_THE_RULES, *Settings.__struct_fields__])
    assert all(f"`{automation}`" in page for automation in Automation)


def test_the_fields_of_every_command_are_documented() -> None:
    page = (ROOT / "docs/table.md").read_text()
    rows = dict(re.findall(r"^\| `([a-z_]+\.1)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE))
    for command in get_args(AnyCommand):
        named = [field for field in fields(command) if field.name not in {"by", "position"}]
        if command is not ReportLaterError:
            assert named.pop().name == "round"  # described above the table, for all commands
        cell = ", ".join(f"`{field.name}`{'*' if field.required else ''}" for field in named) or "-"
        assert rows[command.__struct_config__.tag] == cell
