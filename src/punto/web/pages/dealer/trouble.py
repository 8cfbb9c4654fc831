"""The moments in which a round has stopped: something was raised, players choose, or the server was away."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from punto.catalogue.sentence import Phrase, phrase
from punto.floor.journal.entry import tag_name
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.table import legal
from punto.table.moves.irregularities import TO_BE_STATED
from punto.table.moves.legal_move import LegalMove
from punto.table.play.pending import order_topic, write_places
from punto.table.records import corrections, reports
from punto.table.records.commands import Command, client_fields
from punto.table.records.kinds import TOPICS
from punto.table.records.positions import STAFF, Position
from punto.table.records.reports import CallTime, ChooseOption, ReportExcessCard, ResumeRound, RuleCardOrder
from punto.table.records.state import RoundIrregularities
from punto.web.pages.dealer.between_rounds import card_phrase
from punto.web.pages.dealer.scene import (
    ConsoleKey,
    ConsoleMoment,
    KeyAction,
    MomentName,
    Scene,
    giving,
    lowest_position,
    with_keys,
)

_ABOUT_TROUBLE = (reports.__name__, corrections.__name__)
"""The modules whose commands are listed: reports, rulings, choices and corrections."""
_NOT_LISTED = (reports.ReportLateBet, reports.ReportLaterError, reports.InspectShoe, corrections.CancelRound)
"""They concern another moment."""


def is_stopped(irregularities: RoundIrregularities) -> bool:
    return irregularities.raised is not None or irregularities.options is not None or bool(irregularities.order_lost)


def trouble(scene: Scene) -> ConsoleMoment:
    """What was raised, with its card, and the commands that would be accepted from somebody."""
    now = scene.round.irregularities
    if now.raised is not None:
        topic, words = TOPICS[now.raised.kind], [phrase("console.why.raised", kind=now.raised.kind)]
        if now.raised.card is not None:
            words.append(phrase("console.why.raised_card", card=card_phrase(now.raised.card)))
        return _stopped(scene, phrase("console.now.raised"), words, scene.clauses(topic), Position.PIT_SUPERVISOR)
    if now.options is not None:
        choosing = phrase("console.why.choosing", people=tuple(now.options.waiting_for))
        who = lowest_position(CallTime, scene.table.settings)
        return _stopped(scene, phrase("console.now.options"), [choosing], scene.clauses(Topic.OPTIONS), who)
    lost = phrase("console.why.order_lost", places=write_places(now.order_lost))
    who = lowest_position(RuleCardOrder, scene.table.settings)
    return _stopped(scene, phrase("console.now.order_lost"), [lost], scene.clauses(order_topic(scene.round)), who)


def _stopped(scene: Scene, now: Phrase, why: list[Phrase], clauses: tuple[Clause, ...], who: Position) -> ConsoleMoment:
    return ConsoleMoment(
        name=MomentName.TROUBLE,
        now=now,
        why=tuple(why),
        say=phrase("console.say.one_moment"),
        clauses=clauses,
        who=(who,),
        choices=tuple(choices(scene)),
        tone="trouble",
    )


def choices(scene: Scene) -> Iterator[ConsoleKey]:
    """One of each kind that would be accepted, from the lowest position that may give it; every choice of players."""
    for key, (position, move) in with_keys(sorted(_legal(scene), key=partial(_rank, scene))):
        body = _to_send(move.command)
        needs = None if STAFF.index(position) <= STAFF.index(scene.position) else position
        yield ConsoleKey(key, _title(move.command), KeyAction(open="propose", give=(body,), needs=needs))


def _legal(scene: Scene) -> Iterator[tuple[Position, LegalMove]]:
    listed: set[object] = set()
    raised = scene.round.irregularities.raised
    if raised is not None and raised.card is not None and scene.accepts(ReportExcessCard, cards=(raised.card,)):
        position = lowest_position(ReportExcessCard, scene.table.settings)
        listed.add((ReportExcessCard, None))
        yield position, LegalMove(ReportExcessCard(scene.by, position, (raised.card,)))
    for position in STAFF:
        for move in legal(scene.book, scene.table, scene.by or "console", position):
            kind = type(move.command)
            each = (kind, _player_choice(move.command))
            if kind.__module__ in _ABOUT_TROUBLE and kind not in _NOT_LISTED and each not in listed:
                listed.add(each)
                yield position, move


def _rank(scene: Scene, found: tuple[Position, LegalMove]) -> int:
    """What the table has raised comes first, then that nothing was wrong, then a slip of the keyboard."""
    raised, kind = scene.round.irregularities.raised, type(found[1].command)
    if raised is not None and tag_name(kind) == raised.report:
        return 0
    likely = (reports.DismissIrregularity, corrections.CorrectCard)
    return likely.index(kind) + 1 if kind in likely else len(likely) + 1


def _player_choice(command: Command) -> object:
    return (command.who, command.choice) if isinstance(command, ChooseOption) else None


def _title(command: Command) -> Phrase:
    if isinstance(command, ChooseOption):
        return phrase("console.choose", who=command.who, choice=command.choice)
    return phrase(f"remedy.{tag_name(type(command))}")


def _to_send(command: Command) -> dict[str, Any]:
    """Reasons and other facts are for people to fill in."""
    fields = {name: value for name, value in client_fields(command).items() if name != "round"}
    return {name: "" if value == TO_BE_STATED else value for name, value in fields.items()}


def restarted(scene: Scene) -> ConsoleMoment:
    away = scene.table.restart
    assert away is not None  # noqa: S101 - the caller has looked
    seconds = (away.to_us - away.from_us) // 1_000_000
    return ConsoleMoment(
        name=MomentName.RESTARTED,
        now=phrase("console.now.restarted"),
        why=(phrase("console.why.away", seconds=seconds), phrase("console.why.compare")),
        clauses=scene.clauses(Topic.INTERRUPTION),
        space=ConsoleKey("Space", phrase("console.key.resume"), giving(scene, ResumeRound)),
        choices=tuple(choices(scene)),
        tone="trouble",
    )
