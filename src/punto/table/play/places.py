"""The places of a coup's cards, and whether cards can be dealt or turned now."""

from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import this_round
from punto.table.play.pending import check_nothing_pending
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode, refuse


def check_dealing(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse unless cards can be dealt or turned now."""
    if table.phase is Phase.DEALING:
        return check_nothing_pending(book, table)
    return refuse(book, TableCode.NOT_DEALING, Topic.FIRST_FOUR, variant="close_first")


def check_face_down(book: Rulebook, table: Table, place: int) -> Refusal | None:
    """Refuse unless a card lies face down at the place."""
    cards = this_round(table).cards
    if 1 <= place <= len(cards) and cards[place - 1] is None:
        return None
    return refuse(book, TableCode.NO_CARD_THERE, place=place)


def side_of(coup: Coup, place: int) -> Side | None:
    """The hand that a card belongs to; None while that is not known."""
    if place <= 4:
        return Side.PLAYER if place % 2 else Side.BANKER
    to = coup.fifth.to if place == 5 else coup.sixth.to
    return Side(to.value) if to in (To.PLAYER, To.BANKER) else None
