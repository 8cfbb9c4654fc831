"""Which moment it is at a table: pure, from the book, the state and who is at the console."""

from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.table.procedure.betting import betting
from punto.table.procedure.between_rounds import (
    PEOPLE_KEYS,
    SEATS_BESIDE_CARDS,
    closed_table,
    left_to_do,
    other_law,
    ready,
    with_differences,
    with_verification,
)
from punto.table.procedure.dealing import dealing
from punto.table.procedure.scene import ConsoleKey, ConsoleMoment, KeyAction, Scene, giving
from punto.table.procedure.stopped import restarted, trouble, uninsured
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.state import Phase
from punto.table.situation import STOPPED, SituationKind

CORRECTIONS_KEY = ConsoleKey("P", phrase("console.key.corrections"), KeyAction(open="corrections"))
"""From the first round on."""


def moments_of(scene: Scene) -> tuple[ConsoleMoment, ...]:
    """The moment of the table; before it, the one of the last round that the dealer may not have finished.

    Only the page knows whether the chips have been paid: it shows the first one that has not been dismissed there.
    """
    if scene.situation.kind is SituationKind.CLOSED:
        return (closed_table(),)
    if scene.situation.kind is SituationKind.OTHER_LAW:
        return (_with_keys(other_law(scene), _call_keys(scene)),)
    corrections = () if scene.table.round is None else (CORRECTIONS_KEY,)
    moments = (_with_keys(moment, (*corrections, *_call_keys(scene))) for moment in _moments(scene))
    return tuple(moment if scene.settings.cards_only else _with_people(moment) for moment in moments)


def _with_people(moment: ConsoleMoment) -> ConsoleMoment:
    """People buy in, sit down, leave and cash out in every phase."""
    taken = {key.key for key in moment.keys}
    keys = (SEATS_BESIDE_CARDS if key.key == "S" and moment.card is not None else key for key in PEOPLE_KEYS)
    opened = {key.action.open for key in moment.keys}
    missing = (key for key in keys if key.action.open not in opened and key.key not in taken)
    return replace(moment, keys=(*moment.keys, *missing))


def _with_keys(moment: ConsoleMoment, keys: tuple[ConsoleKey, ...]) -> ConsoleMoment:
    """Where a card is typed, H is a suit."""
    return replace(moment, keys=(*moment.keys, *(key for key in keys if key.key != "H" or moment.card is None)))


def _call_keys(scene: Scene) -> tuple[ConsoleKey, ...]:
    """The pit is called; then somebody of the pit answers, here or from their own page."""
    if scene.may(CallPit):
        return (ConsoleKey("H", phrase("console.key.call_pit"), giving(scene, CallPit)),)
    if scene.may(AnswerCall):
        return (ConsoleKey("H", phrase("console.key.answer_call"), giving(scene, AnswerCall)),)
    return ()


def _moments(scene: Scene) -> tuple[ConsoleMoment, ...]:
    table = scene.table
    if table.phase is Phase.READY:
        before = left_to_do(scene)
        moments = (*(() if before is None else (before,)), ready(scene))
        return tuple(with_differences(scene, with_verification(scene, moment)) for moment in moments)
    return (_IN_ROUND.get(scene.situation.kind, dealing)(scene),)


_IN_ROUND = {
    **dict.fromkeys(STOPPED, trouble),
    SituationKind.RESTARTED: restarted,
    SituationKind.CLAIMED: uninsured,
    SituationKind.BETTING: betting,
}
