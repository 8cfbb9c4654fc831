"""The search over the rounds of all tables."""

from datetime import datetime
from functools import cache
from typing import Annotated
from urllib.parse import urlencode

from msgspec import Meta, Struct
from msgspec.structs import asdict

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.incidents import OtherKind
from punto.floor.journal.round_marks import ROUND_KINDS
from punto.floor.reports.moments import read_period
from punto.floor.reports.rounds.round_filter import AmountOf, RoundFilter
from punto.floor.settings.gaming_day import GamingDay
from punto.library import book, book_ids
from punto.rules.bets.insurance import insurance_name
from punto.rules.coup.table_of_play import Side
from punto.rules.money import read_amount
from punto.table.records.kinds import Irregularity
from punto.table.records.settings import MAX_LABEL_LENGTH, box_label
from punto.web.api.audit.round_search import OUTCOMES, find_page
from punto.web.api.history import read_cursor
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.messages import FoundBet, FoundRoundView
from punto.web.pages.base.i18n import TRANSLATORS, Translator, person_name
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page
from punto.web.pages.parts.words import card_name
from punto.web.views.cursors import END
from punto.web.views.round_names import round_address

SEARCH_PATH = "/audit/rounds"
FOUND_PER_PAGE = 50
TypedNumber = Annotated[str, Meta(pattern="^[0-9]{0,15}$")]
TypedMoney = Annotated[str, Meta(pattern=r"^([0-9]{1,12}([.][0-9]{1,2})?)?$")]


class SearchForm(PageQuery, frozen=True):
    """What the form sends: empty fields do not matter."""

    since: str = ""
    since_time: str = ""
    until: str = ""
    until_time: str = ""
    table: str = ""
    dealer: str = ""
    player: str = ""
    box: Annotated[str, Meta(max_length=MAX_LABEL_LENGTH)] = ""
    bet: str = ""
    clause: str = ""
    kind: str = ""
    incident: TypedNumber = ""
    outcome: str = ""
    natural: str = ""
    amount: str = AmountOf.STAKE.value
    least: TypedMoney = ""
    most: TypedMoney = ""
    before: str = ""


class ShownFoundBet(Struct, frozen=True):
    who: str
    box: str
    """As it is printed on the felt."""
    bet: str
    stake_minor: int
    returned_minor: int


class ShownFound(Struct, frozen=True):
    address: str
    round: str
    table: str
    at: datetime
    dealers: tuple[str, ...]
    outcome: str
    cards: tuple[tuple[str, str], ...]
    """Code and name of each."""
    staked_minor: int
    win_minor: int
    currency: str
    kinds: tuple[str, ...]
    incidents: tuple[int, ...]
    bets: tuple[ShownFoundBet, ...]


class SearchPage(PageContext, frozen=True, kw_only=True):
    template = "audit/rounds.html"
    form: SearchForm
    filled: bool
    """Whether something is searched for."""
    found: tuple[ShownFound, ...]
    total: str
    """How many there are, as far as it is known."""
    older: str
    """The query of the next page; empty if there is none."""
    unfinished: bool
    players: tuple[str, ...]
    """Whom the name stands for, if it is not theirs alone."""
    more_players: bool
    box_length: int
    tables: tuple[tuple[str, str], ...]
    """Name and title of each."""
    bets: tuple[tuple[str, str], ...]
    kinds: tuple[tuple[str, str], ...]
    outcomes: tuple[tuple[str, str], ...]
    amounts: tuple[tuple[str, str], ...]


async def search(call: HttpRequest) -> Raw:
    query, t, floor = call.query, TRANSLATORS[call.language], call.service.floor
    day = await call.service.floor_view.gaming_day()
    result = await find_page(call, _filter(query, day), query.player, FOUND_PER_PAGE)
    filled = {
        name: value
        for name, value in asdict(query).items()
        if value and name not in ("lang", "before") and (name, value) != ("amount", AmountOf.STAKE)
    }
    names = await call.service.player_names.of(frozenset(result.players))
    context = SearchPage(
        layout=layout_of(call, "audit", SEARCH_PATH, day.zone),
        form=query,
        filled=bool(filled),
        found=tuple(_show(each, day, t) for each in result.rounds),
        total=_total(len(result.rounds), more=result.next is not None, searched_us=result.searched_us, day=day, t=t),
        older=urlencode(filled | {"before": result.next}) if result.next else "",
        unfinished=result.unfinished,
        players=tuple(person_name(who, t, names, with_id=True) for who in result.players)
        if len(result.players) > 1
        else (),
        more_players=result.more_players,
        box_length=MAX_LABEL_LENGTH,
        tables=tuple((name, floor.title_of(name)) for name in sorted(floor.tables)),
        bets=tuple((bet, t(f"bet.{bet}")) for bet in all_bets()),
        kinds=tuple((kind, _kind(kind, t)) for kind in ROUND_KINDS),
        outcomes=tuple((outcome, t(f"search_outcome.{outcome}")) for outcome in OUTCOMES),
        amounts=tuple((each.value, t(f"search_amount.{each.value}")) for each in AmountOf),
    )
    return await page(context, call.language)


@cache
def all_bets() -> tuple[str, ...]:
    """The bets of all books and insurance, each once."""
    of_books = (bet for each in book_ids() for bet in book(each).bets)
    return tuple(dict.fromkeys((*of_books, *map(insurance_name, Side))))


def _filter(query: SearchForm, day: GamingDay) -> RoundFilter:
    since = _moment(query.since, query.since_time)
    until = _moment(query.until or (query.since if query.until_time else ""), query.until_time)
    period = read_period(day, since, until)
    return RoundFilter(
        from_us=period.since_us or 0,
        until_us=END if period.until_us is None else period.until_us,
        table=query.table,
        dealer=query.dealer.strip(),
        box=query.box.strip().casefold(),
        bet=query.bet,
        clause=query.clause.strip(),
        kind=query.kind,
        incident=int(query.incident or 0),
        outcome=query.outcome,
        natural=bool(query.natural),
        amount=AmountOf(query.amount) if query.amount in set(AmountOf) else AmountOf.STAKE,
        least_minor=read_amount(query.least) if query.least else 0,
        most_minor=read_amount(query.most) if query.most else None,
        before=read_cursor(query.before) if query.before else (END, END),
    )


def _moment(day: str, time: str) -> str | None:
    """A gaming day, or a time on a date; None if both are empty."""
    if time and not day:
        raise FloorRefused(FloorCode.BAD_PERIOD, variant="time_alone")
    return (f"{day}T{time}" if time else day) or None


def _total(number: int, *, more: bool, searched_us: int | None, day: GamingDay, t: Translator) -> str:
    if searched_us is not None:
        return t("search.unfinished", number=number, at=f"{day.local(searched_us):%Y-%m-%d %H:%M}")
    if more:
        return t("search.more", number=number)
    return t("search.total", number=number) if number else t("search.none")


def _kind(kind: str, t: Translator) -> str:
    return t(f"incident.{kind}") if kind in {*Irregularity, *OtherKind} else t(f"round_kind.{kind}")


def _show(found: FoundRoundView, day: GamingDay, t: Translator) -> ShownFound:
    return ShownFound(
        address=round_address(found.table, found.opening, found.number),
        round=found.round,
        table=found.table_title,
        at=day.local(found.opened_us),
        dealers=found.dealers,
        outcome=_outcome(found, t),
        cards=tuple((card, card_name(card, t)) for card in found.cards),
        staked_minor=found.staked_minor,
        win_minor=found.win_minor,
        currency=found.currency,
        kinds=tuple(_kind(kind, t) for kind in found.kinds),
        incidents=found.incidents,
        bets=tuple(_bet(bet, found.box_labels, t) for bet in found.bets),
    )


def _bet(bet: FoundBet, labels: tuple[str, ...], t: Translator) -> ShownFoundBet:
    names = {bet.who: bet.name} if bet.name else {}
    who = person_name(bet.who, t, names, labels, with_id=True)
    return ShownFoundBet(who, box_label(labels, bet.box), t(f"bet.{bet.bet}"), bet.stake_minor, bet.returned_minor)


def _outcome(found: FoundRoundView, t: Translator) -> str:
    if found.outcome is None:
        return t("search.before_first") if not found.number else t("search.in_play")
    name = t(f"search_outcome.{found.outcome}")
    if found.player is None or found.banker is None:
        return name
    losing, winning = sorted((found.player, found.banker))
    points = {"outcome": name, "winning": winning, "losing": losing}
    return t("search.natural_result" if found.natural else "search.result", **points)


ENDPOINTS = (Endpoint("GET", SEARCH_PATH, search, "Search rounds", query=SearchForm, cost=EXPENSIVE),)
