"""The context of each piece of a table's page, made from the table and the viewer."""

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import Language
from punto.floor.people.sessions.visitors import IDLE_ROUNDS, is_out_of_chips
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.odds.figures import StakeFigures
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.table.moves.listing import boxes_of
from punto.table.play.bet_bounds import card_exposed
from punto.table.play.insurance_stakes import waited_for
from punto.table.play.limits import excess
from punto.table.play.seating import has_stakes
from punto.table.records.settings import Automation, Settings
from punto.table.records.state import Phase, Table
from punto.web.messages import Me, Placed, TableView
from punto.web.pages.base.i18n import Translator, translator
from punto.web.pages.base.layout import PageContext
from punto.web.pages.base.templates import Context
from punto.web.pages.parts.announcement import Announcement, call_of
from punto.web.pages.parts.bet_odds import BetOdds
from punto.web.pages.parts.carried import ShownCarried, carried_cards
from punto.web.pages.parts.hands import ShownHand, hand_of
from punto.web.pages.parts.trouble_words import ToldLine, what_happens
from punto.web.pages.parts.words import limit_lines
from punto.web.pages.table import felt
from punto.web.pages.table.boxes import Areas, ShownSeat, areas_of, crowded, seats_of, with_taps
from punto.web.pages.table.insurance import Offer, offer_to
from punto.web.pages.table.known_first import ShownKnownFirst, show_known_first
from punto.web.pages.table.others import bets_behind, called_insurance
from punto.web.pages.table.own_result import OwnResult
from punto.web.pages.table.squeeze import ShownSqueeze, can_ask, squeeze_notes, squeeze_of
from punto.web.views.visibility import Sight


class Look(Struct, frozen=True):
    """Who looks at a table, at which box and in which language. Equal looks see the same page."""

    name: str
    """Empty for people without a place at the table, who all see the same."""
    player: bool
    """Whether they may sit and bet."""
    box: int
    """The box that is shown; 0: none."""
    language: Language
    staff: bool
    """Whether they are signed in and not a visitor."""
    sight: Sight
    for_play_money: bool
    play_money_minor: int
    """How much play money a visitor gets here."""
    since_us: int = 0
    """See :class:`Actor`."""

    @property
    def named(self) -> bool:
        """Whether they see the names of players."""
        return self.sight.named


class Personal(Struct, frozen=True):
    """What concerns the viewer alone; empty without a place at the table."""

    me: Me | None = None
    result: OwnResult | None = None
    squeezed: dict[int, Card] = {}
    """By place, the cards that their player has squeezed. Only a page of that player may show them."""
    idle_rounds: int = 0
    """The rounds since they last did something."""
    was_freed: bool = False
    """They lost their boxes because they did nothing."""


# ---- the pieces


class TableHead(Context, frozen=True, kw_only=True):
    template = "table/head.html"
    view: TableView
    settings: Settings | None
    seeded: bool
    no_insurance_clauses: tuple[Clause, ...]
    carried: tuple[ShownCarried, ...]


class TableStage(Context, frozen=True, kw_only=True):
    """The boxes, the hands and the announcement."""

    template = "table/stage.html"
    view: TableView
    settings: Settings | None
    seats: tuple[ShownSeat, ...]
    crowded: bool
    """See :func:`crowded`."""
    by_key: bool
    """Whether Tab stops at the boxes. Not while they are listed below: it stops at each once."""
    staked: bool
    """Whether the viewer has a stake in the round, and so cannot move to another box."""
    hands: tuple[ShownHand, ...]
    call: Announcement


class TableHappening(Context, frozen=True, kw_only=True):
    """What went wrong in this round, and what is being done about it. Empty in an ordinary round.

    The sheet of a player who has to choose says it instead.
    """

    template = "table/happening.html"
    book: str
    lines: tuple[ToldLine, ...]


class TableBox(Context, frozen=True, kw_only=True):
    """The betting areas of the viewer's box, or the free places."""

    template = "table/box.html"
    view: TableView
    settings: Settings | None
    look: Look
    box_label: str
    """Of the box that is shown; empty: none."""
    me: Me | None
    can_bet: bool
    areas: Areas | None
    behind: str
    """The bets of other players in the box."""
    result: OwnResult | None
    covered_minor: int
    called: bool
    """The viewer has called insurance in the box, and the chips follow."""
    offer: Offer | None
    notice: str
    """That the viewer loses their box soon, or has lost it, because they do not play; empty otherwise."""
    stranded: bool
    """The viewer stands behind a box at which nobody sits any more, so they cannot bet there."""
    seats: tuple[ShownSeat, ...]
    hint: str
    """The key of what a player does next at their first visit; empty: nothing."""
    any_box: bool
    """The book has no seated and standing players: anyone bets in any box."""
    deals_itself: bool
    play_money_minor: int


class TableSheet(Context, frozen=True, kw_only=True):
    """What to do now: insure, squeeze cards, or choose after a dealing error."""

    template = "table/sheet.html"
    view: TableView
    settings: Settings | None
    look: Look
    call: Announcement
    offer: Offer | None
    squeeze: ShownSqueeze | None
    choose: bool
    happening: tuple[ToldLine, ...]
    """Why there is a choice. The page says it here instead of on the felt."""
    back_minor: int
    """What the viewer would take back."""
    choice_clauses: tuple[Clause, ...]
    reconstructable: bool


class TableRail(Context, frozen=True, kw_only=True):
    """The chips and the buttons for bets."""

    template = "table/rail.html"
    settings: Settings | None
    look: Look
    me: Me | None
    betting: bool
    can_bet: bool
    """Betting is open and no card of the round is exposed. Otherwise bets can only be withdrawn."""
    bets: list[Placed]
    on_felt_minor: int
    tray: tuple[felt.TrayChip, ...]
    out_of_chips: bool
    """Whether the viewer has no bet, and too few chips for one."""
    play_money_minor: int


class TableSide(Context, frozen=True, kw_only=True):
    """Results, roads, limits and odds."""

    template = "table/side.html"
    view: TableView
    settings: Settings | None
    look: Look
    me: Me | None
    result: OwnResult | None
    limits: list[tuple[str, str]]
    differential_minor: int | None
    """Of all boxes, negative if more is on Player; None as in :class:`RoundView`."""
    excess: tuple[Side, int] | None
    edges: tuple[BetOdds, ...]
    squeeze_notes: list[str]
    """What the viewer has asked for, may squeeze, or may squeeze no longer."""
    known_first: ShownKnownFirst | None
    called: list[str]
    """For staff: each insurance bet that a player has called."""
    boxes: list[tuple[int, str]]
    """The boxes to choose from with their labels, if there are several."""
    at_place: bool
    """Whether the viewer has a place or a bet to leave."""
    other_seats: tuple[ShownSeat, ...]
    """The boxes that the viewer can take besides, for windows too low for the arc."""


class TablePage(PageContext, frozen=True, kw_only=True):
    template = "table.html"
    book: str
    table: str
    table_title: str
    live: str
    now_ms: int
    looks: str
    """Of all chips, the largest first."""
    pieces: dict[str, Markup]


TABLE_PIECES = (
    TableHead,
    TableStage,
    TableHappening,
    TableBox,
    TableSheet,
    TableRail,
    TableSide,
)


# ---- making them


def table_contexts(
    live: LiveTable,
    view: TableView,
    look: Look,
    personal: Personal,
    edges: tuple[BetOdds, ...],
    worth: StakeFigures | None,
) -> dict[str, Context]:
    """All pieces by the id of their element."""
    own = personal.me
    t = translator(look.language, at_shuffler=live.state.at_shuffler)
    me, now, settings = look.name, view.round, view.settings
    call, betting = _call(live, view, me, t), view.phase is Phase.BETTING
    can_bet = betting and not card_exposed(live.state)
    bets = [bet for bet in (now.bets if now else ()) if me and bet.who == me]
    cover = [each for each in (now.cover if now else ()) if me and each.who == me]
    on_felt_minor = sum(bet.stake_minor for bet in bets) + sum(each.stake_minor for each in cover)
    unsettled = now is not None and now.winner is None and now.void is None
    options = now.options if now else None
    choose = options is not None and me in options.asked
    happening = what_happens(live.rules, live.state, view, own, t)
    any_box = not live.rules.has(Topic.STANDING_PLAYER)
    seats = seats_of(view, settings, me, t) if settings else ()
    if look.player:
        seats = with_taps(seats, any_box=any_box)
    asking = can_ask(live.rules, live.state, settings, me) if settings else []
    offer = offer_to(live, me, look.box, worth, t) if me and look.box else None
    return {
        "head": TableHead(
            view=view,
            settings=settings,
            seeded=live.setup.shoes is ShoeKind.SEEDED,
            no_insurance_clauses=live.rules.topics[Topic.NO_INSURANCE],
            carried=carried_cards(live.state, t),
        ),
        "stage": TableStage(
            view=view,
            settings=settings,
            seats=seats,
            crowded=crowded(seats),
            by_key=bool(look.box),
            staked=bool(me) and has_stakes(live.state, me),
            hands=tuple(hand_of(side, view, me, t, can_ask=side in asking) for side in (Side.PLAYER, Side.BANKER)),
            call=call,
        ),
        "happening": TableHappening(book=view.book, lines=() if choose else happening),
        "box": TableBox(
            view=view,
            settings=settings,
            look=look,
            box_label=settings.box_label(look.box) if settings and look.box else "",
            me=own,
            can_bet=can_bet,
            areas=areas_of(live, view, settings, look.box, me, t) if settings else None,
            behind=bets_behind(view, look.box, me, t),
            result=personal.result,
            covered_minor=sum(each.stake_minor for each in cover if each.box == look.box),
            called=unsettled and any(each.called for each in cover if each.box == look.box),
            offer=offer,
            notice=_notice(live.state, look, personal, t),
            stranded=_is_stranded(live.state, look, own, any_box=any_box),
            seats=seats,
            any_box=any_box,
            hint=_hint(look, betting=betting, staked=bool(bets), unsettled=unsettled),
            deals_itself=settings is not None and Automation.DEAL in settings.automations,
            play_money_minor=look.play_money_minor,
        ),
        "sheet": TableSheet(
            view=view,
            settings=settings,
            look=look,
            call=call,
            offer=offer,
            squeeze=squeeze_of(live, view, me, personal.squeezed, t),
            choose=choose,
            happening=happening,
            back_minor=on_felt_minor,
            choice_clauses=live.rules.topics[Topic.OPTIONS],
            reconstructable=options is not None and options.reconstructable,
        ),
        "rail": TableRail(
            settings=settings,
            look=look,
            me=own,
            betting=betting,
            can_bet=can_bet,
            bets=bets,
            on_felt_minor=on_felt_minor if unsettled else 0,
            tray=felt.tray(settings) if settings else (),
            out_of_chips=own is not None and is_out_of_chips(live.state, me),
            play_money_minor=look.play_money_minor,
        ),
        "side": _side(live, view, look, personal, asking, edges, seats),
    }


def _side(
    live: LiveTable,
    view: TableView,
    look: Look,
    personal: Personal,
    asking: list[Side],
    edges: tuple[BetOdds, ...],
    seats: tuple[ShownSeat, ...],
) -> TableSide:
    t = translator(look.language, at_shuffler=live.state.at_shuffler)
    me, now, settings = look.name, view.round, view.settings
    own = personal.me
    over_limit = None
    if settings and live.state.round and look.box:
        over_limit = excess(live.state.round.bets, look.box, settings.differential_minor)
    boxes = [(box, settings.box_label(box)) for box in boxes_of(live.rules, live.state, me)] if own and settings else []
    return TableSide(
        view=view,
        settings=settings,
        look=look,
        me=own,
        result=personal.result,
        limits=limit_lines(settings, t) if settings else [],
        differential_minor=now.differential_minor if now else None,
        excess=over_limit,
        edges=edges,
        squeeze_notes=squeeze_notes(view, me, asking, t),
        known_first=show_known_first(view.known_first, t) if view.known_first else None,
        called=called_insurance(view, t) if look.sight.whole else [],
        boxes=boxes if len(boxes) > 1 else [],
        at_place=own is not None and bool(own.boxes or own.behind or has_stakes(live.state, me)),
        other_seats=tuple(seat for seat in seats if seat.take and (seat.place.box, seat.box_label) not in boxes),
    )


def _hint(look: Look, *, betting: bool, staked: bool, unsettled: bool) -> str:
    if not look.box:
        return ""
    if betting:
        return "placed" if staked else "bet"
    return "cards" if staked and unsettled else ""


def _is_stranded(state: Table, look: Look, own: Me | None, *, any_box: bool) -> bool:
    behind = own is not None and look.box in own.behind and look.box not in state.seats
    return behind and not any_box and not has_stakes(state, look.name)


def _call(live: LiveTable, view: TableView, me: str, t: Translator) -> Announcement:
    """The announcement, which does not invite a player to insurance that they have given up."""
    call, now = call_of(live, view, t), live.state.round
    if view.round is None or view.round.offer is None or now is None:
        return call
    if me in now.insurance.forgone:
        return replace(call, words=t("call.insurance_forgone"), clauses=live.rules.topics[Topic.INSURANCE_FORGONE])
    return replace(call, words=_who_is_waited_for(live, me, t) or call.words)


def _who_is_waited_for(live: LiveTable, me: str, t: Translator) -> str:
    """For those who are not asked, or have answered: who is, the seated first. Else, and without an offer, empty."""
    state, settings = live.state, live.state.settings
    if settings is None or settings.felt or state.round is None or not state.round.insurance.offer_open:
        return ""
    waiting = waited_for(live.rules, state)
    if any(who == me for who, _ in waiting):
        return ""
    if not waiting:
        return t("call.insurance_answered")
    seated = {box for who, box in waiting if state.seats.get(box) == who}
    labels = tuple(settings.box_label(box) for box in sorted(seated or {box for _, box in waiting}))
    return t("call.insurance_waits" if seated else "call.insurance_waits_behind", boxes=labels)


def _notice(state: Table, look: Look, personal: Personal, t: Translator) -> str:
    own = personal.me
    if own is None or not look.for_play_money:
        return ""
    if personal.was_freed:
        return t("table.idle_freed", rounds=IDLE_ROUNDS)
    if not own.boxes or personal.idle_rounds < IDLE_ROUNDS - 1 or has_stakes(state, look.name):
        return ""
    return t("table.idle_warning", rounds=personal.idle_rounds)
