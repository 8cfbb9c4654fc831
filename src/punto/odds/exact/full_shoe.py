"""The figures of a game from a full shoe, computed once and cached, for pages, reports and the command line."""

from punto.odds.exact.solver import solve
from punto.odds.figures import Figures, figures
from punto.odds.shoe import full_shoe
from punto.rules.rulebook import Rulebook

# By book, law and decks. Never invalidated: the results are those of a pure function, and the keys are few.
_CACHE: dict[tuple[str, str, int], Figures] = {}


def full_shoe_figures(book: Rulebook, decks: int | None = None) -> Figures:
    """The figures of every bet and insurance cell of the book. ``decks`` defaults to the most the book allows.

    Takes some milliseconds the first time: in an event loop, call it in a thread.

    >>> from punto import book
    >>> f"{float(full_shoe_figures(book('commission'), 8).bets['banker'].edge):.6f}"
    '0.010579'
    """
    decks = book.require_decks(decks)
    key = book.id, book.law_hash, decks
    cached = _CACHE.get(key)
    if cached is None:
        cached = _CACHE[key] = figures(book, solve(book, full_shoe(book, decks)))
    return cached
