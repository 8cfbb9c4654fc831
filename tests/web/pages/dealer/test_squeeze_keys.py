"""The squeeze at the console: who asks is said in every moment, and the house's answers are keys."""

from typing import Any

from punto.catalogue.sentence import write
from punto.library import book
from punto.rules.coup.table_of_play import Side
from punto.table.procedure.squeeze import standing_squeeze
from punto.table.records import commands
from punto.table.records.positions import Position
from tests.table.tables import DEALER, SUPERVISOR, Evening, betting
from tests.web.pages.dealer.at_console import command_in, moment_of, scene_of

RULES = book("commission-insurance")
DOWN: dict[str, Any] = {"observing": True, "face_down": True}


def said(evening: Evening) -> list[str]:
    return [write(each) for each in moment_of(evening).why]


def keys(evening: Evening) -> dict[str, str]:
    return {key.key: write(key.label) for key in moment_of(evening).keys}


def test_who_asks_is_said_while_bets_are_open_and_the_house_can_answer() -> None:
    evening = betting(RULES, **DOWN)
    evening.bet("ann", "banker", 100_00)
    assert keys(evening)["G"] == "Squeeze for the shoe"
    assert "F" not in keys(evening)
    evening.do(commands.RequestSqueeze(*DEALER, "ann", Side.BANKER))
    assert "ann asks to squeeze Banker." in said(evening)
    assert (keys(evening)["G"], keys(evening)["F"]) == ("Grant Banker", "Refuse Banker")
    answer = next(key for key in moment_of(evening).keys if key.key == "G").action
    assert answer.needs is Position.PIT_SUPERVISOR
    evening.close_betting()
    assert "ann asks to squeeze Banker." in said(evening)
    evening.do(commands.GrantSqueeze(*SUPERVISOR, Side.BANKER))
    assert "ann squeezes Banker." in said(evening)
    assert keys(evening)["G"] == "Squeeze for the shoe"


def test_a_standing_grant_is_offered_by_hand_and_then_ended() -> None:
    evening = betting(RULES, **DOWN)
    form = standing_squeeze(scene_of(evening))
    assert form.needs is Position.PIT_SUPERVISOR
    first, second = form.fields[0].picks
    assert [write(each.label) for each in (first, second)] == [
        "Grant Player until the shoe ends",
        "Grant Banker until the shoe ends",
    ]
    evening.do(command_in(second.value, SUPERVISOR))
    assert evening.table.standing_squeezes == {Side.BANKER}
    assert said(evening)[-1] == "Banker: whoever has the highest bet may squeeze, until the shoe ends."
    ends = standing_squeeze(scene_of(evening)).fields[0].picks[1]
    assert write(ends.label) == "End the grant of Banker"
    evening.do(command_in(ends.value, SUPERVISOR))
    assert evening.table.standing_squeezes == frozenset()


def test_where_the_settings_grant_it_there_is_nothing_to_grant() -> None:
    evening = betting(RULES, squeeze_granted=True, **DOWN)
    assert "G" not in keys(evening)
    assert said(evening)[-1] == "The player with the highest bet may squeeze, by the settings of the table."


def test_where_cards_lie_face_up_nobody_squeezes() -> None:
    assert {"G", "Z"}.isdisjoint(keys(betting(RULES, observing=True)))
