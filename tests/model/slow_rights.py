"""The players' options at a table that records cards only, judged by the events and the commands that led to them."""

from typing import TYPE_CHECKING

from punto.rules.bets.pay_lines import Result, decided
from punto.rules.topics import Topic
from punto.table.records import corrections, events, findings, reports
from punto.table.records.events import Event

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks

WAITING = (events.CardDealt, events.CardTurned, events.RoundSettled, findings.CardOrderRuled)
"""What does not happen before time is called. A card turned by the error itself comes before the options."""


class SlowRights:
    """Everybody with a bet is asked, whoever that is, and the round waits for a supervisor."""

    def __init__(self, books: "SlowBooks") -> None:
        self._books = books
        self.asking = False
        self._owed = False
        """A hand cannot be reconstructed, so everybody is asked before the round is settled."""
        self._at_once = False
        """The order was lost by drawing cards at the same time."""

    @property
    def _cards_only(self) -> bool:
        settings = self._books.settings
        return settings is not None and settings.cards_only

    @property
    def _established(self) -> bool:
        settings = self._books.settings
        assert settings is not None
        coup, menu = self._books.cards.as_if_dealt, self._books.rules.layouts[settings.layout].menu
        return any(decided(self._books.rules.bets[bet], coup) in (Result.WIN, Result.LOSE) for bet in menu)

    def record(self, event: Event) -> None:
        """Record an event after the cards have. At the last one of a command it is known who should be asked."""
        assert not self.asking or not isinstance(event, WAITING), "the round waits until time is called"
        match event:
            case events.BettingOpened():
                self.asking = self._owed = False
            case findings.OrderLost():
                self._at_once = event.simultaneous
            case findings.OptionsGiven():
                assert event.by_hand == self._cards_only
                assert not (event.by_hand and (event.players or event.away)), "nobody's bet is on record"
                self.asking, self._owed = event.by_hand, False
            case findings.OptionChosen():
                assert not self._cards_only
            case findings.OptionsClosed():
                self._close(event)
            case findings.RoundVoided():
                self.asking = self._owed = False
            case events.RoundSettled():
                assert not self._owed
        if self._cards_only and event is self._books.decision[-1]:
            self._judge()

    def _close(self, event: findings.OptionsClosed) -> None:
        command = self._books.command
        counted = command.took_back if isinstance(command, reports.CallTime) else None
        assert event.took_back == counted
        assert counted is None or self.asking, "elsewhere it is known who took what back"
        assert not (self.asking and event.silent)
        self.asking = False

    def _judge(self) -> None:
        decision, cards = self._books.decision, self._books.cards
        raised = any(isinstance(event, findings.IrregularityRaised) for event in decision)
        if raised or cards.between_rounds or not cards.closed or not self._books.rules.topics[Topic.OPTIONS]:
            return
        given, certain = any(isinstance(event, findings.OptionsGiven) for event in decision), self._established
        match self._books.command:
            case reports.ReportWrongNumber(cards=()) | reports.ReportDealingError(reconstructable=True):
                assert given
            case reports.ReportExcessCard(reconstructable=True) | reports.ReportWrongSide(reconstructable=True):
                assert given == (not certain)
            case reports.ReportWrongNumber() | reports.ReportFaceUpCard():
                assert given == (not certain)
            case reports.ReportDealingError() | reports.ReportWrongSide():
                self._owed = not given
            case reports.RuleCardOrder():
                assert given or not self._at_once
            case corrections.CorrectCard():
                assert not (given and certain)
            case reports.ReportExcessCard():
                pass  # only the cards in excess are in doubt: nothing may depend on them
            case _:
                assert not given
