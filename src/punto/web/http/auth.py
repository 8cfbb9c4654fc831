"""Who sends a request: a strict cookie for browsers, a bearer token for machines; never from another site's page."""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from punto.floor.people.session_store import MAX_TOKEN_LENGTH
from punto.rules.refusals import Refused
from punto.web.config import Config
from punto.web.http.errors import WebCode
from punto.web.http.headers import cookie_value

SAFE = frozenset({"GET", "HEAD"})
_OURS = ("same-origin", "none")


class Caller:
    """The session that a request comes with."""

    __slots__ = ("by_cookie", "token")

    def __init__(self, token: str | None, *, by_cookie: bool) -> None:
        self.token = token
        self.by_cookie = by_cookie


def cookie_name(config: Config) -> str:
    """Browsers keep cookies with the prefix ``__Host-`` to this host and to https."""
    return "__Host-punto" if config.secure else "punto"


def caller(config: Config, headers: Mapping[str, str]) -> Caller:
    """Read the token of a request."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":  # other schemes are meant for a proxy in front of us
        return Caller(token.strip()[:MAX_TOKEN_LENGTH], by_cookie=False)
    kept = headers.get("cookie")
    if kept is None:
        return Caller(None, by_cookie=False)
    kept_token = cookie_value(kept, cookie_name(config))
    return Caller(kept_token and kept_token[:MAX_TOKEN_LENGTH], by_cookie=kept_token is not None)


def require_same_site(config: Config, method: str, headers: Mapping[str, str]) -> None:
    """Refuse changes that another site's page makes a browser ask for, signed in or not."""
    if method in SAFE:
        return
    require_own_origin(config, headers)


def require_own_origin(config: Config, headers: Mapping[str, str]) -> None:
    """Browsers say where their page comes from; programs have no page and send neither header."""
    origin = headers.get("origin")
    if origin is not None:
        if origin in config.origins or _is_host(origin, headers.get("host", ""), secure=config.secure):
            return
        raise Refused(WebCode.CROSS_SITE)
    if headers.get("sec-fetch-site", "none") not in _OURS:
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
        """Refuse a request to another name; one that names no host is not from a browser."""
        host = headers.get("host")
        if host is None:
            return
        name = _plain(_without_port(host))
        if name in self._names or (self._any_address and _is_address(name)):
            return
        raise Refused(WebCode.WRONG_HOST, host=host[:100])


_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - looked for, not listened at


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _plain(name: str) -> str:
    """A name in its normal form."""
    return name.lower().removeprefix("[").removesuffix("]").removesuffix(".")


def _is_address(name: str) -> bool:
    """Whether it is an IP address, which cannot be rebound as a name can."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def kept_cookie(config: Config, token: str, seconds: int) -> str:
    """The header that makes a browser keep the session, for this site only and out of reach of scripts."""
    secure = "; Secure" if config.secure else ""
    return f"{cookie_name(config)}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
