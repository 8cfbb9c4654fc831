"""Where the chips of a stake come from. At a felt table people bring chips that nobody sold there."""

from collections.abc import Iterable

from msgspec.structs import replace

from punto.table.decision import this_round
from punto.table.records.ledger import BROUGHT, FELT, Posting, chips, merge_postings, transfer
from punto.table.records.state import Round, Table


def stake_postings(table: Table, who: str, amount_minor: int) -> tuple[Posting, ...]:
    """The postings of a stake: from the chips on record as far as they go, the rest from ``brought``."""
    return spend_postings(table, who, FELT, amount_minor)


def spend_postings(table: Table, who: str, target: str, amount_minor: int) -> tuple[Posting, ...]:
    """As above, to any account. A debt stays as it is."""
    own = chips(who)
    on_record_minor = table.balances.get(own, 0)
    if on_record_minor >= amount_minor > 0:
        return transfer(own, target, amount_minor)
    on_record_minor = min(max(on_record_minor, 0), amount_minor)
    on_record = transfer(own, target, on_record_minor)
    return merge_postings((*on_record, *transfer(BROUGHT, target, amount_minor - on_record_minor)))


def with_brought(now: Round, who: str, postings: Iterable[Posting]) -> Round:
    """The round with what these postings of a stake took from chips that the player brought."""
    minor = 0
    for posting in postings:
        if posting.account == BROUGHT:
            minor -= posting.amount_minor
    return replace(now, brought={**now.brought, who: now.brought.get(who, 0) + minor}) if minor else now


def restake_postings(table: Table, who: str, was_minor: int, stake_minor: int) -> tuple[Posting, ...]:
    """What moves if a player staked this instead of the amount on record. Chips they brought go back first."""
    if stake_minor >= was_minor:
        return stake_postings(table, who, stake_minor - was_minor)
    back_minor = was_minor - stake_minor
    brought_minor = min(this_round(table).brought.get(who, 0), back_minor)
    returned = transfer(FELT, chips(who), back_minor - brought_minor)
    return merge_postings((*returned, *transfer(FELT, BROUGHT, brought_minor)))
