"""Reports of shifts and gaming days."""

from punto.floor.reports.days.report_lines import ReportLines
from punto.web.messages.audit_days import SignOffView
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
    sign_offs: tuple[SignOffView, ...]
    """Of the whole day, the first one first."""
    report: ReportLines
