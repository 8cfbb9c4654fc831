"""A question for the referee: a table, its bets, and what happened, in order."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta, Struct

from punto.rules.coup.cards import FACE_DOWN, Face, not_a_card
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.commands import RESERVED_FIELDS, Command
from punto.table.records.identity import Place
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits, Settings
from punto.table.vocabulary import AnyCommand

MAX_BETS_LAID = 60
MAX_HAPPENED = 60
MAX_CARDS_NAMED = 80
"""In one step, or among the cards already seen."""
_BOXES = 9
"""Where the book leaves the number to the house."""

_Box = Annotated[int, Meta(ge=-(2**31), lt=2**31)]
"""The layout checks the actual range."""
_Name = Annotated[str, Meta(max_length=MAX_NAME_LENGTH)]


class BetLaid(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A bet on the felt."""

    box: _Box
    bet: Annotated[str, Meta(max_length=40)]
    stake: Annotated[str, Meta(max_length=20)]
    """A decimal number, as for ``punto settle``."""
    who: _Name = ""
    """Empty: somebody known by their place only, such as ``box 3`` or ``behind box 3``."""
    seated: bool | None = None
    """None: the first person who bets in the box sits there, everybody else stands behind it."""


class RefereeQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the referee is asked."""

    book: Annotated[str, Meta(max_length=40)]
    layout: Annotated[str, Meta(max_length=10)] = ""
    """Empty: the book's first one."""
    table: dict[str, Any] = {}
    """Settings of the table that differ from a felt table whose cards are dealt face up."""
    decks: _Box | None = None
    """None: as many as the book allows, eight at most."""
    left: Annotated[int, Meta(ge=0, le=1_000)] | None = None
    """Cards in the shoe at the start; None: it is full."""
    seen: Annotated[str, Meta(max_length=3 * MAX_CARDS_NAMED)] = ""
    """Cards of this shoe that were dealt in earlier rounds, for questions about a copy too many."""
    bets: Annotated[tuple[BetLaid, ...], Meta(max_length=MAX_BETS_LAID)] = ()
    betting_open: bool = False
    """What happened was before the close."""
    happened: Annotated[tuple["str | dict[str, Any]", ...], Meta(max_length=MAX_HAPPENED)] = ()
    """In order: cards, as ``"9s 2d ?? Kh"``, and commands as clients send them."""


_SETTINGS = {"observing": True, "faces_by_rank": True, "burn": False, "cut_card": 0, "rounds_after_cut_card": 99}
"""Of the referee's table, where the question names no others. The house's own procedure plays no part."""
_SAYS_BETS = frozenset({"observing", "cards_only", "established_by_staked_bets", "payout_supervised_minor"})
"""Settings by which a question says itself whether bets are recorded."""
_BETTING = frozenset(kind.__struct_config__.tag for kind in get_args(AnyCommand) if kind.about_bets)
"""Commands that a table with no bets on record does not take."""
_LIMITS = {"main": {"min_minor": 1}, "differential_minor": MAX_AMOUNT_MINOR}
"""Of a book that requires a table to display limits. They limit nothing."""


def settings_of(book: Rulebook, question: RefereeQuestion) -> Settings:
    """The settings of the table, or a refusal of values that no table has."""
    layout = question.layout or next(iter(book.layouts))
    boxes = book.layouts[layout].most_boxes if layout in book.layouts else None
    chosen = {"layout": layout, "boxes": boxes or _BOXES, **_SETTINGS, **question.table}
    if "faces_by_rank" not in question.table and layout in book.layouts:
        chosen["faces_by_rank"] = not book.needs_suits(book.layouts[layout].menu)
    if not _names_bets(question):
        chosen = {**chosen, "cards_only": True}
    if book.has(Topic.DIFFERENTIAL):
        chosen = {**chosen, **{name: value for name, value in _LIMITS.items() if name not in question.table}}
    try:
        settings = msgspec.convert(chosen, Settings)
    except msgspec.ValidationError as error:
        raise Refused(Code.WRONG_TYPE, variant="record", reason=str(error)) from error
    if book.has(Topic.DIFFERENTIAL) and settings.main.min_minor is None:
        main = BetLimits(1, settings.main.max_minor)
        settings = msgspec.structs.replace(settings, main=main)
    return settings


def _names_bets(question: RefereeQuestion) -> bool:
    """Whether the question says who bets. If not, somebody may, as at a table that records cards only."""
    given = {step.get("command") for step in question.happened if isinstance(step, dict)}
    return bool(question.bets or given & _BETTING or question.table.keys() & _SAYS_BETS)


def who_bets(bets: tuple[BetLaid, ...]) -> Iterator[tuple[BetLaid, str, bool]]:
    """Each bet with the person it belongs to and whether they sit at its box."""
    seated: dict[int, str] = {}
    for bet in bets:
        sits = bet.seated if bet.seated is not None else bet.who in ("", seated.get(bet.box, bet.who))
        who = bet.who or str(Place(bet.box, behind=not sits))
        if sits:
            seated.setdefault(bet.box, who)
        yield bet, who, sits


def read_faces(text: str) -> tuple[Face | None, ...]:
    """Cards, with or without their suits, separated by blanks; ``??`` is a card that nobody has seen."""
    words = text.split()
    if len(words) > MAX_CARDS_NAMED:
        raise Refused(Code.OUT_OF_RANGE, variant="question_cards", cards=len(words), most=MAX_CARDS_NAMED)
    return tuple(None if word == FACE_DOWN else read_face(word) for word in words)


def read_face(text: str) -> Face:
    try:
        return Face(text)
    except ValueError as error:
        raise not_a_card(text) from error


def read_command(body: dict[str, Any], by: str, position: Position) -> Command:
    """A command of the question, given by somebody in a position."""
    try:
        command: Command = msgspec.convert({**body, "by": by, "position": position}, AnyCommand)
    except msgspec.ValidationError as error:
        raise Refused(Code.WRONG_TYPE, variant="record", reason=str(error)) from error
    if reserved := RESERVED_FIELDS & body.keys():
        known = tuple(name for name in command.__struct_fields__ if name not in RESERVED_FIELDS)
        raise Refused(Code.UNKNOWN_KEY, key=min(reserved), keys=known, place="$.happened")
    return command


MAX_BRACKETS = 400
"""More than a question needs, and few enough for Python to walk through however deep they are."""


def read_question(content: bytes) -> RefereeQuestion:
    """The question of a JSON text."""
    if content.count(b"[") + content.count(b"{") > MAX_BRACKETS:
        raise Refused(Code.MALFORMED_JSON, variant="brackets", most=MAX_BRACKETS)
    try:
        return msgspec.json.decode(content, type=RefereeQuestion)
    except msgspec.ValidationError as error:
        raise Refused(Code.WRONG_TYPE, variant="record", reason=str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(Code.MALFORMED_JSON, variant="body", reason=str(error)) from error
