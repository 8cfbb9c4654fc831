"""The tables that follow from the house's stream, made again from it and compared with those of the database.

They are in a temporary database, which may be larger than the memory.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw
import msgspec

from punto.floor.database.base import Row, Transaction
from punto.floor.house.projection import (
    Delete,
    Lack,
    Need,
    Operation,
    Projection,
    Put,
    Uncompared,
    Update,
    Values,
    condition,
)
from punto.floor.house.registry import PROJECTIONS, projections_of
from punto.floor.journal.entry import Entry
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.fault_codes import FaultCode

MAX_DIFFERENCES = 20
"""Of one table; of more only the number is given."""
_NOT_SAID, _UNREADABLE = b"\0not said", b"\0unreadable"
_BY_TABLE = {projection.table: projection for projection in PROJECTIONS}


class Impossible(Exception):
    """An event that cannot have come after those before it."""

    def __init__(self, code: FaultCode, words: str) -> None:
        super().__init__(words)
        self.code = code


class Replica:
    def __init__(self) -> None:
        self._made = apsw.Connection("")  # on disk where it does not fit into memory
        self._made.execute("PRAGMA journal_mode = OFF")
        self._made.execute("BEGIN")
        self._counts = dict.fromkeys(_BY_TABLE, 0)
        self._unread: dict[str, str] = {}
        """Tables that cannot be compared, and why."""
        for projection in PROJECTIONS:
            columns, key = ", ".join(projection.compared_columns), ", ".join(projection.key)
            for side, unique in (("made", "UNIQUE "), ("stored", "")):
                name = f"{side}_{projection.table}"
                self._made.execute(f"CREATE TABLE {name} ({columns})")
                self._made.execute(f"CREATE {unique}INDEX {name}_key ON {name} ({key})")

    def close(self) -> None:
        self._made.close()

    # ---- the stream

    def apply(self, event: HouseEvent, entry: Entry) -> None:
        """Raises :class:`Impossible` for an event that cannot have come after those before it."""
        for projection in projections_of(type(event)):
            try:
                possible = all(self._carry_out(projection, each) for each in projection.apply(event, entry))
            except (ValueError, apsw.ConstraintError):
                possible = False
            if not possible:
                words = f"the table `{projection.table}` cannot have changed so at this point"
                raise Impossible(projection.fault, words)

    def _carry_out(self, projection: Projection, operation: Operation) -> bool:
        table = f"made_{projection.table}"
        match operation:
            case Put():
                return self._put(projection, operation)
            case Update():
                values = _said(projection, operation.values)
                where, wanted = condition(_said(projection, operation.where))
                setting = ", ".join(f"{column} = ?" for column in values)
                if not setting:
                    return not operation.needed or self._has(table, where, wanted)
                sql = f"UPDATE {table} SET {setting} WHERE {where}"  # noqa: S608 - our own names
                self._made.execute(sql, (*values.values(), *wanted))
                return not operation.needed or self._made.changes() > 0
            case Delete():
                where, wanted = condition(_said(projection, operation.where))
                self._made.execute(f"DELETE FROM {table} WHERE {where}", wanted)  # noqa: S608 - as above
                return True
            case Need() | Lack():
                where, wanted = condition(operation.where)
                return self._has(f"made_{operation.table}", where, wanted) is isinstance(operation, Need)

    def _has(self, table: str, where: str, wanted: tuple[object, ...]) -> bool:
        found = self._made.execute(f"SELECT 1 FROM {table} WHERE {where} LIMIT 1", wanted)  # noqa: S608 - our own names
        return next(iter(found), None) is not None

    def _put(self, projection: Projection, put: Put) -> bool:
        row = dict(_said(projection, put.row))
        self._counts[projection.table] += 1
        if projection.ordered:
            row[projection.key[0]] = self._counts[projection.table]
        if put.counted and row[put.counted] != self._counts[projection.table]:
            return False
        verb = "INSERT OR REPLACE" if put.anew else "INSERT"
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        self._made.execute(f"{verb} INTO made_{projection.table} ({columns}) VALUES ({marks})", tuple(row.values()))
        return True

    # ---- the database

    def load(self, transaction: Transaction, projections: Sequence[Projection] = PROJECTIONS) -> None:
        """Read tables, all as of one moment."""
        for projection in projections:
            try:
                self._load(projection, transaction)
            except UnicodeDecodeError:
                self._unread[projection.table] = "a column is not valid UTF-8"

    def _load(self, projection: Projection, transaction: Transaction) -> None:
        columns, order = projection.columns, f" ORDER BY {projection.ordered}" if projection.ordered else ""
        rows = transaction.rows(f"SELECT {', '.join(columns)} FROM {projection.table}{order}")  # noqa: S608 - as above
        marks = ", ".join("?" * len(projection.compared_columns))
        sql = f"INSERT INTO stored_{projection.table} VALUES ({marks})"  # noqa: S608 - as above
        self._made.executemany(sql, _compared(projection, rows))

    def differences(self) -> Iterator[tuple[FaultCode, str]]:
        for projection in PROJECTIONS:
            if words := self._unread.get(projection.table):
                yield projection.fault, f"the table `{projection.table}` was not compared: {words}"
                continue
            found = 0
            for key, difference in self._differences(projection):
                found += 1
                if found <= MAX_DIFFERENCES:
                    yield projection.fault_of(key), f"the {projection.thing} {_name(key)} {difference}"
            if found > MAX_DIFFERENCES:
                more = f"{found - MAX_DIFFERENCES} more rows of the table `{projection.table}` differ"
                yield projection.fault, f"{more} from the house's stream"

    def count_differences(self, projection: Projection) -> int:
        """A table that cannot be read differs as a whole."""
        if projection.table in self._unread:
            return max(self._counts[projection.table], 1)
        return len({key for key, _ in self._differences(projection)})

    def rows(self, projection: Projection) -> list[Row]:
        """As the stream gives them; what it does not say, as it is stored."""
        same = " AND ".join(f"m.{column} = s.{column}" for column in projection.key)
        said = (f"CASE WHEN m.{each} IS ? THEN coalesce(s.{each}, 0) ELSE m.{each} END" for each in projection.columns)
        made, stored = f"made_{projection.table}", f"stored_{projection.table}"
        sql = f"SELECT {', '.join(said)} FROM {made} AS m LEFT JOIN {stored} AS s ON {same} ORDER BY m.rowid"  # noqa: S608
        return list(self._made.execute(sql, (_NOT_SAID,) * len(projection.columns)))

    def _differences(self, projection: Projection) -> Iterator[tuple[Row, str]]:
        made, stored = f"made_{projection.table}", f"stored_{projection.table}"
        keys = projection.key
        same = " AND ".join(f"m.{column} = s.{column}" for column in keys)
        key = ", ".join(f"{{0}}.{column}" for column in keys)
        if projection.complete:
            missing = f"SELECT {key.format('m')} FROM {made} AS m WHERE NOT EXISTS"  # noqa: S608 - our own names
            for row in self._made.execute(f"{missing} (SELECT 1 FROM {stored} AS s WHERE {same}) ORDER BY 1"):  # noqa: S608
                yield row, "is missing"
        planted = f"SELECT {key.format('s')} FROM {stored} AS s WHERE NOT EXISTS"  # noqa: S608 - as above
        for row in self._made.execute(f"{planted} (SELECT 1 FROM {made} AS m WHERE {same}) ORDER BY 1"):  # noqa: S608
            yield row, "is not in the house's stream"
        rest = (*projection.derived, *projection.committed)
        differs = [f"m.{each} IS NOT s.{each} AND m.{each} IS NOT ?1 AND s.{each} IS NOT ?1" for each in rest]
        columns = ", ".join(f"CASE WHEN {words} THEN '{each}' END" for each, words in zip(rest, differs, strict=True))
        sql = (
            f"SELECT {key.format('m')}, {columns} FROM {made} AS m JOIN {stored} AS s ON {same}"  # noqa: S608 - as above
            f" WHERE {' OR '.join(f'({words})' for words in differs)} ORDER BY 1"
        )
        for row in self._made.execute(sql, (_NOT_SAID,)):
            named = ", ".join(f"`{column}`" for column in row[len(keys) :] if column)
            yield row[: len(keys)], f"differs from the house's stream in {named}"


def _said(projection: Projection, values: Values) -> Mapping[str, object]:
    known = projection.compared_columns
    return {
        column: _NOT_SAID if isinstance(value, Uncompared) else value
        for column, value in values.items()
        if column in known
    }


def _compared(projection: Projection, rows: Iterable[Row]) -> Iterator[Row]:
    for place, values in enumerate(rows, 1):
        row: dict[str, Any] = dict(zip(projection.columns, values, strict=True))
        if projection.ordered:
            row[projection.key[0]] = place
        try:
            compared = projection.compared(row)
        except (TypeError, ValueError, KeyError, AttributeError, msgspec.MsgspecError):
            compared = {**dict.fromkeys(projection.compared_columns, _UNREADABLE), **_key(projection, row)}
        if compared is not None:
            said = _said(projection, compared)
            yield tuple(said[column] for column in projection.compared_columns)


def _key(projection: Projection, row: Values) -> Values:
    return {column: row[column] for column in projection.key}


def _name(key: Row) -> str:
    return " ".join(map(repr, key))
