"""Records in the house's stream what releases before 0.9.0 left unrecorded, so that ``verify`` can compare it."""

from functools import partial
from secrets import token_hex

from punto.floor.clock import SECOND_US, SystemClock
from punto.floor.database.base import Transaction
from punto.floor.database.schema import FIRST_RECORDED
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.projection import Stored
from punto.floor.house.projections.players import commit_to
from punto.floor.house.projections.settings import NAMES_LIKE_IDS_KEY
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, command_record
from punto.floor.journal.entry import text_start
from punto.floor.journal.house_events import (
    HOUSE,
    AccountRecorded,
    CardScanned,
    FloorMigrated,
    HouseEvent,
    PlayerRecorded,
    SessionRecorded,
    StreamClosed,
    read_house_event,
)
from punto.floor.people.accounts.passwords import ONE_TIME_S
from punto.floor.people.players import all_players
from punto.floor.shoes.scan_store import scan_commitment


def record_migration(transaction: Transaction, schema: int) -> None:
    """Record that the database got a later schema, unless nothing has happened on this floor yet."""
    if streams.find(transaction, HOUSE) is not None:
        append_house(transaction, command_record(THE_HOUSE, SystemClock()), FloorMigrated(schema))


def record_unrecorded(transaction: Transaction) -> None:
    """Record accounts, sessions, players, and the scans of tables that are open. One-time passwords now expire."""
    if streams.find(transaction, HOUSE) is None:
        return  # nothing has happened on this floor yet
    reserved = transaction.rows("SELECT value FROM meta WHERE name = ?", (NAMES_LIKE_IDS_KEY,))
    record = command_record(THE_HOUSE, SystemClock())
    until_us = record.at_us + ONE_TIME_S * SECOND_US
    transaction.change("UPDATE accounts SET one_time_until_us = ? WHERE to_change = 1", (until_us,))
    accounts = transaction.rows(
        "SELECT name, kind, password, to_change, one_time_until_us FROM accounts ORDER BY folded"
    )
    sessions = transaction.rows("SELECT name, kind, token, expires_us FROM sessions ORDER BY folded, token")
    events: list[HouseEvent | Stored] = [
        FloorMigrated(FIRST_RECORDED, reserved[0][0] if reserved else ""),
        *(
            AccountRecorded(name, kind, fingerprint(hash_), bool(to_change), until_us)
            for name, kind, hash_, to_change, until_us in accounts
        ),
        *(SessionRecorded(*session) for session in sessions),
        *(commit_to(player, partial(PlayerRecorded, player.id)) for player in all_players(transaction)),
        *_commit_to_scans(transaction),
    ]
    append_house(transaction, record, *events)


def _commit_to_scans(transaction: Transaction) -> list[CardScanned]:
    """Scans of closed streams are left: nobody can turn these cards any more."""
    closed, committed = _closed(transaction), list[CardScanned]()
    rows = transaction.rows("SELECT stream, shoe, draw, card, version FROM scans ORDER BY stream, shoe, draw")
    for stream, shoe, draw, card, version in rows:
        if stream not in closed:
            place, nonce = (stream, shoe, draw), token_hex(32)
            sql = "UPDATE scans SET nonce = ? WHERE stream = ? AND shoe = ? AND draw = ?"
            transaction.change(sql, (nonce, *place))
            committed.append(CardScanned(*place, scan_commitment(nonce, *place, card, version)))
    return committed


def _closed(transaction: Transaction) -> set[str]:
    start = text_start(StreamClosed)
    rows = transaction.rows(
        "SELECT e.event FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " WHERE s.name = ? AND substr(e.event, 1, ?) = ?",
        (HOUSE, len(start), start),
    )
    events = (read_house_event(text) for (text,) in rows)
    return {event.stream for event in events if isinstance(event, StreamClosed)}
