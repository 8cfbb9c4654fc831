"""What an auditor counts: rounds as they ended, with every bet and what became of it; rulings; chips bought and cashed.

A round is written down once it cannot change any more: with the next call for bets, or where the journal ends.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.audit.replay_round import entries_of, tell
from punto.floor.audit.theoretical_win import InsuranceCell
from punto.floor.database.base import Database
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.streams import Head
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import write_cards
from punto.rules.refusals import Clause
from punto.table import evolve
from punto.table.records import findings
from punto.table.records.events import (
    BettingOpened,
    ChipsBought,
    ChipsCashed,
    Event,
    MoneyEvent,
    RoundSettled,
    SettledBet,
)
from punto.table.records.kinds import Choice, Effect
from punto.table.records.ledger import chips
from punto.table.records.state import BetKey, PlacedBet, Round, Table, TakenInsurance

VOID, RETURNED = "void", "returned"
"""What became of bets that were not played to the end."""


class BetRecord(Struct, frozen=True):
    """A bet or an insurance, and what became of it."""

    who: str
    box: int
    bet: str
    stage: Stage | None
    cell: InsuranceCell | None
    """Of insurance: the points it was taken on."""
    stake_minor: int
    played_minor: int
    """How much of it was decided by the cards: nothing of what went back."""
    result: str
    odds: str | None
    commission_minor: int
    returned_minor: int
    clauses: tuple[Clause, ...]
    placed_by: str

    @property
    def win_minor(self) -> int:
        """The house's, commission included."""
        return self.stake_minor - self.returned_minor


class RoundRecord(Struct, frozen=True):
    """A round that is over."""

    stream: str
    table: str
    book: str
    currency: str
    number: int
    shoe: str
    decks: int
    opened_us: int
    ended_us: int
    outcome: str
    """Who won, or that it was void."""
    ground: str
    """Of a void."""
    player: int | None
    banker: int | None
    cards: str
    """In drawn order."""
    bets: tuple[BetRecord, ...]
    clauses: tuple[Clause, ...]


class Ruling(Struct, frozen=True):
    """Something that went wrong, or was decided by a person, and by which clauses."""

    stream: str
    table: str
    version: int
    at_us: int
    round: int
    kind: str
    words: str
    actor: str
    position: str
    clauses: tuple[Clause, ...]


class Payment(Struct, frozen=True):
    """Chips that changed hands beside the bets: bought, cashed, or paid by a ruling (below zero: taken)."""

    stream: str
    table: str
    currency: str
    at_us: int
    who: str
    kind: str
    amount_minor: int


Record = RoundRecord | Ruling | Payment

_FINDINGS = tuple(kind for kind in vars(findings).values() if isinstance(kind, type) and issubclass(kind, Event))
_RULINGS = tuple(kind for kind in _FINDINGS if kind.__module__ == findings.__name__)
"""Every event that the irregularities have."""


def records(database: Database, head: Head) -> Iterator[Record]:
    """What there is to count in one opening of a table, in order."""
    return _Reader(head).read(entries_of(database, head))


class _Reader:
    def __init__(self, head: Head) -> None:
        self._stream = head.stream
        self._table = head.stream.rpartition("/")[0]
        self._state = Table()
        self._round: RoundRecord | None = None
        self._settled: list[BetRecord] = []
        self._returned: list[BetRecord] = []

    def read(self, entries: Iterable[Entry]) -> Iterator[Record]:
        for entry in entries:
            event = read_event(entry.event)
            if isinstance(event, BettingOpened):
                yield from self._over()
                self._begin(entry, event)
            self._take(entry, event)
            yield from self._beside(entry, event)
            self._state = evolve(self._state, event)
            if isinstance(event, _RULINGS):
                yield self._ruling(entry, event)
        yield from self._over()

    @property
    def _currency(self) -> str:
        return self._state.settings.currency if self._state.settings else ""

    # ---- rounds

    def _begin(self, entry: Entry, event: BettingOpened) -> None:
        shoe = self._state.shoe
        where = (self._stream, self._table, self._state.book, self._currency, event.round)
        what = (shoe.id, shoe.decks) if shoe else ("", 0)
        self._round = RoundRecord(*where, *what, entry.at_us, 0, "", "", None, None, "", (), ())
        self._settled, self._returned = [], []

    def _over(self) -> Iterator[RoundRecord]:
        if self._round is not None and self._round.outcome:
            yield replace(self._round, bets=(*self._settled, *self._returned))
        self._round = None

    def _take(self, entry: Entry, event: Event) -> None:
        """What an event does to the round, with the table as it was before it."""
        now = self._state.round
        if now is None or self._round is None:
            return
        if isinstance(event, RoundSettled):
            self._settled = [_settled(*pair) for pair in zip(event.results, _laid(now), strict=True)]
            self._end(entry, now, event.winner, event.clauses, player=event.player, banker=event.banker)
        elif isinstance(event, findings.SettlementReversed):
            self._settled = []
            self._returned = [
                bet for bet in self._returned if (bet.who, bet.box, bet.bet) not in now.insurance.made_good
            ]
            self._round = replace(self._round, outcome="", player=None, banker=None)
        elif isinstance(event, findings.RoundVoided):
            self._settled = [_back(laid, VOID, event.clauses) for laid in _laid(now)]
            self._end(entry, now, VOID, event.clauses, ground=event.ground)
        elif isinstance(event, findings.OptionChosen) and event.choice is Choice.RETURN:
            self._returned += [_back(laid, RETURNED, event.clauses) for laid in _laid(now) if laid.who == event.who]
        elif isinstance(event, findings.Ruled) and event.effect is Effect.RETURN:
            keys = {(bet.who, bet.box, bet.bet) for bet in event.bets}
            self._returned += [_back(laid, RETURNED, event.clauses) for laid in _laid(now) if _key(laid) in keys]
        elif isinstance(event, findings.UninsuredBetReturned):
            self._make_good(now, event)

    def _make_good(self, now: Round, event: findings.UninsuredBetReturned) -> None:
        """A bet goes back: off the felt, or out of what was settled."""
        key = (event.who, event.box, event.side.value)
        self._settled = [bet for bet in self._settled if (bet.who, bet.box, bet.bet) != key]
        self._returned.append(_back(now.bets[key], RETURNED, event.clauses))

    def _end(
        self,
        entry: Entry,
        now: Round,
        outcome: str,
        clauses: tuple[Clause, ...],
        ground: str = "",
        player: int | None = None,
        banker: int | None = None,
    ) -> None:
        assert self._round is not None  # noqa: S101 - asked by who has one
        self._round = replace(
            self._round,
            ended_us=entry.at_us,
            outcome=str(outcome),
            ground=str(ground),
            player=player,
            banker=banker,
            cards=write_cards(now.cards),
            clauses=clauses,
        )

    # ---- beside them

    def _beside(self, entry: Entry, event: Event) -> Iterator[Payment]:
        adjusted = isinstance(event, findings.Ruled) and event.effect is Effect.ADJUST
        if not isinstance(event, ChipsBought | ChipsCashed) and not adjusted:
            return
        assert isinstance(event, MoneyEvent)  # noqa: S101 - all three are
        kind = "adjusted" if adjusted else "bought" if isinstance(event, ChipsBought) else "cashed"
        where = (self._stream, self._table, self._currency, entry.at_us)
        for posting in event.postings:
            if posting.account.startswith(chips("")):
                yield Payment(*where, posting.account.removeprefix(chips("")), kind, posting.amount_minor)

    def _ruling(self, entry: Entry, event: Event) -> Ruling:
        number = self._state.round.number if self._state.round else 0
        words, _ = tell(self._state, event)
        kind, _, said = words.partition(": ")
        clauses: tuple[Clause, ...] = getattr(event, "clauses", ())
        where = (self._stream, self._table, entry.version, entry.at_us)
        return Ruling(*where, number, kind, said, entry.actor, entry.position, clauses)


def _laid(now: Round) -> list[PlacedBet | TakenInsurance]:
    """What lies on the felt, in the order in which it is settled."""
    return [*now.bets.values(), *now.insurance.cover]


def _name(laid: PlacedBet | TakenInsurance) -> str:
    return laid.bet if isinstance(laid, PlacedBet) else f"{laid.side}_insurance"


def _key(laid: PlacedBet | TakenInsurance) -> BetKey:
    return laid.who, laid.box, _name(laid)


def _cell(laid: PlacedBet | TakenInsurance) -> InsuranceCell | None:
    return None if isinstance(laid, PlacedBet) else (laid.stage, laid.side, laid.player, laid.banker)


def _settled(result: SettledBet, laid: PlacedBet | TakenInsurance) -> BetRecord:
    played = result.stake_minor if result.played_minor is None else result.played_minor
    return BetRecord(
        result.who,
        result.box,
        result.bet,
        result.stage,
        _cell(laid),
        result.stake_minor,
        played,
        result.result.value,
        result.odds,
        result.commission_minor or 0,
        result.returned_minor,
        result.clauses,
        laid.placed_by,
    )


def _back(laid: PlacedBet | TakenInsurance, result: str, clauses: tuple[Clause, ...]) -> BetRecord:
    stage = None if isinstance(laid, PlacedBet) else laid.stage
    what = (laid.who, laid.box, _name(laid), stage, _cell(laid))
    return BetRecord(*what, laid.stake_minor, 0, result, None, 0, laid.stake_minor, clauses, laid.placed_by)
