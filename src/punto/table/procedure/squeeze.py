"""The squeeze at the console: who asks, who squeezes, the house's answers, and permission until the shoe ends."""

from collections.abc import Iterator

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.procedure.forms import Form, Pick, choice, needed
from punto.table.procedure.scene import ConsoleKey, KeyAction, Scene, body_of, giving
from punto.table.records.commands import GrantSqueeze, RefuseSqueeze


def squeeze_lines(scene: Scene) -> Iterator[Phrase]:
    """Who squeezes which hand, who has asked to, and what needs no asking."""
    for side, who in scene.round.accepted.items():
        yield phrase("console.why.squeezes", side=side.value, who=who)
    for side, who in scene.round.squeeze_requests.items():
        yield phrase("console.why.asks_squeeze", side=side.value, who=who)
    if not _is_squeezed_here(scene):
        return
    if scene.settings.squeeze_granted:
        yield phrase("console.why.squeeze_by_settings")
    elif sides := tuple(side.value for side in Side if side in scene.table.standing_squeezes):
        yield phrase("console.why.standing_squeeze", sides=sides)


def squeeze_keys(scene: Scene) -> Iterator[ConsoleKey]:
    """Somebody asks; the house answers, or gives and ends its permission until the shoe ends."""
    if not _is_squeezed_here(scene):
        return
    yield ConsoleKey("Z", phrase("console.key.squeeze"), KeyAction(enter="squeeze"))
    for side in scene.round.squeeze_requests:
        grant, refuse = giving(scene, GrantSqueeze, side=side), giving(scene, RefuseSqueeze, side=side)
        yield ConsoleKey("G", phrase("console.key.grant_squeeze", side=side.value), grant)
        yield ConsoleKey("F", phrase("console.key.refuse_squeeze", side=side.value), refuse)
        return
    if not scene.settings.squeeze_granted:
        yield ConsoleKey("G", phrase("console.key.standing_squeeze"), KeyAction(open="squeeze"))


def _is_squeezed_here(scene: Scene) -> bool:
    return scene.settings.face_down and scene.book.has(Topic.SQUEEZE)


def standing_squeeze(scene: Scene) -> Form:
    """Each hand with what can be done: permission is given until the shoe ends, or ended."""
    return Form(
        title=phrase("dialog.squeeze"),
        fields=(choice("", phrase("dialog.squeeze"), *(_pick(scene, side) for side in Side)),),
        command={},
        needs=needed(GrantSqueeze, scene.table.settings, scene.position),
        text=phrase("dialog.squeeze_text"),
    )


def _pick(scene: Scene, side: Side) -> Pick:
    if side in scene.table.standing_squeezes:
        ends = body_of(RefuseSqueeze, side=side.value, standing=True)
        return Pick(phrase("dialog.squeeze_end", side=side.value), ends)
    return Pick(phrase("dialog.squeeze_grant", side=side.value), body_of(GrantSqueeze, side=side.value, standing=True))
