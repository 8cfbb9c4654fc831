"""The rules that ring for bets and what they pay. All are pure."""

from collections.abc import Iterator
from fractions import Fraction

from punto.floor.alarms.alarm_facts import AlarmFacts, doublings
from punto.floor.clock import HOUR_US
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.rules.coup.table_of_play import Side
from punto.table.play.limits import box_total, exceeded_limits
from punto.table.records.events import Limit
from punto.table.records.state import Phase, Round

_MILLION = 1_000_000


def over_limit(facts: AlarmFacts) -> Iterator[DueAlarm]:
    now, settings = facts.open_round, facts.state.settings
    if now is None or settings is None or facts.state.phase is not Phase.DEALING:
        return
    for box in sorted({placed.box for placed in now.at_close.values()}):
        for bet, limit, _ in exceeded_limits(facts.rules, settings, now.at_close, box):
            if limit is not Limit.MINIMUM:
                amount_minor = box_total(now.at_close, box, bet)
                once = (now.number, box, bet, limit)
                yield facts.due(AlarmKind.OVER_LIMIT, once, bet, box=box, bet=bet, amount_minor=amount_minor)


def big_bet(facts: AlarmFacts) -> Iterator[DueAlarm]:
    now, least_minor = facts.open_round, facts.settings.alarms.big_bet_minor
    for placed in now.bets.values() if now is not None else ():
        yield from facts.due_of(
            AlarmKind.BIG_BET, placed.who, placed.stake_minor, least_minor, box=placed.box, bet=placed.bet
        )


def big_payout(facts: AlarmFacts) -> Iterator[DueAlarm]:
    """What is handed over beside the stake."""
    now, least_minor = facts.state.round, facts.settings.alarms.big_payout_minor
    for result in now.results if now is not None and now.settled else ():
        paid_minor = max(result.returned_minor - result.stake_minor, 0)
        yield from facts.due_of(
            AlarmKind.BIG_PAYOUT, result.who, paid_minor, least_minor, box=result.box, bet=result.bet
        )


def opposite_bets(facts: AlarmFacts) -> Iterator[DueAlarm]:
    """Large bets on both sides by one party, or in one box by several."""
    now, least_minor = facts.open_round, facts.settings.alarms.opposite_minor
    if now is None or not least_minor:
        return
    hour, people = facts.now_us // HOUR_US, dict.fromkeys(placed.who for placed in now.bets.values())
    parties = {who: both for who in people if (both := _both(now, who=who)) >= least_minor}
    for who, amount_minor in parties.items():
        yield facts.due(AlarmKind.OPPOSITE_BETS, ("party", who, hour), who, who=who, amount_minor=amount_minor)
    for box in sorted({placed.box for placed in now.bets.values() if placed.who not in parties}):
        if (amount_minor := _both(now, box=box)) >= least_minor:
            once = ("box", box, hour)
            yield facts.due(AlarmKind.OPPOSITE_BETS, once, f"box {box}", box=box, amount_minor=amount_minor)


def _both(now: Round, *, who: str | None = None, box: int | None = None) -> int:
    """What a person, or a box, has on both sides: the smaller of the two totals."""
    bets = [placed for placed in now.bets.values() if who in (None, placed.who) and box in (None, placed.box)]
    return min(sum(placed.stake_minor for placed in bets if placed.bet == side) for side in Side)


def edge_money(facts: AlarmFacts) -> Iterator[DueAlarm]:
    """All stakes on one bet together: a party can divide them among its players."""
    now, edges, least_minor = facts.open_round, facts.edges, facts.settings.alarms.edge_money_minor
    if now is None or edges is None or edges.round_next != now.number:
        return
    bets = (now.at_close or now.bets).values()
    for bet, edge in edges.below_zero.items():
        stake_minor = sum(placed.stake_minor for placed in bets if placed.bet == bet)
        worth_minor = int(stake_minor * -edge)
        if times := doublings(worth_minor, least_minor):
            yield facts.due(
                AlarmKind.EDGE_MONEY,
                (edges.shoe, bet, times),
                bet,
                bet=bet,
                stake_minor=stake_minor,
                worth_minor=worth_minor,
                edge=str(Fraction(round(-edge * _MILLION), _MILLION)),
            )
