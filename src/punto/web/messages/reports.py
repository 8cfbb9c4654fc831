"""Reports of shifts and gaming days."""

from punto.floor.reports.report_lines import ReportLines
from punto.web.messages.base import Message


class ReportView(Message, frozen=True):
    day: str
    """The gaming day."""
    shift: int
    """0: the whole day."""
    zone: str
    """Of the floor's clocks."""
    table: str
    """Empty: all tables."""
    report: ReportLines
