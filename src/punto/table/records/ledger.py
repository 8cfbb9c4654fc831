"""Every event that moves money carries postings that sum to zero."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

MAX_AMOUNT_MINOR = 10**14
"""More than anyone brings to a table, and with the longest odds still far from 64 bits."""

BANK = "bank"
"""Where a table's float comes from and goes to."""
FLOAT = "float"
"""The chips of the table itself."""
FELT = "felt"
"""Stakes that lie on the layout."""
COMMISSION = "commission"
"""What the house has kept of winnings."""
_CHIPS = "chips:"


class Posting(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """An amount that goes to an account, or, below zero, leaves it."""

    account: str
    amount_minor: int


class LedgerImbalance(RuntimeError):
    """Postings that create or destroy money: a slip of ours, never of the user's."""


def chips(who: str) -> str:
    """The account of a player's chips."""
    return f"{_CHIPS}{who}"


def player_of(account: str) -> str | None:
    """Whose chips an account holds; None where it is no player's."""
    return account.removeprefix(_CHIPS) if account.startswith(_CHIPS) else None


def chip_changes(postings: Iterable[Posting]) -> dict[str, int]:
    """What postings change each player's chips by."""
    by_player: dict[str, int] = {}
    for posting in postings:
        if (who := player_of(posting.account)) is not None:
            by_player[who] = by_player.get(who, 0) + posting.amount_minor
    return by_player


def transfer(source: str, target: str, amount_minor: int) -> tuple[Posting, ...]:
    """The postings by which an amount goes from one account to another."""
    return (Posting(source, -amount_minor), Posting(target, amount_minor))


def merge_postings(postings: Iterable[Posting]) -> tuple[Posting, ...]:
    """One posting an account, those that come to nothing left out."""
    totals: dict[str, int] = {}
    for posting in postings:
        totals[posting.account] = totals.get(posting.account, 0) + posting.amount_minor
    return tuple(Posting(account, amount) for account, amount in totals.items() if amount)


def require_balanced(postings: Sequence[Posting]) -> None:
    """Refuse postings that do not sum to zero; by raise, so that it holds under ``python -O``."""
    off_minor = sum(posting.amount_minor for posting in postings)
    if off_minor:
        raise LedgerImbalance(f"postings off by {off_minor}: {postings}")


def post(balances: dict[str, int], postings: Sequence[Posting]) -> dict[str, int]:
    """The balances after the postings; an account that comes to nothing is closed."""
    require_balanced(postings)
    after = dict(balances)
    for posting in postings:
        left = after.get(posting.account, 0) + posting.amount_minor
        if left:
            after[posting.account] = left
        else:
            after.pop(posting.account, None)
    return after
