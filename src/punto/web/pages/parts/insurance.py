"""Insurance as pages show it: the offer of the moment, and what it is worth."""

from msgspec import Struct

from punto.catalogue.values import Odds, write_percent
from punto.odds.figures import StakeFigures
from punto.rules.refusals import Clause
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator


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
    odds: str
    player: int
    banker: int
    clauses: tuple[Clause, ...]


def offer_shown(view: TableView, t: Translator) -> OfferShown | None:
    """The insurance that is on offer now."""
    now = view.round
    if now is None or now.offer is None:
        return None
    return OfferShown(
        side=now.offer.side.value,
        odds=t.write(Odds(now.offer.odds)),
        player=now.player.points or 0,
        banker=now.banker.points or 0,
        clauses=now.offer.clauses,
    )


def worth_shown(figures: StakeFigures) -> Worth:
    """As pages print it."""
    return Worth(
        edge=write_percent(figures.edge),
        win=write_percent(figures.win),
        push=write_percent(figures.push),
        lose=write_percent(figures.lose),
        favours_bettor=figures.favours_bettor,
    )
