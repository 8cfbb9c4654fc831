"""The headers of a request, and the cookies among them."""

from collections.abc import Iterable

_JOINED = frozenset({"cookie", "host"})


def header_map(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers by name. If a header is repeated, the last value counts.

    Cookies are joined. So are hosts: two of them are no host that we know, so the request is refused.
    """
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]}; {text}" if key in _JOINED and key in headers else text
    return headers


def cookie_value(cookies: str, wanted: str) -> str | None:
    """One cookie. Other programs on this host may have set cookies that are not valid; they are skipped."""
    for cookie in cookies.split(";"):
        name, _, value = cookie.partition("=")
        if name.strip() == wanted:
            return value.strip()
    return None
