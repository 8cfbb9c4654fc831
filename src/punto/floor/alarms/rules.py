"""The rules that ring for what is on a table. Each takes the facts and gives the alarms that are due; all are pure.

A rule says what is so, not what has just changed, so nothing is lost when a process stops between the two; the alarm
itself rings only once. Thresholds are reached, not exceeded, and 0 switches a rule off.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from punto.floor.alarms.alarm_facts import AlarmFacts, once_text
from punto.floor.alarms.bet_rules import big_bet, big_payout, opposite_bets, over_limit
from punto.floor.clock import HOUR_US
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.table.records.chips import TrayCounted
from punto.table.records.events import BettingClosed, Event, InsuranceMissed, MoneyEvent, RoundSettled
from punto.table.records.findings import IrregularityRaised, IrregularityReported, Ruled
from punto.table.records.kinds import Irregularity
from punto.table.records.ledger import BANK, CAGE, UNEXPLAINED, moved_minor, tray_minor
from punto.table.records.state import Phase
from punto.table.situation import SituationKind, situation

AlarmRule = Callable[[AlarmFacts], Iterator[DueAlarm]]

COPIES = frozenset({Irregularity.CARD_COUNT, Irregularity.FOREIGN_CARD})
"""What a table raises if more copies of a card are seen than its shoe has."""
NOT_RUNG = frozenset({Irregularity.INTERRUPTION, Irregularity.RULING})
"""An interruption by a restart has an alarm of its own, and somebody of the pit reports others, and rules."""
CHANGES = (BettingClosed, InsuranceMissed, IrregularityRaised, RoundSettled)
"""Events after which a table is looked at before the next command: that may change what a rule has to see."""


def table_alarms(facts: AlarmFacts) -> list[DueAlarm]:
    """Everything that is due at a table. At a play-money table only what is about the game."""
    rules = GAME_RULES if facts.play_money else (*GAME_RULES, *MONEY_RULES)
    return [due for rule in rules for due in rule(facts)]


def time_alarms(facts: AlarmFacts) -> list[DueAlarm]:
    """What becomes due at a table that has not changed."""
    rules = (insurance_due, scanner_silent) if facts.play_money else (insurance_due, scanner_silent, long_round)
    return [due for rule in rules for due in rule(facts)]


def reported_later(facts: AlarmFacts, events: Iterable[Event]) -> Iterator[DueAlarm]:
    """Irregularities that were reported, also after their round."""
    for event in events:
        if isinstance(event, IrregularityReported) and event.kind not in NOT_RUNG:
            yield _irregularity(facts, event.kind, event.round)


def counted_off(facts: AlarmFacts, events: Iterable[Event], at_us: int) -> Iterator[DueAlarm]:
    """Counts that found more or less than was on record. By then the count stands, so it can be said how much."""
    for event in events:
        if isinstance(event, TrayCounted) and event.difference_minor:
            yield facts.due(
                AlarmKind.TRAY_OFF,
                (at_us,),
                purpose=str(event.purpose),
                counted_minor=event.counted_minor,
                expected_minor=event.expected_minor,
                difference_minor=event.difference_minor,
            )


def ruled(facts: AlarmFacts, events: Sequence[Event], at_us: int) -> Iterator[DueAlarm]:
    """Rulings that moved money, however little: one person decides, and no clause says how much."""
    for event in events:
        if isinstance(event, Ruled):
            moved = moved_minor(p for each in events if isinstance(each, MoneyEvent) for p in each.postings)
            if moved:
                yield facts.due(AlarmKind.RULING, (at_us,), event.ruled_by, moved_minor=moved)


# ---- the game


def irregularity(facts: AlarmFacts) -> Iterator[DueAlarm]:
    now = facts.open_round
    if now is None:
        return
    if (raised := now.irregularities.raised) is not None:
        copies = AlarmKind.TOO_MANY_COPIES if raised.kind in COPIES else AlarmKind.IRREGULARITY
        yield _irregularity(facts, raised.kind, now.number, copies)
    for kind in now.irregularities.reported:
        if kind not in NOT_RUNG:
            yield _irregularity(facts, kind, now.number)


def _irregularity(
    facts: AlarmFacts, what: Irregularity, number: int, rings: AlarmKind = AlarmKind.IRREGULARITY
) -> DueAlarm:
    """It rings once in a round, whether the table has raised it, somebody has reported it, or both."""
    once = once_text(AlarmKind.IRREGULARITY, facts.table, facts.opening, number, what)
    return DueAlarm(rings, once, facts.table, facts.opening, number, what, {"what": str(what)})


def insurance_due(facts: AlarmFacts) -> Iterator[DueAlarm]:
    if not facts.lasts(facts.times.insurance_due_us, facts.settings.alarms.insurance_due_s):
        return
    found = situation(facts.rules, facts.state)
    if found.kind is SituationKind.INSURANCE_DUE and (line := found.line) is not None:
        once = (facts.round, line.stage)
        yield facts.due(AlarmKind.INSURANCE_DUE, once, line.side, side=str(line.side), stage=str(line.stage))


def insurance_missed(facts: AlarmFacts) -> Iterator[DueAlarm]:
    now = facts.open_round
    for each in now.insurance.missed if now is not None else ():
        once = (facts.round, each.stage)
        yield facts.due(AlarmKind.INSURANCE_MISSED, once, each.side, side=str(each.side), stage=str(each.stage))


def first_card_known(facts: AlarmFacts) -> Iterator[DueAlarm]:
    """From the moment at which the card is carried over, so that somebody is there before betting opens."""
    state, number = facts.state, facts.round
    first = state.carried[0] if state.carried else None
    if first is None or first.card is None:
        return
    if state.phase is Phase.READY:
        number += 1
    elif state.phase is not Phase.BETTING or first.drawn_in == number:
        return
    yield facts.due(AlarmKind.FIRST_CARD_KNOWN, (number,), first.card, number, card=str(first.card))


def scanner_silent(facts: AlarmFacts) -> Iterator[DueAlarm]:
    """A scanner that has read cards here reads none, though one is wanted or cards are entered by hand."""
    times, most_s = facts.times, facts.settings.alarms.scanner_silent_s
    waits = [since_us for since_us in (times.wants_card_us, times.by_hand_us) if since_us]
    if waits and times.read_us and facts.lasts(max(min(waits), times.read_us), most_s):
        yield facts.due(AlarmKind.SCANNER_SILENT, (times.read_us,), seconds=most_s)


# ---- money


def long_round(facts: AlarmFacts) -> Iterator[DueAlarm]:
    """Not while something is being resolved: that has an alarm of its own."""
    now, most_s = facts.open_round, facts.settings.alarms.round_s
    if now is None or facts.state.restart is not None:
        return
    in_trouble = now.irregularities.raised is not None or bool(now.irregularities.reported)
    if not in_trouble and facts.lasts(facts.times.in_play_us, most_s):
        yield facts.due(AlarmKind.LONG_ROUND, (facts.round,), seconds=most_s)


def tray(facts: AlarmFacts) -> Iterator[DueAlarm]:
    """Only of a tray that chips were put into on record, at a table whose bets are on record.

    No alarm says how much lies there: those who read it may be the ones who count the tray blind.
    """
    settings, balances, hour = facts.state.settings, facts.state.balances, facts.now_us // HOUR_US
    supplied = any(balances.get(account) for account in (BANK, CAGE, UNEXPLAINED))
    if facts.state.phase is Phase.CLOSED or settings is None or settings.cards_only or not supplied:
        return
    left_minor, par_minor, low = tray_minor(balances), settings.tray_par_minor, facts.settings.alarms.tray_low_percent
    if left_minor < 0:
        yield facts.due(AlarmKind.TRAY_NEGATIVE, (hour,))
    elif par_minor and low and left_minor * 100 <= par_minor * low:
        yield facts.due(AlarmKind.TRAY_LOW, (hour,))


GAME_RULES: tuple[AlarmRule, ...] = (irregularity, insurance_due, insurance_missed, first_card_known, scanner_silent)
MONEY_RULES: tuple[AlarmRule, ...] = (long_round, over_limit, big_bet, big_payout, opposite_bets, tray)
