"""The bodies of HTTP requests and answers, and of WebSocket messages. Clients import nothing else of the server.

Amounts are integers in the smallest unit of the table's currency. Cards are written ``As``, ``Td``, ``9h``, ``Kc``.
"""

from punto.web.messages.base import Cursor, Message, RequestBody
from punto.web.messages.commands import Accepted, CommandRequest, EventView
from punto.web.messages.errors import ErrorBody, Legal, LegalList, Problem
from punto.web.messages.history import EventPage, RoundPage, RoundSummary, SealedShoeList, SealedShoeView
from punto.web.messages.live import Moved, Stopped, Unwatch, Watch
from punto.web.messages.lobby import Lobby, LobbyTable, TableRequest
from punto.web.messages.proposals import (
    Approved,
    ApproveRequest,
    DeclineRequest,
    PreviewView,
    ProposalList,
    ProposalRequest,
    ProposalView,
)
from punto.web.messages.sessions import PasswordRequest, PinRequest, SessionView, SignInRequest, VisitRequest
from punto.web.messages.tables import (
    Adjusted,
    Covered,
    Due,
    HandView,
    KnownFirst,
    KnownFirstBet,
    Me,
    Offered,
    OptionsOpen,
    Placed,
    RestartView,
    RoundView,
    Settled,
    ShoeView,
    SqueezeView,
    TableSnapshot,
    TableView,
    Voided,
)

__all__ = [
    "Accepted",
    "Adjusted",
    "ApproveRequest",
    "Approved",
    "CommandRequest",
    "Covered",
    "Cursor",
    "DeclineRequest",
    "Due",
    "ErrorBody",
    "EventPage",
    "EventView",
    "HandView",
    "KnownFirst",
    "KnownFirstBet",
    "Legal",
    "LegalList",
    "Lobby",
    "LobbyTable",
    "Me",
    "Message",
    "Moved",
    "Offered",
    "OptionsOpen",
    "PasswordRequest",
    "PinRequest",
    "Placed",
    "PreviewView",
    "Problem",
    "ProposalList",
    "ProposalRequest",
    "ProposalView",
    "RequestBody",
    "RestartView",
    "RoundPage",
    "RoundSummary",
    "RoundView",
    "SealedShoeList",
    "SealedShoeView",
    "SessionView",
    "Settled",
    "ShoeView",
    "SignInRequest",
    "SqueezeView",
    "Stopped",
    "TableRequest",
    "TableSnapshot",
    "TableView",
    "Unwatch",
    "VisitRequest",
    "Voided",
    "Watch",
]
