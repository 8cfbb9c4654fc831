"""A call for the pit, for the console of the table and for the pages of those who answer."""

from datetime import datetime

from msgspec import UNSET, Struct

from punto.floor.settings.gaming_day import GamingDay
from punto.web.messages import TableView


class ShownCall(Struct, frozen=True):
    called_by: str
    answered_by: str
    """Empty while nobody has answered."""
    since: datetime
    """When it was answered; before that, when the pit was called."""


def show_call(view: TableView, day: GamingDay) -> ShownCall | None:
    """The call that is open, or was answered in this round."""
    call = view.pit_call
    if call is UNSET:
        return None
    return ShownCall(call.called_by, call.answered_by, day.local(call.since_us))


def open_call(view: TableView, day: GamingDay) -> ShownCall | None:
    call = show_call(view, day)
    return None if call is None or call.answered_by else call
