"""Requests and answers as httpx2 has them, which comes with the extra and is imported when a client is made."""

from typing import TYPE_CHECKING, Any

from punto.client.requests import Core
from punto.client.retry import Lost, Reply, Request

if TYPE_CHECKING:
    import httpx2


def spoken(core: Core, request: Request) -> dict[str, Any]:
    """A request, for either kind of httpx2 client."""
    headers = core.headers if request.body is None else {**core.headers, "content-type": "application/json"}
    return {
        "method": request.method,
        "url": core.url + request.path,
        "headers": headers,
        "content": request.body,
    }


def replied(response: "httpx2.Response") -> Reply:
    """An answer."""
    return Reply(response.status_code, response.content, response.headers.get("retry-after"))


def unanswered(trouble: "httpx2.TransportError") -> Lost:
    """No answer."""
    import httpx2  # noqa: PLC0415 - of the extra

    unsent = isinstance(trouble, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    return Lost(str(trouble) or type(trouble).__name__, sent=not unsent)
