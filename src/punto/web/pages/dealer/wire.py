"""The moment as the page's script reads it: what each key does, as JSON."""

from typing import Any

import msgspec
from msgspec import Struct

from punto.table.procedure.scene import CardEntry, ConsoleMoment, KeyAction, Scene
from punto.table.records.state import cards_in_order
from punto.web.pages.base.i18n import Translator
from punto.web.pages.dealer.boxes import Typing
from punto.web.pages.parts.words import card_name


class WireAnswer(Struct, frozen=True, omit_defaults=True):
    give: tuple[dict[str, Any], ...] = ()
    card: str = ""


class WireMoment(Struct, frozen=True, omit_defaults=True):
    name: str
    dismiss: str = ""
    say: str = ""
    space: KeyAction | None = None
    card: CardEntry | None = None
    keys: dict[str, KeyAction] = {}
    questions: dict[str, dict[str, WireAnswer]] = {}


class LastCard(Struct, frozen=True):
    shoe: str
    draw: int
    card: str
    """As it was entered."""
    name: str


class Wire(Struct, frozen=True):
    at: str
    """The cursor of the table."""
    round: int
    moments: tuple[WireMoment, ...]
    typing: Typing | None
    """None where nothing is typed but cards."""
    last_card: LastCard | None
    """The card of the last entry, which can be corrected."""


def wire_moment(moment: ConsoleMoment, said: str) -> WireMoment:
    return WireMoment(
        name=moment.name.value,
        dismiss=moment.dismiss,
        say=said,
        space=moment.space.action if moment.space else None,
        card=moment.card,
        keys={key.key: key.action for key in moment.keys},
        questions={
            question.id: {answer.key: WireAnswer(answer.give, answer.card) for answer in question.answers}
            for question in moment.questions
        },
    )


def last_card(scene: Scene, t: Translator) -> LastCard | None:
    """None where something else was entered since, and at a sealed shoe, where cards are always right."""
    entered = scene.table.last_entered
    if entered is None or scene.sealed:
        return None
    shoe, draw = entered
    found = next((each for each in cards_in_order(scene.table) if (each.shoe, each.draw) == entered), None)
    if found is not None and found.card is not None:
        card = found.card
    elif scene.table.shoe is not None and draw == 0 and scene.table.shoe.burned_card is not None:
        card = scene.table.shoe.burned_card
    else:
        return None
    return LastCard(shoe, draw, str(card), card_name(str(card), t))


def write_wire(wire: Wire) -> str:
    return msgspec.json.encode(wire).decode()
