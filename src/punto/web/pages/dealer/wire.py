"""The moment as the page's script reads it: what each key does, as JSON."""

from typing import Any

import msgspec
from msgspec import Struct

from punto.web.pages.dealer.boxes import Typing
from punto.web.pages.dealer.scene import Action, CardEntry, Moment


class WireAnswer(Struct, frozen=True, omit_defaults=True):
    give: tuple[dict[str, Any], ...] = ()
    card: bool = False


class WireMoment(Struct, frozen=True, omit_defaults=True):
    name: str
    dismiss: str = ""
    say: str = ""
    space: Action | None = None
    card: CardEntry | None = None
    keys: dict[str, Action] = {}
    questions: dict[str, dict[str, WireAnswer]] = {}


class Wire(Struct, frozen=True):
    at: str
    """The cursor of the table."""
    round: int
    moments: tuple[WireMoment, ...]
    typing: Typing | None
    """None where nothing is typed but cards."""


def wire_moment(moment: Moment, said: str) -> WireMoment:
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


def write_wire(wire: Wire) -> str:
    return msgspec.json.encode(wire).decode()
