"""An SQLite file that is looked at and never written to: an audit leaves what it audits as it was."""

from functools import partial
from urllib.parse import quote

import apsw

from punto.floor.database.base import READERS, Transaction
from punto.floor.database.schema import SQLITE_TYPES, Opening
from punto.floor.database.sqlite import BUSY_MS, SqliteDatabase
from punto.floor.errors import FloorCode, FloorRefused


class ReadOnlySqlite(SqliteDatabase):
    """A file that a floor may be running on, or a copy on which nobody can write."""

    def _open(self, opening: Opening, *, exclusive: bool) -> None:  # noqa: ARG002 - nobody keeps others out to read
        self._readers = [self._connect() for _ in range(READERS)]
        self._writer = self._readers[0]
        self._refuse_half_a_page()
        self._look(partial(opening, types=SQLITE_TYPES))

    def _connect(self) -> apsw.Connection:
        connection = self._to_read("mode=ro")
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # a file made for write-ahead wants files beside it, and here none can be made
            connection.close()
            if any(self.path.with_name(f"{self.path.name}-{kind}").exists() for kind in ("wal", "journal")):
                raise
            connection = self._to_read("mode=ro&immutable=1")
        self._connections.append(connection)
        return connection

    def _to_read(self, how: str) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"file:{quote(str(self.path.absolute()))}?{how}", flags=flags)
        connection.set_busy_timeout(BUSY_MS)
        return connection

    def _begin(self) -> Transaction:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="read_only", path=self.path)

    def refusal(self, trouble: Exception) -> Exception:
        """As of any file, but for what is not asked of this one."""
        if isinstance(trouble, apsw.CantOpenError | apsw.ReadOnlyError | apsw.PermissionsError | OSError):
            return FloorRefused(FloorCode.BAD_DATABASE, variant="not_readable", path=self.path, reason=str(trouble))
        return super().refusal(trouble)
