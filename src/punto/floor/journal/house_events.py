"""The house's own stream: which streams there are and where they ended, shoes sealed and revealed, staff, refusals.

A chain of hashes cannot see that its tail was cut off. So every opening and closing is written down here with the
head of its stream, and a copy of this stream's head kept elsewhere vouches for all of them.
"""

from typing import Any

import msgspec
from msgspec import Struct

HOUSE = "house"
"""The name of the stream."""
DEFAULT_BOXES = 2
"""At so many boxes of one table a visitor may sit where nobody has said otherwise."""


class HouseEvent(Struct, frozen=True, tag_field="event", forbid_unknown_fields=True):
    """Something that concerns the floor and not one table."""


class FloorStarted(HouseEvent, frozen=True, tag="floor_started.1"):
    """A process runs the floor, with this release."""

    release: str


class TableCreated(HouseEvent, frozen=True, tag="table_created.1"):
    """The floor has a table of this name and game, and its cards come from shoes of this kind."""

    table: str
    book: str
    shoes: str = ""
    decks: int = 0
    setup: str = ""
    """SHA-256 of the whole setup as it was written."""


class StreamOpened(HouseEvent, frozen=True, tag="stream_opened.1"):
    """A table was opened: its entries are in this stream."""

    stream: str
    table: str


class StreamClosed(HouseEvent, frozen=True, tag="stream_closed.1"):
    """A table was closed: its stream ends with this entry."""

    stream: str
    version: int
    hash: str


class TableRecovered(HouseEvent, frozen=True, tag="table_recovered.1"):
    """A table was taken over from a process that is gone, as this entry left it; perhaps in the middle of a round."""

    stream: str
    version: int
    round_open: bool


class ShoeSealed(HouseEvent, frozen=True, tag="shoe_sealed.1"):
    """The order of a shoe is fixed: SHA-256 over nonce and order commits to it before the first card."""

    shoe: str
    table: str
    decks: int
    kind: str
    commitment: str
    stream: str = ""
    version: int = 0
    """The entry that has put it on the table, written with this one or not at all."""


class ShoeRevealed(HouseEvent, frozen=True, tag="shoe_revealed.1"):
    """The shoe is over: nonce and order, so that anybody can check the commitment and every card."""

    shoe: str
    nonce: str
    cards: str


class AccountCreated(HouseEvent, frozen=True, tag="account_created.1"):
    """Somebody of the staff has an account."""

    name: str
    position: str


class PositionAssigned(HouseEvent, frozen=True, tag="position_assigned.1"):
    """The position somebody holds this shift."""

    name: str
    position: str


class PasswordChanged(HouseEvent, frozen=True, tag="password_changed.1"):
    """A password was set anew."""

    name: str


class SessionsRevoked(HouseEvent, frozen=True, tag="sessions_revoked.1"):
    """Somebody was signed out everywhere."""

    name: str


class TokenIssued(HouseEvent, frozen=True, tag="token_issued.1"):
    """A machine may act in this position."""

    name: str
    position: str


class SignedIn(HouseEvent, frozen=True, tag="signed_in.1"):
    """Somebody of the staff signed in."""

    name: str
    position: str


class SignedOut(HouseEvent, frozen=True, tag="signed_out.1"):
    """A session was ended, or a visitor's came to its end."""

    name: str


class VisitorEntered(HouseEvent, frozen=True, tag="visitor_entered.1"):
    """A visitor plays under this name."""

    name: str


class FloorRulesChanged(HouseEvent, frozen=True, tag="floor_rules_changed.1"):
    """Whether visitors may enter, what play money they get, how often and at which tables, and how many boxes."""

    visitors: bool
    buy_in_minor: int
    buy_ins: int
    tables: tuple[str, ...]
    boxes: int = DEFAULT_BOXES


class LockedOut(HouseEvent, frozen=True, tag="locked_out.1"):
    """Too many wrong passwords."""

    name: str
    until_us: int


class AuthorityRefused(HouseEvent, frozen=True, tag="authority_refused.1"):
    """A command was refused because the position did not allow it."""

    table: str
    by: str
    position: str
    command: str
    code: str
    times: int = 1
    """This one, and so many less one before it of the same person that were too quick to be written one by one."""


AnyHouseEvent = (
    FloorStarted
    | TableCreated
    | StreamOpened
    | StreamClosed
    | TableRecovered
    | ShoeSealed
    | ShoeRevealed
    | AccountCreated
    | PositionAssigned
    | PasswordChanged
    | SessionsRevoked
    | TokenIssued
    | SignedIn
    | SignedOut
    | VisitorEntered
    | FloorRulesChanged
    | LockedOut
    | AuthorityRefused
)

_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyHouseEvent)


def read_house_event(text: str) -> HouseEvent:
    """The event of the house that an entry holds."""
    event: HouseEvent = _EVENTS.decode(text)
    return event
