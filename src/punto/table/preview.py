"""What a command would lead to, without giving it.

Somebody proposes it, somebody else looks at this and gives it. A command that draws or turns a card has no preview: it
would show the card. Dealing from an empty shoe draws none, and has one. A count of the tray has none either: it would
show what should lie there. The report of a card that lies face up has one
where people enter the cards, because it names the card itself. Where the floor would fill the card in, from a sealed
shoe or a scan, it has none: what follows depends on the card, so each preview would tell something about it.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, to_builtins

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.engine import decide_for_staff
from punto.table.records.chips import CountTray
from punto.table.records.commands import BurnCards, Command, DealCard, SqueezeCard, TurnCard
from punto.table.records.events import Event
from punto.table.records.positions import Position
from punto.table.records.reports import ReportFaceUpCard
from punto.table.records.state import Table
from punto.table.refusals import TableCode, refuse

SHOW_CARDS = (BurnCards, DealCard, SqueezeCard, TurnCard)
"""Commands that draw or turn a card."""
GIVER_FIELDS = frozenset(
    {
        "placed_by",
        "withdrawn_by",
        "chosen_by",
        "found_by",
        "ruled_by",
        "position",
        "recorded_by",
        "corrected_by",
        "reopened_by",
        "called_by",
        "answered_by",
    }
)
"""Fields of events that say who gave the command. The approver of a proposal gives it, so a preview has none."""


class Preview(Struct, frozen=True):
    events: tuple[Event, ...]
    """As they would be if somebody in the lowest of these positions gave the command."""
    positions: tuple[Position, ...]
    """The positions that may give it now, from the lowest to the highest."""


def preview(book: Rulebook, table: Table, command: Command) -> Preview | Refusal:
    """The events that would follow from a command, whatever the position in it, or the refusal."""
    if refusal := check_preview(book, table, type(command), card_named=True):
        return refusal
    decision, positions = decide_for_staff(book, table, command)
    return decision if isinstance(decision, Refusal) else Preview(decision, positions)


def check_preview(book: Rulebook, table: Table, kind: type[Command], *, card_named: bool) -> Refusal | None:
    """Refuse a command that would show a card, or the record of the tray.

    ``card_named`` if people name the card of the command.
    """
    if kind is CountTray:
        return refuse(book, TableCode.NO_PREVIEW, variant="count")
    runs_out = kind is DealCard and table.shoe is not None and not table.shoe.left and not table.carried
    shows = (issubclass(kind, SHOW_CARDS) and not runs_out) or (kind is ReportFaceUpCard and not card_named)
    return refuse(book, TableCode.NO_PREVIEW) if shows else None


def shown(events: Iterable[Event]) -> tuple[dict[str, Any], ...]:
    """Events as a preview shows them: without who gave the command."""
    return tuple(
        {name: value for name, value in to_builtins(event).items() if name not in GIVER_FIELDS} for event in events
    )
