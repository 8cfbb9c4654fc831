"""Visitors, staff and players are people of their own, even if their names are the same."""

import pytest

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import AuthorityRefused, SessionsRevoked, SignedOut
from punto.floor.names.names import new_name, new_visitor
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.table.records.identity import Place, player_id
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.people.test_visitors import opened
from tests.floor.staff_floor import ADMINISTRATOR, READER, Staffed, refused, run


def test_a_visitor_and_an_account_may_have_the_same_name(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        visit = (await house.visitors.enter("Dora")).token
        staff = await house.hired("dora", Position.DEALER)
        machine = await house.accounts.issue_token(THE_CONSOLE, "Eve", Position.DEALER, READER)
        await house.visitors.enter("eve")
        await house.visitors.buy_in(visit, "t1")
        assert (await house.sessions.actor(visit)).position is Position.PLAYER
        for token in (staff, machine):
            assert (await house.sessions.actor(token)).position is Position.DEALER
        lines = {line.name: line.sessions for line in await house.accounts.list(ADMINISTRATOR)}
        assert lines == {"dora": 1, "Eve": 1}

    run(database_url, test)


def test_what_ends_the_sessions_of_an_account_leaves_the_visitor_of_that_name(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        staff = await house.hired("dora", Position.DEALER)
        visit = (await house.visitors.enter("dora")).token
        await house.accounts.reset_password(ADMINISTRATOR, "dora")
        await refused(house.sessions.actor(staff), FloorCode.NOT_SIGNED_IN)
        assert await house.accounts.revoke(ADMINISTRATOR, "dora")  # a visit of this name is still open
        assert (await house.sessions.actor(visit)).name == "dora"
        assert [event for _, _, event in await house.told(SignedOut)] == []
        assert len(await house.told(SessionsRevoked)) >= 1

    run(database_url, test)


def test_an_administrator_ends_the_visit_of_somebody_named_like_an_account(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        staff = await house.hired("dora", Position.DEALER)
        visit = (await house.visitors.enter("DORA")).token
        for position in set(Position) - {Position.ADMINISTRATOR}:
            await refused(house.accounts.revoke_visit(Actor("dora", position), "dora"), TableCode.NOT_AUTHORISED)
        await house.accounts.revoke_visit(ADMINISTRATOR, "dora")
        await refused(house.sessions.actor(visit), FloorCode.NOT_SIGNED_IN)
        assert (await house.sessions.actor(staff)).name == "dora"
        assert [event for _, _, event in await house.told(SignedOut)] == [SignedOut("DORA")]
        assert not await house.accounts.revoke(ADMINISTRATOR, "dora")
        for name in ("dora", "nobody", "\x00"):
            await refused(house.accounts.revoke_visit(ADMINISTRATOR, name), FloorCode.UNKNOWN_VISITOR)

    run(database_url, test)


def test_entering_tells_nobody_which_names_have_an_account(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True))
        await house.hired("dora", Position.DEALER)
        await house.visitors.enter("dora")
        await house.visitors.enter("nobody")

    run(database_url, test)


def test_refusals_of_a_visitor_do_not_count_for_the_account_of_that_name(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        visitor, dealer = Actor("dora", Position.PLAYER), Actor("dora", Position.DEALER)
        for _ in range(200):
            await house.floor.house_log.record(visitor, _refusal(visitor))
        await house.floor.house_log.record(dealer, _refusal(dealer))
        told = await house.told(AuthorityRefused)
        assert [position for _, position, _ in told].count("dealer") == 1
        await house.floor.flush()

    run(database_url, test)


def _refusal(by: Actor) -> AuthorityRefused:
    return AuthorityRefused("t1", by.name, by.position, "rule.1", TableCode.NOT_AUTHORISED)


IDENTITIES = [
    player_id(1),
    player_id(123456789),
    "p000123",
    "\uff30000123",
    "P 000 123",
    "P00O123",
    "P-OO0I2Z",
    "\u0420000123",
    "P\u0660\u0660\u0660\u0661\u0662\u0663",
    "P000\u200d123",
    str(Place(3)),
    str(Place(12, behind=True)),
    str(Place(3, behind=True, number=2)),
    "Box 3",
    "BOX  3",
    "b0x 3",
    "box\u00a03",
    "\uff42ox \uff13",
    "box3",
    "behind  box 3/2",
    "Behind Box 3",
    "Bex 3".replace("e", "\u043e"),
    "Person 2 behind box 3",
    "P3rson 2 behind b0x 3",
    "3号位",
    "\uff13 号位",
    "3号位后",
    "12号位后第2位",
    "Ann Li (P000001)",
    "Ann p000001",
    "玩家\uff30000001",
    "taken",
    "T4ken",
    "有人",
    "A player",
    "一位玩家",
]
NAMES = [
    "Passage",
    "Paul",
    "P1",
    "P12345",
    "Apollo 7",
    "Box",
    "Boxer",
    "Box office",
    "3 box",
    "behind",
    "Bo X",
    "Boxes",
    "Taken Aback",
    "3号",
    "shop888888",
    "Person 2",
    "Poppy",
]


@pytest.mark.parametrize("name", IDENTITIES)
def test_no_name_has_the_form_of_an_id_or_a_place(name: str) -> None:
    for check in (new_name, new_visitor):
        with pytest.raises(FloorRefused) as trouble:
            check(name)
        assert trouble.value.code is TableCode.BAD_NAME


@pytest.mark.parametrize("name", NAMES)
def test_other_names_are_free(name: str) -> None:
    assert new_visitor(name)
