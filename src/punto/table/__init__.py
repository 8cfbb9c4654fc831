"""What happens at one table. Pure: ``decide`` judges, ``evolve`` never does."""

from punto.table.automation import next_step
from punto.table.engine import decide, evolve, handle
from punto.table.legality import legal

__all__ = ["decide", "evolve", "handle", "legal", "next_step"]
