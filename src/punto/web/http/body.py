"""Reads the body and the query of a request into the types that an endpoint expects."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from punto.rules.refusals import Code, Refused
from punto.web.http.endpoint import Receive
from punto.web.http.errors import WebCode

MAX_BODY_BYTES = 64 * 1024
MAX_DRAINED_BYTES = 1024 * 1024
"""Read up to here even of a body that is too long: a client that is still sending would not see the answer."""
BODY_TIMEOUT_S = 10.0
MAX_DEPTH = 32
"""Levels of JSON. No request needs a third of them, and Python could not walk through a thousand."""
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
"""Matches strings too, so that the brackets in them do not count."""
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""The escape, and not a backslash followed by the same letters."""


async def read_body(headers: Mapping[str, str], receive: Receive) -> bytes:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(WebCode.UNSUPPORTED, kind=kind[:40])
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > MAX_DRAINED_BYTES:
        raise _too_large()
    pieces, total, more = list[bytes](), 0, True
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while more and total <= MAX_DRAINED_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect":  # an incomplete body is refused, even if it is valid JSON
                    raise Refused(WebCode.BAD_REQUEST, variant="body_cut_off")
                more, piece = message.get("more_body", False), message.get("body", b"")
                total += len(piece)
                if total <= MAX_BODY_BYTES:
                    pieces.append(piece)
    except TimeoutError as error:
        raise Refused(WebCode.TOO_SLOW, variant="body", seconds=BODY_TIMEOUT_S) from error
    if total > MAX_BODY_BYTES:
        raise _too_large()
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large() -> Refused:
    return Refused(WebCode.TOO_LARGE, most=MAX_BODY_BYTES)


def too_deep(json: bytes) -> bool:
    """Whether a text has more levels than any request needs. Text that is not JSON gives either answer."""
    if json.count(b"[") + json.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    for found in _BRACKETS.finditer(json):
        sign = found[0]
        if sign in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif sign in b"]}":
            depth -= 1
    return False


def require_no_nul(text: str) -> None:
    """PostgreSQL stores no text with this character, and nobody types it."""
    if "\0" in text:
        raise _with_nul()


def has_nul(json: bytes) -> bool:
    """Whether a string in this JSON has the character NUL. It can only be written as an escape."""
    return b"\\u0000" in json and _NUL.search(json) is not None


def _with_nul() -> Refused:
    return Refused(WebCode.BAD_REQUEST, variant="nul")


def decode_body(decoder: "msgspec.json.Decoder[Any]", body: bytes) -> Any:
    if has_nul(body):
        raise _with_nul()
    if too_deep(body):
        raise Refused(Code.MALFORMED_JSON, variant="deep", most=MAX_DEPTH)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Refused(WebCode.BAD_REQUEST, variant="body", reason=str(error)) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Refused(Code.MALFORMED_JSON, variant="body", reason=str(error)) from error


def read_query(kind: Any, text: bytes) -> Any:
    try:
        parameters = parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=20)
    except ValueError as error:
        raise Refused(WebCode.BAD_REQUEST, variant="parameters_too_many") from error
    values = dict(parameters)
    if len(values) != len(parameters):
        raise Refused(WebCode.BAD_REQUEST, variant="parameter_twice")
    require_no_nul("".join(values.values()))
    try:
        return msgspec.convert(values, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(WebCode.BAD_REQUEST, variant="parameters", reason=str(error)) from error
