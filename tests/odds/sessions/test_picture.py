"""The chart of sessions: no label overlaps another."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from punto import book
from punto.odds.sessions.picture import apart, sessions_svg
from punto.odds.sessions.session_simulator import BANDS, simulate_sessions
from punto.odds.sessions.wagers import gains

RULES = book("commission")
SPACE = "{http://www.w3.org/2000/svg}"


def _texts(svg: str) -> list[tuple[float, float, str, str]]:
    """Position, anchor and content of each text."""
    elements = ET.fromstring(svg).iter(f"{SPACE}text")  # noqa: S314 - our own
    return [(float(e.get("x", 0)), float(e.get("y", 0)), e.get("text-anchor", ""), e.text or "") for e in elements]


def test_with_many_ruined_players_the_bands_labels_stay_above_the_axis() -> None:
    gain = gains(RULES, {"tie": 100_00})
    results = simulate_sessions(RULES, gain, rounds=2000, sessions=2000, bankroll_minor=300_00)
    assert results.ruin is not None
    assert results.ruin.value > 0.95
    texts = _texts(sessions_svg(results, "game", "played"))
    names = {"median", *(f"{band}%" for band in BANDS)}
    bands = sorted(y for x, y, _, text in texts if text in names and x > 700)
    assert len(bands) == len(BANDS)
    assert all(lower - upper >= 13.9 for upper, lower in pairwise(bands))
    axis = next(y for _, y, _, text in texts if text == "2,000" and y > 600)
    assert axis - bands[-1] >= 14


@pytest.mark.parametrize("stake_minor", [1, 100_00, 123_456_789_00])
def test_the_longest_amount_has_room_on_the_left(stake_minor: int) -> None:
    results = simulate_sessions(RULES, gains(RULES, {"banker": stake_minor}), rounds=80, sessions=500)
    beside = [(x, text) for x, _, anchor, text in _texts(sessions_svg(results, "g", "p")) if anchor == "end"]
    assert beside
    assert min(x - 7.5 * len(text) for x, text in beside) >= 30  # where the axis title ends


def test_labels_that_are_far_apart_do_not_move() -> None:
    assert apart([0, 20, 100], 14, 100) == [0, 20, 100]
