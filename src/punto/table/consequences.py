"""What a command would lead to for the people at the table, without giving it.

The preview says which events would follow. This looks at the table after them: who chooses, what each player gets back,
in which orders cards in doubt can have been drawn and what each order gives, and what comes next. It needs only a book
and a table, and like the table it never has a card that nobody has seen.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.bets.insurance import insurance_name
from punto.rules.coup.cards import Face
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.table.decision import coup_with_exposed, this_round
from punto.table.engine import decide
from punto.table.evolution import evolve
from punto.table.irregularities.possible_orders import Order, lawful_orders
from punto.table.irregularities.reconstruction import hands
from punto.table.law import LawScope, scope_of
from punto.table.preview import preview
from punto.table.records.commands import Command, Settle
from punto.table.records.correction_events import OptionCorrected
from punto.table.records.events import Event, MoneyEvent, RoundSettled, cited_by
from punto.table.records.findings import (
    CardOrderRuled,
    Hands,
    InsuranceRejudged,
    IrregularityReported,
    OptionChosen,
    OptionsGiven,
    RoundVoided,
    Ruled,
    SettlementReversed,
)
from punto.table.records.kinds import Choice, Effect, Irregularity
from punto.table.records.ledger import chip_changes, player_of
from punto.table.records.positions import Position
from punto.table.records.reports import RuleCardOrder
from punto.table.records.state import BetKey, Phase, Round, Table, cards_in_order, stakes, with_irregularities
from punto.table.situation import Then, situation, who_may

MAX_LISTED = 24
"""Possible orders that are worked out: all those of four cards."""


class Ending(Struct, frozen=True, gc=False):
    """What a player with a stake ends the round with."""

    who: str
    staked_minor: int
    back_minor: int
    """Stakes and winnings together."""
    balance_minor: int
    """Their chips at the table afterwards."""


class Finished(Struct, frozen=True, gc=False):
    """How the round ends if everybody plays on and nobody takes insurance any more."""

    winner: Winner
    player: int
    banker: int
    endings: tuple[Ending, ...]


class PossibleOrder(Struct, frozen=True, gc=False):
    """An order in which cards can have been drawn that nobody can put in order."""

    order: Order
    cards: tuple[Face | None, ...]
    """These cards, in this order; None for one that nobody has seen."""
    hands: Hands
    finished: Finished | None
    """None if the coup needs more cards, or some lie face down."""


class Chooser(Struct, frozen=True, gc=False):
    """A player who may choose."""

    who: str
    back_minor: int
    """What they get back if they take all their bets of the round back, insurance included."""


class MovedMoney(Struct, frozen=True, gc=False):
    """What a player gets for a bet, or gives if it is negative."""

    who: str
    box: int
    bet: str
    """A bet, or ``player_insurance`` or ``banker_insurance``; empty, with box 0, for money that is for no bet."""
    amount_minor: int


class Balance(Struct, frozen=True, gc=False):
    """A player's chips at the table before and after the command."""

    who: str
    before_minor: int
    after_minor: int


class Consequences(Struct, frozen=True):
    events: tuple[Event, ...]
    """As in :class:`~punto.table.preview.Preview`."""
    positions: tuple[Position, ...]
    """The positions that may give the command now, from the lowest to the highest."""
    clauses: tuple[Clause, ...]
    """All that the events cite."""
    established: bool | None
    """Whether a bet is certain to win or lose; None if the command does not ask."""
    established_by: tuple[str, ...]
    """The bets that are."""
    as_dealt: Hands | None
    should_be: Hands | None
    orders: tuple[PossibleOrder, ...]
    """Of cards in doubt, the lawful ones, at most ``MAX_LISTED``."""
    more_orders: int
    """How many more there are; of more than six cards only the first six are tried."""
    choosing: tuple[Chooser, ...]
    """The players who then choose, or still do."""
    away: tuple[str, ...]
    """Players who would choose and have left. They play on."""
    void: bool
    money: tuple[MovedMoney, ...]
    balances: tuple[Balance, ...]
    """Of the players whose chips change."""
    finished: Finished | None
    """None if the round is over, the coup needs more cards, or an order or a raised irregularity is in the way."""
    then: Then
    then_positions: tuple[Position, ...]
    """Who may do what comes next."""


def consequences(book: Rulebook, table: Table, command: Command) -> Consequences | Refusal:
    """What would follow from a command, whatever the position in it, or the refusal."""
    previewed = preview(book, table, command)
    if isinstance(previewed, Refusal):
        return previewed
    events = previewed.events
    after = reduce(evolve, events, table)
    report = next((event for event in events if isinstance(event, IrregularityReported)), None)
    established = _established(table, report)
    orders, more_orders = possible_orders(book, after)
    then = situation(book, after).then
    return Consequences(
        events=events,
        positions=previewed.positions,
        clauses=cited_by(events),
        established=established,
        established_by=report.established if report is not None and established else (),
        as_dealt=None if report is None else report.as_dealt,
        should_be=_should_be(book, after, events, report),
        orders=orders,
        more_orders=more_orders,
        choosing=choosing(after),
        away=tuple(who for event in events if isinstance(event, OptionsGiven) for who in event.away),
        void=any(isinstance(event, RoundVoided) for event in events),
        money=_money(table, events),
        balances=_balances(table, after),
        finished=finish(book, after),
        then=then,
        then_positions=who_may(after, then),
    )


def _established(table: Table, report: IrregularityReported | None) -> bool | None:
    """Whether the report asked what is decided. Before the close, a round that is interrupted has nothing decided."""
    if report is None or (report.kind is not Irregularity.INTERRUPTION and table.phase is not Phase.DEALING):
        return None
    voids = report.kind is Irregularity.WRONG_NUMBER and not report.reconstructable
    return bool(report.established) if report.kind in _ASKING and not voids else None


_ASKING = frozenset(
    {
        Irregularity.INTERRUPTION,
        Irregularity.WRONG_NUMBER,
        Irregularity.EXCESS_CARD,
        Irregularity.WRONG_SIDE,
        Irregularity.FACE_UP_CARD,
        Irregularity.SIMULTANEOUS_CARDS,
        Irregularity.DEALING_ERROR,
    }
)
"""Reports that say what is certain to win or lose."""


def _should_be(
    book: Rulebook, after: Table, events: Sequence[Event], report: IrregularityReported | None
) -> Hands | None:
    if any(isinstance(event, CardOrderRuled) for event in events):
        return hands(coup_with_exposed(book, after))
    return None if report is None else report.should_be


def choosing(table: Table) -> tuple[Chooser, ...]:
    """The players who have not chosen yet."""
    now = table.round
    if now is None or now.irregularities.options is None:
        return ()
    staked = _staked(now)
    return tuple(Chooser(who, staked.get(who, 0)) for who in now.irregularities.options.waiting_for)


def _staked(now: Round) -> dict[str, int]:
    staked: dict[str, int] = {}
    for who, stake_minor in stakes(now):
        staked[who] = staked.get(who, 0) + stake_minor
    return staked


# ---- orders of cards in doubt


def possible_orders(book: Rulebook, table: Table) -> tuple[tuple[PossibleOrder, ...], int]:
    """The lawful orders of the cards in doubt, and how many more there are."""
    lost = table.round.irregularities.order_lost if table.round is not None else ()
    if not lost or scope_of(book, table) is LawScope.RULINGS:
        return (), 0
    orders = list(lawful_orders(book, table, lost))
    listed = tuple(_possible(book, table, order) for order in orders[:MAX_LISTED])
    return listed, len(orders) - len(listed)


def _possible(book: Rulebook, table: Table, order: Order) -> PossibleOrder:
    ruled = decide(book, _undisturbed(table), RuleCardOrder("house", Position.CASINO_MANAGER, order))
    assert not isinstance(ruled, Refusal)  # noqa: S101 - the order is lawful, and nothing else is waited for
    after = reduce(evolve, ruled, table)
    drawn = cards_in_order(table)
    cards = tuple(drawn[place - 1].card for place in order)
    return PossibleOrder(order, cards, hands(coup_with_exposed(book, after)), finish(book, after))


def _undisturbed(table: Table) -> Table:
    """The table once everybody plays on and the dealer has confirmed it."""
    return replace(table, round=with_irregularities(this_round(table), options=None), restart=None)


def finish(book: Rulebook, table: Table) -> Finished | None:
    """How the round ends, if all its cards are there and nothing but the players' choices is waited for."""
    now = table.round
    if table.phase is not Phase.DEALING or now is None or now.irregularities.raised or now.irregularities.order_lost:
        return None
    if coup_with_exposed(book, table).end is None:
        return None
    drawn = cards_in_order(table)
    cards, shoes = tuple(card.card for card in drawn), tuple(card.shoe for card in drawn)
    dealt = replace(now, cards=cards, shoes=shoes, draws=tuple(card.draw for card in drawn))
    ready = _undisturbed(replace(table, round=dealt, carried=()))
    decision = decide(book, ready, Settle("house", Position.HOUSE))
    if isinstance(decision, Refusal):
        return None  # the book cannot judge this round any more
    settled = next(event for event in decision if isinstance(event, RoundSettled))
    after = reduce(evolve, decision, ready)
    back: dict[str, int] = {}
    for result in settled.results:
        back[result.who] = back.get(result.who, 0) + result.returned_minor
    endings = tuple(
        Ending(who, staked_minor, back[who], after.chips_minor(who)) for who, staked_minor in _staked(now).items()
    )
    return Finished(settled.winner, settled.player, settled.banker, endings)


# ---- money


def _balances(before: Table, after: Table) -> tuple[Balance, ...]:
    if after.phase is Phase.CLOSED:
        return ()  # the next opening carries all chips over
    accounts = dict.fromkeys((*before.balances, *after.balances))
    found = (
        Balance(who, before.chips_minor(who), after.chips_minor(who))
        for who in map(player_of, accounts)
        if who is not None
    )
    return tuple(balance for balance in found if balance.before_minor != balance.after_minor)


def _money(table: Table, events: Sequence[Event]) -> tuple[MovedMoney, ...]:
    """What goes to each player and from them, bet by bet as far as the events say for which."""
    moved: dict[BetKey, int] = {}
    for event in events:
        if isinstance(event, MoneyEvent):
            rest = chip_changes(event.postings)
            for key, amount_minor in _for_bets(table, event, rest):
                moved[key] = moved.get(key, 0) + amount_minor
                rest[key[0]] = rest.get(key[0], 0) - amount_minor
            for who, amount_minor in rest.items():
                moved[who, 0, ""] = moved.get((who, 0, ""), 0) + amount_minor
        table = evolve(table, event)
    return tuple(MovedMoney(*key, amount_minor) for key, amount_minor in moved.items() if amount_minor)


def _for_bets(table: Table, event: MoneyEvent, changes: dict[str, int]) -> Iterator[tuple[BetKey, int]]:
    """The bets that an event pays, returns or takes. ``table`` is the state before it, ``changes`` are by player."""
    now = table.round
    if isinstance(event, RoundSettled):
        yield from (((result.who, result.box, result.bet), result.returned_minor) for result in event.results)
    elif now is None:
        return
    elif isinstance(event, SettlementReversed):
        yield from (((result.who, result.box, result.bet), -result.returned_minor) for result in now.results)
    elif isinstance(event, RoundVoided):
        yield from _lying(now)
    elif isinstance(event, OptionChosen | OptionCorrected):
        if event.choice is Choice.RETURN:
            yield from (line for line in _lying(now) if line[0][0] == event.who)
    elif isinstance(event, Ruled):
        if event.effect is Effect.RETURN:
            yield from _returned(now, [(bet.who, bet.box, bet.bet) for bet in event.bets])
    elif isinstance(event, InsuranceRejudged):
        for old, new in zip(now.insurance.cover, event.cover, strict=True):
            yield old.key, old.stake_minor - new.stake_minor
    elif (who := getattr(event, "who", "")) and (box := getattr(event, "box", 0)) and changes.get(who):
        yield (who, box, _bet_of(event)), changes[who]


def _lying(now: Round) -> Iterator[tuple[BetKey, int]]:
    yield from ((key, placed.stake_minor) for key, placed in now.bets.items())
    yield from ((covered.key, covered.stake_minor) for covered in now.insurance.cover)


def _returned(now: Round, keys: Sequence[BetKey]) -> Iterator[tuple[BetKey, int]]:
    """What bets that a ruling returns bring above what a settlement has brought already."""
    for key, stake_minor in _lying(now):
        if key in keys:
            yield key, stake_minor
    if now.paid is not None:
        for result in now.results:
            if (key := (result.who, result.box, result.bet)) in keys:
                yield key, -result.returned_minor


def _bet_of(event: MoneyEvent) -> str:
    """The bet of an event about one: insurance says only its side and its stage."""
    side: Side | None = getattr(event, "side", None)
    if side is None:
        return str(getattr(event, "bet", ""))
    return insurance_name(side) if hasattr(event, "stage") else side.value
