"""The options that say what is dealt from: a shoe with its cut card, or a machine that takes cards back."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from punto.odds.procedure import DEFAULT
from punto.rules.refusals import Code, Refused

F = TypeVar("F", bound=Callable[..., Any])


def procedure_options(*cut_card: str) -> Callable[[F], F]:
    """Add the options. ``cut_card`` are the names of the one for the cut card."""

    def add(command: F) -> F:
        for option in reversed(
            (
                click.option(
                    *cut_card, type=int, help=f"Number of cards behind the cut card. Default: {DEFAULT.cut_card}."
                ),
                click.option(
                    "--continuous", is_flag=True, help="Deal from a shuffler that takes cards back during the game."
                ),
                click.option(
                    "--back-after",
                    type=int,
                    help="With --continuous: rounds after which cards go back. Default: 1, before the next round.",
                ),
            )
        ):
            command = option(command)
        return command

    return add


def read_back_after(back_after: int | None, *, continuous: bool) -> int | None:
    """Rounds after which cards go back, or None for a shoe."""
    if continuous:
        return 1 if back_after is None else back_after
    if back_after is not None:
        raise Refused(Code.OPTIONS_CONTRADICT, variant="only_continuous", option="--back-after")
    return None


def dealt_from_machine(back_after: int) -> str:
    """What follows a number of rounds, as in "80 rounds from a shuffler"."""
    when = "each round" if back_after == 1 else f"{back_after:,} rounds"
    return f"from a shuffler that takes cards back after {when}"
