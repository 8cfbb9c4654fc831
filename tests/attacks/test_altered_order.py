"""Somebody with the disk changes the orders of a sealed shuffler. None of them is dealt, and the audit finds it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.journal.entry import Entry, write
from punto.floor.journal.house_events import HOUSE
from punto.floor.shoes.machine_orders import OrderStart, seeded_block, write_revealed
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shoe_runtime import SealedShoes
from punto.rules.coup.cards import Card
from punto.table.records.positions import Position
from tests.floor.audit.forging import entries, is_a, reasked, retold, rewrite, tamper
from tests.floor.nights import DORA, NATURAL, SUE, Night, night, opened
from tests.keys import TEST_KEY
from tests.web.serving import server
from tests.web.wire import problem

MACHINE = "machine 1"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A table with three rounds from a sealed machine, and betting open for the fourth."""
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", continuous={}, automations=("deal", "settle"))
        await floor.do(SUE, "t1", "load_shoe.1", shoe=MACHINE, decks=8)
        for _ in range(3):
            await floor.do(SUE, "t1", "open_betting.1")
            await floor.do(SUE, "t1", "close_betting.1")
            while (now := floor.live("t1").state.round) is not None and not now.over:
                if now.insurance.offer_open or not await floor_steps(floor):
                    await floor.do(SUE, "t1", "open_insurance.1")
        await floor.do(SUE, "t1", "open_betting.1")

    night(url, play)
    return url


async def floor_steps(floor: Night) -> bool:
    """Take the next automatic step; False if people have to act."""
    before = floor.live("t1").head
    await floor.step("t1")
    return floor.live("t1").head != before


def faults(url: str) -> list[tuple[str, FaultCode]]:
    with opened(url) as database:
        return [(fault.stream, fault.code) for fault in verify(database).faults]


def alter_stored(url: str, change: Callable[[list[str]], None]) -> None:
    """For somebody who has the key too: nonces and orders are lines in turn."""
    with opened(url) as database:
        ((sealed,),) = database.reading(
            lambda tx: tx.rows("SELECT sealed FROM shoes WHERE id = ?", (MACHINE,))
        ).result()
    about = f"shoe {MACHINE}".encode()
    lines = TEST_KEY.open(bytes(sealed), about).decode().split("\n")
    change(lines)
    tamper(
        url, ("UPDATE shoes SET sealed = ? WHERE id = ?", (TEST_KEY.seal("\n".join(lines).encode(), about), MACHINE))
    )


def reverse_next(lines: list[str]) -> None:
    lines[7] = " ".join(reversed(lines[7].split()))


def swap_next(lines: list[str]) -> None:
    lines[6:8], lines[8:10] = lines[8:10], lines[6:8]


@pytest.mark.parametrize("change", [reverse_next, swap_next])
def test_no_card_of_an_altered_order_is_dealt(url: str, change: Callable[[list[str]], None]) -> None:
    alter_stored(url, change)
    with server(url) as served:
        served.taken_over()
        dora = served.by(Position.DEALER)
        for command in ("close_betting", "deal_card", "open_betting"):
            problem(served.command(dora, "t1", command), 409, "shoe_not_as_sealed")
    assert (HOUSE, FaultCode.COMMITMENT_DIFFERS) in faults(url)


def told(url: str) -> list[dict[str, Any]]:
    return [msgspec.json.decode(entry.event) for entry in entries(url, "t1/1") if is_a(entry, "order_revealed.1")]


def forge(url: str, order: int, **changes: Any) -> None:
    def forged(entry: Entry) -> Entry:
        is_it = is_a(entry, "order_revealed.1") and f'"order":{order},' in entry.event
        return retold(entry, **changes) if is_it else entry

    rewrite(url, "t1/1", lambda of: [forged(entry) for entry in of])


def test_an_order_that_was_altered_after_its_round_is_found(url: str) -> None:
    forge(url, 1, cards=" ".join(reversed(told(url)[1]["cards"].split())))
    assert faults(url)[0] == ("t1/1", FaultCode.COMMITMENT_DIFFERS)


def test_two_orders_that_changed_places_are_found(url: str) -> None:
    first, second = told(url)[:2]
    for at, other in ((0, second), (1, first)):
        forge(url, at, **{name: other[name] for name in ("nonce", "cards", "path")})
    assert faults(url)[0] == ("t1/1", FaultCode.COMMITMENT_DIFFERS)


def test_a_card_that_was_not_drawn_is_found(url: str) -> None:
    turned = next(entry for entry in entries(url, "t1/1") if is_a(entry, "card_turned.1"))
    card = msgspec.json.decode(turned.event)["card"]
    other = next(each for each in Card if each.rank == card[0] and each != card)

    def forged(entry: Entry) -> Entry:
        if entry.command_id != turned.command_id:
            return entry
        changed = retold(entry, card=other) if entry.version == turned.version else entry
        return reasked(changed, card=other) if changed.command else changed

    rewrite(url, "t1/1", lambda of: [forged(entry) for entry in of])
    assert ("t1/1", FaultCode.CARD_DIFFERS) in faults(url)


# ---- orders that everybody knows, or nobody sealed


def test_a_card_that_was_drawn_from_a_revealed_order_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a program that does not check what it draws. The order is published, so everybody knows the card."""

    async def check_nothing(*_: object) -> None:
        pass

    async def play(floor: Night) -> None:
        await floor.table("t1", continuous={}, automations=(), burn=False)
        await floor.do(SUE, "t1", "load_shoe.1", shoe=MACHINE, decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.do(SUE, "t1", "cancel_round.1")
        await floor.do(SUE, "t1", "report_excess_card.1", cards=[None])

    monkeypatch.setattr(SealedShoes, "check", check_nothing)
    url = str(tmp_path / "floor.db")
    night(url, play)
    assert faults(url) == [("t1/1", FaultCode.SHOE_REVEALED_EARLY)]


@pytest.mark.parametrize("continuous", [{}, None], ids=["machine", "shoe"])
def test_an_order_revealed_at_a_table_that_seals_nothing_is_found(
    tmp_path: Path, continuous: dict[str, Any] | None
) -> None:
    """It would make cards look proven that people entered."""

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, continuous=continuous, automations=(), burn=False)
        await floor.do(SUE, "t1", "load_shoe.1", shoe=MACHINE, decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.do(DORA, "t1", "close_betting.1")
        for card in NATURAL:
            await floor.do(DORA, "t1", "deal_card.1", card=card)
        await floor.do(DORA, "t1", "settle.1")

    url = str(tmp_path / "floor.db")
    night(url, play)
    assert faults(url) == []
    order = write_revealed(seeded_block(MACHINE, 8, 0, "x"), 0, 1, OrderStart(0, ()), ())

    def reveal(of: list[Entry]) -> list[Entry]:
        last = of[-1]
        return [*of, msgspec.structs.replace(last, part=last.part + 1, command=None, event=write(order))]

    rewrite(url, "t1/1", reveal)
    assert faults(url) == [("t1/1", FaultCode.SHOE_NOT_SEALED)]
