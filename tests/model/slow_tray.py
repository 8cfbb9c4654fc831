"""The chips in the tray: what people put there and took out, and where all other chips of the table are."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from punto.table.records import chips, correction_events, events, findings
from punto.table.records.commands import BuyIn, CashOut
from punto.table.records.events import Event
from punto.table.records.kinds import BuyInKind
from punto.table.records.ledger import BANK, BROUGHT, CAGE, FLOAT, UNEXPLAINED, player_of, tray_minor

if TYPE_CHECKING:
    from tests.model.slow_books import SlowBooks

OUTSIDE = (BANK, BROUGHT, CAGE, UNEXPLAINED)
IN_HANDS_ONLY = (
    events.BetPlaced,
    events.BetWithdrawn,
    events.BetRejected,
    events.InsuranceTaken,
    events.PlayerLeft,
    events.PlayerIdentified,
    correction_events.BetCorrected,
    correction_events.InsuranceCorrected,
    correction_events.OptionCorrected,
    findings.OptionChosen,
    findings.UninsuredBetPutBack,
    findings.RoundVoided,
)
"""Events in which chips go between players' hands, the felt and outside."""

CATCHING_UP = (findings.SettlementReversed, correction_events.PaymentCorrected)


class SlowTray:
    """Records slips and counts, and says what lies in the tray from where all other chips are."""

    def __init__(self, books: "SlowBooks") -> None:
        self.books = books
        self.slips: dict[int, tuple[chips.SlipKind, int, bool]] = {}
        """By number: the kind, the amount, and whether it was sent."""
        self.last_slip = 0

    @property
    def minor(self) -> int:
        """What came from outside and lies neither on the felt nor in a hand."""
        held = self.books.held
        in_hands = sum(max(minor, 0) for account, minor in held.items() if player_of(account) is not None)
        return -sum(held[account] for account in OUTSIDE) - self.books.felt_minor - in_hands

    def record(self, event: Event) -> None:
        held = self.books.held
        match event:
            case events.TableOpened():
                self.last_slip = event.last_slip
            case events.TableClosed():
                assert (self.slips, event.last_slip) == ({}, self.last_slip)
            case chips.SlipRequested():
                self.last_slip += 1
                assert event.slip == self.last_slip
                amount_minor = sum(pile.value_minor * pile.count for pile in event.piles)
                self.slips[event.slip] = (event.kind, amount_minor, False)
            case chips.SlipSent():
                assert self.slips[event.slip] == (event.kind, event.amount_minor, False)
                self.slips[event.slip] = (event.kind, event.amount_minor, True)
                if event.kind is chips.SlipKind.CREDIT:
                    held[FLOAT] -= event.amount_minor
                    held[CAGE] += event.amount_minor
            case chips.SlipReceived():
                assert self.slips.pop(event.slip) == (event.kind, event.amount_minor, True)
                if event.kind is chips.SlipKind.FILL:
                    held[FLOAT] += event.amount_minor
                    held[CAGE] -= event.amount_minor
            case chips.SlipVoided():
                kind, amount_minor, sent = self.slips.pop(event.slip)
                assert (kind, amount_minor) == (event.kind, event.amount_minor)
                assert not (sent and kind is chips.SlipKind.CREDIT)
            case chips.TrayCounted():
                assert event.expected_minor == self.minor
                assert event.counted_minor == sum(pile.value_minor * pile.count for pile in event.piles)
                held[FLOAT] += event.difference_minor
                held[UNEXPLAINED] -= event.difference_minor
                assert self.minor == event.counted_minor

    def check_handed(self, event: Event, before: Mapping[str, int]) -> None:
        """The tray changed by what was handed over. What a player owes is not there; once they have chips, it is.

        In a correction after the settlement the record catches up with what the dealer did earlier.
        """
        handed_minor = self._handed_minor(event)
        if handed_minor is None or any(isinstance(each, CATCHING_UP) for each in self.books.decision):
            return
        paid_off_minor = _owed_minor(before) - _owed_minor(self.books.held)
        if isinstance(event, events.PlayerLeft):  # a debt becomes a wrong payment, and nothing is handed over
            paid_off_minor = 0
        assert tray_minor(self.books.held) - tray_minor(before) == handed_minor + paid_off_minor, event

    def _handed_minor(self, event: Event) -> int | None:
        """What went into the tray; None if it depends on what was handed over earlier."""
        command = self.books.command
        match event:
            case events.ChipsBought():
                assert isinstance(command, BuyIn)
                return 0 if command.kind is BuyInKind.CHIPS else -command.amount_minor
            case events.ChipsCashed():
                assert isinstance(command, CashOut)
                return command.amount_minor
            case events.RoundSettled():
                return sum(result.stake_minor - result.returned_minor for result in event.results)
            case chips.SlipSent():
                return -event.amount_minor if event.kind is chips.SlipKind.CREDIT else 0
            case chips.SlipReceived():
                return event.amount_minor if event.kind is chips.SlipKind.FILL else 0
            case chips.TrayCounted():
                return event.counted_minor - event.expected_minor
        return 0 if isinstance(event, IN_HANDS_ONLY) else None


def _owed_minor(held: Mapping[str, int]) -> int:
    return sum(max(-minor, 0) for account, minor in held.items() if player_of(account) is not None)
