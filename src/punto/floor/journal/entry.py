"""The journal's entries: who did what, in which position, with a hash that chains each entry to the one before it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.errors import FloorCode, FloorRefused
from punto.table.records.commands import Command
from punto.table.records.events import Event, MoneyEvent
from punto.table.records.ledger import LedgerImbalance, require_balanced
from punto.table.revision import FIRST_REVISION, REVISION
from punto.table.vocabulary import AnyCommand, AnyEvent

NO_PREVIOUS_HASH = "0" * 64
"""The hash before the first entry of a stream."""

_ENCODER = msgspec.json.Encoder()
_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent)
_COMMANDS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyCommand)
NO_ROUND = -1
"""In the house's stream, and in entries of releases before 0.11.0."""
_ROUND = re.compile(r'"round":(\d+)')
"""In a context. No text in it can look so: a quotation mark inside a text is escaped."""


class EntryContext(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """How a command came to the table, besides who gave it. Gains only fields with defaults."""

    revision: int = FIRST_REVISION
    """Of the engine that decided it: see :mod:`punto.table.revision`."""
    terminal: str = ""
    proposed_by: str = ""
    approved_by: str = ""
    happened_at_us: int = 0
    """Unix time in microseconds, if it happened before it was recorded; else 0."""
    alone: bool = False
    """Whether one person acted where the floor's rules want two."""
    incident: int = 0
    """The number of the incident that it belongs to: see :mod:`punto.floor.journal.incidents`. 0: to none."""
    round: int = NO_ROUND
    """At a table, the last round that was called when the command was given; 0 before the first."""


NO_CONTEXT = EntryContext()
"""Somebody gave the command as it happened, by themselves; its revision is filled in when it is written."""
_CONTEXTS: msgspec.json.Decoder[EntryContext] = msgspec.json.Decoder(EntryContext)


class Entry(Struct, frozen=True, gc=False):
    """One event of a stream, as stored."""

    stream: str
    version: int
    at_us: int
    """Unix time in microseconds."""
    actor: str
    position: str
    command_id: str
    part: int
    """Index of the event among those of its command, counted from 0."""
    law: str
    """Hash of the law that the table was opened under; empty in the house's stream."""
    command: str | None
    """The command, at its first event; None at the others. Empty in the house's stream."""
    event: str
    context: str
    """A :class:`EntryContext` as JSON; empty in entries that earlier schemas wrote."""
    hash: str


ENTRY_COLUMNS = Entry.__struct_fields__[1:]
"""The columns of the database, in this order, after the keys of row and stream."""


def digest(before: str, entry: Entry) -> str:
    """The hash of an entry: SHA-256 over the previous hash and :func:`content_hash`, one per line.

    Only hashes of contents are needed to prove a chain, not the contents. Entries without a context are older: SHA-256
    over the previous hash and their fields, one per line.
    """
    return _digest(before, astuple(entry)[:-1])


def content_hash(entry: Entry) -> str:
    """SHA-256 over all fields of an entry but its hash, one per line.

    If its context has a round, this hash is hashed again after the entry's kind, round and part: :func:`named_content`.
    """
    return _content_hash(astuple(entry)[:-1])


def named_content(kind: str, round_: str, part: str, rest: str) -> str:
    """The content hash of an entry whose kind, round and part can be proved without the rest of it."""
    return _sha256((kind, round_, part, rest))


def names_of(entry: Entry) -> tuple[str, str, str, str] | None:
    """What :func:`named_content` takes; None if the entry's context has no round."""
    return _names_of(astuple(entry)[:-1])


def chained(before: str, content: str) -> str:
    """The hash of an entry with a context, from the previous hash and its :func:`content_hash`."""
    return _sha256((before, content))


def _digest(before: str, fields: tuple[Any, ...]) -> str:
    if fields[-1]:
        return chained(before, _content_hash(fields))
    return _sha256((before, *_lines(fields[:-1])))


def _content_hash(fields: tuple[Any, ...]) -> str:
    names = _names_of(fields)
    return _sha256(_lines(fields)) if names is None else named_content(*names)


def _names_of(fields: tuple[Any, ...]) -> tuple[str, str, str, str] | None:
    named = _ROUND.search(fields[-1])
    if named is None:
        return None
    kind = str(fields[-2]).removeprefix(_TAG_START).partition('"')[0]
    return kind, named[1], str(fields[6]), _sha256(_lines(fields))


def _lines(fields: tuple[Any, ...]) -> Iterable[str]:
    return ("" if field is None else str(field) for field in fields)


def _sha256(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()


class CommandRecord(Struct, frozen=True, gc=False):
    """What the entries of one accepted command have in common."""

    at_us: int
    actor: str
    position: str
    command_id: str
    law: str
    command: str
    context: EntryContext = EntryContext(REVISION)


def follow(stream: str, version: int, before: str, record: CommandRecord, events: Sequence[str]) -> list[Entry]:
    """The entries for the events of one command, after the given version and hash."""
    entries, context = [], write(record.context)
    for part, event in enumerate(events):
        version += 1
        command = record.command if part == 0 else None
        fields = (stream, version, record.at_us, record.actor, record.position, record.command_id, part, record.law)
        before = _digest(before, (*fields, command, event, context))
        entries.append(Entry(*fields, command, event, context, before))
    return entries


def write(value: Struct) -> str:
    """Encode an event or a command as one line of JSON."""
    return _ENCODER.encode(value).decode()


def read_event(text: str) -> Event:
    """Decode a table event. To read a journal, use ``event_of``, which also checks it."""
    event: Event = _EVENTS.decode(text)
    return event


def event_of(entry: Entry) -> Event:
    """The table event of an entry; refused if it cannot be read or its postings do not sum to zero."""
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


def context_of(entry: Entry) -> EntryContext:
    """The context of an entry; refused if it cannot be read."""
    try:
        return _CONTEXTS.decode(entry.context) if entry.context else EntryContext()
    except msgspec.MsgspecError as error:
        raise unreadable(entry.stream, entry.version) from error


_TAG_START = '{"event":"'


class _Tagged(Struct):
    event: str


_TAGGED: msgspec.json.Decoder[_Tagged] = msgspec.json.Decoder(_Tagged)


def tag_of(entry: Entry) -> str:
    """The tag of an entry's event, without decoding the rest."""
    try:
        return _TAGGED.decode(entry.event).event
    except msgspec.MsgspecError as error:
        raise unreadable(entry.stream, entry.version) from error


def unreadable(stream: str, version: int) -> FloorRefused:
    """The entry cannot be read."""
    return FloorRefused(FloorCode.BAD_DATABASE, variant="event", version=version, stream=stream)


def broken(stream: str, version: int) -> FloorRefused:
    """The entry does not follow from the one before it."""
    return FloorRefused(FloorCode.BAD_DATABASE, variant="entry", version=version, stream=stream)


def tag(kind: type[Struct]) -> str:
    """The tag of a kind of event or command."""
    return str(kind.__struct_config__.tag)


def tag_name(kind: type[Struct]) -> str:
    """The tag of a kind of event or command without its version: ``bet_placed``."""
    return without_version(tag(kind))


def without_version(tagged: str) -> str:
    """The name in a tag: ``bet_placed`` of ``bet_placed.1``."""
    return tagged.partition(".")[0]


def text_start(kind: type[Struct]) -> str:
    """How the encoded text of an event of this kind starts."""
    return f'{{"event":"{tag(kind)}"'


COMMANDS_BY_TAG: dict[str, type[Command]] = {tag(kind): kind for kind in get_args(AnyCommand)}


def command_of(fields: Mapping[str, Any]) -> Command:
    """Convert fields to a command. The kind is looked up first: converting to a union takes 20 times as long."""
    command_tag = fields.get("command")
    kind = COMMANDS_BY_TAG.get(command_tag) if isinstance(command_tag, str) else None
    command: Command = msgspec.convert(fields, type=kind or AnyCommand)
    return command


def read_command(text: str) -> Any:
    """Decode the command of an entry."""
    return _COMMANDS.decode(text)
