"""Every round step by step: each step is the table's own state, and its money is the ledger's."""

from collections import Counter
from pathlib import Path

import pytest

from tests.floor.goldens import FILES, name_of
from tests.floor.journals import JOURNALS, RANDOM, all_entries
from tests.floor.nights import opened
from tests.floor.stepped import check_steps, golden_entries

PLAYED = sorted(JOURNALS.keys() - {name_of(path) for path in FILES} - RANDOM.keys())


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_step_of_a_golden_evening_is_the_tables(path: Path) -> None:
    seen = check_steps(golden_entries(path))
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
    for path in FILES[3::7]:
        seen += check_steps(golden_entries(path))
    assert min(seen["third card"], seen["offer"], seen["stake"]) > 10
    assert min(seen["late offer"], seen["missed offer"]) > 0
