"""What the house records about a shoe: its cut card, its end, and its inspection after it was taken off."""

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, check_reason, open_settings
from punto.table.play.opening import (
    check_between_rounds,
    check_taken_off,
    reconcile,
    shoes_in_use,
    without_shoe,
)
from punto.table.records.commands import CutCardOut, EndShoe
from punto.table.records.events import CutCardReached, ShoeReconciled
from punto.table.records.findings import ShoeInspected
from punto.table.records.kinds import ShoeCheck
from punto.table.records.reports import InspectShoe
from punto.table.records.state import Table
from punto.table.refusals import TableCode, refuse


def check_cut_card_in(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse to announce a cut card that is out, or that there is none of."""
    shoe = table.shoe
    if shoe is None:
        return refuse(book, TableCode.NO_SHOE)
    if shoe.continuous is not None:
        return refuse(book, TableCode.NO_CUT_CARD, Topic.ELECTRONIC_SHUFFLER)
    return refuse(book, TableCode.CUT_CARD_IS_OUT) if shoe.cut_card_out else None


def cut_card_out(book: Rulebook, table: Table, _: CutCardOut) -> Decision:
    """The dealer announces the cut card, whatever the count says."""
    if refusal := check_cut_card_in(book, table):
        return refusal
    shoe = table.shoe
    assert shoe is not None  # noqa: S101 - its cut card is in
    last = open_settings(table).rounds_after_cut_card == 0
    return (CutCardReached(shoe.id, last, announced_left=shoe.left),)


def end_shoe(book: Rulebook, table: Table, command: EndShoe) -> Decision:
    """Take the shoe off and put dealt, burned and left on record. A difference is recorded, never refused."""
    if refusal := check_between_rounds(book, table):
        return refusal
    if table.shoe is None:
        return refuse(book, TableCode.NO_SHOE)
    return (reconcile(book, table.shoe, command.left),)


def on_shoe_reconciled(table: Table, _: ShoeReconciled) -> Table:
    return without_shoe(table)


def inspect_shoe(book: Rulebook, table: Table, command: InspectShoe) -> Decision:
    """Record an inspection. A shoe that is replaced from the next round on is inspected when it is off the table."""
    if command.shoe in shoes_in_use(table):
        return refuse(book, TableCode.SHOE_IN_USE, variant="inspect", shoe=command.shoe[:40])
    refusal = check_taken_off(book, table, command.shoe) or check_reason(book, command.reason, needed=True)
    return refusal or (ShoeInspected(command.shoe, command.reason),)


def on_shoe_inspected(table: Table, event: ShoeInspected) -> Table:
    return replace(table, taken_off={**table.taken_off, event.shoe: ShoeCheck.INSPECTED})


DECIDERS: Deciders = {
    CutCardOut: cut_card_out,
    EndShoe: end_shoe,
    InspectShoe: inspect_shoe,
}

EVOLVERS: Evolvers = {
    ShoeReconciled: on_shoe_reconciled,
    ShoeInspected: on_shoe_inspected,
}
