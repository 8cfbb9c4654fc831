"""What known first cards are worth to a bettor, as the pit sees it."""

from fractions import Fraction

from msgspec import Struct

from punto.catalogue.values import write_percent
from punto.rules.refusals import Clause
from punto.web.messages import KnownFirst
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.carried import SmallCard, small_card


class ShownKnownFirst(Struct, frozen=True):
    cards: tuple[SmallCard, ...]
    best: str
    """The name of the best bet; empty if no bet favours the bettor."""
    advantage: str
    """Of the bettor, with the best bet."""
    edges: tuple[tuple[str, str], ...]
    """The name and the house edge of each bet."""
    clauses: tuple[Clause, ...]


def show_known_first(known: KnownFirst, t: Translator) -> ShownKnownFirst:
    edges = {each.bet: Fraction(each.edge) for each in known.bets}
    advantage = -edges[known.best]
    return ShownKnownFirst(
        cards=tuple(small_card(card, t) for card in known.cards),
        best=t(f"bet.{known.best}") if advantage > 0 else "",
        advantage=write_percent(advantage),
        edges=tuple((t(f"bet.{bet}"), write_percent(edge)) for bet, edge in edges.items()),
        clauses=known.clauses,
    )
