"""The body of errors, and the HTTP status of each code."""

import logging
from enum import StrEnum
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from punto.floor.errors import FloorCode, FloorRefused
from punto.rules.refusals import Code, Refusal, Refused
from punto.table.refusals import FROM_THE_RULES, TableCode
from punto.web.http.language import Reader
from punto.web.messages import ErrorBody, Legal, Problem


class WebCode(StrEnum):
    """Why the server refuses a request before it reaches the floor."""

    BAD_REQUEST = "bad_request"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    TOO_LARGE = "too_large"
    HEAD_TOO_LONG = "head_too_long"
    UNSUPPORTED = "unsupported_media_type"
    CROSS_SITE = "cross_site"
    TOO_MANY = "too_many_requests"
    INTERNAL = "internal_error"
    STOPPING = "stopping"
    NO_TABLE_WORKS = "no_table_works"
    CANNOT_WRITE = "cannot_write"
    TOO_SLOW = "too_slow"
    WRONG_HOST = "wrong_host"


_STATUS: dict[str, int] = {
    WebCode.NOT_FOUND: 404,
    WebCode.METHOD_NOT_ALLOWED: 405,
    WebCode.TOO_SLOW: 408,
    WebCode.TOO_LARGE: 413,
    WebCode.UNSUPPORTED: 415,
    WebCode.WRONG_HOST: 421,
    WebCode.HEAD_TOO_LONG: 431,
    WebCode.CROSS_SITE: 403,
    WebCode.TOO_MANY: 429,
    WebCode.INTERNAL: 500,
    WebCode.STOPPING: 503,
    WebCode.NO_TABLE_WORKS: 503,
    WebCode.CANNOT_WRITE: 503,
    FloorCode.NOT_SIGNED_IN: 401,
    FloorCode.WRONG_PASSWORD: 401,
    FloorCode.LOCKED_OUT: 429,
    FloorCode.ONE_TIME_EXPIRED: 401,
    FloorCode.CODE_NEEDED: 401,
    FloorCode.WRONG_CODE: 401,
    FloorCode.SESSION_LOCKED: 423,
    FloorCode.PIN_LOCKED: 429,
    FloorCode.TOTP_TO_SET_UP: 403,
    FloorCode.PASSWORD_TO_CHANGE: 403,
    FloorCode.WRONG_PIN: 403,
    FloorCode.NO_PIN: 403,
    FloorCode.NOT_A_TERMINAL: 403,
    TableCode.NOT_AUTHORISED: 403,
    FloorCode.NO_POSITION: 403,
    FloorCode.NO_VISITORS: 403,
    FloorCode.NO_BUY_IN: 403,
    FloorCode.NO_PLAYER_CODE: 409,
    FloorCode.NO_MORE_BOXES: 403,
    FloorCode.VISITOR_ELSEWHERE: 403,
    FloorCode.PLAY_MONEY_ONLY: 403,
    FloorCode.MORE_THAN_TRAY: 403,
    FloorCode.STAFF_NEVER_PLAY: 403,
    FloorCode.OWN_PROPOSAL: 403,
    FloorCode.TRAINING_ONLY: 403,
    FloorCode.GAMING_STOPPED: 409,
    FloorCode.BAD_STOP: 409,
    TableCode.NOT_YOUR_OWN: 403,
    FloorCode.UNKNOWN_TABLE: 404,
    FloorCode.UNKNOWN_ACCOUNT: 404,
    FloorCode.UNKNOWN_TERMINAL: 404,
    FloorCode.UNKNOWN_SHOE: 404,
    FloorCode.BAD_SHOE: 400,
    FloorCode.UNKNOWN_SESSION: 404,
    FloorCode.UNKNOWN_PLAYER: 404,
    FloorCode.UNKNOWN_VISITOR: 404,
    FloorCode.UNKNOWN_ROUND: 404,
    FloorCode.BAD_PACK: 409,
    FloorCode.UNKNOWN_READING: 404,
    FloorCode.UNKNOWN_PROPOSAL: 404,
    FloorCode.UNKNOWN_INCIDENT: 404,
    FloorCode.UNKNOWN_ALARM: 404,
    FloorCode.UNKNOWN_JOB: 404,
    FloorCode.NO_JOB_FILE: 404,
    FloorCode.UNKNOWN_STOP: 404,
    Code.UNKNOWN_BOOK: 404,
    Code.UNKNOWN_CLAUSE: 404,
    TableCode.BAD_NAME: 400,  # also from a table: the name will never be valid, whatever changes
    TableCode.NOT_A_PLAYER_ID: 400,  # as above
    FloorCode.SECOND_PERSON_NEEDED: 409,
    FloorCode.PROPOSAL_OVER: 409,
    FloorCode.ACCOUNTS_TO_CONFIRM: 409,
    FloorCode.TOO_MANY_PROPOSALS: 409,
    FloorCode.PREVIEW_CHANGED: 409,
    FloorCode.COUNTS_DIFFER: 409,
    FloorCode.NOT_ON_DUTY_HERE: 403,
    FloorCode.TABLE_EXISTS: 409,
    FloorCode.JOBS_RUNNING: 409,
    FloorCode.DAY_NOT_OVER: 409,
    FloorCode.DAY_SIGNED_OFF: 409,
    FloorCode.DAY_WITH_OPEN_INCIDENTS: 409,
    FloorCode.BAD_DUTY: 409,
    FloorCode.COMMAND_ID_TAKEN: 409,
    FloorCode.ACCOUNT_EXISTS: 409,
    FloorCode.NAME_TAKEN: 409,
    FloorCode.CARD_TAKEN: 409,
    FloorCode.NOT_THE_SEALED_CARD: 409,
    FloorCode.GENERATOR_FAILED: 503,
    FloorCode.SHOE_NOT_AS_SEALED: 409,
    FloorCode.CARD_NOT_DRAWN: 409,
    FloorCode.SEALED_SHOE: 409,
    FloorCode.SHOE_NAME_TAKEN: 409,
    FloorCode.WRONG_SHOE: 409,
    FloorCode.CARD_GAP: 409,
    FloorCode.CARD_DIFFERS: 409,
    FloorCode.CARD_SCANNED: 409,
    FloorCode.BRIDGE_STOPPED: 409,
    FloorCode.BRIDGE_NOT_STOPPED: 409,
    FloorCode.BAD_DATABASE: 500,
    FloorCode.BUSY: 503,
    FloorCode.DATABASE_LOST: 503,
    FloorCode.DISK_FULL: 503,
    FloorCode.DATABASE_IN_USE: 503,
}

_LOG = logging.getLogger("punto.web")
_ENCODER = msgspec.json.Encoder()


def status_of(code: str) -> int:
    """409 for refusals by a table, 400 for others, unless listed."""
    status = _STATUS.get(code)
    if status is not None:
        return status
    return 409 if code in _TABLE else 400


_TABLE = frozenset((*TableCode, *FROM_THE_RULES))
_TO_STRANGERS: dict[str, Refusal] = {
    refused.code: refused.refusal
    for refused in (
        FloorRefused(FloorCode.BAD_DATABASE, variant="stranger"),
        FloorRefused(FloorCode.BAD_KEY, variant="stranger"),
        FloorRefused(FloorCode.DATABASE_LOST, variant="stranger"),
        FloorRefused(FloorCode.DISK_FULL, variant="stranger"),
        FloorRefused(FloorCode.NOT_A_FLOOR, variant="stranger"),
    )
}
"""Instead of sentences that name files and servers, which are for staff and the log."""


class RefusedByTable(Exception):
    """A table has refused a command. Has the id of its book, and what it would accept instead."""

    def __init__(self, refusal: Refusal, book: str, legal: tuple[Legal, ...]) -> None:
        super().__init__(refusal.code)
        self.refusal, self.book, self.legal = refusal, book, legal


def problem_of(error: Exception, reader: Reader) -> Problem:
    """What is sent about an error. Details of unexpected errors are only logged."""
    if isinstance(error, RefusedByTable):
        return _problem(error.refusal, reader, error.book, error.legal)
    refusal = error.refusal if isinstance(error, Refused) else Refusal(WebCode.INTERNAL)
    return _problem(refusal, reader, refusal.values.get("book"))


def _problem(refusal: Refusal, reader: Reader, book: object = None, legal: tuple[Legal, ...] = ()) -> Problem:
    if reader.to_player and refusal.values.keys() & {"path", "reason"}:
        refusal = _TO_STRANGERS.get(refusal.code, refusal)
    try:
        message = refusal.message_in(reader.language, to_player=reader.to_player)
    except Exception:  # noqa: BLE001 - a sentence that cannot be made is our mistake; the reader still needs an answer
        _LOG.exception("refusal without a sentence", extra={"fields": {"key": refusal.key}})
        return _problem(Refusal(WebCode.INTERNAL), reader)
    return Problem(
        code=str(refusal.code),
        message=message,
        clauses=refusal.clauses,
        legal=legal,
        book=str(book) if book and refusal.clauses else None,
        propose_at=_propose_at(refusal) if refusal.code == FloorCode.SECOND_PERSON_NEEDED else UNSET,
    )


def _propose_at(refusal: Refusal) -> str:
    """Where two people do it: one proposes it and the other approves it, or each of them counts."""
    table = refusal.values.get("table")
    what = "counts" if refusal.variant == "count" else "proposals"
    return f"/api/tables/{quote(str(table), safe='')}/{what}" if table else "/api/proposals"


def encode_problem(problem: Problem) -> bytes:
    return _ENCODER.encode(ErrorBody(error=problem))
