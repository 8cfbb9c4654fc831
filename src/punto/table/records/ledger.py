"""Every event that moves money carries postings that sum to zero."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

MAX_AMOUNT_MINOR = 10**14
"""More than anyone brings to a table; multiplied by the longest odds it still fits 64 bits."""

BANK = "bank"
"""The source of a table's float."""
FLOAT = "float"
"""The table's own chips."""
FELT = "felt"
"""Stakes on the layout."""
COMMISSION = "commission"
"""Commission charged on winnings."""
ROUNDING = "rounding"
"""What the smallest chip could not pay. Negative: more was handed out than was due."""
VOUCHERS = "vouchers"
"""Vouchers that the table gave for chips, less those it took for them. Negative: it took more."""
BROUGHT = "brought"
"""Chips that nobody sold here. Negative while players have more of them than were taken away."""
MISPAID = "mispaid"
"""At a felt table, wrong payments. Negative: chips were handed out and never recovered, also by players who left."""
CAGE = "cage"
"""Chips that went back to the cage, less those it sent. Negative: it sent more."""
UNEXPLAINED = "unexplained"
"""What counts of the tray found missing. Negative: they found more than they missed."""
HOUSE_ACCOUNTS = (BANK, FLOAT, FELT, COMMISSION, ROUNDING, VOUCHERS, BROUGHT, MISPAID, CAGE, UNEXPLAINED)
"""Every other account holds a player's chips."""
_TRAY = frozenset({FLOAT, COMMISSION, ROUNDING, VOUCHERS, MISPAID})
"""Together what lies in the tray, if nobody owes anything."""
_CHIPS = "chips:"


class Posting(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """An amount added to an account; negative if it is taken out."""

    account: str
    amount_minor: int


class LedgerImbalance(RuntimeError):
    """Postings that create or destroy money. Always a bug, never bad input."""


def chips(who: str) -> str:
    return f"{_CHIPS}{who}"


def player_of(account: str) -> str | None:
    """The player whose chips an account holds; None for the house's accounts."""
    return account.removeprefix(_CHIPS) if account.startswith(_CHIPS) else None


def chip_changes(postings: Iterable[Posting]) -> dict[str, int]:
    """By player, the sum of the postings to their chips."""
    by_player: dict[str, int] = {}
    for posting in postings:
        if (who := player_of(posting.account)) is not None:
            by_player[who] = by_player.get(who, 0) + posting.amount_minor
    return by_player


def moved_minor(postings: Iterable[Posting]) -> int:
    """What players got and lost together."""
    return sum(map(abs, chip_changes(postings).values()))


def from_tray(postings: Iterable[Posting]) -> int:
    """What the tray gave; negative if it received chips, which at a felt table may be chips that nobody sold here."""
    return -sum(posting.amount_minor for posting in postings if posting.account in _TRAY)


def owed_minor(balances: Mapping[str, int]) -> int:
    """What players owe: their chips are below zero. They have not handed it over, so it does not lie in the tray."""
    return -sum(minor for account, minor in balances.items() if minor < 0 and player_of(account) is not None)


def tray_minor(balances: Mapping[str, int]) -> int:
    """What lies in the tray by the record.

    With the chips on the felt and in players' hands it is what came from outside: from the bank, from the cage, with
    players, or unexplained.
    """
    return sum(balances.get(account, 0) for account in _TRAY) - owed_minor(balances)


def transfer(source: str, target: str, amount_minor: int) -> tuple[Posting, ...]:
    return (Posting(source, -amount_minor), Posting(target, amount_minor))


def merge_postings(postings: Iterable[Posting]) -> tuple[Posting, ...]:
    """One posting for each account, leaving out sums of zero."""
    totals: dict[str, int] = {}
    for posting in postings:
        totals[posting.account] = totals.get(posting.account, 0) + posting.amount_minor
    return tuple(Posting(account, amount) for account, amount in totals.items() if amount)


def require_balanced(postings: Sequence[Posting]) -> None:
    """Raise unless the postings sum to zero. Not an assert: it must hold under ``python -O``."""
    off_minor = 0
    for posting in postings:  # a loop, because every command that moves money comes through here
        off_minor += posting.amount_minor
    if off_minor:
        raise LedgerImbalance(f"postings off by {off_minor}: {postings}")


def post(balances: dict[str, int], postings: Sequence[Posting]) -> dict[str, int]:
    """The balances after the postings, without accounts at zero."""
    require_balanced(postings)
    after = dict(balances)
    for posting in postings:
        left = after.get(posting.account, 0) + posting.amount_minor
        if left:
            after[posting.account] = left
        else:
            after.pop(posting.account, None)
    return after
