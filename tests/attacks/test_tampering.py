"""Somebody with the disk changes the database. ``verify`` finds every change that can matter."""
# ruff: noqa: S608 - the statements are our own

import asyncio
import shutil
import unicodedata
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner

from punto.cli.main import main
from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.proposal_store import Proposal
from punto.floor.people.proposals import Proposals
from punto.floor.people.session_store import key_of
from punto.floor.running.adopted_readings import adopt_reading
from punto.floor.running.floor import Floor
from punto.floor.running.scanner import take
from punto.floor.shoes.scan_store import Scan
from punto.rules.coup.cards import Card
from punto.table.records.positions import Position
from tests.floor.audit.forging import is_a, retold, rewrite, tamper
from tests.floor.nights import opened
from tests.floor.playing import DEALER, SUPERVISOR, At, manual_table, sealed_table
from tests.floor.reading import NATURAL, Read
from tests.floor.servers import drop_database, new_database
from tests.floor.staffed import SetClock, Staffed, refused

pytestmark = pytest.mark.slow

SID = Actor("sid", Position.SHIFT_MANAGER)
LATER_US = 4_000_000_000_000_000
REVOKED = "a token that was revoked"
"""Its place in a statement is taken by the key of such a session."""


# ---- a floor with everything in it


async def _first_evening(house: Staffed) -> str:
    """Return the key of a session that was revoked."""
    await house.hired("dora", Position.DEALER)
    await house.accounts.create(THE_CONSOLE, "sue", None)
    revoked = await house.accounts.issue_token(THE_CONSOLE, "lost", Position.DEALER, TokenBounds(TokenWork.CARDS, "m1"))
    await house.accounts.revoke(THE_CONSOLE, "lost")
    for name in ("Ann Li", "Bo", "Cy"):
        await house.players.register(THE_CONSOLE, name, notes="tall")
    await house.players.change(THE_CONSOLE, "P000002", card="7002")
    await house.players.erase(THE_CONSOLE, "P000003")
    await house.table("p1")
    await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, buy_in_minor=5_00, tables=("p1",)))
    await adopt_reading(house.floor.house_log, SID, "cut_card", 20, "the shift agreed")
    await house.visitors.enter("vera")
    closed = await manual_table(house.floor, "c1")
    proposed = await Proposals(house.floor, house.acting).propose(DEALER, "c1", "p1", {"command": "close_table.1"})
    assert isinstance(proposed, Proposal)
    await closed.do(SUPERVISOR, "close_table")
    await _read_face_down(house)
    at = await sealed_table(house.floor, name="v1", rules="commission-insurance")
    await at.do(DEALER, "open_betting")
    assert (await at.bet("ann", 100_00)).refusal is None
    await at.do(DEALER, "close_betting")
    await at.do(DEALER, "deal_card")
    await at.do(DEALER, "deal_card")
    return key_of(revoked)


async def _read_face_down(house: Staffed) -> None:
    """Four cards face down, the first of them turned, and a bridge that is stopped."""
    bounds = TokenBounds(TokenWork.CARDS, "m1")
    token = await house.accounts.issue_token(THE_CONSOLE, "shoe 1", Position.DEALER, bounds)
    read = Read(await manual_table(house.floor, "m1", face_down=True), "m1 1")
    await read.closed()
    await read.taken(1, *NATURAL)
    await read.at.do(DEALER, "turn_card", place=1)
    bridge = Actor("shoe 1", Position.DEALER, bounds=bounds)
    again = take(house.floor, bridge, "m1", Scan("m1 1", 2, Card.EIGHT_SPADES), key_of(token))
    await refused(again, FloorCode.CARD_DIFFERS)


async def _second_evening(house: Staffed) -> None:
    """The interrupted round is void, and the next one is dealt from another shoe."""
    at = At(house.floor, "v1", "second")
    await at.do(SUPERVISOR, "load_shoe", shoe="v1 2", decks=8)
    await at.do(DEALER, "open_betting")
    await at.do(DEALER, "close_betting")
    await at.do(DEALER, "deal_card")


def set_up(url: str) -> str:
    """Two evenings, with a stop between them during a round. Return the key of a session that was revoked."""

    async def whole() -> str:
        keys = []
        for evening in (_first_evening, _second_evening):
            database = open_database(url)
            clock = SetClock()
            house = Staffed(await Floor.start(database, clock), clock)
            keys.append(await evening(house))
            await asyncio.to_thread(database.close)
        return str(keys[0])

    return asyncio.run(whole())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("floor") / "floor.db"
    return path, set_up(str(path))


@pytest.fixture
def url(made: tuple[Path, str], tmp_path: Path) -> str:
    """A copy that the test may change."""
    return str(shutil.copyfile(made[0], tmp_path / "floor.db"))


def found(url: str) -> list[FaultCode]:
    with opened(url) as database:
        return [fault.code for fault in verify(database).faults]


def test_the_floor_is_sound(url: str) -> None:
    assert found(url) == []


# ---- what can matter

PLANTED = "INSERT INTO sessions (token, folded, name, kind, expires_us, work, at_table) VALUES"
SCAN = "stream = 'm1/1' AND draw"
SCHEMA = "UPDATE sqlite_master SET sql = replace(sql, {old}, {new}) WHERE name = {name}"

ROWS: dict[str, tuple[FaultCode, tuple[str, ...]]] = {
    "an event": (FaultCode.ENTRY_ALTERED, ("UPDATE entries SET event = event || ' ' WHERE id = 9",)),
    "who gave a command": (FaultCode.ENTRY_ALTERED, ("UPDATE entries SET actor = 'eve' WHERE id = 9",)),
    "when": (FaultCode.ENTRY_ALTERED, ("UPDATE entries SET at_us = at_us - 1 WHERE id = 9",)),
    "at which terminal": (
        FaultCode.ENTRY_ALTERED,
        ("UPDATE entries SET context = replace(context, '}', ',\"terminal\":\"t\"}') WHERE id = 9",),
    ),
    "a command id": (FaultCode.ENTRY_ALTERED, ("UPDATE entries SET command_id = 'other' WHERE id = 9",)),
    "an entry is gone": (FaultCode.ENTRY_MISSING, ("DELETE FROM entries WHERE id = 9",)),
    "a stream is gone": (FaultCode.STREAM_LOST, ("DELETE FROM streams WHERE name = 'c1/1'",)),
    "a head": (FaultCode.HEAD_DIFFERS, ("UPDATE streams SET hash = 'ff' || substr(hash, 3) WHERE name = 'm1/1'",)),
    "a stream's name": (FaultCode.STREAM_LOST, ("UPDATE streams SET name = 'c1/2' WHERE name = 'c1/1'",)),
    "a table's setup": (
        FaultCode.TABLE_DIFFERS,
        ("UPDATE tables SET setup = replace(setup, '\"deal_s\":0.0', '\"deal_s\":9.0') WHERE name = 'm1'",),
    ),
    "a table without a creation": (
        FaultCode.TABLE_DIFFERS,
        ("INSERT INTO tables (name, setup) SELECT 'x1', replace(setup, 'c1', 'x1') FROM tables WHERE name = 'c1'",),
    ),
    "a shoe's kind": (FaultCode.COMMITMENT_DIFFERS, ("UPDATE shoes SET kind = 'seeded' WHERE id = 'v1 2'",)),
    "a sealed order is gone": (FaultCode.SHOE_LOST, ("DELETE FROM shoes WHERE id = 'v1 1'",)),
    "the rows of fairness are gone": (FaultCode.SEALS_DIFFER, ("DELETE FROM seals",)),
    "another shoe's seal": (FaultCode.SEALS_DIFFER, ("UPDATE seals SET sealed = revealed WHERE shoe = 'v1 1'",)),
    "a shoe is no longer revealed": (FaultCode.SEALS_DIFFER, ("UPDATE seals SET revealed = 0",)),
    "a position": (FaultCode.ACCOUNT_DIFFERS, ("UPDATE accounts SET position = 'dealer' WHERE name = 'sue'",)),
    "a name to sign in with": (FaultCode.ACCOUNT_DIFFERS, ("UPDATE accounts SET folded = 'eve' WHERE name = 'dora'",)),
    "a password": (
        FaultCode.ACCOUNT_DIFFERS,
        ("UPDATE accounts SET password = (SELECT password FROM accounts WHERE name = 'sue') WHERE name = 'dora'",),
    ),
    "a machine with a password": (
        FaultCode.ACCOUNT_DIFFERS,
        ("UPDATE accounts SET password = (SELECT password FROM accounts WHERE name = 'sue') WHERE name = 'lost'",),
    ),
    "a machine that is a person": (
        FaultCode.ACCOUNT_DIFFERS,
        ("UPDATE accounts SET kind = 'person' WHERE name = 'lost'",),
    ),
    "a one-time password that lasts": (
        FaultCode.ACCOUNT_DIFFERS,
        ("UPDATE accounts SET to_change = 0 WHERE name = 'sue'",),
    ),
    "an account is gone": (FaultCode.ACCOUNT_DIFFERS, ("DELETE FROM accounts WHERE name = 'sue'",)),
    "an account nobody created": (
        FaultCode.ACCOUNT_DIFFERS,
        ("INSERT INTO accounts VALUES ('eve', 'eve', 'person', '', 'administrator', 0)",),
    ),
    "a session nobody opened": (
        FaultCode.SESSION_DIFFERS,
        (f"{PLANTED} ('00', 'dora', 'dora', 'staff', {LATER_US}, '', '')",),
    ),
    "a token nobody issued": (
        FaultCode.SESSION_DIFFERS,
        (f"{PLANTED} ('00', 'lost', 'lost', 'machine', {LATER_US}, 'cards', 'm1')",),
    ),
    "a visit nobody began": (
        FaultCode.SESSION_DIFFERS,
        (f"{PLANTED} ('00', 'eve', 'eve', 'visitor', {LATER_US}, '', '')",),
    ),
    "a token that was revoked": (
        FaultCode.SESSION_DIFFERS,
        (f"{PLANTED} ('{REVOKED}', 'lost', 'lost', 'machine', {LATER_US}, 'cards', 'm1')",),
    ),
    "a session that lasts longer": (
        FaultCode.SESSION_DIFFERS,
        (f"UPDATE sessions SET expires_us = {LATER_US} WHERE name = 'dora'",),
    ),
    "somebody else's session": (
        FaultCode.SESSION_DIFFERS,
        ("UPDATE sessions SET name = 'sue', folded = 'sue' WHERE name = 'dora'",),
    ),
    "a session by another name": (
        FaultCode.SESSION_DIFFERS,
        ("UPDATE sessions SET folded = 'sue' WHERE name = 'dora'",),
    ),
    "a visitor who is staff": (FaultCode.SESSION_DIFFERS, ("UPDATE sessions SET kind = 'staff' WHERE name = 'vera'",)),
    "a visit that began earlier": (
        FaultCode.SESSION_DIFFERS,
        ("UPDATE sessions SET expires_us = expires_us - 1000000 WHERE name = 'vera'",),
    ),
    "a token for other work": (
        FaultCode.SESSION_DIFFERS,
        ("UPDATE sessions SET work = 'commands' WHERE name = 'shoe 1'",),
    ),
    "an unbound token": (FaultCode.SESSION_DIFFERS, ("UPDATE sessions SET work = '', at_table = ''",)),
    "a token for another table": (
        FaultCode.SESSION_DIFFERS,
        ("UPDATE sessions SET at_table = 'c1' WHERE name = 'shoe 1'",),
    ),
    "a stopped bridge that goes on": (FaultCode.SESSION_DIFFERS, ("UPDATE sessions SET stopped = 0",)),
    "a bridge that nobody stopped": (
        FaultCode.SESSION_DIFFERS,
        ("UPDATE sessions SET stopped = 7 WHERE name = 'dora'",),
    ),
    "a card before it is turned": (FaultCode.CARD_DIFFERS, (f"UPDATE scans SET card = '8s' WHERE {SCAN} = 4",)),
    "a card before it is turned, and its read": (
        FaultCode.CARD_DIFFERS,
        tuple(f"UPDATE {table} SET card = '8s' WHERE {SCAN} = 4" for table in ("scans", "scan_reads")),
    ),
    "a card after it was turned": (FaultCode.CARD_DIFFERS, (f"UPDATE scans SET card = '8s' WHERE {SCAN} = 1",)),
    "a card after it was turned, and its read": (
        FaultCode.CARD_DIFFERS,
        tuple(f"UPDATE {table} SET card = '8s' WHERE {SCAN} = 1" for table in ("scans", "scan_reads")),
    ),
    "two cards change places": (
        FaultCode.CARD_DIFFERS,
        (
            f"UPDATE scans SET draw = 99 WHERE {SCAN} = 3",
            f"UPDATE scans SET draw = 3 WHERE {SCAN} = 4",
            f"UPDATE scans SET draw = 4 WHERE {SCAN} = 99",
        ),
    ),
    "a card nobody read": (
        FaultCode.CARD_DIFFERS,
        ("INSERT INTO scans (stream, shoe, draw, card, version) VALUES ('m1/1', 'm1 1', 5, '8s', 0)",),
    ),
    "a card that was read is gone": (FaultCode.CARD_DIFFERS, (f"DELETE FROM scans WHERE {SCAN} = 4",)),
    "a card of another entry": (FaultCode.CARD_DIFFERS, (f"UPDATE scans SET version = 3 WHERE {SCAN} = 4",)),
    "a nonce": (FaultCode.CARD_DIFFERS, (f"UPDATE scans SET nonce = '' WHERE {SCAN} = 4",)),
    "the read of a card": (FaultCode.CARD_DIFFERS, (f"UPDATE scan_reads SET card = '8s' WHERE {SCAN} = 4",)),
    "a round": (FaultCode.ROUNDS_DIFFER, ("UPDATE rounds SET staked_minor = staked_minor + 1",)),
    "a round is gone": (FaultCode.ROUNDS_DIFFER, ("DELETE FROM rounds",)),
    "a player's name": (
        FaultCode.PLAYER_DIFFERS,
        ("UPDATE players SET name = 'Eve', folded = 'eve' WHERE number = 1",),
    ),
    "two players change places": (
        FaultCode.PLAYER_DIFFERS,
        (
            "UPDATE players SET number = 99 WHERE number = 1",
            "UPDATE players SET number = 1 WHERE number = 2",
            "UPDATE players SET number = 2 WHERE number = 99",
        ),
    ),
    "a player's card": (FaultCode.PLAYER_DIFFERS, ("UPDATE players SET card = '7001' WHERE number = 1",)),
    "notes on a player": (FaultCode.PLAYER_DIFFERS, ("UPDATE players SET notes = '' WHERE number = 1",)),
    "an erased player": (
        FaultCode.PLAYER_DIFFERS,
        ("UPDATE players SET name = 'Cy', folded = 'cy' WHERE number = 3",),
    ),
    "the nonce of an erased player": (
        FaultCode.PLAYER_DIFFERS,
        ("UPDATE players SET nonce = 'ff' WHERE number = 3",),
    ),
    "a player is gone": (FaultCode.PLAYER_DIFFERS, ("DELETE FROM players WHERE number = 2",)),
    "numbers that nobody gets": (FaultCode.PLAYER_DIFFERS, ("INSERT INTO meta VALUES ('names_like_ids', '[4]')",)),
    "the rules for visitors": (
        FaultCode.FLOOR_RULES_DIFFER,
        ("UPDATE meta SET value = replace(value, '500', '50000') WHERE name = 'floor_rules'",),
    ),
    "what was proposed": (FaultCode.PROPOSAL_DIFFERS, ("UPDATE proposals SET body = replace(body, 'close', 'open')",)),
    "what a preview showed": (FaultCode.PROPOSAL_DIFFERS, ("UPDATE proposals SET events = '[]'",)),
    "who proposed it": (FaultCode.PROPOSAL_DIFFERS, ("UPDATE proposals SET actor = 'sue'",)),
    "who may approve it": (FaultCode.PROPOSAL_DIFFERS, ("UPDATE proposals SET positions = 'dealer'",)),
    "a proposal that nobody approved": (
        FaultCode.PROPOSAL_DIFFERS,
        ("UPDATE proposals SET state = 'approved', decided_by = 'sue'",),
    ),
    "a proposal that nobody made": (FaultCode.PROPOSAL_DIFFERS, ("UPDATE proposals SET id = 'p2'",)),
    "a proposal is gone": (FaultCode.PROPOSAL_DIFFERS, ("DELETE FROM proposals",)),
    "a reading in force": (FaultCode.READINGS_DIFFER, ("DELETE FROM meta WHERE name = 'adopted_readings'",)),
}

SQLITE_SCHEMA: dict[str, tuple[str, ...]] = {
    "a trigger": ("CREATE TRIGGER eve AFTER INSERT ON sessions BEGIN UPDATE sessions SET expires_us = 1; END",),
    "a unique index is gone": ("DROP INDEX accepted",),
    "an index that is no longer unique": (
        "DROP INDEX accepted",
        "CREATE INDEX accepted ON entries (command_id) WHERE part = 0",
    ),
    "a unique index for less": (
        "DROP INDEX accepted",
        "CREATE UNIQUE INDEX accepted ON entries (command_id) WHERE part = 1",
    ),
    "an index is gone": ("DROP INDEX seals_of",),
    "one index more": ("CREATE UNIQUE INDEX eve ON sessions (name)",),
    "one column more": ("ALTER TABLE accounts ADD COLUMN eve TEXT",),
    "a view": ("CREATE VIEW eve AS SELECT * FROM accounts",),
    "one table more": ("CREATE TABLE eve (name TEXT)",),
    "a table is gone": ("DROP TABLE scan_reads",),
    "a table that is a view": (
        "ALTER TABLE scan_reads RENAME TO eve",
        "CREATE VIEW scan_reads AS SELECT * FROM eve WHERE 0",
    ),
    "a row that replaces another": (
        "PRAGMA writable_schema = ON",
        SCHEMA.format(
            old="'UNIQUE (stream, version)'", new="'UNIQUE (stream, version) ON CONFLICT REPLACE'", name="'entries'"
        ),
    ),
    "a default": (
        "PRAGMA writable_schema = ON",
        SCHEMA.format(old="'DEFAULT 0'", new="'DEFAULT 1'", name="'sessions'"),
    ),
}


@pytest.mark.parametrize("change", ROWS)
def test_a_changed_row_is_found(made: tuple[Path, str], url: str, change: str) -> None:
    code, statements = ROWS[change]
    tamper(url, *((statement.replace(REVOKED, made[1]), ()) for statement in statements))
    assert code in found(url)


@pytest.mark.parametrize("change", SQLITE_SCHEMA)
def test_a_changed_schema_is_found(url: str, change: str) -> None:
    tamper(url, *((statement, ()) for statement in SQLITE_SCHEMA[change]))
    assert found(url)[0] is FaultCode.SCHEMA_DIFFERS


def test_an_index_that_forgot_a_command_is_found(url: str) -> None:
    """Its definition is as it should be: the floor would accept the command again."""
    less, whole = "WHERE part = 99", "WHERE part = 0"
    for before, after in ((whole, less), (less, whole)):
        file = apsw.Connection(url)
        file.execute("PRAGMA writable_schema = ON")
        sql = "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'accepted'"
        file.execute(sql, (before, after))
        file.close()
        if after == less:
            tamper(url, ("REINDEX accepted", ()))
    assert found(url)[0] is FaultCode.SCHEMA_DIFFERS


def test_there_are_at_least_42() -> None:
    assert len(ROWS) + len(SQLITE_SCHEMA) + len(RECOVERED) >= 42


# ---- what a takeover voided

RECOVERED: dict[str, dict[str, object]] = {
    "nothing was void": {"voided": False, "returned_minor": {}},
    "it went to somebody else": {"returned_minor": {"ben": 100_00}},
    "less went back": {"returned_minor": {"ann": 1_00}},
    "no round was open": {"round_open": False, "round": 0, "cards": 0},
    "another round": {"round": 7},
    "fewer cards were out": {"cards": 1},
    "a real shoe": {"shoes": "manual"},
    "not a word about it": {"round": 0, "shoes": "", "cards": 0, "voided": False, "returned_minor": {}},
}


@pytest.mark.parametrize("change", RECOVERED)
def test_what_a_takeover_voided_is_compared_with_the_table(url: str, change: str) -> None:
    """Written again with hashes that fit, as somebody could who has the disk and nothing is kept elsewhere."""
    changed: list[Entry] = []

    def forge(entries: list[Entry]) -> list[Entry]:
        changed.extend(entry for entry in entries if is_a(entry, "table_recovered.1") and '"v1/1"' in entry.event)
        return [retold(entry, **RECOVERED[change]) if entry in changed else entry for entry in entries]

    rewrite(url, "house", forge)
    assert len(changed) == 1
    assert FaultCode.RECOVERY_DIFFERS in found(url)


# ---- what cannot matter

HARMLESS: dict[str, str] = {
    "DELETE FROM sessions WHERE name = 'dora'": "signs somebody out, as they can themselves; nobody gains anything",
    "DELETE FROM snapshots": "a cache: the table is replayed from its first entry",
    "UPDATE tables SET held_by = 'eve'": "the next command takes the table over, on record, as after any restart",
    "DELETE FROM processes": "only says how long a server was away; the report of a restart asks the dealer",
    "UPDATE scan_reads SET card = '8d' WHERE outcome = 'card_differs'": (
        "the table never saw this read; that the bridge contradicted itself is in the house's stream"
    ),
    "DELETE FROM scan_reads": "the cards that counted are in `scans`, with who sent them in the house's stream",
    "DELETE FROM sign_ins": "a lock-out ends early; signing in still needs the password",
    f"INSERT INTO sign_ins VALUES ('eve', 99, {LATER_US}, {LATER_US}, 'eve')": "locks somebody out, who sees it",
    "INSERT INTO meta (name, value) VALUES ('eve', '1')": "nothing reads it",
}


@pytest.mark.parametrize("statement", HARMLESS)
def test_what_cannot_matter_is_no_fault(url: str, statement: str) -> None:
    assert HARMLESS[statement]
    tamper(url, (statement, ()))
    assert found(url) == []


def test_a_database_of_another_schema_is_not_verified(url: str) -> None:
    tamper(url, ("UPDATE meta SET value = '5' WHERE name = 'schema'", ()))
    assert CliRunner().invoke(main, ["verify", "--db", url]).exit_code == 2


# ---- PostgreSQL

POSTGRES: dict[str, tuple[FaultCode, tuple[str, ...]]] = {
    "a trigger": (
        FaultCode.SCHEMA_DIFFERS,
        (
            "CREATE FUNCTION eve() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "CREATE TRIGGER eve BEFORE INSERT ON scan_reads FOR EACH ROW EXECUTE FUNCTION eve()",
        ),
    ),
    "a rule": (FaultCode.SCHEMA_DIFFERS, ("CREATE RULE eve AS ON INSERT TO scan_reads DO INSTEAD NOTHING",)),
    "a unique index is gone": (FaultCode.SCHEMA_DIFFERS, ("DROP INDEX accepted",)),
    "a unique index for less": (
        FaultCode.SCHEMA_DIFFERS,
        ("DROP INDEX accepted", "CREATE UNIQUE INDEX accepted ON entries (command_id) WHERE part = 1"),
    ),
    "a unique constraint is gone": (
        FaultCode.SCHEMA_DIFFERS,
        ("ALTER TABLE entries DROP CONSTRAINT entries_stream_version_key",),
    ),
    "a primary key is gone": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions DROP CONSTRAINT sessions_pkey",)),
    "a foreign key is gone": (
        FaultCode.SCHEMA_DIFFERS,
        ("ALTER TABLE entries DROP CONSTRAINT entries_stream_fkey",),
    ),
    "a foreign key is off": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE entries DISABLE TRIGGER ALL",)),
    "row security": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ENABLE ROW LEVEL SECURITY",)),
    "one more constraint": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ADD CONSTRAINT eve CHECK (name <> 'x')",)),
    "a default": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ALTER COLUMN stopped SET DEFAULT 1",)),
    "null is allowed": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE sessions ALTER COLUMN name DROP NOT NULL",)),
    "one column more": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE accounts ADD COLUMN eve TEXT",)),
    "a table without a log": (FaultCode.SCHEMA_DIFFERS, ("ALTER TABLE scan_reads SET UNLOGGED",)),
    "a table that inherits": (FaultCode.SCHEMA_DIFFERS, ("CREATE TABLE eve () INHERITS (scan_reads)",)),
    "a table that is a view": (
        FaultCode.SCHEMA_DIFFERS,
        ("ALTER TABLE scan_reads RENAME TO eve", "CREATE VIEW scan_reads AS SELECT * FROM eve"),
    ),
    "a table is gone": (FaultCode.SCHEMA_DIFFERS, ("DROP TABLE scan_reads",)),
    **{
        name: ROWS[name]
        for name in ("a session nobody opened", "a password", "a card before it is turned, and its read")
    },
}


def test_changes_on_postgresql_are_found(postgres_server: str) -> None:
    first = new_database(postgres_server)
    try:
        set_up(first)
        assert found(first) == []
        for change, (code, statements) in POSTGRES.items():
            copy = new_database(postgres_server, like=first)
            try:
                tamper(copy, *((statement, ()) for statement in statements))
                assert found(copy)[0] is code, change
            finally:
                drop_database(postgres_server, copy)
    finally:
        drop_database(postgres_server, first)


# ---- a hostile database

ESCAPES = "\x1b[2J\x1b]0;Sound.\x07\x9b31m\u202e\nSound."
HOSTILE: dict[str, str] = {
    "an account": "INSERT INTO accounts VALUES (?, ?, 'person', '', 'administrator', 0)",
    "a position": "UPDATE accounts SET position = ? || ? WHERE name = 'sue'",
    "a session": f"INSERT INTO sessions (token, folded, name, kind, expires_us) VALUES (?, '', ?, 'staff', {LATER_US})",
    "a shoe": "UPDATE shoes SET id = ? || ? WHERE id = 'v1 2'",
    "a seal": "UPDATE seals SET shoe = ? || ? WHERE shoe = 'v1 2'",
    "a scan": "INSERT INTO scans (stream, shoe, draw, card, version) VALUES (?, ?, 5, '8s', 0)",
    "a table": "INSERT INTO tables (name, setup) VALUES (?, ?)",
    "a stream": "UPDATE streams SET name = ? || ? WHERE name = 'c1/1'",
    "an event": "UPDATE entries SET event = ? || ? WHERE id = 9",
    "a command id": "UPDATE entries SET command_id = ? || ? WHERE id = 9",
    "rules": "UPDATE meta SET value = ? || ? WHERE name = 'floor_rules'",
    "the schema's version": "UPDATE meta SET value = ? || ? WHERE name = 'schema'",
}


@pytest.mark.parametrize("where", HOSTILE)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nothing_that_a_terminal_obeys_is_printed(url: str, where: str, options: list[str]) -> None:
    tamper(url, (HOSTILE[where], (ESCAPES, ESCAPES)))
    _require_plain(url, options)


@pytest.mark.parametrize("kind", ["TABLE {} (a)", "VIEW {} AS SELECT 1", "INDEX {} ON sessions (name)"])
def test_nor_from_the_schema(url: str, kind: str) -> None:
    quoted = '"' + ESCAPES.replace('"', '""') + '"'
    tamper(url, (f"CREATE {kind.format(quoted)}", ()))
    _require_plain(url, [])


def test_nor_from_an_event_with_hashes_that_fit(url: str) -> None:
    def forge(entries: list[Entry]) -> list[Entry]:
        return [retold(entry, stream=ESCAPES) if is_a(entry, "stream_closed.1") else entry for entry in entries]

    rewrite(url, "house", forge)
    _require_plain(url, [])


def _require_plain(url: str, options: list[str]) -> None:
    done = CliRunner().invoke(main, ["verify", "--db", url, *options])
    assert done.exit_code in (1, 2), done.output
    lines = done.output.split("\n")
    assert all(map(_is_plain, lines)), ascii(done.output)
    assert "Sound." not in lines


def _is_plain(line: str) -> bool:
    return all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in line)
