"""Who sends a request: a cookie for browsers, a bearer token for machines. Pages of other sites are refused."""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.house.projections.sessions import MAX_TOKEN_LENGTH
from punto.floor.people.sessions.known_devices import MARK_DAYS, add_mark
from punto.rules.refusals import Refused
from punto.web.config import Config
from punto.web.http.errors import WebCode
from punto.web.http.headers import cookie_value

SAFE_METHODS = frozenset({"GET", "HEAD"})
MAX_MARKS_LENGTH = 2_000
TERMINAL_DAYS = 400
"""Browsers keep no cookie longer. Each sign-in there renews it."""
_OWN_FETCH_SITES = ("same-origin", "none")


class Caller:
    """The session token of a request; None if there is none."""

    __slots__ = ("by_cookie", "token")

    def __init__(self, token: str | None, *, by_cookie: bool) -> None:
        self.token = token
        self.by_cookie = by_cookie


def cookie_name(config: Config) -> str:
    """With the prefix ``__Host-``, browsers send a cookie only to this host and only over https."""
    return "__Host-punto" if config.secure else "punto"


def device_cookie_name(config: Config) -> str:
    return f"{cookie_name(config)}-device"


def device_marks(config: Config, headers: Mapping[str, str]) -> str:
    """The marks of a browser in which staff have signed in before; empty if there are none."""
    marks = cookie_value(headers.get("cookie", ""), device_cookie_name(config)) or ""
    return marks if len(marks) <= MAX_MARKS_LENGTH and marks.isascii() else ""


def terminal_cookie_name(config: Config) -> str:
    return f"{cookie_name(config)}-terminal"


def terminal_key(config: Config, headers: Mapping[str, str]) -> str:
    """The key of a browser that is enrolled as a terminal; empty if there is none."""
    return (cookie_value(headers.get("cookie", ""), terminal_cookie_name(config)) or "")[:MAX_TOKEN_LENGTH]


def caller(config: Config, headers: Mapping[str, str]) -> Caller:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":  # other schemes are meant for a proxy in front of us
        return Caller(token.strip()[:MAX_TOKEN_LENGTH], by_cookie=False)
    cookies = headers.get("cookie")
    if cookies is None:
        return Caller(None, by_cookie=False)
    cookie = cookie_value(cookies, cookie_name(config))
    return Caller(cookie and cookie[:MAX_TOKEN_LENGTH], by_cookie=cookie is not None)


def require_same_site(config: Config, method: str, headers: Mapping[str, str]) -> None:
    """Refuse requests for changes from a page of another site, signed in or not."""
    if method in SAFE_METHODS:
        return
    require_own_origin(config, headers)


def require_own_origin(config: Config, headers: Mapping[str, str]) -> None:
    """Refuse requests from a page of another site. Programs send neither header and are accepted."""
    origin = headers.get("origin")
    if origin is not None:
        if origin in config.origins or _is_host(origin, headers.get("host", ""), secure=config.secure):
            return
        raise Refused(WebCode.CROSS_SITE)
    if headers.get("sec-fetch-site", "none") not in _OWN_FETCH_SITES:
        raise Refused(WebCode.CROSS_SITE)


def _is_host(origin: str, host: str, *, secure: bool) -> bool:
    return bool(host) and (origin == f"https://{host}" or (not secure and origin == f"http://{host}"))


class Hosts:
    """The host names of a server.

    Another site can point its own name at this address and would then count as the same origin (DNS rebinding), so
    requests to any other name are refused.
    """

    def __init__(self, config: Config) -> None:
        named = (urlsplit(origin).hostname or "" for origin in config.origins)
        self._names = {_plain(name) for name in (*_THIS_MACHINE, config.host, *config.hosts, *named) if name}
        self._any_address = config.host in _EVERYWHERE

    def require(self, headers: Mapping[str, str]) -> None:
        """Refuse a request to another name. A request without a host header is not from a browser, and accepted."""
        host = headers.get("host")
        if host is None:
            return
        name = _plain(_without_port(host))
        if name in self._names or (self._any_address and _is_address(name)):
            return
        raise Refused(WebCode.WRONG_HOST, host=host[:100])


_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - compared with, not listened on


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _plain(name: str) -> str:
    """Lower case, without brackets or a final dot."""
    return name.lower().removeprefix("[").removesuffix("]").removesuffix(".")


def _is_address(name: str) -> bool:
    """IP addresses are safe from DNS rebinding."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def session_cookie(config: Config, token: str, seconds: int) -> str:
    """A ``set-cookie`` value: the browser sends the session to this site only, and scripts cannot read it."""
    return _cookie(config, cookie_name(config), token, seconds)


def device_cookie(config: Config, headers: Mapping[str, str], mark: str) -> str:
    """A ``set-cookie`` value that adds a mark to those of the browser."""
    marks = add_mark(device_marks(config, headers), mark)
    return _cookie(config, device_cookie_name(config), marks, MARK_DAYS * DAY_US // SECOND_US)


def terminal_cookie(config: Config, key: str) -> str:
    """A ``set-cookie`` value that keeps the key of a terminal as long as browsers keep any cookie."""
    return _cookie(config, terminal_cookie_name(config), key, TERMINAL_DAYS * DAY_US // SECOND_US)


def _cookie(config: Config, name: str, value: str, seconds: int) -> str:
    secure = "; Secure" if config.secure else ""
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
