"""The tables ``pins`` and ``totp``: what somebody shows besides their password."""

from collections.abc import Iterable
from typing import Any

from punto.floor.database.base import Transaction
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.projection import Delete, Need, Operation, Projection, Put, Values
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import PasswordChanged, PinSet, TotpSetUp
from punto.floor.names.names import fold


class PinsTable(Projection):
    table = "pins"
    thing = "PIN of"
    fault = FaultCode.ACCOUNT_DIFFERS
    key = ("folded",)
    committed = ("fingerprint",)
    stored = ("hash",)
    kinds = (PinSet, PasswordChanged)

    def apply(self, event: PinSet | PasswordChanged, entry: Entry) -> Iterable[Operation]:  # noqa: ARG002
        if isinstance(event, PinSet):
            yield Need("accounts", {"name": event.name})
            yield Put({"folded": fold(event.name), "fingerprint": event.fingerprint}, anew=True)
        elif event.one_time:
            yield Delete({"folded": fold(event.name)})

    def compared(self, row: dict[str, Any]) -> Values:
        return {**row, "fingerprint": fingerprint(str(row["hash"]))}


class TotpTable(Projection):
    table = "totp"
    thing = "TOTP of"
    fault = FaultCode.ACCOUNT_DIFFERS
    key = ("folded",)
    committed = ("fingerprint",)
    stored = ("secret", "next_secret")
    volatile = ("used_step",)
    kinds = (TotpSetUp, PasswordChanged)

    def apply(self, event: TotpSetUp | PasswordChanged, entry: Entry) -> Iterable[Operation]:  # noqa: ARG002
        if isinstance(event, TotpSetUp):
            yield Need("accounts", {"name": event.name})
            yield Put({"folded": fold(event.name), "fingerprint": event.fingerprint, "next_secret": b""}, anew=True)
        elif event.one_time:
            yield Delete({"folded": fold(event.name)})

    def compared(self, row: dict[str, Any]) -> Values | None:
        """Not of a secret that nobody has confirmed."""
        return {**row, "fingerprint": fingerprint(row["secret"])} if row["secret"] else None


def propose_secret(transaction: Transaction, name: str, sealed: bytes) -> None:
    """Store a secret that nobody has confirmed yet."""
    transaction.change(
        "INSERT INTO totp (folded, secret, next_secret, used_step) VALUES (?, ?, ?, 0)"
        " ON CONFLICT (folded) DO UPDATE SET next_secret = excluded.next_secret",
        (fold(name), b"", sealed),
    )


def note_step(transaction: Transaction, name: str, step: int) -> None:
    """A code of this time step was used up."""
    transaction.change("UPDATE totp SET used_step = ? WHERE folded = ?", (step, fold(name)))
