"""A table as the pit sees it: its state, what it needs, and its figures of the gaming day."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import UNSET, Struct

from punto.floor.house.alarm import AlarmKind
from punto.floor.journal.entry import tag
from punto.rules.coup.space import Winner
from punto.table.play.limits import limits_of
from punto.table.records.events import BettingClosed, BettingOpened, InsuranceOffered, TableClosed
from punto.table.records.findings import IrregularityRaised, OptionsGiven, RestartRecorded
from punto.table.records.ledger import tray_minor
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.records.settings import BetLimits, Settings
from punto.table.records.state import Phase
from punto.table.situation import LastRound, SituationKind
from punto.web.messages import RoundView, TableView
from punto.web.pages.base.i18n import Translator
from punto.web.pages.base.layout import table_path
from punto.web.pages.parts.edges import ShownEdges, show_edges
from punto.web.pages.pit.facts import TableFacts
from punto.web.views.table_day import DayFigures
from punto.web.words.alarm_words import alarm_words

SEVERE, SERIOUS, NOTICE = 3, 2, 1
FELT_SUMS = (Winner.PLAYER.value, Winner.TIE.value, Winner.BANKER.value, "others")
LIMITED = {"main": "player", "others": "tie"}
"""The kinds of bets that have limits of their own, each with one of its bets."""


class TileState(StrEnum):
    """What is happening at a table."""

    CLOSED = "closed"
    STOPPED = "stopped"
    HALTED = "halted"
    """Between rounds, and none is called: gaming is stopped."""
    RESTART = "restart"
    """The server was away, and the dealer has not confirmed the table yet."""
    REVIEW = "review"
    """The table has raised something, or the order of the cards is lost."""
    OPTIONS = "options"
    OTHER_LAW = "other_law"
    """It was opened under rules that this version does not have: a shift manager's ruling ends the round."""
    NO_SHOE = "no_shoe"
    READY = "ready"
    BETTING = "betting"
    DEALING = "dealing"
    INSURANCE = "insurance"
    WON = "won"
    VOID = "void"


_SINCE = {
    TileState.CLOSED: tag(TableClosed),
    TileState.BETTING: tag(BettingOpened),
    TileState.DEALING: tag(BettingClosed),
    TileState.INSURANCE: tag(InsuranceOffered),
    TileState.REVIEW: tag(IrregularityRaised),
    TileState.OPTIONS: tag(OptionsGiven),
    TileState.RESTART: tag(RestartRecorded),
}
"""The event that begins a state. Every other began with the last event."""
_SAID_BY_STATE = {
    TileState.REVIEW: {AlarmKind.IRREGULARITY, AlarmKind.TOO_MANY_COPIES},
    TileState.RESTART: {AlarmKind.RESTART},
}
"""Alarms that a table rings for what its tile says anyway."""
_BETWEEN_ROUNDS = {TileState.NO_SHOE, TileState.READY, TileState.WON, TileState.VOID}
_LAMPS = dict.fromkeys(_BETWEEN_ROUNDS, "idle") | {TileState.CLOSED: "off", TileState.BETTING: "open"}
Rank = tuple[int, bool, int, str]


class Need(Struct, frozen=True):
    """Why a table needs somebody."""

    severity: int
    words: str
    since_ms: int = 0
    """0: it does not matter since when."""


class OnDutyHere(Struct, frozen=True):
    name: str
    since_ms: int


class Tray(Struct, frozen=True):
    amount_minor: int
    par_minor: int | None
    low: bool


class TableTile(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    path: str
    """Of its page in the pit."""
    game: str
    state: str
    lamp: str
    """off, idle, open or busy."""
    since_ms: int
    """0: never opened."""
    late_s: int
    """After so long the time is marked; 0: never."""
    round: int
    opening: int
    needs: tuple[Need, ...]
    dealers: tuple[OnDutyHere, ...]
    dealer_late_s: int
    """After so long a dealer's time is marked; 0: never."""
    needs_dealer: bool
    supervisors: tuple[str, ...]
    limits: tuple[tuple[str, str], ...]
    is_open: bool
    cards_only: bool
    felt: tuple[tuple[str, int], ...] | None
    """What lies on Player, Tie, Banker and everything else; None while nothing is in play."""
    rounds_an_hour: int | None
    shoe_left: int | None
    shoe_cards: int
    cut_card_out: bool
    currency: str
    """Empty if it was never opened."""
    for_play_money: bool
    figures: DayFigures
    tray: Tray | None
    """None at a table that is closed or for play money, and where wins and losses are not on record."""
    incidents: int
    edges: ShownEdges | None

    @property
    def level(self) -> int:
        """The highest severity of what it needs; 0: nobody."""
        return max((need.severity for need in self.needs), default=0)

    @property
    def waits(self) -> bool:
        """Whether somebody has to come or decide."""
        return self.level >= SERIOUS

    @property
    def rank(self) -> Rank:
        """The table that needs somebody most comes first, then the open ones by name, then the closed ones.

        Tables that need nobody stay where they are, whatever happens there.
        """
        if not self.waits:
            return 0, not self.is_open, 0, self.name
        return -self.level, False, min((each.since_ms for each in self.needs if each.since_ms), default=0), self.name


def tile_of(
    view: TableView,
    at_us: Mapping[str, int],
    facts: TableFacts,
    figures: DayFigures,
    pace: int | None,
    t: Translator,
) -> TableTile:
    """``at_us`` is when an event last happened, by its tag."""
    state, settings, shoe = state_of(view), view.settings, view.shoe
    since_us = at_us.get(_SINCE.get(state, ""), at_us.get("", 0))  # "": any event
    is_open = view.phase is not Phase.CLOSED
    cards_only = settings is not None and settings.cards_only
    dealers = facts.in_positions({Position.DEALER})
    return TableTile(
        name=view.table,
        title=view.table_title,
        path=f"/pit{table_path(view.table)}",
        game=t(f"book.{view.book}"),
        state=_state_words(state, view, t),
        lamp=_LAMPS.get(state, "busy"),
        since_ms=since_us // 1_000,
        late_s=0 if state in _BETWEEN_ROUNDS or not is_open else facts.thresholds.round_s,
        round=view.round.number if view.round and is_open else 0,
        opening=view.opening,
        needs=tuple(sorted(_needs(view, state, facts, since_us // 1_000, t), key=lambda need: -need.severity)),
        dealers=tuple(OnDutyHere(line.name, line.from_us // 1_000) for line in dealers),
        dealer_late_s=facts.thresholds.dealer_on_min * 60,
        needs_dealer=facts.assigned and not dealers and not facts.for_play_money,
        supervisors=tuple(line.name for line in facts.in_positions(SUPERVISOR_UP)),
        limits=tuple(_limits(settings, t)) if settings and is_open else (),
        is_open=is_open,
        cards_only=cards_only,
        felt=None if cards_only or view.round is None else _felt(view.round),
        rounds_an_hour=pace,
        shoe_left=shoe.left if shoe and is_open else None,
        shoe_cards=shoe.decks * 52 if shoe else 0,
        cut_card_out=shoe is not None and shoe.cut_card_out,
        currency=settings.currency if settings else "",
        for_play_money=facts.for_play_money,
        figures=figures,
        tray=_tray(view, facts) if is_open and not facts.for_play_money else None,
        incidents=facts.incidents,
        edges=show_edges(facts.edges, t) if is_open else None,
    )


TILE_STATES = {
    SituationKind.CLOSED: TileState.CLOSED,
    SituationKind.OTHER_LAW: TileState.OTHER_LAW,
    SituationKind.NO_SHOE: TileState.NO_SHOE,
    SituationKind.SHOE_OVER: TileState.NO_SHOE,
    SituationKind.READY: TileState.READY,
    SituationKind.RAISED: TileState.REVIEW,
    SituationKind.CHOOSING: TileState.OPTIONS,
    SituationKind.ORDER_LOST: TileState.REVIEW,
    SituationKind.RESTARTED: TileState.RESTART,
    SituationKind.BETTING: TileState.BETTING,
    SituationKind.INSURANCE: TileState.INSURANCE,
}
"""In every other situation cards are dealt. The first card of a shoe can be burned in a round too."""


def state_of(view: TableView) -> TileState:
    state = TILE_STATES.get(view.situation, TileState.READY if view.phase is Phase.READY else TileState.DEALING)
    if view.stopped and state is not TileState.CLOSED:
        return TileState.STOPPED
    if view.last_round is LastRound.VOID:
        return TileState.VOID
    if view.phase is Phase.READY and view.gaming_stopped:
        return TileState.HALTED
    return TileState.WON if state is TileState.READY and view.last_round is LastRound.SETTLED else state


def _state_words(state: TileState, view: TableView, t: Translator) -> str:
    now = view.round
    if state is not TileState.WON or now is None or now.winner is None:
        return t(f"pit_state.{state}")
    losing, winning = sorted((now.player.points or 0, now.banker.points or 0))
    return t("call.result", outcome=now.winner.value, winning=winning, losing=losing)


def _needs(view: TableView, state: TileState, facts: TableFacts, since_ms: int, t: Translator) -> Iterator[Need]:
    now = view.round
    if state is TileState.STOPPED:
        yield Need(SEVERE, t("pit.need.stopped"), since_ms)
    if state is TileState.REVIEW and now is not None:
        words = t("pit.need.raised", kind=now.raised) if now.raised else t("pit.need.order_lost")
        yield Need(SEVERE, words, since_ms)
    if state is TileState.OPTIONS and now is not None and now.options is not None:
        asked = len(now.options.asked)
        words = t("pit.need.ask") if now.options.by_hand else t("pit.need.options", players=asked)
        yield Need(SERIOUS, words, since_ms)
    if state is TileState.OTHER_LAW:
        yield Need(SERIOUS, t("pit.need.other_law"), since_ms)
    if state is TileState.RESTART:
        yield Need(SERIOUS, t("pit.need.restart"), since_ms)
    if view.pit_call is not UNSET and not view.pit_call.answered_by:
        yield Need(SEVERE, t("pit.need.call", by=view.pit_call.called_by), view.pit_call.since_us // 1_000)
    if facts.proposals:
        yield Need(SERIOUS, t("pit.need.proposals", waiting=facts.proposals))
    told = _SAID_BY_STATE.get(state, set())
    alarms = [alarm for alarm in facts.alarms if alarm.severity >= SERIOUS and alarm.kind not in told]
    if alarms:
        labels = view.settings.box_labels if view.settings else ()
        names = {} if view.names is UNSET else view.names
        first, others = alarm_words(alarms[0], t, names, labels, {view.table: view.table_title}), len(alarms) - 1
        words = t("pit.need.alarms", first=first, others=others) if others else first
        yield Need(int(alarms[0].severity), words, alarms[0].at_us // 1_000)
    if view.slips is not UNSET:
        yield Need(NOTICE, t("pit.need.slips", slips=len(view.slips)))
    if facts.incidents:
        yield Need(NOTICE, t("pit.need.incidents", incidents=facts.incidents))


def _felt(now: RoundView) -> tuple[tuple[str, int], ...] | None:
    if now.winner is not None or now.void is not None:
        return None
    by_bet = dict.fromkeys(FELT_SUMS, 0)
    for placed in now.bets:
        by_bet[placed.bet if placed.bet in by_bet else "others"] += placed.stake_minor
    by_bet["others"] += sum(each.stake_minor for each in now.cover)
    return tuple(by_bet.items())


def _tray(view: TableView, facts: TableFacts) -> Tray | None:
    settings = view.settings
    if settings is None or settings.cards_only or view.balances is UNSET:
        return None
    amount_minor, par_minor = tray_minor(view.balances), settings.tray_par_minor
    low = amount_minor < (par_minor or 0) * facts.thresholds.tray_low_percent // 100
    return Tray(amount_minor, par_minor, low or amount_minor < 0)


def _limits(settings: Settings, t: Translator) -> Iterator[tuple[str, str]]:
    for name, bet in LIMITED.items():
        limits = limits_of(settings, bet)
        if limits != BetLimits():
            yield t(f"pit_limits.{name}"), _range(limits, t)
    if settings.differential_minor is not None:
        yield t("pit.limits.differential"), _short(settings.differential_minor)


def _range(limits: BetLimits, t: Translator) -> str:
    least, most = limits.min_minor, limits.max_minor
    if least is None or most is None:
        return t("pit.limits.from", least=_short(least)) if least else t("pit.limits.up_to", most=_short(most or 0))
    return t("pit.limits.range", least=_short(least), most=_short(most))


def _short(minor: int) -> str:
    """Whole thousands with a k, as limits are spoken of.

    >>> _short(50_000_00), _short(2_500_00), _short(25_00)
    ('50k', '2,500', '25')
    """
    whole, cents = divmod(minor, 100)
    if cents:
        return f"{whole:,}.{cents:02}"
    return f"{whole // 1000:,}k" if whole and whole % 1000 == 0 else f"{whole:,}"
