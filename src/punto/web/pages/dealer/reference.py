"""The Table of Play and what bets and insurance pay, which stay on the screen when the line is lost."""

from collections.abc import Iterable

from msgspec import Struct

from punto.catalogue.values import Odds
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.table_of_play import POINTS, Action
from punto.rules.rulebook import Rulebook
from punto.table.records.settings import Settings
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.bets import pays


class BankerRow(Struct, frozen=True):
    points: int
    alone: str
    """What Banker does when Player stands: draws, stands or natural."""
    draws_on: str
    """The values of Player's third card on which Banker draws; empty for none."""


class InsuranceRow(Struct, frozen=True):
    stage: str
    side: str
    player: str
    """The points on which it is offered."""
    banker: str
    odds: str
    tie_pays: bool


class Reference(Struct, frozen=True):
    player_draws: str
    """Player's points on two cards."""
    player_stands: str
    naturals: str
    banker: tuple[BankerRow, ...]
    pays: tuple[tuple[str, str], ...]
    """Each bet and what it pays."""
    insurance: tuple[InsuranceRow, ...]
    """Empty where none is offered."""


def reference_of(book: Rulebook, settings: Settings | None, t: Translator) -> Reference:
    """``settings`` are None at a closed table: then all bets of the book are listed."""
    play, layout = book.table_of_play, settings.layout if settings else ""
    offers = book.insurance if settings is None or not settings.no_insurance else None

    def player(action: Action) -> str:
        return _ranges(points for points in POINTS if play.player[points].action is action)

    menu = book.layouts[layout].menu if layout else tuple(book.bets)
    return Reference(
        player_draws=player(Action.DRAWS),
        player_stands=player(Action.STANDS),
        naturals=player(Action.NATURAL),
        banker=tuple(
            BankerRow(
                points,
                play.banker_alone[points].action.value,
                _ranges(third for third in POINTS if play.banker_after[points][third].action is Action.DRAWS),
            )
            for points in POINTS
            if play.banker_alone[points].action is not Action.NATURAL
        ),
        pays=tuple((t(f"bet.{bet}"), pays(book.bets[bet], t)) for bet in menu),
        insurance=tuple(_insurance(line, t) for line in offers.lines) if offers else (),
    )


def _insurance(line: InsuranceLine, t: Translator) -> InsuranceRow:
    return InsuranceRow(
        t(f"stage.{line.stage}"),
        t(f"side.{line.side}"),
        _ranges(sorted(line.player)),
        _ranges(sorted(line.banker)),
        t.write(Odds(line.odds_text)),
        line.tie_pays,
    )


def _ranges(values: Iterable[int]) -> str:
    """Numbers in a row as a range.

    >>> _ranges([0, 1, 2, 3, 8])
    '0-3, 8'
    """
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][-1] == value - 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
