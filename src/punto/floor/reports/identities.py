"""Which registered player somebody turned out to be, for what they did before they were identified.

Events keep the name of that time. A report counts what was done under a place or a plain name for the id, from the
moment the person came to the table under that name (in this opening) until they were identified. Somebody unknown who
moved to another place is counted there. A buy-in by somebody who is not at the table starts the time of a new person:
a place has nobody new until its last person's chips are gone, or moved to a name of their own at a felt table.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from punto.floor.journal.entry import Entry, event_of, tag, tag_of
from punto.floor.reports.rounds.round_steps import evolve_entry
from punto.table.records.events import ChipsBought, PlayerIdentified
from punto.table.records.state import Table

_IDENTIFIED = tag(PlayerIdentified)


class Stay(Struct, frozen=True):
    """The time of one person under a name: from ``since`` up to but not including ``until``, in versions."""

    since: int
    until: int
    player_id: str
    """Their name from then on: an id, or another place."""


class Identities:
    """The stays of one opening that ended with an identification."""

    def __init__(self, read: Callable[[], Iterable[Entry]]) -> None:
        """``read`` reads the entries of the opening from the first. It is called twice if somebody was identified."""
        self._stays: dict[str, list[Stay]] = {}
        last = max((entry.version for entry in read() if tag_of(entry) == _IDENTIFIED), default=0)
        state, since = Table(), dict[str, int]()
        for entry in read() if last else ():
            event = event_of(entry)
            people, state = state.people, evolve_entry(state, entry, event)
            for who in state.people - people:
                # otherwise a correction brought them back
                if isinstance(event, ChipsBought | PlayerIdentified) or who not in since:
                    since[who] = entry.version
            if isinstance(event, PlayerIdentified):
                stay = Stay(since[event.who], entry.version, event.player_id)
                self._stays.setdefault(event.who, []).append(stay)
                if event.left:  # whoever comes to the place now is somebody else
                    del since[event.who]
                    since[event.player_id] = entry.version
            if entry.version == last:
                break

    def stays_of(self, player: str) -> Iterator[tuple[str, Stay]]:
        """The names under which a player was there before they were identified, and when."""
        for who, stays in self._stays.items():
            yield from ((who, stay) for stay in stays if self.find(who, stay.since) == player)

    def find(self, who: str, version: int) -> str:
        """The last name of the person who had this name at a version: their id if they were identified."""
        stay = next((stay for stay in self._stays.get(who, ()) if stay.since <= version < stay.until), None)
        return who if stay is None else self.find(stay.player_id, stay.until)
