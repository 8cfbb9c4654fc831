"""Where the chips of a stake come from. At a felt table people bring chips that nobody sold there."""

from punto.table.records.ledger import BROUGHT, FELT, Posting, chips, merge_postings, transfer
from punto.table.records.state import Table


def stake_postings(table: Table, who: str, amount_minor: int) -> tuple[Posting, ...]:
    """The postings of a stake: from the chips on record as far as they go, the rest from ``brought``."""
    return spend_postings(table, who, FELT, amount_minor)


def spend_postings(table: Table, who: str, target: str, amount_minor: int) -> tuple[Posting, ...]:
    """As above, to any account. A debt stays as it is."""
    on_record_minor = min(max(table.chips_minor(who), 0), amount_minor)
    on_record = transfer(chips(who), target, on_record_minor)
    return merge_postings((*on_record, *transfer(BROUGHT, target, amount_minor - on_record_minor)))
