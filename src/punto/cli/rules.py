"""``punto rules``: list the clauses of the rulebooks, our readings of them, and the tests for each."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

import click
from msgspec import Struct

from punto.catalogue.sentence import say, write
from punto.catalogue.values import Moment
from punto.cli._shared.games_page import games_page
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.library import book, book_ids, readings, shown_by
from punto.rules.interpretations import Reading
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


class ReadingOut(Struct):
    """A reading, as JSON."""

    id: str
    subject: str
    text: str
    topics: tuple[Topic, ...]
    bet: str | None
    books: tuple[str, ...] | None


@click.command("rules")
@click.argument("game", required=False)
@click.argument("clause", required=False)
@click.option("--coverage", is_flag=True, help="Show the tests of each clause.")
@click.option("--readings", "show_readings", is_flag=True, help="Print our readings of unclear clauses, as Markdown.")
@click.option("--games", "show_games", is_flag=True, help="Print every game with its bets, as Markdown.")
@json_option
def command(
    game: str | None, clause: str | None, *, coverage: bool, show_readings: bool, show_games: bool, as_json: bool
) -> None:
    """List the rulebooks, the bets and clauses of one GAME, or one CLAUSE.

    \b
    Examples:
      punto rules
      punto rules commission
      punto rules commission 1:natural
    """
    with refusing(as_json=as_json):
        books = [book(each) for each in book_ids()] if game is None else [book(game)]
        if show_games:
            if as_json:
                raise click.UsageError("--games prints Markdown only.")
            click.echo(games_page(books), nl=False)
            return
        if show_readings:
            chosen = [each for each in readings() if game is None or each.clauses(books[0])]
            print_json([_reading_out(each) for each in chosen]) if as_json else click.echo(
                readings_page(chosen, books), nl=False
            )
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


def _reading_out(reading: Reading) -> ReadingOut:
    subject = say(f"subject.{reading.subject}")
    return ReadingOut(reading.id, subject, reading.text, reading.topics, reading.bet, reading.books)


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
        tests=shown_by().clauses[rules.id].get(clause.id, []),
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
    click.secho(f"{rules.title}, in force from {write(Moment(rules.in_force_from))}", bold=True)
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


def readings_page(chosen: Sequence[Reading], books: Sequence[Rulebook]) -> str:
    """The text of ``docs/readings.md``, or the same for one book."""
    return "\n".join(_readings_lines(chosen, books)) + "\n"


def _readings_lines(chosen: Sequence[Reading], books: Sequence[Rulebook]) -> Iterator[str]:
    yield "# How we read the books"
    yield ""
    yield "Where a book is silent or can be read two ways, this is our reading. `make register` writes this"
    yield "page from the books, `src/punto/rules/interpretations.toml` and the catalogue; `punto rules GAME CLAUSE`"
    yield "shows the readings of a clause."
    yield ""
    yield "Definitions in `commission` have no numbers: `1:pair` is its definition of a pair, in chapter 1."
    subject = None
    for reading in chosen:
        if reading.subject != subject:
            subject = reading.subject
            yield f"\n## {say(f'subject.{subject}')}"
        clauses = [f"{rules.id} {', '.join(cited)}" for rules in books if (cited := reading.clauses(rules))]
        yield f"\n### {reading.title}\n\n`{reading.id}`\n\n{reading.text}\n"
        yield f"Clauses: {'; '.join(clauses)}.\n"
        tests = shown_by().readings.get(reading.id, [])
        yield f"<details><summary>Tests: {len(tests)}</summary>{'<br>'.join(tests)}</details>"
    yield "\n## The same rule, by book\n"
    yield f"| topic | {' | '.join(rules.id for rules in books)} |"
    yield f"|---|{'---|' * len(books)}"
    for topic in Topic:
        cells = [", ".join(rules.topics[topic]) or "-" for rules in books]
        yield f"| {topic.replace('_', ' ')} | {' | '.join(cells)} |"
