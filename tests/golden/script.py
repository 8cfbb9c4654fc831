"""A script: commands in words, notes, and figures worked out by hand. Playing it makes a golden session."""

from collections.abc import Iterator

from punto import book as read_book
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import handle
from punto.table.decision import Decision
from punto.table.records.correction_events import (
    BetCorrected,
    BettingReopened,
    InsuranceCorrected,
    OptionCorrected,
    PaymentCorrected,
)
from punto.table.records.events import BettingClosed, RoundSettled, TableClosed, TableOpened
from punto.table.records.findings import (
    CardCorrected,
    OptionsGiven,
    OrderLost,
    RestartRecorded,
    RoundVoided,
    ShoeExchanged,
)
from punto.table.records.state import Table
from punto.table.revision import REVISION
from tests.golden.evening import (
    FORMAT,
    Evening,
    read_staff,
    tell_state,
    write_staff,
    write_step,
)
from tests.golden.words import Staff, read_command

STATE_AFTER = (
    *(TableOpened, BettingClosed, RoundSettled, TableClosed, RoundVoided, OrderLost, OptionsGiven, RestartRecorded),
    *(CardCorrected, BetCorrected, InsuranceCorrected, OptionCorrected, PaymentCorrected, BettingReopened),
    ShoeExchanged,
)
"""A golden session has the state of the table after each of these."""

_NOTES = ("#", "by hand:", "book:", "staff:")


class ScriptFails(ValueError):
    """A command of a script had another outcome than the script says."""


def lines_of(script: str) -> Iterator[str]:
    """The lines of a script, with its shorthands expanded and without the figures that the recording added.

    ``dan deals 5s Kd 3h`` is three commands; ``dan plays 5s Kd 3h 7c`` is a whole round without bets.
    """
    for line in _without_figures(script):
        who, _, said = line.partition(" ")
        verb, _, rest = said.partition(" ")
        if not line or line.startswith(_NOTES):
            yield line
        elif verb == "deals" and " -- " not in line:
            yield from (f"{who} deals {card}" for card in rest.split())
        elif verb == "plays":
            yield f"{who} calls place your bets"
            yield f"{who} calls no more bets"
            yield from (f"{who} deals {card}" for card in rest.split())
            yield f"{who} settles"
        else:
            yield line


_FIGURES = "  "
"""A line with figures of the recording begins so."""


def _without_figures(script: str) -> list[str]:
    return [line for line in script.splitlines() if not line.startswith(_FIGURES)]


def annotated(script: str, evening: Evening) -> str:
    """The script with the figures of its recording: points, bets and money, below the line that led to them."""
    steps, lines = iter(evening.steps), list[str]()
    for line in _without_figures(script):
        lines.append(line)
        for _ in words_of(line):
            lines += [f"{_FIGURES}{told}" for told in next(steps).told]
    return "\n".join(lines) + "\n"


def words_of(script: str) -> list[str]:
    """The commands of a script without the expected outcomes."""
    said = (line for line in lines_of(script) if line not in ("", "state") and not line.startswith(_NOTES))
    return [line.partition(" -- ")[0] for line in said]


def play(script: str) -> str:
    """The golden session that a script makes.

    A command that ends in `` -- code`` has to be refused with that code, and every other one accepted.
    """
    lines = list(lines_of(script))
    book, staff = read_book(lines[0].removeprefix("book: ")), read_staff(lines[1])
    out = [FORMAT, f"book: {book.id}", write_staff(staff), f"revision: {REVISION}"]
    table = Table()
    for line in lines[2:]:
        if not line or line.startswith(("#", "by hand:")):
            out.append(line)
        elif line == "state" and not out[-1].startswith("  ="):
            out += [f"  = {told}" for told in tell_state(table)]
        else:
            table, step = _step(book, staff, table, line)
            out += step
    if table != Table():
        raise ScriptFails("a session ends with the table closed")
    return "\n".join(out) + "\n"


def _step(book: Rulebook, staff: Staff, table: Table, line: str) -> tuple[Table, list[str]]:
    words, _, code = line.partition(" -- ")
    command = read_command(words, staff)
    table, decision = handle(book, table, command)
    _require(line, code, decision)
    events = () if isinstance(decision, Refusal) else decision
    state = tell_state(table) if any(isinstance(event, STATE_AFTER) for event in events) else ()
    return table, list(write_step(words, command, decision, state))


def _require(line: str, code: str, decision: Decision) -> None:
    if isinstance(decision, Refusal):
        if decision.code != code:
            raise ScriptFails(f"{line!r} was refused: {decision.code}, {decision.message}")
    elif code:
        raise ScriptFails(f"{line!r} was accepted: {decision}")
