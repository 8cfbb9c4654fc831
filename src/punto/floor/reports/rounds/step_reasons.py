"""Why a card was drawn, and to whom insurance was offered, by the law the round was played under."""

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import Phrase
from punto.floor.reports.rounds.round_steps import RoundStep
from punto.library import book, book_ids
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.explanation import explain
from punto.rules.coup.space import UNKNOWN
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.decision import coup_of, open_settings, this_round
from punto.table.play.insuring import largest_stake, players_with_room, points_at
from punto.table.play.places import side_of
from punto.table.records.events import CardDealt, CardTurned, InsuranceMissed, InsuranceOffered
from punto.table.records.state import Table


def law_of(table: Table) -> Rulebook | None:
    """The law of an open table; None if this release does not have it."""
    if table.book not in book_ids():
        return None
    rules = book(table.book)
    return rules if rules.is_law(table.law_hash) else None


class CardReason(Struct, frozen=True):
    """The card that a step dealt or turned."""

    place: int
    shoe: str
    draw: int
    """Position in the shoe, counted from 0."""
    card: Face | None
    """None while it lies face down."""
    hand: Side | None
    why: Phrase | None
    """None if this release does not have the law."""
    clauses: tuple[Clause, ...]


def card_reason(step: RoundStep) -> CardReason | None:
    """None if the step neither dealt nor turned a card."""
    event = step.event
    if not isinstance(event, CardDealt | CardTurned):
        return None
    now, at = this_round(step.after), event.place - 1
    hand = event.to if isinstance(event, CardDealt) else None
    why, clauses = None, event.clauses if isinstance(event, CardDealt) else ()
    if (rules := law_of(step.after)) is not None:
        coup = Coup.of(rules.space, now.cards)
        hand = hand or side_of(coup, event.place)
        for each in explain(coup)[0][at : event.place]:
            why, clauses = each.why, clauses or each.clauses
    return CardReason(event.place, now.shoes[at], now.draws[at], now.cards[at], hand, why, clauses)


class InsurableBet(Struct, frozen=True):
    who: str
    box: int
    stake_minor: int
    most_minor: int
    """The largest stake of insurance that was possible on it."""


class OfferReason(Struct, frozen=True):
    """An offer of insurance that a step made or missed."""

    stage: Stage
    side: Side
    odds: str
    points: tuple[int, int] | None
    """Player's and Banker's, which are the cell of the book's table; None if they are not known."""
    missed: bool
    late: bool
    clauses: tuple[Clause, ...]
    to: tuple[InsurableBet, ...] | None
    """None if this release does not have the law, and where only cards are recorded."""


def offer_reason(step: RoundStep) -> OfferReason | None:
    """None if the step neither offered insurance nor failed to."""
    event = step.event
    if not isinstance(event, InsuranceOffered | InsuranceMissed):
        return None
    missed = isinstance(event, InsuranceMissed)
    late = isinstance(event, InsuranceOffered) and this_round(step.after).insurance.offer_late
    rules, points = law_of(step.before), None
    if isinstance(event, InsuranceMissed) and event.player is not None and event.banker is not None:
        points = event.player, event.banker
    elif rules is not None:
        points = _points(event.stage, coup_of(rules, step.before))
    to = None
    if rules is not None and points is not None:
        to = _insurable(rules, _as_offered(step), event.stage, points, late=late)
    if to is not None and event.players:
        to = tuple(each for each in to if each.who in event.players)
    return OfferReason(event.stage, event.side, event.odds, points, missed, late, event.clauses, to)


def _points(stage: Stage, coup: Coup) -> tuple[int, int] | None:
    """None if a card that they depend on lies face down."""
    player, banker, third, _ = coup.partial
    needed = (player, banker) if stage is Stage.FOUR else (player, banker, third)
    return None if UNKNOWN in needed else points_at(stage, coup)


_LARGEST_IN_CHIPS = 5
"""The first revision that rounds the largest stake down to the smallest chip."""


def _as_offered(step: RoundStep) -> Table:
    """The table as its engine saw it: an earlier one took the cap to the cent."""
    table = step.before
    if step.context.revision >= _LARGEST_IN_CHIPS:
        return table
    return replace(table, settings=replace(open_settings(table), smallest_chip_minor=1))


def _insurable(
    rules: Rulebook, table: Table, stage: Stage, points: tuple[int, int], *, late: bool
) -> tuple[InsurableBet, ...] | None:
    line = rules.insurance.line(stage, *points) if rules.insurance else None
    if line is None or open_settings(table).cards_only:
        return None
    players = players_with_room(rules, table, line, late=late)
    return tuple(
        InsurableBet(placed.who, placed.box, placed.stake_minor, most)
        for placed in this_round(table).bets.values()
        if placed.bet == line.side and placed.who in players
        if (most := largest_stake(rules, table, line, placed, late=late)) > 0
    )
