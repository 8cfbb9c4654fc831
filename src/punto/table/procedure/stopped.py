"""The moments in which a round has stopped: something was raised, players choose, or the server was away.

The console leads to the guide, which says what can be done.
"""

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.table.play.pending import order_topic, write_places
from punto.table.procedure.between_rounds import card_phrase
from punto.table.procedure.scene import (
    ConsoleKey,
    ConsoleMoment,
    KeyAction,
    MomentName,
    Scene,
    giving,
    lowest_position,
)
from punto.table.procedure.trouble.bet_acts import claim_lines
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.records.kinds import TOPICS
from punto.table.records.positions import Position
from punto.table.records.reports import CallTime, ChooseOption, ResumeRound, ReturnUninsuredBets, RuleCardOrder


def trouble(scene: Scene) -> ConsoleMoment:
    now = scene.round.irregularities
    if now.raised is not None:
        topic, words = TOPICS[now.raised.kind], [phrase("console.why.raised", kind=now.raised.kind)]
        if now.raised.card is not None:
            words.append(phrase("console.why.raised_card", card=card_phrase(now.raised.card)))
        return _stopped(phrase("console.now.raised"), words, scene.clauses(topic), Position.PIT_SUPERVISOR)
    if now.options is not None and now.options.by_hand:
        asking, who = phrase("console.why.asking"), lowest_position(CallTime, scene.table.settings)
        return _stopped(phrase("console.now.options"), [asking], scene.clauses(Topic.OPTIONS), who, phrase("aloud.ask"))
    if now.options is not None:
        choosing = phrase("console.why.choosing", people=tuple(now.options.waiting_for))
        who = lowest_position(ChooseOption, scene.table.settings)
        return _stopped(phrase("console.now.options"), [choosing], scene.clauses(Topic.OPTIONS), who)
    lost = [phrase("console.why.order_lost", places=write_places(now.order_lost))]
    if now.order_lost_simultaneous:
        lost.append(phrase("console.why.then_choose"))
    who = lowest_position(RuleCardOrder, scene.table.settings)
    return _stopped(phrase("console.now.order_lost"), lost, scene.clauses(order_topic(scene.round)), who)


def uninsured(scene: Scene) -> ConsoleMoment:
    """Insurance that was not offered would have won: nothing is settled before the pit manager has decided."""
    felt = TableInTrouble(scene.book, scene.table, scene.sealed)
    clauses = scene.clauses(Topic.UNINSURED_BET)
    who = lowest_position(ReturnUninsuredBets, scene.table.settings)
    return _stopped(phrase("claim.now"), [*claim_lines(felt)], clauses, who)


def _stopped(
    now: Phrase,
    why: list[Phrase],
    clauses: tuple[Clause, ...],
    who: Position,
    say: Phrase = phrase("console.say.one_moment"),  # noqa: B008 - frozen
) -> ConsoleMoment:
    return ConsoleMoment(
        name=MomentName.TROUBLE,
        now=now,
        why=tuple(why),
        say=say,
        clauses=clauses,
        who=(who,),
        space=ConsoleKey("Space", phrase("console.key.guide"), KeyAction(page="guide")),
        tone="trouble",
    )


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
        tone="trouble",
    )
