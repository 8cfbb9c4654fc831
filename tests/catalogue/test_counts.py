"""What is counted is written right for one and for many, in every English sentence."""

import re
from pathlib import Path
from string import Formatter

from punto.catalogue import en
from punto.catalogue.sentence import say

NOUNS = (
    "points cards rounds decks boxes chips players bets seconds minutes hours days characters bytes digits entries"
    " tables events orders copies times lines shoes streams people ranks levels columns denominations shifts letters"
    " kinds numbers lists hands steps commands incidents rows sessions places stakes names files hashes units slips"
)
ONE_OF_MANY = re.compile(rf"\b1 (?:(?:printable|whole|other|more|standard) )?({'|'.join(NOUNS.split())})\b")
"""One, and then several."""
WRITTEN_BEFORE = {"jobs.backwards", "memo.insurance_some"}
"""Their numbers have decimals, so they are never one."""

NEVER_ONE = {
    "floor/shoes/sealed.py: {len(self.cards)} cards",
    "web/http/openapi.py: {MAX_BODY_BYTES} bytes",
    "rules/coup/space.py: {self.player_cards} cards",
    "cli/backup.py: {size} bytes",
    "floor/shoes/machine_orders.py: {len(self.orders)} orders",
    "cli/_shared/counted_tables.py: {_PER} rounds",
    "cli/_shared/counted_tables.py: {interval} units",
    "cli/_shared/counted_tables.py: {back_after - 1:,} rounds",
    "cli/_shared/counted_tables.py: {back_after:,} rounds",
    "cli/_shared/counted_tables.py: {rounds:.1f} rounds",
    "cli/_shared/procedure_options.py: {back_after:,} rounds",
    "cli/roads.py: {columns} columns",
    "cli/rules.py: {rules.decks.most} decks",
    "cli/_shared/odds_tables.py: {left} cards",
    "cli/_shared/odds_tables.py: {len(worth.bets)} bets",
    "cli/_shared/progress.py: {unit} rounds",
    "cli/_shared/progress.py: {rounds_per_s:.0f} rounds",
    "cli/_shared/progress.py: {days:,} days",
    "cli/_shared/games_page.py: {rules.decks.most} decks",
}
"""Counts of which there are always several, or that are rates."""


class One(int):
    """The number one, whatever the placeholder makes of it."""

    def __format__(self, spec: str) -> str:
        return spec.partition("|")[0].replace("#", "1") if "|" in spec else "1"


def spoken_with_one(template: str) -> str:
    """A sentence with the number one for every placeholder that can be a number; names stand in quotation marks."""
    parts = list(Formatter().parse(template))
    values = {
        name: One(1) if not conversion and (not spec or "|" in spec or spec in (",", "g", ".0f")) else "x"
        for _, name, spec, conversion in parts
        if name is not None
    }
    return "".join(
        text + ("" if name is None else format(values[name], (spec or "") if isinstance(values[name], One) else ""))
        for text, name, spec, _ in parts
    )


def test_no_sentence_says_one_of_many() -> None:
    spoken = {key: spoken_with_one(each) for key, each in en.SENTENCES.items() if key not in WRITTEN_BEFORE}
    assert {key: words for key, words in spoken.items() if ONE_OF_MANY.search(words)} == {}


def test_no_source_counts_without_the_catalogue() -> None:
    """Text outside the catalogue counts by `write_count`."""
    source = Path(en.__file__).parents[2]
    counted = re.compile(rf"\{{[^{{}}]+\}} ({'|'.join(NOUNS.split())})\b")
    found = {
        f"{path.relative_to(source)}: {each[0]}"
        for path in source.rglob("*.py")
        if "catalogue" not in path.parts
        for each in counted.finditer(path.read_text("utf-8"))
    }
    assert found == NEVER_ONE


def test_one_of_many_is_found() -> None:
    assert ONE_OF_MANY.search(spoken_with_one("{points} points"))
    assert ONE_OF_MANY.search(spoken_with_one("a name has 1 to {most} printable characters"))
    assert not ONE_OF_MANY.search(spoken_with_one("{points:# point|# points} and {bet:bet} bets"))


def test_numbers_with_decimals_are_counted_too() -> None:
    late = [say("cluster_unreachable.too_late", address="x", seconds=each) for each in (1.0, 2.5, 10.0)]
    assert [each.partition("within ")[2] for each in late] == ["1 second.", "2.5 seconds.", "10 seconds."]
