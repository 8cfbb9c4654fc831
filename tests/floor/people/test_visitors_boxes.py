"""Limits that keep one visitor from taking too much of a floor: boxes and play money."""

from typing import Any

from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import MAX_BOXES_A_VISITOR, FloorRules
from punto.floor.people.sessions.visitors import IDLE_ROUNDS
from punto.floor.running.commands import Answer
from punto.library import book
from punto.rules.coup.cards import Card
from punto.table.records.commands import (
    BurnCards,
    BuyIn,
    CloseBetting,
    DealCard,
    LoadShoe,
    OpenBetting,
    OpenTable,
    Settle,
    Sit,
)
from punto.table.records.positions import Position
from tests.floor.people.test_visitors import ALLOWED, SUPERVISOR, opened
from tests.floor.staff_floor import Staffed, refused, run
from tests.table.tables import NATURAL, settings


async def give(house: Staffed, token: str, command_id: str, table: str = "t1", **body: object) -> Answer:
    """A visitor's command, submitted as a session does."""
    return await house.acting.submit(await house.sessions.actor(token), table, command_id, body)


async def sit(house: Staffed, token: str, who: str, box: int, table: str = "t1", command_id: str = "") -> Answer:
    return await give(house, token, command_id or f"{who} {table} {box}", table, command="sit.1", who=who, box=box)


async def came(house: Staffed, name: str) -> str:
    """The token of a visitor with play money."""
    token = (await house.visitors.enter(name)).token
    await house.visitors.buy_in(token, "t1")
    return token


def test_a_visitor_sits_at_so_many_boxes_of_a_table_and_no_more(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live, token, rules = house.floor.table("t1"), await came(house, "ann"), await house.visitors.rules()
        assert (await sit(house, token, "ann", 1)).refusal is None
        assert (await sit(house, token, "ann", 2)).refusal is None
        assert [rules.has_room(live.state, "ann", box) for box in (1, 2, 3)] == [True, True, False]
        await refused(sit(house, token, "ann", 3), FloorCode.NO_MORE_BOXES)
        assert live.state.seats == {1: "ann", 2: "ann"}
        assert rules.has_room(live.state, "ben", 3)
        assert (await sit(house, await came(house, "ben"), "ben", 3)).refusal is None
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(True, 1_000_00, 2, ("t1",), 3))  # noqa: FBT003
        assert (await sit(house, token, "ann", 4)).refusal is None
        assert verify(house.database).faults == []

    run(database_url, test)


def test_where_anyone_bets_in_any_box_bets_take_boxes_too(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        rules = book("commission")
        await house.table("t1", "commission")
        floor, table = house.floor, house.floor.table("t1")
        for number, command in enumerate(
            (
                OpenTable(*SUPERVISOR, settings(rules, least=1_00), float_minor=100_000_00),
                LoadShoe(*SUPERVISOR, "s1", 8),
                BurnCards(*SUPERVISOR, Card("As")),
            )
        ):
            assert (await floor.give(table, f"start {number}", command)).refusal is None
        await house.visitors.change_rules(THE_CONSOLE, ALLOWED)
        token = await came(house, "ann")
        assert (await floor.give(table, "call", OpenBetting(*SUPERVISOR))).refusal is None

        async def bet(box: int, name: str) -> Answer:
            body: dict[str, Any] = {"who": "ann", "box": box, "bet": "player", "stake_minor": 1_00, "round": 1}
            return await give(house, token, f"{name} {box}", command="place_bet.1", **body)

        assert (await sit(house, token, "ann", 1)).refusal is None
        assert (await bet(2, "bets")).refusal is None  # a seat and a bet: two boxes
        for box in (3, 4):
            await refused(bet(box, "bets"), FloorCode.NO_MORE_BOXES)
            await refused(sit(house, token, "ann", box), FloorCode.NO_MORE_BOXES)
        assert (await bet(1, "bets")).refusal is None
        assert (await bet(2, "raises")).refusal is None
        assert (await sit(house, token, "ann", 2)).refusal is None  # the box with the bet
        assert table.state.seats == {1: "ann", 2: "ann"}
        assert table.state.round is not None
        assert {placed.box for placed in table.state.round.bets.values()} == {1, 2}

    run(database_url, test)


def test_what_was_accepted_is_answered_the_same_however_full_it_is_now(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = await came(house, "ann")
        first = await sit(house, token, "ann", 1, command_id="first")
        await give(house, token, "up", command="leave.1", who="ann")
        await sit(house, token, "ann", 2)
        await sit(house, token, "ann", 3)
        assert await sit(house, token, "ann", 1, command_id="first") == first
        assert house.floor.table("t1").state.seats == {2: "ann", 3: "ann"}

    run(database_url, test)


def test_rules_for_boxes_are_bounded(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for boxes in (0, -1, MAX_BOXES_A_VISITOR + 1):
            asked = house.visitors.change_rules(THE_CONSOLE, FloorRules(boxes=boxes))
            await refused(asked, FloorCode.BAD_FLOOR_RULES)

    run(database_url, test)


async def play(house: Staffed, number: int) -> None:
    """Play a round from opening betting to settlement."""
    live = house.floor.table("t1")
    # other suits each round: the shoe has enough of them
    cards = [card[0] + "shdc"[("shdc".index(card[1]) + number) % 4] for card in NATURAL.split()]
    steps = [OpenBetting(*SUPERVISOR), CloseBetting(*SUPERVISOR)]
    for command in (*steps, *(DealCard(*SUPERVISOR, Card(card)) for card in cards), Settle(*SUPERVISOR)):
        command_id = f"round {number} {live.head and live.head.version}"
        assert (await house.floor.give(live, command_id, command)).refusal is None


def test_an_idle_visitor_loses_the_box_and_keeps_the_chips(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t1")
        live.held = True
        tokens = {name: await came(house, name) for name in ("ann", "ben")}
        await house.floor.give(live, "bought", BuyIn(*SUPERVISOR, "dan", 100_00))
        await house.floor.give(live, "sat", Sit(*SUPERVISOR, "dan", 5))  # seated by the dealer, without a visit
        for box, (name, token) in enumerate(tokens.items(), 1):
            assert (await sit(house, token, name, box)).refusal is None
        await house.floor.give(live, "shoe", LoadShoe(*SUPERVISOR, "s1", 8))
        for number in range(IDLE_ROUNDS):
            await house.visitors.free_boxes()
            assert {(1, "ann"), (2, "ben"), (5, "dan")} <= live.state.seats.items()
            await play(house, number)
            if number == 3:
                assert (await sit(house, tokens["ben"], "ben", 3)).refusal is None
        await house.visitors.free_boxes()
        assert live.state.seats == {2: "ben", 3: "ben", 5: "dan"}
        assert live.state.chips_minor("ann") == ALLOWED.buy_in_minor
        assert (await house.sessions.actor(tokens["ann"])).position is Position.PLAYER
        assert (await sit(house, tokens["ann"], "ann", 1, command_id="again")).refusal is None
        assert verify(house.database).faults == []

    run(database_url, test)


def test_who_leaves_and_comes_back_gets_no_further_play_money_that_day(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t1")
        for name in ("ann", "ANN"):  # as often as the floor allows, however the name is written
            token = (await house.visitors.enter(name)).token
            await house.visitors.buy_in(token, "t1")
            assert live.state.chips_minor(name) == ALLOWED.buy_in_minor
            await house.visitors.leave(token)
        token = (await house.visitors.enter("ann")).token
        await refused(house.visitors.buy_in(token, "t1"), FloorCode.NO_BUY_IN)
        await house.visitors.leave(token)
        house.clock.go_on(24 * 60)
        token = (await house.visitors.enter("ann")).token
        await house.visitors.buy_in(token, "t1")
        assert live.state.chips_minor("ann") == ALLOWED.buy_in_minor

    run(database_url, test)
