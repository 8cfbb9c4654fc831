"""Who may give a command. Looked at before anything else, so that no attempt without authority gets another refusal.

It needs only the kind of a command and whom it names: a floor can ask before it reads the rest.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.commands import Command
from punto.table.records.positions import PIT, PIT_OR_PLAYER, STAFF, Position, at_least, in_order
from punto.table.records.reports import Rule
from punto.table.records.state import Table
from punto.table.refusals import TableCode, refuse


class Named(Struct, frozen=True):
    """Whom a command names."""

    who: str | None = None
    players: frozenset[str] = frozenset()
    """Everybody it names as a player, ``who`` included. An empty name is nobody's: as in a correction of an offer."""
    on_behalf: bool = False


_NOBODY = Named()


def named_by(command: Command) -> Named:
    who: str | None = getattr(command, "who", None)
    if isinstance(command, Rule):
        return Named(who, frozenset((*command.amounts, *(bet.who for bet in command.bets))))
    if not who:
        return _NOBODY if who is None else Named(who)
    return Named(who, frozenset((who,)), getattr(command, "on_behalf", False))


def named_in(body: Mapping[str, Any]) -> Named:
    """As :func:`named_by`, in a command as a client sends it. Whatever is not of the right type is left out."""
    who, amounts, bets = body.get("who"), body.get("amounts"), body.get("bets")
    ruled = bets if isinstance(bets, list | tuple) else ()
    players = [
        who,
        *(amounts if isinstance(amounts, Mapping) else ()),
        *(bet.get("who") for bet in ruled if isinstance(bet, Mapping)),
    ]
    names = frozenset(name for name in players if isinstance(name, str) and name)
    return Named(who if isinstance(who, str) else None, names, body.get("on_behalf") is True)


def may_give(table: Table, kind: type[Command]) -> frozenset[Position]:
    """The positions that may give a command at a table, whose settings can ask for more than the book does."""
    if kind.by_the_house and table.settings is not None:
        return at_least(table.settings.house) | (kind.may & {Position.HOUSE})
    return kind.may


def check_authority(
    book: Rulebook, table: Table, kind: type[Command], by: str, position: Position, named: Named
) -> Refusal | None:
    """Refuse a position that may not give the command, and people who name somebody whom they may not."""
    may, topic = may_give(table, kind), kind.topic
    if position not in may:
        cited = Topic.STAFF_BETS if may == PIT_OR_PLAYER else Topic.RULING if kind is Rule else topic
        return refuse(book, TableCode.NOT_AUTHORISED, cited, positions=in_order(may), position=position)
    if position in STAFF and by in named.players:
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.STAFF_BETS, variant="own", who=by[:40])
    if position is not Position.PLAYER or named.who is None:
        return None
    if named.who != by:
        return refuse(book, TableCode.NOT_YOUR_OWN, topic, variant="act", by=by[:40], who=named.who[:40])
    if named.on_behalf:
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.STAFF_BETS, positions=in_order(PIT), position=position)
    return None
