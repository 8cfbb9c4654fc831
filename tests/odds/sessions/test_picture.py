"""The picture of an evening: nothing in it lies on something else."""

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
    """Where each text stands, which side of it that is, and what it says."""
    found = ET.fromstring(svg).iter(f"{SPACE}text")  # noqa: S314 - our own
    return [(float(e.get("x", 0)), float(e.get("y", 0)), e.get("text-anchor", ""), e.text or "") for e in found]


def test_with_much_ruin_the_names_of_the_bands_stay_above_the_numbers_of_the_axis() -> None:
    gain = gains(RULES, {"tie": 100_00})
    found = simulate_sessions(RULES, gain, rounds=2000, sessions=2000, bankroll_minor=300_00)
    assert found.ruin is not None
    assert found.ruin.value > 0.95
    texts = _texts(sessions_svg(found, "game", "played"))
    names = {"median", *(f"{band}%" for band in BANDS)}
    bands = sorted(y for x, y, _, said in texts if said in names and x > 700)
    assert len(bands) == len(BANDS)
    assert all(lower - upper >= 13.9 for upper, lower in pairwise(bands))
    axis = next(y for _, y, _, said in texts if said == "2,000" and y > 600)
    assert axis - bands[-1] >= 14


@pytest.mark.parametrize("stake_minor", [1, 100_00, 123_456_789_00])
def test_the_longest_amount_has_room_on_the_left(stake_minor: int) -> None:
    found = simulate_sessions(RULES, gains(RULES, {"banker": stake_minor}), rounds=80, sessions=500)
    beside = [(x, said) for x, _, anchor, said in _texts(sessions_svg(found, "g", "p")) if anchor == "end"]
    assert beside
    assert min(x - 7.5 * len(said) for x, said in beside) >= 30  # the words along the axis end there


def test_what_is_apart_already_stays_where_it_is() -> None:
    assert apart([0, 20, 100], 14, 100) == [0, 20, 100]
