"""``decide`` judges a command: the events that follow from it, or a refusal."""

from functools import cache

from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.authority import Named, check_authority, may_give, named_by
from punto.table.corrections import bets, cards, choices, insurance, payments, rounds
from punto.table.decision import Deciders, Decision, acts_for_player
from punto.table.evolution import evolve
from punto.table.irregularities import extra_cards, misdeals, ordering, rulings, uninsured
from punto.table.law import check_law
from punto.table.play import (
    betting,
    calling,
    dealing,
    exchanging,
    identifying,
    insurance_stakes,
    insuring,
    opening,
    options,
    payouts,
    raising,
    restarting,
    seating,
    settling,
    shoe_records,
    shuffler,
    squeezing,
    trays,
    voiding,
)
from punto.table.records.commands import Command, OpenTable
from punto.table.records.positions import PIT_OR_PLAYER, STAFF, Position
from punto.table.records.reports import ReportLaterError
from punto.table.records.settings import Settings
from punto.table.records.state import Phase, Table, as_played
from punto.table.refusals import TableCode, refuse

_CORRECTIONS: Deciders = {
    **cards.DECIDERS,
    **bets.DECIDERS,
    **insurance.DECIDERS,
    **choices.DECIDERS,
    **payments.DECIDERS,
    **rounds.DECIDERS,
}

DECIDERS: Deciders = {
    **opening.DECIDERS,
    **shoe_records.DECIDERS,
    **shuffler.DECIDERS,
    **seating.DECIDERS,
    **identifying.DECIDERS,
    **betting.DECIDERS,
    **dealing.DECIDERS,
    **squeezing.DECIDERS,
    **insuring.DECIDERS,
    **insurance_stakes.DECIDERS,
    **settling.DECIDERS,
    **payouts.DECIDERS,
    **voiding.DECIDERS,
    **exchanging.DECIDERS,
    **restarting.DECIDERS,
    **calling.DECIDERS,
    **trays.DECIDERS,
    **extra_cards.DECIDERS,
    **misdeals.DECIDERS,
    **ordering.DECIDERS,
    **raising.DECIDERS,
    **options.DECIDERS,
    **uninsured.DECIDERS,
    **rulings.DECIDERS,
    **_CORRECTIONS,
}


def decide(book: Rulebook, table: Table, command: Command) -> Decision:
    """The events that follow from a command, or the refusal."""
    if type(command) in _CORRECTIONS:
        table = as_played(table)
    refusal = check_allowed(book, table, command) or check_round(book, table, command)
    refusal = refusal or check_faces(book, table, command)
    refusal = refusal or restarting.check_resumed(book, table, command)
    decision = refusal or _decide(book, table, command)
    return name_boxes(table, decision) if isinstance(decision, Refusal) else decision


def _decide(book: Rulebook, table: Table, command: Command) -> Decision:
    """At a felt table nobody waits for a place that somebody has left: what that one left there makes way first."""
    way = identifying.make_way(table, command)
    if way is None:
        return DECIDERS[type(command)](book, table, command)
    decision = DECIDERS[type(command)](book, evolve(table, way), command)
    return decision if isinstance(decision, Refusal) else (way, *decision)


def handle(book: Rulebook, table: Table, command: Command) -> tuple[Table, Decision]:
    """Decide a command and apply its events."""
    decision = decide(book, table, command)
    if not isinstance(decision, Refusal):
        for event in decision:
            table = evolve(table, event)
    return table, decision


def decide_for_staff(book: Rulebook, table: Table, command: Command) -> tuple[Decision, tuple[Position, ...]]:
    """The decision in the lowest position of the staff that may give a command, and all that may; none if refused.

    Authority is always "or above", so the command is judged once, and once more for each position that is too low.
    """
    refused: list[Refusal] = []
    may = may_give(table, type(command))
    for at, position in enumerate(STAFF):
        if position not in may and position is not STAFF[-1]:
            continue
        decision = decide(book, table, replace(command, position=position))
        if not isinstance(decision, Refusal):
            return decision, tuple(each for each in STAFF[at:] if each in may)
        refused.append(decision)
    return next((each for each in refused if each.code is not TableCode.NOT_AUTHORISED), refused[-1]), ()


def check_allowed(book: Rulebook, table: Table, command: Command) -> Refusal | None:
    """Refuse a command that this person cannot give, or that this table does not know."""
    kind = type(command)
    topic = kind.topic
    named = named_by(command)
    if refusal := check_authority(book, table, kind, command.by, command.position, named):
        return refusal
    if refusal := check_law(book, table, command):
        return refusal
    if topic is not None and not book.has(topic):
        return refuse(book, TableCode.NOT_IN_BOOK, variant="topic", book=book.id, subject=topic)
    if table.phase is Phase.CLOSED and kind is not OpenTable:
        return refuse(book, TableCode.TABLE_CLOSED)
    if kind.about_bets and table.settings is not None and table.settings.cards_only:
        return refuse(book, TableCode.CARDS_ONLY)
    return _check_on_behalf(book, table, command, named) if kind.may == PIT_OR_PLAYER else None


def _check_on_behalf(book: Rulebook, table: Table, command: Command, named: Named) -> Refusal | None:
    """Refuse to act in a player's place where the book does not let staff do so."""
    if named.who is None or not (named.on_behalf or acts_for_player(table, command.by, named.who)):
        return None
    if book.has(Topic.STAFF_BETS):
        return None
    return refuse(book, TableCode.NOT_IN_BOOK, variant="staff_bets", book=book.id)


def check_round(book: Rulebook, table: Table, command: Command) -> Refusal | None:
    """Refuse a command that was given for another round."""
    number, now = command.round, table.round.number if table.round else 0
    if number in (None, now) or isinstance(command, ReportLaterError):
        return None
    if table.phase is Phase.CLOSED:
        return refuse(book, TableCode.OTHER_ROUND, variant="closed", round=number)
    if now == 0:
        return refuse(book, TableCode.OTHER_ROUND, variant="none_yet", round=number)
    if number == 0:
        return refuse(book, TableCode.OTHER_ROUND, variant="before_the_first", now=now)
    return refuse(book, TableCode.OTHER_ROUND, round=number, now=now)


def check_faces(book: Rulebook, table: Table, command: Command) -> Refusal | None:
    """Refuse a card without its suit where the settings ask for it."""
    if not _has_faces(type(command)) or table.settings is None or table.settings.faces_by_rank:
        return None
    for face in (getattr(command, "card", None), *getattr(command, "cards", ())):
        if face is not None and not face.suit:
            return refuse(book, TableCode.SUIT_NEEDED, rank=face)
    return None


@cache
def _has_faces(kind: type[Command]) -> bool:
    return not {"card", "cards"}.isdisjoint(kind.__struct_fields__)


def name_boxes(table: Table, refusal: Refusal) -> Refusal:
    """The refusal with the label of the box it names, where the boxes have labels."""
    if table.settings is None or not table.settings.box_labels or "box" not in refusal.values:
        return refusal
    return replace(refusal, values={**refusal.values, "box": _labelled(table.settings, refusal.values["box"])})


def _labelled(settings: Settings, box: object) -> object:
    if isinstance(box, Phrase):
        return phrase(box.key, **{name: _labelled(settings, value) for name, value in box.values.items()})
    return settings.box_label(box) if isinstance(box, int) else box
