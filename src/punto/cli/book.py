"""``punto book``: write, check and compare books of one's own."""

from pathlib import Path

import click
from msgspec import Struct

from punto.catalogue.printable import printable
from punto.catalogue.sentence import write
from punto.catalogue.values import Odds
from punto.cli._shared.book_differences import differences
from punto.cli._shared.book_page import book_page, read_published
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.library import game as read_game
from punto.library import is_path
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.rules.bets.conditions import when_phrase
from punto.rules.bets.pay_lines import BetRule, Result, Verdict
from punto.rules.coup.space import ENDS, PAIRS, End, Pairs, Winner
from punto.rules.coup.table_of_play import Action
from punto.rules.loader.places import line_of
from punto.rules.loader.schema import schema
from punto.rules.loader.toml_table import BookError
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

_TEMPLATE = """\
# A book of one's own: it says what differs from the book it extends, and takes over everything else.
# `punto book check {file}` says what each bet does; docs/books.md has all that a book can say.

id = "{id}"
name = {{ en = "{name}" }}
extends = "{base}"

# A bet: the first line that matches pays, to one. Without a line that matches it loses.
[bets.dragon_7]
name = {{ en = "Dragon 7" }}
pays = [{{ when = {{ winner = "banker", points = 7, banker_cards = 3 }}, odds = "40" }}]
"""


_PATTERNS = {
    Pairs.NONE: "no pair",
    Pairs.PLAYER: "only Player has a pair",
    Pairs.BANKER: "only Banker has a pair",
    Pairs.BOTH: "pairs of two ranks",
    Pairs.TWIN: "pairs of one rank",
}
_WINNERS = {Winner.PLAYER: "Player wins", Winner.BANKER: "Banker wins", Winner.TIE: "tie"}


class CheckedLine(Struct):
    when: str
    result: str
    odds: str | None
    chance: float


class CheckedOutcome(Struct):
    """A kind of outcome, and everything that becomes of the bet there."""

    outcome: str
    results: list[str]


class CheckedBet(Struct):
    name: str
    lines: list[CheckedLine]
    """The last one is for every coup that no line matches."""
    outcomes: list[CheckedOutcome]
    """Empty for a bet that depends on single cards."""


class CheckedBook(Struct):
    game: str
    law_hash: str
    bets: dict[str, CheckedBet]


class DifferenceOut(Struct):
    what: str
    one: str | None
    other: str | None


@click.group("book")
def command() -> None:
    """Write, check and compare books of your own.

    A book is a TOML file. Every command takes its path where it takes a GAME; `punto --books DIR` puts all books of a
    folder on the shelf, under their ids.

    \b
    Examples:
      punto book new macau.toml
      punto book check macau.toml
      punto odds macau.toml
    """


@command.command("new")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--extends", "base", default="commission", show_default=True, help="The book to start from.")
@click.option("--name", help="The name of the game. Default: made from the file's name.")
def new(file: Path, base: str, name: str | None) -> None:
    """Write FILE, a book with one bet of its own to start from."""
    with refusing(as_json=False):
        book_id = file.stem.lower().replace("_", "-").replace(" ", "-")
        text = _TEMPLATE.format(
            file=file.name, id=book_id, name=name or file.stem.replace("-", " ").replace("_", " ").title(), base=base
        )
        try:
            with file.open("x", encoding="utf-8") as written:
                written.write(text)
        except OSError as error:
            raise Refused(Code.NOT_WRITABLE, path=str(file)[:200], reason=error.strerror) from None
        try:
            read_game(str(file) if is_path(str(file)) else f"./{file}")
        except Refused:
            file.unlink()
            raise
    click.echo(f"Wrote {file}. Check it: punto book check {file}")


@command.command("check")
@click.argument("game")
@click.option("--decks", type=int, help="Decks for the chances. Default: the most the book allows.")
@json_option
def check(game: str, decks: int | None, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Check a book, and say in words what each of its bets does.

    A faulty book is refused, with the file, the line, the clause and what to write instead.
    """
    with refusing(as_json=as_json):
        try:
            rules = read_game(game)
        except BookError as error:
            if not as_json:
                _show_line(error)
            raise
        worth = full_shoe_figures(rules, decks)
        bets = {
            bet: CheckedBet(
                rule.name,
                [
                    CheckedLine(when, str(verdict.result), _odds(verdict), float(line.chance))
                    for when, verdict, line in zip(_whens(rule), _verdicts(rule), worth.bets[bet].lines, strict=True)
                ],
                [CheckedOutcome(name, results) for name, results in _outcomes(rules, rule).items()],
            )
            for bet, rule in rules.bets.items()
        }
    if as_json:
        print_json(CheckedBook(rules.id, rules.law_hash, bets))
        return
    click.secho(f"{rules.title} ({rules.id})", bold=True)
    click.echo(f"law {rules.law_hash}")
    for bet, checked in bets.items():
        click.secho(f"\n{checked.name} ({bet})", bold=True)
        print_table([[_said(line.result, line.odds), line.when, f"{line.chance:.6f}"] for line in checked.lines])
        print_table([[each.outcome, "; ".join(each.results)] for each in checked.outcomes], indent="    ")


@command.command("diff")
@click.argument("one")
@click.argument("other")
@json_option
def diff(one: str, other: str, as_json: bool) -> None:  # noqa: FBT001 - click's
    """List what the law of two books says differently."""
    with refusing(as_json=as_json):
        found = differences(read_game(one), read_game(other))
    if as_json:
        print_json([DifferenceOut(*each) for each in found])
    elif found:
        print_table([[what, before or "-", after or "-"] for what, before, after in found], ["", one, other])
    else:
        click.echo("No difference in the law.")


@command.command("page")
@click.argument("game")
@click.option("--decks", type=int, help="Decks in the shoe. Default: the most the book allows.")
@click.option(
    "--published", type=click.Path(path_type=Path), help="A TOML file with published figures to put beside ours."
)
def page(game: str, decks: int | None, published: Path | None) -> None:
    """Print every bet of a book with its exact edge, as a page in Markdown."""
    with refusing(as_json=False):
        rules = read_game(game)
        text = book_page(rules, decks, read_published(published) if published else {})
    click.echo(text, nl=False)


@command.command("schema")
def print_schema() -> None:
    """Print the JSON Schema of a book, with which an editor completes and checks."""
    print_json(schema())


def _show_line(error: BookError) -> None:
    """Name the line of the file, if it can be found."""
    file, place = (error.refusal.values[key] for key in ("file", "place"))
    if isinstance(file, str) and isinstance(place, str) and Path(file).is_file():
        line = line_of(Path(file).read_text(encoding="utf-8", errors="replace"), place)
        if line is not None:
            click.echo(f"{printable(file)}, line {line}:", err=True)


def _verdicts(rule: BetRule) -> list[Verdict]:
    return [*(line.verdict for line in rule.pays), rule.unmatched]


def _odds(verdict: Verdict) -> str | None:
    if verdict.odds_text is None:
        return None
    return verdict.odds_text if verdict.commission is None else f"{verdict.odds_text} less {verdict.commission}"


def _whens(rule: BetRule) -> list[str]:
    return [*(write(when_phrase(line.when)) for line in rule.pays), "otherwise"]


def _said(result: str, odds: str | None) -> str:
    if odds is not None:
        ratio, less, commission = odds.partition(" less ")
        return f"{write(Odds(ratio))}{less}{commission}"
    return "returned" if result == Result.PUSH else "loses"


def _outcomes(rules: Rulebook, rule: BetRule) -> dict[str, list[str]]:
    """By kind of outcome, everything that becomes of the bet; so that a gap is seen."""
    if rule.automaton is not None:
        return {}
    if rule.over_pairs:
        kinds = [(_PATTERNS[pattern], [at]) for at, pattern in enumerate(PAIRS)]
    else:
        kinds = [
            (f"{_WINNERS[winner]}, {'a' if natural else 'no'} natural", cells)
            for winner in Winner
            for natural in (True, False)
            if (cells := [end.index for end in ENDS if _is_kind(rules, end, winner, natural=natural)])
        ]
    return {
        name: list(dict.fromkeys(_said(rule.of_cells[at].result, _odds(rule.of_cells[at])) for at in cells))
        for name, cells in kinds
    }


def _is_kind(rules: Rulebook, end: End, winner: Winner, *, natural: bool) -> bool:
    if end.winner is not winner or not rules.space.reachable >> end.index & 1:
        return False
    play = rules.table_of_play
    naturals = (end.player_cards == 2 and play.player[end.player].action is Action.NATURAL) or (
        end.banker_cards == 2 and play.banker_alone[end.banker].action is Action.NATURAL
    )
    return naturals is natural
