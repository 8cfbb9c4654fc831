"""What a moment of the console is made of: the scene it is made from, its keys, and what they do."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain, count
from typing import Any, TypeVar

from msgspec import Struct

from punto.catalogue.sentence import Phrase
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.decision import open_settings, this_round
from punto.table.procedure.side_steps import is_possible
from punto.table.records.commands import (
    BurnCards,
    CloseBetting,
    Command,
    EndShoe,
    OpenBetting,
    OpenInsurance,
    Settle,
    tag_of_command,
)
from punto.table.records.corrections import CancelRound
from punto.table.records.positions import STAFF, Position, at_least
from punto.table.records.reports import ResumeRound
from punto.table.records.settings import Settings
from punto.table.records.state import Round, Table
from punto.table.situation import Situation, situation

Chosen = TypeVar("Chosen")


class MomentName(StrEnum):
    """Which moment of a round it is. Style sheets and scripts know these names."""

    CLOSED_TABLE = "closed_table"
    OTHER_LAW = "other_law"
    SHOE = "shoe"
    BURN = "burn"
    READY = "ready"
    BETTING = "betting"
    CLOSED = "closed"
    CARDS = "cards"
    INSURANCE_DUE = "insurance_due"
    INSURANCE = "insurance"
    THIRD = "third"
    TURN = "turn"
    SQUEEZE = "squeeze"
    RESULT = "result"
    SETTLEMENT = "settlement"
    VOID = "void"
    TROUBLE = "trouble"
    RESTARTED = "restarted"


class LastBet(Struct, frozen=True):
    """A bet of an earlier round."""

    who: str
    box: int
    bet: str
    stake_minor: int


class Scene(Struct, frozen=True):
    """A table as the person at its console finds it."""

    book: Rulebook
    table: Table
    sealed: bool
    """The floor knows the order of the shoe and supplies its cards."""
    position: Position
    """Of the person at the console."""
    by: str = ""
    scanned: frozenset[int] = frozenset()
    """Places of cards face down that a scanner has read: turning them needs no card."""
    last_bets: tuple[LastBet, ...] = ()
    """The bets of the last round that had any, while betting is open and nothing lies there."""
    gaming_stopped: bool = False
    """All gaming is stopped, or that of this game. The banner above the console has the reason."""
    naturals: int = 0
    """The rounds of this shoe in which either hand had one."""
    new_board: bool = False
    """The results are those of the shoe before: no round has been called since."""

    @property
    def situation(self) -> Situation:
        """What is going on."""
        return situation(self.book, self.table)

    @property
    def settings(self) -> Settings:
        return open_settings(self.table)

    @property
    def round(self) -> Round:
        return this_round(self.table)

    def clauses(self, *topics: Topic) -> tuple[Clause, ...]:
        return tuple(dict.fromkeys(clause for topic in topics for clause in self.book.topics[topic]))

    def may(self, kind: type[Command]) -> bool:
        """Whether one of the steps beside the next one is possible now."""
        return is_possible(self.book, self.table, kind)

    def accepts(self, kind: type[Command], **fields: Any) -> bool:
        """Whether the table would accept the command from the lowest position that may give it."""
        position = lowest_position(kind, self.table.settings)
        return not isinstance(decide(self.book, self.table, kind(self.by or "console", position, **fields)), Refusal)


def lowest_position(kind: type[Command], settings: Settings | None) -> Position:
    """The lowest position of the staff that may give a command."""
    may = at_least(settings.house) if kind.by_the_house and settings is not None else kind.may
    return next(position for position in STAFF if position in may)


def body_of(kind: type[Command], **fields: Any) -> dict[str, Any]:
    """A command as the page sends it. The page adds the round."""
    return {"command": tag_of_command(kind), **fields}


class KeyAction(Struct, frozen=True, omit_defaults=True):
    """What a key does: one of the first five. A dialog may take the commands it proposes from ``give``."""

    give: tuple[dict[str, Any], ...] = ()
    """Commands to give, one after the other."""
    ask: str = ""
    """The id of a question on the page."""
    enter: str = ""
    """The kind of entry that is typed next: see ``static/dealer/entry.js``."""
    open: str = ""
    """The name of a dialog: see ``static/dealer/dialogs.js``."""
    page: str = ""
    """A step of the page itself, which changes nothing at the table."""
    final: bool = False
    """Cannot be taken back, so that it wants a press of its own: see ``static/dealer/fresh.js``."""
    needs: Position | None = None
    """Who has to approve the commands; None if the person at the console may give them."""


FINAL = frozenset({BurnCards, CancelRound, CloseBetting, EndShoe, OpenBetting, OpenInsurance, ResumeRound, Settle})
"""Commands that end a right or start something: one press too many cannot be taken back."""


def giving(scene: Scene, kind: type[Command], **fields: Any) -> KeyAction:
    """Give one command; with approval where the position of the person does not suffice."""
    lowest = lowest_position(kind, scene.table.settings)
    enough = scene.position in STAFF and STAFF.index(scene.position) >= STAFF.index(lowest)
    return KeyAction(give=(body_of(kind, **fields),), final=kind in FINAL, needs=None if enough else lowest)


class ConsoleKey(Struct, frozen=True):
    """A key, what is written beside it, and what it does."""

    key: str
    label: Phrase
    action: KeyAction


_CHOICE_KEYS = "123456789ABCDEFGHIJKLMNOQRSTUVWXYZ"
"""Without P, which corrects in every moment."""


def with_keys(choices: Iterable[Chosen]) -> Iterator[tuple[str, Chosen]]:
    """Each with the key that chooses it. Those after the last letter have a number, and are chosen by a tap."""
    numbers = map(str, count(len(_CHOICE_KEYS) + 1))
    return zip(chain(_CHOICE_KEYS, numbers), choices, strict=False)


class CardEntry(Struct, frozen=True, omit_defaults=True):
    """What a rank does: the card is filled into the last of the commands, or into those of the answer."""

    give: tuple[dict[str, Any], ...] = ()
    ask: str = ""
    """The question to ask first, because the card should not be there yet."""
    with_suit: bool = False
    """A rank alone is not enough."""


class QuestionAnswer(Struct, frozen=True):
    """One answer to a question."""

    key: str
    label: Phrase
    give: tuple[dict[str, Any], ...] = ()
    """Empty: nothing happens."""
    card: str = ""
    """The field of the last command that the card goes into, ``card`` or ``cards``; empty for none."""


class Question(Struct, frozen=True):
    id: str
    title: Phrase
    text: Phrase | None
    answers: tuple[QuestionAnswer, ...]


class ConsoleMoment(Struct, frozen=True, kw_only=True):
    """What the console says and does now."""

    name: MomentName
    now: Phrase
    why: tuple[Phrase, ...] = ()
    say: Phrase | None = None
    clauses: tuple[Clause, ...] = ()
    who: tuple[Position, ...] = (Position.DEALER,)
    """Who takes the next step."""
    space: ConsoleKey | None = None
    card: CardEntry | None = None
    keys: tuple[ConsoleKey, ...] = ()
    questions: tuple[Question, ...] = ()
    wanted: int = 0
    """The place of the card that comes next or is turned next, from 1; 0: none."""
    tone: str = ""
    """player, banker, tie or trouble; empty for none."""
    dismiss: str = ""
    """Identifies a moment that only the page knows to be over, such as the settlement of a round."""


def card_entry(scene: Scene, *commands: dict[str, Any], ask: str = "") -> CardEntry:
    return CardEntry(commands, ask, with_suit=not scene.settings.faces_by_rank)
