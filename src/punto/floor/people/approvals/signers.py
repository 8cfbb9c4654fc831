"""Who still stands for what they have proposed, counted or approved, in the transaction that carries it out.

A proposal or a first count waits while people come and go. Anyone who was stopped since then, no longer holds the
position or no longer deals at the table does not sign, and what they left behind is over.
"""

from collections.abc import Callable, Collection

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.accounts import Holder, find_account
from punto.floor.house.projections.duty import OnDuty, find_on_duty
from punto.floor.journal.actor import Actor
from punto.floor.people.stopped_people import was_stopped_since
from punto.table.records.positions import Position

SignsStill = Callable[[str, int, str, Collection[Position]], bool]


def signers(transaction: Transaction) -> SignsStill:
    """Tells whether somebody who signed at a moment still stands for it: name, moment, table, positions that may.

    ``table`` is empty for what is not about one. Who is on duty is read once.
    """
    on_duty: OnDuty | None = None

    def signs(name: str, since_us: int, table: str, may: Collection[Position]) -> bool:
        nonlocal on_duty
        account = find_account(transaction, name)
        if account is None or account.holder is not Holder.PERSON or account.position not in may:
            return False
        if was_stopped_since(transaction, account.name, since_us):
            return False
        if not table or account.position is not Position.DEALER:
            return True
        if on_duty is None:
            on_duty = find_on_duty(transaction)
        return on_duty.lets_act(Actor(account.name, account.position), table, since_us)

    return signs


def require_signs(transaction: Transaction, name: str, since_us: int, table: str, may: Collection[Position]) -> None:
    """Refuse what somebody left behind who no longer stands for it."""
    if not signers(transaction)(name, since_us, table, may):
        raise FloorRefused(FloorCode.PROPOSAL_OVER, variant="proposer", by=name)


def require_acts(transaction: Transaction, by: Actor, table: str, now_us: int) -> None:
    """Refuse somebody who was stopped, or lost their position, after they had asked."""
    if not signers(transaction)(by.name, now_us, table, {by.position}):
        raise FloorRefused(FloorCode.NO_POSITION, name=by.name)
