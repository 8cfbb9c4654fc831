"""Every key that the console takes is on the one list, which ``?``, the card and docs/dealer.md are made from."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from punto.catalogue.sentence import LANGUAGES, Language
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table import procedure
from punto.table.procedure.moment import moments_of
from punto.web.pages import dealer
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.dealer.keys import ALL_KEYS, show_keys
from tests.console import ROOT
from tests.table.tables import ready
from tests.web.pages.dealer.at_console import ConsoleDealer, scene_of

SOURCE = Path(procedure.__file__).parent
SCRIPTS = Path(dealer.__file__).parent.parent / "static" / "dealer"
LISTED = {(key, label) for each in ALL_KEYS for key in each.keys for label in each.labels}
DYNAMIC = {"label": ("done", "settle")}
"""Names of variables that hold the label of a key, and what they can be."""


def made_keys() -> Iterator[tuple[str, str]]:
    """Every key that the source makes, and what is written beside it."""
    for path in SOURCE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ConsoleKey":
                key, label = node.args[:2]
                for written in labels_of(label):
                    yield ast.literal_eval(key), written


def labels_of(node: ast.expr) -> tuple[str, ...]:
    if isinstance(node, ast.Name):
        return DYNAMIC[node.id]
    assert isinstance(node, ast.Call)
    if isinstance(chosen := node.args[0], ast.IfExp):
        return tuple(str(ast.literal_eval(each)).removeprefix("console.key.") for each in (chosen.body, chosen.orelse))
    return (str(ast.literal_eval(node.args[0])).removeprefix("console.key."),)


def test_every_key_that_is_made_is_listed_and_no_other() -> None:
    made = set(made_keys())
    assert len(made) > 30
    assert made - LISTED == set()
    assert LISTED - made - {("N", "new_shoe"), ("Space", "new_shoe"), ("M", "seats")} == set()


@pytest.mark.parametrize("changes", [{"observing": True, "face_down": True}, {"cards_only": True, "burn": True}])
def test_every_key_of_every_moment_is_listed(changes: dict[str, Any]) -> None:
    evening = ready(book("commission-insurance"), **changes)
    table = ConsoleDealer(evening, ShoeKind.MANUAL, seed=3)
    seen: set[tuple[str, str]] = set()
    press = table.press

    def look_and_press(played: Any) -> None:
        for moment in moments_of(scene_of(evening)):
            keys = (*moment.keys, *((moment.space,) if moment.space else ()))
            seen.update((key.key, key.label.key.removeprefix("console.key.")) for key in keys)
        press(played)

    table.press = look_and_press  # type: ignore[method-assign]
    for _ in range(6):
        table.play_round()
    assert len(seen) > 8
    assert seen - LISTED == set()


def test_what_the_scripts_take_by_themselves_is_listed() -> None:
    """Named keys, ranks and suits, and the letters of an entry."""
    keys = {key for each in ALL_KEYS for key in each.keys}
    console = (SCRIPTS / "console.js").read_text()
    compared = re.findall(r'(?:item\.key|\bname) === "([^"]+)"', console.replace("moment().name", ""))
    named = [*compared, *re.findall(r'"([\w ]+)"', console_names(console))]
    assert set(named) >= {"Space", "Shift Space", "Enter", "Backspace", "Escape", "?", "!"}
    assert set(named) <= keys
    cards = (SCRIPTS / "cards.js").read_text()
    ranks = re.search(r'\[\.\.\."(\w+)"\]', cards)
    assert ranks is not None
    assert {*ranks[1], "0", "S", "H", "D", "C"} <= keys


def console_names(text: str) -> str:
    found = re.search(r"\[(.*)\]\.includes\(name\)", text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_says_what_every_key_does(language: Language) -> None:
    groups = show_keys(TRANSLATORS[language])
    assert sum(len(group.keys) for group in groups) == len(ALL_KEYS)
    said = [does for group in groups for _, does in group.keys]
    assert len(set(said)) == len(said)


def test_the_page_for_dealers_has_every_key() -> None:
    text = (ROOT / "docs" / "dealer.md").read_text(encoding="utf-8")
    for group in show_keys(TRANSLATORS["en"]):
        rows = [f"| `{pressed}` | {does} |" for pressed, does in group.keys]
        assert "\n".join([f"| {group.title} | |", "|---|---|", *rows]) in text, group.title
