"""The edges before a round, for the pages of the pit and of auditors."""

from fractions import Fraction

from msgspec import Struct

from punto.catalogue.values import write_percent
from punto.floor.edges.table_edges import TableEdges
from punto.web.pages.base.i18n import Translator
from punto.web.pages.base.templates import Context


class ShownEdge(Struct, frozen=True):
    bet: str
    name: str
    edge: str
    """Of the house."""
    advantage: str
    """Of the bettor; empty if the bet does not favour them."""


class ShownEdges(Struct, frozen=True):
    round: int
    drawn: int
    first_card_known: bool
    bets: tuple[ShownEdge, ...]
    """In the order of the menu."""
    below_zero: tuple[ShownEdge, ...]
    """Those that favour the bettor, the best first."""


class EdgesPiece(Context, frozen=True, kw_only=True):
    """All edges of a table. The macro ``below_zero`` in ``edges/parts.html`` is for a tile."""

    template = "edges/table.html"
    edges: ShownEdges | None


def show_edges(known: TableEdges | None, t: Translator) -> ShownEdges | None:
    if known is None:
        return None
    shown = {bet: _show(bet, edge, t) for bet, edge in known.edges.items()}
    return ShownEdges(
        round=known.round_next,
        drawn=known.drawn,
        first_card_known=known.first_card_known,
        bets=tuple(shown.values()),
        below_zero=tuple(shown[bet] for bet in known.below_zero),
    )


def _show(bet: str, edge: Fraction, t: Translator) -> ShownEdge:
    return ShownEdge(bet, t(f"bet.{bet}"), write_percent(edge), write_percent(-edge) if edge < 0 else "")
