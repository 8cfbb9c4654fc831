"""Accounts, positions and tokens that one person gave out alone, before two of them have looked at them.

A floor starts with one administrator, who makes the others. That is marked, but nobody has to read it. So before a
table is opened for money, two people confirm what was made so far.
"""

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.journal.entry import text_start
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.exceptions import ALONE_CONTEXT
from punto.floor.journal.house_events import (
    HOUSE,
    AccountCreated,
    AccountsConfirmed,
    FloorRulesChanged,
    PasswordChanged,
    PositionAssigned,
    TokenIssued,
    read_house_event,
)

_CONFIRMED = text_start(AccountsConfirmed)


class UnconfirmedAct(Struct, frozen=True):
    """What one person did alone, and nobody has confirmed."""

    version: int
    """In the house's stream."""
    at_us: int
    by: str
    event: HouseEvent

    @property
    def name(self) -> str:
        """Whose account it is; empty for the rules of the floor."""
        return str(getattr(self.event, "name", ""))


class UnconfirmedActs(Struct, frozen=True):
    """Those after a version, and the last version that was looked at."""

    acts: tuple[UnconfirmedAct, ...]
    until: int

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody concerned, by name; empty for the rules of the floor."""
        return tuple(sorted({act.name for act in self.acts}))


def find_lone_acts(transaction: Transaction, after: int = 0) -> UnconfirmedActs:
    """Those that nobody has confirmed, oldest first, among the entries after a version."""
    rows = transaction.rows(
        "SELECT e.version, e.at_us, e.actor, e.event FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " WHERE s.name = ? AND e.version > ? AND (e.context LIKE ? OR substr(e.event, 1, ?) = ?) ORDER BY e.version",
        (HOUSE, after, ALONE_CONTEXT, len(_CONFIRMED), _CONFIRMED),
    )
    acts: list[UnconfirmedAct] = []
    for version, at_us, by, text in rows:
        event = read_house_event(text)
        if isinstance(event, AccountsConfirmed):
            acts = [act for act in acts if act.version > event.up_to]
        elif _gives_authority(event):
            acts.append(UnconfirmedAct(version, at_us, by, event))
    ends = transaction.rows("SELECT version FROM streams WHERE name = ?", (HOUSE,))
    return UnconfirmedActs(tuple(acts), acts[0].version - 1 if acts else ends[0][0] if ends else 0)


def _gives_authority(event: HouseEvent) -> bool:
    if isinstance(event, PasswordChanged):
        return event.one_time
    return isinstance(event, AccountCreated | PositionAssigned | TokenIssued | FloorRulesChanged)
