"""The one exception of a client: what the server refuses, and what stands in the way before it is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from punto.rules.refusals import Clause
from punto.web.messages import Legal, Problem


class ClientCode(StrEnum):
    """Facts that stand in a client's way. Every other code is the server's."""

    UNREACHABLE = "unreachable"
    """The server did not answer for as long as the client is patient."""
    UNEXPECTED_ANSWER = "unexpected_answer"
    """Something answered that is no Punto, or one that speaks otherwise."""
    BAD_ADDRESS = "bad_address"
    BAD_TOKEN = "bad_token"  # noqa: S105 - a code, not a token
    EXTRA_MISSING = "extra_missing"


class Refused(Exception):
    """What was refused, why, by which clauses, and what would be accepted instead."""

    def __init__(self, problem: Problem, status: int | None = None) -> None:
        super().__init__(problem.message)
        self.code = problem.code
        self.message = problem.message
        self.clauses: tuple[Clause, ...] = problem.clauses
        self.legal: tuple[Legal, ...] = problem.legal
        """What a table would accept now, where it was a table that refused."""
        self.status = status
        """Of the answer; None where there was none."""


def refuse(code: ClientCode, message: str, status: int | None = None) -> Refused:
    """A refusal of the client's own."""
    return Refused(Problem(code=code, message=message), status)


@contextmanager
def needing_the_extra() -> Iterator[None]:
    """Around an import of what only the extra brings: where it is missing, say how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "punto").partition(".")[0]
        if missing == "punto":  # a slip of ours
            raise
        message = f"a client needs {missing}, which is not installed: pip install 'punto[client]'"
        raise refuse(ClientCode.EXTRA_MISSING, message) from None
