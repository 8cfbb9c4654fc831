"""Insurance: which offer is due, opening it, taking it, closing it."""

from msgspec.structs import replace

from punto.catalogue.values import Money, Odds
from punto.rules.bets.insurance import InsuranceLine, Stage, Taken, room_to_win_minor
from punto.rules.coup.coup import Coup
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, coup_of, open_settings, staff_clauses, this_round
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import check_amount, check_chips, check_here
from punto.table.records.commands import CloseInsurance, OpenInsurance, TakeInsurance
from punto.table.records.events import Event, InsuranceClosed, InsuranceMissed, InsuranceOffered, InsuranceTaken
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.state import MissedOffer, Phase, Table, TakenInsurance, with_insurance
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
    insurable = (p for p in now.bets.values() if p.bet == line.side and p.who not in now.away | insurance.forgone)
    return line if any(insurable) else None


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
    """The events before a card drawn too early: an open offer closes; if the card is exposed, a due offer is missed."""
    if this_round(table).insurance.offer_open:
        return (close_offer(book, table),)
    line = due_offer(book, table, coup_of(book, table)) if exposed else None
    if line is None:
        return ()
    missed = book.topics[Topic.INSURANCE_NOT_OFFERED]
    points = points_at(line.stage, coup_of(book, table))
    return (InsuranceMissed(line.stage, line.side, line.odds_text, missed, *points),)


def points_at(stage: Stage, coup: Coup) -> tuple[int, int]:
    """The points of both hands that identify a line at a stage."""
    player, banker, third, _ = coup.partial
    return (player if stage is Stage.FOUR else (player + third) % 10), banker


def before_next_card(book: Rulebook, table: Table, coup: Coup) -> tuple[Event, ...] | Refusal:
    """The events before the next card: an open offer closes. Refused while an offer is due."""
    if this_round(table).insurance.offer_open:
        return (close_offer(book, table),)
    line = due_offer(book, table, coup)
    if line is None:
        return ()
    if open_settings(table).observing or card_is_exposed(table):
        return before_card_out_of_turn(book, table, exposed=True)
    return refuse(book, TableCode.INSURANCE_DUE, Topic.INSURANCE, side=line.side, odds=Odds(line.odds_text))


def on_insurance_missed(table: Table, event: InsuranceMissed) -> Table:
    """Remember the missed offer, for a late offer or for returning bets."""
    now = this_round(table)
    missed = MissedOffer(event.stage, event.side, event.player, event.banker)
    return replace(table, round=with_insurance(now, missed=(*now.insurance.missed, missed)))


def open_insurance(book: Rulebook, table: Table, _: OpenInsurance) -> Decision:
    """Make the offer that is due, to everybody with a bet on that side."""
    if refusal := check_nothing_pending(book, table):
        return refusal
    line = due_offer(book, table, coup_of(book, table)) if table.phase is Phase.DEALING else None
    if line is None or card_is_exposed(table):
        return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE)
    return (InsuranceOffered(line.stage, line.side, line.odds_text, (line.clause,)),)


def on_insurance_offered(table: Table, event: InsuranceOffered) -> Table:
    now = this_round(table)
    before = now.insurance
    again = event.stage in before.offered  # repeated after an interruption
    after = replace(
        before,
        offered=before.offered if again else (*before.offered, event.stage),
        offer_open=True,
        offer_side=event.side,
        offer_late=bool(event.makes_good) or (again and before.offer_late),
        missed=tuple(missed for missed in before.missed if missed.stage not in event.makes_good),
    )
    return replace(table, round=replace(now, insurance=after))


def insurance_bounds(book: Rulebook, table: Table, who: str, box: int) -> tuple[InsuranceLine, int] | Refusal:
    """The open offer and the largest stake a player can put on it, or why they cannot take it."""
    now = this_round(table) if table.phase is Phase.DEALING else None
    if now is None or not now.insurance.offer_open or book.insurance is None:
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.INSURANCE)
    if refusal := check_nothing_pending(book, table):
        return refusal
    line = current_line(book, table)
    assert line is not None  # noqa: S101 - it is open
    placed = now.bets.get((who, box, line.side))
    if placed is None:
        return refuse(
            book, Code.NO_ORIGINAL_BET, Topic.INSURED_BET, variant="in_box", who=who[:40], side=line.side, box=box
        )
    if refusal := check_here(book, table, who):
        return refusal
    if who in now.insurance.forgone:
        return refuse(book, TableCode.INSURANCE_FORGONE, Topic.INSURANCE_FORGONE, who=who)
    taken = [
        Taken(covered.stage, line_of(book, covered).odds, covered.stake_minor)
        for covered in now.insurance.cover
        if (covered.who, covered.box, covered.side) == (who, box, line.side)
    ]
    room = book.insurance.cap.room_minor(line, placed.stake_minor, taken, open_settings(table).maximum_minor)
    if now.insurance.offer_late:  # its winnings are at most the Original Bet, whatever the cap of the book
        room = min(room, max(room_to_win_minor(line, placed.stake_minor, taken), 0))
    return line, room


def line_of(book: Rulebook, covered: TakenInsurance) -> InsuranceLine:
    assert book.insurance is not None  # noqa: S101 - it was on offer
    line = book.insurance.line(covered.stage, covered.player, covered.banker)
    assert line is not None  # noqa: S101 - as above
    return line


def take_insurance(book: Rulebook, table: Table, command: TakeInsurance) -> Decision:
    """Accept insurance within the cap. It can be raised, but not withdrawn."""
    bounds = insurance_bounds(book, table, command.who, command.box)
    if isinstance(bounds, Refusal):
        return bounds
    line, most = bounds
    if refusal := check_amount(book, command.stake_minor):
        return refusal
    if command.stake_minor > most:
        return refuse(
            book,
            Code.INSURANCE_ABOVE_CAP,
            Topic.INSURANCE_CAP,
            variant="more",
            odds=Odds(line.odds_text),
            most=Money(most),
        )
    if refusal := check_chips(book, table, command.who, command.stake_minor):
        return refusal
    postings = transfer(chips(command.who), FELT, command.stake_minor)
    by_staff = staff_clauses(book, table, command.by, command.who, on_behalf=command.on_behalf)
    coup = visible_coup(book, table)
    assert coup is not None  # noqa: S101 - the line comes from these cards
    return (
        InsuranceTaken(
            command.who,
            command.box,
            line.side,
            line.stage,
            *points_at(line.stage, coup),
            line.odds_text,
            command.stake_minor,
            command.by,
            (line.clause, *by_staff),
            postings=postings,
        ),
    )


def on_insurance_taken(table: Table, event: InsuranceTaken) -> Table:
    now = this_round(table)
    covered = TakenInsurance(
        event.who,
        event.side,
        event.stage,
        event.player,
        event.banker,
        event.stake_minor,
        event.box,
        event.placed_by,
        event.odds,
    )
    return replace(table, round=with_insurance(now, cover=(*now.insurance.cover, covered)))


def close_insurance(book: Rulebook, table: Table, _: CloseInsurance) -> Decision:
    if table.phase is not Phase.DEALING or not this_round(table).insurance.offer_open:
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.INSURANCE)
    return (close_offer(book, table),)


def close_offer(book: Rulebook, table: Table) -> InsuranceClosed:
    """The event that closes the offer.

    With the setting ``forgone_for_the_round``, players who could have taken it and did not cannot take the next one.
    """
    now = this_round(table)
    if not open_settings(table).forgone_for_the_round:
        return InsuranceClosed()
    able = set()
    for placed in now.bets.values():
        if placed.bet != now.insurance.offer_side:
            continue
        bounds = insurance_bounds(book, table, placed.who, placed.box)
        if isinstance(bounds, tuple) and bounds[1] > 0:
            able.add(placed.who)
    took = {covered.who for covered in now.insurance.cover if covered.stage is now.insurance.offered[-1]}
    forgone = tuple(sorted(able - took))
    return InsuranceClosed(forgone, book.topics[Topic.INSURANCE_FORGONE] if forgone else ())


def on_insurance_closed(table: Table, event: InsuranceClosed) -> Table:
    now = this_round(table)
    forgone = now.insurance.forgone.union(event.forgone)
    return replace(table, round=with_insurance(now, offer_open=False, forgone=forgone))


DECIDERS: Deciders = {
    OpenInsurance: open_insurance,
    TakeInsurance: take_insurance,
    CloseInsurance: close_insurance,
}

EVOLVERS: Evolvers = {
    InsuranceOffered: on_insurance_offered,
    InsuranceMissed: on_insurance_missed,
    InsuranceTaken: on_insurance_taken,
    InsuranceClosed: on_insurance_closed,
}
