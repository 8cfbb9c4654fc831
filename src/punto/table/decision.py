"""What deciders share: the type of a decision, access to the open table, and common checks."""

from collections.abc import Callable
from typing import Any

from punto.rules.bets.pay_lines import Result, decided
from punto.rules.coup.coup import Coup
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.commands import Command
from punto.table.records.events import Event
from punto.table.records.identity import is_plain_name
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from punto.table.records.state import Round, Table
from punto.table.refusals import TableCode, refuse

Decision = tuple[Event, ...] | Refusal
"""The events that follow from a command, or the refusal."""

Deciders = dict[type[Command], Callable[[Rulebook, Table, Any], Decision]]
Evolvers = dict[type[Event], Callable[[Table, Any], Table]]
"""Each module ends with its own two tables. A new command or event is added only there."""

MAX_REASON_LENGTH = 400


def open_settings(table: Table) -> Settings:
    assert table.settings is not None  # noqa: S101 - the engine refuses commands to a closed table
    return table.settings


def this_round(table: Table) -> Round:
    assert table.round is not None  # noqa: S101 - callers check the phase
    return table.round


def acts_for_player(table: Table, by: str, who: str, *, on_behalf: bool = False) -> bool:
    """Whether ``by`` acts in a player's place, rather than recording what the player did at a felt table.

    Players with plain names at a table that is no felt table play on a screen, so nobody records for them.
    """
    return by != who and (on_behalf or (not open_settings(table).felt and is_plain_name(who)))


def staff_clauses(book: Rulebook, table: Table, by: str, who: str, *, on_behalf: bool = False) -> tuple[Clause, ...]:
    """The clauses that let staff act in a player's place; empty if nobody does."""
    return book.topics[Topic.STAFF_BETS] if acts_for_player(table, by, who, on_behalf=on_behalf) else ()


def is_recorded(table: Table, position: Position) -> bool:
    """Whether a command records what happened at the felt. What players do on a screen of a felt table is not that."""
    return open_settings(table).felt and position is not Position.PLAYER


def coup_of(book: Rulebook, table: Table) -> Coup:
    return Coup.of(book.space, this_round(table).cards)


def coup_with_exposed(book: Rulebook, table: Table) -> Coup:
    """The coup of the round, with the cards drawn too early counted as dealt.

    Cards whose order is lost count as face down.
    """
    now = this_round(table)
    cards = [*now.cards, *(carried.card for carried in table.carried)]
    for place in now.irregularities.order_lost:
        cards[place - 1] = None
    return Coup.of(book.space, tuple(cards))


def established_bets(book: Rulebook, table: Table) -> tuple[str, ...]:
    """The bets that are certain to win or lose.

    All bets of the menu count, or only those with a stake (setting ``established_by_staked_bets``).
    """
    settings, coup = open_settings(table), coup_with_exposed(book, table)
    menu = book.layouts[settings.layout].menu
    if settings.established_by_staked_bets:
        staked = {placed.bet for placed in this_round(table).bets.values()}
        menu = tuple(bet for bet in menu if bet in staked)
    return tuple(bet for bet in menu if decided(book.bets[bet], coup) in (Result.WIN, Result.LOSE))


def check_reason(book: Rulebook, reason: str, *, needed: bool = False) -> Refusal | None:
    """Refuse a reason that is too long, not printable, or missing where it is needed."""
    if (reason.strip() or not needed) and len(reason) <= MAX_REASON_LENGTH and (not reason or reason.isprintable()):
        return None
    return refuse(book, TableCode.REASON_NEEDED, least=1 if needed else 0, most=MAX_REASON_LENGTH)
