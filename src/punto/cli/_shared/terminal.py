"""Printing for all commands: tables, colours, JSON and refusals."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unicodedata import east_asian_width

import click
import msgspec

from punto.catalogue.printable import printable
from punto.rules.refusals import Clause, Refused

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

TERMINAL_COLOURS = {"player": "blue", "banker": "red", "tie": "green", "win": "green", "lose": "red", "push": "yellow"}


class RefusalOut(msgspec.Struct):
    code: str
    message: str
    clauses: tuple[Clause, ...]


class ProblemLine(msgspec.Struct):
    """The JSON shape of every refusal."""

    error: RefusalOut


def problem(refused: Refused) -> ProblemLine:
    return ProblemLine(RefusalOut(refused.code, refused.message, refused.clauses))


@contextmanager
def refusing(*, as_json: bool) -> Iterator[None]:
    """Turn a refusal into exit status 2, with a message on standard error or JSON on standard output."""
    try:
        yield
    except Refused as refused:
        if as_json:
            print_json(problem(refused))
        else:
            words = printable(refused.message)
            click.secho(f"Refused ({refused.code}): {words}{_cited(refused.clauses)}", fg="red", err=True)
        sys.exit(2)


def _cited(clauses: Sequence[str]) -> str:
    return f" (clause {', '.join(clauses)})" if clauses else ""


def print_json(value: object) -> None:
    """Print one indented JSON document. What is not printable is escaped: a terminal may obey it."""
    document = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    plain = document.replace("\n", "").isprintable()
    click.echo(document if plain else "".join(map(_escaped, document)))


def _escaped(char: str) -> str:
    return char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1]


def coloured(text: str, key: str | None = None) -> str:
    """Colour the text by ``key``, or by the text itself. click drops colours if the output is not a terminal."""
    colour = TERMINAL_COLOURS.get(key or text)
    return click.style(text, fg=colour) if colour else text


def print_table(rows: Sequence[Sequence[str]], head: Sequence[str] | None = None, indent: str = "  ") -> None:
    """Print rows in aligned columns. Wide characters count double, colour codes not at all."""
    lines = [*([head] if head else []), *rows]
    if not lines:
        return
    widths = [max(_width(line[at]) for line in lines) for at in range(len(lines[0]))]
    for line in lines:
        cells = [cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
        text = (indent + "  ".join(cells)).rstrip()
        click.echo(click.style(text, bold=True) if line is head else text)


def right_aligned(lines: Sequence[Sequence[str]], left_columns: int) -> list[list[str]]:
    """Lines for ``print_table``, right-aligned from column ``left_columns`` on."""
    widths = [max(_width(line[at]) for line in lines) for at in range(len(lines[0]))]
    return [
        [cell if at < left_columns else " " * (widths[at] - _width(cell)) + cell for at, cell in enumerate(line)]
        for line in lines
    ]


def _width(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in click.unstyle(text))
