"""Corrections after a settlement: reverse it, correct, and settle again."""

from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import open_settings, this_round
from punto.table.evolution import evolve
from punto.table.irregularities.uninsured import return_uninsured_bets
from punto.table.play.seating import gone_events
from punto.table.play.settling import settle
from punto.table.play.voiding import settlement_reversed
from punto.table.records.commands import Settle
from punto.table.records.events import Event, RoundSettled
from punto.table.records.findings import UninsuredBetPutBack
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.positions import Position
from punto.table.records.reports import ReturnUninsuredBets
from punto.table.records.state import BetKey, ReturnedBet, Table


class Correction:
    """The events of a correction, and the table after them.

    Starts with the reversal of a settlement. Add the events that correct something, then :meth:`finish`.
    """

    def __init__(self, book: Rulebook, table: Table, clauses: tuple[Clause, ...]) -> None:
        now = this_round(table)
        self.table = table
        self._book, self._events = book, list[Event]()
        self._settled = now.paid is not None
        self._returned = now.insurance.returned_uninsured
        self._gone = sorted({result.who for result in now.results} - table.people) if open_settings(table).felt else []
        if now.paid is not None:
            self.add(settlement_reversed(now, now.paid, clauses, again=True))

    def add(self, *events: Event) -> None:
        for event in events:
            self._events.append(event)
            self.table = evolve(self.table, event)

    def finish(self) -> tuple[Event, ...]:
        """Return uninsured bets where that still holds, and settle again if the coup is finished."""
        for key, returned in self._returned.items():
            self._return_again(key, returned)
        if self._settled:
            decision = settle(self._book, self.table, Settle("house", Position.HOUSE))
            if not isinstance(decision, Refusal):
                self.add(*decision)
                self._let_go(decision)
        return tuple(self._events)

    def _let_go(self, settled: tuple[Event, ...]) -> None:
        """People who had left before the correction have left again."""
        changed = [each for event in settled if isinstance(event, RoundSettled) for each in event.differences]
        for who in self._gone:
            owed_minor = sum(each.amount_minor for each in changed if each.who == who)
            self.add(*gone_events(self.table, who, owed_minor))

    def _return_again(self, key: BetKey, returned: ReturnedBet) -> None:
        now = this_round(self.table)
        if key in now.insurance.returned_uninsured:
            put_back = put_back_event(self._book, key, returned)
            if not _returns(self._book, evolve(self.table, put_back), key, returned):
                self.add(put_back)
        elif key in now.bets:
            self.add(*_returns(self._book, self.table, key, returned))


def put_back_event(book: Rulebook, key: BetKey, returned: ReturnedBet) -> UninsuredBetPutBack:
    who, box, side = key
    stake_minor = returned.placed.stake_minor
    clauses = book.topics[Topic.DISPLAY]
    postings = transfer(chips(who), FELT, stake_minor)
    return UninsuredBetPutBack(who, box, Side(side), stake_minor, clauses, postings=postings)


def _returns(book: Rulebook, table: Table, key: BetKey, returned: ReturnedBet) -> tuple[Event, ...]:
    """The return of a bet as it was found before; empty if the right cards do not allow it."""
    who, box, side = key
    command = ReturnUninsuredBets(returned.found_by, Position.PIT_MANAGER, who, box, Side(side), returned.reason)
    decision = return_uninsured_bets(book, table, command)
    return () if isinstance(decision, Refusal) else decision
