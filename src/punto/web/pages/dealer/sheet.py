"""The settlement sheet in words: what to take and what to pay, line by line, with the chips."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.values import Money, Odds
from punto.rules.bets.insurance import insured_side
from punto.rules.coup.coup import Coup
from punto.rules.rulebook import Rulebook
from punto.table.play.payouts import left_to_pay, unverified
from punto.table.procedure.chip_set import ChipSet
from punto.table.procedure.settlement_sheet import Move, SheetLine, settlement_sheet
from punto.table.records.identity import Place
from punto.table.records.state import Round, Table, as_played
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator, person_name
from punto.web.pages.parts.bets import side_of_felt
from punto.web.words.bet_notes import note

MOST_IN_WORDS = 7
"""With more lines in a column, a line has one row of the screen."""


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
    handed_minor: int
    """What the dealer really takes or hands over: less than ``moved_minor`` if something is kept back."""
    kept_minor: int
    """What the player owes from before, of this line."""
    keep: str
    """That it is kept back, in words; empty if nothing is."""
    left_minor: int
    chips: tuple[ShownChip, ...]
    note: str = ""
    """Which part of the stake played, or that insurance pays on a tie; mostly empty."""
    unverified: bool = False
    """A supervisor still has to verify it."""
    done: bool = False
    """Taken or paid, by this sheet or by one before a correction."""
    current: bool = False
    """The first that is not done."""


class ShownSheet(Struct, frozen=True):
    takes: tuple[ShownLine, ...]
    pays: tuple[ShownLine, ...]
    current: ShownLine | None
    taken_minor: int
    paid_minor: int
    full: bool
    """More lines than have room for all they say: that is said of the current one."""


def show_sheet(book: Rulebook, table: Table, now: Round, chips: ChipSet, view: TableView, t: Translator) -> ShownSheet:
    settings = as_played(table).settings
    assert settings is not None  # noqa: S101 - a round was played
    lines = settlement_sheet(book, settings, now.results, chips, now.owed)
    waiting = {(each.who, each.box, each.bet, each.stage) for each in unverified(table)}
    end = Coup.of(book.space, now.cards).end
    notes = {
        (each.who, each.box, each.bet, each.stage): note(book, each, end.winner if end else None)
        for each in now.results
    }
    left = {(each.who, each.box, each.bet, each.stage) for each in left_to_pay(now)}
    current = next((line for line in lines if line.key in left), None)
    shown = [
        replace(
            _show(line, book, settings.box_label(line.box), view, t),
            note=t.write(found) if (found := notes.get(line.key)) else "",
            unverified=line.key in waiting,
            done=line.key not in left,
            current=line is current,
        )
        for line in lines
    ]
    takes, pays = (tuple(each for each in shown if each.takes is takes) for takes in (True, False))
    return ShownSheet(
        takes=takes,
        pays=pays,
        current=next((each for each in shown if each.current), None),
        taken_minor=_total(lines, Move.TAKE),
        paid_minor=_total(lines, Move.PAY),
        full=max(len(takes), len(pays)) > MOST_IN_WORDS,
    )


def _total(lines: Iterable[SheetLine], move: Move) -> int:
    return sum(line.handed_minor for line in lines if line.move is move)


def _keep(line: SheetLine, t: Translator) -> str:
    if not line.kept_minor:
        return ""
    kept = Money(line.kept_minor)
    if line.move is Move.TAKE:
        return t("console.sheet.keep_stake", kept=kept)
    return t("console.sheet.keep", due=Money(line.moved_minor), kept=kept)


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
        handed_minor=line.handed_minor,
        kept_minor=line.kept_minor,
        keep=_keep(line, t),
        left_minor=line.left_minor,
        chips=tuple(ShownChip(each.chip.value_minor, each.chip.colour.value, each.count) for each in line.chips),
    )
