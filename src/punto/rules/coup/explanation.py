"""A coup in words: where each card went and why, and why the next one is drawn or not."""

from msgspec import Struct

from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import UNKNOWN
from punto.rules.coup.table_of_play import Action, To
from punto.rules.refusals import Clause


class CardStep(Struct, frozen=True):
    """A card and where it went; without a card, where the next one goes."""

    card: Card | None
    to: To
    why: str
    clauses: tuple[Clause, ...]


def explain(coup: Coup) -> tuple[list[CardStep], CardStep]:
    """A step for each card of the coup, and one for what comes next."""
    steps = []
    for drawn, card in enumerate(coup.cards[: coup.used]):
        call = Coup.of(coup.space, coup.cards[:drawn]).next
        steps.append(CardStep(card, call.to, _why(coup, drawn, call.to), call.clauses))
    call = coup.next
    return steps, CardStep(None, call.to, _why(coup, coup.used, call.to), call.clauses)


def _why(coup: Coup, drawn: int, to: To) -> str:
    player, banker, third, _ = coup.partial
    play = coup.space.play
    if to is To.UNKNOWN:
        return "a card face down has to be turned first"
    if drawn < 4:
        return f"card {drawn + 1} of the first four is {to.value.capitalize()}'s"
    if to is To.NOBODY and coup.natural:
        naturals = [
            f"{name} has a natural {points}"
            for name, points, rows in (("Player", player, play.player), ("Banker", banker, play.banker_alone))
            if points != UNKNOWN and rows[points].action is Action.NATURAL
        ]
        return f"{' and '.join(naturals)}: nobody draws"
    does = "stands" if to is To.NOBODY else "draws"
    if coup.fifth.to is not To.PLAYER:
        return f"Player has {_number(player)} and stands, Banker has {_number(banker)}: Banker {does}"
    if drawn == 4:
        return f"Player has {_number(player)}: Player draws"
    if drawn == 6:
        return "both hands have three cards"
    return f"Banker has {_number(banker)}, Player's third card counts {_number(third)}: Banker {does}"


def _number(known: int) -> str:
    return "whatever it be" if known == UNKNOWN else str(known)
