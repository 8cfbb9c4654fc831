"""The counts beside the roads."""

from collections.abc import Iterable

from msgspec import Struct

from punto.board.results import Mark
from punto.rules.coup.space import Winner


class Statistics(Struct, frozen=True):
    """Counts over the rounds of a shoe so far."""

    rounds: int
    banker: int
    player: int
    tie: int
    banker_pair: int
    player_pair: int
    naturals: int
    longest_banker: int
    """The longest run: the tallest column of the big road. Ties do not end a run."""
    longest_player: int
    longest_tie: int
    """The most ties in a row."""


def statistics(marks: Iterable[Mark]) -> Statistics:
    """Count a shoe.

    >>> from punto.board.results import read_marks
    >>> counted = statistics(read_marks("B B T B P Tp T"))
    >>> counted.banker, counted.tie, counted.longest_banker, counted.longest_tie
    (3, 3, 3, 2)
    """
    won = dict.fromkeys(Winner, 0)
    longest = dict.fromkeys(Winner, 0)
    run = dict.fromkeys(Winner, 0)
    banker_pair = player_pair = naturals = 0
    for mark in marks:
        winner = mark.winner
        won[winner] += 1
        run[winner] += 1
        longest[winner] = max(longest[winner], run[winner])
        if winner is not Winner.TIE:
            run[Winner.TIE] = 0
            run[Winner.PLAYER if winner is Winner.BANKER else Winner.BANKER] = 0
        banker_pair += mark.banker_pair
        player_pair += mark.player_pair
        naturals += mark.natural
    return Statistics(
        rounds=sum(won.values()),
        banker=won[Winner.BANKER],
        player=won[Winner.PLAYER],
        tie=won[Winner.TIE],
        banker_pair=banker_pair,
        player_pair=player_pair,
        naturals=naturals,
        longest_banker=longest[Winner.BANKER],
        longest_player=longest[Winner.PLAYER],
        longest_tie=longest[Winner.TIE],
    )
