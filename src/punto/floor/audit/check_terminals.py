"""Compares terminals, PINs and TOTP with the house's stream: with a planted one, somebody could approve as another."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.people_record import AccountOnRecord, PeopleRecord, TerminalOnRecord
from punto.floor.database.base import Row
from punto.floor.people.names import fold
from punto.floor.people.passwords import fingerprint

SELECT_TERMINALS = "SELECT id, key_hash, at_table, title, revoked_us FROM terminals ORDER BY id"
SELECT_PINS = "SELECT folded, hash FROM pins ORDER BY folded"
SELECT_TOTP = "SELECT folded, secret FROM totp WHERE length(secret) > 0 ORDER BY folded"


def check_terminals(
    people: PeopleRecord, terminals: Sequence[Row], pins: Sequence[Row], totp: Sequence[Row]
) -> Iterator[tuple[FaultCode, str]]:
    stored = {
        terminal: TerminalOnRecord(key, table, title, revoked=bool(revoked_us))
        for terminal, key, table, title, revoked_us in terminals
    }
    for name in sorted(stored.keys() | people.terminals.keys(), key=repr):
        if stored.get(name) != people.terminals.get(name):
            yield FaultCode.TERMINAL_DIFFERS, f"the terminal {name!r} differs from the house's stream"
    pin_prints = {folded: fingerprint(str(pin_hash)) for folded, pin_hash in pins}
    secret_prints = {folded: sha256(bytes(secret)).hexdigest() for folded, secret in totp}
    yield from _compare("PIN", pin_prints, _on_record(people.accounts, "pin"))
    yield from _compare("TOTP secret", secret_prints, _on_record(people.accounts, "totp"))


def _on_record(accounts: Mapping[str, AccountOnRecord], field: str) -> dict[str, str]:
    return {fold(name): print_ for name, account in accounts.items() if (print_ := getattr(account, field))}


def _compare(what: str, stored: Mapping[str, str], recorded: Mapping[str, str]) -> Iterator[tuple[FaultCode, str]]:
    for folded in sorted(stored.keys() | recorded.keys(), key=repr):
        if stored.get(folded) != recorded.get(folded):
            yield FaultCode.ACCOUNT_DIFFERS, f"the {what} of {folded!r} is not the one that was set"
