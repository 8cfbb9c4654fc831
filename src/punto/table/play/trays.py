"""The table's tray: fills from the cage, credits to it, and counts."""

from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.table.decision import Deciders, Decision, Evolvers, check_reason
from punto.table.records.chips import (
    MAX_PILES,
    ChipPile,
    CountTray,
    ReceiveSlip,
    RequestSlip,
    SendSlip,
    Slip,
    SlipKind,
    SlipReceived,
    SlipRequested,
    SlipSent,
    SlipVoided,
    TrayCounted,
    VoidSlip,
    total_minor,
)
from punto.table.records.ledger import (
    CAGE,
    FLOAT,
    MAX_AMOUNT_MINOR,
    UNEXPLAINED,
    Posting,
    merge_postings,
    transfer,
    tray_minor,
)
from punto.table.records.state import Table
from punto.table.refusals import TableCode, refuse


def request_slip(book: Rulebook, table: Table, command: RequestSlip) -> Decision:
    if not command.piles:
        return refuse(book, TableCode.BAD_PILES)
    refusal = _check_piles(book, command.piles)
    return refusal or (SlipRequested(table.last_slip + 1, command.kind, command.piles),)


def _check_piles(book: Rulebook, piles: tuple[ChipPile, ...]) -> Refusal | None:
    """Refuse piles that are not one for each denomination, or more chips than any table has."""
    values = [pile.value_minor for pile in piles]
    if len(piles) > MAX_PILES:
        return refuse(book, TableCode.BAD_PILES, variant="number", most=MAX_PILES)
    if any(pile.value_minor < 1 or pile.count < 1 for pile in piles):
        return refuse(book, TableCode.BAD_PILES, variant="empty")
    if twice := next((value for at, value in enumerate(values) if value in values[:at]), 0):
        return refuse(book, TableCode.BAD_PILES, variant="twice", value=Money(twice))
    if total_minor(piles) > MAX_AMOUNT_MINOR:
        return refuse(book, Code.AMOUNT_TOO_LARGE, variant="most", most=Money(MAX_AMOUNT_MINOR))
    return None


def on_slip_requested(table: Table, event: SlipRequested) -> Table:
    slip = Slip(event.slip, event.kind, event.piles)
    return replace(table, slips={**table.slips, event.slip: slip}, last_slip=event.slip)


def send_slip(book: Rulebook, table: Table, command: SendSlip) -> Decision:
    slip = _find(book, table, command.slip)
    if isinstance(slip, Refusal):
        return slip
    if slip.sent:
        return refuse(book, TableCode.SLIP_SENT, slip=slip.number)
    return (SlipSent(slip.number, slip.kind, slip.amount_minor, postings=_moves(slip)),)


def on_slip_sent(table: Table, event: SlipSent) -> Table:
    return replace(table, slips={**table.slips, event.slip: replace(table.slips[event.slip], sent=True)})


def receive_slip(book: Rulebook, table: Table, command: ReceiveSlip) -> Decision:
    slip = _find(book, table, command.slip)
    if isinstance(slip, Refusal):
        return slip
    if not slip.sent:
        return refuse(book, TableCode.SLIP_NOT_SENT, slip=slip.number)
    return (SlipReceived(slip.number, slip.kind, slip.amount_minor, postings=_moves(slip)),)


def _moves(slip: Slip) -> tuple[Posting, ...]:
    """What the next step of a slip moves: a fill into the tray, a credit out of it."""
    if not slip.moves_next:
        return ()
    source, target = (CAGE, FLOAT) if slip.kind is SlipKind.FILL else (FLOAT, CAGE)
    return transfer(source, target, slip.amount_minor)


def void_slip(book: Rulebook, table: Table, command: VoidSlip) -> Decision:
    """A fill can come back from the way to the table. Chips of a credit that have left the tray come back as a fill."""
    slip = _find(book, table, command.slip)
    if isinstance(slip, Refusal):
        return slip
    if slip.sent and slip.kind is SlipKind.CREDIT:
        return refuse(book, TableCode.SLIP_SENT, variant="void", slip=slip.number)
    if refusal := check_reason(book, command.reason, needed=True):
        return refusal
    return (SlipVoided(slip.number, slip.kind, slip.amount_minor, command.reason),)


def _find(book: Rulebook, table: Table, number: int) -> Slip | Refusal:
    return table.slips.get(number) or refuse(book, TableCode.NO_SUCH_SLIP, slip=number)


def on_slip_ended(table: Table, event: SlipReceived | SlipVoided) -> Table:
    return replace(table, slips={number: slip for number, slip in table.slips.items() if number != event.slip})


def count_tray(book: Rulebook, table: Table, command: CountTray) -> Decision:
    """In any phase: chips on the felt are not in the tray. The difference is posted as unexplained."""
    if refusal := _check_piles(book, command.piles):
        return refusal
    counted_minor, expected_minor = total_minor(command.piles), tray_minor(table.balances)
    postings = merge_postings(transfer(UNEXPLAINED, FLOAT, counted_minor - expected_minor))
    return (TrayCounted(command.purpose, command.piles, counted_minor, expected_minor, postings=postings),)


def on_tray_counted(table: Table, _: TrayCounted) -> Table:
    """The postings are all."""
    return table


def check_slips_done(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse while a slip is open."""
    return refuse(book, TableCode.SLIP_OPEN, slip=min(table.slips)) if table.slips else None


DECIDERS: Deciders = {
    RequestSlip: request_slip,
    SendSlip: send_slip,
    ReceiveSlip: receive_slip,
    VoidSlip: void_slip,
    CountTray: count_tray,
}

EVOLVERS: Evolvers = {
    SlipRequested: on_slip_requested,
    SlipSent: on_slip_sent,
    SlipReceived: on_slip_ended,
    SlipVoided: on_slip_ended,
    TrayCounted: on_tray_counted,
}
