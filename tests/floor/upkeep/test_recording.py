"""A migration records what earlier releases left unrecorded: from then on every change of it is found."""

import msgspec
import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.clock import SECOND_US, SystemClock
from punto.floor.database import open_database
from punto.floor.house.projections.accounts import require_account
from punto.floor.house.projections.sessions import IDLE_S
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import AccountRecorded, FloorMigrated, PlayerRecorded, SessionRecorded
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.passwords import ONE_TIME_S
from punto.floor.people.floor_rules import FloorRules
from punto.floor.upkeep.migration import migrate
from punto.table.records.positions import Position
from tests.floor.audit.forging import rewrite, tamper
from tests.floor.earlier_schemas import make_older
from tests.floor.nights import opened
from tests.floor.playing import DEALER, SUPERVISOR, At, manual_table
from tests.floor.reading import NATURAL, Read
from tests.floor.staff_floor import BRIDGE, Staffed, run

pytestmark = pytest.mark.slow

NEW_FIELDS = ("session", "but", "password", "expires_us", "kind", "one_time", "work", "table", "commitment")
OLD_TABLE = ("table_created.1", "stream_opened.1", "shoe_sealed.1")
"""Their tables are not new."""


def as_before(entries: list[Entry]) -> list[Entry]:
    """The house's stream as 0.8.0 would have written it."""
    kept = []
    for entry in entries:
        event = msgspec.json.decode(entry.event)
        if event["event"] == "card_scanned.1":
            continue
        if event["event"] not in OLD_TABLE:
            event = {name: value for name, value in event.items() if name not in NEW_FIELDS}
        kept.append(msgspec.structs.replace(entry, event=msgspec.json.encode(event).decode()))
    return kept


async def _face_down(house: Staffed, table: str) -> At:
    """A round with four cards that a scanner has read and nobody has turned."""
    read = Read(await manual_table(house.floor, table, face_down=True), f"{table} 1")
    await read.closed()
    await read.taken(1, *NATURAL)
    return read.at


def older(url: str) -> list[str]:
    """A floor of 0.8.0 with people and scanned cards. Return the tokens of a person and of a machine."""
    tokens = []

    async def play(house: Staffed) -> None:
        tokens.append(await house.hired("dora", Position.DEALER))
        await house.accounts.create(THE_CONSOLE, "new", None)
        tokens.append(await house.accounts.issue_token(THE_CONSOLE, "shoe 1", Position.DEALER, BRIDGE))
        await house.players.register(THE_CONSOLE, "Ann Li")
        await house.players.register(THE_CONSOLE, "Bo")
        await house.players.erase(THE_CONSOLE, "P000002")
        await house.table("p1")
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, tables=("p1",)))
        await house.visitors.enter("vera")
        await _face_down(house, "open")
        over = await _face_down(house, "over")
        for place in range(1, 5):
            await over.do(DEALER, "turn_card", place=place)
        await over.do(DEALER, "settle")
        await over.do(SUPERVISOR, "close_table")

    run(url, play)
    rewrite(url, "house", as_before)
    make_older(url, 5)
    assert migrate(url)[0] == 5
    return tokens


def found(url: str) -> list[FaultCode]:
    with opened(url) as database:
        return [fault.code for fault in verify(database).faults]


def test_what_an_earlier_release_left_is_recorded_and_sound(database_url: str) -> None:
    person, machine = older(database_url)
    assert found(database_url) == []

    async def later(house: Staffed) -> None:
        assert [event for _, _, event in await house.told(FloorMigrated)] == [
            *map(FloorMigrated, (6, 7, 8)),
        ]
        assert len(await house.told(AccountRecorded)) == 3
        new = await house.database.read(lambda transaction: require_account(transaction, "new"))
        dora = await house.database.read(lambda transaction: require_account(transaction, "dora"))
        left_us = new.one_time_until_us - SystemClock().now_us()
        assert 0 < left_us < ONE_TIME_S * SECOND_US  # as if it was issued at the migration
        assert dora.one_time_until_us == 0
        assert len(await house.told(SessionRecorded)) == 3
        assert len(await house.told(PlayerRecorded)) == 1
        locks_us = (await house.sessions.standing(person)).locks_us or 0
        assert 0 < locks_us - SystemClock().now_us() < IDLE_S * SECOND_US  # as if last active at the migration
        assert (await house.sessions.actor(person)).bounds is None
        actor = await house.sessions.actor(machine)
        assert actor.bounds == TokenBounds(TokenWork.UNBOUND)  # until it expires
        assert actor.bounds.allow(TokenWork.COMMANDS, "open")
        assert actor.bounds.allow(None, "")
        lines = {line.name: line for line in await house.accounts.list(THE_CONSOLE)}
        assert [token.work for token in lines["shoe 1"].tokens] == [TokenWork.UNBOUND]
        await house.sessions.sign_out(person)
        await house.accounts.revoke(THE_CONSOLE, "shoe 1")
        at = At(house.floor, "open", "later")
        await at.do(DEALER, "turn_card", place=1)
        await house.players.change(THE_CONSOLE, "P000001", name="Ann Lin")

    run(database_url, later)
    assert found(database_url) == []


CHANGES = {
    "UPDATE scans SET card = '8s' WHERE stream = 'open/1' AND draw = 4": FaultCode.CARD_DIFFERS,
    "UPDATE players SET name = 'Eve', folded = 'eve' WHERE number = 1": FaultCode.PLAYER_DIFFERS,
    "UPDATE accounts SET password = 'x' WHERE name = 'dora'": FaultCode.ACCOUNT_DIFFERS,
    "UPDATE sessions SET expires_us = expires_us + 1 WHERE name = 'dora'": FaultCode.SESSION_DIFFERS,
    "UPDATE sessions SET name = 'dora', folded = 'dora' WHERE name = 'shoe 1'": FaultCode.SESSION_DIFFERS,
    "UPDATE scans SET card = '8s' WHERE stream = 'over/1' AND draw = 4": FaultCode.CARD_DIFFERS,  # it was shown
}


def test_later_changes_of_it_are_found(database_url: str) -> None:
    older(database_url)
    tamper(database_url, *((statement, ()) for statement in CHANGES))
    assert sorted(set(found(database_url))) == sorted(set(CHANGES.values()))


def test_an_empty_floor_has_nothing_to_record(database_url: str) -> None:
    open_database(database_url).close()
    make_older(database_url, 5)
    assert migrate(database_url)[0] == 5
    with opened(database_url) as database:
        assert database.reading(streams.heads).result() == {}
    assert found(database_url) == []
