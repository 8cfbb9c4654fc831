"""Which players have a table's page, or a program that watches it, open at this process."""

from collections import Counter

AWAY_S = 10.0
"""How long after their last line to the table was lost a player is away, unless it has come back."""
FORGET_S = 3_600.0


class PlayersHere:
    """A player who was never seen here may be at another process, or play without watching: they count as present."""

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()
        self._lost_s: dict[str, float] = {}
        """By player, when their last line was lost."""

    def arrived(self, who: str) -> None:
        self._lines[who] += 1
        self._lost_s.pop(who, None)

    def left(self, who: str, now_s: float) -> None:
        self._lines[who] -= 1
        if self._lines[who] > 0:
            return
        del self._lines[who]
        self._lost_s = {name: at_s for name, at_s in self._lost_s.items() if now_s - at_s < FORGET_S}
        self._lost_s[who] = now_s

    def away_at_s(self, who: str) -> float | None:
        """From when on a player is away, by the steady clock; None while they are present."""
        lost_s = self._lost_s.get(who)
        return None if lost_s is None else lost_s + AWAY_S
