"""Our readings as Markdown, the text of ``docs/readings.md``, and what a house has adopted instead."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from punto.catalogue.sentence import say
from punto.library import shown_by
from punto.rules.interpretations import Reading, ReadingSetting, SettingValue
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic

if TYPE_CHECKING:
    from punto.floor.running.adopted_readings import Adoption

Adoptions = Mapping[str, "Adoption"]
"""By reading."""

_INTRODUCTION = """# How we read the books

Where a book is silent or can be read two ways, this is our reading. `make register` writes this
page from the books, `src/punto/rules/interpretations.toml` and the catalogue; `punto rules GAME CLAUSE`
shows the readings of a clause.

A reading with a table setting can be changed. A shift manager or above adopts a value for the house, and tables opened
from then on have it: [the floor](floor.md#adopt-a-reading) shows how. `punto rules --readings --db punto.db` shows what
is in force at a floor.

Definitions in `commission` have no numbers: `1:pair` is its definition of a pair, in chapter 1."""


def read_adoptions(url: str, *, as_json: bool) -> Adoptions:
    """What the house of a floor has adopted."""
    from punto.cli._shared.databases import reading_database  # noqa: PLC0415 - only a floor needs it
    from punto.floor.running.adopted_readings import find_adoptions  # noqa: PLC0415 - as above

    with reading_database(url, as_json=as_json) as database:
        return database.reading(find_adoptions).result()


def readings_page(chosen: Sequence[Reading], books: Sequence[Rulebook], adoptions: Adoptions | None = None) -> str:
    """All readings or those of one book. ``adoptions`` are those of a floor, if one is named."""
    return "\n".join(_lines(chosen, books, adoptions)) + "\n"


def _lines(chosen: Sequence[Reading], books: Sequence[Rulebook], adoptions: Adoptions | None) -> Iterator[str]:
    yield _INTRODUCTION
    subject = None
    for reading in chosen:
        if reading.subject != subject:
            subject = reading.subject
            yield f"\n## {say(f'subject.{subject}')}"
        clauses = [f"{rules.id} {', '.join(cited)}" for rules in books if (cited := reading.clauses(rules))]
        yield f"\n### {reading.title}\n\n`{reading.id}`\n\n{reading.text}\n"
        if reading.has_alternative:
            yield f"Alternative: {reading.alternative_in('en')} Effect: {reading.effect_in('en')}\n"
        if reading.setting is not None:
            yield f"{_setting(reading.setting)}\n"
            if adoptions is not None:
                yield f"{_in_force(reading.setting, adoptions.get(reading.id))}\n"
        yield f"Clauses: {'; '.join(clauses)}.\n"
        tests = shown_by().readings.get(reading.id, [])
        yield f"<details><summary>Tests: {len(tests)}</summary>{'<br>'.join(tests)}</details>"
    yield "\n## The same rule, by book\n"
    yield f"| topic | {' | '.join(rules.id for rules in books)} |"
    yield f"|---|{'---|' * len(books)}"
    for topic in Topic:
        cells = [", ".join(rules.topics[topic]) or "-" for rules in books]
        yield f"| {topic.replace('_', ' ')} | {' | '.join(cells)} |"


def _setting(setting: ReadingSetting) -> str:
    if setting.values:
        others = ", ".join(_written(setting, value) for value in setting.values if value != setting.ours)
    else:
        others = f"{setting.least} to {setting.most}"
    return f"Table setting `{setting.name}`: ours {_written(setting, setting.ours)}; can be {others}."


def _in_force(setting: ReadingSetting, adoption: "Adoption | None") -> str:
    if adoption is None:
        return f"In force: {_written(setting, setting.ours)}, our reading."
    since = datetime.fromtimestamp(adoption.at_us // 1_000_000, UTC)
    return (
        f"In force: {_written(setting, adoption.value)} since {since:%Y-%m-%d %H:%M} UTC, adopted by {adoption.by}"
        f" ({say(f'position.{adoption.position}')}): {adoption.reason}"
    )


def _written(setting: ReadingSetting, value: SettingValue) -> str:
    return f"`{json.dumps(value)}`{' (not by the book)' if setting.leaves_the_book(value) else ''}"
