"""A player's page: the felt of his box, the cards, insurance, what became of his bets, his balance."""

from collections.abc import Iterable

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import coup_of
from punto.table.play.limits import limits_of
from punto.table.records.settings import Automation, Settings
from punto.table.records.state import Phase, Table
from punto.web.messages import HandView, Placed, Settled, TableView
from punto.web.pages.base.i18n import Tongue
from punto.web.pages.base.templates import money
from punto.web.pages.table import felt
from punto.web.pages.table.reasons import say_ground, why

_RANKS = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight",
    "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip
_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
_OUTCOMES = {Winner.PLAYER: "Player wins", Winner.BANKER: "Banker wins", Winner.TIE: "Tie"}
CHINESE = {"player": "閒", "banker": "庄", "tie": "和"}


class CardOnFelt(Struct, frozen=True):
    """A card as it lies there."""

    place: int
    code: str | None
    """None: face down."""
    said: str
    third: bool
    to_squeeze: bool
    """Mine to open."""
    opened: bool
    """Squeezed: the dealer turns it next."""


class ShownHand(Struct, frozen=True):
    """A hand."""

    side: str
    name: str
    chinese: str
    points: int | None
    cards: tuple[CardOnFelt, ...]
    empty: int
    """So many of its first two cards have yet to come."""
    won: bool


class Countdown(Struct, frozen=True):
    """Until when something can be done, and how long that was from the start."""

    until_ms: int
    of_s: float


class Announcement(Struct, frozen=True):
    """What the dealer says."""

    words: str
    score: str = ""
    outcome: str = ""
    """player, banker or tie, once there is one."""
    countdown: Countdown | None = None
    clauses: tuple[Clause, ...] = ()
    ground: str = ""
    """Why the round is void."""
    note: str = ""
    """What was noted of that; empty for all but the staff."""


class ShownSeat(Struct, frozen=True):
    """A box on the arc of the table."""

    place: felt.SeatArc
    who: str | None
    stake_minor: int
    look: str
    mine: bool
    won: bool
    said: str


class Area(Struct, frozen=True):
    """Where a bet is placed."""

    bet: str
    name: str
    chinese: str | None
    pays: str
    main: bool
    stake_minor: int
    chips: tuple[str, ...]
    others_minor: int
    result: str
    """win, lose or push, once there is one."""
    said: str


class Areas(Struct, frozen=True):
    """The felt of one box."""

    player: tuple[Area, ...]
    centre: tuple[Area, ...]
    banker: tuple[Area, ...]
    mains: tuple[Area, ...]


class ShownResult(Struct, frozen=True):
    """What became of one of my bets."""

    name: str
    stake_minor: int
    result: str
    gain_minor: int
    why: str
    clauses: tuple[Clause, ...]


# ---- the cards


def say_card(code: str, t: Tongue) -> str:
    """A card by its name."""
    return t("{rank} of {suit}", rank=t(_RANKS[code[0]]), suit=t(_SUITS[code[1]]))


def hand_of(side: Side, view: TableView, me: str, t: Tongue) -> ShownHand:
    """One of the hands."""
    now = view.round
    held = HandView() if now is None else now.player if side is Side.PLAYER else now.banker
    mine = bool(me) and held.accepted_by == me
    cards = tuple(
        CardOnFelt(
            place=place,
            code=code,
            said=_said(place, code, held, t),
            third=place > 4,
            to_squeeze=mine and code is None and place not in held.opened,
            opened=place in held.opened,
        )
        for place, code in zip(held.places, held.cards, strict=True)
    )
    return ShownHand(
        side=side.value,
        name=t(side.capitalize()),
        chinese=CHINESE[side],
        points=held.points,
        cards=cards,
        empty=max(0, 2 - len(cards)),
        won=now is not None and now.winner is not None and now.winner.value == side.value,
    )


def _said(place: int, code: str | None, held: HandView, t: Tongue) -> str:
    if code:
        return say_card(code, t)
    return t("opened: the dealer turns it") if place in held.opened else t("a card face down")


# ---- what the dealer says


def say_outcome(winner: Winner, t: Tongue) -> str:
    """Who has won."""
    return t(_OUTCOMES[winner])


def call_of(live: LiveTable, view: TableView, t: Tongue) -> Announcement:
    """The state of things in a few words."""
    now, topics = view.round, live.rules.topics
    countdown = _countdown(live, view)
    if view.phase is Phase.CLOSED:
        return Announcement(t("The table is closed"))
    if now is not None and now.voided is not None:
        words, ground = t("The round is void; every bet goes back"), say_ground(now.voided, t)
        return Announcement(words, ground=ground, note=now.voided.reason or "", clauses=now.voided.clauses)
    if now is not None and now.winner is not None:
        topic = Topic.TIE if now.winner is Winner.TIE else Topic.WINNER
        score = t("{player} to {banker}", player=now.player.points, banker=now.banker.points)
        return Announcement(say_outcome(now.winner, t), score, now.winner.value, clauses=topics[topic])
    if view.phase is Phase.READY:
        words = "A new shoe is being shuffled" if _shoe_over(view) else "The next round begins soon"
        return Announcement(t(words))
    if view.phase is Phase.BETTING:
        last = now is not None and now.last
        return Announcement(
            t("Last round of this shoe: place your bets") if last else t("Place your bets, please"), countdown=countdown
        )
    if now is not None and (now.raised or now.order_lost):
        return Announcement(t("The pit is looking into this"))
    if now is not None and now.options is not None:
        return Announcement(t("Players choose: go on, or take the bets back"), countdown=countdown)
    if now is not None and now.offer is not None:
        return Announcement(t("Insurance is open"), countdown=countdown)
    return Announcement(_drawing(live.rules, live.state, t))


def _shoe_over(view: TableView) -> bool:
    return view.shoe is None or view.shoe.left == 0


def _drawing(rules: Rulebook, state: Table, t: Tongue) -> str:
    coup = coup_of(rules, state)
    if not coup.cards:
        return t("No more bets")
    if None in coup.cards:
        return t("The cards are turned")
    to = coup.next.to
    if len(coup.cards) >= 4 and to is To.PLAYER:
        return t("Player draws a third card")
    if len(coup.cards) >= 4 and to is To.BANKER:
        return t("Banker draws a third card")
    return t("The cards are dealt") if len(coup.cards) < 4 else t("All bets are settled next")


def _countdown(live: LiveTable, view: TableView) -> Countdown | None:
    if view.due is None or view.due.automation not in (
        Automation.CLOSE_BETTING,
        Automation.CLOSE_INSURANCE,
        Automation.CALL_TIME,
    ):
        return None
    return Countdown(view.due.at_us // 1_000, live.setup.pace.before_s(view.due.automation))


# ---- the boxes


def seats_of(view: TableView, settings: Settings, me: str, t: Tongue) -> tuple[ShownSeat, ...]:
    """All boxes, with who sits there and what lies there."""
    bets = view.round.bets if view.round else ()
    gains: dict[int, int] = {}
    for result in view.round.results if view.round else ():
        gains[result.box] = gains.get(result.box, 0) + result.returned_minor - result.stake_minor
    seats = []
    for place in felt.arc(settings.boxes):
        who = view.seats.get(place.box)
        stake = sum(bet.stake_minor for bet in bets if bet.box == place.box)
        said = t("box {box}: {who}", box=place.box, who=_called(who, me, t) if who is not None else t("free"))
        seats.append(
            ShownSeat(
                place=place,
                who=None if who is None else _called(who, me, t),
                stake_minor=stake,
                look=felt.highest_chip(stake),
                mine=bool(me) and who == me,
                won=who is not None and gains.get(place.box, 0) > 0,
                said=said,
            )
        )
    return tuple(seats)


def _called(who: str, me: str, t: Tongue) -> str:
    return t("You") if me and who == me else who or t("taken")


# ---- the bets of a box


def areas_of(rules: Rulebook, view: TableView, settings: Settings, box: int, me: str, t: Tongue) -> Areas:
    """The felt of a box, with what lies on it."""
    now = view.round
    bets = [bet for bet in (now.bets if now else ()) if bet.box == box]
    results = {
        result.bet: result.result
        for result in (now.results if now else ())
        if result.box == box and result.who == me and result.stage is None
    }

    def area(bet: str) -> Area:
        return _area(rules, bet, bets, me, results.get(bet), t)

    groups = felt.groups(rules, settings.layout)
    mains = [bet for bet in rules.layouts[settings.layout].menu if bet in MAIN_BETS]
    return Areas(
        player=tuple(map(area, groups["player"])),
        centre=tuple(map(area, groups["centre"])),
        banker=tuple(map(area, groups["banker"])),
        mains=tuple(map(area, sorted(mains, reverse=True))),
    )


def _area(rules: Rulebook, bet: str, bets: Iterable[Placed], me: str, result: Result | None, t: Tongue) -> Area:
    rule = rules.bets[bet]
    mine = sum(placed.stake_minor for placed in bets if placed.bet == bet and placed.who == me)
    others = sum(placed.stake_minor for placed in bets if placed.bet == bet and placed.who != me)
    return Area(
        bet=bet,
        name=t(rule.name),
        chinese=rule.chinese,
        pays=felt.pays(rule, t),
        main=bet in MAIN_BETS,
        stake_minor=mine,
        chips=felt.stack(mine),
        others_minor=others,
        result=result.value if result else "",
        said=t(rule.name),
    )


# ---- what became of my bets


def outcomes_of(rules: Rulebook, coup: Coup | None, results: Iterable[Settled], t: Tongue) -> tuple[ShownResult, ...]:
    """Bet by bet, the largest gain first."""
    found = [
        ShownResult(
            name=bet_name(rules, result.bet, t),
            stake_minor=result.stake_minor,
            result=result.result.value,
            gain_minor=result.returned_minor - result.stake_minor,
            why=why(rules, coup, result, t),
            clauses=result.clauses,
        )
        for result in results
    ]
    return tuple(sorted(found, key=lambda outcome: -outcome.gain_minor))


def bet_name(rules: Rulebook, bet: str, t: Tongue) -> str:
    """A bet or an insurance by its name."""
    if bet in rules.bets:
        return t(rules.bets[bet].name)
    return t("Banker Insurance") if bet.startswith("banker") else t("Player Insurance")


# ---- limits


def limits_said(settings: Settings, t: Tongue) -> list[tuple[str, str]]:
    """The limits of a table, by what they are for."""
    found = []
    for words, bet in (("Player, Banker", "player"), ("Other bets", "tie")):
        limits = limits_of(settings, bet)
        found.append((t(words), _range(limits.min_minor, limits.max_minor, t)))
    if settings.differential_minor is not None:
        found.append((t("Differential of a box"), money(settings.differential_minor)))
    return found


def _range(least: int | None, most: int | None, t: Tongue) -> str:
    if least is not None and most is not None:
        return t("{least} to {most}", least=money(least), most=money(most))
    if least is not None:
        return t("from {least}", least=money(least))
    return t("up to {most}", most=money(most)) if most is not None else t("any")
