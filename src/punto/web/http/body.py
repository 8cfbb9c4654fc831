"""What a request brings: its body and its query, read into the records an endpoint expects."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from punto.web.http import errors
from punto.web.http.endpoint import Receive
from punto.web.http.errors import Trouble

MAX_BODY_BYTES = 64 * 1024
MAX_DRAINED_BYTES = 1024 * 1024
"""A body that is too long is read up to here all the same: a client that is still sending does not read the answer."""
BODY_TIMEOUT_S = 10.0


async def read_body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """The whole JSON body, in one piece or in many."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Trouble(errors.UNSUPPORTED, f"expected application/json, not {kind[:40]!r}")
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > MAX_DRAINED_BYTES:
        raise _too_large()
    pieces, total, more = list[bytes](), 0, True
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while more and total <= MAX_DRAINED_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect":  # half a body is none, even if it can be read
                    raise Trouble(errors.BAD_REQUEST, "the line was lost before the end of the body")
                more, piece = message.get("more_body", False), message.get("body", b"")
                total += len(piece)
                if total <= MAX_BODY_BYTES:
                    pieces.append(piece)
    except TimeoutError as error:
        raise Trouble(errors.TOO_SLOW, f"the body was not there within {BODY_TIMEOUT_S:.0f} s") from error
    if total > MAX_BODY_BYTES:
        raise _too_large()
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large() -> Trouble:
    return Trouble(errors.TOO_LARGE, f"the body is too long: expected at most {MAX_BODY_BYTES} bytes")


def decode_body(decoder: "msgspec.json.Decoder[Any]", body: bytes) -> Any:
    """The record of a body."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Trouble(errors.BAD_REQUEST, f"the body is not as expected: {error}") from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Trouble(errors.NOT_JSON, f"the body is no JSON: {error}") from error


def read_query(kind: Any, text: bytes) -> Any:
    """The record of a query string."""
    try:
        given = parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=20)
    except ValueError as error:
        raise Trouble(errors.BAD_REQUEST, "there are too many parameters") from error
    values = dict(given)
    if len(values) != len(given):
        raise Trouble(errors.BAD_REQUEST, "a parameter is given twice")
    try:
        return msgspec.convert(values, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise Trouble(errors.BAD_REQUEST, f"the parameters are not as expected: {error}") from error
