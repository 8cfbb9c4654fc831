"""When each bet of a table wins, what it pays, and its house edge, for a player who asks."""

from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.records.settings import Settings
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.templates import Context
from punto.web.pages.parts.bet_conditions import PaysWhen, clauses_of, condition, pay_table
from punto.web.pages.parts.bet_odds import BetOdds
from punto.web.pages.parts.bets import pays


class BetInfo(Struct, frozen=True):
    bet: str
    name: str
    chinese: str | None
    condition: str
    pays: str
    pay_table: tuple[PaysWhen, ...]
    """Empty if the bet always pays the same."""
    odds: BetOdds | None
    """None if odds are off."""
    clauses: tuple[Clause, ...]


class TableInfo(Context, frozen=True, kw_only=True):
    template = "table/info.html"
    book: str
    bets: tuple[BetInfo, ...]


def info_of(rules: Rulebook, settings: Settings | None, edges: tuple[BetOdds, ...], language: Language) -> TableInfo:
    """Empty while the table is closed, or if the book has changed since and lacks the layout."""
    t, odds = TRANSLATORS[language], {each.bet: each for each in edges}
    menu = rules.layouts[settings.layout].menu if settings and settings.layout in rules.layouts else ()
    return TableInfo(
        book=rules.id,
        bets=tuple(
            BetInfo(
                bet=bet,
                name=t(f"bet.{bet}"),
                chinese=rules.bets[bet].chinese,
                condition=condition(rules.bets[bet], t),
                pays=pays(rules.bets[bet], t),
                pay_table=pay_table(rules.bets[bet], t),
                odds=odds.get(bet),
                clauses=clauses_of(rules.bets[bet]),
            )
            for bet in menu
        ),
    )
