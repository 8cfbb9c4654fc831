"""The limits of a box while betting is open: what exceeds them, and what the house rejects."""

from collections.abc import Iterable, Iterator, Mapping

from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.records.events import BetRejected, Limit, LimitFlagged, ProRata
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.settings import BetLimits, Settings
from punto.table.records.state import BetKey, PlacedBet

Bets = Mapping[BetKey, PlacedBet]


def differential_minor(bets: Bets) -> int:
    """The total on Banker less the total on Player, over all boxes. The limit applies to each box by itself."""
    totals = {side: sum(placed.stake_minor for placed in bets.values() if placed.bet == side) for side in Side}
    return totals[Side.BANKER] - totals[Side.PLAYER]


def limits_of(settings: Settings, bet: str) -> BetLimits:
    return settings.main if bet in MAIN_BETS else settings.side


def box_total(bets: Bets, box: int, bet: str) -> int:
    """The total on one bet of a box, of seated and standing players."""
    return sum(placed.stake_minor for placed in bets.values() if placed.box == box and placed.bet == bet)


def box_totals(bets: Bets, box: int, bet: str) -> tuple[int, int, int]:
    """What lies in one box: on a bet, on the other one of Player and Banker, and of standing players on the bet.

    In one pass, because every bet asks.
    """
    on_bet = other_side = standing = 0
    other = _OTHER_SIDE.get(bet)
    for placed in bets.values():
        if placed.box != box:
            continue
        if placed.bet == bet:
            on_bet += placed.stake_minor
            if not placed.seated:
                standing += placed.stake_minor
        elif placed.bet == other:
            other_side += placed.stake_minor
    return on_bet, other_side, standing


_OTHER_SIDE: dict[str, str] = {Side.PLAYER: Side.BANKER, Side.BANKER: Side.PLAYER}


def excess(bets: Bets, box: int, differential_minor: int | None) -> tuple[Side, int]:
    """The heavier side of a box, and by how much it exceeds the differential limit; 0 or negative if it does not."""
    player, banker = box_total(bets, box, Side.PLAYER), box_total(bets, box, Side.BANKER)
    side = Side.PLAYER if player > banker else Side.BANKER
    return side, 0 if differential_minor is None else abs(player - banker) - differential_minor


def pro_rata(settings: Settings, bets: Bets, box: int) -> ProRata:
    """The arithmetic of a box beyond the differential limit."""
    player, banker = (box_total(bets, box, side) for side in (Side.PLAYER, Side.BANKER))
    return ProRata(player, banker, settings.differential_minor or 0)


def room_beside(book: Rulebook, bets: Bets, box: int, bet: str) -> int | None:
    """How much more of a bet can lie in a box beside the bet that limits it; None if none does. Negative: too much."""
    limit = book.bets[bet].limit
    most = None if limit is None else limit.most_minor(box_total(bets, box, limit.of))
    return None if most is None else most - box_total(bets, box, bet)


def above_share(book: Rulebook, bets: Bets, box: int) -> Iterator[tuple[str, int]]:
    """The bets of a box of which more lies than the bets beside them allow, and how much more."""
    for bet in dict.fromkeys(placed.bet for placed in bets.values() if placed.box == box):
        room = room_beside(book, bets, box, bet)
        if room is not None and room < 0:
            yield bet, -room


def beyond_share(book: Rulebook, bets: Bets, box: int) -> Iterator[BetRejected]:
    """What goes back of those bets: the newest chips first."""
    for bet, over_minor in above_share(book, bets, box):
        limit = book.bets[bet].limit
        clauses = () if limit is None else (limit.clause,)
        yield from rejections(bets, box, bet, over_minor, 0, clauses, seated_too=True)


def exceeded_limits(
    book: Rulebook, settings: Settings, bets: Bets, box: int
) -> Iterator[tuple[str, Limit, str | None]]:
    """The bets of a box that break a limit, the limit, and the player if it is one player's bet."""
    in_box = [placed for placed in bets.values() if placed.box == box]
    for bet in dict.fromkeys(placed.bet for placed in in_box):
        limits = limits_of(settings, bet)
        on_bet = [placed for placed in in_box if placed.bet == bet]
        for placed in on_bet:
            if placed.stake_minor < (limits.min_minor or 0):
                yield bet, Limit.MINIMUM, placed.who
        if limits.max_minor is not None and sum(placed.stake_minor for placed in on_bet) > limits.max_minor:
            yield bet, Limit.MAXIMUM, None
    side, over_minor = excess(bets, box, settings.differential_minor)
    if over_minor > 0:
        yield side, Limit.DIFFERENTIAL, None
    yield from ((bet, Limit.SHARE, None) for bet, _ in above_share(book, bets, box))


def limit_flags(book: Rulebook, settings: Settings, before: Bets, after: Bets, box: int) -> tuple[LimitFlagged, ...]:
    """At a felt table, the limits of a box that were kept before and are broken after."""
    broken = set(exceeded_limits(book, settings, before, box))
    return tuple(
        LimitFlagged(box, bet, limit, who, _limit_clauses(book, bet, limit))
        for bet, limit, who in exceeded_limits(book, settings, after, box)
        if (bet, limit, who) not in broken
    )


def _limit_clauses(book: Rulebook, bet: str, limit: Limit) -> tuple[Clause, ...]:
    of_bet = book.bets[bet].limit if limit is Limit.SHARE else None
    return book.topics[_LIMIT_TOPICS[limit]] if of_bet is None else (of_bet.clause,)


_LIMIT_TOPICS = {
    Limit.MINIMUM: Topic.BELOW_MINIMUM,
    Limit.MAXIMUM: Topic.LIMITS,
    Limit.DIFFERENTIAL: Topic.DIFFERENTIAL,
    Limit.SHARE: Topic.LIMITS,
}


def above_maximum(settings: Settings, bets: Bets, box: int, bet: str) -> int:
    """By how much one bet of a box exceeds its maximum; 0 or negative if it does not."""
    most = limits_of(settings, bet).max_minor
    return 0 if most is None else box_total(bets, box, bet) - most


def bets_after(bets: Bets, rejected: Iterable[BetRejected]) -> Bets:
    """The bets that are left after rejections."""
    after = dict(bets)
    for event in rejected:
        key = (event.who, event.box, event.bet)
        after[key] = after[key].restaked(event.stake_minor)
    return {key: placed for key, placed in after.items() if placed.stake_minor}


def rejections(
    bets: Bets,
    box: int,
    side: str,
    over_minor: int,
    least_minor: int,
    clauses: tuple[Clause, ...],
    *,
    seated_too: bool,
) -> Iterator[BetRejected]:
    """The rejections that reduce one side of a box by ``over_minor``.

    Standing players' newest chips are rejected first, whoever placed them, then the seated player's newest if
    ``seated_too``. A bet that would fall below the minimum is rejected whole.
    """
    candidates = [p for p in bets.values() if p.box == box and p.bet == side and (seated_too or not p.seated)]
    layers = [(placed, layer) for placed in candidates for layer in placed.layers]
    left: dict[str, int] = {}
    for placed, layer in sorted(layers, key=lambda each: (each[0].seated, -each[1].order)):
        if over_minor <= 0:
            break
        before = left.get(placed.who, placed.stake_minor)
        after = before - min(layer.amount_minor, before, over_minor)
        left[placed.who] = after if after >= least_minor else 0
        over_minor -= before - left[placed.who]
    for who, left_minor in left.items():
        placed = bets[who, box, side]
        postings = transfer(FELT, chips(who), placed.stake_minor - left_minor)
        yield BetRejected(who, box, placed.bet, left_minor, clauses, postings=postings)
