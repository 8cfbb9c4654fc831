"""Checks slips and counts by their events alone, so also where a command is not decided again."""

from punto.table.records.chips import SlipReceived, SlipRequested, SlipSent, SlipVoided, TrayCounted, total_minor
from punto.table.records.events import Event
from punto.table.records.ledger import tray_minor
from punto.table.records.state import Table


def tray_fault(state: Table, event: Event) -> str:
    """What is wrong with an event of the tray, given the table before it; empty if nothing is."""
    match event:
        case SlipRequested():
            next_slip = state.last_slip + 1
            return "" if event.slip == next_slip else f"the slip has the number {event.slip}, not {next_slip}"
        case SlipSent() | SlipReceived() | SlipVoided():
            return _slip_fault(state, event)
        case TrayCounted():
            counted_minor, expected_minor = total_minor(event.piles), tray_minor(state.balances)
            if (event.counted_minor, event.expected_minor) == (counted_minor, expected_minor):
                return ""
            return "the count does not say what its piles are worth, or what was on record"
    return ""


def _slip_fault(state: Table, event: SlipSent | SlipReceived | SlipVoided) -> str:
    slip = state.slips.get(event.slip)
    if slip is None:
        return f"the slip {event.slip} is not open"
    if (slip.kind, slip.amount_minor) != (event.kind, event.amount_minor):
        return f"the slip {event.slip} was asked for with other chips"
    if isinstance(event, SlipVoided):
        return ""
    return "" if slip.sent is isinstance(event, SlipReceived) else f"the slip {event.slip} cannot take this step yet"
