"""Backs up a running floor and restores it, with the same file format for SQLite and PostgreSQL.

A backup contains password hashes and players' names: protect it like the database itself. It never contains the key
that the orders of sealed shoes are encrypted with.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from punto.floor.database import fill_database, open_database
from punto.floor.database.base import Database, Transaction
from punto.floor.database.schema import BACKUP_KEY, prepare, version_of, written_version
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HOUSE, FloorRestored
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.secret_key import forget_key
from punto.floor.shoes.known_orders import mark_restored
from punto.floor.upkeep.migration import migrate
from punto.floor.upkeep.restorers import Restorers, check_restorers, restore_record


def backup(database: Database, path: Path) -> int:
    """Copy the whole database as of one moment; return its schema version. The file appears only when complete."""
    if path.exists():
        raise FloorRefused(FloorCode.FILE_EXISTS, path=path)
    draft = path.with_name(f"{path.name}.part")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        database.copy_to(str(draft))
        _fsync(draft)
        draft.rename(path)
        _fsync(path.parent)
        return database.reading(written_version).result()
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="not_writable", path=path, reason=error.strerror) from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def restore(path: Path, url: str, restorers: Restorers, passwords: Passwords | None = None) -> None:
    """Restore a backup of this or an older release to an empty database, all of it or nothing.

    The next start ends every sealed shoe in play.
    """
    with tempfile.TemporaryDirectory(prefix="punto-restore-") as folder:
        draft = Path(folder) / "backup.db"  # migrate a copy, not the backup itself
        _copy_and_migrate(path, draft)
        source = open_database(str(draft), create=False)
        try:
            actors = check_restorers(source, restorers, passwords)
            source.reading(lambda rows: _fill(rows, url, actors, restorers.alone)).result()
        finally:
            source.close()


def _copy_and_migrate(path: Path, draft: Path) -> None:
    try:
        shutil.copyfile(path, draft)
        migrate(str(draft))
    except OSError as error:
        raise FloorRefused(FloorCode.NOT_A_BACKUP, variant="file", path=path, reason=error.strerror) from error
    except FloorRefused as refused:
        if refused.code in (FloorCode.NOT_A_FLOOR, FloorCode.BAD_DATABASE):
            raise FloorRefused(FloorCode.NOT_A_BACKUP, path=path) from refused
        raise


def _fill(source: Transaction, url: str, actors: Sequence[Actor], alone: str) -> None:
    from punto.floor.database.copying import advance_key_sequences, copy_rows  # noqa: PLC0415 - an extra

    def filling(transaction: Transaction, types: Mapping[str, str]) -> None:
        if version_of(transaction, types) is not None:
            raise FloorRefused(FloorCode.NOT_EMPTY)
        prepare(transaction, types, create=True)
        copy_rows(source, transaction)
        advance_key_sequences(transaction, types)
        forget_key(transaction)  # perhaps it is lost
        transaction.change("DELETE FROM meta WHERE name = ?", (BACKUP_KEY,))
        _record(transaction, actors, alone)

    fill_database(url, filling)


def _record(transaction: Transaction, actors: Sequence[Actor], alone: str) -> None:
    names = [str(StreamName(table, opening)) for table, opening in sorted(streams.openings(transaction).items())]
    heads = [streams.head(transaction, name) for name in names]
    by = tuple(actor.name for actor in actors)
    restored = FloorRestored(by, alone, {head.stream: (head.version, head.hash) for head in heads})
    append_house(transaction, restore_record(actors), restored)
    mark_restored(transaction, streams.head(transaction, HOUSE).version)
