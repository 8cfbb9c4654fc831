"""Sealed continuous machines on a floor: an order for each round, revealed with its proof when the round is over."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import Entry, event_of
from punto.floor.journal.house_events import HOUSE, ShoeRevealed, ShoeSealed, read_house_event, seal_id
from punto.floor.shoes import machine_orders
from punto.floor.shoes.machine_orders import draw_list, proves
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.upkeep.backup import backup
from punto.rules.coup.cards import Card, read_cards
from punto.table.records.events import CardDealt, CardTurned, Event, OrderRevealed, RoundSettled
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.floor.audit.forging import entries, is_a, reasked, retold, rewrite, tamper
from tests.floor.nights import DORA, SID, SUE, Night, night, opened
from tests.floor.restoring import restored
from tests.keys import TEST_KEY

FEW = 4
"""Orders a block, so that a test sees several."""


@pytest.fixture(autouse=True)
def few_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_orders, "ORDERS_A_BLOCK", FEW)


async def machine(floor: Night, rounds: int = 1, name: str = "m1", **changes: Any) -> None:
    """A table that runs by itself, with a virtual machine."""
    continuous = {"back_after_rounds": rounds, "burn": changes.pop("burns", False)}
    await floor.table("t1", continuous=continuous, **changes)
    await floor.do(SUE, "t1", "load_shoe.1", shoe=name, decks=8)


def told(url: str, stream: str = "t1/1") -> list[Event]:
    return [event_of(entry) for entry in entries(url, stream)]


def revealed(url: str) -> list[OrderRevealed]:
    return [event for event in told(url) if isinstance(event, OrderRevealed)]


def seals(url: str) -> list[ShoeSealed]:
    events = [read_house_event(entry.event) for entry in entries(url, HOUSE)]
    assert not any(isinstance(event, ShoeRevealed) for event in events), "orders are revealed at the table"
    return [event for event in events if isinstance(event, ShoeSealed)]


def faults(url: str) -> list[tuple[str, FaultCode]]:
    with opened(url) as database:
        return [(fault.stream, fault.code) for fault in verify(database).faults]


def in_dealing(floor: Night, cards: int) -> Callable[[], bool]:
    def reached() -> bool:
        now = floor.live("t1").state.round
        return now is not None and not now.over and len(now.cards) >= cards

    return reached


async def step_until(floor: Night, reached: Callable[[], bool]) -> None:
    for _ in range(200):
        if reached():
            return
        await floor.step("t1")
    raise AssertionError("it never came so far")


# ---- sealed, dealt and revealed


@pytest.mark.parametrize(("rounds", "burns"), [(1, False), (3, True)])
def test_every_round_has_an_order_of_its_own(database_url: str, rounds: int, *, burns: bool) -> None:
    async def play(floor: Night) -> None:
        await machine(floor, rounds, burns=burns)
        await floor.rounds("t1", 9)

    night(database_url, play)
    orders = revealed(database_url)
    assert [(each.order, each.round) for each in orders] == [(number, number + 1) for number in range(9)]
    assert [(each.shoe, each.block, each.orders) for each in seals(database_url)] == [
        ("m1", 0, FEW),
        ("m1", 1, FEW),
        ("m1", 2, FEW),
    ]
    roots = {each.block: each.commitment for each in seals(database_url)}
    assert all(proves(each, roots[each.order // FEW]) for each in orders)
    assert faults(database_url) == []


def test_each_card_of_a_round_is_the_next_of_its_order_that_is_not_out(database_url: str) -> None:
    """As anybody works it out who has only read the table's stream."""

    async def play(floor: Night) -> None:
        await machine(floor, 2)
        await floor.rounds("t1", 5)

    night(database_url, play)
    dealt: list[Card] = []
    before: list[Card] = []
    for event in told(database_url):
        if isinstance(event, CardTurned):
            dealt.append(Card(event.card))
        if isinstance(event, OrderRevealed):
            passed = [card for card in read_cards(event.out) if card is not None]
            assert sorted(passed) == sorted(before), "the cards of the round before rest"
            assert draw_list(event.cards, passed)[: len(dealt)] == tuple(dealt)
            before, dealt = dealt, []


def test_the_next_block_is_sealed_a_round_before_it_is_needed(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await machine(floor)
        await floor.rounds("t1", FEW - 1)
        assert len(await floor.floor.database.read(lambda tx: tx.rows("SELECT id FROM shoes"))) == 1
        await floor.until("t1", Phase.BETTING)
        assert await floor.floor.database.read(lambda tx: tx.rows("SELECT id FROM shoes ORDER BY id")) == [
            ("m1",),
            (seal_id("m1", 1),),
        ]

    night(database_url, play)
    (called,) = [
        entry
        for entry in entries(database_url, "t1/1")
        if is_a(entry, "betting_opened.1") and f'"round":{FEW}' in entry.event
    ]
    assert [(each.stream, each.version) for each in seals(database_url)][1:] == [("t1/1", called.version)]


def test_an_order_is_revealed_with_the_event_that_ends_its_round(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await machine(floor)
        await floor.rounds("t1", 1)
        await floor.until("t1", Phase.DEALING)
        await floor.do(SID, "t1", "rule.1", reason="the lights went out", effect="void")
        await floor.until("t1", Phase.BETTING)
        await floor.do(SUE, "t1", "cancel_round.1")

    night(database_url, play)
    events = told(database_url)
    assert [each.round for each in revealed(database_url)] == [1, 2, 3]
    at = next(number for number, event in enumerate(events) if isinstance(event, RoundSettled))
    assert isinstance(events[at + 1], OrderRevealed)
    assert faults(database_url) == []


def test_seeded_machines_deal_the_same_rounds_for_the_same_seed(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await machine(floor, shoes=ShoeKind.SEEDED, seed="x")
        await floor.rounds("t1", 2)

    cards = []
    for name in ("one.db", "two.db"):
        night(str(tmp_path / name), play)
        cards.append([event.card for event in told(str(tmp_path / name)) if isinstance(event, CardTurned)])
        assert faults(str(tmp_path / name)) == []
    assert cards[0] == cards[1]


def test_a_machine_that_leaves_takes_its_unused_orders_with_it(database_url: str) -> None:
    """They are neither revealed nor dealt from."""

    async def play(floor: Night) -> None:
        await machine(floor)
        await floor.rounds("t1", 1)
        await floor.do(SUE, "t1", "load_shoe.1", shoe="m2", decks=8)
        await floor.rounds("t1", 1)
        await floor.do(SUE, "t1", "close_table.1")

    night(database_url, play)
    assert [(each.shoe, each.order, each.round) for each in revealed(database_url)] == [("m1", 0, 1), ("m2", 0, 2)]
    assert faults(database_url) == []


def orders_in_memory(floor: Night) -> set[str]:
    shoes = floor.floor._shoes
    return {name.split("\n")[0] for name in (*shoes._cache, *shoes._dealing)}


def test_the_orders_of_a_machine_that_has_left_are_not_held_in_memory(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await machine(floor)
        await floor.rounds("t1", FEW)
        assert orders_in_memory(floor) == {"m1"}
        await floor.do(SUE, "t1", "load_shoe.1", shoe="m2", decks=8)
        await floor.rounds("t1", 1)
        assert orders_in_memory(floor) == {"m2"}
        await floor.do(SUE, "t1", "close_table.1")
        assert orders_in_memory(floor) == set()

    night(str(tmp_path / "floor.db"), play)


def test_a_sealed_shuffler_has_no_cut_card_and_does_not_end(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await machine(floor, automations=())
        answer = await floor.floor.submit(DORA, "t1", "announced", {"command": "cut_card_out.1"})
        assert answer.refusal is not None
        assert (answer.refusal.code, answer.refusal.clauses) == (TableCode.NO_CUT_CARD, ("1.6",))
        with pytest.raises(FloorRefused) as refused:
            await floor.do(DORA, "t1", "end_shoe.1")
        assert (refused.value.code, refused.value.refusal.variant) == (FloorCode.SEALED_SHOE, "shuffler")
        assert "does not end" in refused.value.refusal.message

    night(str(tmp_path / "floor.db"), play)


def test_an_automatic_table_is_not_opened_with_a_machine_that_it_could_not_load(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        with pytest.raises(AssertionError, match="bad_setting"):
            await floor.table("t1", continuous={"back_after_rounds": 35}, decks=4)
        await floor.table("t2", continuous={"back_after_rounds": 34}, decks=4)

    night(str(tmp_path / "floor.db"), play)


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_machine_that_is_exchanged_for_a_shoe_and_back(database_url: str, rounds: int) -> None:
    async def play(floor: Night) -> None:
        await machine(floor, rounds)
        await floor.rounds("t1", 2)
        settings = msgspec.to_builtins(floor.live("t1").state.settings)
        for kept, name in ((None, "s1"), (settings["continuous"], "m2")):
            await floor.do(SUE, "t1", "change_settings.1", settings={**settings, "continuous": kept, "burn": False})
            await floor.do(SUE, "t1", "load_shoe.1", shoe=name, decks=8)
            await floor.rounds("t1", 2)

    night(database_url, play)
    assert [(each.shoe, each.order) for each in revealed(database_url)] == [("m1", 0), ("m1", 1), ("m2", 0), ("m2", 1)]
    with opened(database_url) as database:
        assert verify(database).faults == []


# ---- a card that nobody has seen waits


async def draw_unseen(floor: Night) -> None:
    """A round in which a card too many is drawn, which nobody sees; it is dealt in the next."""
    await floor.until("t1", Phase.DEALING)
    await step_until(floor, in_dealing(floor, 4))
    await floor.do(SUE, "t1", "report_excess_card.1", cards=[None])
    await floor.until("t1", Phase.READY)


def test_an_order_is_not_revealed_while_a_card_of_it_waits_unseen(database_url: str) -> None:
    """It would tell the bettors of the next round their first card."""

    async def play(floor: Night) -> None:
        await machine(floor, face_down=True)
        await floor.rounds("t1", 1)
        await draw_unseen(floor)
        waiting = floor.live("t1").state.carried
        if not waiting:  # the coup drew it as its fifth card
            return
        assert len(revealed_so_far(await floor.live("t1").after(1, 0))) == 1
        await floor.until("t1", Phase.BETTING)
        await floor.until("t1", Phase.READY)
        assert [each.order for each in revealed_so_far(await floor.live("t1").after(1, 0))] == [0, 1, 2]

    night(database_url, play)
    assert faults(database_url) == []


def revealed_so_far(of: list[Entry]) -> list[OrderRevealed]:
    return [event for event in map(event_of, of) if isinstance(event, OrderRevealed)]


@pytest.mark.parametrize("rounds", [1, 3])
def test_another_process_finds_the_card_that_waits(database_url: str, rounds: int) -> None:
    """It follows the machine through the journal from its first round."""

    async def first(floor: Night) -> None:
        await machine(floor, rounds, face_down=True, burns=True)
        await floor.rounds("t1", 2)
        for _ in range(5):
            await draw_unseen(floor)
            if floor.live("t1").state.carried:
                return

    async def then(floor: Night) -> None:
        await floor.rounds("t1", 3)

    night(database_url, first)
    night(database_url, then)
    assert faults(database_url) == []
    assert len(revealed(database_url)) >= 6


# ---- restarts and restores


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_round_goes_on_from_its_order_after_a_restart(database_url: str, rounds: int) -> None:
    async def first(floor: Night) -> None:
        await machine(floor, rounds)
        await floor.rounds("t1", 2)
        for _ in range(30):
            await step_until(floor, in_dealing(floor, 4))
            if not floor.live("t1").rules.coup(" ".join(map(str, faces(floor)))).finished:
                return
            await floor.until("t1", Phase.READY)

    def faces(floor: Night) -> list[object]:
        now = floor.live("t1").state.round
        return list(now.cards) if now is not None else []

    async def then(floor: Night) -> None:
        await floor.rounds("t1", 1)

    night(database_url, first)
    number = len([event for event in told(database_url) if isinstance(event, CardDealt)])
    night(database_url, then)
    assert len([event for event in told(database_url) if isinstance(event, CardDealt)]) > number
    assert faults(database_url) == []


def test_a_restored_floor_deals_from_another_machine(tmp_path: Path, database_url: str) -> None:
    first = str(tmp_path / "first.db")

    async def play(floor: Night) -> None:
        await machine(floor)
        await floor.rounds("t1", 2)
        await step_until(floor, in_dealing(floor, 4))
        await asyncio.to_thread(backup, floor.floor.database, tmp_path / "backup.db")

    async def then(floor: Night) -> None:
        shoe = floor.live("t1").state.shoe
        assert shoe is not None
        assert shoe.id != "m1"
        assert shoe.continuous is not None
        await floor.rounds("t1", 2)

    night(first, play)
    restored(tmp_path / "backup.db", database_url)
    night(database_url, then)
    names = [each.shoe for each in revealed(database_url)]
    assert names.count("m1") == 3, "with the round that the restore found open"
    assert len(set(names)) == 2
    assert "m1" not in names[4:]
    assert faults(database_url) == []


def test_a_machine_that_came_when_all_cards_were_dealt_burns_before_its_first_round(
    tmp_path: Path, database_url: str
) -> None:
    first = str(tmp_path / "first.db")

    async def play(floor: Night) -> None:
        await machine(floor, burns=True)
        await step_until(floor, lambda: is_finished(floor))
        await asyncio.to_thread(backup, floor.floor.database, tmp_path / "backup.db")

    def is_finished(floor: Night) -> bool:
        now = floor.live("t1").state.round
        if now is None or len(now.cards) < 4 or None in now.cards:
            return False
        return floor.live("t1").rules.coup(" ".join(map(str, now.cards))).finished

    async def then(floor: Night) -> None:
        await floor.rounds("t1", 2)

    night(first, play)
    restored(tmp_path / "backup.db", database_url)
    night(database_url, then)
    orders = [(each.order, each.round) for each in revealed(database_url) if each.shoe != "m1"]
    assert orders == [(0, 2), (1, 3)], "none for the round that it dealt nothing to"
    assert faults(database_url) == []


def test_no_card_is_drawn_from_an_order_that_is_revealed(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await machine(floor, automations=(), burn=False)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.do(SUE, "t1", "cancel_round.1")
        with pytest.raises(FloorRefused) as refused:
            await floor.do(SUE, "t1", "report_excess_card.1", cards=[None])
        assert (refused.value.code, refused.value.refusal.variant) == (FloorCode.CARD_NOT_DRAWN, "between_rounds")
        await floor.do(DORA, "t1", "open_betting.1")

    night(database_url, play)
    assert faults(database_url) == []


# ---- somebody changes it


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("machines") / "floor.db"

    async def play(floor: Night) -> None:
        await machine(floor, 2)
        await floor.rounds("t1", 6)
        await step_until(floor, in_dealing(floor, 2))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(machine_orders, "ORDERS_A_BLOCK", FEW)
        night(str(path), play)
    return path


@pytest.fixture
def url(played: Path, tmp_path: Path) -> str:
    return str(shutil.copyfile(played, tmp_path / "floor.db"))


def forged(url: str, number: int, /, **changes: Any) -> None:
    def forge(entry: Entry) -> Entry:
        is_it = is_a(entry, "order_revealed.1") and event_of(entry).order == number  # type: ignore[attr-defined]
        return retold(entry, **changes) if is_it else entry

    rewrite(url, "t1/1", lambda entries: [forge(entry) for entry in entries])


def test_what_nobody_has_changed_is_sound(url: str) -> None:
    assert faults(url) == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"nonce": "0" * 64}, FaultCode.COMMITMENT_DIFFERS),
        ({"path": []}, FaultCode.COMMITMENT_DIFFERS),
        ({"order": 1}, FaultCode.COMMITMENT_DIFFERS),
        ({"shoe": "m2"}, FaultCode.SHOE_NOT_SEALED),
        ({"round": 7}, FaultCode.ORDER_DIFFERS),
        ({"first_draw": 0}, FaultCode.ORDER_DIFFERS),
        ({"out": ""}, FaultCode.ORDER_DIFFERS),
    ],
)
def test_a_revealed_order_that_was_changed_is_found(url: str, changes: dict[str, Any], code: FaultCode) -> None:
    forged(url, 2, **changes)
    assert faults(url)[0] == ("t1/1", code)


def test_two_cards_of_an_order_that_were_exchanged_are_found(url: str) -> None:
    cards = revealed(url)[2].cards.split()
    forged(url, 2, cards=" ".join([cards[1], cards[0], *cards[2:]]))
    assert faults(url)[0] == ("t1/1", FaultCode.COMMITMENT_DIFFERS)


def test_two_orders_that_were_exchanged_are_found(url: str) -> None:
    """Both are sealed, and each with its proof: but not at this place."""
    one, two = revealed(url)[1:3]
    for here, there in ((one, two), (two, one)):
        forged(url, here.order, nonce=there.nonce, cards=there.cards, path=there.path)
    assert faults(url)[0] == ("t1/1", FaultCode.COMMITMENT_DIFFERS)


def test_an_order_that_is_revealed_twice_or_out_of_turn_is_found(url: str) -> None:
    one, two = revealed(url)[1:3]
    whole = {name: value for name, value in msgspec.to_builtins(one).items() if name != "event"}
    forged(url, two.order, **whole)
    assert faults(url)[0] == ("t1/1", FaultCode.ORDER_DIFFERS)


def test_an_order_that_is_left_out_is_found(url: str) -> None:
    def leave_out(of: list[Entry]) -> list[Entry]:
        return [entry for entry in of if not (is_a(entry, "order_revealed.1") and '"order":2' in entry.event)]

    rewrite(url, "t1/1", leave_out)
    assert ("t1/1", FaultCode.SHOE_NOT_REVEALED) in faults(url)


@pytest.mark.parametrize("round_over", [True, False])
def test_another_card_than_that_of_the_order_is_found(url: str, *, round_over: bool) -> None:
    """Also in the round that is being played."""
    of = entries(url, "t1/1")
    turned = [entry for entry in of if is_a(entry, "card_turned.1")]
    entry = turned[2] if round_over else turned[-1]
    held = msgspec.json.decode(entry.event)["card"]
    other = next(card for card in Card if card.rank == held[0] and card != held)

    def forge(each: Entry) -> Entry:
        if each.version not in (entry.version, entry.version - 1):
            return each
        return replace(
            retold(each, card=other) if each.version == entry.version else each,
            command=reasked(each, card=other).command if each.command else None,
        )

    rewrite(url, "t1/1", lambda entries: [forge(each) for each in entries])
    assert faults(url)[0] == ("t1/1", FaultCode.CARD_DIFFERS)


@pytest.mark.parametrize("block", [0, 1])
def test_a_stored_block_that_was_changed_is_found(url: str, block: int) -> None:
    name = seal_id("m1", block)
    with opened(url) as database:
        ((sealed,),) = database.reading(lambda tx: tx.rows("SELECT sealed FROM shoes WHERE id = ?", (name,))).result()
    lines = TEST_KEY.open(bytes(sealed), f"shoe {name}".encode()).decode().split("\n")
    lines[1], lines[3] = lines[3], lines[1]
    again = TEST_KEY.seal("\n".join(lines).encode(), f"shoe {name}".encode())
    tamper(url, ("UPDATE shoes SET sealed = ? WHERE id = ?", (again, name)))
    assert faults(url) == [(HOUSE, FaultCode.COMMITMENT_DIFFERS)]


def test_a_changed_block_stops_its_table(url: str) -> None:
    name = seal_id("m1", 1)
    tamper(url, ("UPDATE shoes SET sealed = X'00' WHERE id = ?", (name,)))

    async def play(floor: Night) -> None:
        assert floor.floor.is_stopped(floor.live("t1"))
        with pytest.raises(FloorRefused) as refused:
            await floor.do(DORA, "t1", "deal_card.1")
        assert refused.value.code is FloorCode.SHOE_NOT_AS_SEALED

    night(url, play)


def test_a_block_sealed_after_its_first_card_is_found(url: str) -> None:
    """Its sealing is the last row that was written."""
    (sealing,) = [entry for entry in entries(url, HOUSE) if '"block":1' in entry.event]
    house = "(SELECT id FROM streams WHERE name = 'house')"
    late = f"UPDATE entries SET id = (SELECT max(id) + 1 FROM entries) WHERE stream = {house} AND version = ?"  # noqa: S608
    tamper(url, (late, (sealing.version,)))
    assert (HOUSE, FaultCode.SHOE_NOT_SEALED) in faults(url)
