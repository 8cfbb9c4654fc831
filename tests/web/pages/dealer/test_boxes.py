"""What lies in the boxes, and what is typed for it."""

import pytest

from punto.library import book, book_ids
from punto.table.procedure.scene import Scene
from punto.table.records import commands
from punto.table.records.positions import Position
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.dealer.boxes import (
    CODES,
    MAX_TYPED,
    bet_codes,
    codes_of,
    insurable,
    people_at,
    show_boxes,
    typing_of,
)
from tests.table.tables import BANKER_ON_FIVE, DEALER, Evening, betting, dealing
from tests.web.pages.dealer.at_console import scene_of

RULES = book("commission-insurance")
T = TRANSLATORS["en"]


def view_of(evening: Evening) -> TableView:
    return TableView(
        table="t1",
        book=evening.rules.id,
        title="",
        table_title="t1",
        opening=1,
        version=1,
        phase=evening.table.phase,
        settings=evening.table.settings,
        seats={},
        behind={},
        shoe=None,
        standing_squeezes=(),
        carried=(),
        round=None,
        marks=(),
        due=None,
        names={},
    )


@pytest.mark.parametrize("name", book_ids())
def test_every_bet_has_a_code_of_letters_that_no_other_bet_of_its_layout_has(name: str) -> None:
    rules = book(name)
    for layout in rules.layouts.values():
        codes = list(codes_of(rules, layout.id).values())
        assert codes == [CODES[bet] for bet in layout.menu]
        assert len(set(codes)) == len(codes)
        assert all(code.isalpha() and code.isupper() for code in codes)


def test_seated_and_standing_bets_are_apart_with_what_is_typed_for_them() -> None:
    evening = betting(RULES, observing=True, most=500_00, differential_minor=300_00)
    evening.bet("ann", "banker", 100_00)
    evening.bet("dan", "banker", 50_00)
    first = show_boxes(scene_of(evening), view_of(evening), T)[0]
    assert [(person.who, person.typed, person.seated) for person in first.people] == [
        ("ann", "", True),
        ("dan", "/", False),
        ("eve", "/2", False),
    ]
    assert first.room == (("P", 450_00), ("B", 150_00))  # by the differential
    assert first.total_minor == 150_00


def test_the_chips_that_go_back_are_the_newest_of_those_who_stand() -> None:
    evening = betting(RULES, observing=True, differential_minor=100_00)
    evening.bet("ann", "banker", 80_00)
    evening.bet("dan", "banker", 50_00)
    first = show_boxes(scene_of(evening), view_of(evening), T)[0]
    assert first.notes == ("30 on Banker of dan goes back",)
    assert {bet.flag for person in first.people for bet in person.bets} == {"over"}


def test_a_bet_below_the_minimum_and_an_odd_bet_are_flagged() -> None:
    evening = betting(RULES, observing=True, least=25_00, smallest_chip_minor=5_00)
    evening.bet("ann", "banker", 10_00)
    evening.bet("ben", "banker", 50_00)  # 47.50 after commission
    evening.bet("cat", "player", 50_00)
    boxes = show_boxes(scene_of(evening), view_of(evening), T)
    assert [box.people[0].bets[0].flag for box in boxes[:3]] == ["low", "odd", ""]


def test_insurance_that_is_due_shows_who_may_take_how_much() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), ("ben", "player", 50_00), observing=True)
    evening.deal(BANKER_ON_FIVE)
    scene = scene_of(evening)
    found = insurable(scene, "ann", 1)
    assert found is not None
    assert insurable(scene, "ben", 2) is None
    typed = typing_of(scene, T)
    assert typed is not None
    assert [(each.who, each.most_minor) for each in typed.insurance] == [("ann", found.most_minor)]
    evening.do(commands.TakeInsurance(*DEALER, "ann", 1, found.most_minor))
    assert insurable(scene_of(evening), "ann", 1) is None


def test_an_empty_box_is_typed_as_its_place() -> None:
    typed = typing_of(scene_of(betting(RULES, observing=True)), T)
    assert typed is not None
    behind = [f"behind box 4/{number}" for number in range(2, MAX_TYPED + 1)]
    assert typed.boxes[3].people == ["box 4", "behind box 4", *behind]
    assert typed.codes == bet_codes(scene_of(betting(RULES, observing=True)))


def test_a_place_behind_a_box_keeps_its_number_whoever_else_stands_there() -> None:
    evening = betting(RULES, observing=True)
    evening.do(commands.PlaceBet(*DEALER, "behind box 4/2", 4, "player", 700_00))
    assert people_at(scene_of(evening), 4) == {0: "box 4", 2: "behind box 4/2"}
    evening.do(commands.PlaceBet(*DEALER, "P000123", 4, "player", 700_00))
    assert people_at(scene_of(evening), 4) == {0: "box 4", 1: "P000123", 2: "behind box 4/2"}
    typed = typing_of(scene_of(evening), T)
    assert typed is not None
    assert typed.boxes[3].people[:4] == ["box 4", "P000123", "behind box 4/2", "behind box 4/3"]
    shown = show_boxes(scene_of(evening), view_of(evening), T)[3]
    assert [person.typed for person in shown.people] == ["/", "/2"]


def test_what_lies_as_insurance_is_known_where_it_is_typed() -> None:
    evening = dealing(RULES, ("ann", "banker", 1_000_00), observing=True)
    evening.deal(BANKER_ON_FIVE)
    before = typing_of(scene_of(evening), T)
    assert before is not None
    (offer,) = before.insurance
    assert offer.lies_minor == 0
    evening.do(commands.TakeInsurance(*DEALER, offer.who, offer.box, 100_00))
    after = typing_of(scene_of(evening), T)
    assert after is not None
    assert [(each.lies_minor, each.most_minor) for each in after.insurance] == [(100_00, offer.most_minor - 100_00)]
    evening.do(commands.TakeInsurance(*DEALER, offer.who, offer.box, offer.most_minor - 100_00))
    full = typing_of(scene_of(evening), T)
    assert full is not None
    assert [(each.lies_minor, each.most_minor) for each in full.insurance] == [(offer.most_minor, 0)]


def test_where_only_cards_are_recorded_nothing_is_typed() -> None:
    evening = betting(RULES, cards_only=True)
    scene = Scene(RULES, evening.table, sealed=False, position=Position.DEALER)
    assert typing_of(scene, T) is None
    assert show_boxes(scene, view_of(evening), T) == ()
