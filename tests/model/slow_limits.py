"""Which chips are rejected, worked out from one list of all chips in the order they were laid."""

from typing import TYPE_CHECKING

from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.records import correction_events, events
from punto.table.records.commands import RejectExcess
from punto.table.records.events import Event

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks

Key = tuple[str, int, str]
Chips = list[tuple[Key, int]]
"""Whose chips and how many, oldest first; a bet that was raised is there several times."""


class SlowLimits:
    """Seated players' chips lie first, then those of standing players, and what lies last goes back first."""

    def __init__(self, books: "SlowBooks") -> None:
        self.books = books
        self.laid: Chips = []

    def record(self, event: Event) -> None:
        """Follow the chips. Called before the stakes change."""
        command = self.books.command
        if isinstance(command, RejectExcess) and event is self.books.decision[0]:
            beyond = self._beyond_differential(command.box) if command.bet is None else self._beyond_maximum(command)
            assert self._rejected() == beyond != {}
        match event:
            case events.BettingOpened():
                self.laid = []
            case events.BetPlaced():
                key = (event.who, event.box, event.bet)
                self.laid = [each for each in self.laid if each[0] in self.books.stakes]  # others were returned
                self.laid.append((key, event.stake_minor - self._staked(key)))
            case events.BetRejected() | events.BetWithdrawn():
                self._lift((event.who, event.box, event.bet), event.stake_minor)
            case correction_events.BetCorrected():
                self._correct((event.who, event.box, event.bet), event.stake_minor)
            case events.PlayerIdentified():
                self.laid = [
                    ((event.player_id, *key[1:]) if key[0] == event.who else key, minor) for key, minor in self.laid
                ]

    def _staked(self, key: Key) -> int:
        return sum(minor for other, minor in self.laid if other == key)

    def _lift(self, key: Key, left_minor: int) -> None:
        """Take chips off the top of one bet."""
        for at in reversed(range(len(self.laid))):
            whose, minor = self.laid[at]
            if whose == key:
                self.laid[at] = (key, minor - min(minor, self._staked(key) - left_minor))
        self.laid = [each for each in self.laid if each[1]]

    def _correct(self, key: Key, stake_minor: int) -> None:
        mine = [at for at, (whose, _) in enumerate(self.laid) if whose == key]
        more = stake_minor - self._staked(key)
        if more < 0:
            self._lift(key, stake_minor)
        elif mine:
            self.laid[mine[-1]] = (key, self.laid[mine[-1]][1] + more)
        else:
            self.laid.append((key, stake_minor))

    # ---- what is rejected

    def check(self, event: Event) -> None:
        """Screens reject what a bet or a withdrawal leaves beyond the limits, and nothing else."""
        if isinstance(event, events.BetPlaced | events.BetWithdrawn):
            assert self._rejected() == ({} if self.books.felt else self._beyond_differential(event.box))
        for key, stake in self.books.stakes.items():
            assert self._staked(key) == stake.stake_minor

    def _rejected(self) -> dict[Key, int]:
        rejected = [each for each in self.books.decision if isinstance(each, events.BetRejected)]
        return {(each.who, each.box, each.bet): each.stake_minor for each in rejected}

    def _beyond_differential(self, box: int) -> dict[Key, int]:
        settings = self.books.settings
        assert settings is not None
        if settings.differential_minor is None:
            return {}
        back: dict[Key, int] = {}
        for side in MAIN_BETS:
            (other,) = MAIN_BETS - {side}
            against = sum(minor for key, minor in self.laid if key[1:] == (box, other))
            back |= self._beyond(box, side, against + settings.differential_minor, settings.main.min_minor or 0)
        return back

    def _beyond_maximum(self, command: RejectExcess) -> dict[Key, int]:
        settings = self.books.settings
        assert settings is not None
        assert command.bet is not None
        limits = settings.main if command.bet in MAIN_BETS else settings.side
        assert limits.max_minor is not None
        return self._beyond(command.box, command.bet, limits.max_minor, limits.min_minor or 0)

    def _beyond(self, box: int, bet: str, most_minor: int, least_minor: int) -> dict[Key, int]:
        """By bet that is cut, what is left of it."""
        there = [each for each in self.laid if each[0][1:] == (box, bet)]
        seated = [each for each in there if self.books.stakes[each[0]].seated]
        pile = seated + [each for each in there if each not in seated]
        back: dict[Key, int] = {}
        while (over := sum(minor for _, minor in pile) - most_minor) > 0:
            key, minor = pile.pop()
            if minor > over:
                pile.append((key, minor - over))
            back[key] = sum(left for whose, left in pile if whose == key)
            if back[key] < least_minor:
                pile, back[key] = [each for each in pile if each[0] != key], 0
        return back
