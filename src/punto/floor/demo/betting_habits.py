"""What house players do. Pure: the same table, name and memory always give the same command.

Stakes stay within the bounds that the table itself sets, so the table refuses none of them.
"""

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.journal.entry import tag
from punto.floor.names.names import HOUSE_PLAYER, house_player_name
from punto.floor.running.table_setup import Pace
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.decision import coup_of
from punto.table.play.bet_bounds import bet_bounds
from punto.table.play.insurance_stakes import insurance_bounds, waited_for
from punto.table.play.limits import limits_of
from punto.table.play.seating import has_stakes
from punto.table.records.commands import BuyIn, CashOut, Leave, PassInsurance, PlaceBet, Sit, StandBehind, TakeInsurance
from punto.table.records.settings import Automation, Settings
from punto.table.records.state import Phase, Round, Table
from punto.table.situation import SituationKind, situation

Body = dict[str, Any]
"""A command as a client sends it: tag and fields."""

BOXES_PER_HOUSE_PLAYER = 3
"""House players take one box in this many. The others are for people."""
DEFAULT_UNIT_MINOR = 10_00
"""The betting unit if the table has no minimum."""
MIN_UNITS = 4
"""A house player with chips for fewer minimum bets than this buys in again."""
MAX_DOUBLINGS = 4
COVER_MINOR = 1_00
"""Insurance stakes are multiples of this."""


class RoundMemory(Struct, frozen=True):
    """What the house players of a table remember of earlier rounds."""

    last: Round | None = None
    """The latest settled round, as it was then."""
    winner: Side | None = None
    """The last winning side, ignoring ties."""
    lost: dict[str, int] = {}
    """Name to the number of main bets lost in a row."""
    before: "RoundMemory | None" = None
    """The memory without the latest round, for when that round is corrected after its settlement."""


Choosing = Callable[[RoundMemory, int], Side]
"""Chooses the side from the memory and the number of the round."""


class Habit(Struct, frozen=True):
    side: Choosing
    units: int = 1
    """The stake, in units of the table's minimum."""
    doubles: bool = False
    """Double the stake after a loss."""
    extra_every: int = 0
    """Place a small extra bet in one round of this many; 0 for never."""
    insured_quarters: int = 0
    """Quarters of the highest possible insurance to take."""


HABITS = (
    Habit(lambda _, __: Side.BANKER, units=4, insured_quarters=2),
    Habit(lambda memory, _: memory.winner or Side.PLAYER, units=2, extra_every=3),
    Habit(lambda _, __: Side.PLAYER, units=2, extra_every=1, insured_quarters=4),
    Habit(lambda _, __: Side.BANKER, doubles=True, insured_quarters=1),
    Habit(lambda _, number: Side.BANKER if number // 2 % 2 else Side.PLAYER, units=3, extra_every=2),
)
"""Always Banker; the last winner; Player with an extra bet; double after a loss; two rounds each side."""

_FIRST_NAMES = "Mei Otto Lina Raj Bo Ida Kit Noor Leo Jun Ana Wei Tess Hugo Suri Finn Lan Cleo Arun Yuki"
NAMES = tuple(f"{name} {HOUSE_PLAYER}" for name in _FIRST_NAMES.split())
"""Names of house players. Their ending marks them, and no other name may end so."""

MAX_HOUSE_PLAYERS = len(NAMES)
"""At each table."""


def players_of(table: str, count: int) -> tuple[str, ...]:
    """The names of a table's house players, always the same for a table."""
    first = crc32(table.encode()) % len(NAMES)
    return tuple(NAMES[(first + offset) % len(NAMES)] for offset in range(count))


def remember(memory: RoundMemory, rules: Rulebook, state: Table) -> RoundMemory:
    """The memory after the current round, once it is settled and each time it is corrected."""
    now = state.round
    if now is None or now is memory.last:
        return memory
    if memory.last is not None and now.number == memory.last.number:
        memory = memory.before or RoundMemory()
    if not now.settled:
        return memory
    end = coup_of(rules, state).end
    lost = dict(memory.lost)
    for settled in now.results:
        if house_player_name(settled.who) is None:  # never track what people lose
            continue
        returned = (settled.who, settled.box, settled.bet) in now.insurance.returned_uninsured
        if settled.bet in MAIN_BETS and not returned and settled.stage is None and settled.result is not Result.PUSH:
            lost[settled.who] = lost.get(settled.who, 0) + 1 if settled.result is Result.LOSE else 0
    tied = end is None or end.winner is Winner.TIE
    winner = memory.winner if tied or end is None else Side(end.winner)
    return RoundMemory(now, winner, lost, before=replace(memory, before=None))


# ---- sitting down and leaving


def is_short(state: Table, name: str) -> bool:
    """Whether a house player has too few chips left and must buy in again."""
    if state.settings is None or has_stakes(state, name):
        return False
    return state.chips_minor(name) < MIN_UNITS * _unit(state.settings, Side.BANKER)


def buy_in(state: Table, name: str, visitors_minor: int) -> Body:
    """Buy in for the amount that visitors get, or for more if that would not last."""
    unit = DEFAULT_UNIT_MINOR if state.settings is None else _unit(state.settings, Side.BANKER)
    return _body(BuyIn, who=name, amount_minor=max(visitors_minor, 10 * MIN_UNITS * unit))


def next_command(rules: Rulebook, state: Table, players: Sequence[str], name: str, memory: RoundMemory) -> Body | None:
    """What a house player does next; None for nothing. ``players`` are all house players of the table."""
    settings = state.settings
    if settings is None or state.phase is Phase.CLOSED or name not in state.people:
        return None
    box = _own_box(state, name)
    moving = _moving(state, settings.boxes, players, name)
    if moving is not None and not has_stakes(state, name):
        return moving
    now = state.round
    if box is None or now is None or now.over:
        return None
    habit, found = habit_of(name), situation(rules, state)
    if found.kind is SituationKind.BETTING:
        return _next_bet(rules, state, settings, name, box, habit.side(memory, now.number), memory)
    return _answer(rules, state, now, name) if found.due is Automation.CLOSE_INSURANCE else None


def leaving_command(state: Table, name: str) -> Body | None:
    """What a house player who has to go does next: leave, then cash out."""
    if has_stakes(state, name):
        return None
    if name in state.seats.values() or name in state.behind:
        return _body(Leave, who=name)
    chips_minor = state.chips_minor(name)
    return _body(CashOut, who=name, amount_minor=chips_minor) if chips_minor > 0 else None


def habit_of(name: str) -> Habit:
    """Each name always has the same habit, and neighbours have different ones."""
    return HABITS[NAMES.index(name) % len(HABITS)]


def _moving(state: Table, boxes: int, players: Sequence[str], name: str) -> Body | None:
    """Sit down, stand behind a box, or leave a wrong place."""
    rank, seats = players.index(name), boxes // BOXES_PER_HOUSE_PLAYER
    if rank < seats:
        return _to_a_seat(state, boxes, name, near=(rank + 1) * boxes // (seats + 1))
    box, behind = None, state.behind.get(name, frozenset[int]())
    if seats:
        box = _seat(state, players[rank % seats])
    if behind - {box}:
        return _body(Leave, who=name)
    return None if box is None or behind else _body(StandBehind, who=name, box=box)


def _to_a_seat(state: Table, boxes: int, name: str, near: int) -> Body | None:
    free = [box for box in range(1, boxes + 1) if box not in state.seats]
    if _seat(state, name) is not None:  # leave the last free seat to people
        return None if free else _body(Leave, who=name)
    if len(free) < 2:
        return None
    return _body(Sit, who=name, box=min(free, key=lambda box: (abs(box - near), box)))


def _seat(state: Table, name: str) -> int | None:
    return next((box for box, who in sorted(state.seats.items()) if who == name), None)


def _own_box(state: Table, name: str) -> int | None:
    """The box where they sit, or else stand."""
    return _seat(state, name) or min(state.behind.get(name, ()), default=None)


# ---- betting


def _next_bet(
    rules: Rulebook, state: Table, settings: Settings, name: str, box: int, side: Side, memory: RoundMemory
) -> Body | None:
    now = state.round
    assert now is not None  # noqa: S101 - bets are open
    placed = {bet for who, _, bet in now.bets if who == name}
    habit = habit_of(name)
    if not placed & MAIN_BETS:
        doubled = min(memory.lost.get(name, 0), MAX_DOUBLINGS) if habit.doubles else 0
        return _bet(rules, state, name, box, side, habit.units * _unit(settings, side) << doubled)
    if placed - MAIN_BETS or not habit.extra_every or (now.number + crc32(name.encode())) % habit.extra_every:
        return None
    others = [bet for bet in rules.layouts[settings.layout].menu if bet not in MAIN_BETS]
    extra = others[_number(name, now.number) % len(others)]
    return _bet(rules, state, name, box, extra, 2 * _unit(settings, extra))


def _bet(rules: Rulebook, state: Table, name: str, box: int, bet: str, stake_minor: int) -> Body | None:
    """Bet this stake, or as much of it as the bounds allow, in whole units."""
    bounds = bet_bounds(rules, state, name, box, bet)
    if isinstance(bounds, Refusal) or state.settings is None:
        return None
    unit = _unit(state.settings, bet)
    stake_minor = min(stake_minor, bounds.most_minor) // unit * unit
    if stake_minor < max(bounds.least_minor, 1):
        return None
    return _body(PlaceBet, who=name, box=box, bet=str(bet), stake_minor=stake_minor)


def _unit(settings: Settings, bet: str) -> int:
    return limits_of(settings, bet).min_minor or DEFAULT_UNIT_MINOR


def _answer(rules: Rulebook, state: Table, now: Round, name: str) -> Body | None:
    """Take insurance on the open offer, as the habit says, or pass on it."""
    for box in sorted({box for who, box, _ in now.bets if who == name}):
        bounds = insurance_bounds(rules, state, name, box)
        if isinstance(bounds, Refusal) or (name, box) not in waited_for(rules, state):
            continue
        wanted_minor = min(bounds[1] * habit_of(name).insured_quarters // 4, state.chips_minor(name))
        stake_minor = wanted_minor // COVER_MINOR * COVER_MINOR
        if stake_minor:
            return _body(TakeInsurance, who=name, box=box, stake_minor=stake_minor)
        return _body(PassInsurance, who=name, box=box)
    return None


def _body(kind: type[Struct], **fields: Any) -> Body:
    return {"command": tag(kind), **fields}


# ---- timing


def due_s(state: Table, pace: Pace, players: Sequence[str], name: str) -> float:
    """Seconds to wait after betting or an offer opened, or after a round.

    The last part of the betting time is left to people.
    """
    rank, now = players.index(name) if name in players else len(players), state.round
    if now is None or now.over:
        return 0.4 * rank
    if now.insurance.offer_open:
        return 0.0  # people wait for them
    spread = _number(name, now.number) % 1_000 / 1_000
    standing = 0.0 if _seat(state, name) is not None else 0.15  # after the player who sits there
    more = 0.05 * sum(who == name for who, _, _ in now.bets)
    return pace.close_betting_s * (0.1 + 0.4 * spread + standing + more)


def _number(name: str, number: int) -> int:
    """A fixed pseudo-random number for a name and a round."""
    return crc32(f"{name} {number}".encode())
