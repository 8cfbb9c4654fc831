"""Visitors: a name, a player's session and, if the floor allows it, play money."""

import asyncio

from punto import book
from punto.floor.errors import FloorCode
from punto.floor.house.projections.sessions import VISIT_S
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import AuthorityRefused, FloorRulesChanged, SignedOut, VisitorEntered
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.commands import Answer
from punto.rules.coup.cards import Card
from punto.table.records.commands import (
    BuyIn,
    CloseBetting,
    CloseTable,
    DealCard,
    LoadShoe,
    OpenBetting,
    OpenTable,
    Settle,
)
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.people.test_accounts import ALIKE, HOSTILE
from tests.floor.staff_floor import Staffed, refused, run, staffed
from tests.table.tables import NATURAL, settings

ALLOWED = FloorRules(visitors=True, buy_in_minor=1_000_00, buy_ins=2, tables=("t1",))
GAME = "commission-insurance"
SUPERVISOR = ("sue", Position.PIT_SUPERVISOR)


async def opened(house: Staffed, rules: FloorRules = ALLOWED) -> None:
    """Two open tables, one of them for play money."""
    for name in ("t1", "t2"):
        await house.table(name, GAME)
        command = OpenTable(*SUPERVISOR, settings(book(GAME)), float_minor=100_000_00)
        assert (await house.floor.give(house.floor.table(name), f"open {name}", command)).refusal is None
    await house.visitors.change_rules(THE_CONSOLE, rules)


async def do(house: Staffed, token: str, command: str, table: str = "t1", **fields: object) -> Answer:
    """A command by the holder of the token."""
    actor = await house.sessions.actor(token)
    command_id = f"{command} {len(await house.entries())} {house.floor.table(table).head}"
    return await house.floor.submit(actor, table, command_id[:100], {"command": command, **fields})


def test_a_visitor_gives_a_name_and_plays_with_play_money(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        visit = await house.visitors.enter("ann")
        assert visit.expires_us == house.clock.us + VISIT_S * 1_000_000
        assert await house.sessions.actor(visit.token) == Actor("ann", Position.PLAYER, since_us=house.clock.us)
        assert ("ann", "player", VisitorEntered("ann")) in await house.told()
        bought = await house.visitors.buy_in(visit.token, "t1")
        assert [(entry.actor, entry.position) for entry in bought.entries] == [("house", "house")]
        assert house.floor.table("t1").state.chips_minor("ann") == 1_000_00
        assert (await do(house, visit.token, "sit.1", who="ann", box=1)).refusal is None
        assert house.floor.table("t1").state.seats == {1: "ann"}

    run(database_url, test)


def test_as_long_as_nobody_allows_it_there_are_no_visitors(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        assert await house.visitors.rules() == FloorRules()
        await refused(house.visitors.enter("ann"), FloorCode.NO_VISITORS)
        assert not await house.told(VisitorEntered)

    run(database_url, test)


def test_play_money_is_given_once_however_often_it_is_asked_for(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        answers = await asyncio.gather(*(house.visitors.buy_in(token, "t1") for _ in range(10)))
        assert len({answer.entries for answer in answers}) == 1
        assert house.floor.table("t1").state.chips_minor("ann") == 1_000_00
        house.clock.go_on(5)
        assert (await house.visitors.buy_in(token, "t1")).entries == answers[0].entries

    run(database_url, test)


def test_play_money_again_when_all_is_gone_and_not_more_often_than_the_floor_allows(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t1")
        token = (await house.visitors.enter("ann")).token
        dealer = await house.hired("dora", Position.DEALER)
        for _ in range(ALLOWED.buy_ins):
            await house.visitors.buy_in(token, "t1")
            assert live.state.chips_minor("ann") == 1_000_00
            await do(house, dealer, "cash_out.1", who="ann", amount_minor=999_99)
            await house.visitors.buy_in(token, "t1")
            assert live.state.chips_minor("ann") == 1
            await do(house, dealer, "cash_out.1", who="ann", amount_minor=1)
        await refused(house.visitors.buy_in(token, "t1"), FloorCode.NO_BUY_IN)
        assert live.state.chips_minor("ann") == 0

    run(database_url, test)


def test_play_money_that_lies_on_the_felt_is_not_gone(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t1")
        token = (await house.visitors.enter("ann")).token
        await house.visitors.buy_in(token, "t1")
        await do(house, token, "sit.1", who="ann", box=1)
        await house.floor.give(live, "shoe", LoadShoe(*SUPERVISOR, "s1", 8))
        await house.floor.give(live, "betting", OpenBetting(*SUPERVISOR))
        placed = await do(house, token, "place_bet.1", who="ann", box=1, bet="player", stake_minor=1_000_00)
        assert placed.refusal is None
        await house.visitors.buy_in(token, "t1")
        assert live.state.chips_minor("ann") == 0
        await house.visitors.leave(token)  # the bet stays, and so does the name
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await refused(house.visitors.enter("ann"), FloorCode.NAME_TAKEN)
        assert live.state.seats == {1: "ann"}
        await house.floor.give(live, "closed", CloseBetting(*SUPERVISOR))
        for number, card in enumerate(NATURAL.split()):
            await house.floor.give(live, f"card {number}", DealCard(*SUPERVISOR, Card(card)))
        await house.floor.give(live, "settled", Settle(*SUPERVISOR))
        assert live.state.chips_minor("ann") == 2_000_00
        await house.visitors.enter("ann")  # the winnings are cashed out, and the name is free
        assert (live.state.people, live.state.seats) == (frozenset(), {})
        assert sum(live.state.balances.values()) == 0
        assert await house.told(SignedOut) == [("ann", "player", SignedOut("ann"))]

    run(database_url, test)


def test_there_is_no_play_money_at_a_table_that_is_not_played_for_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        await refused(house.visitors.buy_in(token, "t2"), FloorCode.NO_BUY_IN)
        await refused(house.visitors.buy_in(token, "t3"), FloorCode.UNKNOWN_TABLE)
        assert (await do(house, token, "buy_in.1", table="t2", who="ann", amount_minor=5)).refusal is not None
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, tables=("t1",)))
        await refused(house.visitors.buy_in(token, "t1"), FloorCode.NO_BUY_IN)
        for name in ("t1", "t2"):
            assert not house.floor.table(name).state.people

    run(database_url, test)


def test_hostile_names_are_refused(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True))
        for name in HOSTILE:
            await refused(house.visitors.enter(name), TableCode.BAD_NAME)
        assert not await house.told(VisitorEntered)

    run(database_url, test)


def test_no_visitor_is_called_like_the_house_nor_like_another_visitor(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        for name in ("house", "CONSOLE"):
            await refused(house.visitors.enter(name), FloorCode.NAME_TAKEN)
        await house.visitors.enter("Eve")
        for name in ("eve", "\uff25ve", "Eve\ufe0f"):
            await refused(house.visitors.enter(name), FloorCode.NAME_TAKEN)

    run(database_url, test)


def test_the_chips_of_somebody_without_a_session_are_not_for_the_taking(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t2")
        await house.floor.give(live, "bought", BuyIn(*SUPERVISOR, "Dora", 5_00))
        await all_taken(house)
        await house.floor.give(live, "closing", CloseTable(*SUPERVISOR))
        await all_taken(house)  # nor are carried-over chips
        await house.floor.give(live, "again", OpenTable(*SUPERVISOR, settings(book(GAME))))
        await all_taken(house)
        cash = {"command": "cash_out.1", "who": "Dora", "amount_minor": 5_00}
        await house.floor.submit(Actor(*SUPERVISOR), "t2", "cashed", cash)
        await house.visitors.enter("dora")

    async def all_taken(house: Staffed) -> None:
        for name in ALIKE:
            await refused(house.visitors.enter(name), FloorCode.NAME_TAKEN)

    run(database_url, test)


def test_chips_bought_on_another_process_a_moment_ago_keep_their_name(postgres_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        async with staffed(postgres_url) as other:
            await other.floor.give(other.floor.table("t2"), "bought", BuyIn(*SUPERVISOR, "ann", 5_00))
            await refused(house.visitors.enter("ANN"), FloorCode.NAME_TAKEN)

    run(postgres_url, test)


def test_of_many_who_want_a_name_at_once_one_has_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        async with staffed(database_url, running=False) as other:
            other.clock.us = house.clock.us
            tries = [each.visitors.enter(name) for name in ("ann", "Ann", "ANN") for each in (house, other)]
            answers = await asyncio.gather(*tries, return_exceptions=True)
        got = [answer for answer in answers if not isinstance(answer, BaseException)]
        assert len(got) == 1
        codes = {getattr(answer, "code", answer) for answer in answers if isinstance(answer, BaseException)}
        assert codes == {FloorCode.NAME_TAKEN}

    run(database_url, test)


def test_a_visitor_who_leaves_gives_back_chips_and_name(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t1")
        token = (await house.visitors.enter("ann")).token
        await house.visitors.buy_in(token, "t1")
        await do(house, token, "sit.1", who="ann", box=3)
        await house.visitors.leave(token)
        assert not live.state.people
        assert not live.state.seats
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await refused(house.visitors.leave(token), FloorCode.NOT_SIGNED_IN)
        assert await house.told(SignedOut) == [("ann", "player", SignedOut("ann"))]
        again = (await house.visitors.enter("Ann")).token
        await house.visitors.buy_in(again, "t1")
        assert live.state.chips_minor("Ann") == 1_000_00

    run(database_url, test)


def test_who_is_over_time_is_seen_out_when_the_next_one_enters(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        await house.visitors.buy_in(token, "t1")
        house.clock.us += VISIT_S * 1_000_000
        await refused(house.visitors.buy_in(token, "t1"), FloorCode.NOT_SIGNED_IN)
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        assert house.floor.table("t1").state.people == {"ann"}
        await house.visitors.enter("ann")
        assert not house.floor.table("t1").state.people
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)

    run(database_url, test)


def test_a_visitor_who_is_revoked_is_seen_out_when_the_next_one_enters(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        other = (await house.visitors.enter("ben")).token
        await house.visitors.buy_in(token, "t1")
        await refused(house.accounts.revoke(await house.sessions.actor(other), "ann"), TableCode.NOT_AUTHORISED)
        await house.accounts.revoke(THE_CONSOLE, "ANN")
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await refused(house.visitors.buy_in(token, "t1"), FloorCode.NOT_SIGNED_IN)
        assert (await house.sessions.actor(other)).name == "ben"
        assert await house.told(SignedOut) == [("console", "administrator", SignedOut("ann"))]
        await refused(house.accounts.revoke(THE_CONSOLE, "ann"), FloorCode.UNKNOWN_ACCOUNT)  # the visitor is gone
        assert house.floor.table("t1").state.people == {"ann"}
        await house.visitors.enter("cleo")
        assert not house.floor.table("t1").state.people
        assert len(await house.told(SignedOut)) == 1
        await house.visitors.enter("ann")

    run(database_url, test)


def test_a_visitors_session_is_good_for_nothing_else(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        await refused(house.sessions.sign_out(token), FloorCode.NOT_SIGNED_IN)
        await refused(house.sessions.change_password(token, "", "long enough by far"), FloorCode.UNKNOWN_ACCOUNT)
        ann = await house.sessions.actor(token)
        await refused(house.accounts.revoke(ann, "ann"), TableCode.NOT_AUTHORISED)
        staff = await house.hired("dora", Position.DEALER)
        await refused(house.visitors.buy_in(staff, "t1"), FloorCode.NOT_SIGNED_IN)
        await refused(house.visitors.leave(staff), FloorCode.NOT_SIGNED_IN)

    run(database_url, test)


def test_an_administrator_alone_changes_the_rules_and_each_try_is_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        others = [position for position in Position if position is not Position.ADMINISTRATOR]
        for position in others:
            asked = house.visitors.change_rules(Actor("ann", position), FloorRules(visitors=True))
            await refused(asked, TableCode.NOT_AUTHORISED)
        assert await house.visitors.rules() == FloorRules()
        assert await house.told(AuthorityRefused) == [
            ("ann", position, AuthorityRefused("", "ann", position, "change_floor_rules", "not_authorised"))
            for position in others
        ]

    run(database_url, test)


def test_rules_are_on_record_and_bad_ones_refused(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        assert await house.visitors.rules() == ALLOWED
        assert await house.told(FloorRulesChanged) == [
            ("console", "administrator", FloorRulesChanged(True, 1_000_00, 2, ("t1",)))  # noqa: FBT003 - every field
        ]
        for bad in (
            FloorRules(buy_in_minor=-1),
            FloorRules(buy_in_minor=MAX_AMOUNT_MINOR + 1),
            FloorRules(buy_ins=0),
            FloorRules(buy_ins=101),
        ):
            await refused(house.visitors.change_rules(THE_CONSOLE, bad), FloorCode.BAD_FLOOR_RULES)
        unknown = house.visitors.change_rules(THE_CONSOLE, FloorRules(tables=("t9",)))
        await refused(unknown, FloorCode.UNKNOWN_TABLE)
        assert await house.visitors.rules() == ALLOWED

    run(database_url, test)


def test_a_closed_table_has_no_play_money_and_says_so(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await house.floor.give(house.floor.table("t1"), "closing", CloseTable(*SUPERVISOR))
        token = (await house.visitors.enter("ann")).token
        answer = await house.visitors.buy_in(token, "t1")
        assert answer.refusal is not None
        assert answer.refusal.code is TableCode.TABLE_CLOSED

    run(database_url, test)


def test_a_visitor_who_left_before_a_closing_has_the_name_freed_after_the_next_opening(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t1")
        token = (await house.visitors.enter("ann")).token
        await house.visitors.buy_in(token, "t1")
        await house.floor.give(live, "closing", CloseTable(*SUPERVISOR))
        await house.visitors.leave(token)
        await refused(house.visitors.enter("ann"), FloorCode.NAME_TAKEN)
        await house.floor.give(live, "again", OpenTable(*SUPERVISOR, settings(book(GAME))))
        assert live.state.people == {"ann"}
        await house.visitors.enter("ann")
        assert not live.state.people

    run(database_url, test)


def test_a_visitor_who_bought_chips_from_the_dealer_gets_play_money_too(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = (await house.visitors.enter("ann")).token
        await house.floor.give(house.floor.table("t1"), "bought", BuyIn(*SUPERVISOR, "ann", 5_00))
        await house.visitors.buy_in(token, "t1")
        assert house.floor.table("t1").state.chips_minor("ann") == 1_005_00

    run(database_url, test)
