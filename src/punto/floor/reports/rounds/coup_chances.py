"""The exact chances of a coup at one moment of a round, from the cards that somebody had seen by then."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct

from punto.floor.edges.round_start import unseen
from punto.floor.reports.rounds.round_steps import RoundSteps
from punto.floor.reports.rounds.step_reasons import law_of
from punto.library import book
from punto.odds.exact.known_cards import solve_known
from punto.odds.exact.solver import solve
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import ENDS, Winner
from punto.rules.rulebook import Rulebook
from punto.table.records.state import Table

MAX_CACHED_CHANCES = 1_024


class CoupChances(Struct, frozen=True):
    """They add up to 1."""

    player: Fraction
    banker: Fraction
    tie: Fraction


def coup_chances(rules: Rulebook, table: Table) -> CoupChances | None:
    """None if no coup is to come or in play, and if the cards that nobody has seen are not known.

    Takes up to 30 milliseconds: in an event loop, call it in a thread.
    """
    now, shoe = table.round, table.shoe
    if now is None or shoe is None or now.over or _finished(rules, now.cards):
        return None
    first = now.cards or tuple(each.card for each in table.carried)
    left = unseen(shoe)
    return None if left is None else _solved(rules.id, first[:LARGEST_ROUND], left)


def _finished(rules: Rulebook, cards: tuple[Face | None, ...]) -> bool:
    return len(cards) >= 4 and Coup.of(rules.space, cards).finished


def chances_in(steps: RoundSteps) -> dict[int, CoupChances]:
    """The chances after each step, by the version of its entry. In an event loop, call it in a thread."""
    found = {}
    for step in steps.steps:
        rules = law_of(step.after)
        if rules is not None and (chances := coup_chances(rules, step.after)) is not None:
            found[step.entry.version] = chances
    return found


@lru_cache(MAX_CACHED_CHANCES)
def _solved(book_id: str, first: Sequence[Face | None], left: Composition) -> CoupChances | None:
    if left.cards < LARGEST_ROUND - sum(card is not None for card in first):
        return None
    rules = book(book_id)
    dealt = solve_known(rules, first, left, ()) if any(first) else solve(rules, left, ())
    if dealt is None:
        return None
    weights = dict.fromkeys(Winner, 0)
    for end, weight in zip(ENDS, dealt.ends, strict=True):
        weights[end.winner] += weight
    return CoupChances(**{winner.value: Fraction(weight, dealt.total) for winner, weight in weights.items()})
