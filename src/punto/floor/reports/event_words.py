"""Describes events and the results of bets in words."""

from collections.abc import Iterator
from enum import Enum
from typing import Any

from msgspec import Struct

from punto.catalogue.sentence import phrase, write
from punto.floor.journal.entry import tag_name
from punto.floor.journal.round_record import AdjustmentRecord, BetRecord
from punto.floor.journal.rounds import Decided
from punto.floor.reports.moments import iso_utc
from punto.floor.reports.rounds.step_reasons import law_of
from punto.library import readings
from punto.rules.coup.cards import FACE_DOWN, write_cards
from punto.rules.coup.coup import Coup
from punto.rules.coup.explanation import explain
from punto.rules.coup.table_of_play import Side
from punto.rules.money import write_amount
from punto.table.records.events import (
    CardDealt,
    CardSqueezed,
    CardTurned,
    Difference,
    Event,
    OrderRevealed,
    RoundSettled,
)
from punto.table.records.findings import Ruled
from punto.table.records.settings import Settings
from punto.table.records.state import Table


def describe(state: Table, event: Event, decided: Decided) -> tuple[str, tuple[str, ...]]:
    """One line for an event, and further lines for details. ``state`` is the table after the event."""
    if isinstance(event, CardDealt):
        return f"card {event.place} goes to {event.to.capitalize()}", tuple(_why(state, event.place))
    if isinstance(event, CardTurned):
        return f"card {event.place} is {event.card}", tuple(_hands(state))
    if isinstance(event, CardSqueezed):
        recorded = f", recorded by {event.recorded_by}" if event.recorded_by else ""
        verb = "lays open" if event.laid_open else "opens"
        return f"{event.who} {verb} card {event.place}{recorded}", ()
    kind, words = describe_fields(event)
    if isinstance(event, RoundSettled):
        return f"{kind}: {words}", (*map(_decided, decided), *map(_difference, event.differences))
    words = f"{kind}: {words}" if words else kind
    if isinstance(event, Ruled):
        words = words if event.clauses else write(phrase("ruling.no_clause", words=words))
    return words, tuple(map(_decided, decided))


def describe_fields(event: Event) -> tuple[str, str]:
    """The kind of an event, and its fields except clauses and postings; the result of a settlement."""
    kind = tag_name(type(event)).replace("_", " ")
    if isinstance(event, RoundSettled):
        losing, winning = sorted((event.player, event.banker))
        return kind, write(phrase("call.result", outcome=event.winner.value, winning=winning, losing=losing))
    if isinstance(event, OrderRevealed):  # the rest is for those who check it
        return kind, f"{event.order} of {event.shoe}, round {event.round}"
    return kind, ", ".join(_fields(event))


# ---- cards


def _coup(state: Table) -> Coup | None:
    """The coup on the table; None if the library lacks its law."""
    rules = law_of(state)
    return None if state.round is None or rules is None else Coup.of(rules.space, state.round.cards)


def _why(state: Table, place: int) -> Iterator[str]:
    coup = _coup(state)
    if coup is not None and place > 4:
        steps, _ = explain(coup)
        yield from (write(step.why) for step in steps[place - 1 : place])


def _hands(state: Table) -> Iterator[str]:
    coup = _coup(state)
    if coup is None:
        return
    hands = []
    for side in (Side.PLAYER, Side.BANKER):
        hand = coup.hand(side)
        points = "" if None in hand.cards else f" ({hand.points})"
        if hand.cards:
            hands.append(f"{side.capitalize()} {write_cards(hand.cards)}{points}")
    yield ", ".join(hands)


# ---- bets


def _decided(record: BetRecord | AdjustmentRecord) -> str:
    if isinstance(record, AdjustmentRecord):
        verb = "paid" if record.amount_minor > 0 else "taken"
        return f"{record.who}: {write_amount(abs(record.amount_minor))} {verb}{_cited(record.clauses)}"
    stage = f" ({record.stage})" if record.stage else ""
    partly = record.went_back is None and record.played_minor is not None
    played = f", of which {write_amount(record.decided_minor)} played" if partly else ""
    odds = f" at {record.odds}" if record.odds else ""
    commission = f", commission {write_amount(record.commission_minor)}" if record.commission_minor is not None else ""
    rounded = f", rounding {write_amount(record.rounded_minor)}" if record.rounded_minor else ""
    return (
        f"{record.who}, box {record.box}, {record.bet}{stage} {write_amount(record.stake_minor)}{played}:"
        f" {record.outcome}{odds}, {write_amount(record.returned_minor)} back{commission}{rounded}"
        f"{_cited(record.clauses)}"
    )


def _difference(difference: Difference) -> str:
    """What the dealer pays or collects because the settlement was made again."""
    verb = "pay" if difference.amount_minor > 0 else "collect"
    stage = f" ({difference.stage})" if difference.stage else ""
    bet = f"{difference.who}, box {difference.box}, {difference.bet}{stage}"
    return f"{bet}: {verb} {write_amount(abs(difference.amount_minor))}"


def _cited(clauses: tuple[str, ...]) -> str:
    return f" ({', '.join(clauses)})" if clauses else ""


# ---- fields

_NOTHING: tuple[object, ...] = (None, (), "", {})


def _fields(record: Struct) -> Iterator[str]:
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if name in ("postings", "clauses") or value in _NOTHING or value is False or (name == "box" and not value):
            continue
        if name.endswith("_minor"):
            yield f"{name.removesuffix('_minor')} {write_amount(value)}"
        elif name.endswith("_us"):
            yield f"{name.removesuffix('_us')} {iso_utc(value)}"
        else:
            marked = f" {write(phrase('readings.not_by_the_book'))}" if _leaves_the_book(record, name) else ""
            yield f"{name.replace('_', ' ')} {_value(value)}{marked}"


def _leaves_the_book(record: Struct, name: str) -> bool:
    """Whether a table setting has a value that leaves the text of the books."""
    if not isinstance(record, Settings):
        return False
    value, settings = getattr(record, name), (reading.setting for reading in readings())
    return any(each is not None and each.name == name and each.leaves_the_book(value) for each in settings)


def _value(value: Any) -> str:
    if value is None:
        return FACE_DOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Struct):
        return f"({', '.join(_fields(value))})"
    if isinstance(value, tuple):
        return " ".join(map(_value, value))
    if isinstance(value, dict):
        return ", ".join(f"{_value(key)}: {_value(each)}" for key, each in value.items())
    return str(value)
