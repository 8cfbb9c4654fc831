"""Sealed shoes on a floor: committed before the first card, revealed after the last, and secret in between."""

import asyncio
import secrets
from collections import Counter
from typing import Any

import msgspec
import pytest

from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HOUSE, ShoeRevealed, ShoeSealed, read_house_event
from punto.floor.journal.streams import heads, read_all
from punto.floor.running.floor import Floor
from punto.floor.shoes.card_lookup import in_play
from punto.floor.shoes.sealed import SealedShoe, commitment, seeded_shoe, shoe_name, unseal, virtual_shoe
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card, read_cards, write_cards
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.floor.nights import DORA, SID, SUE, Night, night, opened
from tests.keys import TEST_KEY

Entries = list[tuple[str, str]]


def _house(url: str) -> list[Any]:
    with opened(url) as database:
        head = database.reading(heads).result()[HOUSE]
        return [read_house_event(entry.event) for entry in read_all(database, head)]


def _sealed(url: str) -> list[ShoeSealed]:
    return [event for event in _house(url) if isinstance(event, ShoeSealed)]


def _revealed(url: str) -> list[ShoeRevealed]:
    return [event for event in _house(url) if isinstance(event, ShoeRevealed)]


# ---- shoes


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_a_virtual_shoe_holds_whole_decks_and_commits_to_their_order(decks: int) -> None:
    shoe = virtual_shoe("a", decks)
    assert Counter(shoe.cards) == dict.fromkeys(Card, decks)
    assert shoe.commitment == commitment(shoe.nonce, write_cards(shoe.cards))
    assert len(bytes.fromhex(shoe.nonce)) == 32


def test_no_two_virtual_shoes_are_alike() -> None:
    many = [virtual_shoe("a", 8) for _ in range(20)]
    assert len({shoe.cards for shoe in many}) == len({shoe.nonce for shoe in many}) == 20


def test_the_commitment_changes_with_any_card_and_with_the_nonce() -> None:
    shoe = virtual_shoe("a", 1)
    swapped = (shoe.cards[1], shoe.cards[0], *shoe.cards[2:])
    assert commitment(shoe.nonce, write_cards(swapped)) != shoe.commitment
    assert commitment("0" * 64, write_cards(shoe.cards)) != shoe.commitment


def test_a_seeded_shoe_is_the_same_each_time_and_says_what_it_is() -> None:
    one, again = seeded_shoe("a", 8, "seed"), seeded_shoe("a", 8, "seed")
    assert one == again
    assert one.kind is ShoeKind.SEEDED
    others = {seeded_shoe("b", 8, "seed").cards, seeded_shoe("a", 8, "other").cards}
    assert one.cards not in others


def test_nothing_that_prints_a_sealed_shoe_prints_its_cards_or_its_nonce() -> None:
    shoe = virtual_shoe("a", 8)
    for said in (repr(shoe), str(shoe), f"{[shoe]}", str(list(shoe.__rich_repr__()))):
        assert shoe.nonce not in said
        assert not any(str(card) in said for card in Card)


@pytest.mark.parametrize("opening", [1, 123456])
def test_tables_never_name_a_shoe_alike_and_names_are_short_enough(opening: int) -> None:
    long = "the high limit salon on floor 3, "
    tables = ["t1", "t1 1", f"{long}table 1", f"{long}table 2", "x" * 40, "x" * 39 + "y"]
    names = {shoe_name(table, opening, version) for table in tables for version in (7, 77_777_777)}
    assert len(names) == 2 * len(tables)
    assert all(0 < len(name) <= 40 for name in names)


# ---- committed, and revealed however it ends


def _shown(url: str, shoe: str) -> str:
    """The sealed order of a shoe."""
    with opened(url) as database:
        found = database.reading(lambda transaction: unseal(transaction, TEST_KEY, shoe)[0]).result()
    assert isinstance(found, SealedShoe)
    return write_cards(found.cards)


def test_the_commitment_stands_in_the_journal_before_the_first_card(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1")
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)

    night(database_url, play)
    (sealed,) = _sealed(database_url)
    assert (sealed.shoe, sealed.table, sealed.decks, sealed.kind) == ("first", "t1", 8, "virtual")
    assert (sealed.stream, sealed.version) == ("t1/1", 6)
    assert _revealed(database_url) == []


async def _ended(floor: Night) -> None:
    await floor.table("t1", cut_card=51, decks=8)
    await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
    while (shoe := floor.live("t1").state.shoe) is not None and shoe.id == "first":
        await floor.step("t1")


async def _replaced_between_rounds(floor: Night) -> None:
    await floor.table("t1")
    await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
    await floor.do(SUE, "t1", "load_shoe.1", shoe="second", decks=8)


async def _at_once(floor: Night) -> None:
    await floor.table("t1", burn=False)
    await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
    await floor.until("t1", Phase.DEALING)
    await floor.do(DORA, "t1", "report_simultaneous_cards.1", cards=[None, None])
    await floor.do(SUE, "t1", "rule_card_order.1", order=[2, 1])


async def _replaced_now(floor: Night) -> None:
    """The two cards drawn at once are still dealt: the old shoe is over only after the round."""
    await _at_once(floor)
    await floor.do(SUE, "t1", "replace_shoe.1", shoe="second", decks=8, now=True)
    assert "first" in in_play(floor.live("t1").state)
    await floor.until("t1", Phase.READY)


async def _replaced_after_the_round(floor: Night) -> None:
    await _at_once(floor)
    await floor.do(SUE, "t1", "replace_shoe.1", shoe="second", decks=8, now=False)
    await floor.until("t1", Phase.READY)


async def _taken_off(floor: Night) -> None:
    await floor.table("t1")
    await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
    await floor.until("t1", Phase.DEALING)
    await floor.do(SUE, "t1", "report_foreign_card.1", reason="a joker")


async def _run_out(floor: Night) -> None:
    """Without a cut card, the shoe is played until a card is needed and there is none."""
    await floor.table("t1", cut_card=0, rounds_after_cut_card=99)
    await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
    while (shoe := floor.live("t1").state.shoe) is not None and shoe.id == "first":
        await floor.step("t1")


async def _closed(floor: Night) -> None:
    await floor.table("t1")
    await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
    await floor.close("t1")


WAYS = (
    _ended,
    _replaced_between_rounds,
    _replaced_now,
    _replaced_after_the_round,
    _taken_off,
    _run_out,
    _closed,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__[1:])
def test_a_shoe_is_revealed_however_it_ends(tmp_path: Any, way: Any) -> None:
    url = str(tmp_path / "floor.db")
    night(url, way)
    sealed = {event.shoe: event for event in _sealed(url)}
    revealed = {event.shoe: event for event in _revealed(url)}
    assert set(revealed) == {"first"}
    first = revealed["first"]
    assert commitment(first.nonce, first.cards) == sealed["first"].commitment
    assert first.cards == _shown(url, "first")


def test_a_manual_shoe_has_no_order_to_commit_to(tmp_path: Any) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("m1", shoes=ShoeKind.MANUAL, burn=False)
        await floor.do(SUE, "m1", "load_shoe.1", shoe="real", decks=8)
        await floor.until("m1", Phase.DEALING)
        for card in ("5s", "Kd", "3h", "7c"):
            await floor.do(DORA, "m1", "deal_card.1", card=card)
        await floor.until("m1", Phase.READY)
        await floor.close("m1")

    night(url, play)
    assert (_sealed(url), _revealed(url)) == ([], [])


def test_a_manual_table_cannot_have_another_tables_shoe_revealed_by_its_name(tmp_path: Any) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1")
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.table("m1", shoes=ShoeKind.MANUAL)
        await floor.do(SUE, "m1", "load_shoe.1", shoe="first", decks=8)
        await floor.do(SUE, "m1", "load_shoe.1", shoe="other", decks=8)
        await floor.close("m1")

    night(url, play)
    assert _revealed(url) == []


def test_a_seeded_shoe_says_so_where_it_is_committed_to(tmp_path: Any) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.SEEDED, seed="training")
        await floor.rounds("t1", 1)

    night(url, play)
    (sealed,) = _sealed(url)
    assert sealed.kind == "seeded"
    order = seeded_shoe(sealed.shoe, 8, "training")
    assert order.commitment == sealed.commitment


# ---- a crash never reshuffles


def test_after_a_crash_the_cards_come_in_the_order_that_was_sealed(database_url: str) -> None:
    async def before(floor: Night) -> None:
        await floor.table("t1")
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.until("t1", Phase.DEALING)

    async def after(floor: Night) -> list[Card | None]:
        await floor.until("t1", Phase.READY)
        now = floor.live("t1").state.round
        assert now is not None
        return list(now.cards)

    night(database_url, before)
    order = _shown(database_url, "first")
    cards = night(database_url, after)
    assert _shown(database_url, "first") == order
    burned = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(order[0]) or int(order[0])
    assert cards == list(read_cards(order))[1 + burned :][: len(cards)]
    assert len(_sealed(database_url)) == 1


def test_a_shoe_that_did_not_come_to_its_table_was_never_sealed(database_url: str) -> None:
    """The order is sealed in the same transaction as the entry that loads the shoe."""

    async def play(floor: Night) -> None:
        await floor.table("t1")
        await floor.table("t2")
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        with pytest.raises(FloorRefused) as refused:
            await floor.do(SUE, "t2", "load_shoe.1", shoe="first", decks=8)
        assert refused.value.code is FloorCode.SHOE_NAME_TAKEN
        assert floor.live("t2").state.shoe is None
        await floor.do(SUE, "t2", "load_shoe.1", shoe="second", decks=8)

    night(database_url, play)
    assert [event.shoe for event in _sealed(database_url)] == ["first", "second"]


def test_of_two_floors_that_load_a_shoe_at_once_both_deal_from_the_one_that_was_sealed(postgres_url: str) -> None:
    async def play() -> None:
        databases = [open_database(postgres_url) for _ in range(2)]
        try:
            floors = [Night(await Floor.start(databases[0]))]
            await floors[0].table("t1")
            floors.append(Night(await Floor.start(databases[1])))
            for _ in range(8):
                await asyncio.gather(*(floor.step("t1") for floor in floors))
            for floor in floors:
                await floor.live("t1").catch_up()
            shoe = floors[0].live("t1").state.shoe
            assert shoe is not None
            found = [await floor.floor.sealed_shoe(shoe.id) for floor in floors]
            assert found[0] == found[1] is not None
            for floor in floors:
                await floor.until("t1", Phase.READY)
        finally:
            for database in databases:
                database.close()

    asyncio.run(play())
    assert len(_sealed(postgres_url)) == 1


# ---- secrecy


def test_no_event_and_no_state_holds_a_card_before_it_is_turned(tmp_path: Any) -> None:
    """With face-down dealing, the journal names a card only after it is turned."""
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", face_down=True)
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.until("t1", Phase.DEALING)
        while (now := floor.live("t1").state.round) is None or len(now.cards) < 4:
            await floor.step("t1")
        assert now.cards == (None, None, None, None)

    night(url, play)
    order = _shown(url, "first").split()
    with opened(url) as database:
        rows = database.reading(lambda tx: tx.rows("SELECT event, command FROM entries ORDER BY id")).result()
        snapshots = database.reading(lambda tx: tx.rows("SELECT state FROM snapshots")).result()
    told = [msgspec.json.decode(text) for row in rows for text in row if text]
    cards = [value for record in told for value in record.values() if value in order]
    assert cards == [order[0]] * 2  # the burn: command and event
    assert snapshots == []


@pytest.mark.parametrize("position", [Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER])
def test_nobody_can_find_out_the_next_card_by_guessing(tmp_path: Any, position: Position) -> None:
    """Every guess gets the same answer, right or wrong, and changes nothing."""
    url = str(tmp_path / "floor.db")
    by = Actor("gus", position)

    async def play(floor: Night) -> None:
        await floor.table("t1", burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        head = floor.live("t1").head
        answers = set()
        for card in Card:
            for body in (
                {"command": "deal_card.1", "card": card},
                {"command": "burn_cards.1", "card": card},
                {"command": "turn_card.1", "place": 1, "card": card},
                {"command": "report_excess_card.1", "cards": [None, card]},
                {"command": "report_simultaneous_cards.1", "cards": [card, None]},
            ):
                with pytest.raises(FloorRefused) as refused:
                    await floor.floor.submit(by, "t1", secrets.token_hex(8), body)
                answers.add((refused.value.code, refused.value.message))
        assert len(answers) == 1
        assert answers.pop()[0] is FloorCode.NOT_THE_SEALED_CARD
        assert floor.live("t1").head == head

    night(url, play)


def test_a_dealer_at_a_virtual_table_deals_without_naming_a_card(database_url: str) -> None:
    async def play(floor: Night) -> list[Card | None]:
        await floor.table("t1", automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.do(DORA, "t1", "burn_cards.1")
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.do(DORA, "t1", "close_betting.1")
        for _ in range(4):
            await floor.do(DORA, "t1", "deal_card.1")
        now = floor.live("t1").state.round
        assert now is not None
        return list(now.cards)

    cards = night(database_url, play)
    order = _shown(database_url, "first").split()
    burned = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(order[0][0]) or int(order[0][0])
    assert cards == order[1 + burned : 5 + burned]


def test_a_dealers_command_given_twice_has_one_answer(tmp_path: Any) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", burn=False, face_down=True, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.do(DORA, "t1", "close_betting.1")
        for _ in range(4):
            await floor.do(DORA, "t1", "deal_card.1")
        turn = {"command": "turn_card.1", "place": 2}
        answers = [await floor.floor.submit(DORA, "t1", "turn two", turn) for _ in range(2)]
        assert answers[0] == answers[1]
        assert answers[0].entries
        with pytest.raises(FloorRefused, match="another command"):
            await floor.floor.submit(DORA, "t1", "turn two", {**turn, "place": 3})
        refused = await floor.floor.submit(DORA, "t1", "turn nine", {**turn, "place": 9})
        assert refused.refusal is not None

    night(url, play)


def test_no_shift_manager_can_rule_a_card_into_a_sealed_shoe(tmp_path: Any) -> None:
    """Only the house's automation names cards, and a wrong one is refused from anybody."""
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", burn=False)
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.until("t1", Phase.DEALING)
        sealed = await floor.floor.sealed_shoe("first")
        assert sealed is not None
        wrong = next(card for card in Card if card is not sealed.cards[0])
        house = Actor("house", Position.HOUSE)
        with pytest.raises(FloorRefused) as refused:
            await floor.floor.submit(house, "t1", "wrong", {"command": "deal_card.1", "card": wrong})
        assert refused.value.code is FloorCode.NOT_THE_SEALED_CARD
        with pytest.raises(FloorRefused):
            await floor.floor.submit(SID, "t1", "also wrong", {"command": "deal_card.1", "card": wrong})

    night(url, play)
