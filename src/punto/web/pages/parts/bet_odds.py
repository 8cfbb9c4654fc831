"""The exact odds of bets from a full shoe, as pages print them."""

from fractions import Fraction
from functools import cache

from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.catalogue.values import write_percent
from punto.floor.running.live_table import LiveTable
from punto.library import book
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.web.pages.base.i18n import CHINESE, TRANSLATORS
from punto.web.pages.parts.bets import pays, side_of_felt

FULL_METER = Fraction(1, 4)
"""The house edge that fills the whole bar."""


class BetOdds(Struct, frozen=True):
    """A bet with its pay and its house edge."""

    bet: str
    look: str
    name: str
    chinese: str
    pays: str
    wins: str
    edge: str
    meter: str
    favours_bettor: bool


@cache
def bet_odds(book_id: str, decks: int, layout: str, language: Language) -> tuple[BetOdds, ...]:
    """The bets of a layout; of the whole book if ``layout`` is empty."""
    rules, t = book(book_id), TRANSLATORS[language]
    figures = full_shoe_figures(rules, decks)
    shown = []
    for bet in rules.layouts[layout].menu if layout else tuple(rules.bets):
        rule, worth = rules.bets[bet], figures.bets[bet]
        side = side_of_felt(rule) if bet not in ("player", "banker") else bet
        part = max(Fraction(), min(Fraction(1), worth.edge / FULL_METER))
        shown.append(
            BetOdds(
                bet=bet,
                look="tie" if bet == "tie" else side,
                name=t(f"bet.{bet}"),
                chinese=CHINESE.get(bet, ""),
                pays=pays(rule, t),
                wins=write_percent(worth.win),
                edge=write_percent(worth.edge),
                meter=f"{float(part * 100):.1f}",
                favours_bettor=worth.favours_bettor,
            )
        )
    return tuple(shown)


def decks_of(live: LiveTable) -> int:
    """Decks of the shoe on the table; without one, of the shoes that the table uses."""
    return live.state.shoe.decks if live.state.shoe else live.setup.decks
