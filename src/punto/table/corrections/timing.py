"""Until when what was entered can be corrected, and by whom."""

from punto.catalogue.values import Money
from punto.rules.bets.insurance import Stage
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import open_settings, this_round
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.positions import SUPERVISOR_UP, in_order
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode, refuse

SUPERVISORS = in_order(SUPERVISOR_UP)


def check_felt(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse at a table where Punto itself takes the bets: nothing lies there that is not on record."""
    return None if open_settings(table).felt else refuse(book, TableCode.FELT_TABLES_ONLY)


def check_correctable(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse unless betting has closed, and in a settled round before the next call for bets."""
    now = table.round
    if table.phase is Phase.DEALING or (table.phase is Phase.READY and now is not None and now.settled):
        return None
    if table.phase is Phase.BETTING:
        recorded = book.has(Topic.LATER_ERROR)
        return refuse(
            book,
            TableCode.TOO_LATE,
            Topic.LATER_ERROR,
            variant="correction" if recorded else "correction_ruling",
        )
    return refuse(book, TableCode.NO_ROUND, variant="to_correct")


def check_settled(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse unless the round is settled and the next call for bets has not been made."""
    if table.phase is Phase.DEALING:
        return refuse(book, TableCode.NO_ROUND, variant="settled")
    return check_correctable(book, table)


def card_out(table: Table) -> bool:
    """A card of the round is dealt, was drawn too early, or waits for somebody to resolve it."""
    return _more_cards_than(table, 0)


def next_card_out(table: Table, stage: Stage) -> bool:
    """A card after the offer of this stage is drawn, or waits for somebody to resolve it."""
    return _more_cards_than(table, stage.cards)


def _more_cards_than(table: Table, dealt: int) -> bool:
    now = this_round(table)
    early = any(carried.drawn_in == now.number for carried in table.carried)
    return len(now.cards) > dealt or early or now.irregularities.raised is not None


def check_total(book: Rulebook, amount_minor: int) -> Refusal | None:
    """Refuse what is not an amount, or is more than anybody has. Nothing is an amount too."""
    if type(amount_minor) is not int:
        return refuse(book, Code.NOT_AN_AMOUNT)
    if amount_minor < 0:
        return refuse(book, TableCode.AMOUNT_NOT_POSITIVE, variant="or_none")
    if amount_minor > MAX_AMOUNT_MINOR:
        return refuse(book, Code.AMOUNT_TOO_LARGE, variant="most", most=Money(MAX_AMOUNT_MINOR))
    return None
