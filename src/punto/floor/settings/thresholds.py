"""From where on the pit's alarms ring."""

from msgspec import Struct


class Thresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """An alarm rings when its threshold is reached. 0 switches it off."""

    insurance_due_s: int = 20
    """How long an insurance offer may be due without being made."""
    scanner_silent_s: int = 60
    big_bet_minor: int = 50_000_00
    big_payout_minor: int = 200_000_00
    big_buy_in_minor: int = 50_000_00
    big_buy_in_day_minor: int = 100_000_00
    """All buy-ins of one player on a gaming day."""
    player_win_minor: int = 200_000_00
    """Of one player on a gaming day; a loss likewise."""
    player_loss_minor: int = 200_000_00
    tray_low_percent: int = 40
    """The tray, in percent of what it should hold."""
    late_bets: int = 3
    """By one player in an hour."""
    round_s: int = 180
    dealer_on_min: int = 60
    corrections_an_hour: int = 3
    """By one person."""
    edge_money_minor: int = 500_00
    """Stakes times what the bettor has on the house."""
    opposite_minor: int = 20_000_00
    """Bets on both sides in one box or by one party: the smaller side."""
    clock_differs_s: int = 2
    """How far the clock of a process may differ from the database's, from another's, or from the record."""
    return_deviations: int = 4
    """Standard deviations by which the return of a bet on a gaming day is off its odds."""
    escalate_s: int = 60
    """How long an alarm may stay without acknowledgement before it becomes more severe."""
