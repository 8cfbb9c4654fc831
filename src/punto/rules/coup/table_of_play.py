"""The Table of Play: who takes the fifth and the sixth card, and by which clause.

This is the only place that knows the drawing rule. A coup, the space of all runs, reconstruction,
odds and simulation all ask here.
"""

from enum import StrEnum

from msgspec import Struct

from punto.rules.refusals import Clause

POINTS = range(10)


class Side(StrEnum):
    """One of the two hands."""

    PLAYER = "player"
    BANKER = "banker"


class To(StrEnum):
    """Where the next card goes."""

    PLAYER = "player"
    BANKER = "banker"
    NOBODY = "nobody"
    UNKNOWN = "unknown"
    """Unknown until a card face down is turned."""


class Action(StrEnum):
    """What a hand does, by a row of the Table of Play."""

    DRAWS = "draws"
    STANDS = "stands"
    NATURAL = "natural"


class PlayRow(Struct, frozen=True):
    """One row of the Table of Play, and its clause."""

    action: Action
    clause: Clause


class NextCard(Struct, frozen=True):
    """Where the next card goes, and the clauses that say so."""

    to: To
    clauses: tuple[Clause, ...]


class TableOfPlay(Struct, frozen=True):
    """The drawing rule of one book. The loader guarantees that it covers every case."""

    values: dict[str, int]
    """What a card of each rank is worth."""
    first_four: tuple[Clause, ...]
    """The clauses that deal the first four cards: Player, Banker, Player, Banker."""
    player: tuple[PlayRow, ...]
    """By Player's points on two cards."""
    banker_alone: tuple[PlayRow, ...]
    """By Banker's points on two cards, when Player has not drawn."""
    banker_after: tuple[tuple[PlayRow, ...], ...]
    """By Banker's points on two cards, then by the value of Player's third card."""

    def initial(self, drawn: int) -> NextCard:
        """Where the next of the first four cards goes, after ``drawn`` cards."""
        return NextCard(To.BANKER if drawn % 2 else To.PLAYER, self.first_four)

    def fifth(self, player: int, banker: int) -> NextCard:
        """Where the fifth card goes, by the points of both hands on two cards."""
        player_row, banker_row = self.player[player], self.banker_alone[banker]
        naturals = tuple(dict.fromkeys(row.clause for row in (player_row, banker_row) if row.action is Action.NATURAL))
        if naturals:
            return NextCard(To.NOBODY, naturals)
        if player_row.action is Action.DRAWS:
            return NextCard(To.PLAYER, (player_row.clause,))
        clauses = tuple(dict.fromkeys((player_row.clause, banker_row.clause)))
        return NextCard(To.BANKER if banker_row.action is Action.DRAWS else To.NOBODY, clauses)

    def sixth(self, banker: int, third: int) -> NextCard:
        """Where the sixth card goes once Player has drawn a third card of value ``third``."""
        row = self.banker_after[banker][third]
        return NextCard(To.BANKER if row.action is Action.DRAWS else To.NOBODY, (row.clause,))
