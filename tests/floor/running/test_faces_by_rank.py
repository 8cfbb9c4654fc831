"""Faces by rank alone on a floor: only where shoes are real, and in agreement with a scanner."""

import pytest
from msgspec import to_builtins

from punto.floor.errors import FloorCode
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.scan_store import ScanResult
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.refusals import TableCode
from tests.floor.playing import AT_ONCE, DEALER, FLOAT_MINOR, MANAGER, SUPERVISOR, At, running
from tests.floor.reading import NATURAL, Read, evening
from tests.floor.staff_floor import refused
from tests.table.tables import settings
from tests.waiting import run


@pytest.mark.parametrize("kind", [ShoeKind.VIRTUAL, ShoeKind.SEEDED])
def test_a_sealed_shoe_gives_suits_so_the_setting_is_refused(database_url: str, kind: ShoeKind) -> None:
    async def play() -> None:
        async with running(database_url) as floor:
            seed = "seven" if kind is ShoeKind.SEEDED else ""
            await floor.create_table(MANAGER, TableSetup("t1", "commission", kind, pace=AT_ONCE, seed=seed))
            at, suits = At(floor, "t1"), settings(book("commission"))
            wanted = to_builtins(settings(book("commission"), faces_by_rank=True))
            opening = await at.ask(SUPERVISOR, "open_table", settings=wanted, float_minor=FLOAT_MINOR)
            await at.do(SUPERVISOR, "open_table", settings=to_builtins(suits), float_minor=FLOAT_MINOR)
            change = await at.ask(SUPERVISOR, "change_settings", settings=wanted)
            for answer in (opening, change):
                assert answer.refusal is not None
                assert (answer.refusal.code, answer.refusal.variant) == (TableCode.BAD_SETTING, "faces_by_rank")
                assert "sealed" in answer.refusal.message
            # who may not change settings is told so first
            unauthorised = await at.ask(DEALER, "change_settings", settings=wanted)
            assert unauthorised.refusal is not None
            assert unauthorised.refusal.code is TableCode.NOT_AUTHORISED

    run(play())


def test_a_scan_agrees_with_the_rank_that_was_entered(database_url: str) -> None:
    async def play(read: Read) -> None:
        await read.at.do(DEALER, "burn_cards", card="A")
        assert (await read.do(1, "Ah")).outcome is ScanResult.KNOWN
        await refused(read.ask(1, "2h"), FloorCode.CARD_DIFFERS)
        await read.closed()
        await read.at.do(DEALER, "deal_card", card=NATURAL[0][0])
        assert (await read.do(3, NATURAL[0])).outcome is ScanResult.KNOWN
        await refused(read.ask(3, "8s"), FloorCode.CARD_DIFFERS)
        await read.taken(4, *NATURAL[1:])  # the scanner deals the rest, with suits
        assert read.cards() == (NATURAL[0][0], *NATURAL[1:])
        await read.at.do(DEALER, "settle")

    evening(database_url, play, burn=True, faces_by_rank=True)
