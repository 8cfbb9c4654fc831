"""Cards that a scanner reads from a real shoe: in order, each once, on the disk before they are acknowledged."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import AuthorityRefused, read_house_event
from punto.floor.running.floor import Floor
from punto.floor.running.scanner import ScanAnswer, take
from punto.floor.shoes.scan_store import Scan, ScanResult
from punto.library import book
from punto.rules.coup.cards import Card, read_card
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, automatic_table, manual_table, running
from tests.floor.reading import BRIDGE, NATURAL, THIRD, Read, code_of, evening
from tests.floor.running.test_floor import all_entries
from tests.floor.staff_floor import refused
from tests.table.tables import json_limits
from tests.waiting import run

# ---- in order


def test_a_round_dealt_by_a_scanner(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *THIRD)
        assert read.cards() == tuple(map(read_card, THIRD))
        await read.at.do(DEALER, "settle")
        entries = [entry for entry in await all_entries(read.floor, "t1/1") if entry.command_id.startswith("scan:")]
        assert {(entry.actor, entry.position) for entry in entries} == {("bridge 1", "dealer")}
        assert [row[2:4] for row in await read.rows()] == [(draw, card) for draw, card in enumerate(THIRD, 1)]

    evening(database_url, play)


def test_the_burn_and_the_cards_that_are_burned_unseen(database_url: str) -> None:
    async def play(read: Read) -> None:
        first = await read.do(1, "3h")
        assert (first.outcome, first.next, len(first.entries)) == (ScanResult.TAKEN, 5, 1)
        before = read.live.head
        for draw, card in enumerate(("As", "Kd", "9c"), 2):
            burned = await read.do(draw, card)
            assert (burned.outcome, burned.next, burned.entries) == (ScanResult.BURNED, 5, ())
        assert read.live.head == before
        assert (await read.do(3, "Kd")).outcome is ScanResult.KNOWN
        await refused(read.ask(3, "Kc"), FloorCode.CARD_DIFFERS)
        await read.closed()
        await read.taken(5, *NATURAL)

    evening(database_url, play, burn=True)


def test_the_bridge_of_a_continuous_shuffler_goes_on_counting(database_url: str) -> None:
    """A card that went back comes again under a draw of its own."""

    async def play(read: Read) -> None:
        for number in range(3):
            await read.closed()
            await read.taken(1 + 4 * number, *NATURAL)
            await read.at.do(DEALER, "settle")
        shoe = read.live.state.shoe
        assert shoe is not None
        assert (shoe.drawn, shoe.left) == (12, shoe.decks * 52 - 4)
        assert [row[2:4] for row in await read.rows()][8:] == [(9 + at, card) for at, card in enumerate(NATURAL)]

    evening(
        database_url, play, rules="commission-insurance", continuous={}, **json_limits(book("commission-insurance"))
    )


def test_burned_cards_need_not_pass_the_scanner(database_url: str) -> None:
    async def play(read: Read) -> None:
        assert (await read.do(1, "Qd")).next == 12
        await read.closed()
        await read.taken(12, *NATURAL)

    evening(database_url, play, burn=True)


def test_a_gap_is_refused_and_names_the_draw_that_is_expected(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, "9s")
        for draw in (3, 4, 400):
            told = await refused(read.ask(draw, "Kh"), FloorCode.CARD_GAP)
            assert "is 2, not " in told.message
        assert [row[2] for row in await read.rows()] == [1]
        await read.taken(2, *NATURAL[1:])

    evening(database_url, play)


# ---- repeated cards


def test_the_same_card_again_has_the_same_answer_and_another_is_refused(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        first = await read.do(1, "9s")
        await read.taken(2, "2d")
        again = await read.do(1, "9s")
        assert (again.outcome, again.next, again.entries) == (ScanResult.KNOWN, 3, first.entries)
        told = await refused(read.ask(1, "9h"), FloorCode.CARD_DIFFERS)
        assert "9s" not in told.message
        await read.taken(3, "Kh", "3c")
        await read.at.do(DEALER, "settle")
        await read.closed()
        await read.taken(5, "9h")
        assert (await read.do(1, "9s")).entries == first.entries  # however late
        assert read.live.state.shoe is not None
        assert read.live.state.shoe.drawn == 5

    evening(database_url, play)


def test_a_card_of_a_table_that_is_closed_by_now(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        await read.at.do(DEALER, "settle")
        await read.at.do(SUPERVISOR, "close_table")
        again = await read.do(4, "3c")
        assert (again.outcome, again.next) == (ScanResult.KNOWN, None)
        assert code_of(await read.ask(5, "3c")) is TableCode.TABLE_CLOSED

    evening(database_url, play)


def test_two_bridges_post_the_same_cards(database_url: str) -> None:
    async def play(read: Read) -> None:
        other = Actor("bridge 2", Position.DEALER)
        for number in range(3):
            await read.closed()
            for draw, card in enumerate(NATURAL, 1 + 4 * number):
                answers = await asyncio.gather(*(read.ask(draw, card, by) for by in (BRIDGE, other) * 4))
                told = [answer for answer in answers if isinstance(answer, ScanAnswer)]
                assert [one.outcome for one in told].count(ScanResult.TAKEN) == 1
                assert [one.outcome for one in told].count(ScanResult.KNOWN) == 7
                assert {one.entries for one in told} == {told[0].entries}
            await read.at.do(DEALER, "settle")
        assert len(await read.rows()) == 12

    evening(database_url, play)


def test_two_bridges_at_two_processes(postgres_url: str) -> None:
    async def whole() -> None:
        async with running(postgres_url) as one, running(postgres_url) as two:
            here = Read(await manual_table(one))
            await two.find_table("t1")
            there = Read(At(two, "t1", ids="there"))
            for number in range(3):
                await here.closed()
                for draw, card in enumerate(NATURAL, 1 + 4 * number):
                    answers = await asyncio.gather(*(read.ask(draw, card) for read in (here, there) * 3))
                    outcomes = [answer.outcome for answer in answers if isinstance(answer, ScanAnswer)]
                    assert sorted(outcomes) == [ScanResult.KNOWN] * 5 + [ScanResult.TAKEN]
                await here.at.do(DEALER, "settle")
            assert len(await here.rows()) == 12
            assert verify(one.database).faults == []

    run(whole())


# ---- refused for a scanner


def test_another_shoe_or_none(database_url: str) -> None:
    async def play(read: Read) -> None:
        told = await refused(read.ask(1, "9s", shoe="t1 2"), FloorCode.WRONG_SHOE)
        assert "'t1 1'" in told.message
        await read.at.do(SUPERVISOR, "close_table")
        assert code_of(await read.ask(1, "9s")) is TableCode.TABLE_CLOSED
        await read.at.open()
        assert code_of(await read.ask(1, "9s")) is TableCode.NO_SHOE
        assert await read.rows() == []

    evening(database_url, play)


def test_a_table_that_was_never_opened_and_one_that_is_not_there(database_url: str) -> None:
    async def whole() -> None:
        async with running(database_url) as floor:
            await manual_table(floor)
            await refused(take(floor, BRIDGE, "t9", Scan("s", 1, Card.ACE_SPADES)), FloorCode.UNKNOWN_TABLE)
            at = await automatic_table(floor, "t2")
            scan = Scan("s", 1, Card.ACE_SPADES)
            await refused(take(floor, BRIDGE, at.name, scan), FloorCode.NOT_THE_SEALED_CARD)

    asyncio.run(whole())


def test_who_does_not_deal_is_refused_on_record(database_url: str) -> None:
    async def play(read: Read) -> None:
        wrong = (Position.PLAYER, Position.AUDITOR, Position.ADMINISTRATOR, Position.HOUSE)
        for position in wrong:
            await refused(read.ask(1, "9s", by=Actor("eve", position)), TableCode.NOT_AUTHORISED)
        house = [read_house_event(entry.event) for entry in await all_entries(read.floor, "house")]
        told = [event for event in house if isinstance(event, AuthorityRefused)]
        assert [(event.by, event.position, event.command) for event in told] == [
            ("eve", position, "scan_card") for position in wrong
        ]

    evening(database_url, play)


def test_the_ids_of_scans_are_nobody_elses(database_url: str) -> None:
    async def play(read: Read) -> None:
        await refused(read.at.ask(DEALER, "open_betting", command_id="scan:t1/1:7"), FloorCode.BAD_COMMAND_ID)

    evening(database_url, play)


# ---- a card that is not wanted


def test_a_card_between_rounds(database_url: str) -> None:
    async def play(read: Read) -> None:
        assert code_of(await read.ask(1, "9s")) is TableCode.NOT_DEALING
        assert await read.rows() == []
        await read.closed()
        await read.taken(1, *NATURAL)  # the bridge posts it again

    evening(database_url, play)


def test_a_card_in_excess_is_raised_and_reported(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        raised = await read.do(5, "8d")
        assert (raised.outcome, raised.next) == (ScanResult.RAISED, 5)
        assert "irregularity_raised.1" in raised.entries[0].event
        assert await read.do(5, "8d") == raised
        await refused(read.ask(5, "8c"), FloorCode.CARD_DIFFERS)
        await refused(read.ask(6, "8d"), FloorCode.CARD_GAP)
        await read.at.do(SUPERVISOR, "report_excess_card", cards=["8d"])
        assert (await read.do(5, "8d")).outcome is ScanResult.KNOWN
        await refused(read.ask(5, "8c"), FloorCode.CARD_DIFFERS)
        await read.at.do(DEALER, "settle")
        await read.closed()
        # the card already drawn comes first, even if the next one is equal
        assert code_of(await read.ask(6, "8d")) is TableCode.NOT_THE_NEXT_CARD
        await read.at.do(DEALER, "deal_card")
        await read.taken(6, "8d")
        assert read.cards() == (Card.EIGHT_DIAMONDS, Card.EIGHT_DIAMONDS)

    evening(database_url, play, rules="commission-insurance")


def test_a_card_after_what_somebody_else_has_raised(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        await read.at.do(DEALER, "deal_card", card="8d")
        assert code_of(await read.ask(5, "8d")) is TableCode.IRREGULARITY_OPEN
        assert len(await read.rows()) == 4

    evening(database_url, play)


def test_a_card_that_was_misread_is_read_again_once_that_is_dismissed(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        assert (await read.do(5, "8d")).outcome is ScanResult.RAISED
        await read.at.do(SUPERVISOR, "dismiss_irregularity", reason="nothing was drawn")
        await read.at.do(DEALER, "settle")
        await read.closed()
        await read.taken(5, "3s")
        assert read.cards() == (Card.THREE_SPADES,)

    evening(database_url, play, rules="commission-insurance")


def test_more_of_a_card_than_the_shoe_can_hold(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        for draw in (1, 2, 3, 4):
            await read.taken(draw, "As")
        await read.taken(5, "As", "As")
        await read.at.do(DEALER, "settle")
        await read.closed()
        await read.taken(7, "As", "As")
        assert (await read.do(9, "As")).outcome is ScanResult.RAISED
        assert len(await read.rows()) == 8

    evening(database_url, play)


# ---- by hand and by scanner


def test_a_card_that_was_dealt_by_hand(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, "9s")
        await read.at.do(DEALER, "deal_card", card="2d")  # the scanner was off
        await refused(read.ask(2, "2c"), FloorCode.CARD_DIFFERS)
        assert (await read.do(2, "2d")).outcome is ScanResult.KNOWN
        await read.taken(3, "Kh", "3c")
        await read.at.do(DEALER, "settle")
        await read.closed()
        assert (await read.do(2, "2d")).outcome is ScanResult.KNOWN
        await read.taken(5, "9h")

    evening(database_url, play)


def test_a_burn_by_hand(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.at.do(DEALER, "burn_cards", card="2h")
        await refused(read.ask(1, "2c"), FloorCode.CARD_DIFFERS)
        assert (await read.do(1, "2h")).outcome is ScanResult.KNOWN
        assert (await read.do(2, "Ks")).outcome is ScanResult.BURNED
        await read.closed()
        await read.taken(4, *NATURAL)

    evening(database_url, play, burn=True)


def test_a_burn_by_hand_that_was_corrected(database_url: str) -> None:
    async def play(read: Read) -> None:
        shoe = read.live.state.shoe
        assert shoe is not None
        await read.at.do(DEALER, "burn_cards", card="2h")
        await read.at.do(DEALER, "correct_card", shoe=shoe.id, draw=0, card="3h")
        await refused(read.ask(1, "2h"), FloorCode.CARD_DIFFERS)
        assert (await read.do(1, "3h")).outcome is ScanResult.KNOWN
        assert (await read.do(4, "Ks")).outcome is ScanResult.BURNED
        await read.closed()
        await read.taken(5, *NATURAL)

    evening(database_url, play, burn=True)


def test_a_shoe_that_was_scanned_keeps_its_name_to_itself(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, *NATURAL)
        await read.at.do(DEALER, "settle")
        await read.at.do(SUPERVISOR, "load_shoe", "again", shoe="t1 2", decks=8)
        await refused(read.at.ask(SUPERVISOR, "load_shoe", shoe="t1 1", decks=8), FloorCode.SHOE_NAME_TAKEN)
        other = Read(read.at, "t1 2")
        await other.closed()
        await other.taken(1, *NATURAL)
        assert (await read.do(4, "3c")).next is None  # of the previous shoe
        await refused(read.ask(5, "3c"), FloorCode.WRONG_SHOE)
        await read.at.do(DEALER, "settle")
        # the same id gives the same answer
        first = await read.at.do(SUPERVISOR, "load_shoe", "again", shoe="t1 2", decks=8)
        assert first.entries[0].command_id == "again"
        await read.at.do(SUPERVISOR, "close_table")
        await read.at.open()
        await read.at.do(SUPERVISOR, "load_shoe", shoe="t1 1", decks=8)  # another opening, another shoe
        await read.at.seat("ann")
        await read.closed()
        await read.taken(1, "Kd")

    evening(database_url, play)


@pytest.mark.parametrize("command", [["load_shoe.1"], None, {}, 7])
def test_a_command_that_is_none_is_refused_at_a_real_shoe_too(tmp_path: Path, command: Any) -> None:
    async def play(floor: Floor) -> None:
        await manual_table(floor)
        with pytest.raises(FloorRefused) as trouble:
            await floor.submit(MANAGER, "t1", "odd", {"command": command})
        assert trouble.value.code is FloorCode.BAD_COMMAND

    async def whole() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            await play(floor)

    asyncio.run(whole())


def test_a_scanned_card_that_was_never_drawn_gives_its_draw_to_the_next(database_url: str) -> None:
    """The scanner read a card twice."""

    async def play(read: Read) -> None:
        await read.closed()
        await read.taken(1, "9s", "2d", "2d")
        body = {"command": "correct_card.1", "shoe": read.shoe, "draw": 2, "card": None}
        await refused(read.floor.submit(DEALER, read.at.name, "by the dealer", body), FloorCode.CARD_SCANNED)
        answer = await read.floor.submit(SUPERVISOR, read.at.name, "twice", body)
        assert answer.refusal is None
        await read.taken(3, "Kh", "3c")
        assert read.cards() == tuple(map(Card, NATURAL))
        await read.at.do(DEALER, "settle")

    evening(database_url, play)
