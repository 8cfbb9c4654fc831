"""Who may open a page."""

from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import Actor
from punto.table.records.positions import Position, in_order
from punto.table.refusals import TableCode


def require(by: Actor, may: frozenset[Position]) -> None:
    if by.position not in may:
        raise FloorRefused(TableCode.NOT_AUTHORISED, positions=in_order(may), position=by.position)
