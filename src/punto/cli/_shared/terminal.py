"""What all commands print with: tables, colours, JSON and refusals."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unicodedata import east_asian_width

import click
import msgspec

from punto.rules.refusals import Clause, Refused

json_option = click.option("--json", "as_json", is_flag=True, help="For programs.")

TERMINAL_COLOURS = {"player": "blue", "banker": "red", "tie": "green", "win": "green", "lose": "red", "push": "yellow"}


class RefusalOut(msgspec.Struct):
    """A refusal as programs read it."""

    code: str
    message: str
    clauses: tuple[Clause, ...]


class ProblemLine(msgspec.Struct):
    """The one shape in which anything is refused."""

    error: RefusalOut


def problem(refused: Refused) -> ProblemLine:
    """The refusal in the one shape."""
    return ProblemLine(RefusalOut(refused.code, refused.message, refused.clauses))


@contextmanager
def refusing(*, as_json: bool) -> Iterator[None]:
    """End the command with the refusal: in words on standard error, or as JSON on standard output."""
    try:
        yield
    except Refused as refused:
        if as_json:
            print_json(problem(refused))
        else:
            click.secho(f"Refused: {refused.message}{_cited(refused.clauses)}", fg="red", err=True)
        sys.exit(2)


def _cited(clauses: Sequence[str]) -> str:
    return f" (clause {', '.join(clauses)})" if clauses else ""


def print_json(value: object) -> None:
    """One JSON document, indented for the eye."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def coloured(text: str, key: str | None = None) -> str:
    """The text in the colour of what it speaks of; click drops colours when nobody looks."""
    colour = TERMINAL_COLOURS.get(key or text)
    return click.style(text, fg=colour) if colour else text


def print_table(rows: Sequence[Sequence[str]], head: Sequence[str] | None = None, indent: str = "  ") -> None:
    """Rows in aligned columns; wide characters count double, colours not at all."""
    lines = [*([head] if head else []), *rows]
    if not lines:
        return
    widths = [max(_width(line[at]) for line in lines) for at in range(len(lines[0]))]
    for line in lines:
        cells = [cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
        text = (indent + "  ".join(cells)).rstrip()
        click.echo(click.style(text, bold=True) if line is head else text)


def right_aligned(lines: Sequence[Sequence[str]], words: int) -> list[list[str]]:
    """The same lines for ``print_table``, with the columns after the first few, the words, pushed to the right."""
    widths = [max(_width(line[at]) for line in lines) for at in range(len(lines[0]))]
    return [
        [cell if at < words else " " * (widths[at] - _width(cell)) + cell for at, cell in enumerate(line)]
        for line in lines
    ]


def _width(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in click.unstyle(text))
