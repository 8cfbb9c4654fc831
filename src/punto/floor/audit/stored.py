"""What the database holds beside the entries, read at one moment."""

from msgspec import Struct

from punto.floor.alarms.alarm_store import SELECT_ALARMS
from punto.floor.audit.checks.duty import SELECT_DUTY
from punto.floor.audit.checks.players import SELECT_PLAYERS
from punto.floor.audit.checks.sessions import SELECT_SESSIONS
from punto.floor.audit.checks.terminals import SELECT_TERMINALS
from punto.floor.audit.faults import FaultCode, fault_found
from punto.floor.audit.house_record import ScanPlace
from punto.floor.audit.jobs.job_store import SELECT_JOBS
from punto.floor.audit.rejudge import Readings
from punto.floor.chips.floor_chips import CHIP_SET_KEY
from punto.floor.database.base import Database, Row, Transaction
from punto.floor.journal import streams
from punto.floor.journal.incident_index import SELECT_INCIDENTS
from punto.floor.journal.seal_index import SELECT_SEALS
from punto.floor.journal.streams import Head
from punto.floor.people.accounts.passwords import fingerprint
from punto.floor.people.approvals.count_store import SELECT_COUNTS
from punto.floor.people.approvals.proposal_store import SELECT_PROPOSALS
from punto.floor.people.looks import SELECT_LOOKS
from punto.floor.people.players import NAMES_LIKE_IDS_KEY
from punto.floor.people.sessions.player_code_store import SELECT_CODES
from punto.floor.reports.days.sign_offs import SELECT_SIGN_OFFS
from punto.floor.running.adopted_readings import ADOPTED_KEY
from punto.floor.running.configuration import FLOOR_RULES_KEY
from punto.floor.running.stop_store import SELECT_STOPS
from punto.floor.settings.floor_settings import FLOOR_SETTINGS_KEY
from punto.floor.shoes.scan_store import ScanResult, scan_commitment
from punto.floor.shoes.sealed import SELECT_SHOES, StoredShoe
from punto.floor.shoes.shoe_register import SELECT_STEPS

SELECT_SCANS = "SELECT stream, shoe, draw, card, version, nonce FROM scans"


class Stored(Struct, frozen=True, kw_only=True):
    heads: dict[str, Head]
    tables: dict[str, str]
    """Name to setup, as JSON."""
    titles: dict[str, str]
    """Of the tables that have one."""
    shoes: dict[str, StoredShoe]
    accounts: list[Row]
    pins: dict[str, str]
    """Folded name to the fingerprint of the PIN's hash."""
    totp: dict[str, str]
    """Folded name to the fingerprint of the sealed secret; empty if none was confirmed."""
    terminals: list[Row]
    sessions: list[Row] | None
    rules: list[Row]
    adopted: list[Row]
    reserved: list[Row]
    chips: list[Row]
    settings: list[Row]
    duty: list[Row]
    counts: list[Row]
    proposals: list[Row]
    alarms: list[Row]
    shoe_steps: list[Row]
    stops: list[Row]
    sign_offs: list[Row]
    looks: list[Row]
    jobs: list[Row]
    scans: dict[str, Readings]
    """By stream."""
    commitments: dict[ScanPlace, str]
    """Of the scans, as their rows give them."""
    reads: dict[str, Readings]
    """By stream, the last read of each card that was stored as a scan."""
    readers: dict[ScanPlace, str]
    """Who sent it."""
    seals: list[Row] | None
    incidents: list[Row] | None
    codes: list[Row]
    """Of players."""
    players: list[Row] | None
    """None, as sessions, seals and incidents, if one of the four cannot be read."""


def read_stored(database: Database) -> Stored:
    """Raises :class:`FaultFound` if the heads cannot be read."""
    try:
        stored = database.reading(_select).result()
    except UnicodeDecodeError:
        stored = _without_damage(database)
    for head in stored.heads.values():
        if (type(head.stream), type(head.version), type(head.hash)) != (str, int, str):
            raise fault_found("database", None, FaultCode.NOT_AN_ENTRY, f"this cannot be the head of a stream: {head}")
    return stored


def _without_damage(database: Database) -> Stored:
    """All but sessions, seals, incidents and players, so that damage there does not stop the audit."""
    try:
        return database.reading(lambda transaction: _select(transaction, whole=False)).result()
    except UnicodeDecodeError as error:
        raise fault_found(
            "database", None, FaultCode.NOT_AN_ENTRY, f"a column is not valid UTF-8: {error.reason}"
        ) from error


def _select(transaction: Transaction, *, whole: bool = True) -> Stored:
    shoes = map(StoredShoe.of, transaction.rows(SELECT_SHOES))
    scans = _readings(transaction, "SELECT stream, shoe, draw, card FROM scans")
    stored = (ScanResult.TAKEN, ScanResult.BURNED)
    sql = "SELECT stream, shoe, draw, card FROM scan_reads WHERE outcome IN (?, ?) ORDER BY id"
    return Stored(
        heads=streams.heads(transaction),
        tables={str(name): str(setup) for name, setup in transaction.rows("SELECT name, setup FROM tables")},
        titles=dict(transaction.rows("SELECT name, title FROM tables WHERE title <> ''")),
        shoes={shoe.id: shoe for shoe in shoes},
        accounts=transaction.rows(
            "SELECT name, folded, position, kind, password, to_change, one_time_until_us FROM accounts ORDER BY folded"
        ),
        pins={folded: fingerprint(str(hash_)) for folded, hash_ in transaction.rows("SELECT folded, hash FROM pins")},
        totp={folded: fingerprint(sealed) for folded, sealed in transaction.rows("SELECT folded, secret FROM totp")},
        terminals=transaction.rows(SELECT_TERMINALS),
        sessions=transaction.rows(SELECT_SESSIONS) if whole else None,
        rules=transaction.rows("SELECT value FROM meta WHERE name = ?", (FLOOR_RULES_KEY,)),
        chips=transaction.rows("SELECT value FROM meta WHERE name = ?", (CHIP_SET_KEY,)),
        settings=transaction.rows("SELECT value FROM meta WHERE name = ?", (FLOOR_SETTINGS_KEY,)),
        duty=transaction.rows(SELECT_DUTY),
        counts=transaction.rows(SELECT_COUNTS),
        proposals=transaction.rows(SELECT_PROPOSALS),
        alarms=transaction.rows(SELECT_ALARMS),
        shoe_steps=transaction.rows(SELECT_STEPS.format(where="")),
        stops=transaction.rows(SELECT_STOPS),
        sign_offs=transaction.rows(SELECT_SIGN_OFFS),
        looks=transaction.rows(SELECT_LOOKS),
        jobs=transaction.rows(SELECT_JOBS),
        codes=transaction.rows(SELECT_CODES),
        adopted=transaction.rows("SELECT value FROM meta WHERE name = ?", (ADOPTED_KEY,)),
        reserved=transaction.rows("SELECT value FROM meta WHERE name = ?", (NAMES_LIKE_IDS_KEY,)),
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
        seals=transaction.rows(SELECT_SEALS) if whole else None,
        incidents=transaction.rows(SELECT_INCIDENTS) if whole else None,
        players=transaction.rows(SELECT_PLAYERS) if whole else None,
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
