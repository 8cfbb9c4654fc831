"""The rules that ring for what is on a table. Each takes the facts and gives the alarms that are due; all are pure.

A rule says what is so, not what has just changed, so nothing is lost when a process stops between the two; the alarm
itself rings only once. Thresholds are reached, not exceeded, and 0 switches a rule off.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from punto.floor.alarms.alarm import AlarmKind, DueAlarm
from punto.floor.alarms.table_facts import HOUR_US, TableFacts, doublings, once_text
from punto.floor.clock import SECOND_US
from punto.rules.coup.table_of_play import Side
from punto.table.decision import coup_of
from punto.table.play.insuring import due_offer
from punto.table.play.limits import box_total, exceeded_limits
from punto.table.records.events import BettingClosed, Event, InsuranceMissed, Limit, RoundSettled
from punto.table.records.findings import IrregularityRaised, IrregularityReported
from punto.table.records.kinds import Irregularity
from punto.table.records.ledger import BANK, FLOAT
from punto.table.records.state import Phase, Round

Rule = Callable[[TableFacts], Iterator[DueAlarm]]

MILLION = 1_000_000
COPIES = frozenset({Irregularity.CARD_COUNT, Irregularity.FOREIGN_CARD})
"""What a table raises if more copies of a card are seen than its shoe has."""


CHANGES = (BettingClosed, InsuranceMissed, IrregularityRaised, RoundSettled)
"""Events after which a table is looked at before the next command: it may change what a rule has to see."""


def table_alarms(facts: TableFacts) -> list[DueAlarm]:
    """Everything that is due at a table. At a play-money table only what is about the game."""
    rules = GAME_RULES if facts.play_money else (*GAME_RULES, *MONEY_RULES)
    return [due for rule in rules for due in rule(facts)]


def time_alarms(facts: TableFacts) -> list[DueAlarm]:
    """What becomes due at a table that has not changed."""
    return [due for rule in TIME_RULES if rule is not long_round or not facts.play_money for due in rule(facts)]


def reported_later(facts: TableFacts, events: Iterable[Event]) -> Iterator[DueAlarm]:
    """Irregularities that were reported after their round."""
    for event in events:
        if isinstance(event, IrregularityReported) and event.kind not in NOT_RUNG:
            yield irregularity_due(facts, event.kind, event.round)


# ---- the game


def irregularity(facts: TableFacts) -> Iterator[DueAlarm]:
    now = facts.open_round
    if now is None:
        return
    if (raised := now.irregularities.raised) is not None:
        yield irregularity_due(facts, raised.kind, raised=True)
    for kind in now.irregularities.reported:
        if kind not in NOT_RUNG:
            yield irregularity_due(facts, kind)


NOT_RUNG = frozenset({Irregularity.INTERRUPTION, Irregularity.RULING})
"""An interruption by a restart has an alarm of its own, and who rules or reports another one is already there."""


def irregularity_due(facts: TableFacts, kind: Irregularity, number: int | None = None, *, raised: bool = False) -> DueAlarm:
    """The alarm for an irregularity. It rings once in a round, whether raised by the table, reported, or both."""
    rings = AlarmKind.TOO_MANY_COPIES if raised and kind in COPIES else AlarmKind.IRREGULARITY
    number = facts.round if number is None else number
    once = once_text(AlarmKind.IRREGULARITY, facts.table, facts.opening, number, kind)
    return DueAlarm(rings, once, facts.table, facts.opening, number, kind, {"what": str(kind)})


def insurance_due(facts: TableFacts) -> Iterator[DueAlarm]:
    since_us, most_s = facts.times.insurance_due_us, facts.settings.alarms.insurance_due_s
    if not since_us or not most_s or facts.now_us - since_us < most_s * SECOND_US:
        return
    line = due_offer(facts.rules, facts.state, coup_of(facts.rules, facts.state))
    if line is not None:
        yield facts.due(
            AlarmKind.INSURANCE_DUE, facts.round, line.stage, subject=line.side, side=line.side, stage=line.stage
        )


def insurance_missed(facts: TableFacts) -> Iterator[DueAlarm]:
    now = facts.open_round
    for each in now.insurance.missed if now is not None else ():
        yield facts.due(
            AlarmKind.INSURANCE_MISSED, facts.round, each.stage, subject=each.side, side=each.side, stage=each.stage
        )


def first_card_known(facts: TableFacts) -> Iterator[DueAlarm]:
    """From the moment at which the card is carried over, so that somebody is there before betting opens."""
    state, number = facts.state, facts.round
    first = state.carried[0] if state.carried else None
    if first is None or first.card is None:
        return
    if state.phase is Phase.READY:
        yield facts.due(AlarmKind.FIRST_CARD_KNOWN, number + 1, subject=first.card, number=number + 1, card=first.card)
    elif state.phase is Phase.BETTING and first.drawn_in != number:
        yield facts.due(AlarmKind.FIRST_CARD_KNOWN, number, subject=first.card, card=first.card)


def long_round(facts: TableFacts) -> Iterator[DueAlarm]:
    """Not while something is being resolved: that has an alarm of its own."""
    now, most_s, since_us = facts.open_round, facts.settings.alarms.round_s, facts.times.in_play_us
    if now is None or not since_us or not most_s or facts.state.restart is not None:
        return
    troubled = now.irregularities.raised is not None or now.irregularities.reported
    if not troubled and facts.now_us - since_us >= most_s * SECOND_US:
        yield facts.due(AlarmKind.LONG_ROUND, facts.round, seconds=most_s)


def scanner_silent(facts: TableFacts) -> Iterator[DueAlarm]:
    """A scanner that has read cards here reads none, though one is wanted or cards are entered by hand."""
    times, most_s = facts.times, facts.settings.alarms.scanner_silent_s
    waits = [since_us for since_us in (times.wants_card_us, times.by_hand_us) if since_us]
    if not waits or not most_s or not times.read_us:
        return
    since_us = max(min(waits), times.read_us)
    if facts.now_us - since_us >= most_s * SECOND_US:
        yield facts.due(AlarmKind.SCANNER_SILENT, times.read_us, seconds=most_s)


# ---- money


def over_limit(facts: TableFacts) -> Iterator[DueAlarm]:
    now = facts.open_round
    if now is None or facts.state.phase is not Phase.DEALING or facts.state.settings is None:
        return
    for box in sorted({placed.box for placed in now.at_close.values()}):
        for bet, limit, _ in exceeded_limits(facts.state.settings, now.at_close, box):
            if limit is not Limit.MINIMUM:
                amount_minor = box_total(now.at_close, box, bet)
                yield facts.due(
                    *(AlarmKind.OVER_LIMIT, facts.round, box, bet, limit),
                    subject=bet,
                    box=box,
                    bet=bet,
                    amount_minor=amount_minor,
                )


def big_bet(facts: TableFacts) -> Iterator[DueAlarm]:
    now, least_minor = facts.open_round, facts.settings.alarms.big_bet_minor
    for placed in now.bets.values() if now is not None else ():
        if times := doublings(placed.stake_minor, least_minor):
            values = {"box": placed.box, "bet": placed.bet, "amount_minor": placed.stake_minor}
            yield facts.due_of(AlarmKind.BIG_BET, placed.who, times, **values)


def big_payout(facts: TableFacts) -> Iterator[DueAlarm]:
    now, least_minor = facts.state.round, facts.settings.alarms.big_payout_minor
    for result in now.results if now is not None and now.settled else ():
        paid_minor = result.returned_minor - result.stake_minor
        if times := doublings(max(paid_minor, 0), least_minor):
            values = {"box": result.box, "bet": result.bet, "amount_minor": paid_minor}
            yield facts.due_of(AlarmKind.BIG_PAYOUT, result.who, times, **values)


def opposite_bets(facts: TableFacts) -> Iterator[DueAlarm]:
    """Large bets on both sides by one party, or in one box by several."""
    now, least_minor = facts.open_round, facts.settings.alarms.opposite_minor
    if now is None or not least_minor:
        return
    hour = facts.now_us // HOUR_US
    parties = [who for who in dict.fromkeys(placed.who for placed in now.bets.values()) if _both(now, who=who) >= least_minor]
    for who in parties:
        yield facts.due(
            AlarmKind.OPPOSITE_BETS, "party", who, hour, subject=who, **{"who": who, "amount_minor": _both(now, who=who)}
        )
    for box in sorted({placed.box for placed in now.bets.values() if placed.who not in parties}):
        if (amount_minor := _both(now, box=box)) >= least_minor:
            yield facts.due(
                *(AlarmKind.OPPOSITE_BETS, "box", box, hour), subject=f"box {box}", box=box, amount_minor=amount_minor
            )


def _both(now: Round, *, who: str = "", box: int = 0) -> int:
    """What lies on both sides: the smaller of the two totals."""
    of = [placed for placed in now.bets.values() if (not who or placed.who == who) and (not box or placed.box == box)]
    return min(sum(placed.stake_minor for placed in of if placed.bet == side) for side in Side)


def edge_money(facts: TableFacts) -> Iterator[DueAlarm]:
    """All stakes on one bet together: a party can divide them among its players."""
    now, edges, least_minor = facts.open_round, facts.edges, facts.settings.alarms.edge_money_minor
    if now is None or edges is None or edges.round_next != facts.round:
        return
    bets = now.at_close or now.bets
    for bet, edge in edges.below_zero.items():
        stake_minor = sum(placed.stake_minor for placed in bets.values() if placed.bet == bet)
        if times := doublings(int(stake_minor * -edge), least_minor):
            worth_minor = int(stake_minor * -edge)
            yield facts.due(
                *(AlarmKind.EDGE_MONEY, edges.shoe, bet, times),
                subject=bet,
                bet=bet,
                stake_minor=stake_minor,
                worth_minor=worth_minor,
                edge=str(Fraction(round(-edge * MILLION), MILLION)),
            )


def tray(facts: TableFacts) -> Iterator[DueAlarm]:
    """Only of a tray that chips were put into on record."""
    balances, hour = facts.state.balances, facts.now_us // HOUR_US
    left_minor = balances.get(FLOAT, 0)
    if facts.state.phase is not Phase.CLOSED and balances.get(BANK) and left_minor < 0:
        yield facts.due(AlarmKind.TRAY_NEGATIVE, hour, amount_minor=-left_minor)


GAME_RULES: tuple[Rule, ...] = (
    irregularity,
    insurance_due,
    insurance_missed,
    first_card_known,
    scanner_silent,
)
MONEY_RULES: tuple[Rule, ...] = (
    long_round,
    over_limit,
    big_bet,
    big_payout,
    opposite_bets,
    tray,
)
TIME_RULES: tuple[Rule, ...] = (insurance_due, long_round, scanner_silent)
