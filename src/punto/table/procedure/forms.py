"""The dialogs of the console: what has to be said before a command is given, as fields to fill in."""

from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.moves.corrections import correcting_moves
from punto.table.procedure.scene import Scene, body_of, lowest_position
from punto.table.records.commands import Command
from punto.table.records.positions import STAFF, Position
from punto.table.records.settings import Settings


class FieldKind(StrEnum):
    CHOICE = "choice"
    AMOUNT = "amount"
    """In whole units of the currency; the command gets the smallest unit."""
    NUMBER = "number"
    TEXT = "text"
    REASON = "reason"
    CARD = "card"
    SWITCH = "switch"
    PILES = "piles"
    """A number for each denomination."""
    PIN = "pin"


class Pick(Struct, frozen=True):
    """One answer of a choice."""

    label: Phrase
    value: Any
    """Of the field; merged into the command if the field has no name."""
    chosen: bool = False
    needs: Position | None = None
    """Who has to approve this answer, if not everybody who may fill in the form may give it."""
    colour: str = ""
    """Of a chip."""


class Field(Struct, frozen=True):
    name: str
    """Where the value goes in the command, with dots: ``settings.main.min_minor``. Empty: its object is merged in."""
    kind: FieldKind
    label: Phrase
    picks: tuple[Pick, ...] = ()
    value: str = ""
    optional: bool = False
    """Left out of the command if it is empty."""
    beside: bool = False
    """An amount that is added to the one which the answer before it has."""
    instead: bool = False
    """Only for the last answer of the choice before it; typing chooses that one."""


class Form(Struct, frozen=True, kw_only=True):
    """A dialog with fields, whose command is given at the end."""

    title: Phrase
    fields: tuple[Field, ...] = ()
    command: dict[str, Any]
    needs: Position | None = None
    """Who has to approve it; None if the person at the console may give it, or the table has to say."""
    text: Phrase | None = None
    shows_changes: bool = False
    """While it is filled in, it says what the command would change: see ``correction_changes``."""


class Menu(Struct, frozen=True, kw_only=True):
    """A dialog that leads to others."""

    title: Phrase
    text: Phrase | None = None
    items: tuple[tuple[str, Phrase], ...]
    """Names of forms, with what they do."""


def chosen_once(picks: tuple[Pick, ...]) -> tuple[Pick, ...]:
    """A single answer needs no question: it is chosen already."""
    return tuple(replace(each, chosen=True) for each in picks) if len(picks) == 1 else picks


def choice(name: str, label: Phrase, *picks: Pick) -> Field:
    return Field(name, FieldKind.CHOICE, label, chosen_once(picks))


def amount(name: str, label: Phrase, minor: int | None = None, *, optional: bool = False) -> Field:
    return Field(name, FieldKind.AMOUNT, label, value=write_amount(minor), optional=optional)


def write_amount(minor: int | None) -> str:
    """As people type it.

    >>> write_amount(12_500_00), write_amount(12_50), write_amount(None)
    ('12500', '12.50', '')
    """
    if minor is None:
        return ""
    whole, cents = divmod(minor, 100)
    return f"{whole}.{cents:02}" if cents else str(whole)


def reason(*, optional: bool = False) -> Field:
    return Field("reason", FieldKind.REASON, phrase("dialog.reason"), optional=optional)


def form(
    scene: Scene, kind: type[Command], title: Phrase, *fields: Field, text: Phrase | None = None, **known: Any
) -> Form:
    """A form whose command needs approval if the position of the person at the console does not suffice."""
    needs = needed(kind, scene.table.settings, scene.position)
    return Form(title=title, fields=fields, command=body_of(kind, **known), needs=needs, text=text)


def needed(kind: type[Command], settings: Settings | None, position: Position) -> Position | None:
    """Who has to approve a command of this kind; None if somebody in this position may give it."""
    lowest = lowest_position(kind, settings)
    return None if STAFF.index(position) >= STAFF.index(lowest) else lowest


def who_corrects(scene: Scene, kind: type[Command]) -> Position | None:
    """The lowest position, from that of the person at the console up, whose correction would be accepted now."""
    for position in STAFF[STAFF.index(scene.position) :]:
        for move in correcting_moves(scene.book, scene.table, scene.by or "console", position):
            if isinstance(move.command, kind) and not isinstance(
                decide(scene.book, scene.table, move.command), Refusal
            ):
                return position
    return None


def who_gives(scene: Scene, kind: type[Command], **fields: Any) -> Position | None:
    """Who has to approve exactly this command; None if the person at the console may give it, or nobody may."""
    for position in STAFF[STAFF.index(scene.position) :]:
        command = kind(scene.by or "console", position, **fields)
        if not isinstance(decide(scene.book, scene.table, command), Refusal):
            return None if position is scene.position else position
    return None


def correction(scene: Scene, kind: type[Command], title: Phrase, *fields: Field) -> Form:
    """A form whose command may need approval, by how far the round has come."""
    lowest = who_corrects(scene, kind)
    needs = None if lowest is scene.position else lowest
    return Form(title=title, fields=fields, command=body_of(kind), needs=needs)
