"""How long players have done nothing at a table, and whose boxes were freed for it."""

from collections.abc import Iterable

from punto.floor.journal.command_ids import is_idle_id
from punto.floor.journal.entry import Entry, event_of, tag, tag_of
from punto.table.records.events import BettingOpened, PlayerLeft
from punto.table.records.positions import Position

_OPENED, _LEFT = tag(BettingOpened), tag(PlayerLeft)


class Presence:
    """Every entry must be fed in order. What happened before the first one is not known."""

    def __init__(self) -> None:
        self._rounds = 0
        self._last_rounds: dict[str, int] = {}
        """By player, the number of rounds when they last gave a command."""
        self._freed: set[str] = set()

    def idle_rounds(self, who: str) -> int:
        """The rounds since a player gave a command, at least."""
        return self._rounds - self._last_rounds.get(who, 0)

    def was_freed(self, who: str) -> bool:
        """Whether a player lost their boxes for doing nothing, and has given no command since."""
        return who in self._freed

    def feed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.position == Position.PLAYER:
                self._last_rounds[entry.actor] = self._rounds
                self._freed.discard(entry.actor)
            kind = tag_of(entry)
            if kind == _OPENED:
                self._rounds += 1
            elif kind == _LEFT and is_idle_id(entry.command_id):
                event = event_of(entry)
                assert isinstance(event, PlayerLeft)  # noqa: S101 - by its tag
                self._freed.add(event.who)
