"""The incident pack: one file with what the journal says about a round, for somebody who has nothing else.

The entries of the round are in it whole. Every other entry, from the start of the round to a head, is there by its
kind, its round and a hash of the rest: enough to prove that the round is part of the journal that this head belongs to
and that nothing of it is missing, and nothing about other people. :mod:`punto.floor.audit.packs.check_pack` checks it.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import punto
from punto.floor.audit.kept_heads import KeptHeads
from punto.floor.audit.packs.pack_file import (
    HeadSource,
    Pack,
    PackBook,
    PackHead,
    approvals_of,
    clauses_of,
    postings_of,
    record_fields,
    rules_of,
)
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import NO_PREVIOUS_HASH, Entry, broken, content_hash, event_of, names_of, tag, text_start
from punto.floor.journal.round_record import Conditions
from punto.floor.journal.rounds import CONDITION_EVENTS, conditions_after, own_entries, read_round
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.table.records import chips, events
from punto.table.records.events import BettingOpened, Event, MoneyEvent, PlayerIdentified, TableOpened
from punto.table.records.ledger import chip_changes
from punto.table.records.settings import Settings

MAX_ROUND_ENTRIES = 10_000
"""Of a round, whole or not: a hundred times what an ordinary one has, about 10 MB."""
MAX_LINKS = 100_000
"""Hashes after the round, 67 bytes each. A longer chain ends at this entry of the journal instead of a head."""

WITH_ALL_BALANCES: tuple[type[Event], ...] = (TableOpened, events.TableClosed)
"""Never in a pack: they have everybody's chips."""
OTHER_BUSINESS: tuple[type[Event], ...] = (
    events.ChipsBought,
    events.ChipsCashed,
    events.PlayerSat,
    events.PlayerStood,
    events.PlayerLeft,
    events.SettingsChanged,
    chips.SlipRequested,
    chips.SlipSent,
    chips.SlipReceived,
    chips.SlipVoided,
    chips.TrayCounted,
)
"""Happens between the entries of a round without being part of it, unless the same command has an event that is."""
_ALSO: tuple[type[Event], ...] = (PlayerIdentified, BettingOpened)
MAY_BE_HIDDEN = frozenset(tag(kind) for kind in OTHER_BUSINESS + WITH_ALL_BALANCES + _ALSO)
"""Kinds of entry that need not be whole although they were written during the round. A player who was identified is not
in it unless they had chips in the round, and then the settlement shows it. The call is that for the next round."""


def make_pack(
    transaction: Transaction, stream: StreamName, number: int, kept: Sequence[KeptHeads], now_us: int
) -> Pack:
    """``kept`` are the heads saved outside the database; the latest that is near enough ends the chain."""
    end = streams.find(transaction, stream)
    first = None if end is None else _start(transaction, end, number)
    if end is None or first is None:
        name = f"{stream.opening}-{number}"
        raise FloorRefused(FloorCode.UNKNOWN_ROUND, variant="at_table", table=stream.table, round=name)
    span, call = _round_entries(transaction, end, first)
    settings, conditions = _conditions(transaction, end, first)
    whole = shown(span)
    previous = streams.read(transaction, end, first - 2, 1)[0].hash if first > 1 else NO_PREVIOUS_HASH
    head = _end_of_chain(transaction, end, span[-1].version, kept)
    reaches = min(head.version, span[-1].version + MAX_LINKS)
    next_call = call if call is not None and call.version <= reaches else None
    shown_whole = {entry.version for entry in (*whole, *([next_call] if next_call else ()))}
    links, older = _links(transaction, end, first, reaches, shown_whole)
    law = span[0].law
    rules = rules_of(conditions.book, law)
    return Pack(
        punto="pack.2",
        release=punto.__version__,
        made_us=now_us,
        stream=end.stream,
        round=number,
        book=PackBook(conditions.book, rules.title if rules else "", law),
        settings=settings,
        conditions=conditions,
        record=record_fields(read_round(whole, conditions)) if number else None,
        postings=postings_of(whole),
        approvals=approvals_of(whole),
        clauses=clauses_of(whole, rules),
        entries=tuple(whole),
        next_call=next_call,
        first=first,
        previous=previous,
        head=head,
        needs_journal=older > 0,
        older=older,
        links=tuple(links),
    )


def _start(transaction: Transaction, end: Head, number: int) -> int | None:
    """The version of the entry with which the round starts, from the journal itself; None if there is none."""
    if not number:
        return 1
    text = f'{text_start(BettingOpened)},"round":{number},'
    sql = "SELECT max(version) FROM entries WHERE stream = ? AND substr(event, 1, ?) = ?"
    ((version,),) = transaction.rows(sql, (end.key, len(text), text))
    return None if version is None else int(version)


def _round_entries(transaction: Transaction, end: Head, first: int) -> tuple[list[Entry], Entry | None]:
    """The entries of a round, and the call for bets that ended it.

    Of a call that gave the round back there is only its cancellation.
    """
    found: list[Entry] = []
    for entry in own_entries(_read_from(transaction, end, first, end.version)):
        found.append(entry)
        if len(found) > MAX_ROUND_ENTRIES:
            raise FloorRefused(FloorCode.BAD_PACK, variant="too_long", stream=end.stream, most=MAX_ROUND_ENTRIES)
    after = streams.read(transaction, end, found[-1].version, 1)
    call = after[0] if after and after[0].event.startswith(text_start(BettingOpened)) else None
    return found, call


def _read_from(transaction: Transaction, end: Head, first: int, last: int) -> Iterator[Entry]:
    after = first - 1
    while after < last and (page := streams.read(transaction, end, after)):
        yield from (entry for entry in page if entry.version <= last)
        after = page[-1].version


def _conditions(transaction: Transaction, end: Head, first: int) -> tuple[Settings, Conditions]:
    """What applied when the round started, from the few entries before it that say so."""
    starts = [text_start(kind) for kind in CONDITION_EVENTS]
    rows = transaction.rows(
        "SELECT version FROM entries WHERE stream = ? AND version <= ? AND ("  # noqa: S608 - our own text
        + " OR ".join(["substr(event, 1, ?) = ?"] * len(starts))
        + ") ORDER BY version",
        (end.key, first, *(value for start in starts for value in (len(start), start))),
    )
    settings, conditions = None, Conditions()
    for (version,) in rows:
        (entry,) = streams.read(transaction, end, version - 1, 1)
        event = event_of(entry)
        conditions = conditions_after(conditions, event)
        if isinstance(event, TableOpened | events.SettingsChanged):
            settings = event.settings
    if settings is None:
        raise broken(end.stream, 1)
    return settings, conditions


def shown(span: Sequence[Entry]) -> list[Entry]:
    """Those entries of a round's time that are part of the round."""
    whole: list[Entry] = []
    players: set[str] = set()
    """Who has chips in the round."""
    for _, group in groupby(span, key=lambda entry: entry.command_id):
        pairs = [(entry, event_of(entry)) for entry in group]
        if not any(_is_of_round(event, players) for _, event in pairs):
            continue
        for entry, event in pairs:
            if isinstance(event, WITH_ALL_BALANCES):
                continue
            whole.append(entry)
            if isinstance(event, MoneyEvent):
                players |= {getattr(event, "who", ""), *chip_changes(event.postings)}
    return whole


def _is_of_round(event: Event, players: set[str]) -> bool:
    if isinstance(event, PlayerIdentified):
        return event.who in players
    return not isinstance(event, OTHER_BUSINESS + WITH_ALL_BALANCES)


def _end_of_chain(transaction: Transaction, end: Head, last: int, kept: Sequence[KeptHeads]) -> PackHead:
    """The latest head that was saved elsewhere after the round.

    If the journal contradicts one, it is that one: heads that were saved after the journal was rewritten must not hide
    it.
    """
    furthest = last + MAX_LINKS
    saved = {
        (heads.streams[end.stream].version, heads.at_us, heads.streams[end.stream].hash)
        for heads in kept
        if end.stream in heads.streams
    }
    hashes = {version: _hash_at(transaction, end, version) for version in {version for version, _, _ in saved}}
    contradicted = [head for head in saved if hashes[head[0]] != head[2]]
    near = [head for head in saved if last <= head[0] <= furthest]
    if contradicted or near:
        version, at_us, hash_ = max(contradicted or near)
        return PackHead(version, hash_, HeadSource.KEPT, at_us)
    if end.version <= furthest:
        return PackHead(end.version, end.hash, HeadSource.JOURNAL)
    (entry,) = streams.read(transaction, end, furthest - 1, 1)
    return PackHead(entry.version, entry.hash, HeadSource.ENTRY)


def _hash_at(transaction: Transaction, end: Head, version: int) -> str | None:
    """None if there is no such entry."""
    if not version:
        return NO_PREVIOUS_HASH
    rows = transaction.rows("SELECT hash FROM entries WHERE stream = ? AND version = ?", (end.key, version))
    return str(rows[0][0]) if rows else None


def _links(transaction: Transaction, end: Head, first: int, last: int, whole: set[int]) -> tuple[list[str], int]:
    """The hashes of the entries that are not whole, and the version of the last one without a context."""
    links: list[str] = []
    older = 0
    for entry in _read_from(transaction, end, first, last):
        older = older if entry.context else entry.version
        if entry.version not in whole:
            links.append(_link(entry))
    return links, older


def _link(entry: Entry) -> str:
    if (names := names_of(entry)) is not None:
        return " ".join(names)
    return content_hash(entry) if entry.context else entry.hash
