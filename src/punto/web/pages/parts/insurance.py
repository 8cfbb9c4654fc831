"""The insurance on offer and its value, as pages show them."""

from msgspec import Struct

from punto.catalogue.values import Odds, write_percent
from punto.odds.figures import StakeFigures
from punto.rules.refusals import Clause
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator


class Worth(Struct, frozen=True):
    """The value of the offer, given the cards seen. Percentages as text."""

    edge: str
    win: str
    push: str
    lose: str
    favours_bettor: bool


class ShownOffer(Struct, frozen=True):
    """The insurance on offer now."""

    side: str
    odds: str
    player: int
    banker: int
    clauses: tuple[Clause, ...]


def show_offer(view: TableView, t: Translator) -> ShownOffer | None:
    now = view.round
    if now is None or now.offer is None:
        return None
    return ShownOffer(
        side=now.offer.side.value,
        odds=t.write(Odds(now.offer.odds)),
        player=now.player.points or 0,
        banker=now.banker.points or 0,
        clauses=now.offer.clauses,
    )


def show_worth(figures: StakeFigures) -> Worth:
    return Worth(
        edge=write_percent(figures.edge),
        win=write_percent(figures.win),
        push=write_percent(figures.push),
        lose=write_percent(figures.lose),
        favours_bettor=figures.favours_bettor,
    )
