"""The one exception of a client: what the server refuses, and what stands in the way before it is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from punto.rules.refusals import Code, Refused
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
        self, code: str, /, *, status: int | None = None, answered: Problem | None = None, **said: Any
    ) -> None:
        super().__init__(code, **said)
        self._answered = answered
        self.legal: tuple[Legal, ...] = answered.legal if answered else ()
        """What a table would accept now, where it was a table that refused."""
        self.status = status
        """Of the answer; None where there was none."""

    @property
    def message(self) -> str:
        """As the server said it, where it was the server that refused."""
        return self._answered.message if self._answered else super().message


def answered(problem: Problem, status: int | None = None) -> ClientRefused:
    """A refusal of the server's."""
    return ClientRefused(problem.code, status=status, answered=problem, clauses=problem.clauses)


@contextmanager
def needing_the_extra() -> Iterator[None]:
    """Around an import of what only the extra brings: where it is missing, say how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "punto").partition(".")[0]
        if missing == "punto":  # a slip of ours
            raise
        raise ClientRefused(Code.EXTRA_MISSING, variant="client", missing=missing) from None
