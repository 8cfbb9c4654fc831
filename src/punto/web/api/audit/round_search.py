"""Searching the rounds of all tables, for supervisors and above, and auditors."""

from typing import Annotated

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from punto.floor.journal.round_marks import ROUND_KINDS, is_natural
from punto.floor.people.looks import LookKind
from punto.floor.reports.moments import read_period
from punto.floor.reports.rounds.round_filter import AmountOf, RoundFilter
from punto.floor.reports.rounds.round_search import SearchedRound
from punto.floor.settings.floor_settings import MAX_SHIFTS
from punto.rules.coup.space import Winner
from punto.table.records.identity import exact_form, is_plain_name, player_number
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.settings import MAX_LABEL_LENGTH
from punto.web.api.history import read_cursor
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest
from punto.web.messages import Cursor, FoundBet, FoundRoundPage, FoundRoundView, RequestBody
from punto.web.views.cursors import END, write_cursor
from punto.web.views.round_names import write_round

MAX_FOUND_PER_PAGE = 100
MAX_PLAYERS_OF_NAME = 20
OUTCOMES = (*(winner.value for winner in Winner), "void", "cancelled")
SearchedAmount = Annotated[int, Meta(ge=0, le=MAX_AMOUNT_MINOR)]


def _one_of(values: tuple[str, ...]) -> Meta:
    return Meta(pattern=f"^({'|'.join(values)})?$")


class RoundSearchQuery(RequestBody, frozen=True, kw_only=True):
    """Everything that is given must fit. Player, box, bet and the amount of a bet must be those of one bet."""

    since: str | None = field(default=None, name="from")
    """When betting opened: a gaming day of the floor, or a time in ISO 8601, the floor's unless it has an offset."""
    until: str | None = field(default=None, name="to")
    """A gaming day is included."""
    day: str | None = None
    """A gaming day, instead of both ends."""
    shift: Annotated[int, Meta(ge=0, le=MAX_SHIFTS)] = 0
    """Of the gaming day, counted from 1; 0 for all of it."""
    table: str = ""
    dealer: str = ""
    """Anybody who gave a command as a dealer."""
    player: str = ""
    """An id, a card number, a place, a visitor's name or part of a name in the register."""
    box: Annotated[str, Meta(max_length=MAX_LABEL_LENGTH)] = ""
    """What is printed in it; its number if nothing is."""
    bet: str = ""
    clause: str = ""
    """The number of a clause that is cited anywhere in the round."""
    kind: Annotated[str, _one_of(ROUND_KINDS)] = ""
    incident: Annotated[int, Meta(ge=0, le=END)] = 0
    """0: with or without incidents."""
    outcome: Annotated[str, _one_of(OUTCOMES)] = ""
    natural: bool = False
    amount: Annotated[str, Meta(pattern=f"^({'|'.join(AmountOf)})$")] = AmountOf.STAKE.value
    """What the limits are for: a `stake`, a `payout`, or the `total` of all stakes."""
    at_least_minor: SearchedAmount = 0
    at_most_minor: SearchedAmount | None = None
    before: Cursor | None = None
    """`next` of the page before; without it, the newest."""
    most: Annotated[int, Meta(ge=1, le=MAX_FOUND_PER_PAGE)] = 20


class _Players(Struct, frozen=True):
    """Whom a text stands for."""

    names: tuple[str, ...] = ()
    more: bool = False


async def search_rounds(call: HttpRequest) -> FoundRoundPage:
    query = call.query
    period = read_period(await call.service.floor_view.gaming_day(), query.since, query.until, query.day, query.shift)
    wanted = RoundFilter(
        from_us=period.since_us or 0,
        until_us=END if period.until_us is None else period.until_us,
        table=query.table,
        dealer=query.dealer.strip(),
        box=query.box.strip().casefold(),
        bet=query.bet,
        clause=query.clause.strip(),
        kind=query.kind,
        incident=query.incident,
        outcome=query.outcome,
        natural=query.natural,
        amount=AmountOf(query.amount),
        least_minor=query.at_least_minor,
        most_minor=query.at_most_minor,
        before=read_cursor(query.before) if query.before else (END, END),
    )
    return await find_page(call, wanted, query.player, query.most)


async def find_page(call: HttpRequest, wanted: RoundFilter, player: str, most: int) -> FoundRoundPage:
    """Search, and record the look. ``player`` is what somebody typed."""
    service = call.service
    await service.round_search.require(call.by)
    players = await _players(call, player.strip())
    found = await service.round_search.find(call.by, replace(wanted, players=players.names), most)
    known = [who for who in players.names if not is_plain_name(who)]
    await service.looks.saw(call.by, LookKind.SEARCH, *known, *([found.dealer] if found.dealer else []))
    ids = {bet.who for each in found.rounds for bet in each.fitting if player_number(bet.who) is not None}
    names = await service.player_names.of(frozenset(ids))
    return FoundRoundPage(
        rounds=tuple(_view(call, each, names) for each in found.rounds),
        next=None if found.next is None else write_cursor(*found.next),
        unfinished=found.unfinished,
        searched_us=found.next[0] if found.next is not None and found.unfinished else None,
        players=players.names,
        more_players=players.more,
    )


async def _players(call: HttpRequest, text: str) -> _Players:
    if not text:
        return _Players()
    exact = exact_form(text)
    if exact is not None:
        return _Players((exact,))
    found = await call.service.players.search(call.by, text, MAX_PLAYERS_OF_NAME + 1)
    ids = [player.id for player in found[:MAX_PLAYERS_OF_NAME]]
    return _Players((text, *ids), len(found) > MAX_PLAYERS_OF_NAME)


def _view(call: HttpRequest, found: SearchedRound, names: dict[str, str]) -> FoundRoundView:
    record, table = found.record, found.table
    return FoundRoundView(
        table=table,
        table_title=call.service.floor.title_of(table),
        round=write_round(found.opening, record.number),
        opening=found.opening,
        number=record.number,
        opened_us=record.opened_us,
        ended_us=record.ended_us or None,
        book=record.conditions.book,
        currency=record.conditions.currency,
        box_labels=record.conditions.box_labels,
        dealers=found.dealers,
        outcome=record.outcome or None,
        natural=is_natural(record),
        player=record.player,
        banker=record.banker,
        cards=tuple(str(card) for card in record.cards if card is not None),
        staked_minor=found.staked_minor,
        win_minor=found.win_minor,
        kinds=found.kinds,
        incidents=found.incidents,
        bets=tuple(
            FoundBet(
                who=bet.who,
                name=names.get(bet.who, ""),
                box=bet.box,
                bet=bet.bet,
                stake_minor=bet.stake_minor,
                returned_minor=bet.returned_minor,
                outcome=bet.outcome,
            )
            for bet in found.fitting
        ),
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/rounds",
        search_rounds,
        "Search the rounds of all tables, newest first",
        FoundRoundPage,
        query=RoundSearchQuery,
        tag="audit",
        cost=EXPENSIVE,
    ),
)
