"""The player's last rounds at a table: the cards, every bet, why it won, lost or went back, and the clauses."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import UNSET, Struct, UnsetType

from punto.floor.people.players import players_in
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.procedure.ruling_mark import ground_phrase
from punto.web.api import history
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import Cursor, RoundSummary, Voided
from punto.web.pages.base.i18n import Translator, person_name, translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.parts.results import ShownAdjustment, ShownResult, gain_of, show_adjustments, show_results
from punto.web.pages.parts.words import card_name

ROUNDS_PER_PAGE = 20
MAX_PAGES_SEARCHED = 5
"""Pages of the table's rounds to search for the player's own. The link to older rounds continues from there."""


class HistoryQuery(PageQuery, frozen=True):
    before: Cursor | None = None
    """None: from the latest round."""


class Bettor(Struct, frozen=True):
    """The results of one person in a round."""

    name: str
    """Empty for the viewer's own results."""
    gain_minor: int
    outcomes: tuple[ShownResult, ...]
    adjustments: tuple[ShownAdjustment, ...]


class ShownVoid(Struct, frozen=True):
    ground: str
    reason: str
    """Empty unless the viewer is staff."""
    clauses: tuple[Clause, ...]


class HandOfRound(Struct, frozen=True):
    """The cards of one hand."""

    name: str
    cards: tuple[tuple[str, str], ...]
    """Code and name of each card, in the order they were drawn."""


class ShownRound(Struct, frozen=True):
    """A finished round. Number 0 has the rulings before the first round."""

    number: int
    opening: int
    at: datetime
    headline: str
    hands: tuple[HandOfRound, ...]
    bettors: tuple[Bettor, ...]
    void: ShownVoid | None
    incidents: tuple[int, ...]
    """Their numbers; empty unless the viewer is staff."""


class Totals(Struct, frozen=True):
    """A player's rounds taken together, in the smallest unit."""

    staked_minor: int
    returned_minor: int
    rulings_minor: int
    won: int
    lost: int
    even: int

    @property
    def net_minor(self) -> int:
        return self.returned_minor - self.staked_minor + self.rulings_minor


def totals_of(summaries: Sequence[RoundSummary]) -> Totals:
    """Of rounds with one player's results only. A bet that went back counts as staked and returned."""
    results = [result for each in summaries for result in each.results]
    gains = [
        sum(result.returned_minor - result.stake_minor for result in each.results)
        + sum(moved.amount_minor for moved in each.adjustments)
        for each in summaries
    ]
    return Totals(
        staked_minor=sum(result.stake_minor for result in results),
        returned_minor=sum(result.returned_minor for result in results),
        rulings_minor=sum(moved.amount_minor for each in summaries for moved in each.adjustments),
        won=sum(gain > 0 for gain in gains),
        lost=sum(gain < 0 for gain in gains),
        even=sum(gain == 0 for gain in gains),
    )


class HistoryPage(PageContext, frozen=True, kw_only=True):
    template = "history.html"
    table: str
    table_title: str
    table_path: str
    book: str
    game: str
    rounds: list[ShownRound]
    totals: Totals | None
    """Of the rounds on this page; None if they are everybody's, or there are none."""
    currency: str
    everybody: bool
    staff_only: bool
    """Whether the table's rounds are not for the viewer, who cannot play there."""
    seeded: bool
    older: Cursor | None
    newest: bool


async def own_rounds(call: HttpRequest, before: Cursor | None) -> tuple[list[RoundSummary], Cursor | None]:
    """The last rounds before a cursor that concern the viewer, newest first, and where the next page starts.

    Staff also see void rounds and rounds with incidents without bets, because these have to be accounted for.
    """
    own, whole = list[RoundSummary](), (await call.sight()).whole
    for _ in range(MAX_PAGES_SEARCHED):
        rounds = await history.rounds_before(call, before, history.MAX_ROUNDS_PER_PAGE)
        for each in rounds.rounds:
            void_for_staff = each.voided is not None and whole
            if each.results or each.adjustments or each.incidents or void_for_staff:
                own.append(each)
            if len(own) == ROUNDS_PER_PAGE:
                return own, each.cursor
        before = rounds.next
        if before is None:
            break
    return own, before


def show_round(
    rules: Rulebook, summary: RoundSummary, t: Translator, names: Mapping[str, str] | UnsetType, day: GamingDay
) -> ShownRound:
    """``names`` are those of registered players for staff, UNSET for a player who looks at their own rounds."""
    coup = Coup.of(rules.space, tuple(map(Face, summary.cards)))
    return ShownRound(
        number=summary.round,
        opening=history.read_cursor(summary.cursor)[0],
        at=day.local(summary.at_us),
        headline=_headline(summary, t),
        hands=hands_of(coup, t),
        bettors=bettors(rules, summary, coup, t, names),
        void=None if summary.voided is None else show_void(summary.voided, t),
        incidents=summary.incidents,
    )


def hands_of(coup: Coup, t: Translator) -> tuple[HandOfRound, ...]:
    def hand(side: Side) -> HandOfRound:
        return HandOfRound(
            t(f"side.{side}"), tuple((code, card_name(code, t)) for code in map(str, coup.hand(side).cards))
        )

    return hand(Side.PLAYER), hand(Side.BANKER)


def _headline(summary: RoundSummary, t: Translator) -> str:
    number, winner = summary.round, summary.winner
    if winner is not None:
        losing, winning = sorted((summary.player or 0, summary.banker or 0))
        return t("history.round", number=number, outcome=winner.value, winning=winning, losing=losing)
    return t("history.void_round", number=number) if summary.voided else t("history.before_first")


def show_void(voided: Voided, t: Translator) -> ShownVoid:
    return ShownVoid(t.write(ground_phrase(voided.ground, voided.clauses)), voided.reason or "", voided.clauses)


def bettors(
    rules: Rulebook, summary: RoundSummary, coup: Coup, t: Translator, names: Mapping[str, str] | UnsetType
) -> tuple[Bettor, ...]:
    shown = []
    people = [result.who for result in summary.results] + [moved.who for moved in summary.adjustments]
    for who in dict.fromkeys(people):
        results = [result for result in summary.results if result.who == who]
        adjustments = show_adjustments(each for each in summary.adjustments if each.who == who)
        outcomes = show_results(rules, coup, results, t)
        name = "" if names is UNSET else person_name(who, t, names, summary.box_labels, with_id=True)
        shown.append(Bettor(name, gain_of(results, adjustments), outcomes, adjustments))
    return tuple(shown)


async def rounds(call: HttpRequest) -> Raw:
    name, language, before = call.path["table"], call.language, call.query.before
    live = await call.service.floor.find_table(name)
    t = translator(language, at_shuffler=live.state.at_shuffler)
    floor_rules = await call.service.floor_view.rules()
    summaries, older = await own_rounds(call, before) if call.actor else ([], None)
    whole = (await call.sight()).whole
    names = await call.service.player_names.of(players_in(summaries)) if whole else UNSET
    path, day = table_path(name, "history"), await call.service.floor_view.gaming_day()
    context = HistoryPage(
        layout=layout_of(call, "history", path, day.zone),
        table=name,
        table_title=live.title,
        table_path=table_path(name),
        book=live.rules.id,
        game=t(f"book.{live.rules.id}"),
        rounds=[show_round(live.rules, each, t, names, day) for each in summaries],
        totals=totals_of(summaries) if summaries and not whole else None,
        currency=live.state.settings.currency if live.state.settings else "",
        everybody=whole,
        staff_only=not whole and not floor_rules.for_play_money(name),
        seeded=live.setup.shoes is ShoeKind.SEEDED,
        older=older,
        newest=before is None,
    )
    return await page(context, language)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/tables/{table}/history",
        rounds,
        "The player's last rounds",
        query=HistoryQuery,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
)
