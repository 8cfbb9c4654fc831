"""Plays the irregularity cases at a table and collects the outcome."""

from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import Struct

from punto import book as read_book
from punto.rules.coup.cards import FACE_DOWN, read_card
from punto.rules.money import write_amount
from punto.rules.refusals import Clause, Refusal, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import handle
from punto.table.decision import Decision
from punto.table.records import findings
from punto.table.records.commands import Command
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import (
    BetFlagged,
    BetPlaced,
    BettingClosed,
    Event,
    InsuranceMissed,
    InsuranceOffered,
    LimitFlagged,
    RoundSettled,
)
from punto.table.records.kinds import Irregularity
from punto.table.records.ledger import COMMISSION
from punto.table.records.positions import Position
from punto.table.records.reports import ReportWrongNumber
from punto.table.records.state import Table
from tests.cases.irregularity_files import EVERYBODY, EVERYTHING, Filed, Irregular, all_irregularities
from tests.cases.playing_down import rounds_down_to
from tests.golden.script import lines_of
from tests.golden.words import read_command

STAFF = {
    "dora": Position.DEALER,
    "sue": Position.PIT_SUPERVISOR,
    "max": Position.PIT_MANAGER,
    "sid": Position.SHIFT_MANAGER,
    "house": Position.HOUSE,
}
SEATED = {"ann": 1, "ben": 2, "cat": 3}
STANDING = {"dan": 1, "eve": 1}
CHIPS = 10_000
BURNED = "As"


class Judged(Struct, frozen=True):
    """A reported irregularity and whether the players could choose."""

    kind: Irregularity
    established: bool
    reconstructable: bool | None
    """None for kinds where the order does not matter."""
    came: str
    """``yes``: the players chose; ``no``; or ``void``."""
    too_few: bool = False
    """The hand had too few cards, not too many."""


class Came(Struct, frozen=True):
    """The outcome of a case."""

    clauses: list[str]
    established: list[str]
    options: list[str]
    void: bool
    cards_kept: str
    commission: str
    ends: dict[str, str]
    judged: list[Judged]
    commands: frozenset[type[Command]]
    """Accepted commands."""
    kinds: frozenset[Irregularity]
    """Reported irregularities."""


class ComesOtherwise(AssertionError):
    """A step of a case had another outcome than the case says."""


def limits(filed: Filed) -> str:
    """The limits of a case that names none, where the book requires them. Later settings replace earlier ones."""
    return "main=1- differential=100000 " if read_book(filed.book).topics[Topic.LIMITS_DISPLAYED] else ""


def opening(filed: Filed) -> Iterator[str]:
    """The steps before the case: open the table, seat everybody, play the shoe down to the required size."""
    case = filed.case
    yield f"sue opens the table {limits(filed)}{filed.table} float=100000"
    yield f"sue loads shoe red of {case.decks} decks"
    if "continuous" not in filed.table or ",burn" in filed.table:
        yield f"dora burns {BURNED}"
    yield from (f"dora sells {who} {CHIPS}" for who in (*SEATED, *STANDING))
    yield from (f"{who} sits at {box}" for who, box in SEATED.items())
    yield from (f"{who} stands behind {box}" for who, box in STANDING.items())
    if case.left is not None:
        reserved = [read_card(card) for card in (BURNED, *_cards_of(case))]
        yield from rounds_down_to(read_book(filed.book), case.left, case.decks * 52 - 2, case.decks, reserved)
    yield from case.before


def steps(case: Irregular) -> Iterator[str]:
    yield "dora calls place your bets"
    yield from case.bets
    if case.bets_close:
        yield "dora calls no more bets"
    yield from case.happens


def play(filed: Filed) -> Came:
    """Play a case; raise ComesOtherwise at the first step with another outcome."""
    book, table = read_book(filed.book), Table()
    for line in lines_of("\n".join(opening(filed))):
        table, _ = _step(book, table, line)
    start, decisions = table, list[tuple[Command, Decision]]()
    for line in lines_of("\n".join(steps(filed.case))):
        table, step = _step(book, table, line)
        decisions.append(step)
    return _came(start, table, decisions)


@cache
def played() -> tuple[tuple[Filed, Came], ...]:
    return tuple((filed, play(filed)) for filed in all_irregularities())


def _cards_of(case: Irregular) -> Iterator[str]:
    for word in " ".join((*case.before, *case.happens)).split():
        try:
            yield read_card(word)
        except Refused:
            continue


def _step(book: Rulebook, table: Table, line: str) -> tuple[Table, tuple[Command, Decision]]:
    words, _, expected = line.partition(" -- ")
    command = read_command(words, STAFF)
    table, decision = handle(book, table, command)
    assert sum(table.balances.values()) == 0
    if isinstance(decision, Refusal):
        came = str(decision.code)
    else:
        raised = [event for event in decision if isinstance(event, findings.IrregularityRaised)]
        came = f"raises {raised[0].kind}" if raised else ""
    if came != expected:
        raise ComesOtherwise(f"{line!r} came out as {came or 'accepted'}: {decision}")
    return table, (command, decision)


def _cited(decision: Decision) -> Sequence[Clause]:
    """The clauses of a refusal, or of events about an irregularity or a bet on a player's behalf."""
    if isinstance(decision, Refusal):
        return decision.clauses
    return [clause for event in decision if _is_cited(event) for clause in getattr(event, "clauses", ())]


def _is_cited(event: Event) -> bool:
    late = isinstance(event, InsuranceOffered) and bool(event.makes_good)
    return (
        late
        or isinstance(event, InsuranceMissed | BetFlagged | BetPlaced | LimitFlagged)
        or type(event).__module__ == findings.__name__
    )


def _came(start: Table, end: Table, decisions: Sequence[tuple[Command, Decision]]) -> Came:
    done = [(command, decision) for command, decision in decisions if not isinstance(decision, Refusal)]
    events = [event for _, decision in done for event in decision]
    reports = [event for event in events if isinstance(event, findings.IrregularityReported)]
    people = sorted(start.people | end.people)
    brought = end.round.brought if end.round else {}  # chips from elsewhere are no gain
    changes = {who: end.chips_minor(who) - start.chips_minor(who) - brought.get(who, 0) for who in people}
    return Came(
        clauses=sorted({clause for _, decision in decisions for clause in _cited(decision)}),
        established=list(dict.fromkeys(bet for report in reports for bet in report.established)),
        options=[who for event in events if isinstance(event, findings.OptionsGiven) for who in _asked(event)],
        void=any(isinstance(event, findings.RoundVoided) for event in events),
        cards_kept=" ".join(FACE_DOWN if kept.card is None else kept.card for kept in end.carried),
        commission=_change(end.balances.get(COMMISSION, 0) - start.balances.get(COMMISSION, 0)),
        ends={who: _change(minor) for who, minor in changes.items()},
        judged=list(_judged(done)),
        commands=frozenset(type(command) for command, _ in done),
        kinds=frozenset(report.kind for report in reports),
    )


def _asked(event: findings.OptionsGiven) -> tuple[str, ...]:
    return (EVERYBODY,) if event.by_hand else event.players


def _change(minor: int) -> str:
    return f"{'+' if minor > 0 else ''}{write_amount(minor)}"


def _judged(done: Sequence[tuple[Command, Sequence[Event]]]) -> Iterator[Judged]:
    """The irregularities reported between the close of betting and the settlement.

    None of a case in which a corrected card changes who chooses: the report was judged by the wrong cards.
    """
    events = [(command, event) for command, decision in done for event in decision]
    changed = [event for command, event in events if isinstance(command, CorrectCard)]
    if any(isinstance(event, findings.OptionsGiven | findings.OptionsClosed) for event in changed):
        return
    asked = {event.kind for _, event in events if isinstance(event, findings.OptionsGiven)}
    void = any(isinstance(event, findings.RoundVoided) for _, event in events)
    closed = False
    for command, event in events:
        closed = (closed or isinstance(event, BettingClosed)) and not isinstance(event, RoundSettled)
        if closed and isinstance(event, findings.IrregularityReported):
            came = "yes" if event.kind in asked else "void" if void else "no"
            too_few = isinstance(command, ReportWrongNumber) and command.reconstructable and not command.cards
            yield Judged(event.kind, bool(event.established), event.reconstructable, came, too_few)


def differences(filed: Filed, came: Came) -> list[str]:
    """Where the outcome differs from what the case says."""
    case = filed.case
    certain = list(_menu(filed)) if case.established == EVERYTHING else case.established
    pairs = {
        "clauses": (sorted(case.clauses), came.clauses),
        "established": (certain, came.established),
        "options": (case.options, came.options),
        "void": (case.void, came.void),
        "cards_kept": (case.cards_kept, came.cards_kept),
        "commission": (case.commission or came.commission, came.commission),
        "ends": (case.ends, {who: end for who, end in came.ends.items() if who in case.ends or end != "0.00"}),
    }
    return [
        f"{key}: expected {expected}, got {actual}" for key, (expected, actual) in pairs.items() if expected != actual
    ]


def _menu(filed: Filed) -> tuple[str, ...]:
    layout = [word.removeprefix("layout=") for word in filed.table.split() if word.startswith("layout=")][-1]
    return read_book(filed.book).layouts[layout].menu
