"""A floor of an earlier release, run by this one."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import apsw
import pytest

from punto.floor.audit.kept_heads import KeptHead, KeptHeads
from punto.floor.audit.verify import Verified, verify
from punto.floor.database import copying, fill_database, open_database, read_database, schema
from punto.floor.database.base import Transaction
from punto.floor.database.copying import advance_key_sequences, copy_rows
from punto.floor.database.schema import prepare
from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.acting import Acting
from punto.floor.people.duty import Duty
from punto.floor.people.sessions.sessions import Sessions
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.running.commands import Answer
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.running.supervisor import Keeper
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.decision import open_settings
from punto.table.play.opening import burn_due
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from tests.floor.staff_floor import CHEAP
from tests.floor.upgrades.old_floors import OldCommand, OldFloor, unpack
from tests.floor.upgrades.this_release import LaterClock

HOUR_US = 3_600 * 1_000_000
DEALER = Actor("dora", Position.DEALER)
SUPERVISOR = Actor("sue", Position.PIT_SUPERVISOR)
CARDS = ("7c", "4d", "9h", "2c", "Jd", "6s", "3h", "8c")
"""What is dealt at real shoes, again and again; each table begins at another one."""
MAX_STEPS = 30
"""Commands to finish any round."""


OLD_SCHEMAS = {1: "0.2.0", 2: "0.3.0", 3: "0.3.0", 4: "0.7.0", 5: "0.8.0", 6: "0.9.0"}
"""The release that a floor of each schema is made from."""


def put_old_floor(url: str, number: int, book: str, folder: Path, release: str = "") -> OldFloor:
    """Put a floor of that schema where a URL names it. Schema 2 is schema 3 without its index of seals."""
    old = unpack(release or OLD_SCHEMAS[number], book, folder)
    file = folder / "floor.db"
    if number == 2:
        with _connected(file) as connection:
            connection.execute("DROP TABLE seals; UPDATE meta SET value = '2' WHERE name = 'schema'")
    if url.startswith("postgresql"):
        _copy_to_postgres(file, number, url)
    elif url != str(file):
        file.rename(url)
    return old


@contextmanager
def _connected(file: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(file))
    try:
        yield connection
    finally:
        connection.close()


def _copy_to_postgres(file: Path, number: int, url: str) -> None:
    """Copy the rows to a PostgreSQL database that has the old schema too."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schema, "VERSION", number)
        since = {"rounds": 4, "scan_reads": 5, "signatures": 8}
        patched.setattr(copying, "KEYED", [table for table in copying.KEYED if since.get(table, 1) <= number])
        source = open_database(str(file), create=False)

        def fill(rows: Transaction) -> None:
            def filling(transaction: Transaction, types: Mapping[str, str]) -> None:
                prepare(transaction, types, create=True)
                copy_rows(rows, transaction)
                advance_key_sequences(transaction, types)

            fill_database(url, filling)

        try:
            source.reading(fill).result()
        finally:
            source.close()


def heads_of_backup(folder: Path) -> KeptHeads:
    """The heads as ``punto verify --write-head`` of the earlier release would have saved them."""
    with _connected(folder / "backup.db") as connection:
        rows: list[Any] = connection.execute("SELECT name, version, hash FROM streams").fetchall()
    return KeptHeads("heads.1", 0, {name: KeptHead(version, hash_) for name, version, hash_ in rows})


def verified(url: str, heads: KeptHeads | None = None) -> Verified:
    database = read_database(url)
    try:
        return verify(database, heads)
    finally:
        database.close()


class Upgraded:
    """An old floor, started by this release."""

    def __init__(self, old: OldFloor, floor: Floor) -> None:
        self.old, self.floor = old, floor
        self.visitors = Visitors(floor)
        self.acting = Acting(floor, self.visitors.rules, Duty(floor.house_log).now)
        self.sessions = Sessions(floor.house_log, floor.key, Passwords(CHEAP))
        self.keeper = Keeper(floor)
        self._cards = {name: cycle(CARDS[at % 8 :] + CARDS[: at % 8]) for at, name in enumerate(floor.tables)}
        self._count = 0

    def tables(self, shoes: ShoeKind) -> list[LiveTable]:
        return [live for live in self.floor.tables.values() if live.setup.shoes is shoes]

    # ---- commands

    async def repeat(self, command: OldCommand, **changes: Any) -> Answer:
        """Send an old command again, as it was sent or changed."""
        return await self.acting.submit(command.actor, command.table, command.id, {**command.body, **changes})

    async def ask(self, live: LiveTable, by: Actor, command: str, **fields: Any) -> Answer:
        self._count += 1
        body = {"command": f"{command}.1", **fields}
        # customers of an earlier release have no session: their bets are given as the table gets them
        is_customer = by.position is Position.PLAYER and by.name not in self.old.visitors
        give = self.floor.submit if is_customer else self.acting.submit
        return await give(by, live.setup.name, f"new-{self._count}", body)

    async def do(self, live: LiveTable, by: Actor, command: str, **fields: Any) -> None:
        answer = await self.ask(live, by, command, **fields)
        assert answer.refusal is None, (live.setup.name, command, answer.refusal)

    # ---- rounds

    async def finish(self, live: LiveTable) -> None:
        """Finish the open round at a table: people do, except what an automatic dealer does."""
        if live.setup.shoes is ShoeKind.MANUAL:
            for _ in range(MAX_STEPS):
                if live.state.phase is Phase.READY:
                    return
                await self._step(live)
            raise AssertionError(f"the round at {live.setup.name} does not end")
        if live.state.phase is Phase.BETTING:
            await self.do(live, DEALER, "close_betting")
        while True:  # the automatic dealer waits only for players who squeeze cards
            changed = live.changed
            if live.state.phase is Phase.READY:
                return
            for who, place in _to_squeeze(live.state):
                await self.ask(live, Actor(who, Position.PLAYER), "squeeze_card", place=place)
            await changed.wait()

    async def _step(self, live: LiveTable) -> None:
        """Give the first command that is accepted."""
        for by, command, fields in _steps(live.state, next(self._cards[live.setup.name])):
            try:
                answer = await self.ask(live, by, command, **fields)
            except FloorRefused:  # a card that must or must not be named
                continue
            if answer.refusal is None:
                return
        raise AssertionError(f"the round at {live.setup.name} stands still: {live.state.round}")

    async def play(self, live: LiveTable, bettor: Actor) -> int:
        """Play a round, with one bet unless only cards are recorded; return its number."""
        if live.state.shoe is None:
            await self.do(live, SUPERVISOR, "load_shoe", shoe=f"new {live.setup.name}", decks=live.setup.decks)
        if burn_due(live.state):
            await self.do(live, DEALER, "burn_cards", card="3c")
        await self.do(live, DEALER, "open_betting")
        if not (settings := open_settings(live.state)).cards_only:
            box = next(box for box, seated in live.state.seats.items() if seated == bettor.name)
            by = DEALER if settings.felt else bettor
            await self.do(live, by, "place_bet", who=bettor.name, box=box, bet="banker", stake_minor=100_00)
        await self.do(live, DEALER, "close_betting")
        number = live.state.round.number if live.state.round else 0
        await self.finish(live)
        return number


def _to_squeeze(state: Table) -> list[tuple[str, int]]:
    """Who may open which cards, if they are of the hand that they squeeze."""
    now = state.round
    assert now is not None
    down = [place for place, card in enumerate(now.cards, 1) if card is None and place not in now.squeezed]
    return [(who, place) for who in set(now.accepted.values()) for place in down]


def _steps(state: Table, card: str) -> Iterator[tuple[Actor, str, dict[str, Any]]]:
    """What staff can do to bring a round to its end, in the order in which to try it."""
    now = state.round
    assert now is not None
    if state.restart:
        yield DEALER, "resume_round", {}
    yield DEALER, "close_betting", {}
    if now.irregularities.raised:
        yield SUPERVISOR, "dismiss_irregularity", {"reason": "nothing was wrong"}
    if now.irregularities.order_lost:
        yield SUPERVISOR, "rule_card_order", {"order": now.irregularities.order_lost}
    if now.irregularities.options:
        yield SUPERVISOR, "call_time", {}
    yield DEALER, "settle", {}
    yield DEALER, "open_insurance", {}
    for who, place in _to_squeeze(state):
        yield Actor(who, Position.PLAYER), "squeeze_card", {"place": place}
    for place, known in enumerate(now.cards, 1):
        if known is None:
            yield DEALER, "turn_card", {"place": place}
            yield DEALER, "turn_card", {"place": place, "card": card}
    yield DEALER, "deal_card", {}
    yield DEALER, "deal_card", {"card": card}


@asynccontextmanager
async def upgraded(url: str, old: OldFloor, hours_later: int = 1) -> AsyncIterator[Upgraded]:
    """Start this release on a migrated database, as the server does, some hours after the old floor was killed."""
    database = open_database(url, create=False)
    try:
        house = Upgraded(old, await Floor.start(database, LaterClock(old.ended_us + hours_later * HOUR_US)))
        yield house
        await house.keeper.stop()
        await house.floor.flush()
    finally:
        database.close()
