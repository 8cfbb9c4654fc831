"""Who looked at whose figures. Staff and auditors are on record; players, who see only their own, are not.

The first look of a person at a subject is written to the house's stream, and the first one after an hour again. Each
process counts its own hours.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from punto.floor.clock import HOUR_US
from punto.floor.database.base import Transaction
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import FiguresSeen
from punto.floor.journal.house_events import HOUSE, read_house_event
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.positions import MANAGER_UP, Position

MAY_READ_LOOKS = MANAGER_UP | {Position.AUDITOR}
AGAIN_AFTER_US = HOUR_US
MAX_NAMED = 10
"""Subjects of one answer that are recorded one by one. A longer list is one look at many."""
MAX_REMEMBERED = 10_000
NOT_RECORDED = frozenset({Position.PLAYER, Position.HOUSE})
_END = 2**62


class LookKind(StrEnum):
    """What somebody looked at."""

    REGISTER = "register"
    """A player in the register."""
    RATING = "rating"
    """What a player did on a gaming day."""
    CASH = "cash"
    """The cash of everybody on a gaming day."""
    REPORT = "report"
    """The report of a gaming day, with its dealers and its largest winners and losers."""
    SEARCH = "search"
    """The rounds of a player or of a dealer."""
    ROUND = "round"
    EVENTS = "events"
    """The events of a table, with the names and balances that only staff see."""
    HISTORY = "history"
    """The finished rounds of a table, with everybody's bets."""
    INCIDENT = "incident"
    RECORD = "record"
    """The house's record, of a player or of everybody."""
    PACK = "pack"
    """A round as a file to take away."""
    EXPORT = "export"
    LOOKS = "looks"
    """This record."""


class RecordedLook(Struct, frozen=True):
    version: int
    """In the house's stream."""
    at_us: int
    by: str
    position: str
    seen: FiguresSeen


class LookFilter(Struct, frozen=True, kw_only=True):
    """Which looks to list. What is left at its default does not matter."""

    by: str = ""
    of: str = ""
    from_us: int = 0
    until_us: int = _END
    """Not included."""
    before: int = _END
    """Only those with a lower version."""


_Key = tuple[str, LookKind, str, str]
"""Who looked at what, of whom, at which table."""


class Looks:
    def __init__(self, log: HouseLog) -> None:
        self._log = log
        self._written_us: dict[_Key, int] = {}

    async def saw(self, by: Actor | None, kind: LookKind, *of: str, table: str = "") -> None:
        """Record a look before the figures are shown. Many subjects at once, or none, are recorded as an empty one.

        Never pass what somebody typed: the journal has no names of players.
        """
        if by is None or by.position in NOT_RECORDED:
            return
        now_us = self._log.clock.now_us()
        subjects = of if len(of) <= MAX_NAMED else ("",)
        keys = [(by.name, kind, subject[:MAX_NAME_LENGTH], table[:MAX_NAME_LENGTH]) for subject in subjects or ("",)]
        due = [key for key in dict.fromkeys(keys) if self._is_due(key, now_us)]
        if not due:
            return
        self._remember(due, now_us)
        try:
            await self._log.write(by, *(FiguresSeen(*key[1:]) for key in due))
        except Exception:
            for key in due:
                self._written_us.pop(key, None)
            raise

    async def list(self, by: Actor, wanted: LookFilter, limit: int) -> list[RecordedLook]:
        """The looks that fit, newest first. Reading them is a look too."""
        await self._log.require(by, MAY_READ_LOOKS, "list_looks")
        await self.saw(by, LookKind.LOOKS)
        return await self._log.database.read(lambda transaction: find_looks(transaction, wanted, limit), long=True)

    def _is_due(self, key: _Key, now_us: int) -> bool:
        return now_us - self._written_us.get(key, -AGAIN_AFTER_US) >= AGAIN_AFTER_US

    def _remember(self, keys: Sequence[_Key], now_us: int) -> None:
        if len(self._written_us) + len(keys) > MAX_REMEMBERED:
            self._written_us = {key: at_us for key, at_us in self._written_us.items() if not self._is_due(key, now_us)}
        if len(self._written_us) + len(keys) > MAX_REMEMBERED:
            self._written_us.clear()  # looks are then written more often, never less
        self._written_us |= dict.fromkeys(keys, now_us)


def find_looks(transaction: Transaction, wanted: LookFilter, limit: int) -> list[RecordedLook]:
    """Those that fit, newest first."""
    where = ["s.name = ?", "l.version < ?", "l.at_us >= ?", "l.at_us < ?"]
    values: list[object] = [HOUSE, wanted.before, wanted.from_us, wanted.until_us]
    for column, value in (("l.actor", wanted.by), ("l.subject", wanted.of)):
        if value:
            where.append(f"{column} = ?")
            values.append(value)
    rows = transaction.rows(
        "SELECT l.version, e.at_us, e.actor, e.position, e.event FROM looks AS l JOIN streams AS s ON 1 = 1"  # noqa: S608
        " JOIN entries AS e ON e.stream = s.id AND e.version = l.version"
        f" WHERE {' AND '.join(where)} ORDER BY l.version DESC LIMIT ?",
        (*values, limit),
    )
    found = [(row[:-1], read_house_event(row[-1])) for row in rows]
    return [
        RecordedLook(version, at_us, by, position, event)
        for (version, at_us, by, position), event in found
        if isinstance(event, FiguresSeen)
    ]
