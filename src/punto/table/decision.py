"""What deciders share: the shape of a decision, and what an open table has."""

from punto.rules.coup.coup import Coup
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.events import Event
from punto.table.records.settings import Settings
from punto.table.records.state import Round, Table

Decision = tuple[Event, ...] | Refusal
"""What happens, or why nothing does."""


def open_settings(table: Table) -> Settings:
    """The settings of a table that is open."""
    assert table.settings is not None  # noqa: S101 - the engine asks an open table only
    return table.settings


def this_round(table: Table) -> Round:
    """The round of a table where one has begun."""
    assert table.round is not None  # noqa: S101 - the phase says so
    return table.round


def by_staff(book: Rulebook, by: str, who: str) -> tuple[Clause, ...]:
    """The clauses by which somebody else may act for a player; none where he acts himself."""
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
