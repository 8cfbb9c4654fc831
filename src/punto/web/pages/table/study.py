"""What a player studies beside the felt: the five roads with their counts, and the third-card chart."""

from punto.board.results import read_marks
from punto.board.roads import roads
from punto.board.statistics import Statistics, statistics
from punto.catalogue.sentence import Language
from punto.floor.running.live_table import LiveTable
from punto.table.play.insuring import visible_coup
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.layout import table_path
from punto.web.pages.base.templates import Context
from punto.web.pages.parts.roads import AskRoad, ShownRoad, ask_roads, derived_roads, wide_roads
from punto.web.pages.parts.third_cards import Chart, chart_of

BEAD_COLUMNS, STUDY_COLUMNS, STUDY_SHORT_COLUMNS = 6, 12, 7
"""Columns of the bead plate, of the big road beside it, and of the three that are side by side. The board has more."""


class TableRoads(Context, frozen=True, kw_only=True):
    template = "table/roads.html"
    open: bool
    board: str
    """The address of the display board."""
    counts: Statistics
    wide: list[ShownRoad]
    narrow: list[ShownRoad]
    ask_roads: list[AskRoad]


class TableChart(Context, frozen=True, kw_only=True):
    template = "table/third_cards.html"
    open: bool
    book: str
    chart: Chart


def roads_of(view: TableView, language: Language) -> TableRoads:
    marks = read_marks(" ".join(view.marks))
    all_roads = roads(marks)
    return TableRoads(
        open=view.settings is not None,
        board=table_path(view.table, "board"),
        counts=statistics(marks),
        wide=wide_roads(all_roads, STUDY_COLUMNS, language, BEAD_COLUMNS),
        narrow=derived_roads(all_roads, STUDY_SHORT_COLUMNS, language),
        ask_roads=ask_roads(all_roads, language),
    )


def third_cards_of(live: LiveTable, view: TableView, language: Language) -> TableChart:
    now = view.round
    coup = None if now is None or now.void is not None else visible_coup(live.rules, live.state)
    return TableChart(
        open=view.settings is not None,
        book=view.book,
        chart=chart_of(live.rules.table_of_play, coup, TRANSLATORS[language]),
    )
