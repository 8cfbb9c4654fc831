"""When the cause of an alarm has ended. All of it is pure.

An alarm that says how something is ends when it is no longer so. One that says that something was done stays until
somebody acknowledges it: what was paid, missed or tried remains, and somebody has to have seen it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from punto.floor.alarms.alarm_facts import AlarmFacts, is_in_play
from punto.floor.alarms.house_rules import Relief
from punto.floor.alarms.rules import table_alarms
from punto.floor.alarms.tallies import Tallies
from punto.floor.house.alarm import Alarm, AlarmKind
from punto.floor.house.projections.duty import DutyLine
from punto.floor.names.names import fold
from punto.floor.settings.floor_settings import FloorSettings
from punto.table.play.opening import shoes_in_use
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.records.state import Phase


class KnownNow(Struct, frozen=True):
    """What there is to know at a moment."""

    now_us: int
    settings: FloorSettings
    tables: Mapping[str, AlarmFacts]
    """Those that could be looked at."""
    tallies: Tallies
    complete: bool
    """Whether the tallies have the day of every table."""
    duty: Sequence[DutyLine] | None
    """None until the house could be read."""
    relieved_us: Mapping[tuple[Relief, str], int]
    """When something last happened, by what and where: a table, a process, or empty."""
    started_us: Mapping[str, int]
    """The processes that run now, and since when."""

    def after(self, alarm: Alarm, relief: Relief, where: str) -> bool:
        """Whether it has happened since the alarm rang."""
        return self.relieved_us.get((relief, where), 0) > alarm.at_us


AlarmEnding = Callable[[Alarm, KnownNow], bool]


def ended_alarms(alarms: Iterable[Alarm], known: KnownNow) -> list[int]:
    """The numbers of those whose cause has ended. A kind that no release knows any more never ends."""
    return [alarm.number for alarm in alarms if (ends := ENDINGS.get(alarm.kind)) is not None and ends(alarm, known)]


# ---- at a table


def _not_so(alarm: Alarm, known: KnownNow) -> bool:
    """The rule that rang no longer finds it, in the round and opening in which it did."""
    facts = known.tables.get(alarm.table)
    if facts is None:
        return False
    if facts.opening != alarm.opening:
        return True
    due = table_alarms(facts)
    same = (each for each in due if (each.kind, each.subject, each.round) == (alarm.kind, alarm.subject, alarm.round))
    return not any(each.once == alarm.once for each in due) and next(same, None) is None


def _irregularity(alarm: Alarm, known: KnownNow) -> bool:
    """It was dismissed, or its round is over. Somebody has to rule on an error of an earlier round."""
    return alarm.subject != Irregularity.LATER_ERROR and _not_so(alarm, known)


def _tray(alarm: Alarm, known: KnownNow) -> bool:
    """Chips have come. It rings again each hour, so the hour does not matter."""
    facts = known.tables.get(alarm.table)
    return facts is not None and alarm.kind not in {each.kind for each in table_alarms(facts)}


def _round_over(alarm: Alarm, known: KnownNow) -> bool:
    facts = known.tables.get(alarm.table)
    if facts is None:
        return False
    now = facts.open_round
    return facts.opening != alarm.opening or now is None or now.number != alarm.round


def _offered_after_all(alarm: Alarm, known: KnownNow) -> bool:
    """Late, or a correction says that it was offered. Once its round is over, the miss remains."""
    facts = known.tables.get(alarm.table)
    if facts is None or _round_over(alarm, known):
        return False
    now = facts.open_round
    missed = {str(each.stage) for each in now.insurance.missed} if now is not None else set()
    return alarm.values.get("stage") not in missed


def _rounds_go_on(alarm: Alarm, known: KnownNow) -> bool:
    """After a restart: every round that was open then is over, or void."""
    names = alarm.values.get("tables", ())
    tables = [known.tables.get(name) for name in (names if isinstance(names, tuple) else ())]
    return all(facts is not None and _is_past(facts, alarm.at_us) for facts in tables)


def _is_past(facts: AlarmFacts, at_us: int) -> bool:
    waits = facts.state.restart is not None
    return not waits and (not is_in_play(facts.state) or facts.times.in_play_us > at_us)


def _shoe_gone(alarm: Alarm, known: KnownNow) -> bool:
    facts = known.tables.get(alarm.table)
    return facts is not None and alarm.subject not in shoes_in_use(facts.state)


def _reads_fit(alarm: Alarm, known: KnownNow) -> bool:
    return _shoe_gone(alarm, known) or known.after(alarm, Relief.FIT_READ, alarm.table)


def _bridge_released(alarm: Alarm, known: KnownNow) -> bool:
    return _shoe_gone(alarm, known) or known.after(alarm, Relief.BRIDGE_RELEASED, alarm.table)


def _counted_again(alarm: Alarm, known: KnownNow) -> bool:
    return known.after(alarm, Relief.COUNTED, alarm.table)


# ---- people


def _day_over(alarm: Alarm, known: KnownNow) -> bool:
    day = known.settings.gaming_day
    return day.day_of(alarm.at_us) != day.day_of(known.now_us)


def _no_longer_won(alarm: Alarm, known: KnownNow) -> bool:
    """The player has lost it again, or won it back; has left the place; or the gaming day is over."""
    alarms, won = known.settings.alarms, alarm.kind == AlarmKind.PLAYER_WIN
    least_minor = alarms.player_win_minor if won else alarms.player_loss_minor
    if _day_over(alarm, known):
        return True
    won_minor = known.tallies.won_minor(alarm.subject, alarm.table, alarm.opening)
    return known.complete and (won_minor if won else -won_minor) < max(least_minor, 1)


def _hour_quiet(alarm: Alarm, known: KnownNow) -> bool:
    """Fewer than it takes to ring in the last hour."""
    alarms = known.settings.alarms
    least = alarms.late_bets if alarm.kind == AlarmKind.LATE_BETS else alarms.corrections_an_hour + 1
    kind = AlarmKind(alarm.kind)
    count = known.tallies.in_last_hour(kind, alarm.subject, alarm.table, alarm.opening, known.now_us)
    return known.complete and count < max(least, 1)


def _relieved(alarm: Alarm, known: KnownNow) -> bool:
    """No longer on duty as a dealer, or at a table that is known to be closed."""
    if known.duty is None:
        return False
    closed = {"", *(name for name, facts in known.tables.items() if facts.state.phase is Phase.CLOSED)}
    on = (line for line in known.duty if not line.to_us and line.position == Position.DEALER)
    return fold(alarm.subject) not in {fold(line.name) for line in on if line.table not in closed}


# ---- the house


def _sound(alarm: Alarm, known: KnownNow) -> bool:
    return known.after(alarm, Relief.SOUND, "")


def _same_program(alarm: Alarm, known: KnownNow) -> bool:
    """Its files are as they were, or that process runs no longer."""
    return alarm.subject not in known.started_us or known.after(alarm, Relief.SAME_PROGRAM, alarm.subject)


def _started_again(alarm: Alarm, known: KnownNow) -> bool:
    """Every process that runs has started since, and tested its generator."""
    return all(started_us > alarm.at_us for started_us in known.started_us.values())


ENDINGS: dict[str, AlarmEnding | None] = {
    AlarmKind.IRREGULARITY: _irregularity,
    AlarmKind.TOO_MANY_COPIES: _irregularity,
    AlarmKind.INSURANCE_DUE: _not_so,
    AlarmKind.INSURANCE_MISSED: _offered_after_all,
    AlarmKind.FIRST_CARD_KNOWN: _not_so,
    AlarmKind.LONG_ROUND: _not_so,
    AlarmKind.SCANNER_SILENT: _not_so,
    AlarmKind.SCANNER_GAP: _reads_fit,
    AlarmKind.SCANNER_MISREAD: _bridge_released,
    AlarmKind.RESTART: _rounds_go_on,
    AlarmKind.OVER_LIMIT: _round_over,
    AlarmKind.OPPOSITE_BETS: _round_over,
    AlarmKind.EDGE_MONEY: _round_over,
    AlarmKind.BIG_BET: _round_over,
    AlarmKind.BIG_PAYOUT: None,
    AlarmKind.BIG_BUY_IN: None,
    AlarmKind.BIG_BUY_IN_DAY: _day_over,
    AlarmKind.LARGE_CASH: None,
    AlarmKind.PLAYER_WIN: _no_longer_won,
    AlarmKind.PLAYER_LOSS: _no_longer_won,
    AlarmKind.TRAY_LOW: _tray,
    AlarmKind.TRAY_NEGATIVE: _tray,
    AlarmKind.COUNTS_DIFFER: _counted_again,
    AlarmKind.TRAY_OFF: None,
    AlarmKind.RULING: None,
    AlarmKind.LATE_BETS: _hour_quiet,
    AlarmKind.CORRECTIONS: _hour_quiet,
    AlarmKind.DEALER_ON: _relieved,
    AlarmKind.WRONG_PINS: None,
    AlarmKind.UNFIT_SHOE: _shoe_gone,
    AlarmKind.NOT_SOUND: _sound,
    AlarmKind.PLAYED_WHILE_STOPPED: None,
    AlarmKind.RETURN_OFF: None,
    AlarmKind.CLOCK_DIFFERS: None,
    AlarmKind.PROGRAM_CHANGED: _same_program,
    AlarmKind.GENERATOR_FAILED: _started_again,
}
"""By kind; None for what only people end. :class:`~punto.floor.alarms.clock_watch.ClockWatch` ends what it rang."""
