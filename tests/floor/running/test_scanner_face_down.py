"""Cards that a scanner has read but nobody has seen: only the runtime knows them until they are turned."""

import asyncio
from pathlib import Path

import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.auto_dealer import RETRY_S, Dealer
from punto.floor.running.supervisor import Keeper
from punto.floor.shoes.scan_store import Scan, ScanRead, ScanResult, StoredScan
from punto.floor.shoes.sealed import seeded_shoe
from punto.floor.upkeep.backup import backup
from punto.library import book
from punto.rules.coup.cards import Card, read_card
from punto.table import next_step
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.floor.audit.forging import tamper
from tests.floor.clocks import ManualClock
from tests.floor.nights import opened
from tests.floor.playing import DEALER, SUPERVISOR, At, manual_table, running
from tests.floor.reading import NATURAL, Read, evening
from tests.floor.restoring import restored
from tests.floor.running.test_floor import all_entries
from tests.floor.staff_floor import refused
from tests.waiting import run, until


def test_cards_face_down_are_known_and_unseen_until_they_are_turned(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        for draw, card in enumerate(NATURAL, 1):
            answer = await read.do(draw, card)
            assert answer.outcome is ScanResult.TAKEN
            assert all(card not in (entry.event + (entry.command or "")) for entry in answer.entries)
        assert read.cards() == (None,) * 4
        for place, card in enumerate(NATURAL, 1):
            turned = await read.at.do(DEALER, "turn_card", f"turn {place}", place=place)
            assert card in turned.entries[0].event
        await read.at.do(DEALER, "settle")
        await read.closed()
        assert read.live.state.phase is Phase.DEALING
        again = await read.at.do(DEALER, "turn_card", "turn 2", place=2)  # however late
        assert "2d" in again.entries[0].event
        await refused(read.at.ask(DEALER, "turn_card", "turn 2", place=3), FloorCode.COMMAND_ID_TAKEN)

    evening(database_url, play, face_down=True)


def test_nobody_finds_out_a_card_face_down_by_guessing_and_the_pit_may_say_otherwise(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        told = [
            (await refused(read.at.ask(DEALER, "turn_card", place=1, card=card), FloorCode.CARD_SCANNED)).message
            for card in ("9s", "9h", "no card")
        ]
        assert len(set(told)) == 1
        await read.at.do(SUPERVISOR, "turn_card", place=1, card="8s")  # it was misread
        assert read.cards()[0] == Card.EIGHT_SPADES
        player = await read.at.ask(Actor("ann", Position.PLAYER), "turn_card", place=2)
        assert player.refusal is not None
        assert player.refusal.code is TableCode.NOT_AUTHORISED

    evening(database_url, play, face_down=True)


def test_a_card_face_down_that_was_not_scanned_has_to_be_named(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.at.do(DEALER, "deal_card")
        await refused(read.at.ask(DEALER, "turn_card", place=1), FloorCode.BAD_COMMAND)
        late = await read.do(1, "9s")  # dealt before it was scanned
        assert (late.outcome, late.next, late.entries) == (ScanResult.TAKEN, 2, ())
        assert (await read.do(1, "9s")).outcome is ScanResult.KNOWN
        await refused(read.ask(1, "9h"), FloorCode.CARD_DIFFERS)
        await read.at.do(DEALER, "turn_card", place=1)
        await read.at.do(DEALER, "deal_card")
        await read.at.do(DEALER, "turn_card", place=2, card="2d")
        assert read.cards() == (Card.NINE_SPADES, Card.TWO_DIAMONDS)

    evening(database_url, play, face_down=True)


def test_a_card_in_excess_face_down_is_known_once_it_is_reported(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        for place in range(1, 5):
            await read.at.do(DEALER, "turn_card", place=place)
        raised = await read.do(5, "8d")
        assert raised.outcome is ScanResult.RAISED
        assert "8d" not in "".join(entry.event for entry in raised.entries)
        await read.at.do(SUPERVISOR, "report_excess_card", cards=[None])
        assert (await read.do(5, "8d")).outcome is ScanResult.TAKEN
        await read.at.do(DEALER, "settle")
        await read.closed()
        await read.at.do(DEALER, "deal_card")
        await read.at.do(DEALER, "turn_card", place=1)
        assert read.cards() == (Card.EIGHT_DIAMONDS,)

    evening(database_url, play, rules="commission-insurance", face_down=True)


def test_a_whole_shoe_to_its_last_card_and_one_that_it_cannot_hold(tmp_path: Path) -> None:
    decks = book("commission").decks.least
    cards = seeded_shoe("short", decks, "to its end").cards

    async def play(read: Read) -> None:
        await read.at.do(SUPERVISOR, "load_shoe", shoe="short", decks=decks)
        read.shoe, drawn = "short", 0
        while True:
            if read.live.state.phase is Phase.READY:
                await read.closed(stake_minor=1_00)
            step = next_step(read.live.rules, read.live.state)
            assert step is not None
            if step.automation is Automation.TURN:
                await read.at.do(DEALER, "turn_card", place=step.place)
            elif step.automation is Automation.SETTLE:
                await read.at.do(DEALER, "settle")
            elif drawn == len(cards):
                break
            else:
                drawn += 1
                await read.taken(drawn, cards[drawn - 1])
        assert read.live.state.phase is Phase.DEALING  # in the middle of a round
        raised = await read.do(len(cards) + 1, "As")
        assert raised.outcome is ScanResult.RAISED
        assert read.live.state.phase is Phase.DEALING
        assert [row[3] for row in await read.rows()] == list(cards)

    automations = (Automation.DEAL, Automation.TURN, Automation.SETTLE)
    changes = {"face_down": True, "cut_card": 0, "rounds_after_cut_card": 99, "automations": automations}
    evening(str(tmp_path / "floor.db"), play, **changes)


# ---- secrets, backups, audit


def test_a_scan_does_not_say_its_card_where_it_is_printed() -> None:
    assert "As" not in repr(Scan("t1 1", 1, Card.ACE_SPADES))
    assert "As" not in repr(StoredScan(Card.ACE_SPADES, 1))
    assert "As" not in repr(ScanRead(StreamName("t1", 1), "bridge 1", Scan("t1 1", 1, Card.ACE_SPADES), "raised"))


async def _face_down(url: str) -> None:
    async with running(url) as floor:
        read = Read(await manual_table(floor, face_down=True))
        await read.closed()
        await read.taken(1, *NATURAL)
        await read.at.do(DEALER, "turn_card", place=1)


async def _turned(url: str) -> tuple[Card | None, ...]:
    async with running(url) as floor:
        read = Read(At(floor, "t1", ids="later"))
        await read.at.do(DEALER, "turn_card", place=2)
        return read.cards()


def test_scans_survive_a_restart_a_backup_and_a_restore(database_url: str, tmp_path: Path) -> None:
    asyncio.run(_face_down(database_url))
    with opened(database_url) as database:
        backup(database, tmp_path / "backup.db")
    restored(tmp_path / "backup.db", str(tmp_path / "restored.db"))
    expected = (Card.NINE_SPADES, Card.TWO_DIAMONDS, None, None)
    for url in (database_url, str(tmp_path / "restored.db")):
        assert asyncio.run(_turned(url)) == expected
        with opened(url) as database:
            assert verify(database).faults == []


def test_verify_holds_what_was_shown_against_what_was_scanned(database_url: str) -> None:
    asyncio.run(_face_down(database_url))
    tamper(database_url, ("UPDATE scans SET card = ? WHERE draw = 1", ("8s",)))
    with opened(database_url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.code) == ("t1/1", FaultCode.CARD_DIFFERS)
    assert "8s" not in fault.message


@pytest.mark.parametrize("table", ["scans", "scan_reads"])
def test_verify_holds_a_card_that_nobody_has_seen_against_its_read(database_url: str, table: str) -> None:
    asyncio.run(_face_down(database_url))
    tamper(database_url, (f"UPDATE {table} SET card = ? WHERE draw = 4", ("8s",)))  # noqa: S608 - our own names
    with opened(database_url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.code) == ("t1/1", FaultCode.CARD_DIFFERS)
    assert "draw 4" in fault.message
    assert not {"8s", NATURAL[3]} & set(fault.message.split())


# ---- turned by the table itself


def test_a_table_turns_by_itself_what_was_scanned(database_url: str) -> None:
    """Dealt before or after it is scanned: it is turned as soon as it is known."""

    async def play(read: Read) -> None:
        keeper = Keeper(read.floor)
        await keeper.run_once()
        for number in range(2):
            await read.closed()
            first = 1 + len(NATURAL) * number
            for place, card in enumerate(NATURAL, 1):
                assert (await read.do(first + place - 1, card)).outcome is ScanResult.TAKEN
            await until(lambda: read.live.state.phase is Phase.READY)
            assert read.cards() == tuple(map(read_card, NATURAL))
        by_itself = [entry for entry in await all_entries(read.floor, "t1/1") if entry.command_id.startswith("auto:")]
        assert sum("card_turned.1" in entry.event for entry in by_itself) == 8
        await keeper.stop()

    evening(database_url, play, face_down=True, automations=(Automation.DEAL, Automation.TURN, Automation.SETTLE))


def test_a_card_that_nobody_has_read_waits_for_who_sees_it(database_url: str) -> None:
    async def whole() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            read = Read(await manual_table(floor, face_down=True, automations=(Automation.TURN,)))
            await read.closed()
            for _ in NATURAL:
                await read.at.do(DEALER, "deal_card")
            dealing = asyncio.create_task(Dealer(floor, read.live).run())
            version = read.live.head
            for _ in range(3):
                await until(lambda: clock.asleep() > 0)
                clock.passes(RETRY_S)
                await asyncio.sleep(0)
            assert read.live.head == version
            await read.at.do(DEALER, "turn_card", place=1, card="9s")
            assert (await read.do(2, "2d")).outcome is ScanResult.TAKEN
            await until(lambda: read.cards()[1] is not None)  # without waiting any longer
            dealing.cancel()

    run(whole())


def test_a_card_drawn_before_its_time_is_dealt_by_the_table_once_it_is_read(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        assert (await read.do(5, "8d")).outcome is ScanResult.RAISED
        await read.at.do(SUPERVISOR, "dismiss_irregularity", reason="it was not seen")
        await read.at.do(SUPERVISOR, "report_excess_card", cards=[None])
        await read.at.do(DEALER, "settle")
        await read.closed()
        dealer = Dealer(read.floor, read.live)
        assert not await dealer.step()  # dealt face up, but not entered yet
        assert (await read.do(5, "8d")).outcome is ScanResult.TAKEN
        assert await dealer.step()
        assert read.cards() == (Card.EIGHT_DIAMONDS,)

    evening(database_url, play, rules="commission-insurance", automations=(Automation.DEAL,))
