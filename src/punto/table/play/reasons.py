"""The words that go on record with a report or a ruling."""

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.refusals import TableCode, refuse

MOST_REASON = 400


def bad_reason(book: Rulebook, reason: str, *, needed: bool = False) -> Refusal | None:
    """Why these words will not do: missing where they are needed, or too many, or not words."""
    if (reason.strip() or not needed) and len(reason) <= MOST_REASON and (not reason or reason.isprintable()):
        return None
    return refuse(book, TableCode.REASON_NEEDED, least=1 if needed else 0, most=MOST_REASON)
