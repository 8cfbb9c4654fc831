"""The boxes of a table: who sits where, and the betting areas of one box."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.running.live_table import LiveTable
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.play.bet_bounds import Bounds, bet_bounds
from punto.table.records.identity import Place
from punto.table.records.settings import Settings
from punto.web.messages import Placed, RoundView, Settled, TableView
from punto.web.pages.base.i18n import Translator, person_name
from punto.web.pages.parts.bets import pays
from punto.web.pages.table import felt

MAX_WIDE_BOXES = 8
MAX_SHORT_LABEL = 2


class ShownSeat(Struct, frozen=True):
    """A box as drawn on the arc of the table."""

    place: felt.SeatArc
    box_label: str
    who: str | None
    stake_minor: int
    """Of the person who sits there; of all if nobody does."""
    behind_minor: int
    """Of everybody else in the box."""
    look: str
    mine: bool
    won: bool
    label: str
    take: str = ""
    """What a tap on it does: sit, stand, choose or, for the viewer's own, show; empty: nothing."""


class Area(Struct, frozen=True):
    """The area of one bet on the felt."""

    bet: str
    name: str
    chinese: str | None
    pays: str
    main: bool
    stake_minor: int
    """The viewer's; to somebody who only looks on, everybody's."""
    chips: tuple[str, ...]
    others_minor: int
    result: str
    """win, lose or push; empty while there is no result."""
    won_minor: int = 0
    """What was won, without the stake."""
    most_minor: int | None = None
    """The most that the viewer can add now; None if they cannot bet there."""
    insured_minor: int = 0
    """What the viewer has insured it for in this round."""
    most_by: str = ""
    """What sets it: the code of the refusal of more."""


class Areas(Struct, frozen=True):
    """The betting areas of one box."""

    player: tuple[Area, ...]
    centre: tuple[Area, ...]
    banker: tuple[Area, ...]
    mains: tuple[Area, ...]


def seats_of(view: TableView, settings: Settings, me: str, t: Translator) -> tuple[ShownSeat, ...]:
    """All boxes, with the player and the total stake of each."""
    bets = view.round.bets if view.round else ()
    gains: dict[int, int] = {}
    for result in view.round.results if view.round else ():
        gains[result.box] = gains.get(result.box, 0) + result.returned_minor - result.stake_minor
    seats = []
    for place in felt.arc(settings.boxes):
        who = view.seats.get(place.box)
        in_box = [bet for bet in bets if bet.box == place.box]
        stake = sum(bet.stake_minor for bet in in_box if who in (bet.who, None))
        behind = sum(bet.stake_minor for bet in in_box) - stake
        name = None if who is None else _name(who, me, view, t)
        full_name = t("seat.free") if who is None else _name(who, me, view, t, with_id=True)
        box = settings.box_label(place.box)
        seats.append(
            ShownSeat(
                place=place,
                box_label=box,
                who=name,
                stake_minor=stake,
                behind_minor=behind,
                look=felt.highest_chip(stake or behind),
                mine=bool(me) and who == me,
                won=gains.get(place.box, 0) > 0,
                label=t("table.seat", box=box, who=full_name),
            )
        )
    return tuple(seats)


def crowded(seats: Sequence[ShownSeat]) -> bool:
    """Whether boxes are too narrow, or labels too long, for a name and a chip beside the label."""
    return len(seats) > MAX_WIDE_BOXES or any(len(seat.box_label) > MAX_SHORT_LABEL for seat in seats)


def _name(who: str, me: str, view: TableView, t: Translator, *, with_id: bool = False) -> str:
    if me and who == me:
        return t("table.you")
    # somebody whom nobody has identified is named by their box, which the seat shows anyway
    name = "" if Place.find(who) is not None else person_name(who, t, view.names, with_id=with_id)
    return name or t("seat.taken")


def with_taps(seats: Sequence[ShownSeat], *, any_box: bool) -> tuple[ShownSeat, ...]:
    """The boxes as a player sees them, who can take a place with a tap."""
    return tuple(replace(seat, take=_take(seat, any_box=any_box)) for seat in seats)


def _take(seat: ShownSeat, *, any_box: bool) -> str:
    if seat.mine:
        return "show"
    if seat.who is None:
        return "sit"
    return "choose" if any_box else "stand"


def areas_of(live: LiveTable, view: TableView, settings: Settings, box: int, me: str, t: Translator) -> Areas:
    """The betting areas of a box with the bets on them, or of box 0 with the bets of all boxes.

    Empty if the book has changed since and lacks the layout.
    """
    rules = live.rules
    if settings.layout not in rules.layouts:
        return Areas(player=(), centre=(), banker=(), mains=())
    now = view.round
    bets = [bet for bet in (now.bets if now else ()) if box in (0, bet.box)]
    results = _results_by_bet(now, box, me) if now else {}
    insured: dict[str, int] = {}
    for cover in now.cover if now and me else ():
        if (cover.who, cover.box) == (me, box):
            insured[cover.side] = insured.get(cover.side, 0) + cover.stake_minor

    def area(bet: str) -> Area:
        shown = replace(_area(rules, bet, bets, me, results.get(bet), t), insured_minor=insured.get(bet, 0))
        bounds = bet_bounds(rules, live.state, me, box, bet) if me and box else None
        return (
            replace(shown, most_minor=bounds.most_minor, most_by=bounds.set_by) if isinstance(bounds, Bounds) else shown
        )

    groups = felt.groups(rules, settings.layout)
    mains = [bet for bet in rules.layouts[settings.layout].menu if bet in MAIN_BETS]
    return Areas(
        player=tuple(map(area, groups["player"])),
        centre=tuple(map(area, groups["centre"])),
        banker=tuple(map(area, groups["banker"])),
        mains=tuple(map(area, sorted(mains, reverse=True))),
    )


def _results_by_bet(now: RoundView, box: int, me: str) -> dict[str, Settled]:
    """The result of the latest bet on each area.

    A bet that went back may have been placed again; then the new bet counts. It has no result until the round is over,
    and then its result comes before those of the bets that went back.
    """
    in_play = now.winner is None and now.void is None
    placed_again = {bet.bet for bet in now.bets if bet.box == box and bet.who == me} if in_play else set()
    by_bet: dict[str, Settled] = {}
    for result in now.results:
        own = result.box == box and result.who == me and result.stage is None
        if own and result.bet not in placed_again:
            by_bet.setdefault(result.bet, result)
    return by_bet


def _area(rules: Rulebook, bet: str, bets: Iterable[Placed], me: str, settled: Settled | None, t: Translator) -> Area:
    rule = rules.bets[bet]
    mine = sum(placed.stake_minor for placed in bets if placed.bet == bet and (placed.who == me or not me))
    others = sum(placed.stake_minor for placed in bets if placed.bet == bet) - mine
    return Area(
        bet=bet,
        name=t(f"bet.{bet}"),
        chinese=rule.chinese,
        pays=pays(rule, t),
        main=bet in MAIN_BETS,
        stake_minor=mine,
        chips=felt.stack(mine),
        others_minor=others,
        result=settled.result.value if settled else "",
        won_minor=max(0, settled.returned_minor - settled.stake_minor) if settled else 0,
    )
