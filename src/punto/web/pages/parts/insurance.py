"""Insurance as pages show it: the offer of the moment, and what it is worth."""

from fractions import Fraction

from msgspec import Struct

from punto.odds.figures import StakeFigures
from punto.rules.refusals import Clause
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Tongue
from punto.web.pages.parts.words import CHINESE


class Worth(Struct, frozen=True):
    """What the offer is worth from the cards already seen, in percent as pages print it."""

    edge: str
    win: str
    push: str
    lose: str
    favours_bettor: bool


class OfferShown(Struct, frozen=True):
    """The insurance of the moment."""

    side: str
    name: str
    chinese: str
    odds: str
    player: int
    banker: int
    clauses: tuple[Clause, ...]


def offer_shown(view: TableView, t: Tongue) -> OfferShown | None:
    """The insurance that is on offer now."""
    now = view.round
    if now is None or now.offer is None:
        return None
    odds = Fraction(now.offer.odds)
    return OfferShown(
        side=now.offer.side.value,
        name=t(now.offer.side.capitalize()),
        chinese=CHINESE[now.offer.side],
        odds=t("{a} to {b}", a=odds.numerator, b=odds.denominator),
        player=now.player.points or 0,
        banker=now.banker.points or 0,
        clauses=now.offer.clauses,
    )


def worth_shown(figures: StakeFigures) -> Worth:
    """As pages print it."""
    return Worth(
        edge=percent(figures.edge),
        win=percent(figures.win),
        push=percent(figures.push),
        lose=percent(figures.lose),
        favours_bettor=figures.favours_bettor,
    )


def percent(part: Fraction) -> str:
    """A part as a percentage with two decimals."""
    return f"{float(part) * 100:.2f}%".replace("-", "\N{MINUS SIGN}")
