"""Requests as raw bytes, to send what no client would."""

import socket
from typing import Any
from urllib.parse import urlsplit

import httpx2
import msgspec

from tests.waiting import DEADLINE_S
from tests.web.serving import Server


class Reply:
    def __init__(self, whole: bytes) -> None:
        head, _, self.body = whole.partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        self.status = int(first.split(" ")[1])
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}


def connect(served: Server) -> socket.socket:
    """A connection to the server."""
    parts = urlsplit(served.url)
    return socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=DEADLINE_S)


def send(served: Server, written: bytes) -> Reply:
    """Send bytes and read until the server closes. The request must ask for that, or be refused."""
    with connect(served) as line:
        line.sendall(written)
        return Reply(read_all(line))


def read_all(line: socket.socket) -> bytes:
    """Read until the other side closes."""
    pieces = []
    while piece := line.recv(65_536):
        pieces.append(piece)
    return b"".join(pieces)


def post(path: str, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    """A POST request as bytes."""
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: close",
        f"Content-Type: {kind}",
        *headers,
    ]
    if not any(header.lower().startswith(("content-length", "transfer-encoding")) for header in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def problem(reply: Reply | httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """Check that it is an error with this status and code."""
    found = reply.status if isinstance(reply, Reply) else reply.status_code
    body = reply.body if isinstance(reply, Reply) else reply.content
    assert found == status, (found, body)
    assert reply.headers["content-type"] == "application/json"
    told: dict[str, Any] = msgspec.json.decode(body)
    assert set(told) == {"error"}
    error: dict[str, Any] = told["error"]
    assert set(error) == {"code", "message", "clauses", "legal", "book"}, error
    assert error["code"] == code, error
    assert isinstance(error["message"], str)
    assert error["message"]
    assert isinstance(error["clauses"], list)
    assert isinstance(error["legal"], list)
    return error
