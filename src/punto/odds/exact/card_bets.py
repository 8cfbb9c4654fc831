"""How often each line of a bet on single cards comes, counted over the states of its automaton.

Cards are drawn without being put back, but a state does not know which cards are gone. So the deals are counted as if
every card were put back at once, and those in which one card would come several times are taken off again, by inclusion
and exclusion: a set of places that all show the same card counts with the sign and weight of a cycle through them. Only
the kinds of those cards have to be remembered whose next place is still to come.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import perm

from punto.odds.procedure import LARGEST_ROUND
from punto.rules.bets.automaton import Automaton, Joint, Tables
from punto.rules.coup.cards import Card

_Repeated = tuple[tuple[int, int], ...]
"""Cards that come again at a later place: the kind of each, and at how many places it has come."""
_Layer = dict[tuple[int, _Repeated], int]
"""After some cards: the ways to each state, by the cards that still have to come again."""


def count_lines(automaton: Automaton | Joint, left: Mapping[Card, int], known: Sequence[Card | None] = ()) -> list[int]:
    """The ordered deals of the unknown cards in which each line comes first, and at the end those in which none does.

    A deal has six cards, whether all of them are used or not. ``left`` has the number of cards left of each of the 52.
    ``known`` are the first cards of the round, None for one that nobody has seen; they are not among those left.
    """
    tables = automaton.tables
    finals = len(tables.depths) - len(tables.rows)
    cards, unknown = sum(left.values()), LARGEST_ROUND - sum(card is not None for card in known)
    counts = [0] * finals
    if tables.start < finals:
        counts[tables.start] = perm(cards, unknown)
        return counts
    by_kind = Counter[int]()
    for card, number in left.items():
        by_kind[automaton.kinds[card]] += number
    kinds = [(kind, number) for kind, number in by_kind.items() if number]
    layer: _Layer = {(tables.start, ()): 1}
    drawn = 0
    for place in automaton.places:
        face = known[place] if place < len(known) else None
        drawn += face is None
        rest = perm(cards - drawn, unknown - drawn)
        taken = _draw(layer, tables, kinds) if face is None else _turn(layer, tables, automaton.kinds[face])
        layer = {}
        for (state, repeated), ways in taken.items():
            if state >= finals:
                layer[state, repeated] = ways
            elif not repeated:
                counts[state] += ways * rest
    return counts


def _turn(layer: _Layer, tables: Tables, kind: int) -> _Layer:
    """The states after a card of that kind."""
    turned: _Layer = defaultdict(int)
    for (state, repeated), ways in layer.items():
        turned[tables.after(state)[kind], repeated] += ways
    return turned


def _draw(layer: _Layer, tables: Tables, kinds: Sequence[tuple[int, int]]) -> _Layer:
    """The states after any card that is left: one that comes only once, comes for the first time, or comes again."""
    drawn: _Layer = defaultdict(int)
    grouped: dict[int, list[tuple[int, int]]] = {}
    depths = tables.depths
    for (state, repeated), ways in layer.items():
        row, awaited = tables.after(state), len(repeated)
        if state not in grouped:
            grouped[state] = _grouped(row, kinds)
        for after, number in grouped[state]:
            if awaited <= depths[after]:
                drawn[after, repeated] += ways * number
        if awaited < depths[state] - 1:
            for kind, number in kinds:
                if awaited < depths[row[kind]]:
                    drawn[row[kind], tuple(sorted((*repeated, (kind, 1))))] += ways * number
        for at, (kind, times) in enumerate(repeated):
            after, others = row[kind], repeated[:at] + repeated[at + 1 :]
            if awaited - 1 <= depths[after]:
                drawn[after, others] -= times * ways
            if awaited <= depths[after]:
                drawn[after, tuple(sorted((*others, (kind, times + 1))))] -= times * ways
    return drawn


def _grouped(row: tuple[int, ...], kinds: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The next states, each with the number of cards that lead to it."""
    numbers: defaultdict[int, int] = defaultdict(int)
    for kind, number in kinds:
        numbers[row[kind]] += number
    return list(numbers.items())
