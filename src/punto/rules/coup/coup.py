"""A coup: the cards of one round, in the order they were drawn. The order decides everything."""

from typing import cast

from msgspec import Struct

from punto.rules.coup.cards import RANKS, Face, read_cards, write_cards
from punto.rules.coup.space import ENDS, PAIRS, UNKNOWN, End, Outcome, Partial, Space, Winner, pairs_index
from punto.rules.coup.table_of_play import POINTS, Action, NextCard, Side, To
from punto.rules.refusals import Code, Refused

Cards = tuple[Face | None, ...]

_NOT_DRAWN = tuple([UNKNOWN] * (6 - drawn) for drawn in range(7))
_SUM = tuple(tuple(UNKNOWN if UNKNOWN in (a, b) else (a + b) % 10 for b in range(11)) for a in range(11))
"""The points of two cards, or UNKNOWN if either card is."""


_PLAYER = Side.PLAYER


class Hand(Struct, frozen=True, gc=False):
    """The cards one side has, and their points if all of them lie face up."""

    cards: Cards
    points: int | None


class Coup(Struct, frozen=True, gc=False):
    """Cards in drawn order, None for a card face down. Made by ``Coup.of``, which fills in the rest.

    Reconstruction is this same class on the same cards: whatever was dealt where, the order in which the
    cards left the shoe gives the hands, who draws next and what is left over.
    """

    space: Space
    cards: Cards
    partial: Partial
    """What is known of the run: a face-down card is a card that has not come yet."""
    end: End | None
    """Set once every card of the coup is dealt and face up."""

    @classmethod
    def of(cls, space: Space, cards: Cards | str = ()) -> "Coup":
        """The coup of these cards, or of cards written with spaces between, ``??`` for one face down."""
        if isinstance(cards, str):
            cards = read_cards(cards)
        values = list(map(space.card_values.__getitem__, cards[:6]))
        if len(values) < 6:
            values += _NOT_DRAWN[len(values)]
        one, two, three, four, fifth, sixth = values
        player, banker = _SUM[one][three], _SUM[two][four]
        end = None
        if UNKNOWN not in (player, banker):
            # the value of an unused card does not matter, so an unknown one counts as 0
            end = space.ends[player * 1000 + banker * 100 + fifth % UNKNOWN * 10 + sixth % UNKNOWN]
            if (end.cards > 4 and fifth == UNKNOWN) or (end.cards > 5 and sixth == UNKNOWN):
                end = None
        return cls(space, cards, (player, banker, fifth, sixth), end)

    def __str__(self) -> str:
        """The inverse of :meth:`of`."""
        return write_cards(self.cards)

    def draw(self, *cards: Face | None) -> "Coup":
        """The coup with further cards drawn."""
        return Coup.of(self.space, (*self.cards, *cards))

    @property
    def fifth(self) -> NextCard:
        """Where the fifth card goes."""
        player, banker, _, _ = self.partial
        known = self.space.fifths.get((player, banker))
        if known is None:
            known = _agree([self.space.play.fifth(p, b) for p in _cases(player) for b in _cases(banker)])
            self.space.fifths[player, banker] = known
        return known

    @property
    def sixth(self) -> NextCard:
        """Where the sixth card goes: to nobody unless Player has taken the fifth."""
        fifth = self.fifth
        if fifth.to not in (To.PLAYER, To.UNKNOWN):
            return NextCard(To.NOBODY, fifth.clauses)
        player, banker, third, _ = self.partial
        cases = []
        for points in _cases(banker):
            fifths = [self.space.play.fifth(p, points) for p in _cases(player)]
            cases += [NextCard(To.NOBODY, each.clauses) for each in fifths if each.to is not To.PLAYER]
            if any(each.to is To.PLAYER for each in fifths):
                cases += [self.space.play.sixth(points, value) for value in _cases(third)]
        return _agree(cases)

    @property
    def next(self) -> NextCard:
        """Where the next card goes, and by which clauses."""
        drawn = len(self.cards)
        if drawn < 4:
            return self.space.play.initial(drawn)
        fifth = self.fifth
        if drawn == 4 or fifth.to in (To.NOBODY, To.UNKNOWN):
            return fifth
        sixth = self.sixth
        return sixth if drawn == 5 else NextCard(To.NOBODY, sixth.clauses)

    @property
    def used(self) -> int:
        """How many of the drawn cards belong to the coup, as far as is known."""
        if self.end is not None:
            return self.end.cards
        at_most = 6
        if self.fifth.to is To.NOBODY:
            at_most = 4
        elif self.sixth.to is To.NOBODY:
            at_most = 5
        return min(len(self.cards), at_most)

    @property
    def left_over(self) -> Cards:
        """The drawn cards that do not belong to the coup."""
        return self.cards[self.used :]

    @property
    def finished(self) -> bool:
        """Every card of the coup is dealt and face up."""
        return self.end is not None

    def hand(self, side: Side) -> Hand:
        """The cards of one side. A fifth card that may be either side's is in neither hand yet."""
        cards, end = self.cards, self.end
        if end is not None:
            if side is _PLAYER:
                return Hand(cards[0 : 2 * end.player_cards : 2], end.player)
            if end.banker_cards == 2:
                return Hand(cards[1:4:2], end.banker)
            return Hand((cards[1], cards[3], cards[end.cards - 1]), end.banker)  # Banker draws last
        used = self.used
        cards = cards[0 if side is _PLAYER else 1 : min(used, 4) : 2]
        if used > 4:
            for at, drawn in ((4, self.fifth), (5, self.sixth)):
                if at < used and drawn.to == side.value:
                    cards += (self.cards[at],)
        values = [self.space.card_values[card] for card in cards]
        return Hand(cards, None if UNKNOWN in values else sum(values) % 10)

    @property
    def natural(self) -> bool:
        """At least one hand is known to have a natural."""
        if self.end is not None and self.end.cards > 4:  # fast path: most coups are settled ones
            return False
        player, banker, _, _ = self.partial
        play = self.space.play
        return (player != UNKNOWN and play.player[player].action is Action.NATURAL) or (
            banker != UNKNOWN and play.banker_alone[banker].action is Action.NATURAL
        )

    @property
    def outcome_index(self) -> int:
        """The index of the outcome; refused while the coup is not finished."""
        if self.end is None:
            raise self._unfinished()
        one, two, three, four = cast("tuple[Face, ...]", self.cards[:4])
        player = one[0] if one[0] == three[0] else None
        banker = two[0] if two[0] == four[0] else None
        return self.end.index * len(PAIRS) + pairs_index(player, banker)

    @property
    def outcome(self) -> Outcome:
        """The outcome that settles the bets; refused while the coup is not finished."""
        end, pairs = divmod(self.outcome_index, len(PAIRS))
        return Outcome(ENDS[end], PAIRS[pairs])

    @property
    def winner(self) -> Winner:
        """Who won; refused while the coup is not finished."""
        if self.end is None:
            raise self._unfinished()
        return self.end.winner

    @property
    def ends_possible(self) -> int:
        """The ends still possible, as a bit set."""
        return self.space.possible_ends(self.partial)

    @property
    def pairs_possible(self) -> int:
        """The pair patterns still possible, as a bit set."""
        ranks = [None if card is None else card.rank for card in self.cards[:4]]
        ranks += [None] * (4 - len(ranks))
        one, two, three, four = ranks
        bits = 0
        for player in _pairs_of(one, three):
            for banker in _pairs_of(two, four):
                bits |= 1 << pairs_index(player, banker)
        return bits

    def _unfinished(self) -> Refused:
        following = self.next
        if following.to in (To.NOBODY, To.UNKNOWN):
            return Refused(Code.CARD_FACE_DOWN, clauses=following.clauses, coup=str(self))
        return Refused(
            Code.TOO_FEW_CARDS,
            variant="cards",
            clauses=following.clauses,
            cards=len(self.cards),
            side=following.to,
        )


def _cases(value: int) -> range:
    return POINTS if value == UNKNOWN else range(value, value + 1)


def _agree(cases: list[NextCard]) -> NextCard:
    """Where the next card goes in every case, or UNKNOWN if the cases differ, with the clauses of all of them."""
    if len(cases) == 1:
        return cases[0]
    to = cases[0].to if len({case.to for case in cases}) == 1 else To.UNKNOWN
    return NextCard(to, tuple(dict.fromkeys(clause for case in cases for clause in case.clauses)))


def _pairs_of(first: str | None, second: str | None) -> tuple[str | None, ...]:
    """The ranks a hand may have a pair of, including None if it may have no pair."""
    if first is not None and second is not None:
        return (first if first == second else None,)
    if first is None and second is None:
        return (None, *RANKS)
    return (None, first or second)
