"""An SQLite file opened read-only, for audits."""

from functools import partial
from urllib.parse import quote

import apsw

from punto.floor.database.base import READERS, Transaction
from punto.floor.database.schema import SQLITE_TYPES, Opening
from punto.floor.database.sqlite import BUSY_TIMEOUT_MS, SqliteDatabase
from punto.floor.errors import FloorCode, FloorRefused


class ReadOnlySqlite(SqliteDatabase):
    """A file that a floor may be running on, or a copy on a read-only medium."""

    def _open(self, opening: Opening, *, exclusive: bool) -> None:  # noqa: ARG002 - reading needs no lock
        self._readers = [self._connect() for _ in range(READERS)]
        self._writer = self._readers[0]
        self._refuse_half_a_page()
        self._look(partial(opening, types=SQLITE_TYPES))

    def _connect(self) -> apsw.Connection:
        connection = self._open_read_only("mode=ro")
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # a file in WAL mode needs files beside it, which cannot be created here
            connection.close()
            if any(self.path.with_name(f"{self.path.name}-{kind}").exists() for kind in ("wal", "journal")):
                raise
            connection = self._open_read_only("mode=ro&immutable=1")
        self._connections.append(connection)
        return connection

    def _open_read_only(self, mode: str) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"file:{quote(str(self.path.absolute()))}?{mode}", flags=flags)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        return connection

    def _begin(self) -> Transaction:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="read_only", path=self.path)

    def refusal(self, error: Exception) -> Exception:
        if isinstance(error, apsw.CantOpenError | apsw.ReadOnlyError | apsw.PermissionsError | OSError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="not_readable", path=self.path, reason=str(error))
        return super().refusal(error)
