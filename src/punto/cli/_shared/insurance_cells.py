"""An insurance cell in JSON output."""

from msgspec import Struct


class CellOut(Struct):
    """One line of an insurance table: the stage, the insured side, and both hands' points at that stage."""

    stage: str
    side: str
    player: int
    banker: int
