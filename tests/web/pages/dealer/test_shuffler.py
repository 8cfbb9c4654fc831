"""The console at a table that is dealt from a continuous shuffler."""

from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.library import book
from punto.table.procedure.chip_set import USUAL_CHIPS
from punto.table.procedure.scene import MomentName
from punto.table.records.commands import StartBoard
from punto.table.records.positions import Position
from punto.table.records.settings import ContinuousShuffler
from punto.web.pages.dealer import table_forms
from tests.table.tables import NATURAL, SUPERVISOR, Evening, ready
from tests.web.pages.dealer.at_console import moment_of, scene_of

RULES = book("commission-insurance")
WHERE = "settings.continuous"


def at_shuffler(back_after: int = 1) -> Evening:
    return ready(RULES, observing=True, continuous=ContinuousShuffler(back_after))


def test_a_new_board_is_started_between_rounds_with_a_supervisor() -> None:
    evening = at_shuffler()
    assert "start_board" not in dict(table_forms.table_menu(scene_of(evening)).items), "the board is empty"
    evening.open_betting().close_betting().deal(NATURAL).settle()
    assert "start_board" in dict(table_forms.table_menu(scene_of(evening)).items)
    form = table_forms.start_board(scene_of(evening))
    assert form.command == {"command": "start_board.1"}
    assert form.needs is Position.PIT_SUPERVISOR
    assert "start_board" not in dict(table_forms.table_menu(scene_of(ready(RULES, observing=True))).items)
    said = phrase("console.why.board_empty")
    assert said not in moment_of(evening).why
    evening.do(StartBoard(*SUPERVISOR))
    assert said in moment_of(evening).why
    assert said not in moment_of(evening.open_betting().close_betting().deal(NATURAL).settle()).why


def test_no_key_announces_a_cut_card() -> None:
    assert "O" in {key.key for key in moment_of(ready(RULES, observing=True)).keys}
    assert "O" not in {key.key for key in moment_of(at_shuffler()).keys}


def test_what_cards_come_from_is_chosen_when_a_table_is_opened_and_between_rounds() -> None:
    for settings in (None, at_shuffler(5).table.settings):
        chosen = None if settings is None else {"back_after_rounds": 5, "burn": False}
        scene = scene_of(at_shuffler(5) if settings is not None else ready(RULES, observing=True))
        for form in (
            table_forms.open_table(RULES, scene.table.settings, USUAL_CHIPS, Position.PIT_SUPERVISOR),
            table_forms.change_settings(scene),
        ):
            (field,) = [each for each in form.fields if each.name == WHERE]
            assert [pick.value for pick in field.picks if pick.chosen] == [chosen]
            assert None in [pick.value for pick in field.picks]
    version_three = table_forms.open_table(book("commission"), None, USUAL_CHIPS, Position.PIT_SUPERVISOR)
    assert WHERE not in [each.name for each in version_three.fields]


def test_the_dialog_of_a_shoe_says_that_a_shuffler_is_loaded() -> None:
    assert table_forms.load_shoe(scene_of(ready(RULES, observing=True)), "s2").text is None
    text = table_forms.load_shoe(scene_of(at_shuffler(3)), "s2").text
    assert text is not None
    assert text.values == {"rounds": 3}


def test_a_shuffler_whose_cards_are_all_out_is_not_over_if_they_go_back_at_the_call() -> None:
    evening = at_shuffler().open_betting().close_betting().deal(NATURAL).settle()
    shoe = evening.table.shoe
    assert shoe is not None
    all_out = replace(shoe, drawn=shoe.drawn + shoe.left)
    evening.table = replace(evening.table, shoe=all_out)
    assert moment_of(evening).name is MomentName.READY
    evening.table = replace(evening.table, shoe=replace(all_out, continuous=ContinuousShuffler(2)))
    assert moment_of(evening).name is MomentName.SHOE
