"""What is going on at a table: the one answer for everybody who shows it, moves it on or waits for it.

Lobby, board, tile, console, guide, alarms, announcements, automatic dealing and the list of sensible commands read this
and do not ask the state again. It is pure: the floor supplies clocks and cards.
"""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import To
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.authority import may_give
from punto.table.decision import coup_of, open_settings, this_round
from punto.table.law import LawScope, scope_of
from punto.table.play.claims import claimed_sides
from punto.table.play.dealing import third_card_hidden
from punto.table.play.insuring import card_is_exposed, due_offer, line_on_offer
from punto.table.play.opening import burn_due, shoe_empty, shoe_ended
from punto.table.play.pending import order_topic
from punto.table.play.shuffler import has_cards
from punto.table.play.squeezing import squeezer_of
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.kinds import TOPICS
from punto.table.records.positions import Position, in_order
from punto.table.records.reports import CallTime
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Round, Table

TURNING = frozenset({Automation.TURN, Automation.SQUEEZE})
"""Steps that turn a card."""
FIRST_CARDS = 4


class SituationKind(StrEnum):
    """What is going on."""

    CLOSED = "closed"
    OTHER_LAW = "other_law"
    """The table was opened under rules that this version does not have: only a ruling ends its round."""
    NO_SHOE = "no_shoe"
    SHOE_OVER = "shoe_over"
    BURNING = "burning"
    READY = "ready"
    """Between rounds, and the next can be called."""
    RAISED = "raised"
    CHOOSING = "choosing"
    """After a dealing error players say whether they play on."""
    ORDER_LOST = "order_lost"
    RESTARTED = "restarted"
    BETTING = "betting"
    CARDS = "cards"
    """The first four cards are drawn."""
    THIRD_CARD = "third_card"
    TURNING = "turning"
    """Cards lie face down, and the next one is turned."""
    SQUEEZING = "squeezing"
    """A player holds the cards."""
    INSURANCE_DUE = "insurance_due"
    INSURANCE = "insurance"
    """It is on offer."""
    CLAIMED = "claimed"
    """Insurance that was not offered would have won, and nobody has decided what goes back."""
    FINISHED = "finished"
    """No card is drawn any more, and the round is not settled yet."""


class LastRound(StrEnum):
    """What became of the round that was played last, until the next call for bets."""

    SETTLED = "settled"
    VOID = "void"
    CANCELLED = "cancelled"


STOPPED = frozenset({SituationKind.RAISED, SituationKind.CHOOSING, SituationKind.ORDER_LOST})
"""Something went wrong, and the guide leads on."""
BETWEEN_ROUNDS = frozenset({SituationKind.NO_SHOE, SituationKind.SHOE_OVER, SituationKind.BURNING, SituationKind.READY})


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


class Situation(Struct, frozen=True):
    kind: SituationKind
    then: Then = Then.NOTHING
    """What the table waits for."""
    step: AutomaticStep | None = None
    """The next step, whether the table takes it by itself or people do; None if something else has to come first."""
    last: LastRound | None = None
    """Between rounds; None before the first."""
    clauses: tuple[Clause, ...] = ()
    line: InsuranceLine | None = None
    """Of the insurance that is due or on offer."""

    @property
    def due(self) -> Automation | None:
        return self.step.automation if self.step is not None else None


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


def who_may(table: Table, then: Then) -> tuple[Position, ...]:
    """The positions that may do it, from the lowest to the highest."""
    kind = _COMMANDS.get(then)
    return () if kind is None else in_order(may_give(table, kind) - {Position.HOUSE})


def situation(book: Rulebook, table: Table) -> Situation:
    if table.phase is Phase.CLOSED:
        return Situation(SituationKind.CLOSED)
    scope = scope_of(book, table)
    if scope in (LawScope.RULINGS, LawScope.NOTHING):
        last = _last_round(table.round) if table.phase is Phase.READY else None
        return Situation(SituationKind.OTHER_LAW, last=last, clauses=book.topics[Topic.RULING])
    if table.phase is Phase.READY:
        return _between_rounds(book, table, starts=scope is LawScope.EVERYTHING)
    return _trouble(book, table) or _in_round(book, table)


def next_step(book: Rulebook, table: Table) -> AutomaticStep | None:
    """The table's next automatic step; None if people have to act."""
    step = situation(book, table).step
    if step is not None and step.automation is Automation.DEAL and shoe_empty(table) and open_settings(table).felt:
        return None  # at a felt only people know whether a card comes out
    return step if step is not None and step.automation in open_settings(table).automations else None


def _between_rounds(book: Rulebook, table: Table, *, starts: bool) -> Situation:
    """A round only ``starts`` under the law that the table was opened under."""
    last = _last_round(table.round)
    if table.shoe is None:
        return Situation(SituationKind.NO_SHOE, Then.LOAD_SHOE, last=last)
    if shoe_ended(table) or not has_cards(table):
        return Situation(SituationKind.SHOE_OVER, Then.LOAD_SHOE, last=last)
    if burn_due(table):
        kind, then, step = SituationKind.BURNING, Then.BURN, AutomaticStep(Automation.BURN, needs_card=True)
    else:
        call = Automation.OPEN_BETTING if table.round is None else Automation.NEXT_ROUND
        kind, then, step = SituationKind.READY, Then.BET, AutomaticStep(call)
    if not starts:
        return Situation(kind, last=last)
    return Situation(kind, then, step, last, book.topics[Topic.BETTING_OPENS] if then is Then.BET else ())


def _last_round(now: Round | None) -> LastRound | None:
    if now is None:
        return None
    if now.irregularities.void is not None:
        return LastRound.VOID
    return LastRound.SETTLED if now.settled else LastRound.CANCELLED


def _trouble(book: Rulebook, table: Table) -> Situation | None:
    """What has to be answered before the round goes on. What stands first here is answered first.

    Players choose also while nobody has answered a restart, but without a clock. An order is ruled after it.
    """
    now = this_round(table)
    found = now.irregularities
    if found.raised is not None:
        return Situation(SituationKind.RAISED, Then.REPORT, clauses=book.topics[TOPICS[found.raised.kind]])
    if found.options is not None:
        step = AutomaticStep(Automation.CALL_TIME) if table.restart is None else None
        then = Then.ASK if found.options.by_hand else Then.CHOOSE
        return Situation(SituationKind.CHOOSING, then, step, clauses=book.topics[Topic.OPTIONS])
    if table.restart is not None:
        return Situation(SituationKind.RESTARTED, Then.RESUME, clauses=book.topics[Topic.INTERRUPTION])
    if found.order_lost:
        return Situation(SituationKind.ORDER_LOST, Then.RULE_ORDER, clauses=book.topics[order_topic(now)])
    return None


def _in_round(book: Rulebook, table: Table) -> Situation:
    now = this_round(table)
    if table.phase is Phase.BETTING:
        return Situation(SituationKind.BETTING, Then.BET, AutomaticStep(Automation.CLOSE_BETTING))
    coup = coup_of(book, table)
    if coup.finished:
        return _finished(book, table)
    if now.insurance.offer_open:
        step = AutomaticStep(Automation.CLOSE_INSURANCE)
        return Situation(SituationKind.INSURANCE, Then.CLOSE_INSURANCE, step, line=line_on_offer(book, table))
    line = due_offer(book, table, coup)
    if line is not None and not card_is_exposed(table):
        step = AutomaticStep(Automation.OPEN_INSURANCE)
        return Situation(SituationKind.INSURANCE_DUE, Then.INSURE, step, line=line)
    draws = coup.next.to in (To.PLAYER, To.BANKER) and not third_card_hidden(now)
    found = _drawing(table, coup) if draws else _turning(table, coup)
    if now.insurance.offer_stands:  # nothing more is taken, and the next card ends it
        return replace(found, kind=SituationKind.INSURANCE, line=line_on_offer(book, table))
    return found


def _finished(book: Rulebook, table: Table) -> Situation:
    if claimed_sides(book, table):
        clauses = book.topics[Topic.UNINSURED_BET]
        return Situation(SituationKind.CLAIMED, Then.UNINSURED, clauses=clauses)
    return Situation(SituationKind.FINISHED, Then.SETTLE, AutomaticStep(Automation.SETTLE))


def _drawing(table: Table, coup: Coup) -> Situation:
    if burn_due(table) and not table.carried:
        return Situation(SituationKind.BURNING, Then.BURN, AutomaticStep(Automation.BURN, needs_card=True))
    kind = SituationKind.CARDS if len(coup.cards) < FIRST_CARDS else SituationKind.THIRD_CARD
    step = AutomaticStep(Automation.DEAL, needs_card=needs_card(table))
    return Situation(kind, Then.DEAL, step, clauses=coup.next.clauses)


def _turning(table: Table, coup: Coup) -> Situation:
    now = this_round(table)
    down = [place for place, card in enumerate(now.cards, 1) if card is None]
    if now.insurance.waived:
        down.reverse()  # Banker's third card is opened first
    # a player who squeezes a hand opens its cards first; where there is a clock on it, they look at each alone
    opened = now.laid_open if Automation.SQUEEZE in open_settings(table).automations else now.squeezed
    for place in down:
        if squeezer_of(now, coup, place) is None or place in opened:
            step = AutomaticStep(Automation.TURN, needs_card=True, place=place)
            return Situation(SituationKind.TURNING, Then.TURN, step, clauses=coup.next.clauses)
    if not down:
        return Situation(SituationKind.SQUEEZING, clauses=coup.next.clauses)
    step = AutomaticStep(Automation.SQUEEZE, needs_card=True, place=down[0])
    return Situation(SituationKind.SQUEEZING, Then.TURN, step, clauses=coup.next.clauses)


def needs_card(table: Table) -> bool:
    """Whether dealing needs a card: not face down, not if the next card is known, not if the shoe is empty."""
    if open_settings(table).face_down:
        return False
    if table.carried:
        return table.carried[0].card is None
    return table.shoe is not None and table.shoe.left > 0
