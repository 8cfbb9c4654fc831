"""An insurance cell as programs read it, whatever is said of it."""

from msgspec import Struct


class CellOut(Struct):
    """When insurance is offered, to whose side, and the points that lie there."""

    stage: str
    side: str
    player: int
    banker: int
