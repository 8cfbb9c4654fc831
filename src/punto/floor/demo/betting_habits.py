"""What house players do by habit: pure, and the same again for the same table, name and memory.

Every stake is taken from the bounds that the table itself would set, so nothing a habit asks for is refused.
"""

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.journal.entry import tag
from punto.floor.people.names import HOUSE_PLAYER
from punto.floor.running.table_setup import Pace
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.decision import coup_of
from punto.table.play.betting import bet_bounds
from punto.table.play.insuring import insurance_bounds
from punto.table.play.limits import limits_of
from punto.table.play.seating import has_stakes
from punto.table.records.commands import BuyIn, CashOut, Leave, PlaceBet, Sit, StandBehind, TakeInsurance
from punto.table.records.settings import Settings
from punto.table.records.state import Phase, Round, Table

Body = dict[str, Any]
"""A command as a program sends it: its tag and its fields."""

ONE_IN = 3
"""House players sit at one box in so many; the others are for people."""
LEAST_MINOR = 10_00
"""The unit of a habit where the table states no minimum."""
SHORT_UNITS = 4
"""Who has chips for fewer bets of the minimum than this buys in again."""
MAX_DOUBLED = 4
"""So often in a row a stake is doubled at the most."""
COVER_MINOR = 1_00
"""Insurance is taken in whole pieces of this."""


class RoundMemory(Struct, frozen=True):
    """What the house players of a table remember of the rounds they have seen."""

    last: Round | None = None
    """The last of them, as it stood."""
    winner: Side | None = None
    """Who won last; a tie leaves it as it is."""
    lost: dict[str, int] = {}
    """How often in a row a player's main bet has lost."""
    before: "RoundMemory | None" = None
    """Without the last round, which may still be put right: a bet goes back, or the settlement is reversed."""


Choosing = Callable[[RoundMemory, int], Side]
"""The side to bet on, by what is remembered and the number of the round."""


class Habit(Struct, frozen=True):
    """How somebody bets."""

    side: Choosing
    units: int = 1
    """So many times the minimum."""
    doubles: bool = False
    """After a loss."""
    extra_every: int = 0
    """A small bet beside the main one in one round of so many; 0: never."""
    insured_quarters: int = 0
    """So many quarters of the insurance that can be had."""


HABITS = (
    Habit(lambda _, __: Side.BANKER, units=4, insured_quarters=2),
    Habit(lambda marks, _: marks.winner or Side.PLAYER, units=2, extra_every=3),
    Habit(lambda _, __: Side.PLAYER, units=2, extra_every=1, insured_quarters=4),
    Habit(lambda _, __: Side.BANKER, doubles=True, insured_quarters=1),
    Habit(lambda _, number: Side.BANKER if number // 2 % 2 else Side.PLAYER, units=3, extra_every=2),
)
"""Banker always; whoever won last; Player and something small beside it; double after a loss; two by two."""

_CALLED = "Mei Otto Lina Raj Bo Ida Kit Noor Leo Jun Ana Wei Tess Hugo Suri Finn Lan Cleo Arun Yuki"
NAMES = tuple(f"{name} {HOUSE_PLAYER}" for name in _CALLED.split())
"""What house players are called: everybody can see that they are the house's, and nobody else is called so."""

MAX_EACH = len(NAMES)
"""So many house players a table at the most."""


def company_of(table: str, each: int) -> tuple[str, ...]:
    """The house players of a table: always the same."""
    first = crc32(table.encode()) % len(NAMES)
    return tuple(NAMES[(first + more) % len(NAMES)] for more in range(each))


def remember(marks: RoundMemory, rules: Rulebook, state: Table) -> RoundMemory:
    """The marks after the round that lies on the table, once it is settled and each time it is put right."""
    now = state.round
    if now is None or now is marks.last:
        return marks
    if marks.last is not None and now.number == marks.last.number:
        marks = marks.before or RoundMemory()
    if not now.settled:
        return marks
    end = coup_of(rules, state).end
    lost = dict(marks.lost)
    for settled in now.results:
        if not settled.who.endswith(HOUSE_PLAYER):  # nobody keeps a list of what people lose
            continue
        went_back = (settled.who, settled.box, settled.bet) in now.insurance.returned_uninsured
        if settled.bet in MAIN_BETS and not went_back and settled.stage is None and settled.result is not Result.PUSH:
            lost[settled.who] = lost.get(settled.who, 0) + 1 if settled.result is Result.LOSE else 0
    tied = end is None or end.winner is Winner.TIE
    winner = marks.winner if tied or end is None else Side(end.winner)
    return RoundMemory(now, winner, lost, before=replace(marks, before=None))


# ---- coming and going


def is_short(state: Table, name: str) -> bool:
    """They have too little to bet with, on the felt or off it, and buy in again."""
    if state.settings is None or has_stakes(state, name):
        return False
    return state.chips_minor(name) < SHORT_UNITS * _unit(state.settings, Side.BANKER)


def buy_in(state: Table, name: str, given_minor: int) -> Body:
    """What visitors are given, or more where that would not last."""
    unit = LEAST_MINOR if state.settings is None else _unit(state.settings, Side.BANKER)
    return _body(BuyIn, who=name, amount_minor=max(given_minor, 10 * SHORT_UNITS * unit))


def wish(rules: Rulebook, state: Table, company: Sequence[str], name: str, marks: RoundMemory) -> Body | None:
    """What a house player, one of this company, would do next; None: nothing for now."""
    settings = state.settings
    if settings is None or state.phase is Phase.CLOSED or name not in state.people:
        return None
    box = _own_box(state, name)
    moving = _moving(state, settings.boxes, company, name)
    if moving is not None and not has_stakes(state, name):
        return moving
    now = state.round
    if box is None or now is None or now.over:
        return None
    habit = habit_of(name)
    if state.phase is Phase.BETTING:
        return _next_bet(rules, state, settings, name, box, habit.side(marks, now.number), marks)
    if now.insurance.offer_open and habit.insured_quarters:
        return _cover(rules, state, now, name, box)
    return None


def farewell(state: Table, name: str) -> Body | None:
    """What a house player does who is no longer wanted: they leave, and their chips go back."""
    if has_stakes(state, name):
        return None
    if name in state.seats.values() or name in state.behind:
        return _body(Leave, who=name)
    chips_minor = state.chips_minor(name)
    return _body(CashOut, who=name, amount_minor=chips_minor) if chips_minor > 0 else None


def habit_of(name: str) -> Habit:
    """Everybody has one habit and keeps it; neighbours have different ones."""
    return HABITS[NAMES.index(name) % len(HABITS)]


def _moving(state: Table, boxes: int, company: Sequence[str], name: str) -> Body | None:
    """To a box, behind one, or away from where they should not be."""
    rank, seats = company.index(name), boxes // ONE_IN
    if rank < seats:
        return _to_a_seat(state, boxes, name, near=(rank + 1) * boxes // (seats + 1))
    box, behind = None, state.behind.get(name, frozenset[int]())
    if seats:
        box = _seat(state, company[rank % seats])
    if behind - {box}:
        return _body(Leave, who=name)
    return None if box is None or behind else _body(StandBehind, who=name, box=box)


def _to_a_seat(state: Table, boxes: int, name: str, near: int) -> Body | None:
    free = [box for box in range(1, boxes + 1) if box not in state.seats]
    if _seat(state, name) is not None:  # the last seat is always somebody else's
        return None if free else _body(Leave, who=name)
    if len(free) < 2:
        return None
    return _body(Sit, who=name, box=min(free, key=lambda box: (abs(box - near), box)))


def _seat(state: Table, name: str) -> int | None:
    return next((box for box, who in sorted(state.seats.items()) if who == name), None)


def _own_box(state: Table, name: str) -> int | None:
    """Where they sit, or else stand."""
    return _seat(state, name) or min(state.behind.get(name, ()), default=None)


# ---- betting


def _next_bet(
    rules: Rulebook, state: Table, settings: Settings, name: str, box: int, side: Side, marks: RoundMemory
) -> Body | None:
    now = state.round
    assert now is not None  # noqa: S101 - bets are open
    placed = {bet for who, _, bet in now.bets if who == name}
    habit = habit_of(name)
    if not placed & MAIN_BETS:
        doubled = min(marks.lost.get(name, 0), MAX_DOUBLED) if habit.doubles else 0
        return _bet(rules, state, name, box, side, habit.units * _unit(settings, side) << doubled)
    if placed - MAIN_BETS or not habit.extra_every or (now.number + crc32(name.encode())) % habit.extra_every:
        return None
    others = [bet for bet in rules.layouts[settings.layout].menu if bet not in MAIN_BETS]
    extra = others[_number(name, now.number) % len(others)]
    return _bet(rules, state, name, box, extra, 2 * _unit(settings, extra))


def _bet(rules: Rulebook, state: Table, name: str, box: int, bet: str, stake_minor: int) -> Body | None:
    """That much, or as much of it as can be bet, in whole units."""
    bounds = bet_bounds(rules, state, name, box, bet)
    if isinstance(bounds, Refusal) or state.settings is None:
        return None
    unit = _unit(state.settings, bet)
    stake_minor = min(stake_minor, bounds.most_minor) // unit * unit
    if stake_minor < max(bounds.least_minor, 1):
        return None
    return _body(PlaceBet, who=name, box=box, bet=str(bet), stake_minor=stake_minor)


def _unit(settings: Settings, bet: str) -> int:
    return limits_of(settings, bet).min_minor or LEAST_MINOR


def _cover(rules: Rulebook, state: Table, now: Round, name: str, box: int) -> Body | None:
    """Their part of the insurance that can be had on the open offer."""
    if any(covered.who == name and covered.stage is now.insurance.offered[-1] for covered in now.insurance.cover):
        return None
    bounds = insurance_bounds(rules, state, name, box)
    if isinstance(bounds, Refusal):
        return None
    wanted_minor = min(bounds[1] * habit_of(name).insured_quarters // 4, state.chips_minor(name))
    stake_minor = wanted_minor // COVER_MINOR * COVER_MINOR
    return _body(TakeInsurance, who=name, box=box, stake_minor=stake_minor) if stake_minor else None


def _body(kind: type[Struct], **fields: Any) -> Body:
    return {"command": tag(kind), **fields}


# ---- when


def due_s(state: Table, pace: Pace, company: Sequence[str], name: str) -> float:
    """How long after bets or an offer were opened, or after a round, they do what they wish.

    Never in the last part of the time: that is for people.
    """
    rank, now = company.index(name) if name in company else len(company), state.round
    if now is None or now.over:
        return 0.4 * rank
    spread = _number(name, now.number) % 1_000 / 1_000
    if now.insurance.offer_open:
        return pace.close_insurance_s * (0.2 + 0.4 * spread)
    standing = 0.0 if _seat(state, name) is not None else 0.15  # after who sits there
    more = 0.05 * sum(who == name for who, _, _ in now.bets)
    return pace.close_betting_s * (0.1 + 0.4 * spread + standing + more)


def _number(name: str, number: int) -> int:
    """The same for a name and a round, and spread over all of them."""
    return crc32(f"{name} {number}".encode())
