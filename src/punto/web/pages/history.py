"""One's own last rounds at a table: the cards, every bet, why it won, lost or went back, and by which clause."""

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import Struct

from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.coup import Coup
from punto.rules.refusals import Clause, Refused
from punto.rules.rulebook import Rulebook
from punto.web.api import history
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import Cursor, RoundSummary, Voided
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import PageContext, PlainAsked, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.parts.results import ShownAdjustment, ShownResult, adjustments_shown, gain_of, outcomes_of
from punto.web.pages.parts.words import say_card
from punto.web.views.visibility import Sight

ON_A_PAGE = 20
PAGES_BACK = 5
"""So many pages of rounds are looked through for one's own; a link goes on from there."""


class HistoryAsked(PlainAsked, frozen=True):
    """Which rounds."""

    before: Cursor | None = None
    """None: from the last one."""


class Bettor(Struct, frozen=True):
    """What became of one person's bets."""

    name: str
    """Empty: one's own."""
    gain_minor: int
    outcomes: tuple[ShownResult, ...]
    adjustments: tuple[ShownAdjustment, ...]


class ShownVoid(Struct, frozen=True):
    """Why a round is void."""

    ground: str
    reason: str
    """Empty for all but the staff."""
    clauses: tuple[Clause, ...]


class RoundTold(Struct, frozen=True):
    """A round that is over, or what was ruled before the first one."""

    number: int
    at: str
    said: str
    """The outcome; empty where there is no round."""
    winner: str
    """player, banker or tie; empty where nobody has won."""
    score: str
    cards: tuple[tuple[str, str], ...]
    """The code and the name of each, in drawn order."""
    bettors: tuple[Bettor, ...]
    void: ShownVoid | None


class HistoryPage(PageContext, frozen=True, kw_only=True):
    """One's last rounds."""

    template = "history.html"
    table: str
    table_path: str
    book: str
    game: str
    rounds: list[RoundTold]
    everybody: bool
    seeded: bool
    older: Cursor | None
    newest: bool


async def own_rounds(call: HttpRequest, before: Cursor | None) -> tuple[list[RoundSummary], Cursor | None]:
    """The last rounds before a cursor with amounts that one may see, the newest first; where the next page begins.

    The staff see every void round, bets or not: that it is void has to be accounted for.
    """
    found: list[RoundSummary] = []
    for _ in range(PAGES_BACK):
        rounds = await history.rounds_before(call, before, history.MAX_ROUNDS_A_PAGE)
        for each in rounds.rounds:
            void_for_staff = each.voided is not None and call.sight is Sight.STAFF
            if each.results or each.adjustments or void_for_staff:
                found.append(each)
            if len(found) == ON_A_PAGE:
                return found, each.cursor
        before = rounds.next
        if before is None:
            break
    return found, before


def told_round(rules: Rulebook, summary: RoundSummary, t: Translator, *, named: bool) -> RoundTold:
    """A round as the page shows it."""
    winner = summary.winner
    return RoundTold(
        number=summary.round,
        at=datetime.fromtimestamp(summary.at_us / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S"),
        said=t(f"outcome.{winner}") if winner else t("history.void") if summary.voided else "",
        winner=winner.value if winner else "",
        score=t("call.score", player=summary.player, banker=summary.banker) if winner else "",
        cards=tuple((code, say_card(code, t)) for code in summary.cards),
        bettors=bettors(rules, summary, coup_of(rules, summary.cards), t, named=named),
        void=None if summary.voided is None else shown_void(summary.voided, t),
    )


def shown_void(voided: Voided, t: Translator) -> ShownVoid:
    """Why a round is void, in words."""
    return ShownVoid(t(f"ground.{voided.ground}"), voided.reason or "", voided.clauses)


def bettors(
    rules: Rulebook, summary: RoundSummary, coup: Coup | None, t: Translator, *, named: bool
) -> tuple[Bettor, ...]:
    """Person by person."""
    found = []
    people = [result.who for result in summary.results] + [moved.who for moved in summary.adjustments]
    for who in dict.fromkeys(people):
        results = [result for result in summary.results if result.who == who]
        adjustments = adjustments_shown(each for each in summary.adjustments if each.who == who)
        outcomes = outcomes_of(rules, coup, results, t)
        found.append(Bettor(who if named else "", gain_of(results, adjustments), outcomes, adjustments))
    return tuple(found)


def coup_of(rules: Rulebook, codes: Iterable[str]) -> Coup | None:
    """The coup of these cards; None where what lay on the table was none."""
    try:
        return rules.coup(" ".join(codes))
    except Refused:
        return None


async def rounds(call: HttpRequest) -> Raw:
    """The page."""
    name, spoken, before = call.path["table"], call.language, call.query.before
    live, t = await call.service.floor.find_table(name), TRANSLATORS[spoken]
    found, older = await own_rounds(call, before) if call.actor else ([], None)
    path = table_path(name, "history")
    context = HistoryPage(
        layout=layout_of(call, "history", path),
        table=name,
        table_path=table_path(name),
        book=live.rules.id,
        game=t(f"book.{live.rules.id}"),
        rounds=[told_round(live.rules, each, t, named=call.sight is Sight.STAFF) for each in found],
        everybody=call.sight is Sight.STAFF,
        seeded=live.setup.shoes is ShoeKind.SEEDED,
        older=older,
        newest=before is None,
    )
    return await page(context, spoken)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/tables/{table}/history",
        rounds,
        "One's last rounds",
        query=HistoryAsked,
        access=Access.ANYBODY,
        cost=DEAR,
    ),
)
