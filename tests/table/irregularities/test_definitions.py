"""Clauses that no single command implements: shoe and shuffler, displayed limits, displays."""

from typing import get_args

import msgspec
import pytest

from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import CardDealt, CardsBurned, RoundSettled, SettingsChanged, ShoeLoaded, TableOpened
from punto.table.records.findings import CardsDrawnOutOfTurn
from punto.table.refusals import TableCode
from punto.table.vocabulary import AnyCommand
from tests.table.numbers import having
from tests.table.tables import DEALER, HOUSE, NATURAL, SUPERVISOR, dealing, opened, settings


@pytest.mark.parametrize("rules", having("card_shoe", "shuffler", "decks"))
def test_a_shoe_is_loaded_by_the_house_whatever_shuffles_it(rules: Rulebook) -> None:
    for by in (SUPERVISOR, HOUSE):  # a pit employee, or the machine that shuffled it
        evening = opened(rules)
        assert evening.do(commands.LoadShoe(*by, "s1", rules.decks.most)) == (ShoeLoaded("s1", rules.decks.most),)
        assert evening.table.shoe is not None
        assert (evening.table.shoe.drawn, sum(evening.table.shoe.seen)) == (0, 0)
    evening = opened(rules)
    evening.refuse(commands.LoadShoe(*DEALER, "s1", rules.decks.most), TableCode.NOT_AUTHORISED)
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.NO_SHOE)  # no card comes from elsewhere


@pytest.mark.parametrize("rules", having("card_shoe", "shuffler"))
def test_cards_come_in_by_command_whoever_draws_them_and_each_names_its_shoe(rules: Rulebook) -> None:
    evening = opened(rules, burn=True)
    evening.do(commands.LoadShoe(*SUPERVISOR, "blue", rules.decks.least))
    evening.do(commands.BurnCards(*DEALER, Card("Ah")))
    evening.open_betting().close_betting()
    for card, by in zip(NATURAL.split(), (DEALER, HOUSE, DEALER, HOUSE), strict=True):  # by hand or by machine
        evening.do(commands.DealCard(*by, Card(card)))
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),)))
    named = [event for event in evening.events if isinstance(event, CardDealt | CardsBurned | CardsDrawnOutOfTurn)]
    assert [event.shoe for event in named] == ["blue"] * 6
    assert evening.table.round is not None
    assert evening.table.round.shoes == ("blue",) * 4
    assert evening.table.carried[0].shoe == "blue"


@pytest.mark.parametrize("rules", having("shuffler", "card_shoe"))
def test_no_state_holds_a_card_that_nobody_has_seen(rules: Rulebook) -> None:
    evening = dealing(rules, face_down=True).deal_unseen(4)
    assert evening.table.round is not None
    assert evening.table.shoe is not None
    assert evening.table.round.cards == (None,) * 4
    assert (evening.table.shoe.drawn, evening.table.shoe.seen) == (4, bytes(52))


@pytest.mark.parametrize("rules", having("limits_displayed"))
def test_the_limits_to_be_shown_are_in_the_opening_and_in_every_change(rules: Rulebook) -> None:
    shown = {"least": 50_00, "most": 900_00, "differential_minor": 300_00}
    evening = opened(rules, **shown)
    (opening,) = evening.happened(TableOpened)
    held = opening.settings
    assert (held.main.min_minor, held.main.max_minor, held.differential_minor) == (50_00, 900_00, 300_00)
    assert evening.table.settings == held
    changed = settings(rules, least=25_00, most=900_00, differential_minor=400_00)
    evening.do(commands.ChangeSettings(*SUPERVISOR, changed))
    (change,) = evening.happened(SettingsChanged)
    assert (change.settings.main.min_minor, change.settings.differential_minor) == (25_00, 400_00)
    written = msgspec.json.decode(msgspec.json.encode(change))  # what a screen gets
    assert written["settings"]["differential_minor"] == 400_00
    assert written["settings"]["main"]["min_minor"] == 25_00


@pytest.mark.parametrize("rules", having(where="display"))
def test_nothing_can_tell_the_table_a_result(rules: Rulebook) -> None:
    results = {"points", "winner", "result", "results", "outcome", "player", "banker", "pays", "returned_minor"}
    for kind in get_args(AnyCommand):
        assert not results & set(kind.__struct_fields__), kind
    evening = dealing(rules).deal(NATURAL)
    unknown = {"command": "settle.1", "by": "dora", "position": "dealer", "winner": "banker"}
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert(unknown, type=AnyCommand)
    evening.settle()
    assert evening.happened(RoundSettled)[0].winner == "player"  # by the cards alone
