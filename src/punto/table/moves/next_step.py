"""What a table can do by itself. This module names the step; the floor supplies the clock and the card."""

from msgspec import Struct

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import To
from punto.rules.rulebook import Rulebook
from punto.table.decision import coup_of, open_settings, this_round
from punto.table.law import LawScope, scope_of
from punto.table.play.claims import claimed_sides
from punto.table.play.dealing import third_card_hidden
from punto.table.play.insuring import card_is_exposed, due_offer
from punto.table.play.opening import burn_due, shoe_empty, shoe_ended
from punto.table.play.shuffler import has_cards
from punto.table.play.squeezing import squeezer_of
from punto.table.records import commands
from punto.table.records.commands import Command
from punto.table.records.positions import Position
from punto.table.records.reports import CallTime
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Table

TURNING = frozenset({Automation.TURN, Automation.SQUEEZE})
"""Steps that turn a card."""


class AutomaticStep(Struct, frozen=True):
    """A step that a table can take by itself."""

    automation: Automation
    needs_card: bool = False
    """The floor has to supply the card."""
    place: int = 0
    """The place of the card to turn, counted from 1."""

    def command(self, card: Face | None = None) -> Command:
        """The command for the step, given by the house."""
        by = ("house", Position.HOUSE)
        if self.automation is Automation.DEAL:
            return commands.DealCard(*by, card)
        if card is not None and self.automation in TURNING:
            return commands.TurnCard(*by, self.place, card)
        if card is not None and self.automation is Automation.BURN:
            return commands.BurnCards(*by, card)
        return _WITHOUT_CARD[self.automation](*by)


_WITHOUT_CARD = {
    Automation.OPEN_BETTING: commands.OpenBetting,
    Automation.NEXT_ROUND: commands.OpenBetting,
    Automation.CLOSE_BETTING: commands.CloseBetting,
    Automation.OPEN_INSURANCE: commands.OpenInsurance,
    Automation.CLOSE_INSURANCE: commands.CloseInsurance,
    Automation.SETTLE: commands.Settle,
    Automation.CALL_TIME: CallTime,
}


def next_step(book: Rulebook, table: Table) -> AutomaticStep | None:
    """The table's next automatic step; None if people have to act."""
    step = step_due(book, table)
    if step is not None and step.automation is Automation.DEAL and shoe_empty(table) and open_settings(table).felt:
        return None  # at a felt only people know whether a card comes out
    return step if step is not None and step.automation in open_settings(table).automations else None


def step_due(book: Rulebook, table: Table) -> AutomaticStep | None:
    """The next step, whether the table takes it by itself or people do; None if something else has to come first."""
    scope = scope_of(book, table)
    if table.phase is Phase.CLOSED or scope in (LawScope.RULINGS, LawScope.NOTHING):
        return None
    if table.restart is not None:
        return None  # the dealer has to answer it
    if table.phase is not Phase.READY:
        return _step_in_round(book, table)
    return _step_between_rounds(table) if scope is LawScope.EVERYTHING else None


def _step_between_rounds(table: Table) -> AutomaticStep | None:
    if table.shoe is None or not has_cards(table) or shoe_ended(table):
        return None
    if burn_due(table):
        return AutomaticStep(Automation.BURN, needs_card=True)
    return AutomaticStep(Automation.OPEN_BETTING if table.round is None else Automation.NEXT_ROUND)


def _step_in_round(book: Rulebook, table: Table) -> AutomaticStep | None:
    now, coup = this_round(table), coup_of(book, table)
    irregularities = now.irregularities
    if table.phase is Phase.BETTING:
        return None if irregularities.raised else AutomaticStep(Automation.CLOSE_BETTING)
    if irregularities.options and not irregularities.raised:
        return AutomaticStep(Automation.CALL_TIME)
    if irregularities.raised or irregularities.order_lost:
        return None  # people have to resolve it
    if coup.finished:
        return None if claimed_sides(book, table) else AutomaticStep(Automation.SETTLE)
    if now.insurance.offer_open:
        return AutomaticStep(Automation.CLOSE_INSURANCE)
    if due_offer(book, table, coup) and not card_is_exposed(table):
        return AutomaticStep(Automation.OPEN_INSURANCE)
    if coup.next.to in (To.PLAYER, To.BANKER) and not third_card_hidden(now):
        if burn_due(table) and not table.carried:
            return AutomaticStep(Automation.BURN, needs_card=True)
        return AutomaticStep(Automation.DEAL, needs_card=needs_card(table))
    down = [place for place, card in enumerate(now.cards, 1) if card is None]
    if now.insurance.waived:
        down.reverse()  # Banker's third card is opened first
    # a player who squeezes a hand opens its cards first; where there is a clock on it, they look at each alone
    opened = now.laid_open if Automation.SQUEEZE in open_settings(table).automations else now.squeezed
    for place in down:
        if squeezer_of(now, coup, place) is None or place in opened:
            return AutomaticStep(Automation.TURN, needs_card=True, place=place)
    return AutomaticStep(Automation.SQUEEZE, needs_card=True, place=down[0]) if down else None


def needs_card(table: Table) -> bool:
    """Whether dealing needs a card: not face down, not if the next card is known, not if the shoe is empty."""
    if open_settings(table).face_down:
        return False
    if table.carried:
        return table.carried[0].card is None
    return table.shoe is not None and table.shoe.left > 0
