"""Requests and answers as httpx has them, which comes with the extra and is imported when a client is made."""

from typing import TYPE_CHECKING, Any

from punto.client.requests import Core
from punto.client.retry import Lost, Reply, Request

if TYPE_CHECKING:
    import httpx


def spoken(core: Core, request: Request) -> dict[str, Any]:
    """A request, for either kind of httpx client."""
    headers = core.headers if request.body is None else {**core.headers, "content-type": "application/json"}
    return {
        "method": request.method,
        "url": core.url + request.path,
        "headers": headers,
        "content": request.body,
    }


def replied(response: "httpx.Response") -> Reply:
    """An answer."""
    return Reply(response.status_code, response.content, response.headers.get("retry-after"))


def unanswered(trouble: "httpx.TransportError") -> Lost:
    """No answer."""
    import httpx  # noqa: PLC0415 - of the extra

    unsent = isinstance(trouble, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return Lost(str(trouble) or type(trouble).__name__, sent=not unsent)
