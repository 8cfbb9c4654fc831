"""Who may restore a floor: two people of the backup, or one alone with a reason."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import SystemClock
from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.accounts import find_account
from punto.floor.journal.actor import Actor, command_record
from punto.floor.journal.entry import CommandRecord
from punto.floor.journal.event_base import OFFICERS
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.passwords import Passwords
from punto.table.decision import MAX_REASON_LENGTH


class Credentials(Struct, frozen=True):
    """A name and a password, to be checked against the accounts of the backup."""

    name: str
    password: str

    def __repr__(self) -> str:
        """Leave out the password: it must not get into a traceback."""
        return f"Credentials({self.name!r})"


class Restorers(Struct, frozen=True):
    """Who restores. Either two people, or the reason why one does alone."""

    people: tuple[Credentials, ...] = ()
    alone: str = ""


def check_restorers(backup: Database, restorers: Restorers, passwords: Passwords | None = None) -> tuple[Actor, ...]:
    """The two people; nobody if one restores alone. Refused if they may not."""
    if restorers.alone or not restorers.people:
        reason = restorers.alone
        if not (reason.strip() and len(reason) <= MAX_REASON_LENGTH and reason.isprintable()):
            raise FloorRefused(FloorCode.MAY_NOT_RESTORE, variant="reason", most=MAX_REASON_LENGTH)
        return ()
    actors = asyncio.run(_actors(backup, restorers.people, passwords or Passwords()))
    if len(actors) != 2 or len({actor.name for actor in actors}) != 2:
        raise FloorRefused(FloorCode.MAY_NOT_RESTORE, variant="two")
    return actors


async def _actors(backup: Database, people: Sequence[Credentials], passwords: Passwords) -> tuple[Actor, ...]:
    return tuple([await _actor(backup, person, passwords) for person in people])


async def _actor(backup: Database, person: Credentials, passwords: Passwords) -> Actor:
    """The answer is the same for a wrong name, a wrong password and a position that may not."""
    account = await backup.read(lambda transaction: find_account(transaction, person.name))
    right = await passwords.verify(account.password or None if account else None, person.password)
    if account is None or not right or account.to_change or account.position not in OFFICERS:
        raise FloorRefused(FloorCode.MAY_NOT_RESTORE, name=person.name[:40])
    return Actor(account.name, account.position)


def restore_record(actors: Sequence[Actor]) -> CommandRecord:
    """For the entry in the house's stream: the first person, approved by the second, or the console alone."""
    by = actors[0] if actors else THE_CONSOLE
    record = command_record(by, SystemClock())
    approved_by = actors[1].name if actors else ""
    return replace(record, context=replace(record.context, approved_by=approved_by, alone=not actors))
