"""Every round step by step: each step is the table's own state, and its money is the ledger's."""

from collections import Counter
from pathlib import Path

import pytest

from tests.floor.journals import JOURNALS, RANDOM, all_entries
from tests.floor.nights import opened
from tests.floor.round_steps import check_steps, golden_entries
from tests.golden.recordings import ALL, NEWEST
from tests.marks import rest_at_night

PLAYED = sorted(JOURNALS.keys() - set(ALL) - RANDOM.keys())


@pytest.mark.parametrize("name", rest_at_night(ALL, NEWEST))
def test_every_step_of_a_golden_evening_is_the_tables(name: str) -> None:
    seen = check_steps(golden_entries(name))
    assert min(seen["posting"], seen["card"]) >= 10


@pytest.mark.parametrize("name", PLAYED)
def test_every_step_of_a_played_evening_is_the_tables(name: str, tmp_path: Path) -> None:
    """Corrections, rulings, reopened tables, identified players: also after the settlement."""
    url = str(tmp_path / "floor.db")
    JOURNALS[name](url)
    with opened(url) as database:
        seen = check_steps(all_entries(database))
    assert min(seen["posting"], seen["card"]) > 20


def test_the_evenings_show_third_cards_and_offers_with_their_reasons() -> None:
    seen = Counter[str]()
    for name in NEWEST[5::8]:
        seen += check_steps(golden_entries(name))
    assert min(seen["third card"], seen["offer"], seen["stake"]) > 10
    assert min(seen["late offer"], seen["missed offer"]) > 0
