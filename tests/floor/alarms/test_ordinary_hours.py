"""At its default thresholds an ordinary pit is quiet, so that people listen when something rings."""

import pytest

from punto.floor.settings.floor_settings import FloorSettings
from punto.floor.settings.thresholds import Thresholds
from tests.floor.alarms.ordinary import OrdinaryPit

MOST_AN_HOUR = 6


@pytest.mark.slow
def test_a_pit_of_ten_tables_rings_at_most_six_times_an_hour() -> None:
    pit = OrdinaryPit(1, FloorSettings())
    pit.play_hour()
    assert len(pit.rung) <= MOST_AN_HOUR, [(each.kind, each.values) for each in pit.rung.values()]


@pytest.mark.slow
def test_lower_thresholds_would_ring_all_the_time() -> None:
    """The hour above is quiet because of the thresholds, not because nobody looks."""
    alarms = Thresholds(big_bet_minor=2_000_00, big_payout_minor=5_000_00, player_loss_minor=5_000_00, round_s=30)
    pit = OrdinaryPit(1, FloorSettings(alarms=alarms, large_cash_minor=5_000_00))
    pit.play(rounds=7)
    kinds = {str(each.kind) for each in pit.rung.values()}
    assert {"big_bet", "long_round", "large_cash"} <= kinds
    assert len(pit.rung) > 10 * MOST_AN_HOUR
