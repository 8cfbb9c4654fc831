"""An alarm: what rang, how severe it is, and what became of it."""

from enum import IntEnum, StrEnum

from msgspec import Struct, field

Fact = int | str | tuple[str, ...]
"""A value of an alarm's sentence. Amounts are in the smallest unit, and their names end with ``_minor``."""


MAX_NOTE_LENGTH = 200


class Severity(IntEnum):
    NOTICE = 1
    WARNING = 2
    URGENT = 3
    """Play has stopped, or money is at risk now."""


class AlarmKind(StrEnum):
    IRREGULARITY = "irregularity"
    TOO_MANY_COPIES = "too_many_copies"
    """More copies of a card were seen than the shoe has."""
    INSURANCE_DUE = "insurance_due"
    INSURANCE_MISSED = "insurance_missed"
    FIRST_CARD_KNOWN = "first_card_known"
    """A card that lies face up is dealt first in the round that is bet on."""
    LONG_ROUND = "long_round"
    SCANNER_SILENT = "scanner_silent"
    SCANNER_GAP = "scanner_gap"
    SCANNER_MISREAD = "scanner_misread"
    RESTART = "restart"
    OVER_LIMIT = "over_limit"
    """A bet above its maximum or beyond the differential limit lay there at the close."""
    OPPOSITE_BETS = "opposite_bets"
    EDGE_MONEY = "edge_money"
    """Stakes on a bet that favours the bettor."""
    BIG_BET = "big_bet"
    BIG_PAYOUT = "big_payout"
    BIG_BUY_IN = "big_buy_in"
    BIG_BUY_IN_DAY = "big_buy_in_day"
    LARGE_CASH = "large_cash"
    PLAYER_WIN = "player_win"
    PLAYER_LOSS = "player_loss"
    TRAY_LOW = "tray_low"
    TRAY_NEGATIVE = "tray_negative"
    COUNTS_DIFFER = "counts_differ"
    """Two people counted a tray and did not agree."""
    TRAY_OFF = "tray_off"
    """A count of the tray found more or less than was on record."""
    RULING = "ruling"
    """A ruling moved money."""
    LATE_BETS = "late_bets"
    CORRECTIONS = "corrections"
    DEALER_ON = "dealer_on"
    WRONG_PINS = "wrong_pins"
    UNFIT_SHOE = "unfit_shoe"
    """A shoe that the register does not clear for use was put on a table."""
    NOT_SOUND = "not_sound"
    """A verification of the journal found faults."""
    PLAYED_WHILE_STOPPED = "played_while_stopped"
    RETURN_OFF = "return_off"
    """What players got back on a bet is far from its odds."""
    CLOCK_DIFFERS = "clock_differs"
    PROGRAM_CHANGED = "program_changed"
    """Files of the running program are not those it started from."""

    GENERATOR_FAILED = "generator_failed"
    """Random numbers failed their test: virtual tables are out of play."""


SEVERITIES = {
    AlarmKind.IRREGULARITY: Severity.URGENT,
    AlarmKind.TOO_MANY_COPIES: Severity.URGENT,
    AlarmKind.FIRST_CARD_KNOWN: Severity.URGENT,
    AlarmKind.EDGE_MONEY: Severity.URGENT,
    AlarmKind.TRAY_NEGATIVE: Severity.URGENT,
    AlarmKind.RESTART: Severity.URGENT,
    AlarmKind.INSURANCE_DUE: Severity.WARNING,
    AlarmKind.INSURANCE_MISSED: Severity.WARNING,
    AlarmKind.LONG_ROUND: Severity.WARNING,
    AlarmKind.SCANNER_SILENT: Severity.WARNING,
    AlarmKind.SCANNER_GAP: Severity.WARNING,
    AlarmKind.SCANNER_MISREAD: Severity.WARNING,
    AlarmKind.OVER_LIMIT: Severity.WARNING,
    AlarmKind.OPPOSITE_BETS: Severity.WARNING,
    AlarmKind.BIG_PAYOUT: Severity.WARNING,
    AlarmKind.TRAY_LOW: Severity.WARNING,
    AlarmKind.COUNTS_DIFFER: Severity.WARNING,
    AlarmKind.TRAY_OFF: Severity.URGENT,
    AlarmKind.RULING: Severity.WARNING,
    AlarmKind.CORRECTIONS: Severity.WARNING,
    AlarmKind.WRONG_PINS: Severity.WARNING,
    AlarmKind.UNFIT_SHOE: Severity.URGENT,
    AlarmKind.NOT_SOUND: Severity.URGENT,
    AlarmKind.PLAYED_WHILE_STOPPED: Severity.URGENT,
    AlarmKind.PROGRAM_CHANGED: Severity.URGENT,
    AlarmKind.GENERATOR_FAILED: Severity.URGENT,
    AlarmKind.CLOCK_DIFFERS: Severity.WARNING,
    AlarmKind.RETURN_OFF: Severity.WARNING,
    AlarmKind.BIG_BET: Severity.NOTICE,
    AlarmKind.BIG_BUY_IN: Severity.NOTICE,
    AlarmKind.BIG_BUY_IN_DAY: Severity.NOTICE,
    AlarmKind.LARGE_CASH: Severity.NOTICE,
    AlarmKind.PLAYER_WIN: Severity.NOTICE,
    AlarmKind.PLAYER_LOSS: Severity.NOTICE,
    AlarmKind.LATE_BETS: Severity.NOTICE,
    AlarmKind.DEALER_ON: Severity.NOTICE,
}
"""Before it escalates."""


class DueAlarm(Struct, frozen=True):
    """What a rule found. It rings once, however often and by however many processes it is found."""

    kind: AlarmKind
    once: str
    """The same for all findings that ring together."""
    table: str = ""
    """Empty if it concerns the floor."""
    opening: int = 0
    round: int = 0
    subject: str = ""
    """Who or what it is about: a player, a member of staff, a bet, a box, a kind of irregularity."""
    values: dict[str, Fact] = field(default_factory=dict)


class Alarm(Struct, frozen=True):
    """An alarm that rang. Times are Unix time in microseconds, 0 for what has not happened."""

    number: int
    """Counts over the whole floor, without a gap."""
    once: str
    kind: str
    severity: int
    table: str
    opening: int
    round: int
    subject: str
    at_us: int
    values: dict[str, Fact]
    acknowledged_by: str = ""
    acknowledged_us: int = 0
    """Also of one that ended with its cause, which nobody has acknowledged."""
    note: str = ""
    escalated_us: int = 0

    @property
    def open(self) -> bool:
        return not self.acknowledged_us

    @property
    def ended_us(self) -> int:
        """When its cause ended before anybody acknowledged it."""
        return 0 if self.acknowledged_by else self.acknowledged_us
