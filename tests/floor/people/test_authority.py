"""Every command by every position, through sessions, and every known way around it."""

from typing import Any

import pytest

from punto import book
from punto.floor.database.base import Work
from punto.floor.errors import FloorCode
from punto.floor.journal.house_events import AuthorityRefused
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.commands import Answer
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.commands import CloseTable, Command, OpenTable, client_fields
from punto.table.records.positions import STAFF, Position
from punto.table.records.reports import OfferLateInsurance, Rule
from punto.table.refusals import TableCode
from tests.floor.staff_floor import READER, Staffed, refused, run
from tests.table.samples import commands_by
from tests.table.tables import settings
from tests.table.test_authority import _LETTERS, WHO

pytestmark = pytest.mark.sweep

RULES = book("da-hu-ying-xiong")
"""A book that has every command."""
BY_SESSION = [position for position in Position if position is not Position.HOUSE]
AUTHORITY = {TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN}


async def session_of(house: Staffed, position: Position, name: str = "ann") -> str:
    """The token of somebody in this position."""
    if position is not Position.PLAYER:
        return await house.hired(name, position)
    await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True))
    return (await house.visitors.enter(name)).token


async def opened(house: Staffed, name: str = "t1") -> None:
    """An open table of that book."""
    await house.table(name, RULES.id)
    command = OpenTable("sue", Position.PIT_SUPERVISOR, settings(RULES, least=10_00, most=500_00))
    assert (await house.floor.give(house.floor.table(name), f"open {name}", command)).refusal is None


def body_of(command: Command) -> dict[str, Any]:
    """A command as a client sends it, without the actor."""
    return client_fields(command)


def bodies(who: str) -> list[tuple[type[Command], dict[str, Any]]]:
    """One of each command; the one that closes the table comes last."""
    made = [(type(command), body_of(command)) for command in commands_by(RULES, "x", Position.DEALER, who)]
    return sorted(made, key=lambda one: one[0] is CloseTable)


def expected(kind: type[Command], position: Position, *, own: bool) -> TableCode | None:
    """Why this position cannot give the command, by the list of the table's own tests."""
    if position not in {_LETTERS[letter] for letter in WHO[kind]}:
        return TableCode.NOT_AUTHORISED
    names_somebody = "who" in kind.__struct_fields__
    if position in STAFF and own and (names_somebody or kind is Rule):
        return TableCode.NOT_AUTHORISED
    if position is Position.PLAYER and not own and names_somebody:
        return TableCode.NOT_YOUR_OWN
    return None


@pytest.mark.parametrize("own", [True, False])
def test_every_command_through_a_session_of_every_position(own: bool, database_url: str) -> None:  # noqa: FBT001
    async def test(house: Staffed) -> None:
        for position in BY_SESSION:
            await opened(house, position)
            await given(house, position)

    async def given(house: Staffed, position: Position) -> None:
        name, table = f"ann {position}", str(position)
        token = await session_of(house, position, name)
        refusals = []
        for number, (kind, body) in enumerate(bodies(name if own else "ben")):
            by = await house.sessions.actor(token)
            answer = await house.floor.submit(by, table, f"{position} {number}", body)
            code = answer.refusal.code if answer.refusal else None
            wanted = expected(kind, position, own=own)
            assert (code if code in AUTHORITY else None) == wanted, (kind, answer)
            if wanted is not None:
                tag = str(kind.__struct_config__.tag)
                refusals.append((name, position, AuthorityRefused(table, name, position, tag, wanted)))
            if position in (Position.AUDITOR, Position.ADMINISTRATOR):
                assert wanted is TableCode.NOT_AUTHORISED
            assert all((entry.actor, entry.position) == (name, position) for entry in answer.entries)
        assert [one for one in await house.told(AuthorityRefused) if one[0] == name] == refusals

    run(database_url, test)


def test_the_matrix_has_every_command_and_refuses_and_accepts() -> None:
    assert {kind for kind, _ in bodies("ann")} == set(WHO)
    codes = [expected(kind, position, own=True) for kind, _ in bodies("ann") for position in BY_SESSION]
    assert 0 < codes.count(None) < len(codes)


def test_a_machine_has_no_more_authority_than_its_position(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for position in BY_SESSION:
            asked = house.accounts.issue_token(THE_CONSOLE, f"scanner {position}", position, READER)
            if position in (*STAFF, Position.AUDITOR):
                await opened(house, position)
                await given(house, position, await asked)
            else:
                await refused(asked, FloorCode.BAD_POSITION)

    async def given(house: Staffed, position: Position, token: str) -> None:
        for number, (kind, body) in enumerate(bodies("ben")):
            by = await house.sessions.actor(token)
            answer = await house.floor.submit(by, position, f"{position} {number}", body)
            code = answer.refusal.code if answer.refusal else None
            assert (code if code in AUTHORITY else None) == expected(kind, position, own=False), (kind, answer)

    run(database_url, test)


LATE = {"command": OfferLateInsurance.__struct_config__.tag}
OWN = {"command": "open_betting.1"}
"""What a dealer may do."""
RULING = {"command": Rule.__struct_config__.tag, "reason": "the roof", "effect": "continue"}


async def submit(house: Staffed, token: str, body: dict[str, Any], command_id: str = "c1") -> Answer:
    """Submit it through the session."""
    return await house.floor.submit(await house.sessions.actor(token), "t1", command_id, body)


def not_authorised(answer: Answer) -> bool:
    return answer.refusal is not None and answer.refusal.code is TableCode.NOT_AUTHORISED


SMUGGLED: list[dict[str, Any]] = [
    {"position": "pit_manager"},
    {"position": "house"},
    {"by": "max"},
    {"by": "max", "position": "pit_manager"},
    {"by": "house", "position": "house"},
    {"by": None},
    {"position": None},
    {"position": ["pit_manager"]},
    {"carried": {"chips:dora": 1_000_00}},
]


LOOK_ALIKE = ("Position", "POSITION", " position", "position ", "pos\u0131tion", "actor", "may", "")


def test_who_one_is_cannot_be_smuggled_into_a_command_nor_by_a_key_that_looks_like_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await house.hired("max", Position.PIT_MANAGER)
        token = await house.hired("dora", Position.DEALER)
        before = house.floor.table("t1").head
        for more in SMUGGLED:
            await refused(submit(house, token, {**LATE, **more}), FloorCode.BAD_COMMAND)
        for key in LOOK_ALIKE:
            assert not_authorised(await submit(house, token, {**LATE, key: "pit_manager"}))
            await refused(submit(house, token, {**OWN, key: "pit_manager"}), FloorCode.BAD_COMMAND)
        assert house.floor.table("t1").head == before
        codes = [FloorCode.BAD_COMMAND] * len(SMUGGLED) + [TableCode.NOT_AUTHORISED] * len(LOOK_ALIKE)
        command = str(LATE["command"])
        told = [AuthorityRefused("t1", "dora", Position.DEALER, command, code) for code in codes]
        assert await house.told(AuthorityRefused) == [("dora", Position.DEALER, each) for each in told]

    run(database_url, test)


def test_nor_inside_what_a_command_holds(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = await house.hired("sid", Position.SHIFT_MANAGER)
        bets = [{"who": "ann", "box": 1, "bet": "player", "position": "house"}]
        await refused(submit(house, token, {**RULING, "bets": bets}), FloorCode.BAD_COMMAND)

    run(database_url, test)


def test_a_changed_position_applies_to_the_next_command(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = await house.hired("max", Position.PIT_MANAGER)
        assert not not_authorised(await submit(house, token, LATE, "c1"))
        await house.accounts.assign(THE_CONSOLE, "max", Position.DEALER)
        assert not_authorised(await submit(house, token, LATE, "c2"))
        await house.accounts.assign(THE_CONSOLE, "max", Position.SHIFT_MANAGER)
        assert not not_authorised(await submit(house, token, LATE, "c3"))
        await house.accounts.assign(THE_CONSOLE, "max", None)
        await refused(submit(house, token, LATE, "c4"), FloorCode.NO_POSITION)

    run(database_url, test)


def test_a_demoted_manager_still_gets_the_earlier_answer_but_a_dealer_does_not(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        close = {"command": CloseTable.__struct_config__.tag}
        token = await house.hired("sue", Position.PIT_SUPERVISOR)
        other = await house.hired("dora", Position.DEALER)
        assert (await submit(house, token, close, "closing")).entries
        assert (await submit(house, token, close, "closing")).entries
        assert not_authorised(await submit(house, other, close, "closing"))
        before = await submit(house, token, close, "closing")
        await house.accounts.assign(THE_CONSOLE, "sue", Position.DEALER)
        assert await submit(house, token, close, "closing") == before  # she gave it in the right position
        await refused(submit(house, token, {"command": "open_betting.1"}, "closing"), FloorCode.COMMAND_ID_TAKEN)

    run(database_url, test)


def test_a_revoked_session_gives_no_command_and_leaves_the_others_alone(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        manager = await house.hired("max", Position.PIT_MANAGER)
        dealer = await house.hired("dora", Position.DEALER)
        await house.accounts.revoke(THE_CONSOLE, "max")
        await refused(submit(house, manager, LATE), FloorCode.NOT_SIGNED_IN)
        assert not_authorised(await submit(house, dealer, LATE))

    run(database_url, test)


def test_a_player_acts_only_for_themselves(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        ann = await session_of(house, Position.PLAYER, "ann")
        ben = await session_of(house, Position.PLAYER, "ben")
        dealer = await house.hired("dora", Position.DEALER)
        for who in ("ann", "ben"):
            bought = {"command": "buy_in.1", "who": who, "amount_minor": 100_00}
            assert (await submit(house, dealer, bought, f"bought {who}")).entries
        sit = {"command": "sit.1", "who": "ben", "box": 1}
        answer = await submit(house, ann, sit, "s1")
        assert answer.refusal is not None
        assert answer.refusal.code is TableCode.NOT_YOUR_OWN
        assert (await submit(house, ben, sit, "s1")).entries
        assert await house.told(AuthorityRefused) == [
            ("ann", "player", AuthorityRefused("t1", "ann", "player", "sit.1", "not_your_own"))
        ]

    run(database_url, test)


TAMPERED = [
    ("UPDATE accounts SET position = 'house' WHERE folded = ?", FloorCode.NO_POSITION),
    ("UPDATE accounts SET position = 'player' WHERE folded = ?", FloorCode.NO_POSITION),
    ("UPDATE accounts SET position = 'owner' WHERE folded = ?", FloorCode.NO_POSITION),
    ("UPDATE accounts SET kind = 'machine' WHERE folded = ?", FloorCode.NOT_SIGNED_IN),
    ("UPDATE sessions SET kind = 'machine' WHERE folded = ?", FloorCode.NOT_SIGNED_IN),
    ("UPDATE sessions SET kind = 'house' WHERE folded = ?", FloorCode.NOT_SIGNED_IN),
    ("DELETE FROM accounts WHERE folded = ?", FloorCode.NOT_SIGNED_IN),
]


def tampered(sql: str, name: str) -> Work[int]:
    """Change the database directly."""
    return lambda transaction: transaction.change(sql, (name,))


def test_no_session_is_the_houses_whatever_the_rows_say(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        for number, (sql, code) in enumerate(TAMPERED):
            name = f"sid {number}"
            token = await house.hired(name, Position.SHIFT_MANAGER)
            changed = await house.database.write(tampered(sql, name))
            assert changed == 1, sql
            await refused(submit(house, token, LATE), code)

    run(database_url, test)


def test_a_session_marked_as_a_visit_has_no_authority_of_an_account(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = await house.hired("sid", Position.SHIFT_MANAGER)
        await house.database.write(tampered("UPDATE sessions SET kind = 'visitor' WHERE folded = ?", "sid"))
        assert (await house.sessions.actor(token)).position is Position.PLAYER
        answer = await submit(house, token, LATE)
        assert answer.refusal is not None
        assert answer.refusal.code is TableCode.NOT_AUTHORISED

    run(database_url, test)


def test_nobody_takes_the_houses_command_ids(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        token = await house.hired("dora", Position.DEALER)
        bought = {"command": "buy_in.1", "who": "ann", "amount_minor": 100_00}
        for taken in ("house:1", "auto:t1/1:1", "recovery:t1/1:1"):
            await refused(submit(house, token, bought, taken), FloorCode.BAD_COMMAND_ID)

    run(database_url, test)


MAY_CREATE = {*STAFF[1:], Position.ADMINISTRATOR}


def test_tables_are_created_by_who_may_and_a_try_is_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for position in BY_SESSION:
            by = await house.sessions.actor(await session_of(house, position, f"ann {position}"))
            asked = house.floor.create_table(by, TableSetup(position, RULES.id, ShoeKind.MANUAL))
            if position in MAY_CREATE:
                await asked
                continue
            await refused(asked, TableCode.NOT_AUTHORISED)
            told = AuthorityRefused(position, by.name, position, "create_table", "not_authorised")
            assert (await house.told(AuthorityRefused))[-1] == (by.name, position, told)
        assert set(house.floor.tables) == MAY_CREATE

    run(database_url, test)
