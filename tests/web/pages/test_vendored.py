"""Scripts of other projects are the ones that were released, and their licences come with them."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

from punto.web import pages

FOLDER = Path(pages.__file__).parent
OURS = {
    "approvals.js",
    "calls.js",
    "early.js",
    "fairness.js",
    "incidents.js",
    "key_card.js",
    "punto.js",
    "referee.js",
    "round.js",
}
OUR_FOLDERS = {"audit", "dealer", "guide", "live", "pit", "table", "trouble"}
VENDORED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "vendored.toml").read_text(encoding="utf-8"))


def test_every_script_is_ours_or_listed() -> None:
    scripts = {path.relative_to(FOLDER / "static") for path in (FOLDER / "static").rglob("*.js")}
    others = {path.name for path in scripts if path.parts[0] not in OUR_FOLDERS}
    assert others == OURS | {Path(each["file"]).name for each in VENDORED.values()}


@pytest.mark.parametrize("name", VENDORED)
def test_a_file_is_the_one_that_was_released(name: str) -> None:
    listed = VENDORED[name]
    whole = (FOLDER / listed["file"]).read_bytes()
    first, _, released = whole.partition(b"\n")
    assert hashlib.sha256(whole).hexdigest() == listed["sha256"]
    assert hashlib.sha256(released).hexdigest() == listed["sha256_of_origin"]
    assert f"{name} {listed['version']}, {listed['licence']}" in first.decode()
    assert listed["origin"]
    assert "Permission to use" in listed["licence_text"]
