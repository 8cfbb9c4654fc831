"""The journal's rows: who did what in which position, and a hash over each row and the one before it."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.errors import FloorCode, FloorRefused
from punto.table.records.commands import Command
from punto.table.records.events import Event, MoneyEvent
from punto.table.records.ledger import LedgerImbalance, require_balanced
from punto.table.vocabulary import AnyCommand, AnyEvent

NOTHING_BEFORE = "0" * 64
"""The hash before the first entry of a stream."""

_ENCODER = msgspec.json.Encoder()
_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent)
_COMMANDS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyCommand)


class Entry(Struct, frozen=True, gc=False):
    """One event of a stream, as it was written down."""

    stream: str
    version: int
    at_us: int
    """When, in microseconds of Unix time."""
    actor: str
    position: str
    command_id: str
    part: int
    """A command may bring about several events: the first is 0."""
    law: str
    """The hash of the law that was applied; empty for the house's own events."""
    command: str | None
    """What was asked, with the first event of its answer."""
    event: str
    hash: str


ENTRY_COLUMNS = Entry.__struct_fields__[1:]
"""What the database has of an entry, in this order, beside the keys of its row and of its stream."""


def digest(before: str, entry: Entry) -> str:
    """The hash of an entry: SHA-256 over the hash before it and its fields, line by line."""
    return _digest(before, astuple(entry)[:-1])


def _digest(before: str, fields: tuple[Any, ...]) -> str:
    *most, command, event = fields
    return sha256("\n".join((before, *map(str, most), command or "", event)).encode()).hexdigest()


class Said(Struct, frozen=True, gc=False):
    """What is written down of a command that was accepted, but for the events."""

    at_us: int
    actor: str
    position: str
    command_id: str
    law: str
    command: str


def follow(stream: str, version: int, before: str, said: Said, events: Sequence[str]) -> list[Entry]:
    """The entries by which the events of one command follow on a stream."""
    entries = []
    for part, event in enumerate(events):
        version += 1
        command = said.command if part == 0 else None
        fields = (stream, version, said.at_us, said.actor, said.position, said.command_id, part, said.law)
        before = _digest(before, (*fields, command, event))
        entries.append(Entry(*fields, command, event, before))
    return entries


def write(record: Struct) -> str:
    """An event or a command as the journal has it: JSON on one line."""
    return _ENCODER.encode(record).decode()


def read_event(text: str) -> Event:
    """The event of a table, as ``write`` wrote it; whoever reads a journal asks ``event_of`` instead."""
    event: Event = _EVENTS.decode(text)
    return event


def event_of(entry: Entry) -> Event:
    """The event of a table that an entry holds; refused where it holds none, or money is made or lost by it."""
    try:
        event = read_event(entry.event)
        if isinstance(event, MoneyEvent):
            require_balanced(event.postings)
    except msgspec.MsgspecError as error:
        raise unreadable(entry.stream, entry.version) from error
    except LedgerImbalance as error:
        raise FloorRefused(
            FloorCode.BAD_DATABASE, variant="unbalanced", version=entry.version, stream=entry.stream
        ) from error
    return event


class _Tagged(Struct):
    event: str


_TAGGED: msgspec.json.Decoder[_Tagged] = msgspec.json.Decoder(_Tagged)


def tag_of(entry: Entry) -> str:
    """The kind of the event that an entry holds, without reading the rest of it."""
    try:
        return _TAGGED.decode(entry.event).event
    except msgspec.MsgspecError as error:
        raise unreadable(entry.stream, entry.version) from error


def unreadable(stream: str, version: int) -> FloorRefused:
    """What the journal has there is no entry with an event."""
    return FloorRefused(FloorCode.BAD_DATABASE, variant="event", version=version, stream=stream)


def broken(stream: str, version: int) -> FloorRefused:
    """The journal is not as it was written."""
    return FloorRefused(FloorCode.BAD_DATABASE, variant="entry", version=version, stream=stream)


def tag(kind: type[Struct]) -> str:
    """By what name a kind of event or command is written."""
    return str(kind.__struct_config__.tag)


COMMANDS_BY_TAG: dict[str, type[Command]] = {tag(kind): kind for kind in get_args(AnyCommand)}


def command_of(fields: Mapping[str, Any]) -> Command:
    """The command of these fields. Straight to its kind: to try a union takes twenty times as long."""
    written = fields.get("command")
    kind = COMMANDS_BY_TAG.get(written) if isinstance(written, str) else None
    command: Command = msgspec.convert(fields, type=kind or AnyCommand)
    return command


def read_command(text: str) -> Any:
    """The command that an entry holds."""
    return _COMMANDS.decode(text)
