"""Who is signed in, and how one does."""

from punto.table.records.positions import Position
from punto.web.messages.base import Message, RequestBody


class SignInAsked(RequestBody, frozen=True):
    """One of the staff signs in."""

    name: str
    password: str
    keep: str = "cookie"
    """``cookie``: the session comes as one that scripts cannot read. ``token``: in the answer, for a program."""


class VisitAsked(RequestBody, frozen=True):
    """A visitor enters."""

    name: str
    keep: str = "cookie"


class PasswordAsked(RequestBody, frozen=True):
    """One's own password is changed."""

    before: str
    password: str


class SessionView(Message, frozen=True):
    """Who is signed in."""

    name: str
    position: Position | None
    """None: off duty."""
    to_change: bool = False
    """A one-time password: nothing can be done before it is changed."""
    expires_us: int | None = None
    token: str | None = None
    """Told once, and only to who asked for one."""
