"""The exact odds of a round whose first cards are known, such as cards carried over face up."""

from collections.abc import Iterable, Iterator, Sequence
from math import perm

from punto.odds.distribution import Distribution
from punto.odds.exact.solver import lines_of
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition
from punto.rules.coup.cards import RANKS, Card
from punto.rules.coup.space import PAIRS, Space, pairs_index, run_index
from punto.rules.coup.table_of_play import POINTS, To
from punto.rules.rulebook import Rulebook

_HANDS = 4
"""Pairs are made by the first four cards."""


def solve_known(
    book: Rulebook, first: Sequence[Card | None], unseen: Composition, bets: Iterable[str] | None = None
) -> Distribution | None:
    """The distribution of a round that starts with these cards, None for one nobody has seen.

    ``unseen`` has every card that nobody has seen, also those face down in ``first``. None if these are too few for a
    round of six cards. Of the bets on single cards only those in ``bets`` are counted; None for all. Takes some 25
    milliseconds, more with such bets: in an event loop, call it in a thread.

    >>> from punto import book
    >>> from punto.odds.figures import bet_figures
    >>> from punto.odds.shoe import shoe_without
    >>> from punto.rules.coup.cards import read_cards
    >>> rules, known = book("commission"), read_cards("9s")
    >>> dealt = solve_known(rules, known, shoe_without(rules, 8, known))
    >>> f"{float(bet_figures(rules.bets['player'], dealt).edge):.4f}"
    '-0.2153'
    """
    places = (*first, *(None,) * LARGEST_ROUND)[:LARGEST_ROUND]
    unknown = places.count(None)
    if unseen.cards < unknown:
        return None
    values = [None if card is None else book.table_of_play.values[card.rank] for card in places]
    ranks = [None if card is None else RANKS.index(card.rank) for card in places]
    runs = _count_runs(book.space, values, unseen.values(book.table_of_play))
    pairs = _count_pairs(ranks[:_HANDS], list(unseen.ranks))
    rest = perm(unseen.cards - ranks[:_HANDS].count(None), ranks[_HANDS:].count(None))
    lines = lines_of(book, unseen, bets, first[:LARGEST_ROUND])
    return Distribution.of_runs(book.space, runs, [count * rest for count in pairs], lines)


def _count_runs(space: Space, places: Sequence[int | None], left: list[int]) -> list[int]:
    """The ordered deals of the unknown cards, by run. Cards that the round does not use count under value 0."""
    runs, play = [0] * len(space.ends), space.play
    for (one, two, three, four), ways in _deals(places[:_HANDS], left):
        player, banker = (one + three) % 10, (two + four) % 10
        to = play.fifth(player, banker).to
        cards = sum(left)
        if to is To.NOBODY:
            runs[run_index((player, banker, 0, 0))] += ways * perm(cards, places[_HANDS:].count(None))
            continue
        for (fifth,), fifths in _deals(places[4:5], left):
            base = run_index((player, banker, fifth, 0))
            if to is To.BANKER or play.sixth(banker, fifth).to is To.NOBODY:
                runs[base] += ways * fifths * (sum(left) if places[5] is None else 1)
            elif places[5] is not None:
                runs[base + places[5]] += ways * fifths
            else:
                for sixth in POINTS:
                    runs[base + sixth] += ways * fifths * left[sixth]
    return runs


def _count_pairs(places: Sequence[int | None], left: list[int]) -> list[int]:
    """The ordered deals of the unknown cards among the first four, by pair pattern. Cards are indexes of ranks."""
    counts = [0] * len(PAIRS)
    for (one, two, three, four), ways in _deals(places, left):
        player, banker = RANKS[one] if one == three else None, RANKS[two] if two == four else None
        counts[pairs_index(player, banker)] += ways
    return counts


def _deals(places: Sequence[int | None], left: list[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every way to fill the unknown places from ``left``, and the number of ordered deals that do.

    While a deal is yielded, ``left`` is without its cards.
    """
    if not places:
        yield (), 1
        return
    for before, ways in _deals(places[:-1], left):
        if places[-1] is not None:
            yield (*before, places[-1]), ways
            continue
        for card, count in enumerate(left):
            if count:
                left[card] -= 1
                yield (*before, card), ways * count
                left[card] += 1
