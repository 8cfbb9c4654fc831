"""The one exception of a client: what the server refuses, and what stands in the way before it is asked."""

from enum import StrEnum
from typing import Any

from punto.rules.refusals import Refused
from punto.web.messages import Legal, Problem


class ClientCode(StrEnum):
    """Facts that stand in a client's way. Every other code is the server's."""

    UNREACHABLE = "unreachable"
    """The server did not answer for as long as the client is patient."""
    UNEXPECTED_ANSWER = "unexpected_answer"
    """Something answered that is no Punto, or one that speaks otherwise."""
    BAD_ADDRESS = "bad_address"


class ClientRefused(Refused):
    """What was refused, why, by which clauses, and what would be accepted instead."""

    def __init__(
        self, code: str, /, *, status: int | None = None, legal: tuple[Legal, ...] = (), **refusal: Any
    ) -> None:
        super().__init__(code, **refusal)
        self.legal = legal
        """What a table would accept now, where it was a table that refused."""
        self.status = status
        """Of the answer; None where there was none."""


def answered(problem: Problem, status: int | None = None) -> ClientRefused:
    """A refusal of the server's, in the server's own sentence."""
    return ClientRefused(
        problem.code, status=status, legal=problem.legal, clauses=problem.clauses, sentence=problem.message
    )
