"""What the database holds beside the entries, read at one moment."""

from msgspec import Struct

from punto.floor.audit.faults import FaultCode, fault_found
from punto.floor.audit.house_record import ScanPlace
from punto.floor.audit.jobs.job_store import SELECT_JOBS
from punto.floor.audit.rejudge import Readings
from punto.floor.database.base import Database, Row, Transaction
from punto.floor.house.projections.counts import SELECT_COUNTS
from punto.floor.house.projections.settings import ADOPTED_KEY, find_setting
from punto.floor.house.replica import Replica
from punto.floor.journal import streams
from punto.floor.journal.incident_index import SELECT_INCIDENTS
from punto.floor.journal.streams import Head
from punto.floor.shoes.scan_store import ScanResult, scan_commitment
from punto.floor.shoes.sealed import SELECT_SHOES, StoredShoe

SELECT_SCANS = "SELECT stream, shoe, draw, card, version, nonce FROM scans"


class DatabaseRows(Struct, frozen=True, kw_only=True):
    heads: dict[str, Head]
    tables: dict[str, str]
    """Name to setup, as JSON."""
    shoes: dict[str, StoredShoe]
    adopted: str
    counts: list[Row]
    jobs: list[Row]
    scans: dict[str, Readings]
    """By stream."""
    commitments: dict[ScanPlace, str]
    """Of the scans, as their rows give them."""
    reads: dict[str, Readings]
    """By stream, the last read of each card that was stored as a scan."""
    readers: dict[ScanPlace, str]
    """Who sent it."""
    incidents: list[Row] | None
    """None if they cannot be read."""


def read_stored(database: Database, replica: Replica) -> DatabaseRows:
    """Also what the replica compares, all as of one moment. Raises :class:`FaultFound` if the heads cannot be read."""
    try:
        stored = database.reading(lambda transaction: _select(transaction, replica)).result()
    except UnicodeDecodeError:
        stored = _without_damage(database, replica)
    for head in stored.heads.values():
        if (type(head.stream), type(head.version), type(head.hash)) != (str, int, str):
            raise fault_found("database", None, FaultCode.NOT_AN_ENTRY, f"this cannot be the head of a stream: {head}")
    return stored


def _without_damage(database: Database, replica: Replica) -> DatabaseRows:
    """All but incidents, so that damage there does not stop the audit."""
    try:
        return database.reading(lambda transaction: _select(transaction, replica, whole=False)).result()
    except UnicodeDecodeError as error:
        raise fault_found(
            "database", None, FaultCode.NOT_AN_ENTRY, f"a column is not valid UTF-8: {error.reason}"
        ) from error


def _select(transaction: Transaction, replica: Replica, *, whole: bool = True) -> DatabaseRows:
    replica.load(transaction)
    shoes = map(StoredShoe.of, transaction.rows(SELECT_SHOES))
    scans = _readings(transaction, "SELECT stream, shoe, draw, card FROM scans")
    stored = (ScanResult.TAKEN, ScanResult.BURNED)
    sql = "SELECT stream, shoe, draw, card FROM scan_reads WHERE outcome IN (?, ?) ORDER BY id"
    return DatabaseRows(
        heads=streams.heads(transaction),
        tables={str(name): str(setup) for name, setup in transaction.rows("SELECT name, setup FROM tables")},
        shoes={shoe.id: shoe for shoe in shoes},
        adopted=find_setting(transaction, ADOPTED_KEY),
        counts=transaction.rows(SELECT_COUNTS),
        jobs=transaction.rows(SELECT_JOBS),
        scans=scans,
        commitments={
            (str(stream), str(shoe), draw): scan_commitment(nonce, stream, shoe, draw, card, version)
            for stream, shoe, draw, card, version, nonce in transaction.rows(SELECT_SCANS)
        },
        reads=_readings(transaction, sql, stored),
        readers={
            (str(stream), str(shoe), draw): str(actor)
            for stream, shoe, draw, actor in transaction.rows(sql.replace("card", "actor"), stored)
        },
        incidents=transaction.rows(SELECT_INCIDENTS) if whole else None,
    )


def _readings(transaction: Transaction, sql: str, values: tuple[str, ...] = ()) -> dict[str, Readings]:
    readings: dict[str, Readings] = {}
    for stream, shoe, draw, card in transaction.rows(sql, values):
        readings.setdefault(str(stream), {})[str(shoe), draw] = str(card)
    return readings


def stray_entries(transaction: Transaction) -> list[Row]:
    """Stream and version of entries beyond the head of their stream, or without a stream."""
    return transaction.rows(
        "SELECT s.name, e.version FROM entries AS e LEFT JOIN streams AS s ON s.id = e.stream"
        " WHERE s.id IS NULL OR e.version > s.version OR e.version < 1 ORDER BY e.id LIMIT 10"
    )


def doubled_commands(transaction: Transaction) -> list[Row]:
    """Stream, version and command id of commands whose id was accepted before."""
    return transaction.rows(
        "SELECT s.name, e.version, e.command_id FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " WHERE e.part = 0 AND EXISTS (SELECT 1 FROM entries AS f"
        " WHERE f.command_id = e.command_id AND f.part = 0 AND f.id < e.id) ORDER BY e.id LIMIT 10"
    )
