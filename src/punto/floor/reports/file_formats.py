"""Writes rows as CSV, for spreadsheets, or as Parquet, for large data."""

import csv
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from punto.catalogue.values import CURRENCY_DIGITS
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.reports.moments import iso_utc
from punto.rules.money import write_amount
from punto.rules.refusals import needing

ROWS_A_GROUP = 50_000
"""Rows of a Parquet file that are held in memory."""


class Format(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"


class ColumnKind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"
    """Minor units; written as a decimal number of major units."""
    MOMENT = "moment"
    """Unix time in microseconds; written as UTC."""


Column = tuple[str, ColumnKind]
Rows = Iterable[Sequence[Any]]


def write_export(path: Path, columns: Sequence[Column], rows: Rows, form: Format) -> int:
    """Write the file, which appears only when complete and only its owner can read. Return the number of rows."""
    draft = path.with_name(f"{path.name}.part")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
        written = (_write_csv if form is Format.CSV else _write_parquet)(draft, columns, rows)
        draft.replace(path)
    except OSError as error:
        raise FloorRefused(
            FloorCode.BAD_DATABASE, variant="not_writable", path=path, reason=error.strerror or str(error)
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return written


_FORMULAS = ("=", "+", "-", "@")


def _text(value: object) -> str:
    """Escape text that a spreadsheet would take for a formula: players choose their own names."""
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULAS) else text


_FORMATTERS: dict[ColumnKind, Callable[[Any], str]] = {
    ColumnKind.TEXT: _text,
    ColumnKind.NUMBER: str,
    ColumnKind.AMOUNT: write_amount,
    ColumnKind.MOMENT: iso_utc,
}


def write_csv(file: TextIO, columns: Sequence[Column], rows: Rows) -> int:
    """Write the rows below their names. Return the number of rows."""
    written = 0
    formatters = [_FORMATTERS[kind] for _, kind in columns]
    writer = csv.writer(file)
    writer.writerow([name for name, _ in columns])
    for row in rows:
        writer.writerow(["" if value is None else write(value) for write, value in zip(formatters, row, strict=True)])
        written += 1
    return written


def _write_csv(path: Path, columns: Sequence[Column], rows: Rows) -> int:
    with path.open("w", newline="", encoding="utf-8") as file:
        return write_csv(file, columns, rows)


def _write_parquet(path: Path, columns: Sequence[Column], rows: Rows) -> int:
    arrow, parquet = _pyarrow()
    types = {
        ColumnKind.TEXT: arrow.string(),
        ColumnKind.NUMBER: arrow.int64(),
        ColumnKind.AMOUNT: arrow.decimal128(38, CURRENCY_DIGITS),
        ColumnKind.MOMENT: arrow.timestamp("us", tz="UTC"),
    }
    schema = arrow.schema([(name, types[kind]) for name, kind in columns])
    written, rest = 0, iter(rows)
    with parquet.ParquetWriter(str(path), schema) as writer:
        while group := list(islice(rest, ROWS_A_GROUP)):
            values = [
                arrow.array([_decimal(row[at]) if kind is ColumnKind.AMOUNT else row[at] for row in group], types[kind])
                for at, (_, kind) in enumerate(columns)
            ]
            writer.write_table(arrow.Table.from_arrays(values, schema=schema))
            written += len(group)
    return written


def _decimal(amount_minor: int | None) -> Decimal | None:
    return None if amount_minor is None else Decimal(amount_minor).scaleb(-CURRENCY_DIGITS)


def _pyarrow() -> tuple[Any, Any]:
    with needing("parquet", FloorRefused):
        import pyarrow as arrow  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415 - as above
    return arrow, parquet
