"""Which bets are certain already, and so establish an outcome."""

from punto.rules.bets.pay_lines import Result, decided
from punto.rules.rulebook import Rulebook
from punto.table.decision import coup_with_exposed, open_settings, this_round
from punto.table.records.state import Table


def established(book: Rulebook, table: Table) -> tuple[str, ...]:
    """The bets that are certain to win or to lose: of the menu, or of those staked, as the table's setting says."""
    settings, coup = open_settings(table), coup_with_exposed(book, table)
    menu = book.layouts[settings.layout].menu
    if settings.established_by_staked_bets:
        staked = {placed.bet for placed in this_round(table).bets.values()}
        menu = tuple(bet for bet in menu if bet in staked)
    return tuple(bet for bet in menu if decided(book.bets[bet], coup) in (Result.WIN, Result.LOSE))
