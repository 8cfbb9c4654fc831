"""Corrections that could be given now, each named once. People fill in what is right."""

from collections.abc import Iterator

from punto.rules.coup.cards import RANKS, SUITS, Face
from punto.table.moves.legal_move import LegalMove
from punto.table.records import corrections
from punto.table.records.positions import Position
from punto.table.records.state import Table, cards_in_order


def correcting_moves(table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    actor = (by, position)
    yield from _card_moves(table, actor)


def _card_moves(table: Table, actor: tuple[str, Position]) -> Iterator[LegalMove]:
    """The card that the table has raised, or the last one that has been seen."""
    now, shoe = table.round, table.shoe
    if now is not None and not now.over and now.irregularities.raised is not None and shoe is not None:
        yield LegalMove(corrections.CorrectCard(*actor, shoe.id, shoe.drawn, None))
        return
    for card in reversed(cards_in_order(table)):
        if card.card is not None:
            yield LegalMove(corrections.CorrectCard(*actor, card.shoe, card.draw, _another(card.card)))
            return


def _another(face: Face) -> Face:
    """Another suit of the same rank, which changes no result; another rank if the suit is not known."""
    if face.suit:
        return Face(face.rank + next(suit for suit in SUITS if suit != face.suit))
    return Face(next(rank for rank in RANKS if rank != face.rank))
