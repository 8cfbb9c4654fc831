"""The table ``accounts``: the staff and the machines of the house."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from msgspec import Struct

from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.positions import OFF, position_of
from punto.floor.house.projection import Need, Operation, Projection, Put, Stored, Update, Values
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import (
    AccountCreated,
    AccountRecorded,
    HouseEvent,
    PasswordChanged,
    PositionAssigned,
    SignedIn,
)
from punto.floor.names.names import fold
from punto.table.records.positions import Position


class Holder(StrEnum):
    PERSON = "person"
    MACHINE = "machine"


class Account(Struct, frozen=True):
    name: str
    holder: Holder
    position: Position | None
    """None if off duty."""
    to_change: bool
    """Whether the password is a one-time password."""
    password: str = ""
    """Hash of the password; empty for a machine."""
    one_time_until_us: int = 0
    """When a one-time password expires; 0 for any other."""


class AccountsTable(Projection):
    table = "accounts"
    thing = "account"
    fault = FaultCode.ACCOUNT_DIFFERS
    key = ("name",)
    derived = ("folded", "kind", "position", "to_change", "one_time_until_us")
    committed = ("fingerprint",)
    stored = ("password",)
    kinds = (AccountCreated, AccountRecorded, PositionAssigned, PasswordChanged, SignedIn)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:  # noqa: ARG002
        match event:
            case AccountCreated():
                until = {"to_change": int(event.kind == Holder.PERSON), "one_time_until_us": event.one_time_until_us}
                account = {
                    "kind": event.kind,
                    "position": event.position,
                    "fingerprint": event.password,
                    "password": "",
                }
                yield Put({"folded": fold(event.name), "name": event.name, **account, **until})
            case AccountRecorded():
                until = {"to_change": int(event.to_change), "one_time_until_us": event.one_time_until_us}
                yield self._change(event.name, {"kind": event.kind, "fingerprint": event.password, **until})
            case PositionAssigned():
                yield self._change(event.name, {"position": event.position})
            case PasswordChanged():
                until = {"to_change": int(event.one_time), "one_time_until_us": event.one_time_until_us}
                yield self._change(event.name, {"fingerprint": event.password, **until})
            case SignedIn() if event.password:
                yield self._change(event.name, {"fingerprint": event.password})
            case SignedIn():
                yield Need("accounts", {"name": event.name})

    @staticmethod
    def _change(name: str, values: dict[str, object]) -> Update:
        return Update({"folded": fold(name), "name": name}, values)

    def compared(self, row: dict[str, Any]) -> Values:
        return {**row, "fingerprint": fingerprint(str(row["password"]))}


def find_account(transaction: Transaction, name: str) -> Account | None:
    sql = "SELECT name, kind, position, to_change, password, one_time_until_us FROM accounts WHERE folded = ?"
    rows = transaction.rows(sql, (fold(name),))
    return _account(rows[0]) if rows else None


def require_account(transaction: Transaction, name: str) -> Account:
    """The account of a name; refused if there is none."""
    account = find_account(transaction, name) if name.isprintable() else None
    if account is None:
        raise unknown_account(name)
    return account


def _account(row: Row) -> Account:
    name, holder, position, to_change, password, one_time_until_us = row
    return Account(name, Holder(holder), position_of(position), bool(to_change), password, one_time_until_us)


def unknown_account(name: str) -> FloorRefused:
    return FloorRefused(FloorCode.UNKNOWN_ACCOUNT, name=name[:40])


def new_account(name: str, position: Position | None, password_hash: str, until_us: int) -> Stored:
    """A person with a one-time password."""
    created = AccountCreated(name, position or OFF, Holder.PERSON, fingerprint(password_hash), until_us)
    return Stored(created, {"password": password_hash})


def new_password(account: Account, password_hash: str, one_time_until_us: int = 0) -> Stored:
    """It is a one-time password if it expires."""
    changed = PasswordChanged(
        account.name,
        fingerprint(password_hash),
        one_time=one_time_until_us > 0,
        one_time_until_us=one_time_until_us,
    )
    return Stored(changed, {"password": password_hash})
