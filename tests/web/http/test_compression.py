"""Pages, their files and their sockets come in fewer bytes; answers of the API, which may hold a secret, do not."""

import gzip
import socket
import zlib

import httpx2
import msgspec
import pytest

from punto.web.http.compression import LEAST_BYTES, takes_gzip
from punto.web.pages.base.static_files import static
from tests.web.serving import Server
from tests.web.wire import connect

FILES = ("punto.css", "punto.js")


def asked(standing: Server, path: str, accepted: str, method: str = "GET") -> tuple[httpx2.Response, bytes]:
    """The answer, and its body as it was sent."""
    headers = {"accept-encoding": accepted, "accept": "text/html"}
    with standing.client() as client, client.stream(method, path, headers=headers) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", ["/tables/t1", "/no/such/page", *FILES])
def test_a_page_and_its_files_are_compressed(standing: Server, path: str) -> None:
    address = static(path) if path in FILES else path
    answer, sent = asked(standing, address, "gzip, deflate, br")
    plain, whole = asked(standing, address, "identity")
    head, _ = asked(standing, address, "gzip", "HEAD")
    assert answer.headers["content-encoding"] == head.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(sent))
    assert len(sent) < len(whole) / 2
    assert len(gzip.decompress(sent)) == len(whole)
    assert "content-encoding" not in plain.headers
    assert {each.headers["vary"] for each in (answer, head, plain)} == {"accept-encoding"}


def test_the_api_and_what_is_short_are_sent_as_they_are(standing: Server) -> None:
    for path in ("/api/openapi.json", static("favicon.svg")):
        answer, sent = asked(standing, path, "gzip")
        assert answer.status_code == 200
        assert "content-encoding" not in answer.headers
        assert path != "/api/openapi.json" or len(sent) > LEAST_BYTES


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [
        *(("gzip", True), ("br, GZIP", True), ("gzip;q=0.5", True), ("*", True), ("br, *;q=0.1", True)),
        *(("", False), ("br", False), ("gzip;q=0", False), ("gzip; q=0.000, *", False), ("*;q=0", False)),
    ],
)
def test_a_client_says_whether_it_takes_gzip(accepted: str, takes: bool) -> None:  # noqa: FBT001 - a case
    assert takes_gzip(accepted) is takes


# ---- sockets

OPENING = (
    "GET /live/tables/t1 HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{extension}\r\n"
)
COMPRESSED, PLAIN = 0xC1, 0x81


def first_message(line: socket.socket, extension: str) -> tuple[bytes, int, bytes]:
    """The head of the answer, and the first byte and the content of the first frame."""
    line.sendall(OPENING.format(extension=extension).encode())
    read = line.makefile("rb")
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read.readline()
    first, length = read.read(2)
    assert length == 126, "a longer or shorter frame than a page has"
    return head, first, read.read(int.from_bytes(read.read(2), "big"))


def test_a_long_message_of_a_socket_is_compressed_by_itself(standing: Server) -> None:
    with connect(standing) as line:
        head, first, sent = first_message(line, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
    assert b"server_no_context_takeover" in head
    assert first == COMPRESSED
    text = zlib.decompressobj(-zlib.MAX_WBITS).decompress(sent + b"\x00\x00\xff\xff")
    assert len(sent) < len(text) / 3
    assert "stage" in msgspec.json.decode(text)["pieces"]


def test_a_client_that_takes_no_compressed_messages_gets_none(standing: Server) -> None:
    with connect(standing) as line:
        head, first, sent = first_message(line, "")
    assert b"Extensions" not in head
    assert first == PLAIN
    assert "stage" in msgspec.json.decode(sent)["pieces"]
