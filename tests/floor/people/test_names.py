# ruff: noqa: RUF001 - this is about letters that look alike
"""Nobody gets a name that looks like the house's or mixes two alphabets."""

import pytest

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.names.lookalikes import lookalike_form
from punto.floor.names.names import mixes_scripts, new_name, new_visitor
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.table.refusals import TableCode
from tests.floor.staff_floor import Staffed, refused, run

LIKE_THE_HOUSE = [
    "Mei (house).",
    "Mei (hoúse)",
    "Mei [house]",
    "Mei (h0use)",
    "Mei ⒣⒪⒰⒮⒠",
    "Mei (ｈｏｕｓｅ)",
    "h-o-u-s-e",
    "ΗΟUSE".replace("U", "Υ").replace("SE", "SΕ"),
    "C0nsole",
]
FOR_VISITORS = ["The house", "house guest", "admin", "Adm1n", "Administrator Li", "dea1er", "pit manager", "荷官 小李"]
PEOPLE = [
    "Ann",
    "José",
    "Łukasz",
    "Zoë 2",
    "李小龙",
    "Mei 李",
    "Анна",
    "Σοφία",
    "さくら",
    "김 Min",
    "O'Neil-Smith",
    "7",
    *("Polizzi", "Pozzoli", "Pizzoli", "Pizzolo", "Boxill", "Boxii"),  # surnames of letters that look like digits
    "P12345",
]


@pytest.mark.parametrize("name", [*LIKE_THE_HOUSE, "Mei (hоuse)", "аdmin", "Mei (ηouse)"])
def test_nobody_is_called_what_looks_like_the_house(name: str) -> None:
    with pytest.raises(FloorRefused) as trouble:
        new_name(name)
    assert trouble.value.code in (FloorCode.NAME_TAKEN, TableCode.BAD_NAME)


@pytest.mark.parametrize("name", FOR_VISITORS)
def test_a_visitor_is_not_called_like_one_of_the_house_but_the_staff_may_be(name: str) -> None:
    with pytest.raises(FloorRefused) as trouble:
        new_visitor(name)
    assert trouble.value.code is FloorCode.NAME_TAKEN


@pytest.mark.parametrize("name", PEOPLE)
def test_people_are_called_as_they_are(name: str) -> None:
    assert new_visitor(name)


@pytest.mark.parametrize("name", ["аnn", "annα", "Aнна", "Mei рlays", "Ԁora and eve"])
def test_one_alphabet_a_name(name: str) -> None:
    assert mixes_scripts(name)
    with pytest.raises(FloorRefused) as trouble:
        new_visitor(name)
    assert trouble.value.code is TableCode.BAD_NAME


def test_an_alphabet_of_its_own_hides_no_word_of_the_house() -> None:
    assert not mixes_scripts("аԁмін")
    assert lookalike_form("аԁмін") == lookalike_form("admih")
    assert lookalike_form("НОЅТ") == "host"


def test_who_comes_in_or_is_hired_is_asked(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True))
        await refused(house.visitors.enter("The house"), FloorCode.NAME_TAKEN)
        await refused(house.visitors.enter("аnn"), TableCode.BAD_NAME)
        await refused(house.accounts.create(THE_CONSOLE, "Mei (hoúse)", None), FloorCode.NAME_TAKEN)
        await house.accounts.create(THE_CONSOLE, "night manager", None)
        await house.visitors.enter("Анна")

    run(database_url, test)


def test_a_name_has_no_slash_because_addresses_have_names_in_them() -> None:
    with pytest.raises(FloorRefused) as trouble:
        new_name("dee/dum")
    assert trouble.value.refusal.key == "bad_name.slash"
