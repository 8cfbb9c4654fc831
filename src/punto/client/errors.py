"""The exception that clients raise, for refusals of the server and for problems in reaching it."""

from enum import StrEnum
from typing import Any

from punto.rules.refusals import Refused
from punto.web.messages import Legal, Problem


class ClientCode(StrEnum):
    """Codes of the client itself. All other codes come from the server."""

    UNREACHABLE = "unreachable"
    """The server did not answer within ``patience_s``."""
    UNEXPECTED_ANSWER = "unexpected_answer"
    """The answer is not from a Punto server, or from an incompatible one."""
    BAD_ADDRESS = "bad_address"


class ReleaseMismatch(UserWarning):
    """The server is of another minor version, so it may lack what this client asks for, or the other way round."""


class ClientRefused(Refused):
    """A refusal: its code, message and clauses, and what a table would accept instead."""

    def __init__(
        self, code: str, /, *, status: int | None = None, legal: tuple[Legal, ...] = (), **refusal: Any
    ) -> None:
        super().__init__(code, **refusal)
        self.legal = legal
        """What the table would accept now, if a table refused."""
        self.status = status
        """HTTP status of the answer; None if there was no answer."""


def answered(problem: Problem, status: int | None = None) -> ClientRefused:
    """A refusal by the server, with the server's message."""
    return ClientRefused(
        problem.code, status=status, legal=problem.legal, clauses=problem.clauses, sentence=problem.message
    )
