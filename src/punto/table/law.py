"""What a book may decide at a table that was opened under another law."""

from collections.abc import Iterator
from enum import StrEnum

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import open_settings
from punto.table.play.insuring import current_line
from punto.table.play.raising import RAISED
from punto.table.records.chips import CountTray, ReceiveSlip, RequestSlip, SendSlip, VoidSlip
from punto.table.records.commands import (
    CashOut,
    ChangeSettings,
    CloseTable,
    Command,
    IdentifyPlayer,
    Leave,
    LoadShoe,
    OpenBetting,
)
from punto.table.records.kinds import TOPICS, Effect
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.reports import ReportRestart, Rule
from punto.table.records.settings import check_settings
from punto.table.records.state import Phase, Round, Table
from punto.table.refusals import TableCode, refuse

_STARTS_SOMETHING = (OpenBetting, ChangeSettings, LoadShoe)
_TRAY = (RequestSlip, SendSlip, ReceiveSlip, VoidSlip, CountTray)
_NEEDS_NO_BOOK = (Leave, CashOut, CloseTable, IdentifyPlayer, ReportRestart, CallPit, AnswerCall, *_TRAY)


class LawScope(StrEnum):
    """What a book may decide at a table."""

    EVERYTHING = "everything"
    """The table was opened under this law, or is closed."""
    THIS_ROUND = "this_round"
    """It was opened under another law of the same book. The round is finished by today's; nothing new starts."""
    RULINGS = "rulings"
    """As above, but the book lacks something that the round needs. A ruling ends the round."""
    NOTHING = "nothing"
    """It was opened under another book."""


def scope_of(book: Rulebook, table: Table) -> LawScope:
    if not table.law_hash or book.is_law(table.law_hash):
        return LawScope.EVERYTHING
    if table.book != book.id:
        return LawScope.NOTHING
    return LawScope.THIS_ROUND if _can_judge(book, table) else LawScope.RULINGS


def check_law(book: Rulebook, table: Table, command: Command) -> Refusal | None:
    """Refuse what the book may not decide at this table."""
    scope = scope_of(book, table)
    if scope is LawScope.EVERYTHING:
        return None
    if scope is LawScope.NOTHING:
        return refuse(book, TableCode.WRONG_BOOK, law=table.book)
    if scope is LawScope.THIS_ROUND:
        if isinstance(command, _STARTS_SOMETHING):
            return refuse(book, TableCode.WRONG_BOOK, variant="this_round", law=table.book)
        return None
    ends_round = isinstance(command, Rule) and command.effect is not Effect.CONTINUE
    if ends_round or isinstance(command, _NEEDS_NO_BOOK):
        return None
    return refuse(book, TableCode.WRONG_BOOK, variant="rulings", law=table.book)


def _can_judge(book: Rulebook, table: Table) -> bool:
    """Whether the book has everything that the table's settings and its round need."""
    if check_settings(book, open_settings(table)) is not None:
        return False
    now = table.round
    return now is None or (
        all(map(book.has, _topics_needed(table, now)))
        and _has_raised(book, now)
        and _has_bets(book, table, now)
        and _has_insurance(book, table, now)
        and all(now.cards.count(card) <= book.decks.most for card in now.cards if card is not None and card.suit)
    )


def _topics_needed(table: Table, now: Round) -> Iterator[Topic]:
    """The topics of the commands that the round is waiting for."""
    irregularities = now.irregularities
    if table.phase is Phase.BETTING:
        yield Topic.BETTING_CLOSED
    if now.accepted:
        yield Topic.SQUEEZE
    if irregularities.options is not None:
        yield Topic.OPTIONS
    if irregularities.order_lost:
        yield Topic.SIMULTANEOUS_CARDS


def _has_raised(book: Rulebook, now: Round) -> bool:
    """Whether the book has the rule on the irregularity that the table raised."""
    raised = now.irregularities.raised
    return raised is None or (raised.kind in RAISED and book.has(TOPICS[raised.kind]))


def _has_bets(book: Rulebook, table: Table, now: Round) -> bool:
    menu = book.layouts[open_settings(table).layout].menu
    return all(placed.bet in menu for placed in now.bets.values())


def _has_insurance(book: Rulebook, table: Table, now: Round) -> bool:
    """Whether the book still has the insurance that was taken, missed, or is on offer."""
    insurance = now.insurance
    if not (insurance.cover or insurance.missed or insurance.offer_stands):
        return True
    if book.insurance is None:
        return False
    for covered in insurance.cover:
        line = book.insurance.line(covered.stage, covered.player, covered.banker)
        if line is None or line.side is not covered.side or line.odds_text != covered.odds:
            return False
    if not insurance.offer_stands:
        return True
    line = current_line(book, table)
    return line is not None and line.side is insurance.offer_side
