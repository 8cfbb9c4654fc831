"""Compares the tables `rounds` and `seals`, which are caches, with the journal."""

from collections.abc import Iterator
from functools import partial

from punto.catalogue.values import write_count
from punto.floor.audit.faults import Fault, FaultCode
from punto.floor.audit.hash_chain import Link
from punto.floor.database.base import Database, Transaction
from punto.floor.journal import streams
from punto.floor.journal.round_index import ROUNDS_A_PAGE, Comparison, RoundRow, RoundRows, RowDifference, stray_rows
from punto.floor.journal.round_marks import expected_marks, marked_streams, stored_marks
from punto.floor.journal.streams import Head

ADVICE = "run `punto rebuild`"


class RoundsCheck:
    """Compares the rows of one stream while its entries are read up to a head.

    The floor may be running: a round that is complete no longer changes, and the last ones are compared only if nothing
    was appended since the head was read.
    """

    def __init__(self, database: Database, head: Head) -> None:
        self._database, self._head = database, head
        self._rows, self._complete = RoundRows(), list[RoundRow]()
        self._comparison = Comparison(head.key)
        self._differences: list[RowDifference] = []

    def watch(self, links: Iterator[Link]) -> Iterator[Link]:
        """Pass the links on."""
        for link in links:
            self._complete += self._rows.take(link.entry)
            if len(self._complete) >= ROUNDS_A_PAGE:
                self._differences += self._database.reading(self._compare).result()
                self._complete.clear()
            yield link

    def fault(self) -> Fault | None:
        """The first difference, after all links were read."""
        self._differences += self._database.reading(self._compare_last).result()
        if not self._differences:
            return None
        first, more = self._differences[0], len(self._differences) - 1
        words = f"{_describe(first)}{f' (and {more} more)' if more else ''}; {ADVICE}"
        return Fault(self._head.stream, first.row.version if first.row else None, FaultCode.ROUNDS_DIFFER, words)

    def _compare(self, transaction: Transaction) -> list[RowDifference]:
        return self._comparison.page(transaction, self._complete, last=False)

    def _compare_last(self, transaction: Transaction) -> list[RowDifference]:
        if streams.find(transaction, self._head.stream) != self._head:
            return self._compare(transaction) if self._complete else []
        return self._comparison.page(transaction, [*self._complete, *self._rows.rest], last=True)


def _describe(difference: RowDifference) -> str:
    if difference.row is None:
        return f"the table `rounds` has a round {difference.number} that is not in the journal"
    if not difference.columns:
        return f"the table `rounds` lacks round {difference.number}"
    columns = ", ".join(difference.columns)
    return f"round {difference.number} in the table `rounds` differs from the journal in {columns}"


def check_stray_rounds(database: Database) -> Iterator[Fault]:
    """Rows of `rounds` that belong to no table."""
    if strays := database.reading(stray_rows).result():
        rows = write_count(len(strays), "row that belongs", "rows that belong")
        words = f"the table `rounds` has {rows} to no table; {ADVICE}"
        yield Fault("database", None, FaultCode.ROUNDS_DIFFER, words)


def check_marks(database: Database) -> Iterator[Fault]:
    """Compare `round_marks` and `round_blocks` with `rounds`, stream by stream."""
    for stream in database.reading(marked_streams).result():
        if not database.reading(partial(_are_marked, stream=stream)).result():
            words = f"what rounds are searched by differs from the table `rounds`; {ADVICE}"
            yield Fault("database", None, FaultCode.ROUNDS_DIFFER, words)
            return


def _are_marked(transaction: Transaction, stream: int) -> bool:
    try:
        return expected_marks(transaction, stream) == stored_marks(transaction, stream)
    except UnicodeDecodeError:  # a damaged row
        return False
