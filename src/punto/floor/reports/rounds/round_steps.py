"""A round entry by entry, from the journal alone: the table and the felt at each step, and the money it moved.

A round goes from its call for bets to the entry before the next one, so what follows the settlement belongs to it:
returns, rulings, corrections and reversals. So does what follows a call that was cancelled and gave the round back.
Round 0 goes from the opening of the table to the first call for bets.
"""

from collections.abc import Iterator

from msgspec import Struct

from punto.floor.journal.entry import Entry, EntryContext, broken, context_of, event_of
from punto.floor.journal.round_record import Conditions, RoundFelt, RoundRecord
from punto.floor.journal.rounds import Decided, RoundFold
from punto.table import evolve
from punto.table.records.events import BettingOpened, Event, MoneyEvent, TableOpened
from punto.table.records.ledger import player_of
from punto.table.records.state import Round, Table


class PostedAmount(Struct, frozen=True):
    """A posting, with the balance of its account before and after it."""

    account: str
    change_minor: int
    before_minor: int
    after_minor: int


class RoundStep(Struct, frozen=True):
    entry: Entry
    event: Event
    context: EntryContext
    before: Table
    after: Table
    decided: Decided
    felt: RoundFelt

    @property
    def postings(self) -> tuple[PostedAmount, ...]:
        """What moved, in the order of the event. An account may be there twice."""
        return tuple(self._posted()) if isinstance(self.event, MoneyEvent) else ()

    def _posted(self) -> Iterator[PostedAmount]:
        assert isinstance(self.event, MoneyEvent)  # noqa: S101 - checked by the caller
        balances = dict(self.before.balances)
        for posting in self.event.postings:
            before_minor = balances.get(posting.account, 0)
            balances[posting.account] = before_minor + posting.amount_minor
            yield PostedAmount(posting.account, posting.amount_minor, before_minor, balances[posting.account])


class RoundSteps(Struct, frozen=True):
    record: RoundRecord
    steps: tuple[RoundStep, ...]

    @property
    def before(self) -> Table:
        return self.steps[0].before

    @property
    def after(self) -> Table:
        return self.steps[-1].after

    @property
    def box_labels(self) -> tuple[str, ...]:
        """What the boxes are called at the table; empty for their numbers."""
        settings = self.steps[0].after.settings
        return settings.box_labels if settings else ()

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody whose chips moved, in that order."""
        accounts = (posted.account for step in self.steps for posted in step.postings)
        return tuple(dict.fromkeys(who for who in map(player_of, accounts) if who is not None))


class TableAt(Struct, frozen=True):
    """A table after the entry with this version of its stream: where reading a round may start."""

    version: int
    state: Table


NEW_TABLE = TableAt(0, Table())


class StepFold:
    """Looks for one round in the entries of a stream and keeps its steps."""

    def __init__(self, number: int, start: TableAt = NEW_TABLE) -> None:
        """``start`` is before the call for bets of the round."""
        self._number, self.at = number, start
        self._fold: RoundFold | None = None
        self._steps: list[RoundStep] = []

    @property
    def found(self) -> RoundSteps | None:
        """The round as far as entries were taken; None if it has not started."""
        return None if self._fold is None else RoundSteps(self._fold.record, tuple(self._steps))

    @property
    def started(self) -> bool:
        return self._fold is not None

    def take(self, entry: Entry) -> bool:
        """Apply the next entry; return False, without applying it, if it is of a later round and this one is over."""
        event, before, decided = event_of(entry), self.at.state, Decided()
        number = _started_by(event)
        if number is not None and number > self._number and self._fold is None:
            return False
        after = evolve_entry(before, entry, event)
        own = self._number == (_number_of(before.round) if number is None else number)
        if self._fold is not None and not own and not self._may_go_on(after):
            return False
        self.at = TableAt(entry.version, after)
        if number == self._number:
            self._fold = RoundFold(entry, conditions_of(after))
        elif own and self._fold is not None:
            decided = self._fold.take(entry, event)
        if own and self._fold is not None:
            self._steps.append(RoundStep(entry, event, context_of(entry), before, after, decided, self._fold.felt))
        return True

    def _may_go_on(self, after: Table) -> bool:
        """Whether the round is the table's, or would be if the call for bets were cancelled."""
        before = after.round_before
        return self._number in (_number_of(after.round), None if before is None else before.round.number)


def _number_of(now: Round | None) -> int:
    return 0 if now is None else now.number


def _started_by(event: Event) -> int | None:
    """The number of the round that an event starts; None if it starts none."""
    if isinstance(event, BettingOpened):
        return event.round
    return 0 if isinstance(event, TableOpened) else None


def conditions_of(table: Table) -> Conditions:
    """The conditions of a round that starts at a table in this state."""
    currency, labels = (table.settings.currency, table.settings.box_labels) if table.settings else ("", ())
    shoe, decks = (table.shoe.id, table.shoe.decks) if table.shoe else ("", 0)
    return Conditions(book=table.book, currency=currency, shoe=shoe, decks=decks, box_labels=labels)


def evolve_entry(state: Table, entry: Entry, event: Event) -> Table:
    """The table after an entry's event; refused if the event is not possible there."""
    try:
        return evolve(state, event)
    except Exception as error:  # an event that is not possible here may raise anything
        raise broken(entry.stream, entry.version) from error
