"""The settlement sheet in words: what to take and what to pay, line by line, with the chips."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.values import Odds
from punto.floor.chips.chip_set import ChipSet
from punto.floor.chips.settlement_sheet import Move, SheetLine, settlement_sheet
from punto.rules.bets.insurance import insured_side
from punto.rules.rulebook import Rulebook
from punto.table.play.payouts import unverified
from punto.table.records.identity import Place
from punto.table.records.state import Round, Table, as_played
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator, person_name
from punto.web.pages.parts.bets import side_of_felt


class ShownChip(Struct, frozen=True):
    value_minor: int
    colour: str
    count: int


class ShownLine(Struct, frozen=True):
    takes: bool
    box: str
    """Its label."""
    who: str
    """Empty for the person named by the box."""
    bet: str
    look: str
    """Where on the felt it lies: ``player``, ``banker`` or ``centre``."""
    stake_minor: int
    odds: str
    winnings_minor: int
    commission_minor: int
    rounded_minor: int
    moved_minor: int
    left_minor: int
    chips: tuple[ShownChip, ...]
    unverified: bool = False
    """A supervisor still has to verify it."""


class ShownSheet(Struct, frozen=True):
    lines: tuple[ShownLine, ...]
    taken_minor: int
    paid_minor: int


def show_sheet(book: Rulebook, table: Table, now: Round, chips: ChipSet, view: TableView, t: Translator) -> ShownSheet:
    settings = as_played(table).settings
    assert settings is not None  # noqa: S101 - a round was played
    lines = settlement_sheet(book, settings, now.results, chips)
    waiting = {(each.who, each.box, each.bet, each.stage) for each in unverified(table)}
    return ShownSheet(
        lines=tuple(
            replace(
                _show(line, book, settings.box_label(line.box), view, t),
                unverified=(line.who, line.box, line.bet, line.stage) in waiting,
            )
            for line in lines
        ),
        taken_minor=_total(lines, Move.TAKE),
        paid_minor=_total(lines, Move.PAY),
    )


def _total(lines: Iterable[SheetLine], move: Move) -> int:
    return sum(line.moved_minor for line in lines if line.move is move)


def _show(line: SheetLine, book: Rulebook, label: str, view: TableView, t: Translator) -> ShownLine:
    labels = view.settings.box_labels if view.settings else ()
    named = Place.find(line.who) == Place(line.box)
    return ShownLine(
        takes=line.move is Move.TAKE,
        box=label,
        who="" if named else person_name(line.who, t, view.names, labels),
        bet=t(f"bet.{line.bet}"),
        look=insured_side(line.bet) if line.stage else side_of_felt(book.bets[line.bet]),
        stake_minor=line.stake_minor,
        odds=t.write(Odds(line.odds)) if line.odds else "",
        winnings_minor=line.winnings_minor,
        commission_minor=line.commission_minor,
        rounded_minor=line.rounded_minor,
        moved_minor=line.moved_minor,
        left_minor=line.left_minor,
        chips=tuple(ShownChip(each.chip.value_minor, each.chip.colour.value, each.count) for each in line.chips),
    )
