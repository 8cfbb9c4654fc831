"""The moment of insurance on a player's page: what is offered to him, how much he may take, what it is worth."""

from fractions import Fraction

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.odds.exact.insurance_offer import offer_figures
from punto.odds.shoe import Composition
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.cards import RANKS, SUITS
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Refusal
from punto.rules.topics import Topic
from punto.table.play.insuring import insurance_bounds, showing
from punto.table.records.state import CARD_AT, Shoe
from punto.web.pages.base.i18n import Tongue
from punto.web.pages.table.view_model import CHINESE

MOST_KEPT = 256


class Worth(Struct, frozen=True):
    """What the offer is worth from the cards already seen, in percent as pages print it."""

    edge: str
    win: str
    push: str
    lose: str
    favours_bettor: bool


_WORTHS: dict[tuple[object, ...], Worth] = {}
"""By all that they follow from: the book, the line, the cards on the table and those nobody has seen."""


class Offer(Struct, frozen=True):
    """Insurance that this player may take in this box."""

    key: str
    """The same as long as it is the same offer."""
    side: str
    name: str
    chinese: str
    odds: str
    player: int
    banker: int
    original_minor: int
    most_minor: int
    taken_minor: int
    late: bool
    tie_pays: bool
    clauses: tuple[Clause, ...]
    cap: tuple[Clause, ...]
    worth: Worth | None


def offer_to(live: LiveTable, who: str, box: int, t: Tongue, *, odds: bool) -> Offer | None:
    """The open offer as it is for one player in one box; None where he cannot take it."""
    state, rules = live.state, live.rules
    now = state.round
    if now is None or not now.insurance.offer_open:
        return None
    bounds = insurance_bounds(rules, state, who, box)
    if isinstance(bounds, Refusal):
        return None
    line, room = bounds
    coup = showing(rules, state)
    assert coup is not None  # noqa: S101 - the offer stands on it
    taken = [each for each in now.insurance.cover if (each.who, each.box, each.stage) == (who, box, line.stage)]
    worth = None
    if odds and state.shoe is not None:
        worth = worth_of(rules.id, line, coup, state.shoe)
    player, banker = coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points
    return Offer(
        key=f"{now.number}-{line.stage}-{box}",
        side=line.side.value,
        name=t(line.side.capitalize()),
        chinese=CHINESE[line.side],
        odds=t("{a} to {b}", a=line.odds.numerator, b=line.odds.denominator),
        player=player or 0,
        banker=banker or 0,
        original_minor=now.bets[who, box, line.side].stake_minor,
        most_minor=max(0, min(room, state.chips_minor(who))),
        taken_minor=sum(each.stake_minor for each in taken),
        late=now.insurance.offer_late,
        tie_pays=line.tie_pays,
        clauses=(line.clause,),
        cap=rules.topics[Topic.INSURANCE_CAP],
        worth=worth,
    )


def worth_of(book: str, line: InsuranceLine, coup: Coup, shoe: Shoe) -> Worth:
    """What a line is worth now: counted once, however many look."""
    left = unseen(shoe)
    key = (book, line.stage, line.side, coup.cards, left.ranks)
    worth = _WORTHS.get(key)
    if worth is None:
        found = offer_figures(line, coup, left)
        if len(_WORTHS) >= MOST_KEPT:
            _WORTHS.clear()
        worth = _WORTHS[key] = Worth(
            edge=percent(found.edge),
            win=percent(found.win),
            push=percent(found.push),
            lose=percent(found.lose),
            favours_bettor=found.favours_bettor,
        )
    return worth


def unseen(shoe: Shoe) -> Composition:
    """What nobody has seen of a shoe: in it, or burned face down."""
    left = dict.fromkeys(RANKS, shoe.decks * len(SUITS))
    for card, at in CARD_AT.items():
        left[card.rank] -= shoe.seen[at]
    return Composition(tuple(left.values()))


def percent(part: Fraction) -> str:
    """A part as a percentage with two decimals."""
    return f"{float(part) * 100:.2f}%".replace("-", "\N{MINUS SIGN}")
