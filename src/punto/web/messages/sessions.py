"""Signing in, entering as a visitor, and the session."""

from punto.table.records.positions import Position
from punto.web.messages.base import Message, RequestBody


class SignInRequest(RequestBody, frozen=True):
    """An employee signs in. `keep` is `cookie` for a browser, or `token` to get a token in the answer."""

    name: str
    password: str
    keep: str = "cookie"
    """``cookie``: the session is a cookie that scripts cannot read. ``token``: a token in the answer, for programs."""


class VisitRequest(RequestBody, frozen=True):
    """A visitor enters under a name. `keep` works as in signing in."""

    name: str
    keep: str = "cookie"


class PasswordRequest(RequestBody, frozen=True):
    """Change your own password. `before` is the current one."""

    before: str
    password: str


class PinRequest(RequestBody, frozen=True):
    """Set your own PIN. `password` is your password."""

    password: str
    pin: str


class SessionView(Message, frozen=True):
    """The person who is signed in, and until when."""

    name: str
    position: Position | None
    """None while off duty."""
    to_change: bool = False
    """The password is a one-time password and must be changed before anything else."""
    expires_us: int | None = None
    token: str | None = None
    """Sent only once, in the answer to a request for a token."""
