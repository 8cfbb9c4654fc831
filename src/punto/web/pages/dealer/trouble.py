"""The moments in which a round has stopped: something was raised, players choose, or the server was away."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.floor.journal.entry import tag_name
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.table import legal
from punto.table.irregularities.possible_orders import lawful_orders
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
_WITH_FORMS = (
    corrections.CorrectCard,
    corrections.CorrectBet,
    corrections.CorrectInsurance,
    corrections.CorrectPayment,
)
"""A dialog of the same name asks what was really so."""
_FACTS_NEEDED = (
    reports.ReportSimultaneousCards,
    reports.ReportWrongSide,
    reports.ReportExcessCard,
    reports.ReplaceShoe,
    reports.ReturnUninsuredBets,
    corrections.CorrectOption,
)
"""They say more than the console asks for, so it names them and gives none: their facts are never made up."""
MAX_ORDERS = 24
"""The orders of four cards."""


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
        why=(*why, *_also_legal(scene)),
        say=phrase("console.say.one_moment"),
        clauses=clauses,
        who=(who,),
        choices=tuple(choices(scene)),
        tone="trouble",
    )


def choices(scene: Scene) -> Iterator[ConsoleKey]:
    """One of each kind that would be accepted, from the lowest position that may give it; every choice of players."""
    given = (each for each in _legal(scene) if _is_complete(scene, each[1].command))
    for key, (position, move) in with_keys(sorted(given, key=partial(_rank, scene))):
        yield _choice(scene, key, position, move.command)


def _choice(scene: Scene, key: str, position: Position, command: Command) -> ConsoleKey:
    name = tag_name(type(command))
    if isinstance(command, _WITH_FORMS) and not _takes_back(scene, command):
        return ConsoleKey(key, phrase(f"command.{name}"), KeyAction(open=name))
    needs = None if STAFF.index(position) <= STAFF.index(scene.position) else position
    return ConsoleKey(key, _title(command), KeyAction(open="propose", give=(_to_send(command),), needs=needs))


def _takes_back(scene: Scene, command: Command) -> bool:
    """Whether it takes back the card that the table has stopped at."""
    raised = scene.round.irregularities.raised
    return isinstance(command, corrections.CorrectCard) and raised is not None and command.card is None


def _is_complete(scene: Scene, command: Command) -> bool:
    if isinstance(command, ReportExcessCard):
        raised = scene.round.irregularities.raised
        return raised is not None and raised.card is not None and command.cards == (raised.card,)
    return not isinstance(command, _FACTS_NEEDED)


def _also_legal(scene: Scene) -> tuple[Phrase, ...]:
    others = [move.command for _, move in _legal(scene) if not _is_complete(scene, move.command)]
    titles = tuple(dict.fromkeys(tag_name(type(each)) for each in others))
    return (phrase("console.why.also_legal", remedies=titles),) if titles else ()


def _legal(scene: Scene) -> Iterator[tuple[Position, LegalMove]]:
    listed: set[object] = set()
    raised = scene.round.irregularities.raised
    if raised is not None and raised.card is not None and scene.accepts(ReportExcessCard, cards=(raised.card,)):
        position = lowest_position(ReportExcessCard, scene.table.settings)
        listed.add((ReportExcessCard, None))
        yield position, LegalMove(ReportExcessCard(scene.by, position, (raised.card,)))
    for position in STAFF:
        for move in _moves(scene, position):
            kind = type(move.command)
            each = (kind, _facts(move.command))
            if kind.__module__ in _ABOUT_TROUBLE and kind not in _NOT_LISTED and each not in listed:
                listed.add(each)
                yield position, move


def _moves(scene: Scene, position: Position) -> Iterator[LegalMove]:
    """What is legal, with every order of the cards that could have been."""
    for move in legal(scene.book, scene.table, scene.by or "console", position):
        if not isinstance(move.command, RuleCardOrder):
            yield move
            continue
        orders = lawful_orders(scene.book, scene.table, scene.round.irregularities.order_lost)
        for order in islice(orders, MAX_ORDERS):
            yield LegalMove(replace(move.command, order=order))


def _rank(scene: Scene, found: tuple[Position, LegalMove]) -> int:
    """What the table has raised comes first, then that nothing was wrong, then a slip of the keyboard."""
    raised, kind = scene.round.irregularities.raised, type(found[1].command)
    if raised is not None and tag_name(kind) == raised.report:
        return 0
    likely = (reports.DismissIrregularity, corrections.CorrectCard)
    return likely.index(kind) + 1 if kind in likely else len(likely) + 1


def _facts(command: Command) -> object:
    """What distinguishes commands of one kind, where every one of them is a choice of its own."""
    if isinstance(command, RuleCardOrder):
        return command.order
    return (command.who, command.choice) if isinstance(command, ChooseOption) else None


def _title(command: Command) -> Phrase:
    if isinstance(command, ChooseOption):
        return phrase("console.choose", who=command.who, choice=command.choice)
    if isinstance(command, RuleCardOrder):
        return phrase("console.rule_order", places=command.order)
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
        why=(phrase("console.why.away", seconds=seconds), phrase("console.why.compare"), *_also_legal(scene)),
        clauses=scene.clauses(Topic.INTERRUPTION),
        space=ConsoleKey("Space", phrase("console.key.resume"), giving(scene, ResumeRound)),
        choices=tuple(choices(scene)),
        tone="trouble",
    )
