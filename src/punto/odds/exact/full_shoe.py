"""The figures of a game from a full shoe: what pages, reports and the command line show, each counted once."""

from punto.odds.exact.solver import solve
from punto.odds.figures import Figures, figures
from punto.odds.shoe import full_shoe
from punto.rules.rulebook import Rulebook

_FIGURES: dict[tuple[str, str, int], Figures] = {}
"""By book, law and decks: as many as the books allow. A pure function's results, so nothing has to be forgotten."""


def full_shoe_figures(book: Rulebook, decks: int | None = None) -> Figures:
    """Every bet and every insurance cell of the book, from a full shoe of so many decks (by default the book's most).

    Takes some milliseconds the first time: on an event loop, call it in a thread.

    >>> from punto import book
    >>> f"{float(full_shoe_figures(book('commission'), 8).bets['banker'].edge):.6f}"
    '0.010579'
    """
    decks = book.require_decks(decks)
    key = book.id, book.law_hash, decks
    found = _FIGURES.get(key)
    if found is None:
        found = _FIGURES[key] = figures(book, solve(book, full_shoe(book, decks)))
    return found
