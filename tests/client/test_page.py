"""The examples of docs/client.md work, and the page is complete."""

import os
import re
import subprocess
import sys

import pytest

from punto.client import Client, ClientCode
from punto.floor.errors import FloorCode
from punto.rules.refusals import Code
from tests.client.conftest import Served
from tests.floor.servers import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs/client.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_says(quiet: Served) -> None:
    examples = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(examples) == PAGE.count("```python") >= 3
    for program, said in examples:
        done = subprocess.run(
            [sys.executable, "-c", program.replace("http://127.0.0.1:8000", quiet.url)],
            env=os.environ | {"PUNTO_TOKEN": quiet.token},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == (said, "")


def test_every_method_and_every_code_is_on_the_page() -> None:
    methods = [name for name in vars(Client) if not name.startswith("_")]
    assert [name for name in methods if f"`{name}(" not in PAGE and f"`{name}`" not in PAGE] == []
    assert re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE) == [
        *ClientCode,
        FloorCode.BAD_TOKEN,
        Code.EXTRA_MISSING,
    ]
