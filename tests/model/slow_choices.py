"""When players choose after a dealing error, and until when the entry of a choice can be put right.

Worked out from the commands and from what lies on the table.
"""

from typing import TYPE_CHECKING

from punto.rules.bets.pay_lines import Result, decided
from punto.rules.refusals import Refusal
from punto.rules.topics import Topic
from punto.table.records import commands, correction_events, corrections, events, findings, reports
from punto.table.records.commands import Command
from punto.table.records.events import Event
from punto.table.refusals import TableCode
from tests.model.slow_orders import MOST_PLACES, check_beyond_reconstruction, decides_the_coup

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks

ENDING = (
    reports.CallTime,
    reports.RuleCardOrder,
    reports.ExchangeShoe,
    commands.Settle,
    corrections.ReopenBetting,
)
"""After these every choice stands."""
BEYOND = (reports.ReportExcessCard, reports.ReportWrongSide, reports.ReportDealingError)
ERRORS = (*BEYOND, reports.ReportFaceUpCard, reports.ReportSimultaneousCards, reports.ReportWrongNumber)


class SlowChoices:
    def __init__(self, books: "SlowBooks") -> None:
        self.books = books
        self.refused_after: set[type[Command]] = set()
        """The commands after which somebody tried to put a choice right, and it was too late."""
        self.ruled_first: set[type[Command]] = set()
        """The reports after which the order was ruled and then everybody chose."""
        self.came_to_matter: set[bool] = set()
        """Whether people had been asked before a corrected card showed that the order decides the coup."""
        self._start()

    def _start(self) -> None:
        self.open: set[str] = set()
        """Players whose choice nothing has followed."""
        self.ended_by: dict[str, type[Command]] = {}
        self.after_ruling = False
        """The players choose once the order is ruled."""
        self.with_no_hand = False
        """One of the cards whose order is lost lies with no hand."""
        self.asked = False
        """The players were asked since the order was lost, whatever they chose."""
        self.spared = False
        """The last error gave no options only because an outcome was established."""
        self.report: Command | None = None
        """The last one of a dealing error."""
        self._out = self._cards_out()

    def rename(self, who: str, player: str) -> None:
        self.open = {player if each == who else each for each in self.open}
        self.ended_by = {player if each == who else each: kind for each, kind in self.ended_by.items()}

    def refused(self, command: Command, refusal: Refusal) -> None:
        if isinstance(command, corrections.CorrectOption):
            too_late = refusal.code in (TableCode.TOO_LATE, TableCode.NO_OPTIONS)
            assert not too_late or command.who not in self.open, "nothing has followed that choice"
            if refusal.code is TableCode.TOO_LATE and command.who in self.ended_by:
                self.refused_after.add(self.ended_by[command.who])

    def judge(self, command: Command, decision: tuple[Event, ...]) -> None:
        """Judge an accepted command before its events are recorded."""
        corrected = {event.who for event in decision if isinstance(event, correction_events.OptionCorrected)}
        assert corrected <= self.open, "a choice ends with what follows it"
        if not isinstance(command, ERRORS) or isinstance(decision[0], findings.IrregularityRaised):
            return
        self.report, self.after_ruling = command, isinstance(command, reports.ReportSimultaneousCards)
        if self._is_beyond(command):
            self.after_ruling = check_beyond_reconstruction(self.books.rules, self.books.cards, command, decision)

    def _is_beyond(self, command: Command) -> bool:
        """Whether the report leaves an order open: extra cards with a hand make the round void instead."""
        if not isinstance(command, BEYOND) or command.reconstructable:
            return False
        return not isinstance(command, reports.ReportExcessCard) or command.to is None

    def follow(self, command: Command, decision: tuple[Event, ...]) -> None:
        """Judge a command after its events are recorded, and note what it ends."""
        if isinstance(command, commands.OpenBetting):
            self._start()
            return
        given = [event for event in decision if isinstance(event, findings.OptionsGiven)]
        raised = isinstance(decision[0], findings.IrregularityRaised)
        if isinstance(command, ERRORS) and not raised:
            sparing = not isinstance(command, reports.ReportSimultaneousCards)
            self.spared = sparing and bool(self.books.at_the_close) and self._spared(command)
            self._check_given(given, due=not self.after_ruling and not self._spared(command))
            self.asked = False
            places = self.books.cards.order_lost
            self.with_no_hand = bool(places) and max(places) > len(self.books.cards.lying)
        if isinstance(command, reports.RuleCardOrder):
            self._check_given(given, due=self.after_ruling)
            if given and self.report is not None:
                self.ruled_first.add(type(self.report))
            self.with_no_hand = self.after_ruling = False
        if isinstance(command, corrections.CorrectCard):
            self._correct_card(given)
            self._correct_established(decision, given)
        self.asked = self.asked or bool(given)
        self._end(command, decision, given)

    def _check_given(self, given: list[findings.OptionsGiven], *, due: bool) -> None:
        """Everybody with a stake who is here is asked, if that is due."""
        books = self.books
        if books.settings is None or books.settings.cards_only:
            return
        asked = self._asked_now() if due else set[str]()
        assert [set(event.players) for event in given] == ([asked] if asked else [])

    def _spared(self, command: Command) -> bool:
        """An outcome is established, and the report leaves no options then. Before the close it never does."""
        if not self.books.at_the_close:
            return True
        match command:
            case reports.ReportDealingError():
                return False
            case reports.ReportWrongSide() | reports.ReportWrongNumber():
                always = not command.reconstructable if isinstance(command, reports.ReportWrongSide) else False
                always = always or (isinstance(command, reports.ReportWrongNumber) and not command.cards)
                return not always and self._established()
        return self._established()

    def _established(self) -> bool:
        books = self.books
        assert books.settings is not None
        menu = set(books.rules.layouts[books.settings.layout].menu)
        if books.settings.established_by_staked_bets:
            menu &= {bet for _, _, bet in books.stakes}
        coup = books.cards.as_if_dealt
        return any(decided(books.rules.bets[bet], coup) in (Result.WIN, Result.LOSE) for bet in menu)

    def _correct_card(self, given: list[findings.OptionsGiven]) -> None:
        """What the right cards change about cards whose order is lost and one of which lies with no hand."""
        books, places = self.books, self.books.cards.order_lost
        if not self.with_no_hand:
            return
        if not places:
            single = self.after_ruling and not isinstance(self.report, reports.ReportSimultaneousCards)
            due = single and (isinstance(self.report, reports.ReportDealingError) or not self._established())
            if books.stakes or books.insurance:
                self._check_given(given, due=due)
            self.with_no_hand = self.after_ruling = False
        elif (
            not self.after_ruling and len(places) <= MOST_PLACES and decides_the_coup(books.rules, books.cards, places)
        ):
            self.after_ruling = not self.asked
            self.came_to_matter.add(self.asked)

    def _correct_established(self, decision: tuple[Event, ...], given: list[findings.OptionsGiven]) -> None:
        """The right cards show that nothing was established, or that something was and nobody had the choice."""
        books, certain = self.books, self._established()
        undone = any(isinstance(event, findings.OptionsClosed) and event.established for event in decision)
        assert certain or not undone, "nothing is established that leaves no choice"
        self.spared = (self.spared and not given) or undone
        of_number = isinstance(self.report, reports.ReportExcessCard | reports.ReportWrongNumber)
        extra = any(lying.drawn_in == books.cards.rounds for lying in books.cards.carried)
        settled = any(isinstance(event, findings.SettlementReversed) for event in decision)
        if self.spared and (extra or not of_number) and not (self.after_ruling or certain or settled):
            assert not self._asked_now(), "they have their options after all"

    def _asked_now(self) -> set[str]:
        staked = {who for who, _, _ in self.books.stakes} | {taken.who for taken in self.books.insurance}
        return staked - self.books.away if self.books.rules.topics[Topic.OPTIONS] else set()

    def _end(self, command: Command, decision: tuple[Event, ...], given: list[findings.OptionsGiven]) -> None:
        before, self._out = self._out, self._cards_out()
        more = any(now > then for now, then in zip(self._out, before, strict=True))
        dealt = any(isinstance(event, events.CardDealt) for event in decision)
        undone = isinstance(command, corrections.CorrectCard) and any(
            isinstance(event, findings.OptionsClosed) for event in decision
        )
        asked_again = given and not isinstance(command, corrections.CorrectBet)
        wrong = isinstance(command, ERRORS) or any(isinstance(event, findings.IrregularityRaised) for event in decision)
        if isinstance(command, ENDING) or more or dealt or undone or asked_again or wrong:
            self._close(command, *self.open)
        for event in decision:
            if isinstance(event, findings.OptionChosen):
                self.open.add(event.who)
            elif isinstance(event, events.InsuranceTaken | events.PlayerLeft):
                self._close(command, event.who)

    def _close(self, command: Command, *people: str) -> None:
        for who in people:
            if who in self.open:
                self.open.discard(who)
                self.ended_by[who] = type(command)

    def _cards_out(self) -> tuple[int, int, int]:
        """How many cards are drawn, how many of them are face up, and how many a player has opened."""
        cards = self.books.cards
        drawn = [lying.card for lying in (*cards.lying, *cards.carried)]
        return len(drawn), sum(card is not None for card in drawn), len(cards.squeezed)
