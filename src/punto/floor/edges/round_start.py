"""What is known about a round before its first card is dealt."""

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition
from punto.rules.coup.cards import RANKS, SUITS, Card, Face
from punto.rules.rulebook import Rulebook
from punto.table.play.opening import shoe_ended
from punto.table.play.shuffler import called
from punto.table.records.state import Phase, Shoe, Table


class RoundStart(Struct, frozen=True, eq=False):
    """A round that is open for bets or comes next, and everything its odds depend on."""

    rules: Rulebook
    layout: str
    round: int
    shoe: str
    drawn: int
    first: tuple[Face | None, ...]
    """The cards carried over, which are dealt first; None for one face down."""
    unseen: Composition
    """The cards nobody has seen: those left in the shoe, those burned face down, and those in ``first``.

    Of a continuous shuffler, those that are in it at the call, and any that are out unseen.
    """

    @property
    def menu(self) -> tuple[str, ...]:
        return self.rules.layouts[self.layout].menu

    @property
    def first_known(self) -> bool:
        """Whether somebody has seen a card that is dealt first."""
        return any(self.first)

    @property
    def version(self) -> tuple[object, ...]:
        """Equal for equal odds of the same round."""
        return self.round, self.shoe, self.drawn, self.layout, self.first, self.unseen


def round_start(live: LiveTable) -> RoundStart | None:
    """None if the table is closed or has no shoe for another round, or if cards of the round are dealt."""
    state, rules = live.state, live.rules
    if state.shoe is None or state.settings is None or state.settings.layout not in rules.layouts:
        return None
    between = state.phase is Phase.READY
    if shoe_ended(state) if between else bool(state.round is None or state.round.cards):
        return None
    shoe = called(state) if between else state.shoe
    left = None if shoe is None else unseen(shoe, suited=rules.needs_suits(rules.bets))
    first = tuple(each.card for each in state.carried[:LARGEST_ROUND])
    if left is None or left.cards < LARGEST_ROUND - sum(card is not None for card in first):
        return None
    number = open_round(state) if not between else state.round.next_number if state.round else 1
    return RoundStart(rules, state.settings.layout, number, state.shoe.id, state.shoe.drawn, first, left)


def open_round(state: Table) -> int:
    """The number of the open or last round; 0 before the first."""
    return state.round.number if state.round else 0


def unseen(shoe: Shoe, *, suited: bool = False) -> Composition | None:
    """The cards nobody has seen, by suit too if asked. None if more cards have been seen than the shoe can have."""
    left = tuple(shoe.decks * len(SUITS) - shoe.copies_seen(Face(rank)) for rank in RANKS)
    by_card = tuple(shoe.decks - shoe.copies_seen(Face(card)) for card in Card) if suited else ()
    return None if min(*left, *by_card) < 0 else Composition(left, by_card)
