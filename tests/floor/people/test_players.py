"""The register of players: ids in order, searches, and names that can be erased because nothing else has them."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.database.base import Transaction
from punto.floor.database.schema import POSTGRES_TYPES, SQLITE_TYPES
from punto.floor.database.signatures import Signer
from punto.floor.errors import FloorCode
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import AuthorityRefused, PlayerChanged, PlayerErased, PlayerRegistered
from punto.floor.people import players
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.players import MAX_FOUND, MAX_NOTES_LENGTH, Players, names_of, registered
from punto.table.records.commands import BuyIn
from punto.table.records.identity import player_id
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.people.test_visitors import opened
from tests.floor.staff_floor import DEALER, SUPERVISOR, Staffed, refused, run
from tests.keys import TEST_KEY

AUDITOR = Actor("ada", Position.AUDITOR)
SHIFT = Actor("shirin", Position.SHIFT_MANAGER)
READERS = {*Position} - {Position.PLAYER, Position.HOUSE}
CHANGERS = READERS - {Position.DEALER, Position.AUDITOR}
ERASERS = CHANGERS - {Position.PIT_SUPERVISOR, Position.PIT_MANAGER}


def test_ids_may_be_typed_in_small_letters(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        ann = await house.players.register(SUPERVISOR, "Ann")
        assert await house.players.find(SUPERVISOR, "p000001") == ann
        assert await house.players.search(SUPERVISOR, "p000001") == [ann]
        assert await house.players.search(SUPERVISOR, after="p000001") == []
        changed = await house.players.change(SUPERVISOR, "\uff50000001", name="Ann Li")
        assert await house.players.find(SUPERVISOR, "P000001") == changed
        await house.players.erase(SHIFT, "p000001")
        trouble = await refused(house.players.find(DEALER, "p000001"), FloorCode.UNKNOWN_PLAYER)
        assert str(trouble) == "'P000001' was erased from the register."

    run(database_url, test)


def test_ids_are_given_in_order(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        made = [await house.players.register(SUPERVISOR, name) for name in ("Ann Li", "Ann Li", "House")]
        assert [player.id for player in made] == ["P000001", "P000002", "P000003"]
        assert await house.players.find(SUPERVISOR, "P000002") == made[1]
        assert await house.told(PlayerRegistered) == [
            ("sam", "pit_supervisor", PlayerRegistered(player.id)) for player in made
        ]

    run(database_url, test)


def test_processes_that_register_at_once_give_no_id_twice(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        others = [open_database(database_url) for _ in range(3)]
        for database in others:
            database.signer = Signer(TEST_KEY)
        try:
            registers = [house.players, *(Players(HouseLog(database, house.clock)) for database in others)]
            made = await asyncio.gather(
                *(register.register(SUPERVISOR, f"player {turn}") for turn in range(5) for register in registers)
            )
        finally:
            for database in others:
                await asyncio.to_thread(database.close)
        assert sorted(player.id for player in made) == [player_id(number) for number in range(1, 21)]

    run(database_url, test)


def test_a_search_finds_part_of_a_name_an_id_and_a_card_number(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        ann = await house.players.register(SUPERVISOR, "Ann Müller", "gold-7")
        bo = await house.players.register(SUPERVISOR, "李 Bo", "7", "likes box 3")
        per_cent = await house.players.register(SUPERVISOR, "50% _Joanna_!")

        async def found(text: str, limit: int = 50) -> list[str]:
            return [player.id for player in await house.players.search(DEALER, text, limit)]

        assert await found("") == [ann.id, bo.id, per_cent.id]
        assert await found("ANN") == [ann.id, per_cent.id]
        assert await found("ann", 1) == [ann.id]
        assert await found(" ｍü") == [ann.id]
        assert await found("李") == [bo.id]
        assert await found(bo.id.lower()) == [bo.id]
        assert await found("GOLD-7") == [ann.id]
        assert await found("7") == [bo.id]
        assert await found("%") == await found("_") == await found("!") == await found("_joanna") == [per_cent.id]
        assert await found("box 3") == await found("gold") == await found("A\x00nn") == await found("P000009") == []
        assert await found("", 0) == [ann.id]
        assert await found("", MAX_FOUND + 1) == [ann.id, bo.id, per_cent.id]

    run(database_url, test)


def test_the_register_is_read_in_pages(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        ids = [(await house.players.register(SUPERVISOR, f"Ann {number}")).id for number in range(7)]
        await house.players.erase(SHIFT, ids.pop(3))
        pages, after = list[list[str]](), ""
        while page := await house.players.search(DEALER, "ann", 2, after):
            after = page[-1].id
            pages.append([player.id for player in page])
        assert pages == [ids[:2], ids[2:4], ids[4:]]
        for bad in ("ann", "P1", "box 3", "P\x00"):
            await refused(house.players.search(DEALER, after=bad), TableCode.NOT_A_PLAYER_ID)

    run(database_url, test)


@pytest.mark.parametrize("position", sorted(READERS))
def test_who_reads_notes(position: Position, tmp_path: object) -> None:
    async def test(house: Staffed) -> None:
        ann, by = await house.players.register(SUPERVISOR, "Ann", "7", "tall"), Actor("eve", position)
        seen = None if position is Position.DEALER else "tall"
        for found in (await house.players.find(by, ann.id), *await house.players.search(by, "ann")):
            assert (found.id, found.name, found.card, found.notes) == (ann.id, "Ann", "7", seen)

    run(f"{tmp_path}/floor.db", test)


def test_a_change_leaves_the_rest_and_records_which_fields_it_touched(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        ann = await house.players.register(SUPERVISOR, "Ann", "7", "first")
        changed = await house.players.change(SUPERVISOR, ann.id, name="Ann Li", card="8a")
        assert (changed.name, changed.card, changed.notes) == ("Ann Li", "8A", "first")
        assert (await house.players.change(SUPERVISOR, ann.id, card=None, notes="")).card is None
        assert await house.players.change(SUPERVISOR, ann.id, name="Ann Li") == await house.players.find(
            AUDITOR, ann.id
        )
        assert [event for _, _, event in await house.told(PlayerChanged)] == [
            PlayerChanged(ann.id, ("name", "card")),
            PlayerChanged(ann.id, ("card", "notes")),
        ]
        assert [player.id for player in await house.players.search(DEALER, "ann li")] == [ann.id]

    run(database_url, test)


def test_a_card_belongs_to_one_player(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        ann = await house.players.register(SUPERVISOR, "Ann", "a-7")
        bo = await house.players.register(SUPERVISOR, "Bo")
        trouble = await refused(house.players.register(SUPERVISOR, "Cy", "A-7"), FloorCode.CARD_TAKEN)
        assert ann.id in trouble.message
        await refused(house.players.change(SUPERVISOR, bo.id, card="a-7"), FloorCode.CARD_TAKEN)
        await house.players.change(SUPERVISOR, ann.id, card="a-7")  # their own
        await house.players.erase(SHIFT, ann.id)
        assert (await house.players.change(SUPERVISOR, bo.id, card="a-7")).card == "A-7"

    run(database_url, test)


def test_what_cannot_be_registered(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        register = house.players.register
        for name in ("", " Ann", "x" * 101, "A\nB", "\u3164"):
            await refused(register(SUPERVISOR, name), TableCode.BAD_NAME)
        for name in ("P000001", "Ann (p000001)", "Box 3", "behind box 3/2", "3号位", "Person 2 behind box 3"):
            await refused(register(SUPERVISOR, name), TableCode.BAD_NAME)
        for card in ("", " 7", "a b", "x" * 33, "７", "é"):  # noqa: RUF001 - a full-width digit
            await refused(register(SUPERVISOR, "Ann", card), FloorCode.BAD_CARD_NUMBER)
        for notes in ("x" * (MAX_NOTES_LENGTH + 1), "a\x00b", "a\rb"):
            await refused(register(SUPERVISOR, "Ann", None, notes), FloorCode.BAD_NOTES)
        assert await house.told(PlayerRegistered) == []
        ann = await register(SUPERVISOR, "Анна (Anna)", None, "two\r\nlines")
        for player in ("P000002", "P2", "pO00001", "Ann", "", "P" + "9" * 400, "P\x00"):
            await refused(house.players.find(DEALER, player), FloorCode.UNKNOWN_PLAYER)
            await refused(house.players.change(SUPERVISOR, player, name="Bo"), FloorCode.UNKNOWN_PLAYER)
            await refused(house.players.erase(SHIFT, player), FloorCode.UNKNOWN_PLAYER)
        assert (await house.players.find(SUPERVISOR, ann.id)).notes == "two\nlines"
        for name in ("x" * 100, "Taken", "Boxill", "Polizzi"):  # as passports have them
            assert (await register(SUPERVISOR, name)).name == name

    run(database_url, test)


@pytest.mark.parametrize("position", Position)
def test_what_each_position_may_do(position: Position, tmp_path: object) -> None:
    async def test(house: Staffed) -> None:
        ann, by = await house.players.register(THE_CONSOLE, "Ann"), Actor("eve", position)
        acts: dict[str, tuple[set[Position], Callable[[], Awaitable[object]]]] = {
            "find_player": (READERS, lambda: house.players.find(by, ann.id)),
            "search_players": (READERS, lambda: house.players.search(by, "ann")),
            "register_player": (CHANGERS, lambda: house.players.register(by, "Bo")),
            "change_player": (CHANGERS, lambda: house.players.change(by, ann.id, notes="tall")),
            "erase_player": (ERASERS, lambda: house.players.erase(by, ann.id)),
        }
        for may, act in acts.values():
            if position in may:
                await act()
            else:
                await refused(act(), TableCode.NOT_AUTHORISED)
        on_record = [event.command for _, _, event in await house.told(AuthorityRefused)]  # type: ignore[attr-defined]
        assert on_record == [command for command, (may, _) in acts.items() if position not in may]

    run(f"{tmp_path}/floor.db", test)


def test_an_erased_player_is_in_no_table_and_their_id_stays(database_url: str) -> None:
    name, card, note = "Zebedee Quill", "QUILL-77", "prefers the corner"

    async def everything(house: Staffed) -> str:
        def read(transaction: Transaction) -> str:
            made = transaction.rows((POSTGRES_TYPES if house.database.shared else SQLITE_TYPES)["made"])
            assert ("players",) in made
            return "\n".join(str(row) for (table,) in made for row in transaction.rows(f"SELECT * FROM {table}"))  # noqa: S608

        return (await house.database.read(read)).casefold()

    async def journal(house: Staffed) -> str:
        def read(transaction: Transaction) -> str:
            return "\n".join(str(row) for row in transaction.rows("SELECT * FROM entries"))

        return (await house.database.read(read)).casefold()

    async def test(house: Staffed) -> None:
        player = await house.players.register(SUPERVISOR, name, card, note)
        await house.players.change(SUPERVISOR, player.id, name=f"{name} II")
        texts = [text.casefold() for text in (name, card, note)]
        stored, written = await everything(house), await journal(house)
        assert all(text in stored for text in texts)
        assert not any(text in written for text in texts)

        await house.players.erase(SHIFT, player.id)
        left = await everything(house)
        assert player.id.casefold() in left
        assert not any(text in left for text in texts)
        trouble = await refused(house.players.find(DEALER, player.id), FloorCode.UNKNOWN_PLAYER)
        assert trouble.refusal.key == "unknown_player.erased"
        await refused(house.players.change(SUPERVISOR, player.id, name="Bo"), FloorCode.UNKNOWN_PLAYER)
        await refused(house.players.erase(SHIFT, player.id), FloorCode.UNKNOWN_PLAYER)
        assert await house.players.search(DEALER) == await house.players.search(DEALER, player.id) == []
        assert (await house.players.register(SUPERVISOR, "Bo")).id == "P000002"
        assert [event for _, _, event in await house.told(PlayerErased)] == [PlayerErased(player.id)]
        assert verify(house.database).sound

    run(database_url, test)


def test_who_is_registered(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        ann, bo = [(await house.players.register(SUPERVISOR, name)).id for name in ("Ann", "Bo")]
        await house.players.erase(SHIFT, ann)
        found = [await house.database.read(lambda tx, n=n: registered(tx, n)) for n in (1, 2, 3)]  # type: ignore[misc]
        assert found == [False, True, False]
        ids = (ann, bo, "P000003", "box 3", "Bo")
        assert await house.database.read(lambda tx: names_of(tx, ids)) == {bo: "Bo"}
        assert await house.database.read(lambda tx: names_of(tx, ())) == {}

    run(database_url, test)


def test_ids_that_were_names_in_the_journal_of_an_earlier_release_are_never_given(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "EVENTS_A_PAGE", 2)

    async def test(house: Staffed) -> None:
        await opened(house)
        people = ("P000001", "Peter", "ann P000003", "P000002", "Paul", "P000004", "box 3")
        for who in people:
            command = BuyIn("sue", Position.PIT_SUPERVISOR, who, 5)
            assert (await house.floor.give(house.floor.table("t2"), who, command)).refusal is None
        await house.database.write(players.reserve_names_like_ids)
        assert [(await house.players.register(SUPERVISOR, "Ann")).id for _ in range(2)] == ["P000003", "P000005"]
        assert [event.player for _, _, event in await house.told(PlayerErased)] == [  # type: ignore[attr-defined]
            "P000001",
            "P000002",
            "P000004",
        ]

    run(database_url, test)
