"""Stops of gaming: all of it, one game, one player or one member of staff, until somebody releases it.

A stop lets the round in play end: bets that lie are dealt and settled. After it no table is called for bets, and no
screen takes another bet. At a felt table the felt is the truth: what is entered there is recorded, and an alarm rings.
"""

from collections.abc import Sequence

from punto.floor.clock import Clock
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.stops import Stop, StopScope, stop_at, stop_of, stops_at, stops_in_force
from punto.floor.house.writer import append_house
from punto.floor.journal.actor import Actor, command_record
from punto.floor.journal.audit_events import PlayedWhileStopped
from punto.floor.journal.entry import tag
from punto.floor.running.appender import ExtraWork
from punto.floor.running.live_table import LiveTable
from punto.table.records.commands import BuyIn, Command, IdentifyPlayer, OpenBetting, PlaceBet, Sit, StandBehind
from punto.table.records.events import BettingOpened, Event
from punto.table.records.positions import Position


class StopsInForce:
    """What a process knows of the stops. It is read again every second, and at once after a change of its own."""

    def __init__(self) -> None:
        self.all: tuple[Stop, ...] = ()

    def set(self, stops: Sequence[Stop], tables: Sequence[LiveTable]) -> None:
        changed, self.all = self.all != tuple(stops), tuple(stops)
        for live in tables:
            live.stop = stop_at(stops, live.setup.book)
            if changed:
                live.signal()

    def require_allowed(self, live: LiveTable, command: Command) -> None:
        """Refuse at a screen, and to the automatic dealer, what a stop forbids."""
        if self.all and (stop := _against(self.all, live, command)) is not None and not _is_fact(live, command):
            raise gaming_stopped(stop)

    def work_for(
        self,
        live: LiveTable,
        command: Command,
        events: Sequence[Event],
        clock: Clock,
        extra: ExtraWork | None,
        happened_at_us: int = 0,
    ) -> ExtraWork | None:
        """What to write with a command. A call for bets looks whether another process has just stopped gaming.

        What is entered on a felt later counts as of when it happened.
        """
        then_us = happened_at_us if _is_felt(live) else 0
        if not (then_us or isinstance(command, OpenBetting)) and _against(self.all, live, command) is None:
            return extra
        record = command_record(Actor(command.by, command.position), clock)
        rounds = [event.round for event in events if isinstance(event, BettingOpened)]
        number = rounds[0] if rounds else live.state.round.number if live.state.round is not None else 0

        def work(transaction: Transaction) -> None:
            if extra is not None:
                extra(transaction)
            stops = stops_at(transaction, then_us) if then_us else stops_in_force(transaction)
            if (stop := _against(stops, live, command)) is None:
                return
            if not _is_fact(live, command):
                raise gaming_stopped(stop)
            who = stop.of if stop.scope is StopScope.PLAYER else ""
            where = (live.setup.name, str(live.stream), number)
            append_house(transaction, record, PlayedWhileStopped(stop.number, *where, tag(type(command)), who))

        return work


def _against(stops: Sequence[Stop], live: LiveTable, command: Command) -> Stop | None:
    """The stop that a command goes against; None if it may be given.

    At a felt table a bet may have lain there before the stop, and somebody's place can turn out to be theirs.
    """
    felt = _is_felt(live)
    calls = isinstance(command, OpenBetting) or (isinstance(command, PlaceBet) and not felt)
    if calls and (stop := stop_at(stops, live.setup.book)) is not None:
        return stop
    if isinstance(command, PlaceBet | Sit | StandBehind | BuyIn):
        return stop_of(stops, StopScope.PLAYER, command.who)
    return stop_of(stops, StopScope.PLAYER, command.player_id) if felt and isinstance(command, IdentifyPlayer) else None


def gaming_stopped(stop: Stop) -> FloorRefused:
    """Only staff are told the reason, and nobody that of a person's stop."""
    match stop.scope:
        case StopScope.ALL:
            return FloorRefused(FloorCode.GAMING_STOPPED, reason=stop.reason)
        case StopScope.GAME:
            return FloorRefused(FloorCode.GAMING_STOPPED, variant="game", of=stop.of, reason=stop.reason)
        case StopScope.PLAYER:
            return FloorRefused(FloorCode.GAMING_STOPPED, variant="player", of=stop.of)
        case StopScope.STAFF:
            return FloorRefused(FloorCode.GAMING_STOPPED, variant="staff", of=stop.of)


def _is_fact(live: LiveTable, command: Command) -> bool:
    """Whether somebody says what happened on a felt. What the automatic dealer does there has not happened yet."""
    return _is_felt(live) and command.position is not Position.HOUSE


def _is_felt(live: LiveTable) -> bool:
    settings = live.state.settings
    return settings is not None and settings.felt
