"""The table ``alarms``. The house's stream has the same as events."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.alarms.alarm import SEVERITIES, Alarm, DueAlarm, Fact, Severity
from punto.floor.database.base import Row, Transaction
from punto.floor.journal.pit_events import AlarmAcknowledged, AlarmEnded, AlarmEscalated, AlarmRaised
from punto.floor.journal.round_index import HIGHEST

_COLUMNS = (
    *("number", "once", "kind", "severity", "at_table", "opening", "round", "subject", "at_us", "facts"),
    *("acknowledged_by", "acknowledged_us", "note", "escalated_us"),
)
SELECT_ALARMS = f"SELECT {', '.join(_COLUMNS)} FROM alarms"  # noqa: S608 - our own names
_FACTS_AT = _COLUMNS.index("facts")
_FACTS: msgspec.json.Decoder[dict[str, Fact]] = msgspec.json.Decoder(dict[str, Fact])


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


# ---- changes: the caller has locked the house's stream


def ring(transaction: Transaction, due: Sequence[DueAlarm], at_us: int) -> list[AlarmRaised]:
    """Add those that have not rung yet."""
    new = not_rung(transaction, due)
    ((last,),) = transaction.rows("SELECT max(number) FROM alarms")
    raised = [
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
        for number, each in enumerate(new, (last or 0) + 1)
    ]
    sql = f"INSERT INTO alarms ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - our own
    transaction.many(sql, [alarm_row(alarm_on_record(each)) for each in raised])
    return raised


def escalate(transaction: Transaction, before_us: int, at_us: int) -> list[AlarmEscalated]:
    """Make open alarms from up to ``before_us`` more severe, each once."""
    sql = "SELECT number, severity FROM alarms WHERE acknowledged_us = 0 AND at_us <= ? AND escalated_us = 0"
    escalated = [
        AlarmEscalated(number, min(severity + 1, Severity.URGENT), at_us)
        for number, severity in transaction.rows(f"{sql} ORDER BY number", (before_us,))
    ]
    transaction.many(
        "UPDATE alarms SET severity = ?, escalated_us = ? WHERE number = ?",
        [(each.severity, at_us, each.number) for each in escalated],
    )
    return escalated


def has_to_escalate(transaction: Transaction, before_us: int) -> bool:
    sql = "SELECT 1 FROM alarms WHERE acknowledged_us = 0 AND at_us <= ? AND escalated_us = 0 LIMIT 1"
    return bool(transaction.rows(sql, (before_us,)))


def acknowledge(transaction: Transaction, number: int, by: str, note: str, at_us: int) -> AlarmAcknowledged | None:
    """None if somebody did before."""
    sql = (
        "UPDATE alarms SET acknowledged_by = ?, acknowledged_us = ?, note = ? WHERE number = ? AND acknowledged_us = 0"
    )
    changed = transaction.change(sql, (by, at_us, note, number))
    return AlarmAcknowledged(number, note, at_us) if changed else None


def end(transaction: Transaction, numbers: Sequence[int], at_us: int) -> list[AlarmEnded]:
    """End those that are still open. Nobody acknowledged them, so they have a time and no name."""
    sql = "UPDATE alarms SET acknowledged_us = ? WHERE number = ? AND acknowledged_us = 0"
    return [AlarmEnded(number, at_us) for number in numbers if transaction.change(sql, (at_us, number))]


# ---- the same from the house's stream


def alarm_on_record(event: AlarmRaised) -> Alarm:
    return Alarm(
        event.number,
        event.once,
        event.kind,
        event.severity,
        event.table,
        event.opening,
        event.round,
        event.subject,
        event.at_us,
        event.values,
    )


def after_event(alarm: Alarm, event: AlarmEscalated | AlarmAcknowledged | AlarmEnded, by: str) -> Alarm:
    if isinstance(event, AlarmEnded):
        return replace(alarm, acknowledged_us=event.at_us)
    if isinstance(event, AlarmEscalated):
        return replace(alarm, severity=event.severity, escalated_us=event.at_us)
    return replace(alarm, acknowledged_by=by, acknowledged_us=event.at_us, note=event.note)


def alarm_row(alarm: Alarm) -> Row:
    values = [getattr(alarm, name) for name in Alarm.__struct_fields__]
    values[_FACTS_AT] = msgspec.json.encode(alarm.values).decode()
    return tuple(values)
