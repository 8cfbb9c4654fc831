"""The five roads of a shoe, and what its next mark would be, as pages draw them."""

from markupsafe import Markup
from msgspec import Struct

from punto.board.drawing import ask_svg, bead_plate_svg, big_road_svg, derived_svg
from punto.board.roads import Derived, Roads
from punto.catalogue.sentence import Language, say
from punto.rules.coup.table_of_play import Side
from punto.web.pages.base.templates import svg


class ShownRoad(Struct, frozen=True):
    """A road with its name."""

    name: str
    chinese: str
    """The Chinese name, if ``name`` is English; else empty."""
    drawn: Markup


class AskRoad(Struct, frozen=True):
    """The marks that the derived roads get if this side wins next."""

    side: str
    drawn: Markup


def wide_roads(all_roads: Roads, columns: int, language: Language, beads: int = 0) -> list[ShownRoad]:
    """The bead plate and the big road. ``beads`` are the columns of the bead plate, if it has others."""
    return [
        _shown("bead_plate", bead_plate_svg(all_roads.bead_plate, beads or columns, language), language),
        _shown("big_road", big_road_svg(all_roads.big_road, columns, language), language),
    ]


def derived_roads(all_roads: Roads, columns: int, language: Language) -> list[ShownRoad]:
    return [
        _shown(road.value, derived_svg(all_roads.derived[road], road, columns, language), language) for road in Derived
    ]


def _shown(road: str, drawn: str, language: Language) -> ShownRoad:
    chinese = say(f"road.{road}", "zh") if language == "en" else ""
    return ShownRoad(say(f"road.{road}", language), chinese, svg(drawn))


def ask_roads(all_roads: Roads, language: Language) -> list[AskRoad]:
    return [
        AskRoad(side=side.value, drawn=svg(ask_svg(all_roads.ask[side], side, language)))
        for side in (Side.BANKER, Side.PLAYER)
    ]
