"""The file of an incident pack: its fields, and those of them that follow from its entries."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import Entry, context_of, event_of, read_command, tag_name
from punto.floor.journal.round_record import Conditions, RoundRecord
from punto.library import book, book_ids
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.records.events import MoneyEvent
from punto.table.records.settings import Settings

LAST_NUMBER = 2**53
_SEAL = b',\n "seal": "%s"\n}\n'
_SEAL_LENGTH = len(_SEAL) - len(b"%s") + 64


class HeadSource(StrEnum):
    """Where the end of the chain comes from."""

    KEPT = "kept"
    """A head that was saved outside the database."""
    JOURNAL = "journal"
    """The head of the stream when the pack was made."""
    ENTRY = "entry"
    """No head is near enough: an entry of the journal."""


class PackHead(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    hash: str
    source: HeadSource
    kept_us: int = 0
    """When it was saved; 0 unless it was."""


class PackBook(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    title: str
    """Empty if this release has no such book."""
    law: str
    """Hash of the law that the table was opened under."""


class PackPosting(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    account: str
    amount_minor: int


class Approval(Struct, frozen=True, forbid_unknown_fields=True):
    """A command that two people gave, or one alone where two are needed."""

    version: int
    command: str
    """Its name; empty if the entry with the command is not in the pack."""
    command_id: str
    """``proposal:ID`` if it was proposed."""
    by: str
    position: str
    proposed_by: str
    approved_by: str
    terminal: str
    alone: bool


class PackClause(Struct, frozen=True, forbid_unknown_fields=True):
    """A clause that the round cites, in our own words; empty if this release does not have the law."""

    clause: Clause
    en: str
    zh: str


class Pack(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names of players are not in it: what is kept in a file cannot be erased."""

    punto: Literal["pack.1", "pack.2"]
    release: str
    made_us: int
    stream: str
    round: int
    book: PackBook
    settings: Settings
    """In force when the round started. Not proved by the chain: the entries that set them have everybody's chips."""
    conditions: Conditions
    """As for the settings."""
    record: dict[str, Any] | None
    """A :class:`~punto.floor.journal.round_record.RoundRecord`; None for round 0."""
    postings: tuple[PackPosting, ...]
    approvals: tuple[Approval, ...]
    clauses: tuple[PackClause, ...]
    entries: tuple[Entry, ...]
    next_call: Entry | None
    """The next call for bets, which shows where the round ends; None if the chain does not reach one."""
    first: int
    """Version of the first entry of the round, whole or not."""
    previous: str
    """The hash before it."""
    head: PackHead
    needs_journal: bool
    """Some entries were written by a schema whose hashes cover contents: without the journal they are not proved."""
    older: int
    """Version of the last such entry; 0 if there is none."""
    links: tuple[str, ...]
    """Of each entry from the first to the head that is not whole, its kind, round and part and the hash of the rest,
    divided by spaces; of one that an earlier release wrote, the hash of its content, and the entry's own up to
    ``older``. In ``pack.1`` there are hashes alone."""
    seal: str = ""
    """SHA-256 of the file before this field: finds a damaged file, not a forged one."""


# ---- what follows from the entries; the check works it out again


def rules_of(book_id: str, law: str) -> Rulebook | None:
    """The book, if this release has this law of it."""
    rules = book(book_id) if book_id in book_ids() else None
    return rules if rules is not None and rules.is_law(law) else None


def record_fields(record: RoundRecord) -> dict[str, Any]:
    """As they are in JSON."""
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    return fields


def postings_of(entries: Iterable[Entry]) -> tuple[PackPosting, ...]:
    return tuple(
        PackPosting(entry.version, posting.account, posting.amount_minor)
        for entry in entries
        if isinstance(event := event_of(entry), MoneyEvent)
        for posting in event.postings
    )


def approvals_of(entries: Iterable[Entry]) -> tuple[Approval, ...]:
    """One for each command, at its first entry."""
    found: dict[str, Approval] = {}
    for entry in entries:
        context = context_of(entry)
        if context.proposed_by or context.approved_by or context.alone:
            approval = Approval(
                entry.version,
                tag_name(type(read_command(entry.command))) if entry.command else "",
                entry.command_id,
                entry.actor,
                entry.position,
                context.proposed_by,
                context.approved_by,
                context.terminal,
                context.alone,
            )
            found.setdefault(entry.command_id, approval)
    return tuple(found.values())


def clauses_of(entries: Iterable[Entry], rules: Rulebook | None) -> tuple[PackClause, ...]:
    """The clauses that the events cite anywhere, each once."""
    cited = dict.fromkeys(clause for entry in entries for clause in _cited(msgspec.json.decode(entry.event)))
    known = rules.clauses if rules else {}
    return tuple(
        PackClause(
            clause,
            rules.summary(clause) if rules and clause in known else "",
            rules.summary(clause, "zh") if rules and clause in known else "",
        )
        for clause in cited
    )


def _cited(value: object) -> Iterator[Clause]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key == "clauses" and isinstance(each, list):  # somebody may be called that
                yield from each
            else:
                yield from _cited(each)
    elif isinstance(value, list):
        for each in value:
            yield from _cited(each)


# ---- the file


def encode_pack(pack: Pack) -> bytes:
    fields = msgspec.to_builtins(pack)
    del fields["seal"]
    text = msgspec.json.format(msgspec.json.encode(fields), indent=1).removesuffix(b"\n}")
    return text + _SEAL % hashlib.sha256(text).hexdigest().encode()


def is_sealed(data: bytes) -> bool:
    """Whether the file is as it was written."""
    text = data[:-_SEAL_LENGTH]
    return data[-_SEAL_LENGTH:] == _SEAL % hashlib.sha256(text).hexdigest().encode()


def decode_pack(data: bytes, path: Path | str) -> Pack:
    """Refuses what a reader could take for a part of the pack and the check would not see."""
    try:
        pack = msgspec.json.decode(data, type=Pack)
        whole = is_part(json.loads(data, object_pairs_hook=_once), msgspec.json.decode(msgspec.json.encode(pack)))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FloorRefused(FloorCode.BAD_PACK, variant="unreadable", path=path, reason=str(error)) from error
    if not whole or not 0 < pack.first <= LAST_NUMBER:
        reason = "its first entry has no number" if whole else "it has fields that no pack has"
        raise FloorRefused(FloorCode.BAD_PACK, variant="unreadable", path=path, reason=reason)
    return pack


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is there twice")
    return fields


def is_part(given: object, whole: object) -> bool:
    """Whether all that is given is in the whole, which may have more fields."""
    if isinstance(given, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in given.items())
    if isinstance(given, list) and isinstance(whole, list):
        return len(given) == len(whole) and all(map(is_part, given, whole))
    return given == whole


def read_pack_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FloorRefused(FloorCode.BAD_PACK, variant="file", path=path, reason=error.strerror) from error
