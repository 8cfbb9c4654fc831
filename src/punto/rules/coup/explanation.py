"""A coup in words: where each card went and why, and why the next one is drawn or not."""

from collections.abc import Iterator

from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import UNKNOWN
from punto.rules.coup.table_of_play import Action, Side, To
from punto.rules.refusals import Clause


class CardStep(Struct, frozen=True):
    """A card and where it went; without a card, where the next one goes."""

    card: Card | None
    to: To
    why: Phrase
    clauses: tuple[Clause, ...]


def explain(coup: Coup) -> tuple[list[CardStep], CardStep]:
    """A step for each card of the coup, and one for what comes next."""
    steps = []
    for drawn, card in enumerate(coup.cards[: coup.used]):
        call = Coup.of(coup.space, coup.cards[:drawn]).next
        steps.append(CardStep(card, call.to, _why(coup, drawn, call.to), call.clauses))
    call = coup.next
    return steps, CardStep(None, call.to, _why(coup, coup.used, call.to), call.clauses)


def _why(coup: Coup, drawn: int, to: To) -> Phrase:
    if to is To.UNKNOWN:
        return phrase("step.face_down")
    if drawn < 4:
        return phrase("step.first_four", card=drawn + 1, side=to.value)
    if to is To.NOBODY and coup.natural:
        return phrase("step.naturals", naturals=tuple(_naturals(coup)))
    return _why_third(coup, drawn, draws=to is not To.NOBODY)


def _naturals(coup: Coup) -> Iterator[Phrase]:
    player, banker, _, _ = coup.partial
    play = coup.space.play
    for side, points, rows in ((Side.PLAYER, player, play.player), (Side.BANKER, banker, play.banker_alone)):
        if points != UNKNOWN and rows[points].action is Action.NATURAL:
            yield phrase("step.natural", side=side.value, points=points)


def _why_third(coup: Coup, drawn: int, *, draws: bool) -> Phrase:
    player, banker, third, _ = map(_points, coup.partial)
    if coup.fifth.to is not To.PLAYER:
        if drawn == 5:
            return phrase("step.banker_has_three", player=player)
        return phrase("step.banker_draws_alone" if draws else "step.banker_stands_alone", player=player, banker=banker)
    if drawn == 4:
        return phrase("step.player_draws", player=player)
    if drawn == 6:
        return phrase("step.both_have_three")
    return phrase("step.banker_draws" if draws else "step.banker_stands", banker=banker, third=third)


def _points(known: int) -> int | Phrase:
    return phrase("step.any_points") if known == UNKNOWN else known
