"""What a table waits for, and who may do it."""

from enum import StrEnum

from punto.rules.rulebook import Rulebook
from punto.table.authority import may_give
from punto.table.law import LawScope, scope_of
from punto.table.moves.next_step import step_due
from punto.table.play.claims import claimed_sides
from punto.table.play.opening import shoe_ended
from punto.table.play.shuffler import has_cards
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.positions import Position, in_order
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Table


class Then(StrEnum):
    """What comes next at a table."""

    REPORT = "report"
    """Somebody reports or dismisses what the table has raised."""
    RESUME = "resume"
    """The dealer confirms the table after a restart."""
    CHOOSE = "choose"
    ASK = "ask"
    """Only cards are recorded: everybody with a bet is asked, until time is called."""
    RULE_ORDER = "rule_order"
    LOAD_SHOE = "load_shoe"
    BURN = "burn"
    BET = "bet"
    """Betting is open, or opens for the next round."""
    DEAL = "deal"
    TURN = "turn"
    INSURE = "insure"
    """Insurance is due."""
    CLOSE_INSURANCE = "close_insurance"
    """Insurance is on offer."""
    UNINSURED = "uninsured"
    """A pit manager decides which bets go back because insurance was not offered, and settles the round."""
    SETTLE = "settle"
    NOTHING = "nothing"
    """The table is closed, or only a ruling ends its round."""


_BY_STEP = {
    Automation.BURN: Then.BURN,
    Automation.OPEN_BETTING: Then.BET,
    Automation.NEXT_ROUND: Then.BET,
    Automation.CLOSE_BETTING: Then.BET,
    Automation.CALL_TIME: Then.CHOOSE,
    Automation.OPEN_INSURANCE: Then.INSURE,
    Automation.CLOSE_INSURANCE: Then.CLOSE_INSURANCE,
    Automation.DEAL: Then.DEAL,
    Automation.TURN: Then.TURN,
    Automation.SQUEEZE: Then.TURN,
    Automation.SETTLE: Then.SETTLE,
}
_COMMANDS: dict[Then, type[Command]] = {
    Then.REPORT: reports.Report,
    Then.RESUME: reports.ResumeRound,
    Then.CHOOSE: reports.ChooseOption,
    Then.ASK: reports.CallTime,
    Then.RULE_ORDER: reports.RuleCardOrder,
    Then.LOAD_SHOE: commands.LoadShoe,
    Then.BURN: commands.BurnCards,
    Then.BET: commands.OpenBetting,
    Then.DEAL: commands.DealCard,
    Then.TURN: commands.TurnCard,
    Then.INSURE: commands.OpenInsurance,
    Then.CLOSE_INSURANCE: commands.CloseInsurance,
    Then.UNINSURED: reports.ReturnUninsuredBets,
    Then.SETTLE: commands.Settle,
}


def waits_for(book: Rulebook, table: Table) -> Then:
    now = table.round
    if scope_of(book, table) in (LawScope.RULINGS, LawScope.NOTHING):
        return Then.NOTHING
    if now is not None and not now.over:
        if now.irregularities.raised is not None:
            return Then.REPORT
        if table.restart is not None:
            return Then.RESUME
        if now.irregularities.options is not None:
            return Then.ASK if now.irregularities.options.by_hand else Then.CHOOSE
        if now.irregularities.order_lost:
            return Then.RULE_ORDER
        if claimed_sides(book, table):
            return Then.UNINSURED
    elif table.phase is Phase.READY and _needs_shoe(table):
        return Then.LOAD_SHOE
    step = step_due(book, table)
    return _BY_STEP[step.automation] if step is not None else Then.NOTHING


def _needs_shoe(table: Table) -> bool:
    return table.shoe is None or shoe_ended(table) or not has_cards(table)


def who_may(table: Table, then: Then) -> tuple[Position, ...]:
    """The positions that may do it, from the lowest to the highest."""
    kind = _COMMANDS.get(then)
    return () if kind is None else in_order(may_give(table, kind) - {Position.HOUSE})
