"""The examples of a documentation page: its ``console`` blocks, and the files it tells the reader to write.

CONTRIBUTING.md ("Write a page") has the rules for writers.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from tests.cli.running import ENVIRONMENT
from tests.waiting import DEADLINE_S
from tests.web.demo_server import demo_server

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ADDRESS = "http://127.0.0.1:8000"
BLOCK = re.compile(r"^```(?P<language>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([\w.-]+)"')
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
MACHINE = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("PUNTO_")} | {"PATH": PATH}


class WriteFile(NamedTuple):
    """A block with a title is a file that the reader writes."""

    name: str
    text: str


class Command(NamedTuple):
    line: str
    output: str


def examples(text: str) -> Iterator[WriteFile | Command]:
    """What a reader would do on this page, in order."""
    for block in BLOCK.finditer(text):
        if title := TITLE.search(block["options"]):
            yield WriteFile(title[1], block["text"])
        elif block["language"] == "console":
            yield from _commands(block["text"])


def _commands(block: str) -> Iterator[Command]:
    """Each ``$ command``, which goes on in the lines after it that start with ``> ``, and its output."""
    before, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    if before:
        raise ValueError(f"a console block starts with `$ `, this one with {before!r}")
    for part in parts:
        line, *rest = part.splitlines(keepends=True)
        while rest and rest[0].startswith("> "):
            line += rest.pop(0).removeprefix("> ")
        yield Command(line.removesuffix("\n"), "".join(rest))


def matches(expected: str, actual: str) -> bool:
    """Whether the output is as written, where ``...`` stands for anything."""
    flags = doctest.ELLIPSIS | doctest.DONT_ACCEPT_BLANKLINE | doctest.DONT_ACCEPT_TRUE_FOR_1
    return doctest.OutputChecker().check_output(expected, actual, flags)


def run_page(text: str, folder: Path) -> None:
    """Do all that the page says in this folder; an error where the output is not as written."""
    (folder / "examples").symlink_to(ROOT / "examples")
    steps = list(examples(text))
    served = any(ADDRESS in part for step in steps for part in step)
    with demo_server(folder) if served else nullcontext() as server:
        address = server.url if server else ADDRESS
        for step in steps:
            if isinstance(step, WriteFile):
                (folder / step.name).write_text(step.text.replace(ADDRESS, address), encoding="utf-8")
            else:
                _run(step, folder, address)


def _run(command: Command, folder: Path, address: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", command.line.replace(ADDRESS, address)],
        cwd=folder,
        env=MACHINE,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    output = done.stdout.replace(address, ADDRESS)
    assert (done.returncode, done.stderr) == (0, ""), f"$ {command.line}\n{output}{done.stderr}"
    assert matches(command.output, output), f"$ {command.line}\n{output}-- but the page says\n{command.output}"
