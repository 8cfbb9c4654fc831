"""Signing in, entering as a visitor, and the session."""

from punto.table.records.positions import Position
from punto.web.messages.base import Message, RequestBody


class SignInRequest(RequestBody, frozen=True):
    """An employee signs in. `keep` is `cookie` for a browser, or `token` to get a token in the answer."""

    name: str
    password: str
    code: str = ""
    """Of TOTP, for those who have set it up."""
    keep: str = "cookie"
    """``cookie``: the session is a cookie that scripts cannot read. ``token``: a token in the answer, for programs."""


class VisitRequest(RequestBody, frozen=True):
    """A visitor enters under a name. `keep` works as in signing in."""

    name: str
    keep: str = "cookie"


class PlayerSignIn(RequestBody, frozen=True):
    """A registered player signs in with their id and the code on their buy-in slip. `keep` works as in signing in."""

    player: str
    code: str
    keep: str = "cookie"


class PasswordRequest(RequestBody, frozen=True):
    """Change your own password. `before` is the current one."""

    before: str
    password: str


class PinRequest(RequestBody, frozen=True):
    """Set your own PIN. `password` is your password."""

    password: str
    pin: str


class UnlockRequest(RequestBody, frozen=True):
    """Go on with an idle session: by `pin` at the terminal where it was opened, or by `password`."""

    pin: str | None = None
    password: str | None = None


class TotpRequest(RequestBody, frozen=True):
    """Set up TOTP. `code` is one of the current device, if there is one."""

    password: str
    code: str = ""


class TotpCode(RequestBody, frozen=True):
    """A code of the new device, which counts from then on."""

    code: str


class TotpSecret(Message, frozen=True):
    """The secret for an app, as text and as the address that apps read. It is sent only once."""

    secret: str
    address: str


class SessionView(Message, frozen=True):
    """The person who is signed in, and until when."""

    name: str
    position: Position | None
    """None while off duty."""
    to_change: bool = False
    """The password is a one-time password and must be changed before anything else."""
    locked: bool = False
    """It was idle too long; unlock it first."""
    locks_us: int | None = None
    """When it locks unless something is done in it; null for visitors and machines."""
    totp_to_set_up: bool = False
    """The floor's rules want TOTP for this position; set it up first."""
    terminal: str | None = None
    """The terminal that this browser is."""
    table: str | None = None
    """The only table where a registered player acts; null for everybody else."""
    expires_us: int | None = None
    token: str | None = None
    """Sent only once, in the answer to a request for a token."""
