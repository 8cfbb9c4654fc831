"""A golden session as a file: how it is written and read. README.md explains the format.

The lines for people are made from the lines for the machine, and both are compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from punto import book as read_book
from punto.rules.coup.cards import write_cards
from punto.rules.money import read_amount, write_amount
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.decision import Decision
from punto.table.play.limits import exceeded_limits
from punto.table.records.commands import Command
from punto.table.records.events import (
    Difference,
    Event,
    MayMoveMoney,
    MoneyEvent,
    RoundSettled,
    SettledBet,
    TableOpened,
)
from punto.table.records.ledger import (
    BROUGHT,
    CAGE,
    COMMISSION,
    FELT,
    FLOAT,
    MISPAID,
    ROUNDING,
    UNEXPLAINED,
    VOUCHERS,
    chips,
    tray_minor,
)
from punto.table.records.positions import Position
from punto.table.records.state import Table
from punto.table.revision import FIRST_REVISION
from punto.table.vocabulary import AnyCommand, AnyEvent
from tests.golden.words import Staff

FOLDER = Path(__file__).parent
FORMAT = "punto golden evening, format 1"
THE_BOOKS_OWN = "the book's own"
"""Written instead of the law's hash, which a new edition of a book changes."""

_COMMANDS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyCommand)
_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent)


class Step(Struct, frozen=True):
    """One command, what came of it and, where the file has it, the state of the table after it."""

    words: str
    asked: str
    """The command as JSON."""
    events: tuple[str, ...] = ()
    """As JSON."""
    told: tuple[str, ...] = ()
    """The lines with figures, each after its event."""
    refused: str | None = None
    state: tuple[str, ...] = ()
    by_hand: dict[str, int] | None = None
    """What the round changed, by account, worked out by hand from the book."""


class Evening(Struct, frozen=True):
    book: str
    staff: dict[str, Position]
    steps: tuple[Step, ...]
    revision: int = FIRST_REVISION
    """Of the engine that decided it."""


# ---- what is written for people


def tell(event: Event) -> Iterator[str]:
    """What an event did to whose money."""
    if isinstance(event, RoundSettled):
        yield f"score: {event.winner}, Player {event.player}, Banker {event.banker}"
        yield from (f"bet: {_tell_bet(result)}" for result in event.results)
        yield from (f"difference: {_tell_difference(each)}" for each in event.differences)
    if isinstance(event, MoneyEvent) and (event.postings or not isinstance(event, MayMoveMoney)):
        posted = (f"{posting.account} {_signed(posting.amount_minor)}" for posting in event.postings)
        yield f"money: {', '.join(posted) or 'none'}"


def _tell_bet(result: SettledBet) -> str:
    stage = f" ({result.stage})" if result.stage else ""
    played = "" if result.played_minor is None else f" of which {write_amount(result.played_minor)} played"
    odds = f" at {result.odds}" if result.odds else ""
    kept = f", commission {write_amount(result.commission_minor)}" if result.commission_minor is not None else ""
    kept += f", rounding {_signed(-result.rounded_minor)}" if result.rounded_minor else ""
    return (
        f"{result.who} box {result.box} {result.bet}{stage} {write_amount(result.stake_minor)}{played}: "
        f"{result.result}{odds}, {write_amount(result.returned_minor)} back{kept}, by {' '.join(result.clauses)}"
    )


def _tell_difference(difference: Difference) -> str:
    stage = f" ({difference.stage})" if difference.stage else ""
    return f"{difference.who} box {difference.box} {difference.bet}{stage} {_signed(difference.amount_minor)}"


def _signed(amount_minor: int) -> str:
    return f"{'+' if amount_minor > 0 else ''}{write_amount(amount_minor)}"


def tell_refusal(refusal: Refusal) -> str:
    """The code and the clauses, without the sentence, which may be improved."""
    return f"{refusal.code} by {' '.join(refusal.clauses) or 'no clause'}"


def _told_house(held: Mapping[str, int]) -> Iterator[str]:
    """The house's accounts beside float and commission, if there is something in them."""
    for names in ((BROUGHT, MISPAID), (ROUNDING, VOUCHERS), (CAGE, UNEXPLAINED)):
        if any(name in held for name in names):
            told = ", ".join(f"{name} {write_amount(held.get(name, 0))}" for name in names)
            yield f"tray {write_amount(tray_minor(held))}, {told}" if CAGE in names else told


def tell_state(table: Table) -> tuple[str, ...]:
    """The state of a table in a few lines."""
    now, shoe = table.round, table.shoe
    held = table.balances
    people = sorted({account.removeprefix(chips("")) for account in held if account.startswith(chips(""))})
    lines = [str(table.phase)]
    if now is not None:
        lines[0] += f", round {now.number}{', the last of the shoe' if now.last else ''}"
        lines[0] += f", void by {now.irregularities.void}" if now.irregularities.void else ""
    if shoe is not None:
        lines[0] += f", shoe {shoe.id}: {shoe.drawn} of {shoe.decks * 52} cards drawn"
        lines[0] += ", cut card out" if shoe.cut_card_out else ""
    lines.append(f"chips {', '.join(f'{who} {write_amount(table.chips_minor(who))}' for who in people) or 'none'}")
    lines.append(", ".join(f"{name} {write_amount(held.get(name, 0))}" for name in (FELT, FLOAT, COMMISSION)))
    lines += _told_house(held)
    places = [f"{who} at {box}" for box, who in sorted(table.seats.items())]
    places += [f"{who} behind {box}" for who, boxes in sorted(table.behind.items()) for box in sorted(boxes)]
    lines.append(f"places {', '.join(places) or 'none'}")
    if now is not None and not now.over:
        for placed in now.bets.values():
            how = "seated" if placed.seated else "standing"
            how += "" if placed.placed_by == placed.who else f", placed by {placed.placed_by}"
            how += ", away" if placed.who in now.away else ""
            how += ", assumed" if placed.assumed else ""
            line = f"bet {placed.who} box {placed.box} {placed.bet} {write_amount(placed.stake_minor)} ({how})"
            if placed.played_minor is not None:
                line += f", {write_amount(placed.played_minor)} plays by {' '.join(placed.because)}"
            lines.append(line)
        for covered in now.insurance.cover:
            amount, points = write_amount(covered.stake_minor), f"{covered.player}-{covered.banker}"
            where = f"{covered.who} box {covered.box} {covered.side}"
            lines.append(f"insurance {where} at {covered.stage} on {points} {amount}")
        if table.settings is not None and table.settings.observing:
            for box in sorted({placed.box for placed in now.bets.values()}):
                for bet, limit, who in exceeded_limits(read_book(table.book), table.settings, now.bets, box):
                    lines.append(f"beyond box {box} {bet} {limit}{f' {who}' if who else ''}")
    if now is not None and now.cards:
        lines.append(f"cards {write_cards(now.cards)}")
    return (*lines, *_tell_trouble(table))


def _tell_trouble(table: Table) -> Iterator[str]:
    """Irregularities that are still open."""
    now = table.round
    if table.carried:
        yield f"to come first {write_cards(tuple(carried.card for carried in table.carried))}"
    if table.next_shoe is not None:
        yield f"next shoe {table.next_shoe.id} of {table.next_shoe.decks} decks"
    if now is None or now.over:
        return
    if table.restart is not None:
        yield f"restart unanswered, away for {(table.restart.to_us - table.restart.from_us) // 1_000_000} s"
    if now.irregularities.raised is not None:
        yield f"raised {now.irregularities.raised.kind}: {now.irregularities.raised.report}"
    if now.irregularities.order_lost:
        yield f"order lost at {' '.join(map(str, now.irregularities.order_lost))}"
    if now.irregularities.options is not None:
        yield f"choosing {', '.join(now.irregularities.options.waiting_for)} after {now.irregularities.options.kind}"
    if now.irregularities.choices:
        yield f"chosen {', '.join(f'{who} {choice}' for who, choice in sorted(now.irregularities.choices.items()))}"


# ---- what is written for the machine


def encode(asked: Command | Event) -> str:
    """As the journal writes it, except for the hash of the law."""
    if isinstance(asked, TableOpened):
        asked = msgspec.structs.replace(asked, law_hash=THE_BOOKS_OWN)
    fields = msgspec.to_builtins(asked)
    return msgspec.json.encode(fields).decode()


def read_asked(text: str) -> Command:
    command: Command = _COMMANDS.decode(text)
    return command


def read_event(book: Rulebook, text: str) -> Event:
    """An event from JSON, with the hash of this book's law."""
    event: Event = _EVENTS.decode(text)
    if isinstance(event, TableOpened):
        if event.law_hash != THE_BOOKS_OWN:
            raise ValueError(f"law_hash is {event.law_hash!r}: expected {THE_BOOKS_OWN!r}")
        return msgspec.structs.replace(event, law_hash=book.law_hash)
    return event


# ---- files


def write_staff(staff: Staff) -> str:
    return f"staff: {', '.join(f'{who} {position}' for who, position in staff.items())}"


def read_staff(line: str) -> dict[str, Position]:
    """The inverse of ``write_staff``."""
    pairs = (pair.split() for pair in line.removeprefix("staff: ").split(", "))
    return {who: Position(position) for who, position in pairs}


def read_by_hand(line: str) -> dict[str, int]:
    """What a round changed: ``ann +95, bob -100, commission +5``; what the float lost or won follows from it."""
    changes: dict[str, int] = {}
    if line == "by hand: nothing":
        return changes
    for change in line.removeprefix("by hand: ").split(", "):
        who, _, amount = change.rpartition(" ")
        if amount[0] not in "+-":
            raise ValueError(f"{change!r}: expected a sign")
        house = (COMMISSION, ROUNDING, BROUGHT, MISPAID)
        changes[who if who in house else chips(who)] = read_amount(amount.removeprefix("+"))
    return changes


def write_step(words: str, command: Command, decision: Decision, state: Sequence[str]) -> Iterator[str]:
    yield f"> {words}"
    yield f"  asked {encode(command)}"
    if isinstance(decision, Refusal):
        yield f"  refused: {tell_refusal(decision)}"
    else:
        for event in decision:
            yield f"  event {encode(event)}"
            yield from (f"  {told}" for told in tell(event))
    yield from (f"  = {line}" for line in state)


def read_evening(text: str) -> Evening:
    """Read a golden file; a line of no known kind is an error."""
    lines = text.splitlines()
    if lines[0] != FORMAT:
        raise ValueError(f"{lines[0]!r}: expected {FORMAT!r}")
    book, staff = lines[1].removeprefix("book: "), read_staff(lines[2])
    revision, steps = FIRST_REVISION, list[Step]()
    for at, line in enumerate(lines[3:], 4):
        if at == 4 and line.startswith("revision: "):
            revision = int(line.removeprefix("revision: "))
            continue
        if not line or line.startswith("#"):
            continue
        if line.startswith("> "):
            steps.append(Step(line.removeprefix("> "), ""))
        else:
            steps[-1] = _with_line(steps[-1], line, at)
    return Evening(book, staff, tuple(steps), revision)


def _with_line(step: Step, line: str, at: int) -> Step:
    if line.startswith("by hand: "):
        return msgspec.structs.replace(step, by_hand=read_by_hand(line))
    kind, _, rest = line.strip().partition(" ")
    added: dict[str, Any]
    match kind:
        case "asked":
            added = {"asked": rest}
        case "event":
            added = {"events": (*step.events, rest)}
        case "score:" | "bet:" | "difference:" | "money:":
            added = {"told": (*step.told, line.strip())}
        case "refused:":
            added = {"refused": rest}
        case "=":
            added = {"state": (*step.state, rest)}
        case _:
            raise ValueError(f"line {at}: {line!r} is of no known kind")
    return msgspec.structs.replace(step, **added)


def told_of(events: Sequence[Event]) -> tuple[str, ...]:
    """The lines with figures of all events of a step."""
    return tuple(line for event in events for line in tell(event))
