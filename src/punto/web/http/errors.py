"""One shape for every error, and the status that goes with each code."""

import msgspec

from punto.floor.errors import FloorCode, FloorRefused
from punto.rules import refusals
from punto.table.refusals import Refusal, TableCode
from punto.web.messages import ErrorBody, Legal, Problem

NOT_JSON = "malformed_json"
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
TOO_SLOW = "too_slow"
WRONG_HOST = "wrong_host"

_STATUS: dict[str, int] = {
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    TOO_SLOW: 408,
    TOO_LARGE: 413,
    UNSUPPORTED: 415,
    WRONG_HOST: 421,
    HEAD_TOO_LONG: 431,
    CROSS_SITE: 403,
    TOO_MANY: 429,
    INTERNAL: 500,
    STOPPING: 503,
    FloorCode.NOT_SIGNED_IN: 401,
    FloorCode.WRONG_PASSWORD: 401,
    FloorCode.LOCKED_OUT: 429,
    FloorCode.PASSWORD_TO_CHANGE: 403,
    FloorCode.NOT_AUTHORISED: 403,
    FloorCode.NO_POSITION: 403,
    FloorCode.NO_VISITORS: 403,
    FloorCode.NO_BUY_IN: 403,
    FloorCode.NO_MORE_BOXES: 403,
    TableCode.NOT_YOUR_OWN: 403,
    FloorCode.UNKNOWN_TABLE: 404,
    FloorCode.UNKNOWN_ACCOUNT: 404,
    FloorCode.UNKNOWN_ROUND: 404,
    refusals.Code.UNKNOWN_BOOK: 404,
    refusals.Code.UNKNOWN_CLAUSE: 404,
    FloorCode.BAD_NAME: 400,  # of a table too: nothing that changes makes a name of it
    FloorCode.TABLE_EXISTS: 409,
    FloorCode.COMMAND_ID_TAKEN: 409,
    FloorCode.ACCOUNT_EXISTS: 409,
    FloorCode.NAME_TAKEN: 409,
    FloorCode.NOT_THE_SEALED_CARD: 409,
    FloorCode.SHOE_NAME_TAKEN: 409,
    FloorCode.WRONG_SHOE: 409,
    FloorCode.CARD_GAP: 409,
    FloorCode.CARD_DIFFERS: 409,
    FloorCode.CARD_SCANNED: 409,
    FloorCode.DATABASE_LOST: 503,
    FloorCode.DISK_FULL: 503,
    FloorCode.DATABASE_IN_USE: 503,
}

_ENCODER = msgspec.json.Encoder()


class Trouble(Exception):
    """A refusal of the web itself."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def status_of(code: str) -> int:
    """The status of a code: what a table refuses conflicts with how it stands; the rest is a bad request."""
    found = _STATUS.get(code)
    if found is not None:
        return found
    return 409 if code in _TABLE else 400


_TABLE = frozenset(str(code) for code in TableCode)


def problem_of(trouble: Exception) -> Problem:
    """What is said of a trouble that is no slip of ours."""
    if isinstance(trouble, FloorRefused | refusals.Refused):
        return Problem(code=str(trouble.code), message=trouble.message, clauses=trouble.clauses)
    if isinstance(trouble, Trouble):
        return Problem(code=trouble.code, message=trouble.message)
    return Problem(code=INTERNAL, message="something went wrong here, and the log says what")


def refused(refusal: Refusal, legal: tuple[Legal, ...]) -> Problem:
    """What is said of a table's refusal."""
    return Problem(code=str(refusal.code), message=refusal.detail, clauses=refusal.clauses, legal=legal)


def encoded(problem: Problem) -> bytes:
    """The body of the answer."""
    return _ENCODER.encode(ErrorBody(error=problem))
