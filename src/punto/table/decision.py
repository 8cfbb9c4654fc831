"""What deciders share: the shape of a decision, what an open table has, and the questions they all ask."""

from collections.abc import Callable
from typing import Any

from punto.rules.bets.pay_lines import Result, decided
from punto.rules.coup.coup import Coup
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.commands import Command
from punto.table.records.events import Event
from punto.table.records.settings import Settings
from punto.table.records.state import Round, Table
from punto.table.refusals import TableCode, refuse

Decision = tuple[Event, ...] | Refusal
"""What happens, or why nothing does."""

Deciders = dict[type[Command], Callable[[Rulebook, Table, Any], Decision]]
Evolvers = dict[type[Event], Callable[[Table, Any], Table]]
"""The tables at the end of each subject: a new command or event is added there, and nowhere else."""

MAX_REASON_LENGTH = 400


def open_settings(table: Table) -> Settings:
    """The settings of a table that is open."""
    assert table.settings is not None  # noqa: S101 - the engine asks an open table only
    return table.settings


def this_round(table: Table) -> Round:
    """The round of a table where one has begun."""
    assert table.round is not None  # noqa: S101 - the phase says so
    return table.round


def staff_clauses(book: Rulebook, by: str, who: str) -> tuple[Clause, ...]:
    """The clauses by which somebody else may act for a player; none where they act themselves."""
    return () if by == who else book.topics[Topic.STAFF_BETS]


def coup_of(book: Rulebook, table: Table) -> Coup:
    """The coup of the round."""
    return Coup.of(book.space, this_round(table).cards)


def coup_with_exposed(book: Rulebook, table: Table) -> Coup:
    """The coup of the round with the cards that were drawn before their time: one exposed has come.

    A card of which nobody knows when it came is as good as not seen.
    """
    now = this_round(table)
    cards = [*now.cards, *(carried.card for carried in table.carried)]
    for place in now.irregularities.order_lost:
        cards[place - 1] = None
    return Coup.of(book.space, tuple(cards))


def established_bets(book: Rulebook, table: Table) -> tuple[str, ...]:
    """The bets that are certain to win or to lose: of the menu, or of those staked, as the table's setting says."""
    settings, coup = open_settings(table), coup_with_exposed(book, table)
    menu = book.layouts[settings.layout].menu
    if settings.established_by_staked_bets:
        staked = {placed.bet for placed in this_round(table).bets.values()}
        menu = tuple(bet for bet in menu if bet in staked)
    return tuple(bet for bet in menu if decided(book.bets[bet], coup) in (Result.WIN, Result.LOSE))


def check_reason(book: Rulebook, reason: str, *, needed: bool = False) -> Refusal | None:
    """Why these words will not do: missing where they are needed, or too many, or not words."""
    if (reason.strip() or not needed) and len(reason) <= MAX_REASON_LENGTH and (not reason or reason.isprintable()):
        return None
    return refuse(book, TableCode.REASON_NEEDED, least=1 if needed else 0, most=MAX_REASON_LENGTH)
