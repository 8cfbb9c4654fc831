"""Turns a floor that today's code wrote into one of an earlier schema."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from punto.floor.database import open_database, schema
from punto.floor.database.base import Transaction
from punto.floor.database.schema import FIRST_SIGNED
from punto.floor.journal import streams
from punto.floor.journal.entry import NO_PREVIOUS_HASH, Entry, digest, write
from punto.floor.journal.house_events import (
    HOUSE,
    FloorStarted,
    HouseEvent,
    StreamClosed,
    StreamOpened,
    TableRecovered,
    read_house_event,
)
from punto.floor.shoes.sealed import SELECT_SHOES, StoredShoe
from tests.keys import TEST_KEY

_NEW_IN: dict[int, Sequence[str]] = {
    2: ("DROP TABLE scans",),
    3: ("DROP TABLE seals",),
    4: ("ALTER TABLE entries DROP COLUMN context", "DROP TABLE players", "DROP TABLE rounds"),
    5: (
        *("DROP TABLE scan_reads", "DROP TABLE processes"),
        *("DROP INDEX sign_ins_of", "DROP INDEX sign_ins_by_age", "ALTER TABLE sign_ins DROP COLUMN name"),
    ),
    6: (
        "DROP TABLE counts",
        *("ALTER TABLE shoes DROP COLUMN sealed", "DELETE FROM meta WHERE name = 'key_check'"),
        # machines
        *(f"ALTER TABLE sessions DROP COLUMN {column}" for column in ("work", "at_table", "stopped")),
        *(f"ALTER TABLE {table} DROP COLUMN nonce" for table in ("scans", "players")),
        "DROP TABLE proposals",
        # terminals
        *("DROP TABLE terminals", "DROP TABLE pins", "DROP TABLE totp"),
        "ALTER TABLE accounts DROP COLUMN one_time_until_us",
        *(f"ALTER TABLE sessions DROP COLUMN {column}" for column in ("started_us", "seen_us", "terminal")),
        *("DROP TABLE duty", "DROP TABLE incidents", "DROP TABLE alarms", "DROP TABLE shoe_steps"),
        "ALTER TABLE tables DROP COLUMN title",
        "DROP TABLE player_codes",
    ),
    7: (
        "DROP TABLE looks",
        *("DROP TABLE round_marks", "DROP TABLE round_blocks", "ALTER TABLE rounds DROP COLUMN marks"),
        "DROP TABLE day_sign_offs",
        "DROP TABLE clocks",
        "DROP TABLE jobs",
        "DROP TABLE stops",
        "DROP INDEX settings_changes",
    ),
    8: ("DROP TABLE signatures", "DELETE FROM meta WHERE name = 'signed_with'"),
}
"""Takes away what a schema added."""


def make_older(url: str, version: int) -> None:
    """Take the database back to a schema version. Entries lose their context and get the hashes of that time."""
    database = open_database(url, create=False)
    try:
        if version < FIRST_SIGNED:
            database.writing(_start_without_key).result()
        if version < 4:
            database.writing(_chain_without_context).result()
        if version < 6:
            database.writing(_decrypt_orders).result()
        for newer in range(schema.VERSION, version, -1):
            for statement in _NEW_IN[newer]:
                database.writing(lambda transaction, sql=statement: transaction.change(sql)).result()  # type: ignore[misc]
        sql = "UPDATE meta SET value = ? WHERE name = 'schema'"
        database.writing(lambda transaction: transaction.change(sql, (str(version),))).result()
    finally:
        database.close()


def _decrypt_orders(transaction: Transaction) -> None:
    shoes = [StoredShoe.of(row) for row in transaction.rows(SELECT_SHOES)]
    rows = [(*(shoe.opened(TEST_KEY) or ()), shoe.id) for shoe in shoes]
    transaction.many("UPDATE shoes SET nonce = ?, cards = ?, sealed = NULL WHERE id = ?", rows)


def _start_without_key(transaction: Transaction) -> None:
    """Starts of that time did not say with which key the journal is signed."""
    if (head := streams.find(transaction, HOUSE)) is None:
        return
    before, rows = NO_PREVIOUS_HASH, list[tuple[object, ...]]()
    for entry in streams.read(transaction, head, 0, head.version):
        event = read_house_event(entry.event)
        named = isinstance(event, FloorStarted) and event.public_key
        text = without(event, "public_key") if named else entry.event
        before = digest(before, replace(entry, event=text))
        rows.append((text, before, head.key, entry.version))
    transaction.many("UPDATE entries SET event = ?, hash = ? WHERE stream = ? AND version = ?", rows)
    transaction.change("UPDATE streams SET hash = ? WHERE id = ?", (before, head.key))


def _chain_without_context(transaction: Transaction) -> None:
    ends: dict[str, str] = {}
    heads = streams.heads(transaction)
    for head in sorted(heads.values(), key=lambda head: head.stream == HOUSE):  # the house names the ends of others
        before, rows = NO_PREVIOUS_HASH, list[tuple[object, ...]]()
        for entry in streams.read(transaction, head, 0, head.version):
            bare = replace(entry, context="", event=_with_end(entry, ends))
            before = digest(before, bare)
            rows.append((bare.event, before, head.key, entry.version))
        transaction.many("UPDATE entries SET context = '', event = ?, hash = ? WHERE stream = ? AND version = ?", rows)
        transaction.change("UPDATE streams SET hash = ? WHERE id = ?", (before, head.key))
        ends[head.stream] = before


def _with_end(entry: Entry, ends: dict[str, str]) -> str:
    """The event as releases of that time wrote it, with the new hash if it records where a stream ended."""
    event = read_house_event(entry.event) if entry.stream == HOUSE else None
    if isinstance(event, StreamClosed):
        return write(replace(event, hash=ends[event.stream]))
    if isinstance(event, StreamOpened):
        return without(event, "law")
    return without(event, "hash") if isinstance(event, TableRecovered) else entry.event


def without(event: HouseEvent, field: str) -> str:
    """An encoded event without a field."""
    return msgspec.json.encode({k: v for k, v in msgspec.to_builtins(event).items() if k != field}).decode()
