"""Somebody with the whole database, but without the floor's key, appends to the journal or writes it again.

Whatever they append fits in every other respect: Punto's own code writes it, with all rows and hashes that go with it.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from punto.floor.alarms.alarms import Alarms
from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.chips.floor_chips import change_chip_set
from punto.floor.database import open_database
from punto.floor.database.schema import FIRST_SIGNED
from punto.floor.database.signatures import INSERT_LINKS, link_hash
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.floor.house.house_log import HouseLog
from punto.floor.house.signing import open_to_sign
from punto.floor.journal import house_events as house
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.audit_events import GeneratorFailed, PackMade, PlayedWhileStopped, ProgramChecked
from punto.floor.journal.entry import Entry
from punto.floor.journal.pit_events import CountsDiffered
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import THE_CONSOLE, Accounts
from punto.floor.people.duty import Duty
from punto.floor.people.looks import LookKind, Looks
from punto.floor.people.players import Players
from punto.floor.running.adopted_readings import adopt_reading
from punto.floor.running.floor import Floor
from punto.floor.settings.floor_settings import change_settings
from punto.table.procedure.chip_set import Chip, ChipColour, ChipSet
from punto.table.records.positions import Position
from tests.attacks.tampered import AUDE, SID, found
from tests.floor.audit.forging import entries, rewrite, sign_again, tamper
from tests.floor.nights import opened
from tests.floor.playing import DEALER, SUPERVISOR, At
from tests.floor.staff_floor import SetClock
from tests.keys import TEST_KEY

pytestmark = pytest.mark.slow

Act = Callable[[HouseLog], Awaitable[object]]


def event(*events: house.HouseEvent) -> Act:
    return lambda log: log.write(THE_HOUSE, *events)


ACTS: dict[str, Act] = {
    "an account": lambda log: Accounts(log).create(THE_CONSOLE, "eve", Position.SHIFT_MANAGER),
    "an administrator": lambda log: Accounts(log).assign(THE_CONSOLE, "dora", Position.ADMINISTRATOR),
    "another position": lambda log: Accounts(log).assign(THE_CONSOLE, "dora", Position.PIT_MANAGER),
    "no position": lambda log: Accounts(log).assign(THE_CONSOLE, "max", None),
    "a password": lambda log: Accounts(log).reset_password(THE_CONSOLE, "dora"),
    "a token": lambda log: Accounts(log).issue_token(
        THE_CONSOLE, "eve", Position.DEALER, TokenBounds(TokenWork.COMMANDS, "m1")
    ),
    "sessions that are over": lambda log: Accounts(log).revoke(THE_CONSOLE, "dora"),
    "a player": lambda log: Players(log).register(THE_CONSOLE, "Eve"),
    "a player's name": lambda log: Players(log).change(THE_CONSOLE, "P000001", name="Eve"),
    "a player's card": lambda log: Players(log).change(THE_CONSOLE, "P000001", card="7009"),
    "a player is erased": lambda log: Players(log).erase(THE_CONSOLE, "P000001"),
    "a reading": lambda log: adopt_reading(log, SID, "cut_card", 30, "again"),
    "a duty": lambda log: Duty(log).assign(SID, "dora", "m1"),
    "chips": lambda log: change_chip_set(log, SID, ChipSet((Chip(7_00, ChipColour.RED),))),
    "settings": lambda log: change_settings(log, SID, lambda settings: replace(settings, tray_chips=7)),
    "an alarm": lambda log: Alarms(log).ring([DueAlarm(AlarmKind.RESTART, "9")]),
    "an alarm is acknowledged": lambda log: Alarms(log).acknowledge(SUPERVISOR, 2, "seen"),
    "a look": lambda log: Looks(log).saw(AUDE, LookKind.RATING, "P000002"),
    "a start of the server": event(house.FloorStarted("0.11.0", public_key="ab" * 32)),
    "a start with the right key": event(house.FloorStarted("0.11.0", public_key=TEST_KEY.public_key)),
    "a migration": event(house.FloorMigrated(7)),
    "a refusal": event(house.AuthorityRefused("m1", "dora", "dealer", "rule", "authority")),
    "a lock": event(house.LockedOut("dora", 1)),
    "a PIN that is locked": event(house.PinLocked("max", "terminal-2", 1)),
    "an attempt": event(house.LateAttempt("m1", "m1/1", 1, "ann", "place_bet", ())),
    "a check of the program": event(ProgramChecked("1", "2", "3", same=True)),
    "a generator that failed": event(GeneratorFailed("monobit")),
    "a pack": event(PackMade("m1", 1, 1, 9, "ab" * 32)),
    "play while stopped": event(PlayedWhileStopped(1, "m1", "m1/1", 1, "open_betting")),
    "counts that differed": event(CountsDiffered("m1", "check", "sue", 1_00, 2_00)),
    "two at once": event(house.LockedOut("dora", 1), house.LockedOut("max", 1)),
}
"""Of the house."""

COMMANDS: dict[str, tuple[tuple[object, ...], dict[str, object]]] = {
    "chips that were bought": ((DEALER, "buy_in"), {"who": "ann", "amount_minor": 500_00}),
    "a card that was turned": ((DEALER, "turn_card"), {"place": 2}),
    "chips of somebody else": ((DEALER, "buy_in"), {"who": "ben", "amount_minor": 500_00}),
    "a ruling": ((SID, "rule"), {"reason": "because", "effect": "adjust", "amounts": {"ann": 1_00}}),
    "a void": ((SID, "rule"), {"reason": "because", "effect": "void"}),
    "chips at a place": ((DEALER, "buy_in"), {"who": "box 5", "amount_minor": 500_00}),
    "another card that was turned": ((DEALER, "turn_card"), {"place": 3}),
}
"""At the table m1."""


def act_unsigned(url: str, act: Act) -> None:
    """Do it with Punto's own code and without a key."""

    async def run() -> None:
        database = open_database(url)
        try:
            await act(HouseLog(database, SetClock()))
        finally:
            await asyncio.to_thread(database.close)

    (((signed,),),) = _meta(url)
    tamper(url, ("DELETE FROM meta WHERE name = 'signed_with'", ()))
    asyncio.run(run())
    tamper(url, ("INSERT INTO meta (name, value) VALUES ('signed_with', ?)", (signed,)))


def _meta(url: str) -> list[list[tuple[str]]]:
    with opened(url) as database:
        return [database.reading(lambda tx: tx.rows("SELECT value FROM meta WHERE name = 'signed_with'")).result()]


@pytest.mark.parametrize("name", ACTS)
def test_what_was_appended_to_the_house_without_the_key_is_found(whole_url: str, name: str) -> None:
    version = len(entries(whole_url, "house")) + 1
    act_unsigned(whole_url, ACTS[name])
    assert len(entries(whole_url, "house")) >= version
    with opened(whole_url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.version, fault.code) == ("house", version, FaultCode.NOT_SIGNED)


@pytest.fixture(scope="module")
def commands(whole_floor: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Entry]]:
    """What each command appends at a server of somebody else's."""
    written: dict[str, list[Entry]] = {}

    async def give(url: str, name: str) -> None:
        database = open_database(url)
        try:
            at = At(await Floor.start(database, SetClock()), "m1", f"forged {name}")
            (by, command), fields = COMMANDS[name]
            answer = await at.do(by, command, **fields)  # type: ignore[arg-type]
            written[name] = [*answer.entries]
        finally:
            await asyncio.to_thread(database.close)

    for name in COMMANDS:
        url = shutil.copyfile(whole_floor[0], tmp_path_factory.mktemp("rogue") / "floor.db")
        asyncio.run(give(str(url), name))
    return written


@pytest.mark.parametrize("name", COMMANDS)
def test_what_was_appended_to_a_table_without_the_key_is_found(
    whole_url: str, commands: dict[str, list[Entry]], name: str
) -> None:
    told = entries(whole_url, "m1/1")
    new = [entry for entry in commands[name] if entry.version > len(told)]
    assert new
    rewrite(whole_url, "m1/1", lambda _: [*told, *new])
    with opened(whole_url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.version, fault.code) == ("m1/1", len(told) + 1, FaultCode.NOT_SIGNED)


def test_they_are_38() -> None:
    assert len(ACTS) + len(COMMANDS) == 38


def test_a_server_that_goes_on_after_a_forged_entry_does_not_cover_it(whole_url: str) -> None:
    """It signs what it appends itself, not what it finds."""
    version = len(entries(whole_url, "house")) + 1
    act_unsigned(whole_url, ACTS["an account"])

    async def start() -> None:
        database = open_database(whole_url)
        try:
            await Floor.start(database, SetClock())
        finally:
            await asyncio.to_thread(database.close)

    asyncio.run(start())
    with opened(whole_url) as database:
        (fault,) = verify(database).faults
    assert (fault.version, fault.code) == (version, FaultCode.NOT_SIGNED)


def _claim_restore(log: HouseLog) -> Awaitable[None]:
    return log.write(THE_CONSOLE, house.FloorRestored((), "the disk failed"))


def test_nobody_appends_to_a_signed_journal_by_mistake(whole_url: str) -> None:
    """A command without the key is refused: what it appended would be found as forged."""
    told = entries(whole_url, "house")
    database = open_database(whole_url)
    try:
        with pytest.raises(FloorRefused) as refused:
            asyncio.run(_of_house(ACTS["an account"](HouseLog(database, SetClock()))))
    finally:
        database.close()
    assert (refused.value.code, refused.value.refusal.variant) == (FloorCode.BAD_KEY, "unsigned")
    assert entries(whole_url, "house") == told


async def _of_house(act: Awaitable[object]) -> None:
    await act


CLAIMS: dict[str, Act] = {
    "a restore": _claim_restore,
    "the migration to signed journals": event(house.FloorMigrated(FIRST_SIGNED)),
}
"""After which the next start would sign what others have written."""


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_that_the_next_start_will_sign_it_excuses_nothing(whole_url: str, name: str) -> None:
    version = len(entries(whole_url, "house")) + 1
    for act in (CLAIMS[name], ACTS["an account"]):
        act_unsigned(whole_url, act)
    with opened(whole_url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.version, fault.code) == ("house", version, FaultCode.NOT_SIGNED)


def test_no_migration_of_a_signed_journal_excuses_what_follows(whole_url: str) -> None:
    """The note that it is signed is gone too, as after a migration from an earlier release."""
    act_unsigned(whole_url, CLAIMS["the migration to signed journals"])
    tamper(whole_url, ("DELETE FROM meta WHERE name = 'signed_with'", ()))
    with opened(whole_url) as database:
        verified = verify(database)
    assert ([fault.code for fault in verified.faults], verified.unsigned) == ([FaultCode.NOT_SIGNED], 0)


def test_links_without_a_signature_cover_nothing(whole_url: str) -> None:
    """Everything in a link but its signature is public, so anybody can add one to the chain of a writer."""
    version = len(entries(whole_url, "house")) + 1
    act_unsigned(whole_url, ACTS["an account"])
    appended = entries(whole_url, "house")[-1]
    with opened(whole_url) as database:
        sql = "SELECT writer, number, link, signature FROM signatures ORDER BY id DESC LIMIT 1"
        ((writer, number, link, signature),) = database.reading(lambda tx: tx.rows(sql)).result()
        ((stream,),) = database.reading(lambda tx: tx.rows("SELECT id FROM streams WHERE name = 'house'")).result()
    forged = link_hash(link, writer, number + 1, version, appended.hash)
    tamper(whole_url, (INSERT_LINKS, (writer, number + 1, stream, version, appended.version, forged, b"")))
    with opened(whole_url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.version, fault.code) == ("house", version, FaultCode.NOT_SIGNED)
    # a signature that was made for another link, of a stream that there is not
    tamper(whole_url, (INSERT_LINKS, (writer, number + 2, 99_999, 1, 1, link, signature)))
    with opened(whole_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.SIGNATURE_LOST]


def test_links_that_are_moved_away_are_missed(whole_url: str) -> None:
    """What they covered is written again, with a link of its own."""
    rewrite(whole_url, "m1/1", REWRITTEN[LATER])
    moved = "UPDATE signatures SET stream = 99999 WHERE stream = (SELECT id FROM streams WHERE name = 'm1/1')"
    tamper(whole_url, (moved, ()))
    assert FaultCode.SIGNATURE_LOST in found(whole_url)


def test_signing_anew_with_another_key_does_not_help(whole_url: str, tmp_path: Path) -> None:
    act_unsigned(whole_url, ACTS["an account"])
    other = tmp_path / "other.key"
    other.write_text("ab" * 32)
    other.chmod(0o600)
    tamper(
        whole_url, ("DELETE FROM signatures", ()), ("DELETE FROM meta WHERE name IN ('signed_with', 'key_check')", ())
    )
    database = open_database(whole_url)
    try:
        open_to_sign(database, str(other))
    finally:
        database.close()
    with opened(whole_url) as database:
        assert {fault.code for fault in verify(database, public_key=TEST_KEY.public_key).faults} == {
            FaultCode.NOT_SIGNED
        }
        assert not verify(database).signatures_checked  # whoever has other heads or the key has to say so


def test_an_auditor_needs_the_public_key_only(whole_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    act_unsigned(whole_url, ACTS["an account"])
    with opened(whole_url) as database:
        kept = verify(database).heads
        assert kept.public_key == TEST_KEY.public_key
        monkeypatch.delenv("PUNTO_KEY_FILE")
        blind = verify(database)
        assert (blind.signatures_checked, blind.faults) == (False, [])
        seen = verify(database, replace(kept, streams={}))
        assert (seen.signatures_checked, [fault.code for fault in seen.faults]) == (True, [FaultCode.NOT_SIGNED])


# ---- written again

Forge = Callable[[list[Entry]], list[Entry]]


def _each(change: Callable[[Entry], Entry]) -> Forge:
    return lambda told: [change(entry) for entry in told]


LATER, BY_TERMINAL = "a microsecond later", "at another terminal"
REWRITTEN: dict[str, Forge] = {
    LATER: _each(lambda entry: replace(entry, at_us=entry.at_us + 1)),
    "the last entry later": lambda told: [*told[:-1], replace(told[-1], at_us=told[-1].at_us + 1)],
    "cut off": lambda told: told[:-1],
    "cut off by half": lambda told: told[: len(told) // 2],
    "all but the first": lambda told: told[:1],
    "another command id": _each(lambda entry: replace(entry, command_id=f"{entry.command_id} x")),
    BY_TERMINAL: _each(
        lambda entry: replace(entry, context=entry.context.replace('{"revision"', '{"terminal":"t","revision"'))
    ),
    "the last entry twice": lambda told: [*told, replace(told[-1], command_id="again", part=0)],
    "without the first": lambda told: told[1:],
    "the other way round": lambda told: told[::-1],
}
NAMED: dict[str, tuple[str, str, str]] = {
    LATER: ("not_as_signed", "not_as_signed", "head_not_in_stream"),
    "the last entry later": ("not_as_signed", "not_as_signed", "not_an_entry"),
    "cut off": ("shoe_not_revealed", "tail_cut", "judged_otherwise"),
    "cut off by half": ("account_differs", "tail_cut", "judged_otherwise"),
    "all but the first": ("account_differs", "tail_cut", "tail_cut"),
    "another command id": ("not_as_signed", "not_as_signed", "head_not_in_stream"),
    BY_TERMINAL: ("session_differs", "not_as_signed", "head_not_in_stream"),
    "the last entry twice": ("not_an_entry", "judged_otherwise", "not_an_entry"),
    "without the first": ("readings_differ", "law_differs", "law_differs"),
    "the other way round": ("shoe_not_sealed", "round_differs", "not_an_entry"),
}
"""What each of the streams that was written again is found by. The house's stream has the heads of v1/1."""
STREAMS = ("house", "m1/1", "v1/1")


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("name", REWRITTEN)
def test_a_stream_that_was_written_again_is_found(whole_url: str, name: str, stream: str) -> None:
    rewrite(whole_url, stream, REWRITTEN[name])
    with opened(whole_url) as database:
        named = {fault.code for fault in verify(database).faults if fault.stream == stream}
    assert NAMED[name][STREAMS.index(stream)] in named


def test_they_are_30() -> None:
    assert len(REWRITTEN) * len(STREAMS) == 30


def test_who_has_the_key_and_the_disk_is_found_by_heads_alone(whole_url: str) -> None:
    """As docs/security.md says."""
    with opened(whole_url) as database:
        kept = verify(database).heads
    rewrite(whole_url, "m1/1", REWRITTEN[LATER])
    sign_again(whole_url)
    with opened(whole_url) as database:
        assert verify(database).faults == []
        assert [fault.code for fault in verify(database, kept).faults] == [FaultCode.HEAD_NOT_IN_STREAM]
        assert database.reading(lambda tx: streams.find(tx, "m1/1")).result() is not None
