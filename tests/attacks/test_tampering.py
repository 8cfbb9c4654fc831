"""Somebody with the disk changes the database. ``verify`` finds every change that can matter."""
# ruff: noqa: S608 - the statements are our own

from pathlib import Path

import pytest
from click.testing import CliRunner

from punto.cli.main import main
from punto.floor.audit.faults import FaultCode
from punto.floor.journal.entry import Entry
from tests.attacks.tampered import LATER_US, REVOKED, found
from tests.floor.audit.forging import is_a, retold, rewrite, tamper

pytestmark = pytest.mark.slow


def test_the_floor_is_sound(whole_url: str) -> None:
    assert found(whole_url) == []


# ---- what can matter

PLANTED = "INSERT INTO sessions (token, folded, name, kind, expires_us, work, at_table) VALUES"
SCAN = "stream = 'm1/1' AND draw"

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
    "a shoe's kind": (FaultCode.COMMITMENT_DIFFERS, ("UPDATE shoes SET kind = 'seeded' WHERE id = 'v1 1'",)),
    "a sealed order": (FaultCode.COMMITMENT_DIFFERS, ("UPDATE shoes SET sealed = x'00' WHERE id = 'v1 2'",)),
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
    "a one-time password for ever": (
        FaultCode.ACCOUNT_DIFFERS,
        ("UPDATE accounts SET one_time_until_us = 0 WHERE name = 'sue'",),
    ),
    "a PIN nobody set": (
        FaultCode.ACCOUNT_DIFFERS,
        ("INSERT INTO pins (folded, hash) SELECT 'dora', hash FROM pins",),
    ),
    "another PIN": (FaultCode.ACCOUNT_DIFFERS, ("UPDATE pins SET hash = (SELECT password FROM accounts LIMIT 1)",)),
    "a PIN is gone": (FaultCode.ACCOUNT_DIFFERS, ("DELETE FROM pins",)),
    "no code is asked any more": (FaultCode.ACCOUNT_DIFFERS, ("DELETE FROM totp",)),
    "codes of another device": (FaultCode.ACCOUNT_DIFFERS, ("UPDATE totp SET secret = x'00'",)),
    "a terminal nobody enrolled": (
        FaultCode.TERMINAL_DIFFERS,
        ("INSERT INTO terminals VALUES ('terminal-3', 'ff', '', 'eve', 'max', 1, 0)",),
    ),
    "a terminal's key": (
        FaultCode.TERMINAL_DIFFERS,
        ("UPDATE terminals SET key_hash = 'ff' WHERE id = 'terminal-2'",),
    ),
    "a terminal of another table": (
        FaultCode.TERMINAL_DIFFERS,
        ("UPDATE terminals SET at_table = 'm1' WHERE id = 'terminal-2'",),
    ),
    "a terminal that was revoked": (FaultCode.TERMINAL_DIFFERS, ("UPDATE terminals SET revoked_us = 0",)),
    "when a terminal was enrolled": (
        FaultCode.TERMINAL_DIFFERS,
        ("UPDATE terminals SET enrolled_us = enrolled_us - 1 WHERE id = 'terminal-2'",),
    ),
    "when a terminal was revoked": (
        FaultCode.TERMINAL_DIFFERS,
        ("UPDATE terminals SET revoked_us = revoked_us + 1 WHERE id = 'terminal-1'",),
    ),
    "a terminal is gone": (FaultCode.TERMINAL_DIFFERS, ("DELETE FROM terminals WHERE id = 'terminal-1'",)),
    "a session at another terminal": (
        FaultCode.SESSION_DIFFERS,
        ("UPDATE sessions SET terminal = 'terminal-2' WHERE name = 'dora'",),
    ),
    "an account is gone": (FaultCode.ACCOUNT_DIFFERS, ("DELETE FROM accounts WHERE name = 'sue'",)),
    "an account nobody created": (
        FaultCode.ACCOUNT_DIFFERS,
        ("INSERT INTO accounts VALUES ('eve', 'eve', 'person', '', 'administrator', 0, 0)",),
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
    "who sent a card": (FaultCode.CARD_DIFFERS, (f"UPDATE scan_reads SET actor = 'eve' WHERE {SCAN} = 4",)),
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
        ("UPDATE proposals SET state = 'approved', decided_by = 'sue' WHERE id = 'p1'",),
    ),
    "when a proposal was decided": (
        FaultCode.PROPOSAL_DIFFERS,
        ("UPDATE proposals SET decided_us = decided_us + 1 WHERE id = 'p0'",),
    ),
    "that an open proposal was decided": (
        FaultCode.PROPOSAL_DIFFERS,
        ("UPDATE proposals SET decided_us = 1 WHERE id = 'p1'",),
    ),
    "a proposal that nobody made": (FaultCode.PROPOSAL_DIFFERS, ("UPDATE proposals SET id = 'p2' WHERE id = 'p1'",)),
    "a proposal is gone": (FaultCode.PROPOSAL_DIFFERS, ("DELETE FROM proposals",)),
    "a first count that nobody made": (
        FaultCode.COUNTS_DIFFER,
        ("INSERT INTO counts VALUES ('c1', 'c1/1', 'x', 'sue', 1, 'check', '[]', 0)",),
    ),
    "who made a first count": (FaultCode.COUNTS_DIFFER, ("UPDATE counts SET actor = 'sue'",)),
    "what was counted first": (FaultCode.COUNTS_DIFFER, ("UPDATE counts SET piles = '[]'",)),
    "for what was counted": (FaultCode.COUNTS_DIFFER, ("UPDATE counts SET purpose = 'closer'",)),
    "what was in the tray": (FaultCode.COUNTS_DIFFER, ("UPDATE counts SET tray_minor = tray_minor + 1",)),
    "when was counted": (FaultCode.COUNTS_DIFFER, ("UPDATE counts SET at_us = at_us + 1",)),
    "the chips of the house": (
        FaultCode.CHIP_SET_DIFFERS,
        ("UPDATE meta SET value = replace(value, '2500', '25000') WHERE name = 'chip_set'",),
    ),
    "the title of a table": (FaultCode.TABLE_DIFFERS, ("UPDATE tables SET title = 'Rose' WHERE name = 'c1'",)),
    "a title that nobody gave": (FaultCode.TABLE_DIFFERS, ("UPDATE tables SET title = 'Rose' WHERE name = 'm1'",)),
    "the settings of the floor": (
        FaultCode.SETTINGS_DIFFER,
        ("UPDATE meta SET value = replace(value, '08:00', '09:00') WHERE name = 'floor_settings'",),
    ),
    "who was on duty": (FaultCode.DUTY_DIFFERS, ("UPDATE duty SET name = 'eve', folded = 'eve'",)),
    "nobody was on duty": (FaultCode.DUTY_DIFFERS, ("DELETE FROM duty",)),
    "a day that nobody signed off": (
        FaultCode.SIGN_OFFS_DIFFER,
        ("INSERT INTO day_sign_offs VALUES ('2026-03-01', 'aude', 'auditor', 1, 0, '', 1)",),
    ),
    "a day is no longer signed off": (FaultCode.SIGN_OFFS_DIFFER, ("DELETE FROM day_sign_offs",)),
    "which day was signed off": (FaultCode.SIGN_OFFS_DIFFER, ("UPDATE day_sign_offs SET day = '2026-03-01'",)),
    "who signed a day off": (FaultCode.SIGN_OFFS_DIFFER, ("UPDATE day_sign_offs SET name = 'eve'",)),
    "as what they signed a day off": (
        FaultCode.SIGN_OFFS_DIFFER,
        ("UPDATE day_sign_offs SET position = 'shift_manager'",),
    ),
    "when a day was signed off": (FaultCode.SIGN_OFFS_DIFFER, ("UPDATE day_sign_offs SET at_us = at_us + 1",)),
    "with how many exceptions a day was signed off": (
        FaultCode.SIGN_OFFS_DIFFER,
        ("UPDATE day_sign_offs SET exceptions = exceptions + 1",),
    ),
    "with which note a day was signed off": (FaultCode.SIGN_OFFS_DIFFER, ("UPDATE day_sign_offs SET note = ''",)),
    "in which entry a day was signed off": (
        FaultCode.SIGN_OFFS_DIFFER,
        ("UPDATE day_sign_offs SET version = version + 1",),
    ),
    "a stop that nobody ordered": (
        FaultCode.STOPS_DIFFER,
        ("INSERT INTO stops VALUES (3, 'all', '', 'smoke', 'sid', 1, '', 0, '')",),
    ),
    "a stop is gone": (FaultCode.STOPS_DIFFER, ("DELETE FROM stops WHERE number = 1",)),
    "a stop's number": (FaultCode.STOPS_DIFFER, ("UPDATE stops SET number = 3 WHERE number = 1",)),
    "what is stopped": (FaultCode.STOPS_DIFFER, ("UPDATE stops SET scope = 'player' WHERE number = 1",)),
    "who is stopped": (FaultCode.STOPS_DIFFER, ("UPDATE stops SET subject = 'P000002' WHERE number = 2",)),
    "why something is stopped": (FaultCode.STOPS_DIFFER, ("UPDATE stops SET reason = 'fire' WHERE number = 1",)),
    "who stopped it": (FaultCode.STOPS_DIFFER, ("UPDATE stops SET actor = 'sue' WHERE number = 1",)),
    "when it was stopped": (FaultCode.STOPS_DIFFER, ("UPDATE stops SET at_us = at_us + 1 WHERE number = 1",)),
    "a stop that nobody released": (
        FaultCode.STOPS_DIFFER,
        ("UPDATE stops SET released_us = at_us, released_by = 'sid', released_because = 'x' WHERE number = 1",),
    ),
    "a stop that is in force again": (
        FaultCode.STOPS_DIFFER,
        ("UPDATE stops SET released_us = 0, released_by = '', released_because = '' WHERE number = 2",),
    ),
    "who released a stop": (FaultCode.STOPS_DIFFER, ("UPDATE stops SET released_by = 'sue' WHERE number = 2",)),
    "when a stop was released": (
        FaultCode.STOPS_DIFFER,
        ("UPDATE stops SET released_us = released_us + 1 WHERE number = 2",),
    ),
    "why a stop was released": (
        FaultCode.STOPS_DIFFER,
        ("UPDATE stops SET released_because = '' WHERE number = 2",),
    ),
    "a look is gone": (FaultCode.LOOKS_DIFFER, ("DELETE FROM looks",)),
    "a look that nobody took": (FaultCode.LOOKS_DIFFER, ("INSERT INTO looks VALUES (1, 1, 'sue', 'P000001')",)),
    "who looked": (FaultCode.LOOKS_DIFFER, ("UPDATE looks SET actor = 'sue'",)),
    "when somebody looked": (FaultCode.LOOKS_DIFFER, ("UPDATE looks SET at_us = at_us + 1",)),
    "at whose figures somebody looked": (FaultCode.LOOKS_DIFFER, ("UPDATE looks SET subject = 'P000002'",)),
    "in which entry a look is": (FaultCode.LOOKS_DIFFER, ("UPDATE looks SET version = version + 1",)),
    "what a round is searched by": (FaultCode.ROUNDS_DIFFER, ("UPDATE rounds SET marks = '[]'",)),
    "a mark is gone": (
        FaultCode.ROUNDS_DIFFER,
        ("DELETE FROM round_marks WHERE mark = (SELECT mark FROM round_marks LIMIT 1)",),
    ),
    "a mark of another kind": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_marks SET mark = 'x:' || mark",)),
    "a mark of another round": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_marks SET bits = bits + 1",)),
    "marks of another block": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_marks SET block = block + 1",)),
    "marks of another stream": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_marks SET stream = stream + 100",)),
    "a mark that no round has": (FaultCode.ROUNDS_DIFFER, ("INSERT INTO round_marks VALUES (1, 0, 'bet:tie', 2)",)),
    "a block of rounds is gone": (FaultCode.ROUNDS_DIFFER, ("DELETE FROM round_blocks",)),
    "another block of rounds": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_blocks SET block = block + 1",)),
    "a block of another stream": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_blocks SET stream = stream + 100",)),
    "when a block of rounds began": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_blocks SET from_us = from_us - 1",)),
    "when a block of rounds ended": (FaultCode.ROUNDS_DIFFER, ("UPDATE round_blocks SET to_us = to_us + 1",)),
    "who verified": (FaultCode.JOBS_DIFFER, ("UPDATE jobs SET actor = 'sue'",)),
    "what a verification found": (
        FaultCode.JOBS_DIFFER,
        ("UPDATE jobs SET result = replace(result, 'true', 'false')",),
    ),
    "that a verification came to its end": (FaultCode.JOBS_DIFFER, ("UPDATE jobs SET state = 'stopped'",)),
    "which verification it was": (FaultCode.JOBS_DIFFER, ("UPDATE jobs SET id = 'a'",)),
    "a verification that nobody made": (
        FaultCode.JOBS_DIFFER,
        ("INSERT INTO jobs VALUES ('a', 'verify', '', 'aude', 'auditor', 's', 1, 2, 'stopped', 0, 0, '{}', 0)",),
    ),
    "a job that cannot be read": (
        FaultCode.JOBS_DIFFER,
        ("INSERT INTO jobs VALUES ('a', 'verify', '', 'aude', 'auditor', 's', 1, 2, 'done', 0, 0, 'x', 0)",),
    ),
    "an alarm is gone": (FaultCode.ALARMS_DIFFER, ("DELETE FROM alarms WHERE number = 2",)),
    "an alarm that never rang": (
        FaultCode.ALARMS_DIFFER,
        ("INSERT INTO alarms VALUES (9, 'x', 'restart', 1, '', 0, 0, '', 1, '{}', '', 0, '', 0)",),
    ),
    "an alarm that nobody acknowledged": (
        FaultCode.ALARMS_DIFFER,
        ("UPDATE alarms SET acknowledged_by = 'sue', acknowledged_us = at_us WHERE number = 2",),
    ),
    "who acknowledged an alarm": (
        FaultCode.ALARMS_DIFFER,
        ("UPDATE alarms SET acknowledged_by = 'eve' WHERE number = 1",),
    ),
    "what an alarm was about": (FaultCode.ALARMS_DIFFER, ("UPDATE alarms SET facts = '{}' WHERE number = 1",)),
    "how severe an alarm was": (FaultCode.ALARMS_DIFFER, ("UPDATE alarms SET severity = 1 WHERE number = 2",)),
    "an incident is gone": (FaultCode.INCIDENTS_DIFFER, ("DELETE FROM incidents WHERE number = 1",)),
    "no incident at all": (FaultCode.INCIDENTS_DIFFER, ("DELETE FROM incidents",)),
    "an incident that never was": (
        FaultCode.INCIDENTS_DIFFER,
        ("INSERT INTO incidents SELECT 99, stream, at_table, round, kind, version, last, at_us, waits FROM incidents",),
    ),
    "an incident's number": (FaultCode.INCIDENTS_DIFFER, ("UPDATE incidents SET number = number + 1",)),
    "an incident of another round": (FaultCode.INCIDENTS_DIFFER, ("UPDATE incidents SET round = round + 1",)),
    "an incident of another kind": (FaultCode.INCIDENTS_DIFFER, ("UPDATE incidents SET kind = 'ruling'",)),
    "an incident that is still open": (FaultCode.INCIDENTS_DIFFER, ("UPDATE incidents SET waits = 'report'",)),
    "an incident at another time": (FaultCode.INCIDENTS_DIFFER, ("UPDATE incidents SET at_us = at_us + 1",)),
    "the number in an entry": (
        FaultCode.ENTRY_ALTERED,
        ("UPDATE entries SET context = replace(context, '\"incident\":1', '\"incident\":2')",),
    ),
    "a signature is gone": (FaultCode.SIGNATURE_LOST, ("DELETE FROM signatures WHERE number = 5",)),
    "the last signature is gone": (
        FaultCode.NOT_SIGNED,
        ("DELETE FROM signatures WHERE id = (SELECT max(id) FROM signatures)",),
    ),
    "all signatures are gone": (FaultCode.NOT_SIGNED, ("DELETE FROM signatures",)),
    "all signatures, and that there were any": (
        FaultCode.NOT_SIGNED,
        ("DELETE FROM signatures", "DELETE FROM meta WHERE name IN ('signed_with', 'key_check')"),
    ),
    "a signature": (FaultCode.NOT_SIGNED, ("UPDATE signatures SET signature = x'00' WHERE signature <> x''",)),
    "the last signature": (
        FaultCode.NOT_SIGNED,
        ("UPDATE signatures SET signature = x'00' WHERE id = (SELECT max(id) FROM signatures)",),
    ),
    "what a signature covers": (
        FaultCode.NOT_AS_SIGNED,
        ("UPDATE signatures SET first = 1 WHERE id = (SELECT max(id) FROM signatures)",),
    ),
    "of which stream a signature is": (
        FaultCode.NOT_SIGNED,
        ("UPDATE signatures SET stream = 2 WHERE id = (SELECT max(id) FROM signatures)",),
    ),
    "the order of signatures": (FaultCode.SIGNATURE_LOST, ("UPDATE signatures SET number = 99 WHERE number = 5",)),
    "who signed": (FaultCode.NOT_AS_SIGNED, ("UPDATE signatures SET writer = replace(writer, '-', '-0')",)),
    "a signature that is none": (FaultCode.SIGNATURE_LOST, ("UPDATE signatures SET link = 'x' WHERE id = 5",)),
    "a reading in force": (FaultCode.READINGS_DIFFER, ("DELETE FROM meta WHERE name = 'adopted_readings'",)),
}


@pytest.mark.parametrize("change", ROWS)
def test_a_changed_row_is_found(whole_floor: tuple[Path, str], whole_url: str, change: str) -> None:
    code, statements = ROWS[change]
    tamper(whole_url, *((statement.replace(REVOKED, whole_floor[1]), ()) for statement in statements))
    assert code in found(whole_url)


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
def test_what_a_takeover_voided_is_compared_with_the_table(whole_url: str, change: str) -> None:
    """Written again with hashes that fit, as somebody could who has the disk and nothing is kept elsewhere."""
    changed: list[Entry] = []

    def forge(entries: list[Entry]) -> list[Entry]:
        changed.extend(entry for entry in entries if is_a(entry, "table_recovered.1") and '"v1/1"' in entry.event)
        return [retold(entry, **RECOVERED[change]) if entry in changed else entry for entry in entries]

    rewrite(whole_url, "house", forge)
    assert len(changed) == 1
    assert FaultCode.RECOVERY_DIFFERS in found(whole_url)


# ---- what cannot matter

HARMLESS: dict[str, str] = {
    "DELETE FROM sessions WHERE name = 'dora'": "signs somebody out, as they can themselves; nobody gains anything",
    "DELETE FROM snapshots": "a cache: the table is replayed from its first entry",
    "UPDATE tables SET held_by = 'eve'": "the next command takes the table over, on record, as after any restart",
    "INSERT INTO jobs VALUES ('a', 'verify', '', 'eve', 'auditor', 's', 1, 0, 'running', 5, 9, '{}', 0)": (
        "the next start marks it as interrupted; the house's stream has who verified and what came of it"
    ),
    "DELETE FROM jobs": "what came of them is in the house's stream; they are deleted after a while anyway",
    "UPDATE jobs SET server = 'eve', done = 0, total = 0": "matters only while the job runs",
    "UPDATE jobs SET position = 'dealer', at_us = 1, ended_us = 2": "only shown; the house's stream has who and when",
    "UPDATE jobs SET file_until_us = 1": "the file is deleted, and exported again by whoever needs it",
    "INSERT INTO clocks VALUES ('x', 'eve', '0.10.0', 1, 1, 9, 0)": "forgotten when its process no longer notes it",
    "DELETE FROM counts": "the tray is counted again by two people",
    "DELETE FROM processes": "only says how long a server was away; the report of a restart asks the dealer",
    "DELETE FROM clocks": "every process notes its clock again within seconds",
    "UPDATE scan_reads SET card = '8d' WHERE outcome = 'card_differs'": (
        "the table never saw this read; that the bridge contradicted itself is in the house's stream"
    ),
    "DELETE FROM scan_reads": "the cards that counted are in `scans`, with who sent them in the house's stream",
    "DELETE FROM sign_ins": "a lock-out ends early; signing in still needs the password",
    f"INSERT INTO sign_ins VALUES ('eve', 99, {LATER_US}, {LATER_US}, 'eve')": "locks somebody out, who sees it",
    "INSERT INTO meta (name, value) VALUES ('eve', '1')": "nothing reads it",
    "INSERT INTO signatures (writer, number, stream, first, version, link, signature)"
    " VALUES ('eve', 1, 1, 1, 1, x'00', x'00')": "a signature with another key counts for nothing",
    "DELETE FROM meta WHERE name = 'signed_with'": "the next start signs what is not signed, which is nothing",
    "UPDATE sessions SET seen_us = seen_us + 1": "a session locks later or sooner; whose it is stays the same",
    "UPDATE sessions SET started_us = 1": "only shown to its owner",
    "UPDATE totp SET next_secret = x'00'": "a second factor that was not confirmed yet is set up again",
    "UPDATE players SET registered_us = registered_us + 1 WHERE number = 3": "of an erased player nothing is left",
    "UPDATE duty SET id = id + 9": "the order in which the tables of one person are named",
    "UPDATE scan_reads SET at_us = at_us + 1": "when a card was committed to is in the house's stream",
    "UPDATE totp SET used_step = 0": "a code of the last minute counts once more, for somebody with the password",
}


@pytest.mark.parametrize("statement", HARMLESS)
def test_what_cannot_matter_is_no_fault(whole_url: str, statement: str) -> None:
    assert HARMLESS[statement]
    tamper(whole_url, (statement, ()))
    assert found(whole_url) == []


def test_the_docs_say_what_is_no_fault_and_why() -> None:
    said = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")
    table = said.partition("### What verify does not report")[2].partition("\n## ")[0]
    assert sorted(row.split(" | ")[2].removesuffix(" |") for row in table.splitlines() if row.startswith("| `")) == (
        sorted(HARMLESS.values())
    )


def test_a_database_of_another_schema_is_not_verified(whole_url: str) -> None:
    tamper(whole_url, ("UPDATE meta SET value = '5' WHERE name = 'schema'", ()))
    assert CliRunner().invoke(main, ["verify", "--db", whole_url]).exit_code == 2
