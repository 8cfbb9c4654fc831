"""Insurance at the table: due, offered, taken, over."""

from msgspec.structs import replace

from punto.rules.coup import Coup
from punto.rules.insurance import InsuranceLine, Stage, Taken
from punto.rules.money import to_one, write_amount
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.commands import CloseInsurance, OpenInsurance, TakeInsurance
from punto.table.decision import Decision, by_staff, coup_of, open_settings, this_round
from punto.table.events import Event, InsuranceClosed, InsuranceMissed, InsuranceOffered, InsuranceTaken
from punto.table.ledger import FELT, chips, moved
from punto.table.refusals import Refusal, TableCode, refuse
from punto.table.seating import away, bad_amount, not_enough
from punto.table.state import Covered, Phase, Table


def due_offer(book: Rulebook, table: Table, coup: Coup) -> InsuranceLine | None:
    """The offer that the cards give now and that somebody could take; None if it was made or cannot be."""
    now = this_round(table)
    if book.insurance is None or open_settings(table).no_insurance or None in now.cards:
        return None
    line = book.insurance.open_offer(coup)
    if line is None or line.stage in now.offered or line.stage in now.missed:
        return None
    if now.waived and line.stage is Stage.THIRD:
        return None
    could = (p for p in now.bets.values() if p.bet == line.side and p.who not in now.away | now.forgone)
    return line if any(could) else None


def before_next_card(book: Rulebook, table: Table, coup: Coup) -> tuple[Event, ...] | Refusal:
    """What the next card brings to an end: an open offer closes; one that is due must not go by."""
    if this_round(table).offer_open:
        return (_closed(book, table),)
    line = due_offer(book, table, coup)
    if line is None:
        return ()
    if open_settings(table).observing:
        missed = book.topics[Topic.INSURANCE_NOT_OFFERED]
        return (InsuranceMissed(line.stage, line.side, line.odds_text, missed),)
    detail = f"{line.side} insurance at {to_one(line.odds_text)} has to be offered first"
    return refuse(book, TableCode.INSURANCE_DUE, detail, Topic.INSURANCE)


def on_insurance_missed(table: Table, event: InsuranceMissed) -> Table:
    """For the record, and for what the book says of it."""
    now = this_round(table)
    return replace(table, round=replace(now, missed=(*now.missed, event.stage)))


def open_insurance(book: Rulebook, table: Table, _: OpenInsurance) -> Decision:
    """The offer of the moment, to all who have a bet on that side."""
    line = due_offer(book, table, coup_of(book, table)) if table.phase is Phase.DEALING else None
    if line is None:
        return refuse(book, TableCode.NO_INSURANCE_DUE, "no insurance is to be offered now", Topic.INSURANCE)
    return (InsuranceOffered(line.stage, line.side, line.odds_text, (line.clause,)),)


def on_insurance_offered(table: Table, event: InsuranceOffered) -> Table:
    """Until the next card."""
    now = this_round(table)
    offered = (*now.offered, event.stage)
    return replace(table, round=replace(now, offered=offered, offer_open=True, offer_side=event.side))


def insurance_bounds(book: Rulebook, table: Table, who: str, box: int) -> tuple[InsuranceLine, int] | Refusal:
    """The open offer and the most that a player may put on it, or why he may not."""
    now = this_round(table) if table.phase is Phase.DEALING else None
    if now is None or not now.offer_open or book.insurance is None:
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, "no insurance is on offer", Topic.INSURANCE)
    coup = coup_of(book, table)
    line = book.insurance.open_offer(coup)
    assert line is not None  # noqa: S101 - it is open
    placed = now.bets.get((who, box, line.side))
    if placed is None:
        detail = f"{who[:40]!r} has no bet on {line.side} in box {box} to insure"
        return refuse(book, TableCode.NO_ORIGINAL_BET, detail, Topic.INSURED_BET)
    if refusal := away(book, table, who):
        return refusal
    if who in now.forgone:
        detail = f"{who!r} has forgone insurance for this round"
        return refuse(book, TableCode.INSURANCE_FORGONE, detail, Topic.INSURANCE_FORGONE)
    taken = [
        Taken(covered.stage, line_of(book, covered).odds, covered.stake_minor)
        for covered in now.cover
        if (covered.who, covered.box, covered.side) == (who, box, line.side)
    ]
    maximum = open_settings(table).maximum_minor
    return line, book.insurance.cap.room_minor(line, placed.stake_minor, taken, maximum)


def line_of(book: Rulebook, covered: Covered) -> InsuranceLine:
    """The line of the pay table that insurance was taken on."""
    assert book.insurance is not None  # noqa: S101 - it was on offer
    line = book.insurance.line(covered.stage, covered.player, covered.banker)
    assert line is not None  # noqa: S101 - as above
    return line


def take_insurance(book: Rulebook, table: Table, command: TakeInsurance) -> Decision:
    """Within the cap; it can be added to, never withdrawn."""
    bounds = insurance_bounds(book, table, command.who, command.box)
    if isinstance(bounds, Refusal):
        return bounds
    line, most = bounds
    if refusal := bad_amount(book, command.stake_minor):
        return refusal
    if command.stake_minor > most:
        detail = f"at {to_one(line.odds_text)} {write_amount(most)} more can be taken here at the most"
        return refuse(book, TableCode.INSURANCE_ABOVE_CAP, detail, Topic.INSURANCE_CAP)
    if refusal := not_enough(book, table, command.who, command.stake_minor):
        return refusal
    postings = moved(chips(command.who), FELT, command.stake_minor)
    player, banker, third, _ = coup_of(book, table).partial
    if line.stage is Stage.THIRD:
        player = (player + third) % 10
    return (
        InsuranceTaken(
            command.who,
            command.box,
            line.side,
            line.stage,
            player,
            banker,
            line.odds_text,
            command.stake_minor,
            command.by,
            (line.clause, *by_staff(book, command.by, command.who)),
            postings=postings,
        ),
    )


def on_insurance_taken(table: Table, event: InsuranceTaken) -> Table:
    """It stands."""
    now = this_round(table)
    covered = Covered(
        event.who,
        event.side,
        event.stage,
        event.player,
        event.banker,
        event.stake_minor,
        event.box,
        event.placed_by,
    )
    return replace(table, round=replace(now, cover=(*now.cover, covered)))


def close_insurance(book: Rulebook, table: Table, _: CloseInsurance) -> Decision:
    """Before the next card."""
    if table.phase is not Phase.DEALING or not this_round(table).offer_open:
        return refuse(book, TableCode.INSURANCE_NOT_OPEN, "no insurance is on offer", Topic.INSURANCE)
    return (_closed(book, table),)


def _closed(book: Rulebook, table: Table) -> InsuranceClosed:
    """By the literal reading whoever could have taken the offer and did not has forgone the next one."""
    now = this_round(table)
    if not open_settings(table).forgone_for_the_round:
        return InsuranceClosed()
    could = set()
    for placed in now.bets.values():
        bounds = insurance_bounds(book, table, placed.who, placed.box) if placed.bet == now.offer_side else None
        if isinstance(bounds, tuple) and bounds[1] > 0:
            could.add(placed.who)
    took = {covered.who for covered in now.cover if covered.stage is now.offered[-1]}
    forgone = tuple(sorted(could - took))
    return InsuranceClosed(forgone, book.topics[Topic.INSURANCE_FORGONE] if forgone else ())


def on_insurance_closed(table: Table, event: InsuranceClosed) -> Table:
    """The offer is over."""
    now = this_round(table)
    return replace(table, round=replace(now, offer_open=False, forgone=now.forgone.union(event.forgone)))
