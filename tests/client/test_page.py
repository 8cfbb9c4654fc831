"""docs/client.md runs each of its programs and leaves out no method and no code."""

import re

from punto.client import Client, ClientCode
from punto.floor.errors import FloorCode
from punto.rules.refusals import Code
from tests.floor.servers import ROOT

PAGE = (ROOT / "docs/client.md").read_text(encoding="utf-8")


def test_every_program_on_the_page_is_run() -> None:
    """tests/test_docs.py writes the blocks with a title to files and runs the console blocks."""
    programs = re.findall(r'^```python title="([a-z.]+)"$', PAGE, re.MULTILINE)
    assert len(programs) == PAGE.count("```python") >= 3
    assert [name for name in programs if f"$ python {name}\n" not in PAGE] == []


def test_every_method_and_every_code_is_on_the_page() -> None:
    methods = [name for name in vars(Client) if not name.startswith("_")]
    assert [name for name in methods if f"`{name}(" not in PAGE and f"`{name}`" not in PAGE] == []
    assert re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE) == [
        *ClientCode,
        FloorCode.BAD_TOKEN,
        Code.EXTRA_MISSING,
    ]
