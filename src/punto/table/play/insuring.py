"""Offers of insurance: which one is due, opening it, closing it, and who could take it."""

from collections.abc import Collection

from msgspec.structs import replace

from punto.catalogue.values import Odds
from punto.rules.bets.insurance import InsuranceLine, Stage, Taken, room_to_win_minor
from punto.rules.coup.coup import Coup
from punto.rules.money import Rounding, in_chips_minor
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, coup_of, open_settings, this_round
from punto.table.play.pending import check_nothing_pending
from punto.table.records.commands import CloseInsurance, DealCard, OpenInsurance
from punto.table.records.events import Event, InsuranceClosed, InsuranceMissed, InsuranceOffered
from punto.table.records.positions import DEALER_UP, Position, in_order
from punto.table.records.state import (
    MadeOffer,
    MissedOffer,
    Phase,
    PlacedBet,
    Round,
    Table,
    TakenInsurance,
    bettors,
    with_insurance,
)
from punto.table.refusals import TableCode, refuse

_FIRST_CARDS = Stage.FOUR.cards


def due_offer(book: Rulebook, table: Table, coup: Coup) -> InsuranceLine | None:
    """The offer to make now; None if it was already made or missed, or if nobody can take it."""
    now = this_round(table)
    if book.insurance is None or len(now.cards) < _FIRST_CARDS or None in now.cards:
        return None
    if open_settings(table).no_insurance:
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
    insurable = (placed for placed in now.bets.values() if placed.bet == line.side and may_insure(now, placed.who))
    return {placed.who for placed in insurable if largest_stake(book, table, line, placed, late=late) > 0}


def may_insure(now: Round, who: str) -> bool:
    """The player has not left or forgone insurance, and is not shut out of a late offer that stands."""
    return who not in now.left and who not in now.insurance.forgone and is_offered_to(now, who)


def is_offered_to(now: Round, who: str) -> bool:
    """False only for players whom a late offer that stands is not for: they had been offered it in time."""
    insurance = now.insurance
    return not (insurance.offer_stands and insurance.offer_to) or who in insurance.offer_to


def largest_stake(book: Rulebook, table: Table, line: InsuranceLine, placed: PlacedBet, *, late: bool = False) -> int:
    """The largest stake that the player can still put on a line with the chips of the table."""
    return insurance_in_chips(table, insurance_room(book, table, line, placed, late=late))


def insurance_in_chips(table: Table, room_minor: int) -> int:
    """What the smallest chip can make of the room under a cap. 0 if it is worth more than the room."""
    return in_chips_minor(room_minor, open_settings(table).smallest_chip_minor, Rounding.DOWN)


def playing_stake(table: Table, stake_minor: int, room_minor: int) -> int:
    """How much plays of a stake that lies there: all of it up to the cap, else what chips can make of the cap."""
    return stake_minor if stake_minor <= room_minor else insurance_in_chips(table, room_minor)


def insurance_room(book: Rulebook, table: Table, line: InsuranceLine, placed: PlacedBet, *, late: bool = False) -> int:
    """What the cap leaves for the player on a line, to the smallest unit.

    At a late offer, and after taking one, all insurance of the round wins at most the Original Bet.
    """
    room, cover = ordinary_room(book, table, line, placed), _cover_on(table, placed)
    if late or any(covered.late for covered in cover):
        room = min(room, max(room_to_win_minor(line, placed.stake_minor, _taken(book, cover)), 0))
    return room


def ordinary_room(book: Rulebook, table: Table, line: InsuranceLine, placed: PlacedBet) -> int:
    """What the cap of an offer made in time leaves for the player on a line."""
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


def line_at(book: Rulebook, table: Table, stage: Stage) -> InsuranceLine | None:
    """The line that the cards of a stage give, even if more cards are dealt; None where no insurance is offered."""
    if book.insurance is None or open_settings(table).no_insurance:
        return None
    if stage is Stage.THIRD and this_round(table).insurance.waived:
        return None
    return next((line for line in book.insurance.offers(coup_of(book, table)) if line.stage is stage), None)


def before_card_out_of_turn(book: Rulebook, table: Table, *, exposed: bool) -> tuple[Event, ...]:
    """The events before a card drawn too early: while nobody has seen it, an offer stays open or due."""
    if not exposed:
        return ()
    if this_round(table).insurance.offer_stands:
        return cut_offer_short(book, table)
    line = due_offer(book, table, coup_of(book, table))
    return () if line is None else _missed_now(book, table, line)


def cut_offer_short(book: Rulebook, table: Table) -> tuple[Event, ...]:
    """The events if a card is seen while an offer stands: it ends, and has reached only the players who took it."""
    insurance, line = this_round(table).insurance, line_on_offer(book, table)
    waiting = players_with_room(book, table, line, late=insurance.offer_late) - players_taking(table, line.stage)
    closed = InsuranceClosed(cut_short=True)
    if not (waiting or open_settings(table).cards_only):
        return (closed,)
    return closed, replace(missed_event(book, table, line, waiting), cut_short=True)


def offer_in_doubt(table: Table) -> InsuranceClosed:
    """The end of an offer because the points it was made on are in doubt.

    One made in time is due again on the right points. A late one is not, because the next card is out: it has reached
    only the players who took it.
    """
    return InsuranceClosed(cut_short=this_round(table).insurance.offer_late)


def players_taking(table: Table, stage: Stage) -> frozenset[str]:
    """The players who took the offer of a stage, even if a ruling returned their stake."""
    insurance = this_round(table).insurance
    staked = {covered.who for covered in insurance.cover if covered.stage is stage}
    return insurance.offers.get(stage, MadeOffer()).taken_by | staked


def missed_events(book: Rulebook, table: Table, line: InsuranceLine, able: Collection[str]) -> tuple[Event, ...]:
    """The event of an offer that was due, that these players could have taken, and that was not made.

    Insurance taken at that stage before the cards were in doubt stays, and those players miss nothing. Empty if nobody
    else could have taken it.
    """
    staked = {covered.who for covered in this_round(table).insurance.cover if covered.stage is line.stage}
    if not staked:
        return (missed_event(book, table, line),)
    others = {*able} - staked
    return (missed_event(book, table, line, others),) if others else ()


def _missed_now(book: Rulebook, table: Table, line: InsuranceLine) -> tuple[Event, ...]:
    return missed_events(book, table, line, players_with_room(book, table, line))


def missed_event(book: Rulebook, table: Table, line: InsuranceLine, players: Collection[str] = ()) -> InsuranceMissed:
    """The event of an offer that did not reach these players; without any, that reached nobody."""
    points = points_at(line.stage, coup_of(book, table))
    clauses = book.topics[Topic.INSURANCE_NOT_OFFERED]
    return InsuranceMissed(line.stage, line.side, line.odds_text, clauses, *points, tuple(sorted(players)))


def points_at(stage: Stage, coup: Coup) -> tuple[int, int]:
    """The points of both hands that identify a line at a stage."""
    player, banker, third, _ = coup.partial
    return (player if stage is Stage.FOUR else (player + third) % 10), banker


def before_next_card(book: Rulebook, table: Table, coup: Coup, command: DealCard) -> tuple[Event, ...] | Refusal:
    """The events before the next card: an offer ends. A due offer is missed, or the card is refused."""
    line = due_offer(book, table, coup)
    if command.not_offered:
        return _before_card_too_early(book, table, line, command)
    if line is not None and not open_settings(table).felt and not card_is_exposed(table):
        return refuse(book, TableCode.INSURANCE_DUE, Topic.INSURANCE, side=line.side, odds=Odds(line.odds_text))
    return end_offer(book, table) if line is None else _missed_now(book, table, line)


def _before_card_too_early(
    book: Rulebook, table: Table, line: InsuranceLine | None, command: DealCard
) -> tuple[Event, ...] | Refusal:
    """An offer that was due is missed. One that stands is cut short, if the card was waiting and is seen now.

    Refused if there is no such offer, and if the table itself should have made it.
    """
    if not book.has(Topic.INSURANCE):
        return refuse(book, TableCode.NOT_IN_BOOK, variant="topic", book=book.id, subject=Topic.INSURANCE)
    if command.position is Position.HOUSE:
        people = in_order(DEALER_UP)
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.INSURANCE, positions=people, position=command.position)
    if line is not None:
        return _missed_now(book, table, line)
    if not (this_round(table).insurance.offer_stands and table.carried):
        return no_offer_due(book, table)
    if command.card is not None:
        return cut_offer_short(book, table)
    line = line_on_offer(book, table)
    named = {"side": line.side, "odds": Odds(line.odds_text)}
    return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE, variant="unseen", **named)


def no_offer_due(book: Rulebook, table: Table) -> Refusal:
    """Why no insurance is to be offered now."""
    if open_settings(table).no_insurance:
        return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.NO_INSURANCE, variant="none_here")
    now, line = table.round, current_line(book, table) if table.phase is Phase.DEALING else None
    if now is not None and line is not None and now.insurance.offer_stands:
        named = {"side": line.side, "odds": Odds(line.odds_text)}
        return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE, variant="stands", **named)
    if now is not None and line is not None and line.stage not in now.insurance.offered:
        free = replace(table, round=with_insurance(now, forgone=frozenset()))
        if not players_with_room(book, table, line) and players_with_room(book, free, line):
            return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE_FORGONE, variant="forgone", side=line.side)
    return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE)


def on_insurance_missed(table: Table, event: InsuranceMissed) -> Table:
    """Remember the missed offer, for a late offer or for returning bets."""
    now = this_round(table)
    insurance = now.insurance
    players = frozenset(event.players)
    by_then = insurance.forgone_third if event.stage is Stage.FOUR or players else frozenset[str]()
    forgone = insurance.forgone - by_then | now.left_by(event.stage)
    missed = MissedOffer(event.stage, event.side, event.player, event.banker, forgone - players, players)
    return replace(table, round=with_insurance(now, missed=(*insurance.missed, missed)))


def open_insurance(book: Rulebook, table: Table, _: OpenInsurance) -> Decision:
    """Make the offer that is due, to everybody with a bet on that side."""
    if refusal := check_nothing_pending(book, table):
        return refusal
    line = due_offer(book, table, coup_of(book, table)) if table.phase is Phase.DEALING else None
    return no_offer_due(book, table) if line is None or card_is_exposed(table) else (offer_event(line),)


def offer_event(line: InsuranceLine) -> InsuranceOffered:
    return InsuranceOffered(line.stage, line.side, line.odds_text, (line.clause,))


def on_insurance_offered(table: Table, event: InsuranceOffered) -> Table:
    now = this_round(table)
    before = now.insurance
    again, late = event.stage in before.offered, bool(event.makes_good)
    interrupted = again and not late
    if again:
        offer = before.offers.get(event.stage, MadeOffer())
        offer = replace(
            offer,
            not_for=offer.not_for.difference(event.players),
            left_before=offer.left_before.union(now.left.keys() & event.players),
            late_for=offer.late_for.union(event.players),
            disturbed=offer.disturbed or interrupted,
            cut_short=offer.cut_short and interrupted,
        )
    else:
        others = bettors(now).difference(event.players) if event.players else frozenset[str]()
        offer = MadeOffer(
            not_for=(before.forgone | others) - now.left.keys(),
            left_before=before.left_before(event.stage, frozenset(now.left)),
            late=late and not others,
            late_for=frozenset(event.players),
        )
    after = replace(
        before,
        offered=before.offered if again else (*before.offered, event.stage),
        offer_open=True,
        offer_stands=True,
        offer_side=event.side,
        offer_late=late or (interrupted and before.offer_late),
        offer_to=before.offer_to if interrupted else frozenset(event.players),
        passed=frozenset(),
        offers={**before.offers, event.stage: offer},
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
    if not insurance.offer_stands or insurance.last_offer.disturbed or not settings.forgone_for_the_round:
        return set()
    line = line_on_offer(book, table)
    passing = players_with_room(book, table, line, late=insurance.offer_late) - players_taking(table, line.stage)
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
        offers=before.offers if event.until_next_card else _with_offer_ended(now, cut_short=event.cut_short),
    )
    return replace(table, round=after)


def _with_offer_ended(now: Round, *, cut_short: bool) -> dict[Stage, MadeOffer]:
    """A late offer to some players that is cut short leaves the others as they were: they had answered in time."""
    insurance = now.insurance
    if not insurance.offered:
        return insurance.offers
    offer = replace(insurance.last_offer, left=frozenset(now.left))
    if cut_short and insurance.offer_to:
        offer = replace(offer, not_for=offer.not_for | (insurance.offer_to - offer.taken_by))
    elif cut_short:
        offer = replace(offer, cut_short=True)
    return {**insurance.offers, insurance.offered[-1]: offer}


DECIDERS: Deciders = {
    OpenInsurance: open_insurance,
    CloseInsurance: close_insurance,
}

EVOLVERS: Evolvers = {
    InsuranceOffered: on_insurance_offered,
    InsuranceMissed: on_insurance_missed,
    InsuranceClosed: on_insurance_closed,
}
