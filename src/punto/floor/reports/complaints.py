"""Complaints that players send about a round. Each is an entry of the house's stream, which auditors read."""

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import ComplaintMade
from punto.floor.journal.house_events import HOUSE, HouseEvent
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.floor_rules import FloorRules
from punto.floor.reports.rounds.round_reader import require_round
from punto.table.records.positions import Position
from punto.table.refusals import TableCode

MAX_COMPLAINT_LENGTH = 1_000


async def send_complaint(
    log: HouseLog, by: Actor, rules: FloorRules, stream: StreamName, number: int, text: str
) -> int:
    """Record a complaint about a round; return the number of its entry. The text is kept as one line."""
    await log.require(by, frozenset({Position.PLAYER}), "complain", stream.table)
    if not rules.may_play(by, stream.table):
        raise FloorRefused(FloorCode.VISITOR_ELSEWHERE, table=stream.table)
    line = " ".join(text.split())
    if not (line and line.isprintable() and len(line) <= MAX_COMPLAINT_LENGTH):
        raise FloorRefused(TableCode.REASON_NEEDED, variant="complaint", least=1, most=MAX_COMPLAINT_LENGTH)

    def change(transaction: Transaction) -> tuple[int, list[HouseEvent]]:
        require_round(transaction, stream, number)
        complaint = ComplaintMade(stream.table, str(stream), number, line)
        return streams.head(transaction, HOUSE).version + 1, [complaint]

    return await log.change(by, change)
