"""The demo floor: five tables, one for each game, set up through the floor's public interface and open to visitors."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from punto.floor.audit.verify import verify
from punto.floor.demo import opening_tables
from punto.floor.demo.opening_tables import TABLES, PlannedTable
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import AuthorityRefused, FloorRulesChanged, StreamOpened, TableCreated
from punto.floor.people.accounts.accounts import THE_CONSOLE, Accounts
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.floor_rules import FloorRules
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from tests.floor.playing import DEALER, SUPERVISOR, At, player, running
from tests.floor.running.test_floor import all_entries
from tests.floor.staff_floor import CHEAP, Staffed, run
from tests.table.tables import ready

pytestmark = pytest.mark.slow


def test_one_table_of_each_game_open_to_visitors(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        await opening_tables.set_up(house.floor, house.visitors)
        tables = house.floor.tables
        assert sorted(live.setup.book for live in tables.values()) == list(book_ids())
        for live in tables.values():
            settings = live.state.settings
            assert settings is not None
            assert live.state.phase is Phase.READY
            assert live.setup.shoes is ShoeKind.VIRTUAL
            assert set(settings.automations) == set(Automation)
            assert (settings.differential_minor is not None) == bool(book(live.setup.book).topics[Topic.DIFFERENTIAL])
        rules = await house.visitors.rules()
        assert rules.visitors
        assert set(rules.tables) == set(tables)
        assert verify(house.database).faults == []

    run(str(tmp_path / "floor.db"), test)


def test_the_record_names_the_console_in_the_position_that_may(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        await opening_tables.set_up(house.floor, house.visitors)
        for kind, position, times in (
            (TableCreated, Position.ADMINISTRATOR, len(TABLES)),
            (StreamOpened, Position.PIT_SUPERVISOR, len(TABLES)),
            (FloorRulesChanged, Position.ADMINISTRATOR, 1),
        ):
            told = await house.told(kind)
            assert [(who, held) for who, held, _ in told] == [("console", position)] * times
        assert await house.told(AuthorityRefused) == []
        for planned in TABLES:
            entry = (await all_entries(house.floor, f"{planned.name}/1"))[0]
            assert (entry.actor, entry.position) == ("console", "pit_supervisor")

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize("done", range(len(TABLES) + 1))
def test_one_that_was_interrupted_is_gone_on_with(tmp_path: Path, done: int) -> None:
    async def test(house: Staffed) -> None:
        for number, planned in enumerate(TABLES[:done]):
            await house.floor.create_table(THE_CONSOLE, planned.setup)
            if number % 2:
                body = {"command": "open_table.1", "settings": msgspec.to_builtins(planned.settings)}
                await house.floor.submit(SUPERVISOR, planned.name, f"by hand {number}", body)
        assert await opening_tables.is_new(house.floor)
        await opening_tables.set_up(house.floor, house.visitors)
        assert all(live.state.phase is Phase.READY for live in house.floor.tables.values())
        assert len(house.floor.tables) == len(TABLES)
        entries = len(await house.entries())
        await opening_tables.set_up(house.floor, house.visitors)
        assert len(await house.entries()) == entries  # and only once
        assert verify(house.database).faults == []

    run(str(tmp_path / "floor.db"), test)


def test_what_somebody_has_decided_on_stays(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        decided = FloorRules(visitors=False, buy_in_minor=7)
        await house.visitors.change_rules(THE_CONSOLE, decided)
        await opening_tables.set_up(house.floor, house.visitors)
        assert await house.visitors.rules() == decided

    run(str(tmp_path / "floor.db"), test)


def test_a_floor_is_new_until_it_has_an_account(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            assert await opening_tables.is_new(floor) == (not floor.database.shared)
            await Accounts(floor.house_log, Passwords(CHEAP)).first_start()
            assert not await opening_tables.is_new(floor)

    asyncio.run(evening())


@pytest.mark.parametrize("planned", TABLES, ids=lambda planned: planned.book)
def test_a_visitor_sits_down_and_bets_on_whatever_the_menu_has(tmp_path: Path, planned: PlannedTable) -> None:
    async def test(house: Staffed) -> None:
        await opening_tables.set_up(house.floor, house.visitors)
        entered = await house.visitors.enter("vera")
        bought = await house.visitors.buy_in(entered.token, planned.name)
        assert bought.refusal is None
        at = At(house.floor, planned.name)
        await at.do(player("vera"), "sit", who="vera", box=planned.boxes)
        await at.do(SUPERVISOR, "load_shoe", shoe="the first", decks=8)
        await at.do(DEALER, "burn_cards")
        await at.do(DEALER, "open_betting")
        for bet in book(planned.book).layouts[planned.layout].menu:
            answer = await at.bet("vera", 25_00, box=planned.boxes, bet=bet)
            assert answer.refusal is None, answer.refusal

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize("planned", TABLES, ids=lambda planned: planned.book)
@pytest.mark.parametrize("bet", list(Side))
def test_a_lone_bettor_may_bet_the_maximum_shown(planned: PlannedTable, bet: Side) -> None:
    most_minor = planned.settings.main.max_minor
    assert most_minor == 5_000_00
    limits = {"main": planned.settings.main, "differential_minor": planned.settings.differential_minor}
    evening = ready(book(planned.book), **limits)
    evening.open_betting().bet("ann", bet, most_minor)


def test_a_name_that_is_taken_by_a_table_is_left_to_it(tmp_path: Path) -> None:
    """A table of that name already exists, with another game: it stays unchanged."""

    async def test(house: Staffed) -> None:
        mine: dict[str, Any] = {"name": TABLES[0].name, "book": "super-six-plus", "shoes": ShoeKind.MANUAL}
        await house.floor.create_table(THE_HOUSE, type(TABLES[0].setup)(**mine))
        await At(house.floor, TABLES[0].name).open("super-six-plus")
        await opening_tables.set_up(house.floor, house.visitors)
        assert house.floor.table(TABLES[0].name).setup.book == "super-six-plus"

    run(str(tmp_path / "floor.db"), test)
