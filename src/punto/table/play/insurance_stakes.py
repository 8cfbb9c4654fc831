"""Insurance stakes: what a player can put on an offer, and what lies on the felt."""

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.values import Money, Odds
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.refusals import Clause, Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import (
    Deciders,
    Decision,
    Evolvers,
    coup_of,
    is_recorded,
    open_settings,
    staff_clauses,
    this_round,
)
from punto.table.play.insuring import (
    card_is_exposed,
    due_offer,
    insurance_in_chips,
    insurance_room,
    is_offered_to,
    largest_stake,
    line_on_offer,
    may_insure,
    offer_event,
    ordinary_room,
    playing_stake,
    points_at,
    visible_coup,
)
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import check_amount, check_box, check_chips, check_comer, check_here
from punto.table.play.staking import stake_postings, with_brought
from punto.table.records.commands import CallInsurance, PassInsurance, TakeInsurance
from punto.table.records.events import Event, InsuranceFlag, InsuranceFlagged, InsurancePassed, InsuranceTaken
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.state import Phase, Round, Table, TakenInsurance, with_insurance
from punto.table.refusals import TableCode, refuse, too_large


def insurance_bounds(book: Rulebook, table: Table, who: str, box: int) -> tuple[InsuranceLine, int] | Refusal:
    """The offer and the largest stake a player can put on it, or why they cannot take it."""
    now = this_round(table) if table.phase is Phase.DEALING else None
    if now is None or not now.insurance.offer_stands or book.insurance is None:
        return _not_open(book, table, who)
    if refusal := check_nothing_pending(book, table):
        return refusal
    line = line_on_offer(book, table)
    placed = now.bets.get((who, box, line.side))
    if placed is None:
        return refuse(
            book, Code.NO_ORIGINAL_BET, Topic.INSURED_BET, variant="in_box", who=who[:40], side=line.side, box=box
        )
    if refusal := check_here(book, table, who):
        return refusal
    if refusal := _has_forgone(book, now, who):
        return refusal
    if not is_offered_to(now, who):
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.LATE_INSURANCE, variant="late")
    return line, largest_stake(book, table, line, placed, late=now.insurance.offer_late)


def _not_open(book: Rulebook, table: Table, who: str) -> Refusal:
    """Why a player cannot insure while no offer stands."""
    if open_settings(table).no_insurance:
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.NO_INSURANCE, variant="none_here")
    refusal = _has_forgone(book, this_round(table), who) if table.phase is Phase.DEALING else None
    return refusal or refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.INSURANCE)


def _has_forgone(book: Rulebook, now: Round, who: str) -> Refusal | None:
    """Refuse somebody who left, even if they are back in a round that was reopened, or who passed on an offer."""
    if who not in now.left and who not in now.insurance.forgone:
        return None
    topic = Topic.WALKING_AWAY if who in now.left else Topic.INSURANCE_FORGONE
    return refuse(book, TableCode.INSURANCE_FORGONE, topic, who=who)


class FeltRoom(Struct, frozen=True):
    """How much of the insurance that lies on the felt can play, and why no more."""

    line: InsuranceLine | None
    room_minor: int
    """What the cap leaves."""
    why: InsuranceFlag
    topic: Topic
    largest_minor: int = 0
    """What chips can make of it: the largest stake to offer, or to take for somebody who named none."""


def felt_room(book: Rulebook, table: Table, who: str, box: int) -> FeltRoom:
    """The room on the offer that stands, or on one that is due: chips on it show that it was made."""
    now = this_round(table)
    stands = now.insurance.offer_stands
    if stands:
        line: InsuranceLine | None = line_on_offer(book, table)
    else:
        line = None if card_is_exposed(table) else due_offer(book, table, coup_of(book, table))
    if line is None:
        return _no_offer(table, who)
    placed = now.bets.get((who, box, line.side))
    if placed is None:
        return FeltRoom(line, 0, InsuranceFlag.NO_ORIGINAL_BET, Topic.INSURED_BET)
    if who in now.left:
        return FeltRoom(line, 0, InsuranceFlag.FORGONE, Topic.WALKING_AWAY)
    if who in now.insurance.forgone:
        return FeltRoom(line, 0, InsuranceFlag.FORGONE, Topic.INSURANCE_FORGONE)
    if not is_offered_to(now, who):
        return FeltRoom(line, 0, InsuranceFlag.NO_OFFER, Topic.LATE_INSURANCE)
    room = insurance_room(book, table, line, placed, late=stands and now.insurance.offer_late)
    late = room < ordinary_room(book, table, line, placed)
    topic, largest = Topic.LATE_INSURANCE if late else Topic.INSURANCE_CAP, insurance_in_chips(table, room)
    return FeltRoom(line, room, InsuranceFlag.ABOVE_CAP, topic, largest)


def _no_offer(table: Table, who: str) -> FeltRoom:
    """Nothing can play: none is ever offered here, the player has forgone it, or none is on offer."""
    now = this_round(table)
    if open_settings(table).no_insurance:
        return FeltRoom(None, 0, InsuranceFlag.NO_OFFER, Topic.NO_INSURANCE)
    if who in now.left:
        return FeltRoom(None, 0, InsuranceFlag.FORGONE, Topic.WALKING_AWAY)
    if who in now.insurance.forgone:
        return FeltRoom(None, 0, InsuranceFlag.FORGONE, Topic.INSURANCE_FORGONE)
    return FeltRoom(None, 0, InsuranceFlag.NO_OFFER, Topic.INSURANCE)


def take_insurance(book: Rulebook, table: Table, command: TakeInsurance) -> Decision:
    """Accept insurance within the cap. It can be raised, but not withdrawn."""
    by_staff = staff_clauses(book, table, command.by, command.who, on_behalf=command.on_behalf)
    if is_recorded(table, command.position):
        return _check_amount(book, command.stake_minor) or _record(book, table, command, by_staff)
    bounds = insurance_bounds(book, table, command.who, command.box)
    if isinstance(bounds, Refusal):
        return bounds
    line, most = bounds
    refusal = _check_stake(book, table, command, line, command.stake_minor, most)
    if refusal := refusal or check_chips(book, table, command.who, command.stake_minor):
        return refusal
    return (_taken_event(book, table, command, line, command.stake_minor, by_staff),)


def call_insurance(book: Rulebook, table: Table, command: CallInsurance) -> Decision:
    """Accept insurance that a player has told the dealer of. At a felt table the chips can follow later."""
    clauses = book.topics[Topic.INSURANCE_FORGONE]
    who, stake_minor = command.who, command.stake_minor
    if is_recorded(table, command.position):
        refusal = None if stake_minor is None else _check_amount(book, stake_minor)
        return refusal or _record(book, table, command, clauses)
    bounds = insurance_bounds(book, table, who, command.box)
    if isinstance(bounds, Refusal):
        return bounds
    line, most = bounds
    if stake_minor is None:  # at least 1, because a refusal says why nothing is allowed
        stake_minor = max(min(most, table.chips_minor(who)), 1)
    refusal = _check_stake(book, table, command, line, stake_minor, most) or check_chips(book, table, who, stake_minor)
    return refusal or (_taken_event(book, table, command, line, stake_minor, clauses),)


def _record(
    book: Rulebook, table: Table, command: TakeInsurance | CallInsurance, clauses: tuple[Clause, ...]
) -> Decision:
    """Take what lies on the felt as far as it can play. The rest is flagged and goes back: it is the newest.

    Of more than the cap, what chips can make of the cap plays.
    """
    who, box, wanted_minor = command.who, command.box, command.stake_minor
    if refusal := _check_record(book, table, command):
        return refusal
    found = felt_room(book, table, who, box)
    room_minor = found.room_minor
    plays_minor = found.largest_minor if wanted_minor is None else playing_stake(table, wanted_minor, room_minor)
    events: list[Event] = []
    if found.line is not None and plays_minor:
        events += [] if this_round(table).insurance.offer_stands else [offer_event(found.line)]
        events.append(_taken_event(book, table, command, found.line, plays_minor, clauses))
    if not plays_minor or plays_minor < (wanted_minor or 0):
        stage = None if found.line is None else found.line.stage
        back_minor = 0 if wanted_minor is None else wanted_minor - plays_minor
        events.append(InsuranceFlagged(who, box, stage, back_minor, found.why, book.topics[found.topic]))
    return tuple(events)


def _check_record(book: Rulebook, table: Table, command: TakeInsurance | CallInsurance) -> Refusal | None:
    """Refuse insurance outside a coup, and what names no person or box."""
    if table.phase is not Phase.DEALING:
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.INSURANCE)
    refusal = check_nothing_pending(book, table) or check_box(book, table, command.box)
    return refusal or check_comer(book, table, command.who)


def _check_amount(book: Rulebook, stake_minor: int) -> Refusal | None:
    if refusal := check_amount(book, stake_minor):
        return refusal
    return too_large(book, Topic.INSURANCE) if stake_minor > MAX_AMOUNT_MINOR else None


def _check_stake(
    book: Rulebook,
    table: Table,
    command: TakeInsurance | CallInsurance,
    line: InsuranceLine,
    stake_minor: int,
    most_minor: int,
) -> Refusal | None:
    """Refuse a stake above ``most_minor``, and cite the cap that is the lower one."""
    if refusal := check_amount(book, stake_minor):
        return refusal
    if stake_minor <= most_minor:
        return None
    placed = this_round(table).bets[command.who, command.box, line.side]
    odds, most = Odds(line.odds_text), Money(most_minor)
    if most_minor < insurance_in_chips(table, ordinary_room(book, table, line, placed)):
        return refuse(book, Code.INSURANCE_ABOVE_CAP, Topic.LATE_INSURANCE, variant="late", odds=odds, most=most)
    return refuse(book, Code.INSURANCE_ABOVE_CAP, Topic.INSURANCE_CAP, variant="more", odds=odds, most=most)


def _taken_event(
    book: Rulebook,
    table: Table,
    command: TakeInsurance | CallInsurance,
    line: InsuranceLine,
    stake_minor: int,
    clauses: tuple[Clause, ...],
) -> InsuranceTaken:
    """With these clauses besides the line's."""
    coup = visible_coup(book, table)
    assert coup is not None  # noqa: S101 - the line comes from these cards
    return InsuranceTaken(
        command.who,
        command.box,
        line.side,
        line.stage,
        *points_at(line.stage, coup),
        line.odds_text,
        stake_minor,
        command.by,
        (line.clause, *clauses),
        isinstance(command, CallInsurance),
        postings=stake_postings(table, command.who, stake_minor),
    )


def pass_insurance(book: Rulebook, table: Table, command: PassInsurance) -> Decision:
    """Only for the record, and so that nobody waits for the player: the offer can still be taken."""
    bounds = insurance_bounds(book, table, command.who, command.box)
    if isinstance(bounds, Refusal):
        return bounds
    if (command.who, command.box) in this_round(table).insurance.passed:
        named = {"who": command.who, "box": command.box}
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, Topic.INSURANCE, variant="passed", **named)
    return (InsurancePassed(command.who, command.box, bounds[0].stage, book.topics[Topic.INSURANCE]),)


def on_insurance_passed(table: Table, event: InsurancePassed) -> Table:
    now = this_round(table)
    return replace(table, round=with_insurance(now, passed=now.insurance.passed | {(event.who, event.box)}))


def waited_for(book: Rulebook, table: Table) -> set[tuple[str, int]]:
    """The players who can take the open offer and have not answered it, each with the box.

    At a felt table nobody knows who has answered, nor which chips a player has: it is everybody with room.
    """
    now = this_round(table)
    if not now.insurance.offer_open:
        return set()
    line, felt = line_on_offer(book, table), open_settings(table).felt
    answered = {(each.who, each.box) for each in now.insurance.cover if each.stage is line.stage} | now.insurance.passed
    late = now.insurance.offer_late
    return {
        (placed.who, placed.box)
        for placed in now.bets.values()
        if placed.bet == line.side
        and may_insure(now, placed.who)
        and (placed.who, placed.box) not in answered
        and (felt or table.chips_minor(placed.who) > 0)
        and largest_stake(book, table, line, placed, late=late) > 0
    }


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
        event.called,
        now.insurance.offer_late,
    )
    now = with_brought(now, event.who, event.postings)
    before = now.insurance
    offer = replace(before.last_offer, taken_by=before.last_offer.taken_by | {event.who})
    offers = {**before.offers, before.offered[-1]: offer} if before.offered else before.offers
    return replace(table, round=with_insurance(now, cover=(*before.cover, covered), offers=offers))


def on_insurance_flagged(table: Table, _: InsuranceFlagged) -> Table:
    """No state: the event is only a record."""
    return table


DECIDERS: Deciders = {
    TakeInsurance: take_insurance,
    CallInsurance: call_insurance,
    PassInsurance: pass_insurance,
}

EVOLVERS: Evolvers = {
    InsuranceTaken: on_insurance_taken,
    InsurancePassed: on_insurance_passed,
    InsuranceFlagged: on_insurance_flagged,
}
