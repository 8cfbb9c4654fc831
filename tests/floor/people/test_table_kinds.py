"""Play money and other chips never mix: a table changes its kind only while nobody is there."""

import asyncio

import msgspec
import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import SignedOut
from punto.floor.names.names import HOUSE_PLAYER
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules, change_floor_rules
from punto.library import book
from punto.table.records.commands import (
    BuyIn,
    CashOut,
    CloseTable,
    Leave,
    LoadShoe,
    OpenBetting,
    OpenTable,
    PlaceBet,
    Sit,
    WithdrawBet,
)
from punto.table.records.identity import player_id
from punto.table.records.positions import Position
from tests.floor.people.test_acting import give
from tests.floor.people.test_visitors import ALLOWED, GAME, SUPERVISOR, do, opened
from tests.floor.players import register
from tests.floor.staff_floor import DEALER, Staffed, refused, run
from tests.table.tables import settings

HOUSE = (THE_HOUSE.name, THE_HOUSE.position)
MEI = f"Mei {HOUSE_PLAYER}"
BOTH = FloorRules(visitors=True, buy_in_minor=1_000_00, buy_ins=2, tables=("t1", "t2"))
NONE = FloorRules(visitors=True, buy_in_minor=1_000_00, buy_ins=2)


async def given(house: Staffed, table: str, *commands: object) -> None:
    live = house.floor.table(table)
    for command in commands:
        answer = await house.floor.give(live, f"test {live.stream} {live.head}"[:100], command)  # type: ignore[arg-type]
        assert answer.refusal is None, answer.refusal


async def changes(house: Staffed, rules: FloorRules) -> None:
    await house.visitors.change_rules(THE_CONSOLE, rules)
    assert await house.visitors.rules() == rules


async def stays(house: Staffed, rules: FloorRules, kind: str) -> None:
    """Refused, over HTTP and at the console, and no chips have moved."""
    before = await house.visitors.rules()
    balances = {name: live.state.balances for name, live in house.floor.tables.items()}
    for change in (
        house.visitors.change_rules(THE_CONSOLE, rules),
        change_floor_rules(house.floor.house_log, THE_CONSOLE, rules),
    ):
        trouble = await refused(change, FloorCode.BAD_FLOOR_RULES)
        assert trouble.refusal.key == f"bad_floor_rules.{kind}"
        assert "t1" in trouble.message or "t2" in trouble.message
    assert await house.visitors.rules() == before
    assert {name: live.state.balances for name, live in house.floor.tables.items()} == balances


def test_a_table_with_somebody_does_not_become_a_play_money_table(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await given(house, "t2", BuyIn(*SUPERVISOR, "box 3", 50_000_00))
        await stays(house, BOTH, "to_play_money")
        await given(house, "t2", Sit(*SUPERVISOR, "box 3", 3), CashOut(*SUPERVISOR, "box 3", 50_000_00))
        await stays(house, BOTH, "to_play_money")  # still has a seat
        await given(house, "t2", Leave(*SUPERVISOR, "box 3"))
        await changes(house, BOTH)
        assert verify(house.database).faults == []

    run(database_url, test)


def test_chips_carried_over_from_a_closing_count(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        await house.visitors.buy_in(token, "t1")
        await given(house, "t2", BuyIn(*SUPERVISOR, "box 3", 5_00))
        for table in ("t1", "t2"):
            await given(house, table, CloseTable(*SUPERVISOR))
        await stays(house, BOTH, "to_play_money")
        await stays(house, NONE, "from_play_money")
        for table in ("t1", "t2"):
            await given(house, table, OpenTable(*SUPERVISOR, settings(book(GAME))))
        await stays(house, BOTH, "to_play_money")
        await given(house, "t2", CashOut(*SUPERVISOR, "box 3", 5_00))
        await changes(house, BOTH)
        await changes(house, NONE)
        assert not house.floor.table("t1").state.people

    run(database_url, test)


def test_visitors_and_house_players_are_cashed_out_when_their_table_stops_being_for_play_money(
    database_url: str,
) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live, token = house.floor.table("t1"), (await house.visitors.enter("ann")).token
        for _ in range(2):  # the house's commands are new ones each time
            await house.visitors.buy_in(token, "t1")
            await do(house, token, "sit.1", who="ann", box=1)
            await given(house, "t1", BuyIn(*HOUSE, MEI, 500_00), Sit(*HOUSE, MEI, 2))
            trouble = await refused(
                change_floor_rules(house.floor.house_log, THE_CONSOLE, NONE), FloorCode.BAD_FLOOR_RULES
            )
            assert trouble.refusal.key == "bad_floor_rules.from_play_money"
            await changes(house, NONE)
            assert (live.state.people, live.state.seats) == (frozenset(), {})
            await changes(house, ALLOWED)
        assert (await house.sessions.actor(token)).name == "ann"  # the visit goes on
        assert verify(house.database).faults == []

    run(database_url, test)


@pytest.mark.parametrize("who", ["ann", MEI])
def test_a_table_with_bets_stays_for_play_money_until_the_round_is_over(database_url: str, who: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await house.visitors.buy_in((await house.visitors.enter("ann")).token, "t1")
        if who == MEI:
            await given(house, "t1", BuyIn(*HOUSE, MEI, 500_00))
        await given(house, "t1", LoadShoe(*SUPERVISOR, "s1", 8), Sit(*SUPERVISOR, who, 1), OpenBetting(*SUPERVISOR))
        bet = (who, 1, "player")
        await given(house, "t1", PlaceBet(who, Position.PLAYER, *bet, 100_00))
        for rules in (NONE, FloorRules()):
            await stays(house, rules, "from_play_money")
        await given(house, "t1", WithdrawBet(who, Position.PLAYER, *bet, 100_00))
        await changes(house, FloorRules())
        assert not house.floor.table("t1").state.people

    run(database_url, test)


def test_a_customer_of_an_earlier_release_is_cashed_out_by_staff(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await house.visitors.buy_in((await house.visitors.enter("ann")).token, "t1")
        await given(house, "t1", BuyIn(*SUPERVISOR, "bob", 5_00))
        await stays(house, NONE, "from_play_money")
        await given(house, "t1", CashOut(*SUPERVISOR, "bob", 5_00))
        await changes(house, NONE)

    run(database_url, test)


def test_without_visitors_a_play_money_table_stays_one_and_all_visits_end(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        cleo = await register(house.floor.house_log, "Cleo")
        live, tokens = house.floor.table("t1"), [(await house.visitors.enter(name)).token for name in ("ann", "bob")]
        for token in tokens:
            await house.visitors.buy_in(token, "t1")
        await given(house, "t1", LoadShoe(*SUPERVISOR, "s1", 8), Sit(*SUPERVISOR, "bob", 1), OpenBetting(*SUPERVISOR))
        await given(house, "t1", PlaceBet("bob", Position.PLAYER, "bob", 1, "player", 100_00))
        await changes(house, FloorRules(visitors=False, tables=("t1",)))
        for token in tokens:
            await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        assert [event for _, _, event in await house.told(SignedOut)] == [SignedOut("ann"), SignedOut("bob")]
        assert live.state.people == {"bob"}
        for who in ("bob", "box 3", cleo):
            await refused(give(house, DEALER, "buy_in", "t1", who=who, amount_minor=5), FloorCode.PLAY_MONEY_ONLY)
        await refused(house.visitors.enter("cy"), FloorCode.NO_VISITORS)
        await given(house, "t1", WithdrawBet("bob", Position.PLAYER, "bob", 1, "player", 100_00))
        await house.visitors.clear()
        assert not live.state.people
        await changes(house, FloorRules())

    run(database_url, test)


def test_chips_decided_under_the_rules_before_are_refused_after_the_change(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules change between the floor's check and the append."""

    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        old = await house.visitors.rules()
        await changes(house, FloorRules(visitors=True, buy_in_minor=5, tables=("t2",)))

        async def as_before() -> FloorRules:
            return old

        monkeypatch.setattr(house.visitors, "rules", as_before)
        monkeypatch.setattr(house.acting, "_rules", as_before)
        await refused(house.visitors.buy_in(token, "t1"), FloorCode.NO_BUY_IN)
        await refused(give(house, DEALER, "buy_in", who="box 3", amount_minor=5), FloorCode.PLAY_MONEY_ONLY)
        assert not any(live.state.people for live in house.floor.tables.values())

    run(database_url, test)


def test_the_console_changes_kinds_only_of_empty_tables(database_url: str) -> None:
    def staff(*arguments: str, status: int = 0) -> dict[str, object]:
        done = CliRunner().invoke(main, ["staff", "visitors", *arguments, "--json", "--db", database_url])
        assert done.exit_code == status, done.output
        answer: dict[str, object] = msgspec.json.decode(done.stdout)
        return answer

    async def test(house: Staffed) -> None:
        await house.accounts.first_start()
        await opened(house)
        await given(house, "t2", BuyIn(*SUPERVISOR, player_id(1), 5_00))
        await house.visitors.buy_in((await house.visitors.enter("ann")).token, "t1")
        for arguments in (("--table", "t1", "--table", "t2"), ("--no-tables",), ("--no-tables", "--forbid")):
            answer = await asyncio.to_thread(staff, *arguments, status=2)
            assert isinstance(answer["error"], dict)
            assert answer["error"]["code"] == "bad_floor_rules"
        assert await house.visitors.rules() == ALLOWED
        assert (await asyncio.to_thread(staff, "--forbid"))["tables"] == ["t1"]
        await house.visitors.clear()  # the running floor does this every minute
        assert not house.floor.table("t1").state.people
        assert (await asyncio.to_thread(staff, "--no-tables"))["tables"] == []
        await given(house, "t2", CashOut(*SUPERVISOR, player_id(1), 5_00))
        assert (await asyncio.to_thread(staff, "--table", "t2"))["tables"] == ["t2"]

    run(database_url, test)
