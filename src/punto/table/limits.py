"""The limits of a box while bets are open: what is in excess, and what the house rejects."""

from collections.abc import Iterator, Mapping

from punto.rules.refusals import Clause
from punto.rules.stakes import MAIN_BETS
from punto.rules.table_of_play import Side
from punto.table.events import BetRejected
from punto.table.ledger import FELT, chips, moved
from punto.table.settings import BetLimits, Settings
from punto.table.state import BetKey, Placed

Bets = Mapping[BetKey, Placed]


def limits_of(settings: Settings, bet: str) -> BetLimits:
    """The minimum and maximum for this bet."""
    return settings.main if bet in MAIN_BETS else settings.side


def box_total(bets: Bets, box: int, bet: str) -> int:
    """All that lies on one bet of a box, seated and standing players together."""
    return sum(placed.stake_minor for placed in bets.values() if placed.box == box and placed.bet == bet)


def standing_total(bets: Bets, box: int, bet: str) -> int:
    """What standing players have on one bet of a box."""
    return sum(p.stake_minor for p in bets.values() if p.box == box and p.bet == bet and not p.seated)


def excess(bets: Bets, box: int, differential_minor: int | None) -> tuple[Side, int]:
    """The heavier side of a box, and how far it is above the differential limit; not above, 0 or less."""
    player, banker = box_total(bets, box, Side.PLAYER), box_total(bets, box, Side.BANKER)
    side = Side.PLAYER if player > banker else Side.BANKER
    return side, 0 if differential_minor is None else abs(player - banker) - differential_minor


def beyond(settings: Settings, bets: Bets, box: int) -> Iterator[tuple[str, str]]:
    """Which bets of a box lie beyond which limit: minimum, maximum or differential."""
    here = [placed for placed in bets.values() if placed.box == box]
    for bet in dict.fromkeys(placed.bet for placed in here):
        limits = limits_of(settings, bet)
        stakes = [placed.stake_minor for placed in here if placed.bet == bet]
        if limits.min_minor is not None and min(stakes) < limits.min_minor:
            yield bet, "minimum"
        if limits.max_minor is not None and sum(stakes) > limits.max_minor:
            yield bet, "maximum"
    side, over_minor = excess(bets, box, settings.differential_minor)
    if over_minor > 0:
        yield side, "differential"


def rejections(
    bets: Bets, box: int, settings: Settings, clauses: tuple[Clause, ...], *, seated_too: bool
) -> Iterator[BetRejected]:
    """What has to go back for a box to be within its differential limit.

    Standing players' newest bets go first, then, if they may, the seated player's; a remainder under the
    minimum goes whole.
    """
    side, over_minor = excess(bets, box, settings.differential_minor)
    least = settings.main.min_minor or 0
    heavier = [p for p in bets.values() if p.box == box and p.bet == side and (seated_too or not p.seated)]
    for placed in sorted(heavier, key=lambda p: (p.seated, -p.order)):
        if over_minor <= 0:
            return
        left = max(placed.stake_minor - over_minor, 0)
        if left < least:
            left = 0
        back = placed.stake_minor - left
        over_minor -= back
        postings = moved(FELT, chips(placed.who), back)
        yield BetRejected(placed.who, box, placed.bet, left, clauses, postings=postings)
