"""Backups while the floor runs, and their way back. One kind of file for SQLite and PostgreSQL.

A backup holds the sealed orders of shoes in play and the hashes of passwords: keep it as safe as the database.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from punto.floor.database import Database, fill_database, open_database
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.session_store import SessionKind
from punto.floor.upkeep.migration import migrate

LEFT_OUT = ("sessions",)
"""Not restored: a session that was revoked since must not come back to life. Everybody signs in again."""
OVER_US = 1
"""When a restored visit ended: long ago, so that the visitor is signed out and cashed out as anybody over time is."""


def backup(database: Database, path: Path) -> None:
    """A copy of the whole database as it is at one moment, in the file once it is whole."""
    if path.exists():
        raise FloorRefused(FloorCode.FILE_EXISTS, path=path)
    draft = path.with_name(f"{path.name}.part")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        database.copy_to(str(draft))
        _on_disk(draft)
        draft.rename(path)
        _on_disk(path.parent)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="not_writable", path=path, reason=error.strerror) from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _on_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def restore(path: Path, url: str) -> None:
    """The floor of a backup, of this release or an older one, in an empty database: all of it or nothing."""
    with tempfile.TemporaryDirectory(prefix="punto-restore-") as folder:
        draft = Path(folder) / "backup.db"  # the backup itself stays as it is
        _take(path, draft)
        source = open_database(str(draft), create=False)
        try:
            source.reading(lambda rows: _fill(rows, url)).result()
        finally:
            source.close()


def _take(path: Path, draft: Path) -> None:
    try:
        shutil.copyfile(path, draft)
        migrate(str(draft))
    except OSError as error:
        raise FloorRefused(FloorCode.NOT_A_BACKUP, variant="file", path=path, reason=error.strerror) from error
    except FloorRefused as refused:
        if refused.code in (FloorCode.NOT_A_FLOOR, FloorCode.BAD_DATABASE):
            raise FloorRefused(FloorCode.NOT_A_BACKUP, path=path) from refused
        raise


def _fill(source: Transaction, url: str) -> None:
    from punto.floor.database.copying import advance_key_sequences, copy_rows  # noqa: PLC0415 - an extra
    from punto.floor.database.schema import prepare, version_of  # noqa: PLC0415 - with it

    def filling(transaction: Transaction, types: Mapping[str, str]) -> None:
        if version_of(transaction, types) is not None:
            raise FloorRefused(FloorCode.NOT_EMPTY)
        prepare(transaction, types, create=True)
        copy_rows(source, transaction, LEFT_OUT)
        _end_visits(source, transaction)
        advance_key_sequences(transaction, types)

    fill_database(url, filling)


def _end_visits(source: Transaction, target: Transaction) -> None:
    """Visits come back as over: what is left of them is somebody's chips, which the house has to see to."""
    rows = source.rows(
        "SELECT token, folded, name, kind, expires_us FROM sessions WHERE kind = ?", (SessionKind.VISITOR,)
    )
    over = [(*row, min(expires_us, OVER_US)) for *row, expires_us in rows]
    target.many("INSERT INTO sessions (token, folded, name, kind, expires_us) VALUES (?, ?, ?, ?, ?)", over)
