"""Correcting a payment: what was handed over after the settlement is not what was due."""

from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.corrections.timing import check_felt, check_settled, check_total
from punto.table.decision import Deciders, Decision, check_reason, this_round
from punto.table.evolution import evolve
from punto.table.play.seating import gone_events
from punto.table.records.correction_events import PaymentCorrected
from punto.table.records.corrections import CorrectPayment
from punto.table.records.ledger import MISPAID, chips, merge_postings, transfer
from punto.table.records.state import BetKey, Round, Table
from punto.table.refusals import TableCode, refuse


def correct_payment(book: Rulebook, table: Table, command: CorrectPayment) -> Decision:
    """The player keeps what was not recovered. A later correction of the same payment replaces this one."""
    refusal = check_felt(book, table) or check_settled(book, table) or check_reason(book, command.reason, needed=True)
    refusal = refusal or check_total(book, command.paid_minor) or check_total(book, command.recovered_minor)
    if refusal is not None:
        return refusal
    now, key = this_round(table), (command.who, command.box, command.bet)
    due_minor, stake_minor = due_for(now, key)
    if due_minor is None:
        who, bet, box = command.who[:40], command.bet[:40], command.box
        return refuse(book, TableCode.NO_SUCH_BET, who=who, bet=bet, box=box)
    if refusal := _check_recovered(book, command, due_minor):
        return refusal
    clauses = book.topics[Topic.CHIPS_POSITION]
    amounts = (due_minor, command.paid_minor, command.recovered_minor)
    event = PaymentCorrected(*key, *amounts, command.by, clauses, command.reason, stake_minor, postings=())
    moved_minor = event.mispaid_minor - now.mispaid.get(key, 0)
    if not moved_minor:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, variant="payment", due=Money(due_minor))
    postings = merge_postings(transfer(MISPAID, chips(command.who), moved_minor))
    event = replace(event, postings=postings)
    return (event,) if command.who in table.people else (event, *gone_events(evolve(table, event), command.who, 0))


def due_for(now: Round, key: BetKey) -> tuple[int | None, int]:
    """What the bet returns, insurance at both stages together, and its stake; None and 0 if there is no such bet."""
    returned = now.insurance.returned_uninsured.get(key)
    if returned is not None:
        return returned.placed.stake_minor, returned.placed.stake_minor
    results = [result for result in now.results if (result.who, result.box, result.bet) == key]
    staked_minor = sum(result.stake_minor for result in results)
    return sum(result.returned_minor for result in results) if results else None, staked_minor


def _check_recovered(book: Rulebook, command: CorrectPayment, due_minor: int) -> Refusal | None:
    """Refuse to recover more than was paid too much."""
    over_minor = max(command.paid_minor - due_minor, 0)
    if command.recovered_minor <= over_minor:
        return None
    return refuse(book, TableCode.NOTHING_TO_CORRECT, variant="recovered", due=Money(due_minor), most=Money(over_minor))


DECIDERS: Deciders = {
    CorrectPayment: correct_payment,
}
