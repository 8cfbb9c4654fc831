"""Anyone who counts a tray is not told what should lie there, neither by a table's state nor by its events."""

import pytest

from punto.floor.journal.actor import Actor
from punto.floor.people.approvals.blind_counts import differing_piles
from punto.floor.people.floor_rules import FloorRules
from punto.table.records.chips import ChipPile
from punto.table.records.positions import DEALER_UP, Position, in_order
from punto.table.records.settings import Settings
from punto.web.views.visibility import Sight, cut_balances, cut_settings, sight_at, without_tray

BALANCES = {"float": 900, "bank": -1_000, "chips:ann": 100}
SETTINGS = Settings(layout="A", boxes=7, tray_par_minor=1_000, buy_in_supervised_minor=50)


@pytest.mark.parametrize("position", in_order(DEALER_UP))
def test_everybody_who_may_count_is_blind(position: Position) -> None:
    assert sight_at(Actor("dora", position), "t1", FloorRules()).counts


def test_auditors_see_what_lies_there_and_what_should() -> None:
    sight = sight_at(Actor("aude", Position.AUDITOR), "t1", FloorRules())
    assert (sight, sight.whole, sight.counts) == (Sight.AUDIT, True, False)
    assert cut_balances(BALANCES, sight) == BALANCES
    assert cut_settings(SETTINGS, sight) == SETTINGS


@pytest.mark.parametrize("sight", [Sight.STAFF, Sight.PIT])
def test_those_who_count_see_players_chips_and_thresholds_alone(sight: Sight) -> None:
    assert cut_balances(BALANCES, sight) == {"chips:ann": 100}
    settings = cut_settings(SETTINGS, sight)
    assert settings is not None
    assert (settings.tray_par_minor, settings.buy_in_supervised_minor) == (None, 50)


def test_openings_changes_and_closings_do_not_tell_it_either() -> None:
    opened = {"event": "table_opened.1", "postings": [["float", 900]], "settings": {"tray_par_minor": 1, "boxes": 7}}
    assert without_tray(opened) == {"event": "table_opened.1", "postings": [], "settings": {"boxes": 7}}
    closed = {"event": "table_closed.1", "balances": BALANCES}
    assert without_tray(closed) == {"event": "table_closed.1", "balances": {"chips:ann": 100}}
    bought = {"event": "chips_bought.1", "postings": [["float", -5], ["chips:ann", 5]]}
    assert without_tray(bought) == bought


def test_which_denominations_differ_is_known_once_both_have_counted() -> None:
    first = (ChipPile(100_00, 20), ChipPile(25_00, 4), ChipPile(5_00, 9))
    second = (ChipPile(100_00, 20), ChipPile(25_00, 5))
    assert differing_piles(first, second) == ((25_00, 4, 5), (5_00, 9, 0))
    assert differing_piles(first, first) == ()
