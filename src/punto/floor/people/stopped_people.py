"""What somebody who is stopped cannot do on their own: sign in, enter, or get a code."""

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.stops import StopScope, stop_of, stops_in_force, stops_since
from punto.floor.names.names import fold, same_looking
from punto.floor.running.gaming_stops import gaming_stopped


def require_not_stopped(transaction: Transaction, scope: StopScope, who: str) -> None:
    if (stop := stop_of(stops_in_force(transaction), scope, who)) is not None:
        raise gaming_stopped(stop)


def was_stopped_since(transaction: Transaction, account: str, since_us: int) -> bool:
    """Whether somebody is stopped, or was at any time since a moment."""
    return any(
        stop.scope is StopScope.STAFF and fold(stop.of) == fold(account) for stop in stops_since(transaction, since_us)
    )


def require_may_enter(transaction: Transaction, who: str) -> None:
    """Refuse a player who is stopped, and a visitor whose name looks like theirs. They are not told more than that."""
    stopped = [stop.of for stop in stops_in_force(transaction) if stop.scope is StopScope.PLAYER]
    if same_looking(who, stopped) is not None:
        raise FloorRefused(FloorCode.GAMING_STOPPED, variant="entry")
