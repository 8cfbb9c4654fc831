"""Starts to sign a journal: see :mod:`punto.floor.database.signatures`.

Entries of earlier releases, and those of a restored backup, are signed once by their heads. That is on record, because
such a signature only shows that nothing was changed since.
"""

from msgspec.structs import astuple

from punto.floor.clock import SystemClock
from punto.floor.database.base import SIGNED_KEY, Database, Transaction
from punto.floor.database.signatures import ADOPTED, INSERT_LINKS, Appended, Signer, key_name
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, command_record
from punto.floor.journal.audit_events import JournalSigned
from punto.floor.runtime.notes import note_once
from punto.floor.secret_key import SecretKey, floor_key


def sign_with(database: Database, key: SecretKey) -> None:
    """Sign everything that is appended from now on, and what was appended before the journal was signed."""
    database.signer = Signer(key)
    database.writing(lambda transaction: _adopt(transaction, key)).result()


def open_to_sign(database: Database, key_file: str = "") -> None:
    """For commands that append to a journal. Refused without the floor's key: see :func:`floor_key`."""
    sign_with(database, floor_key(database, key_file))


def _adopt(transaction: Transaction, key: SecretKey) -> None:
    if not note_once(transaction, SIGNED_KEY, key.public_key):
        return
    signed = _signed_versions(transaction, key_name(key.public_key))
    unsigned = {
        head.key: Appended(signed.get(head.key, 0) + 1, head.version, head.hash)
        for head in streams.heads(transaction).values()
        if head.version > signed.get(head.key, 0)
    }
    if not unsigned:
        return
    entries = sum(part.version - part.first + 1 for part in unsigned.values())
    transaction.many(INSERT_LINKS, map(astuple, Signer(key, adopting=True).links(unsigned)))
    append_house(transaction, command_record(THE_HOUSE, SystemClock()), JournalSigned(key.public_key, entries))


def _signed_versions(transaction: Transaction, key: str) -> dict[int, int]:
    """By the key of a stream, the last version that was signed with this key."""
    sql = "SELECT stream, max(version) FROM signatures WHERE substr(writer, 1, ?) = ? OR substr(writer, 1, ?) = ?"
    values = [value for start in (key, ADOPTED + key) for value in (len(start), start)]
    return dict(transaction.rows(f"{sql} GROUP BY stream", values))
