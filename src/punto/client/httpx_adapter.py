"""Convert requests and replies to and from httpx2. It needs the extra ``client`` and is imported on first use."""

from typing import TYPE_CHECKING, Any

from punto.client.requests import Core
from punto.client.retry import Lost, Reply, Request
from punto.web.messages.releases import RELEASE_HEADER

if TYPE_CHECKING:
    import httpx2
    from websockets.http11 import Response


def request_arguments(core: Core, request: Request) -> dict[str, Any]:
    """Keyword arguments for ``request`` of either httpx2 client."""
    headers = core.headers if request.body is None else {**core.headers, "content-type": "application/json"}
    return {
        "method": request.method,
        "url": core.url + request.path,
        "headers": headers,
        "content": request.body,
    }


def to_reply(response: "httpx2.Response") -> Reply:
    headers = response.headers
    return Reply(response.status_code, response.content, headers.get("retry-after"), headers.get(RELEASE_HEADER))


def released(handshake: "Response | None") -> str | None:
    """The release of the server that answered the handshake of a web socket."""
    return None if handshake is None else handshake.headers.get(RELEASE_HEADER)


def to_lost(error: "httpx2.TransportError") -> Lost:
    import httpx2  # noqa: PLC0415 - needs the extra

    unsent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    return Lost(str(error) or type(error).__name__, sent=not unsent)
