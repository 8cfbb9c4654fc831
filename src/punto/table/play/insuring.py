"""Offers of insurance: which one is due, opening it, closing it, and who could take it."""

from msgspec.structs import replace

from punto.catalogue.values import Odds
from punto.rules.bets.insurance import InsuranceLine, Stage, Taken, room_to_win_minor
from punto.rules.coup.coup import Coup
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, coup_of, open_settings, this_round
from punto.table.play.pending import check_nothing_pending
from punto.table.records.commands import CloseInsurance, DealCard, OpenInsurance
from punto.table.records.events import Event, InsuranceClosed, InsuranceMissed, InsuranceOffered
from punto.table.records.positions import DEALER_UP, Position, in_order
from punto.table.records.state import MissedOffer, Phase, PlacedBet, Table, TakenInsurance, with_insurance
from punto.table.refusals import TableCode, refuse


def due_offer(book: Rulebook, table: Table, coup: Coup) -> InsuranceLine | None:
    """The offer to make now; None if it was already made or missed, or if nobody can take it."""
    now = this_round(table)
    if book.insurance is None or open_settings(table).no_insurance or None in now.cards:
        return None
    line = book.insurance.open_offer(coup)
    insurance = now.insurance
    if line is None or line.stage in insurance.offered or any(line.stage is each.stage for each in insurance.missed):
        return None
    if insurance.waived and line.stage is Stage.THIRD:
        return None
    return line if can_be_taken(book, table, line) else None


def can_be_taken(book: Rulebook, table: Table, line: InsuranceLine, *, late: bool = False) -> bool:
    """Whether somebody could put a stake on the line. Where only cards are recorded, nobody knows who could not."""
    return open_settings(table).cards_only or bool(players_with_room(book, table, line, late=late))


def players_with_room(book: Rulebook, table: Table, line: InsuranceLine, *, late: bool = False) -> set[str]:
    """The players who could put a stake on the line: they have not left or forgone insurance, and have room."""
    now = this_round(table)
    barred = now.away | now.insurance.forgone
    insurable = (placed for placed in now.bets.values() if placed.bet == line.side and placed.who not in barred)
    return {placed.who for placed in insurable if insurance_room(book, table, line, placed, late=late) > 0}


def insurance_room(book: Rulebook, table: Table, line: InsuranceLine, placed: PlacedBet, *, late: bool = False) -> int:
    """The largest stake that the player can still put on a line.

    At a late offer, and after taking one, all insurance of the round wins at most the Original Bet.
    """
    room, cover = ordinary_room(book, table, line, placed), _cover_on(table, placed)
    if late or any(covered.late for covered in cover):
        room = min(room, max(room_to_win_minor(line, placed.stake_minor, _taken(book, cover)), 0))
    return room


def ordinary_room(book: Rulebook, table: Table, line: InsuranceLine, placed: PlacedBet) -> int:
    """The largest stake that the player can still put on a line under the cap of an offer made in time."""
    assert book.insurance is not None  # noqa: S101 - the line is from there
    taken = _taken(book, _cover_on(table, placed))
    return book.insurance.cap.room_minor(line, placed.stake_minor, taken, open_settings(table).maximum_minor)


def _cover_on(table: Table, placed: PlacedBet) -> list[TakenInsurance]:
    """The insurance on a bet in this round."""
    key = (placed.who, placed.box, placed.bet)
    return [each for each in this_round(table).insurance.cover if (each.who, each.box, each.side.value) == key]


def _taken(book: Rulebook, cover: list[TakenInsurance]) -> list[Taken]:
    return [Taken(covered.stage, line_of(book, covered).odds, covered.stake_minor) for covered in cover]


def visible_coup(book: Rulebook, table: Table) -> Coup | None:
    """The coup of the face-up cards; None unless they all come before those face down."""
    now = this_round(table)
    cards = now.cards
    if None not in cards:
        return Coup.of(book.space, cards)
    first = cards.index(None)
    squeezed = any(place > first for place in now.squeezed)  # a player has seen a card that others have not
    return None if squeezed or any(cards[first:]) else Coup.of(book.space, cards[:first])


def current_line(book: Rulebook, table: Table) -> InsuranceLine | None:
    """The line for the face-up cards, offered or not."""
    coup = visible_coup(book, table)
    if book.insurance is None or coup is None or open_settings(table).no_insurance or card_is_exposed(table):
        return None
    line = book.insurance.open_offer(coup)
    return None if line is not None and line.stage is Stage.THIRD and this_round(table).insurance.waived else line


def card_is_exposed(table: Table) -> bool:
    """A card that may still be dealt in this coup is already face up, so insurance makes no sense."""
    left = 6 - len(this_round(table).cards)
    return any(carried.card is not None for carried in table.carried[:left])


def before_card_out_of_turn(book: Rulebook, table: Table, *, exposed: bool) -> tuple[Event, ...]:
    """The events before a card drawn too early: an offer ends; if the card is exposed, a due offer is missed."""
    if this_round(table).insurance.offer_stands:
        return (InsuranceClosed(),)
    line = due_offer(book, table, coup_of(book, table)) if exposed else None
    return () if line is None else (missed_event(book, table, line),)


def missed_event(book: Rulebook, table: Table, line: InsuranceLine) -> InsuranceMissed:
    points = points_at(line.stage, coup_of(book, table))
    return InsuranceMissed(line.stage, line.side, line.odds_text, book.topics[Topic.INSURANCE_NOT_OFFERED], *points)


def points_at(stage: Stage, coup: Coup) -> tuple[int, int]:
    """The points of both hands that identify a line at a stage."""
    player, banker, third, _ = coup.partial
    return (player if stage is Stage.FOUR else (player + third) % 10), banker


def before_next_card(book: Rulebook, table: Table, coup: Coup, command: DealCard) -> tuple[Event, ...] | Refusal:
    """The events before the next card: an offer ends. A due offer is missed, or the card is refused."""
    line = due_offer(book, table, coup)
    if command.not_offered:
        if refusal := _check_not_offered(book, line, command):
            return refusal
    elif line is not None and not open_settings(table).felt and not card_is_exposed(table):
        return refuse(book, TableCode.INSURANCE_DUE, Topic.INSURANCE, side=line.side, odds=Odds(line.odds_text))
    return end_offer(book, table) if line is None else (missed_event(book, table, line),)


def _check_not_offered(book: Rulebook, line: InsuranceLine | None, command: DealCard) -> Refusal | None:
    """Refuse to record an offer as missed that was not due, or that the table itself should have made."""
    if not book.has(Topic.INSURANCE):
        return refuse(book, TableCode.NOT_IN_BOOK, variant="topic", book=book.id, subject=Topic.INSURANCE)
    if command.position is Position.HOUSE:
        people = in_order(DEALER_UP)
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.INSURANCE, positions=people, position=command.position)
    return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE) if line is None else None


def on_insurance_missed(table: Table, event: InsuranceMissed) -> Table:
    """Remember the missed offer, for a late offer or for returning bets."""
    now = this_round(table)
    insurance = now.insurance
    earlier = insurance.forgone - insurance.forgone_third if event.stage is Stage.FOUR else insurance.forgone
    forgone = earlier | now.away
    missed = MissedOffer(event.stage, event.side, event.player, event.banker, forgone)
    return replace(table, round=with_insurance(now, missed=(*insurance.missed, missed)))


def open_insurance(book: Rulebook, table: Table, _: OpenInsurance) -> Decision:
    """Make the offer that is due, to everybody with a bet on that side."""
    if refusal := check_nothing_pending(book, table):
        return refusal
    line = due_offer(book, table, coup_of(book, table)) if table.phase is Phase.DEALING else None
    if line is None or card_is_exposed(table):
        return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE)
    return (offer_event(line),)


def offer_event(line: InsuranceLine) -> InsuranceOffered:
    return InsuranceOffered(line.stage, line.side, line.odds_text, (line.clause,))


def on_insurance_offered(table: Table, event: InsuranceOffered) -> Table:
    now = this_round(table)
    before = now.insurance
    again = event.stage in before.offered  # repeated after an interruption
    after = replace(
        before,
        offered=before.offered if again else (*before.offered, event.stage),
        offer_open=True,
        offer_stands=True,
        offer_side=event.side,
        offer_late=bool(event.makes_good) or (again and before.offer_late),
        offer_interrupted=again,
        offer_taken_by=before.offer_taken_by if again else frozenset(),
        missed=tuple(missed for missed in before.missed if missed.stage not in event.makes_good),
    )
    return replace(table, round=replace(now, insurance=after))


def line_on_offer(book: Rulebook, table: Table) -> InsuranceLine:
    line = current_line(book, table)
    assert line is not None  # noqa: S101 - the offer stands
    return line


def line_of(book: Rulebook, covered: TakenInsurance) -> InsuranceLine:
    assert book.insurance is not None  # noqa: S101 - it was on offer
    line = book.insurance.line(covered.stage, covered.player, covered.banker)
    assert line is not None  # noqa: S101 - as above
    return line


def close_insurance(book: Rulebook, table: Table, _: CloseInsurance) -> Decision:
    """Players can still take the offer until the next card is drawn."""
    if table.phase is not Phase.DEALING or not this_round(table).insurance.offer_open:
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.INSURANCE)
    return (InsuranceClosed(until_next_card=True),)


def end_offer(book: Rulebook, table: Table) -> tuple[Event, ...]:
    """The event before the next card if an offer stands: it ends."""
    if not this_round(table).insurance.offer_stands:
        return ()
    forgone = tuple(sorted(players_passing(book, table)))
    return (InsuranceClosed(forgone, book.topics[Topic.INSURANCE_FORGONE] if forgone else ()),)


def players_passing(book: Rulebook, table: Table) -> set[str]:
    """The players who forgo further insurance if the next card is drawn now: they can take the offer and have not.

    Only with the setting ``forgone_for_the_round``. A player without chips cannot take it, except at a felt
    table, where chips can come from anywhere.
    """
    insurance, settings = this_round(table).insurance, open_settings(table)
    if not insurance.offer_stands or insurance.offer_interrupted or not settings.forgone_for_the_round:
        return set()
    line = line_on_offer(book, table)
    took = insurance.offer_taken_by | {covered.who for covered in insurance.cover if covered.stage is line.stage}
    passing = players_with_room(book, table, line, late=insurance.offer_late) - took
    return passing if settings.felt else {who for who in passing if table.chips_minor(who) > 0}


def on_insurance_closed(table: Table, event: InsuranceClosed) -> Table:
    now = this_round(table)
    before = now.insurance
    third = event.forgone if before.offered[-1:] == (Stage.THIRD,) else ()
    after = with_insurance(
        now,
        offer_open=False,
        offer_stands=event.until_next_card,
        forgone=before.forgone.union(event.forgone),
        forgone_third=before.forgone_third.union(third),
    )
    return replace(table, round=after)


DECIDERS: Deciders = {
    OpenInsurance: open_insurance,
    CloseInsurance: close_insurance,
}

EVOLVERS: Evolvers = {
    InsuranceOffered: on_insurance_offered,
    InsuranceMissed: on_insurance_missed,
    InsuranceClosed: on_insurance_closed,
}
