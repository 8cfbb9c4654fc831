"""The roads as SVG: the picture, its description, and nothing that a strict page forbids."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto import Refused
from punto.board.drawing import ask_svg, bead_plate_svg, big_road_svg, derived_svg
from punto.board.layout import width
from punto.board.results import Mark, read_marks
from punto.board.roads import Derived, Roads, roads
from punto.catalogue.sentence import Language
from punto.rules.coup.table_of_play import Side
from tests.board.shoes import SHOES

SPACE = "{http://www.w3.org/2000/svg}"
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def _roads(results: str) -> Roads:
    return roads(read_marks(results))


def _read(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own


def _marks(svg: str) -> list[ET.Element]:
    return [group for group in _read(svg).iter(f"{SPACE}g") if "mark" in group.get("class", "").split()]


def _classes(svg: str) -> list[str]:
    return [mark.get("class", "") for mark in _marks(svg)]


def _label(svg: str) -> str:
    return _read(svg).get("aria-label", "")


def _pictures(shown: Roads, columns: int, language: Language) -> list[str]:
    return [
        bead_plate_svg(shown.bead_plate, columns, language),
        big_road_svg(shown.big_road, columns, language),
        *(derived_svg(cells, road, columns, language) for road, cells in shown.derived.items()),
        *(ask_svg(asked, side, language) for side, asked in shown.ask.items()),
    ]


@pytest.mark.parametrize(("language", "letters"), [("en", "BPT"), ("zh", "庄闲和")])
def test_a_bead_has_its_letter_its_side_and_its_pairs(language: Language, letters: str) -> None:
    svg = bead_plate_svg(_roads("B Pp Tbp").bead_plate, 4, language)
    assert _classes(svg) == ["mark banker", "mark player", "mark tie last"]
    assert "".join(text.text or "" for text in _read(svg).iter(f"{SPACE}text")) == letters
    dots = [[dot.get("class") for dot in mark[2:]] for mark in _marks(svg)]
    assert dots == [[], ["pair-player"], ["pair-banker", "pair-player"]]


def test_a_tie_on_the_big_road_is_a_line_and_more_have_their_number() -> None:
    banker, player, last = _marks(big_road_svg(_roads("B T P TTT B").big_road, 6))
    assert [part.tag.removeprefix(SPACE) for part in banker] == ["circle", "text", "path"]
    assert [part.tag.removeprefix(SPACE) for part in player] == ["circle", "text", "path", "text"]
    assert [part.tag.removeprefix(SPACE) for part in last] == ["circle", "text"]
    assert player[3].text == "3"
    assert (player[2].get("class"), player[3].get("class")) == ("tie-slash", "tie-count")
    assert (banker.get("class"), last.get("class")) == ("mark banker hollow", "mark banker hollow last")


@pytest.mark.parametrize(("language", "letters"), [("en", "BPB"), ("zh", "庄闲庄")])
def test_a_ring_of_the_big_road_has_the_letter_of_its_winner(language: Language, letters: str) -> None:
    marks = _marks(big_road_svg(_roads("B T P TTT B").big_road, 6, language))
    assert [mark[1].get("class") for mark in marks] == ["letter"] * 3
    assert "".join(mark[1].text or "" for mark in marks) == letters


def test_ties_that_wait_are_in_the_first_square() -> None:
    svg = big_road_svg(_roads("TT").big_road, 6)
    (waiting,) = _marks(svg)
    assert waiting.get("class") == "mark tie waiting last"
    assert (waiting[0].get("class"), waiting[1].text) == ("tie-slash", "2")
    assert [waiting[1].get(name) for name in ("x", "y")] == ["10", "14"]
    assert _label(svg) == "Big Road. 2 ties, no decision yet."


@pytest.mark.parametrize(
    ("road", "kind", "shape", "tag"),
    [
        (Derived.BIG_EYE_BOY, "road big-eye-boy", "hollow", "circle"),
        (Derived.SMALL_ROAD, "road small", "solid", "circle"),
        (Derived.COCKROACH_PIG, "road cockroach-pig", "slash", "line"),
    ],
)
def test_derived_roads_are_hollow_solid_and_slashes(road: Derived, kind: str, shape: str, tag: str) -> None:
    shown = _roads("B PP BBB PPPP BBBBB")
    svg = derived_svg(shown.derived[road], road, 20)
    assert _read(svg).get("class") == kind
    colours = [cell.colour for cell in shown.derived[road]]
    assert _classes(svg) == [f"mark {colour} {shape}" for colour in colours[:-1]] + [f"mark {colours[-1]} {shape} last"]
    for mark, colour in zip(_marks(svg), colours, strict=True):
        assert mark[0].tag == SPACE + tag
        assert [part.get("class") for part in mark[1:]] == (["dot"] if colour == "blue" else [])
    assert {*colours} == {"red", "blue"}


def test_an_ask_road_has_a_mark_for_each_derived_road_that_would_get_one() -> None:
    asked = _roads("B PPPP").ask
    assert _classes(ask_svg(asked[Side.BANKER], Side.BANKER)) == ["mark blue hollow"]
    asked = _roads("BPBP").ask
    assert _classes(ask_svg(asked[Side.BANKER], Side.BANKER)) == [
        "mark red hollow",
        "mark red solid",
        "mark red slash",
    ]
    assert _label(ask_svg(asked[Side.PLAYER], Side.PLAYER)) == (
        "If Player wins next: Big Eye Boy blue, Small Road blue, Cockroach Pig blue."
    )


def test_a_long_road_shows_its_last_columns() -> None:
    shown = _roads("BP" * 40)  # 80 columns
    marks = _marks(big_road_svg(shown.big_road, 12))
    assert [mark[0].get("cx") for mark in marks] == [str(20 * at + 10) for at in range(12)]
    assert [mark.get("class") for mark in marks][-1] == "mark player hollow last"


def test_a_dragon_that_leaves_the_picture_keeps_its_tail() -> None:
    marks = _marks(big_road_svg(_roads("B" * 20).big_road, 4))
    assert [(mark[0].get("cx"), mark[0].get("cy")) for mark in marks] == [(str(20 * at + 10), "110") for at in range(4)]


@pytest.mark.parametrize(
    ("results", "language", "said"),
    [
        ("", "en", ["Bead Plate. Nothing yet.", "Big Road. Nothing yet.", "Big Eye Boy. Nothing yet."]),
        ("", "zh", ["珠盘路。暂无。", "大路。暂无。", "大眼仔路。暂无。"]),
        (
            "T B PPPPb",
            "en",
            [
                "Bead Plate. 6 rounds: 1 Banker, 4 Player, 1 Tie. Last: Player, Banker Pair.",
                "Big Road. 2 columns. Last: Player, 4 in a row.",
                "Big Eye Boy. 3 marks: 2 red, 1 blue. Last: red, 2 in a row.",
            ],
        ),
        (
            "T B PPPP TTp",
            "zh",
            [
                "珠盘路。共8局：庄1，闲4，和3。最近：和、闲对。",  # noqa: RUF001 - Chinese
                "大路。共2列。最近：闲，连4局，和2局。",  # noqa: RUF001
                "大眼仔路。共3个：红2，蓝1。最近：红，连2个。",  # noqa: RUF001
            ],
        ),
        (
            "TB",
            "en",
            [
                "Bead Plate. 2 rounds: 1 Banker, 0 Player, 1 Tie. Last: Banker.",
                "Big Road. 1 column. Last: Banker, 1 in a row, with 1 tie.",
                "Big Eye Boy. Nothing yet.",
            ],
        ),
    ],
)
def test_the_words_say_what_is_there(results: str, language: Language, said: list[str]) -> None:
    assert [_label(svg) for svg in _pictures(_roads(results), 10, language)[:3]] == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_picture_has_a_role_a_title_and_a_label_that_begins_with_it(language: Language) -> None:
    for svg in _pictures(_roads("B PP T BBB PPPP BBBBB"), 10, language):
        read = _read(svg)
        (title,) = read.findall(f"{SPACE}title")
        assert read.get("role") == "img"
        assert title.text
        assert _label(svg).startswith(title.text)
        assert len(_label(svg)) > len(title.text) + 3


@given(SHOES, st.integers(1, 40), st.sampled_from(LANGUAGES))
def test_any_picture_is_within_its_frame_and_within_the_policy(
    shoe: list[Mark], columns: int, language: Language
) -> None:
    shown = roads(shoe)
    pictures = _pictures(shown, columns, language)
    for svg in pictures:
        assert not re.search(r"style|fill|stroke|<script|\bon[a-z]+=|href|\bid=", svg)
        read = _read(svg)
        _, _, right, bottom = map(int, read.get("viewBox", "").split())
        assert bottom in (122, 22)
        for each in read.iter():
            for name, value in each.items():
                if name in {"x", "x1", "x2", "cx"}:
                    assert 0 < int(value) < right - 2
                if name in {"y", "y1", "y2", "cy"}:
                    assert 0 < int(value) < bottom - 2
    for svg, places in zip(
        pictures,
        [
            [bead.place for bead in shown.bead_plate],
            [cell.place for cell in shown.big_road.cells],
            *([cell.place for cell in cells] for cells in shown.derived.values()),
        ],
        strict=False,
    ):
        if places:
            assert len(_marks(svg)) == sum(place.column >= width(places) - columns for place in places)


@pytest.mark.parametrize("columns", [0, -3])
def test_no_columns_are_refused(columns: int) -> None:
    with pytest.raises(Refused, match="Use 1 or more"):
        bead_plate_svg(_roads("B").bead_plate, columns)
