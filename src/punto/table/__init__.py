"""One table, as pure functions: ``decide`` judges a command, ``evolve`` applies events and never judges."""

from punto.table.engine import decide, handle
from punto.table.evolution import evolve
from punto.table.moves.listing import legal
from punto.table.situation import next_step

__all__ = ["decide", "evolve", "handle", "legal", "next_step"]
