"""What goes over the wire. Only records, so that a client needs nothing of the server but these.

Amounts are integers of the smallest unit of the table's currency; cards are written as ``As Td 9h Kc``.
"""

from punto.web.messages.base import Cursor, Message, RequestBody
from punto.web.messages.commands import Accepted, CommandAsked, EventView
from punto.web.messages.errors import ErrorBody, Legal, LegalList, Problem
from punto.web.messages.history import EventPage, RoundPage, RoundSummary, ShoesTold, ShoeTold
from punto.web.messages.live import Moved, Stopped, Unwatch, Watch
from punto.web.messages.lobby import Lobby, LobbyTable, TableAsked
from punto.web.messages.sessions import PasswordAsked, SessionView, SignInAsked, VisitAsked
from punto.web.messages.tables import (
    Adjusted,
    Covered,
    Due,
    HandView,
    Me,
    Offered,
    OptionsOpen,
    Placed,
    RoundView,
    Seen,
    Settled,
    ShoeView,
    TableView,
    Voided,
)

__all__ = [
    "Accepted",
    "Adjusted",
    "CommandAsked",
    "Covered",
    "Cursor",
    "Due",
    "ErrorBody",
    "EventPage",
    "EventView",
    "HandView",
    "Legal",
    "LegalList",
    "Lobby",
    "LobbyTable",
    "Me",
    "Message",
    "Moved",
    "Offered",
    "OptionsOpen",
    "PasswordAsked",
    "Placed",
    "Problem",
    "RequestBody",
    "RoundPage",
    "RoundSummary",
    "RoundView",
    "Seen",
    "SessionView",
    "Settled",
    "ShoeTold",
    "ShoeView",
    "ShoesTold",
    "SignInAsked",
    "Stopped",
    "TableAsked",
    "TableView",
    "Unwatch",
    "VisitAsked",
    "Voided",
    "Watch",
]
