"""``punto rules``: list the clauses of the rulebooks, our readings of them, and the tests for each."""

import json
import textwrap
from collections import Counter

import click
from msgspec import UNSET, Struct, UnsetType

from punto.catalogue.sentence import say
from punto.cli._shared.games_page import games_page
from punto.cli._shared.readings_page import Adoptions, read_adoptions, readings_page
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.library import book, book_ids, readings, shown_by
from punto.library import game as read_game
from punto.rules.interpretations import Reading, ReadingSetting, SettingValue
from punto.rules.refusals import Clause, Code, Refused
from punto.rules.rulebook import HandledBy, RegisteredClause, Rulebook
from punto.rules.topics import Topic


class ClauseOut(Struct, omit_defaults=True):
    book: str
    clause: Clause
    summary: str
    kind: str
    handled_by: str
    tests: list[str]
    command: str | None = None
    offers: str | None = None
    readings: tuple[str, ...] = ()


class ReadingSettingOut(Struct):
    """The table setting of a reading, as JSON. ``values`` is empty for a number from ``least`` to ``most``."""

    name: str
    ours: SettingValue
    values: tuple[SettingValue, ...]
    least: int | None
    most: int | None
    not_by_the_book: tuple[SettingValue, ...]


class InForceOut(Struct):
    """What is in force at a floor, as JSON; without ``since_us`` it is our reading."""

    value: SettingValue
    since_us: int | None = None
    by: str | None = None
    position: str | None = None
    reason: str | None = None


class ReadingOut(Struct):
    """A reading, as JSON."""

    id: str
    subject: str
    text: str
    topics: tuple[Topic, ...]
    bet: str | None
    books: tuple[str, ...] | None
    title: str
    alternative: str | None
    effect: str | None
    setting: ReadingSettingOut | None
    in_force: InForceOut | UnsetType | None
    """Only if a floor is named."""


@click.command("rules")
@click.argument("game", required=False)
@click.argument("clause", required=False)
@click.option("--coverage", is_flag=True, help="Show the tests of each clause.")
@click.option("--readings", "show_readings", is_flag=True, help="Print our readings of unclear clauses, as Markdown.")
@click.option("--games", "show_games", is_flag=True, help="Print every game with its bets, as Markdown.")
@click.option(
    "--db", "url", help="With --readings: the floor whose readings in force are shown, as for `punto verify`."
)
@json_option
def command(
    game: str | None,
    clause: str | None,
    *,
    coverage: bool,
    show_readings: bool,
    show_games: bool,
    url: str | None,
    as_json: bool,
) -> None:
    """List the rulebooks, the bets and clauses of a GAME, or one CLAUSE.

    \b
    Examples:
      punto rules
      punto rules commission
      punto rules commission 1:natural
      punto rules --readings --db punto.db
    """
    if url is not None and not show_readings:
        raise click.UsageError("--db shows readings: add --readings.")
    with refusing(as_json=as_json):
        books = [book(each) for each in book_ids()] if game is None else [read_game(game)]
        if show_games:
            if as_json:
                raise click.UsageError("--games prints Markdown only.")
            click.echo(games_page(books), nl=False)
            return
        if show_readings:
            chosen = [each for each in readings() if game is None or each.clauses(books[0])]
            adoptions = None if url is None else read_adoptions(url, as_json=as_json)
            if as_json:
                print_json([_reading_out(each, adoptions) for each in chosen])
            else:
                click.echo(readings_page(chosen, books, adoptions), nl=False)
                _warn_of_lost(adoptions or {})
            return
        rows = [_clause_out(rules, registered) for rules in books for registered in _wanted(rules, clause)]
        if as_json:
            print_json(rows)
        elif coverage:
            _print_coverage(rows)
        elif clause is not None:
            _print_clause(rows[0])
        elif game is not None:
            _print_book(books[0], rows)
        else:
            _print_shelf(books)


def _warn_of_lost(adoptions: Adoptions) -> None:
    if adoptions:
        from punto.floor.running.adopted_readings import lost_adoptions  # noqa: PLC0415 - only a floor needs it

        for reading, adoption in lost_adoptions(adoptions).items():
            value = json.dumps(adoption.value)
            click.echo(say("readings.lost", reading=reading, setting=adoption.setting, value=value), err=True)


def _reading_out(reading: Reading, adoptions: Adoptions | None) -> ReadingOut:
    setting = reading.setting
    return ReadingOut(
        reading.id,
        say(f"subject.{reading.subject}"),
        reading.text,
        reading.topics,
        reading.bet,
        reading.books,
        reading.title,
        reading.alternative_in("en"),
        reading.effect_in("en"),
        None if setting is None else _setting_out(setting),
        UNSET if adoptions is None else None if setting is None else _in_force_out(reading.id, setting, adoptions),
    )


def _setting_out(setting: ReadingSetting) -> ReadingSettingOut:
    least, most = (None, None) if setting.values else (setting.least, setting.most)
    return ReadingSettingOut(setting.name, setting.ours, setting.values, least, most, setting.not_by_the_book)


def _in_force_out(reading_id: str, setting: ReadingSetting, adoptions: Adoptions) -> InForceOut:
    if (adoption := adoptions.get(reading_id)) is None:
        return InForceOut(setting.ours)
    return InForceOut(adoption.value, adoption.at_us, adoption.by, adoption.position, adoption.reason)


def _wanted(rules: Rulebook, clause: str | None) -> list[RegisteredClause]:
    if clause is None:
        return list(rules.clauses.values())
    if clause not in rules.clauses:
        raise Refused(Code.UNKNOWN_CLAUSE, variant="list", book=rules.id, clause=clause[:40])
    return [rules.clauses[Clause(clause)]]


def _clause_out(rules: Rulebook, clause: RegisteredClause) -> ClauseOut:
    return ClauseOut(
        book=rules.id,
        clause=clause.id,
        summary=rules.summary(clause.id),
        kind=clause.kind,
        handled_by=clause.handled_by,
        tests=shown_by().clauses.get(rules.id, {}).get(clause.id, []),
        command=clause.command,
        offers=rules.offered(clause.id),
        readings=tuple(reading.id for reading in readings() if clause.id in reading.clauses(rules)),
    )


def _handled_by(row: ClauseOut) -> str:
    return f"{row.handled_by}: {row.command}" if row.command else row.handled_by


def _print_shelf(books: list[Rulebook]) -> None:
    rows = []
    for rules in books:
        by_handler = Counter(clause.handled_by for clause in rules.clauses.values())
        counts = [len(rules.clauses), *(by_handler[handler] for handler in HandledBy)]
        rows.append([rules.id, rules.version or "", rules.in_force_from, *map(str, counts)])
    print_table(rows, ["book", "version", "in force from", "clauses", *HandledBy], indent="")


def _print_book(rules: Rulebook, rows: list[ClauseOut]) -> None:
    click.secho(f"{rules.title}, in force from {rules.in_force_from}", bold=True)
    click.echo(f"{rules.decks.least} to {rules.decks.most} decks; layouts {', '.join(rules.layouts)}")
    click.echo(f"bets {', '.join(rules.bets)}")
    click.echo(f"law {rules.law_hash}\n")
    lines = []
    for row in rows:
        first, *rest = textwrap.wrap(row.summary, 72)
        lines += [[row.clause, row.kind, _handled_by(row), first], *(["", "", "", more] for more in rest)]
    print_table(lines, ["clause", "kind", "handled by", "summary"], indent="")


def _print_clause(row: ClauseOut) -> None:
    click.secho(f"{row.book} {row.clause}", bold=True)
    click.echo(textwrap.fill(row.summary, 100))
    print_table([["kind", row.kind], ["handled by", _handled_by(row)]])
    if row.offers:
        click.echo(f"  what Punto offers: {row.offers}")
    for reading in readings():
        if reading.id in row.readings:
            click.secho(f"\nHow we read it: {reading.title} ({reading.id})", bold=True)
            click.echo(textwrap.fill(reading.text, 100))
    click.secho("\nTests", bold=True)
    print_table([[test] for test in row.tests] or [["no test yet"]])


def _print_coverage(rows: list[ClauseOut]) -> None:
    table, counts = [], Counter[str]()
    for row in rows:
        status = "tested" if row.tests else "left to people" if row.offers else "missing"
        counts[status] += 1
        first = row.tests[0] if row.tests else row.offers or ""
        more = f"and {len(row.tests) - 1} more" if len(row.tests) > 1 else ""
        table.append([row.book, row.clause, click.style(status, fg=_STATUS[status]), first, more])
    print_table(table, ["book", "clause", "", "test or offer", ""], indent="")
    by_status = ", ".join(f"{counts[status]} {status}" for status in _STATUS)
    click.echo(f"\n{len(rows) - counts['missing']} of {len(rows)} clauses accounted for: {by_status}.")


_STATUS = {"tested": "green", "left to people": "green", "missing": "red"}
