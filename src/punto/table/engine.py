"""``decide`` judges a command: the events that follow from it, or a refusal."""

from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.corrections import bets, cards, choices, insurance, payments, rounds
from punto.table.decision import Deciders, Decision, acts_for_player
from punto.table.evolution import evolve
from punto.table.irregularities import extra_cards, misdeals, ordering, rulings, uninsured
from punto.table.law import check_law
from punto.table.play import (
    betting,
    dealing,
    identifying,
    insurance_stakes,
    insuring,
    opening,
    options,
    raising,
    restarting,
    seating,
    settling,
    shoe_records,
    squeezing,
    voiding,
)
from punto.table.records.commands import Command, OpenTable
from punto.table.records.positions import PIT, PIT_OR_PLAYER, STAFF, Position, at_least, in_order
from punto.table.records.reports import ReportLaterError, Rule
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
    **seating.DECIDERS,
    **identifying.DECIDERS,
    **betting.DECIDERS,
    **dealing.DECIDERS,
    **squeezing.DECIDERS,
    **insuring.DECIDERS,
    **insurance_stakes.DECIDERS,
    **settling.DECIDERS,
    **voiding.DECIDERS,
    **restarting.DECIDERS,
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
    decision = refusal or DECIDERS[type(command)](book, table, command)
    return name_boxes(table, decision) if isinstance(decision, Refusal) else decision


def handle(book: Rulebook, table: Table, command: Command) -> tuple[Table, Decision]:
    """Decide a command and apply its events."""
    decision = decide(book, table, command)
    if not isinstance(decision, Refusal):
        for event in decision:
            table = evolve(table, event)
    return table, decision


def check_allowed(book: Rulebook, table: Table, command: Command) -> Refusal | None:
    """Refuse a command that this person cannot give, or that this table does not know."""
    kind = type(command)
    topic = kind.topic
    if refusal := check_law(book, table, command):
        return refusal
    if topic is not None and not book.has(topic):
        return refuse(book, TableCode.NOT_IN_BOOK, variant="topic", book=book.id, subject=topic)
    if table.phase is Phase.CLOSED and kind is not OpenTable:
        return refuse(book, TableCode.TABLE_CLOSED)
    may, position = kind.may, command.position
    if kind.by_the_house and table.settings is not None:
        may = at_least(table.settings.house) | (may & {Position.HOUSE})
    if position not in may:
        cited = Topic.STAFF_BETS if may == PIT_OR_PLAYER else Topic.RULING if kind is Rule else topic
        return refuse(book, TableCode.NOT_AUTHORISED, cited, positions=in_order(may), position=position)
    if position in STAFF and command.by in _players_of(command):
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.STAFF_BETS, variant="own", who=command.by[:40])
    if kind.about_bets and table.settings is not None and table.settings.cards_only:
        return refuse(book, TableCode.CARDS_ONLY)
    who = getattr(command, "who", None)
    if who is None:
        return None
    if position is Position.PLAYER and who != command.by:
        return refuse(book, TableCode.NOT_YOUR_OWN, topic, variant="act", by=command.by[:40], who=who[:40])
    return _check_on_behalf(book, table, command, who) if kind.may == PIT_OR_PLAYER else None


def _check_on_behalf(book: Rulebook, table: Table, command: Command, who: str) -> Refusal | None:
    """Refuse to act in a player's place where the book does not let staff do so. Players act for themselves."""
    on_behalf = getattr(command, "on_behalf", False)
    if not (on_behalf or acts_for_player(table, command.by, who)):
        return None
    if not book.has(Topic.STAFF_BETS):
        return refuse(book, TableCode.NOT_IN_BOOK, variant="staff_bets", book=book.id)
    if command.position is Position.PLAYER:
        position = command.position
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.STAFF_BETS, positions=in_order(PIT), position=position)
    return None


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
    if table.settings is None or table.settings.faces_by_rank:
        return None
    faces = (getattr(command, "card", None), *getattr(command, "cards", ()))
    rank = next((face for face in faces if face is not None and not face.suit), None)
    return None if rank is None else refuse(book, TableCode.SUIT_NEEDED, rank=rank)


def name_boxes(table: Table, refusal: Refusal) -> Refusal:
    """The refusal with the label of the box it names, where the boxes have labels."""
    if table.settings is None or not table.settings.box_labels or "box" not in refusal.values:
        return refusal
    return replace(refusal, values={**refusal.values, "box": _labelled(table.settings, refusal.values["box"])})


def _labelled(settings: Settings, box: object) -> object:
    if isinstance(box, Phrase):
        return phrase(box.key, **{name: _labelled(settings, value) for name, value in box.values.items()})
    return settings.box_label(box) if isinstance(box, int) else box


def _players_of(command: Command) -> set[str]:
    """The people a command names as players."""
    if isinstance(command, Rule):
        return {*command.amounts, *(bet.who for bet in command.bets)}
    who = getattr(command, "who", None)
    return set() if who is None else {who}
