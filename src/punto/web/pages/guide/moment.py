"""What the guide shows in every step: what is going on, what to say, by which clause, who may, and what can be done."""

from enum import StrEnum
from typing import Any

from msgspec import Struct, json

from punto.catalogue.sentence import Phrase
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import tag
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.authority import may_give
from punto.table.preview import preview
from punto.table.procedure.trouble.felt import OfferedShoe, TableInTrouble
from punto.table.records.commands import Command, client_fields
from punto.table.records.positions import Position, in_order
from punto.table.records.settings import box_label
from punto.table.records.state import Table
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator
from punto.web.words.event_words import Writer


class StepName(StrEnum):
    """Style sheets, scripts and tests know these names."""

    TILES = "tiles"
    FACTS = "facts"
    OPTIONS = "options"
    ORDER = "order"
    SHOE = "shoe"
    DONE = "done"


class GuideAct(Struct, frozen=True, kw_only=True):
    """Something to press. It gives a command, opens a dialog of the console, or leads to another address."""

    key: str
    """The key that presses it, as scripts name it; empty: none."""
    label: str
    note: str = ""
    """Who has to approve it."""
    give: str = ""
    """The command as JSON. The page adds the round."""
    needs: Position | None = None
    """Who has to approve the command; None if the person at the screen may give it."""
    open: str = ""
    href: str = ""


class GuideMoment(Struct, frozen=True, kw_only=True):
    """The line NOW, SAY, CLAUSE, WHO MAY, and the one large button."""

    now: Phrase
    why: tuple[str, ...] = ()
    say: Phrase | None = None
    clauses: tuple[str, ...] = ()
    who: tuple[Position, ...] = ()
    tone: str = "trouble"


class Guided(Struct, frozen=True):
    """A table as somebody finds it in its guide."""

    book: Rulebook
    table: Table
    view: TableView
    sealed: bool
    by: Actor
    t: Translator
    shoes: tuple[OfferedShoe, ...] = ()
    """To choose from, if the shoe can be replaced."""

    @property
    def felt(self) -> TableInTrouble:
        return TableInTrouble(self.book, self.table, self.sealed, self.shoes)

    @property
    def writer(self) -> Writer:
        labels = self.view.settings.box_labels if self.view.settings else ()
        return Writer(self.t, self.view.names, labels)

    def box(self, box: int) -> str:
        """The label of a box."""
        return box_label(self.view.settings.box_labels if self.view.settings else (), box)

    def may(self, kind: type[Command]) -> tuple[Position, ...]:
        """The positions that may give a command of this kind here."""
        return in_order(may_give(self.table, kind) - {Position.HOUSE})

    def act(self, command: Command, key: str, label: str) -> GuideAct | None:
        """Give a command, with approval where the position does not suffice; None if nobody may give it now."""
        t = self.t
        found = preview(self.book, self.table, command)
        if isinstance(found, Refusal):
            return None
        needs = None if self.by.position in found.positions else found.positions[0]
        note = t("resolve.needs", position=needs) if needs else ""
        return GuideAct(key=key, label=label, note=note, give=write_body(to_send(command)), needs=needs)


def to_send(command: Command) -> dict[str, Any]:
    """A command as a page sends it, without its round."""
    fields = {name: value for name, value in client_fields(command).items() if name != "round"}
    return {**fields, "command": tag(type(command))}


def write_body(body: dict[str, Any]) -> str:
    return json.encode(body).decode()
