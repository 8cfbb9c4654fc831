"""The table ``alarms``: what rang in the pit, and what became of it."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.database.base import Row, Transaction
from punto.floor.house.alarm import SEVERITIES, Alarm, DueAlarm, Fact, Severity
from punto.floor.house.projection import Operation, Projection, Put, Update
from punto.floor.journal.entry import Entry
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.pit_events import AlarmAcknowledged, AlarmEnded, AlarmEscalated, AlarmRaised
from punto.floor.journal.round_index import HIGHEST

_COLUMNS = (
    *("number", "once", "kind", "severity", "at_table", "opening", "round", "subject", "at_us", "facts"),
    *("acknowledged_by", "acknowledged_us", "note", "escalated_us"),
)
SELECT_ALARMS = f"SELECT {', '.join(_COLUMNS)} FROM alarms"  # noqa: S608 - our own names
_FACTS_AT = _COLUMNS.index("facts")
_FACTS: msgspec.json.Decoder[dict[str, Fact]] = msgspec.json.Decoder(dict[str, Fact])


class AlarmsTable(Projection):
    table = "alarms"
    thing = "alarm"
    fault = FaultCode.ALARMS_DIFFER
    key = ("number",)
    derived = _COLUMNS[1:]
    kinds = (AlarmRaised, AlarmEscalated, AlarmAcknowledged, AlarmEnded)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:
        match event:
            case AlarmRaised():
                shown = (event.number, event.once, event.kind, event.severity, event.table, event.opening, event.round)
                row = (*shown, event.subject, event.at_us, msgspec.json.encode(event.values).decode(), "", 0, "", 0)
                yield Put(dict(zip(_COLUMNS, row, strict=True)), counted="number")
            case AlarmEscalated():
                yield self._change(event.number, {"severity": event.severity, "escalated_us": event.at_us})
            case AlarmAcknowledged():
                dealt = {"acknowledged_by": entry.actor, "acknowledged_us": event.at_us, "note": event.note}
                yield self._change(event.number, dealt)
            case AlarmEnded():
                yield self._change(event.number, {"acknowledged_us": event.at_us})

    @staticmethod
    def _change(number: int, values: dict[str, object]) -> Update:
        return Update({"number": number, "acknowledged_us": 0}, values)


class AlarmFilter(Struct, frozen=True, kw_only=True):
    """Which alarms to list. What is left at its default does not matter."""

    open: bool | None = None
    table: str = ""
    from_us: int = 0
    until_us: int = HIGHEST
    """Not included."""
    before: int = HIGHEST
    """Only those with a lower number."""


def alarm_of(row: Row) -> Alarm:
    """Raises ``msgspec.MsgspecError`` or ``TypeError`` for a damaged row."""
    values: list[Any] = [*row]
    values[_FACTS_AT] = _FACTS.decode(values[_FACTS_AT])
    return Alarm(*values)


def find_alarms(transaction: Transaction, wanted: AlarmFilter, limit: int) -> list[Alarm]:
    """The last ones that fit come first."""
    where = ["number < ?", "at_us >= ?", "at_us < ?"]
    values: list[object] = [wanted.before, wanted.from_us, wanted.until_us]
    if wanted.table:
        where.append("at_table = ?")
        values.append(wanted.table)
    if wanted.open is not None:
        where.append("acknowledged_us = 0" if wanted.open else "acknowledged_us > 0")
    sql = f"{SELECT_ALARMS} WHERE {' AND '.join(where)} ORDER BY number DESC LIMIT ?"
    return [alarm_of(row) for row in transaction.rows(sql, (*values, limit))]


def find_open(transaction: Transaction) -> list[Alarm]:
    """The most severe come first, and of these the newest."""
    rows = transaction.rows(f"{SELECT_ALARMS} WHERE acknowledged_us = 0 ORDER BY severity DESC, number DESC")
    return [alarm_of(row) for row in rows]


def find_alarm(transaction: Transaction, number: int) -> Alarm | None:
    rows = transaction.rows(f"{SELECT_ALARMS} WHERE number = ?", (number,))
    return alarm_of(rows[0]) if rows else None


def not_rung(transaction: Transaction, due: Sequence[DueAlarm]) -> list[DueAlarm]:
    """Those that have not rung yet, each once."""
    by_once = {each.once: each for each in reversed(due)}
    sql = "SELECT 1 FROM alarms WHERE once = ?"
    return [each for each in reversed(by_once.values()) if not transaction.rows(sql, (each.once,))]


# ---- what is to ring, escalate or end: the caller has locked the house's stream


def ring(transaction: Transaction, due: Sequence[DueAlarm], at_us: int) -> list[HouseEvent]:
    """Those that have not rung yet."""
    ((last,),) = transaction.rows("SELECT max(number) FROM alarms")
    return [
        AlarmRaised(
            number=number,
            once=each.once,
            kind=each.kind,
            severity=SEVERITIES[each.kind],
            table=each.table,
            opening=each.opening,
            round=each.round,
            subject=each.subject,
            at_us=at_us,
            values=each.values,
        )
        for number, each in enumerate(not_rung(transaction, due), (last or 0) + 1)
    ]


def escalate(transaction: Transaction, before_us: int, at_us: int) -> list[HouseEvent]:
    """Open alarms from up to ``before_us`` become more severe, each once."""
    sql = "SELECT number, severity FROM alarms WHERE acknowledged_us = 0 AND at_us <= ? AND escalated_us = 0"
    return [
        AlarmEscalated(number, min(severity + 1, Severity.URGENT), at_us)
        for number, severity in transaction.rows(f"{sql} ORDER BY number", (before_us,))
    ]


def has_to_escalate(transaction: Transaction, before_us: int) -> bool:
    sql = "SELECT 1 FROM alarms WHERE acknowledged_us = 0 AND at_us <= ? AND escalated_us = 0 LIMIT 1"
    return bool(transaction.rows(sql, (before_us,)))


def end(transaction: Transaction, numbers: Sequence[int], at_us: int) -> list[HouseEvent]:
    """Those that are still open end. Nobody acknowledged them, so they have a time and no name."""
    still = {alarm.number for alarm in find_open(transaction)}
    return [AlarmEnded(number, at_us) for number in dict.fromkeys(numbers) if number in still]
