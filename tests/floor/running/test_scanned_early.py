"""Cards that a scanner reads too early are facts, and every read is kept."""

from pathlib import Path

import pytest

from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import event_of
from punto.floor.running.scanner import ScanAnswer, take
from punto.floor.shoes.scan_store import Scan, ScanResult
from punto.library import book_ids
from punto.rules.coup.cards import Card
from punto.table.records.events import CardDealt, CardTurned, InsuranceMissed
from punto.table.records.findings import IrregularityRaised
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, automatic_table, manual_table, running
from tests.floor.reading import BRIDGE, Read, code_of, evening
from tests.floor.staff_floor import refused
from tests.waiting import run

BANKER_ON_FIVE = ("As", "2s", "Ad", "3d")
"""Player 2, Banker 5: insurance on Banker is due."""


def _raised(answer: ScanAnswer) -> IrregularityRaised:
    assert (answer.outcome, answer.next) == (ScanResult.RAISED, 1)
    (entry,) = answer.entries
    event = event_of(entry)
    assert isinstance(event, IrregularityRaised)
    return event


async def _report(at: At, event: IrregularityRaised, card: str | None) -> None:
    """Report the card that the table has raised, with the command that the event names."""
    assert (await at.ask(SUPERVISOR, event.report, cards=[card], reconstructable=True)).refusal is None


# ---- before the close


@pytest.mark.parametrize("rules", book_ids())
def test_a_card_before_the_close_is_raised_and_comes_first_when_it_is_reported(tmp_path: Path, rules: str) -> None:
    async def play(read: Read) -> None:
        await read.at.do(DEALER, "open_betting")
        raised = await read.do(1, "9s")
        event = _raised(raised)
        assert event.card == "9s"
        assert await read.do(1, "9s") == raised
        await refused(read.ask(1, "9h"), FloorCode.CARD_DIFFERS)
        await refused(read.ask(2, "2d"), FloorCode.CARD_GAP)
        told = await read.at.bet("ann", 100_00)
        assert told.refusal is not None
        assert told.refusal.code is TableCode.CARD_EXPOSED
        await _report(read.at, event, "9s")
        assert (await read.do(1, "9s")).outcome is ScanResult.KNOWN
        await read.at.do(DEALER, "close_betting")
        await read.at.do(DEALER, "deal_card")
        await read.taken(2, "2d")
        assert read.cards() == (Card.NINE_SPADES, Card.TWO_DIAMONDS)

    evening(str(tmp_path / "floor.db"), play, rules=rules)


def test_a_card_before_the_close_that_was_misread(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.at.do(DEALER, "open_betting")
        _raised(await read.do(1, "9s"))
        await read.at.do(SUPERVISOR, "dismiss_irregularity", reason="a sleeve")
        assert (await read.at.bet("ann", 100_00)).refusal is None
        await read.at.do(DEALER, "close_betting")
        await read.taken(1, "4h")

    evening(database_url, play)


def test_where_cards_lie_face_down_only_the_runtime_knows_it(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.at.do(DEALER, "open_betting")
        event = _raised(await read.do(1, "9s"))
        assert event.card is None
        assert (await read.at.bet("ann", 100_00)).refusal is None  # nobody has seen it
        await _report(read.at, event, None)
        assert await read.rows() == []
        assert (await read.do(1, "9s")).outcome is ScanResult.TAKEN
        await read.at.do(DEALER, "close_betting")
        await read.at.do(DEALER, "deal_card")
        await read.at.do(DEALER, "turn_card", place=1)
        assert read.cards() == (Card.NINE_SPADES,)

    evening(database_url, play, face_down=True, rules="commission-insurance")


def test_a_table_that_closes_betting_by_itself_waits_too(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.at.do(DEALER, "open_betting")
        _raised(await read.do(1, "9s"))
        told = await read.at.ask(DEALER, "close_betting")
        assert told.refusal is not None
        assert told.refusal.code is TableCode.IRREGULARITY_OPEN
        assert read.live.state.phase is Phase.BETTING

    evening(database_url, play, automations=(Automation.CLOSE_BETTING,))


# ---- before the offer


@pytest.mark.parametrize("face_down", [False, True])
def test_a_card_before_the_offer_is_drawn_and_the_offer_is_missed(database_url: str, face_down: bool) -> None:  # noqa: FBT001
    async def play(read: Read) -> None:
        await read.at.do(DEALER, "open_betting")
        assert (await read.at.bet("ann", 100_00, bet="banker")).refusal is None
        await read.at.do(DEALER, "close_betting")
        await read.taken(1, *BANKER_ON_FIVE)
        if face_down:
            for place in (1, 2, 3, 4):
                await read.at.do(DEALER, "turn_card", place=place)
        answer = await read.do(5, "4c")
        assert (answer.outcome, answer.next) == (ScanResult.TAKEN, 6)
        kinds = [type(event_of(entry)) for entry in answer.entries]
        assert kinds == [InsuranceMissed, CardDealt, *([] if face_down else [CardTurned])]
        assert (await read.do(5, "4c")).outcome is ScanResult.KNOWN
        assert read.live.state.round is not None
        assert len(read.live.state.round.insurance.missed) == 1

    evening(database_url, play, rules="commission-insurance", face_down=face_down)


# ---- every read


def test_every_read_is_kept_with_what_became_of_it(database_url: str) -> None:
    async def play(read: Read) -> None:
        at = ("t1/1", "bridge 1", "t1 1")
        first = await read.do(1, "2h")
        assert first.outcome is ScanResult.TAKEN
        assert (await read.do(2, "Kd")).outcome is ScanResult.BURNED
        await refused(read.ask(2, "Kc"), FloorCode.CARD_DIFFERS)
        for _ in range(3):  # a bridge tries again and again
            assert code_of(await read.ask(4, "9s")) is TableCode.NOT_DEALING
        await refused(read.ask(9, "9s"), FloorCode.CARD_GAP)
        await refused(read.ask(4, "9s", shoe="t1 2"), FloorCode.WRONG_SHOE)
        await refused(read.ask(4, "9s", shoe="\n"), FloorCode.WRONG_SHOE)
        await read.at.do(DEALER, "open_betting")
        for _ in range(2):
            assert (await read.do(4, "9s")).outcome is ScanResult.RAISED
        await read.at.do(SUPERVISOR, "dismiss_irregularity", reason="misread")
        await read.at.do(DEALER, "close_betting")
        for _ in range(3):
            await read.ask(4, "2s")
        await read.ask(4, "2s", by=Actor("bridge 2", Position.DEALER))
        assert await read.reads() == [
            (*at, 1, "2h", "taken"),
            (*at, 2, "Kd", "burned"),
            (*at, 2, "Kc", "card_differs"),
            (*at, 4, "9s", "not_dealing"),
            (*at, 9, "9s", "card_gap"),
            ("t1/1", "bridge 1", "t1 2", 4, "9s", "wrong_shoe"),
            ("t1/1", "bridge 1", "", 4, "9s", "wrong_shoe"),
            (*at, 4, "9s", "raised"),
            (*at, 4, "2s", "taken"),
            (*at, 4, "2s", "known"),
            ("t1/1", "bridge 2", "t1 1", 4, "2s", "known"),
        ]

    evening(database_url, play, burn=True)


def test_a_read_at_a_table_that_has_no_real_shoe_or_is_closed(database_url: str) -> None:
    async def whole() -> None:
        async with running(database_url) as floor:
            read = Read(await manual_table(floor))
            await read.at.do(SUPERVISOR, "close_table")
            assert code_of(await read.ask(1, "9s")) is TableCode.TABLE_CLOSED
            sealed = await automatic_table(floor, "t2")
            scan = Scan("s", 1, Card.ACE_SPADES)
            await refused(take(floor, BRIDGE, sealed.name, scan), FloorCode.NOT_THE_SEALED_CARD)
            eve = Actor("eve", Position.PLAYER)
            await refused(take(floor, eve, "t1", scan), TableCode.NOT_AUTHORISED)
            assert await read.reads() == [
                ("t1/1", "bridge 1", "t1 1", 1, "9s", "table_closed"),
                ("t2/1", "bridge 1", "s", 1, "As", "not_the_sealed_card"),
            ]

    run(whole())


# ---- only people at a real shoe know


def test_a_sealed_shoe_is_counted_by_the_floor(database_url: str) -> None:
    async def whole() -> None:
        async with running(database_url) as floor:
            at = await automatic_table(floor, "t2", automations=())
            await at.do(SUPERVISOR, "load_shoe", shoe="t2 1", decks=8)
            for command in ("cut_card_out", "end_shoe"):
                await refused(at.ask(DEALER, command), FloorCode.SEALED_SHOE)
            told = await refused(at.ask(DEALER, "deal_card", before_close=True), FloorCode.CARD_NOT_DRAWN)
            assert "before the close" in told.message
            felt = await automatic_table(floor, "t3", automations=(), observing=True)
            await felt.do(SUPERVISOR, "load_shoe", shoe="t3 1", decks=8)
            for command in ("cut_card_out", "end_shoe"):
                await felt.do(DEALER, command)

    run(whole())


def test_a_shoe_that_was_taken_off_is_remembered_by_the_next_opening(database_url: str) -> None:
    async def whole() -> None:
        async with running(database_url) as floor:
            at = await manual_table(floor)
            await at.do(SUPERVISOR, "report_foreign_card")
            await at.do(SUPERVISOR, "close_table")
        async with running(database_url) as floor:
            at = At(floor, "t1", ids="again")
            await at.open()
            told = await at.ask(SUPERVISOR, "load_shoe", shoe="t1 1", decks=8)
            assert told.refusal is not None
            assert told.refusal.code is TableCode.SHOE_TAKEN_OFF
            await at.do(SUPERVISOR, "inspect_shoe", shoe="t1 1", reason="416 cards")
            await refused(at.ask(MANAGER, "open_table", settings={}, taken_off={}), FloorCode.BAD_COMMAND)
            await at.do(SUPERVISOR, "load_shoe", shoe="t1 2", decks=8, formerly="t1 1")

    run(whole())
