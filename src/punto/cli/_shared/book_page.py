"""The bets of a book as a page in Markdown: what each pays on what, its exact edge, and what was published."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import msgspec
from msgspec import Struct

from punto.catalogue.sentence import write
from punto.catalogue.values import Odds, write_count
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.odds.exact.solver import solve
from punto.odds.figures import edge_of
from punto.odds.shoe import full_shoe
from punto.rules.bets.conditions import when_phrase
from punto.rules.bets.pay_lines import BetRule, PayLine, Result
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook


class Published(Struct, forbid_unknown_fields=True):
    """What others say of a bet."""

    edge: str
    """In percent."""
    source: str
    note: str = ""
    """Why it is not ours, where it is not."""
    decks: int | None = None


def read_published(path: Path) -> dict[str, Published]:
    """The published figures by id of the bet."""
    try:
        return msgspec.toml.decode(path.read_bytes(), type=dict[str, Published])
    except OSError as error:
        raise Refused(Code.UNREADABLE_BOOK, file=str(path)[:200], reason=error.strerror) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(Code.UNREADABLE_BOOK, file=str(path)[:200], reason=str(error)[:200]) from None


def book_page(rules: Rulebook, decks: int | None, published: Mapping[str, Published]) -> str:
    return "\n".join(_lines(rules, rules.require_decks(decks), published)) + "\n"


def _lines(rules: Rulebook, decks: int, published: Mapping[str, Published]) -> Iterator[str]:
    yield f"# {rules.title}\n"
    yield f"House edges in percent, exact, from a full shoe of {write_count(decks, 'deck')}. Pays are to one."
    if published:
        yield "A published figure that is not ours is marked **≠**, and says why."
    yield "\n| id | bet | pays | edge | published |\n|---|---|---|---|---|"
    worth = full_shoe_figures(rules, decks)
    for bet, rule in rules.bets.items():
        edge = worth.bets[bet].edge
        said = _said(rules, rule, edge, decks, published[bet]) if bet in published else ""
        yield f"| `{bet}` | {rule.name} | {_pays(rule)} | {_percent(edge, 4)} | {said} |"


def _pays(rule: BetRule) -> str:
    lines = "<br>".join(map(_line, rule.pays))
    return f"{lines}<br>returned otherwise" if rule.otherwise is Result.PUSH else lines


def _line(line: PayLine) -> str:
    verdict = line.verdict
    odds = {Result.PUSH: "returned", Result.LOSE: "loses"}.get(verdict.result) or write(Odds(verdict.odds_text or ""))
    return f"{odds}: {write(when_phrase(line.when))}"


def _said(rules: Rulebook, rule: BetRule, edge: Fraction, decks: int, published: Published) -> str:
    of_decks = published.decks or decks
    if of_decks != decks:
        edge = edge_of(rule, solve(rules, full_shoe(rules, of_decks), [rule.id]))
    places = len(re.sub(r"^[^.]*\.?", "", published.edge))
    beside = "" if of_decks == decks else f", {write_count(of_decks, 'deck')} (ours {_percent(edge, places)})"
    if _percent(edge, places) == published.edge:
        return f"{published.edge} ({published.source}{beside})"
    return f"**≠** {published.edge} ({published.source}{beside}). {published.note or 'Not explained.'}"


def _percent(edge: Fraction, places: int) -> str:
    return f"{float(edge * 100):.{places}f}"
