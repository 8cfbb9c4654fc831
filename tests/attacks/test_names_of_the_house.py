# ruff: noqa: RUF001 - this is about letters that look alike
"""Visitors try names that pass for the house's, for its staff's or for another visitor's. None gets in."""

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

import punto.floor.names
from punto.floor.names.names import new_visitor
from punto.table.records.positions import Position
from tests.attacks.test_customers_name import REAL, house
from tests.floor.playing import DEALER, At
from tests.web.serving import Server, server
from tests.web.wire import problem

LIKE_THE_HOUSE = [
    *("Mei (hou§e)", "Mei (hou$e)", "Mei (ℎ𝑜𝑢𝑠𝑒)", "Mei (һоυѕе)", "house.", "the h o u s e"),
    *("adm|n", "adm¡n", "adrnin", "αdmin", "ɑdmin", "ᴀᴅᴍɪɴ", "🇦🇩🇲🇮🇳", "🅰🅳🅼🅸🅽", "аԁміп", "ADMIN 1", "a.d.m.i.n"),
    *("staƒƒ", "$taff", "st@ff", "ｓｔａｆｆ", "ꜱtaff", "sŧaff", "deaIer", "dea|er", "cr0upier", "superv1sor"),
    *("pit boss", "Pit-Boss", "Pit", "the host", "Cage", "Customer Service", "OFFICIAL", "Casino Lisboa", "Punto"),
    *(
        "客服",
        "客 服",
        "客-服",
        "在线客服",
        "工作人员",
        "工作人員",
        "⼯作⼈员",
        "エ作人员",
        "官方",
        "荷官",
        "赌场经理",
        "系统",
    ),
    *("kefu", "Ke-Fu", "guanliyuan"),
]
PEOPLE = [
    *("Ann", "Staci", "Pitt", "Ghosta", "Cagney", "Bossi", "Modesto", "Rooty", "Servaas", "Helpmann", "Botha"),
    *("小李", "陈官", "王方", "李客", "服部", "张工", "系美"),
]
ALIKE = [
    ("sue", ["sue.", "Sue", "-sue-", "s.u.e", "ѕuе", "suе", "sųe", "ꜱue", "𝓈𝓊𝑒", "sue\u034f", "ｓｕｅ", "★sue★"]),
    ("Ian", ["lan", "1an", "|an", "Ian!"]),
    ("Tom", ["Torn", "T0m", "TOM"]),
    ("小李", ["小李.", "小 李", "⼩李"]),
]
CONFUSABLES = "95bd0aad6dced5ebc63436f459c06ab21a8d107cd842fb57f5c3a1e91bca8611"
"""SHA-256 of Unicode's confusables.txt 16.0.0, as published and as ICU 76.1 has it."""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with visitors."""
    with server(str(tmp_path_factory.mktemp("names") / "floor.db")) as served:
        served.visitor("vera")
        yield served


@pytest.mark.parametrize("name", LIKE_THE_HOUSE)
def test_nobody_enters_under_a_name_that_passes_for_the_house(floor: Server, name: str) -> None:
    answer = floor.client().post("/api/visit", json={"name": name})
    assert (answer.status_code, answer.json()["error"]["code"]) in ((409, "name_taken"), (400, "bad_name"))


@pytest.mark.parametrize("name", PEOPLE)
def test_people_are_not_taken_for_the_house(name: str) -> None:
    assert new_visitor(name)


@pytest.mark.parametrize(("first", "others"), ALIKE)
def test_no_two_visitors_look_alike(floor: Server, first: str, others: list[str]) -> None:
    client = floor.client()
    assert client.post("/api/visit", json={"name": first}).status_code == 200
    for name in others:
        answer = client.post("/api/visit", json={"name": name})
        assert (answer.status_code, answer.json()["error"]["code"]) in ((409, "name_taken"), (400, "bad_name")), name


def test_no_two_accounts_look_alike(floor: Server) -> None:
    adam = floor.by(Position.ADMINISTRATOR)
    assert adam.post("/api/accounts", json={"name": "Suki"}).status_code == 201
    for name in ("Suki.", "suki", "Sukï", "Ｓｕｋｉ"):
        problem(adam.post("/api/accounts", json={"name": name}), 409, "account_exists")
        problem(
            adam.post("/api/tokens", json={"name": name, "position": "dealer", "work": "read"}), 409, "account_exists"
        )
    for name in ("Kai", "Kal", "Bob 5", "Bobs"):  # alike for a guesser, not for the eye
        assert adam.post("/api/accounts", json={"name": name}).status_code == 201


def test_nobody_enters_under_a_name_that_looks_like_somebody_with_chips(tmp_path: Path) -> None:
    with house(str(tmp_path / "floor.db")) as served:
        at = At(served.floor, REAL, "sale")
        served.run(at.do(DEALER, "buy_in", who="Olga", amount_minor=100_00))
        for name in ("Olga", "0lga", "Olga.", "Оlgа"):
            answer = served.client().post("/api/visit", json={"name": name})
            assert answer.json()["error"]["code"] in ("name_taken", "bad_name"), name


def test_unicodes_table_is_the_published_one_and_comes_with_its_licence() -> None:
    folder = files(punto.floor.names) / "unicode"
    assert sha256((folder / "confusables.txt").read_bytes()).hexdigest() == CONFUSABLES
    assert "SPDX-License-Identifier: Unicode-3.0" in Path(str(folder / "LICENSE")).read_text()
