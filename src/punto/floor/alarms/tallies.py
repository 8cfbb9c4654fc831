"""What people did in the last hour, and what players bought, won and lost on the gaming day, over all tables.

Folded from the commands of all tables, so it can be made again from the journal.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from punto.floor.alarms.alarm_facts import doublings, once_text, person_key
from punto.floor.chips.day_ledger import amount_of, payments
from punto.floor.clock import HOUR_US
from punto.floor.house.alarm import AlarmKind, DueAlarm, Fact
from punto.floor.settings.floor_settings import FloorSettings
from punto.table.records.correction_events import PaymentCorrected
from punto.table.records.events import ChipsBought, ChipsCashed, Event, PlayerIdentified, PlayerLeft, RoundSettled
from punto.table.records.findings import LateBetRefused, Ruled, SettlementReversed
from punto.table.records.kinds import BuyInKind, CashOutKind, Concern
from punto.table.vocabulary import CORRECTION_EVENTS


class TableCommand(Struct, frozen=True):
    """An accepted command at a table that is not for play money."""

    table: str
    opening: int
    round: int
    at_us: int
    by: str
    """Who proposed it, if another person approved it."""
    events: Sequence[Event]

    def due(self, kind: AlarmKind, subject: str, *once: object, **values: Fact) -> DueAlarm:
        return DueAlarm(kind, once_text(kind, *once), self.table, self.opening, self.round, subject, values)


class DayTotals(Struct):
    """Of one player on a gaming day."""

    bought_minor: int = 0
    """For cash and vouchers."""
    cash_in_minor: int = 0
    cash_out_minor: int = 0
    won_minor: int = 0
    """By bets, rulings and wrong payments, and debts that nobody can collect; negative if they lost."""

    def add(self, other: "DayTotals") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Tallies:
    def __init__(self) -> None:
        self._day = ""
        self._totals: dict[str, DayTotals] = {}
        """By person."""
        self._left: dict[str, int] = {}
        """By place, when somebody last left it on this day."""
        self._settled: dict[str, dict[str, int]] = {}
        """By table, what the last settlement and corrections of its payments made each person win: a reversal takes it
    back."""
        self._recent: dict[tuple[AlarmKind, str], deque[int]] = {}
        """When somebody did something, in the last hour."""

    def take(self, command: TableCommand, settings: FloorSettings) -> list[DueAlarm]:
        """Add a command, and give the alarms that are due because of it."""
        due: list[DueAlarm] = []
        if any(event.concern is Concern.CORRECTION for event in command.events):
            due += self._corrected(command, settings)
        for event in command.events:
            taken = _TAKEN.get(type(event))
            if taken is not None:
                self._start_day(settings.gaming_day.day_of(command.at_us).isoformat())
                due += taken(self, command, event, settings)
        return due

    def late(self, command: TableCommand, who: str, settings: FloorSettings) -> Iterator[DueAlarm]:
        """Somebody tried to bet too late."""
        person, least = command_person(command, who), settings.alarms.late_bets
        count = self._count(AlarmKind.LATE_BETS, person, command.at_us)
        if least and count >= least:
            yield command.due(AlarmKind.LATE_BETS, who, person, command.at_us // HOUR_US, count=count)

    def _start_day(self, day: str) -> None:
        """Totals are of one day: everybody starts again with the next."""
        if day > self._day:
            self._day = day
            self._totals.clear()
            self._left.clear()

    def _of(self, command: TableCommand, who: str) -> DayTotals:
        return self._totals.setdefault(command_person(command, who), DayTotals())

    def _count(self, kind: AlarmKind, who: str, at_us: int) -> int:
        """Add one, and count those of the last hour."""
        times = self._recent.setdefault((kind, who), deque())
        times.append(at_us)
        while times[0] <= at_us - HOUR_US:
            times.popleft()
        return len(times)

    # ---- for those who ask whether it is still so

    def won_minor(self, who: str, table: str, opening: int) -> int:
        """What somebody has won on the day; negative if they lost, 0 also if they have left."""
        return self._totals.get(person_key(who, table, opening), DayTotals()).won_minor

    def in_last_hour(self, kind: AlarmKind, who: str, table: str, opening: int, now_us: int) -> int:
        """How often: late bets by a player, corrections by a member of staff."""
        person = person_key(who, table, opening) if kind is AlarmKind.LATE_BETS else who
        return sum(at_us > now_us - HOUR_US for at_us in self._recent.get((kind, person), ()))

    # ---- events

    def _corrected(self, command: TableCommand, settings: FloorSettings) -> Iterator[DueAlarm]:
        count = self._count(AlarmKind.CORRECTIONS, command.by, command.at_us)
        most = settings.alarms.corrections_an_hour
        if most and count > most:
            hour = command.at_us // HOUR_US
            yield command.due(AlarmKind.CORRECTIONS, command.by, command.by, hour, count=count)

    def _late_refused(
        self, command: TableCommand, event: LateBetRefused, settings: FloorSettings
    ) -> Iterator[DueAlarm]:
        return self.late(command, event.who, settings)

    def _bought(self, command: TableCommand, event: ChipsBought, settings: FloorSettings) -> Iterator[DueAlarm]:
        if event.kind is BuyInKind.CHIPS:  # bought elsewhere, or before
            return
        amount_minor = amount_of(event)
        totals, alarms = self._of(command, event.who), settings.alarms
        totals.bought_minor += amount_minor
        yield from self._amount(command, AlarmKind.BIG_BUY_IN, event.who, amount_minor, alarms.big_buy_in_minor)
        bought_minor = totals.bought_minor
        yield from self._amount(command, AlarmKind.BIG_BUY_IN_DAY, event.who, bought_minor, alarms.big_buy_in_day_minor)
        if event.kind is BuyInKind.CASH:
            totals.cash_in_minor += amount_minor
            yield from self._cash(command, event.who, "in", totals.cash_in_minor, settings)

    def _cashed(self, command: TableCommand, event: ChipsCashed, settings: FloorSettings) -> Iterator[DueAlarm]:
        if event.kind is not CashOutKind.CASH:
            return
        totals = self._of(command, event.who)
        totals.cash_out_minor += amount_of(event)
        yield from self._cash(command, event.who, "out", totals.cash_out_minor, settings)

    def _cash(
        self, command: TableCommand, who: str, way: str, amount_minor: int, settings: FloorSettings
    ) -> Iterator[DueAlarm]:
        """Once on a gaming day for each way: what the house has to report does not become more."""
        if settings.large_cash_minor and amount_minor >= settings.large_cash_minor:
            once = (way, *self._once(command, who))
            yield command.due(AlarmKind.LARGE_CASH, who, *once, way=way, amount_minor=amount_minor)

    def _amount(
        self, command: TableCommand, kind: AlarmKind, who: str, amount_minor: int, threshold_minor: int
    ) -> Iterator[DueAlarm]:
        if times := doublings(amount_minor, threshold_minor):
            yield command.due(kind, who, *self._once(command, who), times, amount_minor=amount_minor)

    def _once(self, command: TableCommand, who: str) -> tuple[object, ...]:
        """The same for one person on one day. Where somebody has left, the next one is another person."""
        person = command_person(command, who)
        return (person, self._day, *([self._left[person]] if person in self._left else []))

    def _settle(self, command: TableCommand, event: RoundSettled, settings: FloorSettings) -> Iterator[DueAlarm]:
        won: dict[str, int] = {}
        for result in event.results:
            won[result.who] = won.get(result.who, 0) + result.returned_minor - result.stake_minor
        self._settled[command.table] = won
        for who, amount_minor in won.items():
            totals = self._of(command, who)
            totals.won_minor += amount_minor
            yield from self._won(command, who, totals.won_minor, settings)

    def _adjust(
        self, command: TableCommand, event: Ruled | PaymentCorrected, settings: FloorSettings
    ) -> Iterator[DueAlarm]:
        for who, _, amount_minor in payments(event):
            if isinstance(event, PaymentCorrected):
                settled = self._settled.setdefault(command.table, {})
                settled[who] = settled.get(who, 0) + amount_minor
            totals = self._of(command, who)
            totals.won_minor += amount_minor
            yield from self._won(command, who, totals.won_minor, settings)

    def _won(self, command: TableCommand, who: str, won_minor: int, settings: FloorSettings) -> Iterator[DueAlarm]:
        alarms = settings.alarms
        yield from self._amount(command, AlarmKind.PLAYER_WIN, who, max(won_minor, 0), alarms.player_win_minor)
        yield from self._amount(command, AlarmKind.PLAYER_LOSS, who, max(-won_minor, 0), alarms.player_loss_minor)

    def _reverse(self, command: TableCommand, _: SettlementReversed, __: FloorSettings) -> Iterator[DueAlarm]:
        for who, amount_minor in self._settled.pop(command.table, {}).items():
            self._of(command, who).won_minor -= amount_minor
        return iter(())

    def _leave(self, command: TableCommand, event: PlayerLeft, _: FloorSettings) -> Iterator[DueAlarm]:
        """The next person at the same place is another one. A debt of somebody with an id is theirs to keep."""
        if (person := command_person(command, event.who)) != event.who:
            self._totals.pop(person, None)
            self._left[person] = command.at_us
        else:
            for who, __, amount_minor in payments(event):
                self._of(command, who).won_minor += amount_minor
        return iter(())

    def _identify(self, command: TableCommand, event: PlayerIdentified, settings: FloorSettings) -> Iterator[DueAlarm]:
        """Rings for what both together come to, and neither came to alone."""
        settled = self._settled.get(command.table, {})
        if event.who in settled:
            settled[event.player_id] = settled.get(event.player_id, 0) + settled.pop(event.who)
        at_place = self._totals.pop(command_person(command, event.who), None)
        if at_place is None:
            return
        who, totals = event.player_id, self._of(command, event.player_id)
        alone = {_what(due) for each in (at_place, totals) for due in self._of_day(command, who, each, settings)}
        totals.add(at_place)
        yield from (due for due in self._of_day(command, who, totals, settings) if _what(due) not in alone)

    def _of_day(
        self, command: TableCommand, who: str, totals: DayTotals, settings: FloorSettings
    ) -> Iterator[DueAlarm]:
        """Everything that is due for what somebody has come to on the day."""
        most_minor = settings.alarms.big_buy_in_day_minor
        yield from self._amount(command, AlarmKind.BIG_BUY_IN_DAY, who, totals.bought_minor, most_minor)
        yield from self._cash(command, who, "in", totals.cash_in_minor, settings)
        yield from self._cash(command, who, "out", totals.cash_out_minor, settings)
        yield from self._won(command, who, totals.won_minor, settings)


def command_person(command: TableCommand, who: str) -> str:
    return person_key(who, command.table, command.opening)


def _what(due: DueAlarm) -> tuple[AlarmKind, Fact]:
    return due.kind, due.values.get("way", "")


_Taken = Callable[[Tallies, TableCommand, Any, FloorSettings], Iterator[DueAlarm]]

_TAKEN: dict[type[Event], _Taken] = {
    ChipsBought: Tallies._bought,  # noqa: SLF001 - its own methods
    ChipsCashed: Tallies._cashed,  # noqa: SLF001
    LateBetRefused: Tallies._late_refused,  # noqa: SLF001
    RoundSettled: Tallies._settle,  # noqa: SLF001
    SettlementReversed: Tallies._reverse,  # noqa: SLF001
    Ruled: Tallies._adjust,  # noqa: SLF001
    PaymentCorrected: Tallies._adjust,  # noqa: SLF001
    PlayerLeft: Tallies._leave,  # noqa: SLF001
    PlayerIdentified: Tallies._identify,  # noqa: SLF001
}
TALLIED: tuple[type[Event], ...] = tuple(dict.fromkeys((*_TAKEN, *CORRECTION_EVENTS)))
"""The events that count."""
