"""The third-card chart: who draws, by the points on two cards, and the line that applies now."""

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from punto.rules.coup.coup import Coup
from punto.rules.coup.explanation import CardStep, explain
from punto.rules.coup.space import UNKNOWN
from punto.rules.coup.table_of_play import POINTS, Action, PlayRow, TableOfPlay, To
from punto.rules.refusals import Clause
from punto.web.pages.base.i18n import Translator


class ChartCell(Struct, frozen=True):
    action: str
    lit: bool = False
    """Whether it applies now."""


class ChartRow(Struct, frozen=True):
    points: str
    cells: tuple[ChartCell, ...]


class Chart(Struct, frozen=True):
    player: tuple[ChartRow, ...]
    """One cell a row."""
    banker: tuple[ChartRow, ...]
    """A cell for no third card of Player, then one for each value of it."""
    now: str
    """The line that applies now, in words; empty: none."""
    clauses: tuple[Clause, ...]


def chart_of(play: TableOfPlay, coup: Coup | None, t: Translator) -> Chart:
    """Lights nothing until four cards are face up."""
    if coup is None or len(coup.cards) < 4 or UNKNOWN in coup.partial[:2]:
        return Chart(_player_rows(play, None, t), _banker_rows(play, None, t), "", ())
    step = _last_decision(coup)
    player, banker = _lit(play, coup)
    return Chart(
        _player_rows(play, player, t), _banker_rows(play, banker, t), t("chart.now", why=step.why), step.clauses
    )


def _lit(play: TableOfPlay, coup: Coup) -> tuple[int | None, tuple[int, int] | None]:
    """Player's row, and Banker's row and column; None where no row decides."""
    player, banker, third, _ = coup.partial
    if coup.natural:
        of_player = play.player[player].action is Action.NATURAL
        of_banker = play.banker_alone[banker].action is Action.NATURAL
        return player if of_player else None, (banker, 0) if of_banker else None
    if coup.fifth.to is not To.PLAYER:
        return player, (banker, 0)
    return player, None if third == UNKNOWN else (banker, third + 1)


def _last_decision(coup: Coup) -> CardStep:
    """Why the next card is drawn or not; after Banker's third card, why that was drawn."""
    steps, after = explain(coup)
    return steps[-1] if len(steps) > 4 and steps[-1].to is To.BANKER else after


def _player_rows(play: TableOfPlay, lit: int | None, t: Translator) -> tuple[ChartRow, ...]:
    return _rows([(row,) for row in play.player], None if lit is None else (lit, 0), t)


def _banker_rows(play: TableOfPlay, lit: tuple[int, int] | None, t: Translator) -> tuple[ChartRow, ...]:
    return _rows([(play.banker_alone[points], *play.banker_after[points]) for points in POINTS], lit, t)


def _rows(table: Sequence[tuple[PlayRow, ...]], lit: tuple[int, int] | None, t: Translator) -> tuple[ChartRow, ...]:
    """Points with the same actions in one row."""
    rows = []

    def actions(points: int) -> tuple[Action, ...]:
        return tuple(row.action for row in table[points])

    for same, group in groupby(POINTS, actions):
        points = list(group)
        cells = tuple(
            ChartCell(action.value, lit is not None and lit[0] in points and lit[1] == at)
            for at, action in enumerate(same)
        )
        rows.append(ChartRow(_range(points, t), cells))
    return tuple(rows)


def _range(points: Sequence[int], t: Translator) -> str:
    return str(points[0]) if len(points) == 1 else t("chart.range", least=points[0], most=points[-1])
