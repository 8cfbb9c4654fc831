"""Codes of registered players: who gets one, where, how long it works, and what it is worth to others."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from punto.floor.audit.verify import verify
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import AuthorityRefused, LockedOut, SignedOut
from punto.floor.journal.pit_events import PlayerCodeIssued, PlayerCodeRevoked, PlayerCodeUsed
from punto.floor.people.sessions.player_codes import IssuedCode
from punto.floor.runtime.sign_in_locks import LOCKED_S, MAX_FAILURES, MAX_FAILURES_BY_NAME
from punto.floor.settings.floor_settings import find_settings
from punto.floor.upkeep.backup import backup
from punto.table.records.commands import ChangeSettings, CloseTable
from punto.table.records.positions import DEALER_UP, SUPERVISOR_UP, Position
from punto.table.refusals import TableCode
from tests.floor.people.test_acting import accepted, give
from tests.floor.people.test_visitors import opened
from tests.floor.restoring import restored
from tests.floor.staff_floor import DEALER, SUPERVISOR, Staffed, refused, run

SHIFT = Actor("shirin", Position.SHIFT_MANAGER)
SHIFT_MANAGER = (SHIFT.name, SHIFT.position)
ANN, BO = "P000001", "P000002"


async def seated(house: Staffed) -> IssuedCode:
    """Ann and Bo have bought chips at `t2`, which is for money; Ann has a code."""
    await opened(house)
    for name, who in (("Ann", ANN), ("Bo", BO)):
        await house.players.register(SUPERVISOR, name)
        await accepted(give(house, DEALER, "buy_in", who=who, amount_minor=500_00))
    return await house.player_codes.issue(DEALER, ANN, "t2")


async def signed_in(house: Staffed) -> tuple[str, Actor]:
    issued = await seated(house)
    token = (await house.player_codes.sign_in(ANN, issued.code, "here")).token
    return token, await house.sessions.actor(token)


async def wrong(house: Staffed, player: str, code: str, address: str = "here") -> str:
    """The answer to a sign-in that fails."""
    return str(await refused(house.player_codes.sign_in(player, code, address), FloorCode.WRONG_CODE))


def test_a_player_signs_in_with_a_code_and_plays_at_that_table(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        issued = await seated(house)
        assert (issued.player, issued.table, len(issued.code.replace("-", ""))) == (ANN, "t2", 8)
        opened_session = await house.player_codes.sign_in("p000001", issued.code.upper().replace("-", " "), "here")
        assert (opened_session.name, opened_session.position) == (ANN, Position.PLAYER)
        ann = await house.sessions.actor(opened_session.token)
        assert ann == Actor(ANN, Position.PLAYER, table="t2")
        await accepted(give(house, ann, "sit", who=ANN, box=1))
        assert house.floor.table("t2").state.seats == {1: ANN}
        told = await house.told()
        assert (DEALER.name, "dealer", PlayerCodeIssued(ANN, "t2", "", 0)) in told
        assert (ANN, "player", PlayerCodeUsed(ANN, "t2", "", 0)) in told
        assert issued.code not in str(await house.database.read(_everything))
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


def _everything(transaction: Transaction) -> list[object]:
    tables = ("player_codes", "sessions", "sign_ins", "entries", "meta")
    return [row for table in tables for row in transaction.rows(f"SELECT * FROM {table}")]  # noqa: S608 - ours


def test_a_code_works_once_also_for_two_who_try_at_once(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        issued = await seated(house)
        tries = [house.player_codes.sign_in(ANN, issued.code, "here") for _ in range(3)]
        answers = await asyncio.gather(*tries, return_exceptions=True)
        assert sum(not isinstance(answer, FloorRefused) for answer in answers) == 1
        await wrong(house, ANN, issued.code)

    run(database_url, test)


def test_code_and_session_end_with_the_gaming_day(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, _ = await signed_in(house)
        day = (await house.database.read(find_settings)).gaming_day
        ends_us = day.period(day.day_of(house.clock.us)).until_us
        assert ends_us is not None
        later = await house.player_codes.issue(DEALER, BO, "t2")
        assert later.expires_us == ends_us
        house.clock.us = ends_us - 1
        await house.sessions.actor(token)
        house.clock.us = ends_us
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await wrong(house, BO, later.code)

    run(database_url, test)


def test_a_new_code_voids_the_one_before_and_its_use_ends_the_session_before(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        first = await seated(house)
        second = await house.player_codes.issue(DEALER, ANN, "t2")
        await wrong(house, ANN, first.code)
        before = (await house.player_codes.sign_in(ANN, second.code, "here")).token
        third = await house.player_codes.issue(DEALER, ANN, "t2")
        await house.sessions.actor(before)
        after = (await house.player_codes.sign_in(ANN, third.code, "here")).token
        await refused(house.sessions.actor(before), FloorCode.NOT_SIGNED_IN)
        await house.sessions.actor(after)
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


def test_wrong_ids_and_codes_get_the_same_answer_and_lock_like_passwords(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        issued = await seated(house)
        said = {await wrong(house, *tried) for tried in ((BO, issued.code), ("P000099", "a"), ("ann", "a"), (ANN, ""))}
        assert len(said) == 1
        for _ in range(MAX_FAILURES - 1):
            await wrong(house, ANN, "abcd-efgh")
        locked = await refused(house.player_codes.sign_in(ANN, issued.code, "here"), FloorCode.LOCKED_OUT)
        assert locked.wait_s
        assert LockedOut(ANN, house.clock.us + LOCKED_S * 1_000_000) in [event for _, _, event in await house.told()]
        # a new code works at once, and strangers elsewhere lock it only after many tries
        again = await house.player_codes.issue(DEALER, ANN, "t2")
        assert (await house.player_codes.sign_in(ANN, again.code, "here")).name == ANN
        last = await house.player_codes.issue(DEALER, ANN, "t2")
        for number in range(MAX_FAILURES_BY_NAME):
            await wrong(house, ANN, "abcd-efgh", f"address {number}")
        await refused(house.player_codes.sign_in(ANN, last.code, "elsewhere"), FloorCode.LOCKED_OUT)

    run(database_url, test)


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("sit", {"who": BO, "box": 2}),
        ("place_bet", {"who": BO, "box": 2, "bet": "player", "stake_minor": 25_00}),
        ("cash_out", {"who": ANN, "amount_minor": 1_00}),
        ("cash_out", {"who": BO, "amount_minor": 1_00}),
        ("buy_in", {"who": ANN, "amount_minor": 1_00}),
        ("identify_player", {"who": BO, "player_id": ANN}),
        ("open_betting", {}),
    ],
)
def test_a_player_acts_for_nobody_else_and_does_no_work_of_the_house(
    database_url: str, command: str, fields: dict[str, Any]
) -> None:
    async def test(house: Staffed) -> None:
        _, ann = await signed_in(house)
        answer = await give(house, ann, command, **fields)
        assert answer.refusal is not None
        assert answer.refusal.code in (TableCode.NOT_AUTHORISED, TableCode.NOT_YOUR_OWN)

    run(database_url, test)


def test_a_player_acts_at_no_other_table_and_each_try_is_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, ann = await signed_in(house)
        for table in ("t1", "t3"):
            if table == "t3":
                await house.table(table)
            elsewhere = await refused(give(house, ann, "sit", table, who=ANN, box=1), FloorCode.VISITOR_ELSEWHERE)
            assert "'t2'" in str(elsewhere)
        assert len(await house.told(AuthorityRefused)) == 2
        await refused(house.visitors.buy_in(token, "t1"), FloorCode.NOT_SIGNED_IN)
        await refused(house.visitors.leave(token), FloorCode.NOT_SIGNED_IN)

    run(database_url, test)


def test_where_bets_lie_on_the_felt_nobody_signs_in_or_acts(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        _, ann = await signed_in(house)
        live = house.floor.table("t2")
        assert live.state.settings is not None
        felt = ChangeSettings(*SHIFT_MANAGER, replace(live.state.settings, observing=True))
        answer = await house.floor.give(live, "felt", felt)
        assert answer.refusal is None, answer.refusal
        await refused(give(house, ann, "sit", who=ANN, box=1), FloorCode.VISITOR_ELSEWHERE)
        await refused(house.player_codes.issue(DEALER, ANN, "t2"), FloorCode.NO_PLAYER_CODE)

    run(database_url, test)


def test_who_gets_a_code_where(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await seated(house)
        await house.players.register(SUPERVISOR, "Cy")
        no_code = FloorCode.NO_PLAYER_CODE
        assert "play money" in str(await refused(house.player_codes.issue(DEALER, ANN, "t1"), no_code))
        assert "has no chips" in str(await refused(house.player_codes.issue(DEALER, "P000003", "t2"), no_code))
        await refused(house.player_codes.issue(DEALER, "P000009", "t2"), FloorCode.UNKNOWN_PLAYER)
        await refused(house.player_codes.issue(DEALER, "box 1", "t2"), FloorCode.UNKNOWN_PLAYER)
        await refused(house.player_codes.issue(DEALER, ANN, "t9"), FloorCode.UNKNOWN_TABLE)
        closing = CloseTable(*SHIFT_MANAGER)
        assert (await house.floor.give(house.floor.table("t2"), "close", closing)).refusal is None
        assert "is closed" in str(await refused(house.player_codes.issue(DEALER, ANN, "t2"), no_code))

    run(database_url, test)


def test_who_gives_and_voids_codes(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await seated(house)
        for position in Position:
            by = Actor("somebody", position)
            if position in DEALER_UP:
                await house.player_codes.issue(by, ANN, "t2")
            else:
                await refused(house.player_codes.issue(by, ANN, "t2"), TableCode.NOT_AUTHORISED)
            if position in SUPERVISOR_UP:
                await house.player_codes.revoke(by, ANN)
            else:
                await refused(house.player_codes.revoke(by, ANN), TableCode.NOT_AUTHORISED)

    run(database_url, test)


def test_a_supervisor_voids_a_code_and_signs_a_player_out(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, _ = await signed_in(house)
        unused = await house.player_codes.issue(DEALER, ANN, "t2")
        await house.player_codes.revoke(SUPERVISOR, ANN)
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await wrong(house, ANN, unused.code)
        await house.player_codes.revoke(SUPERVISOR, ANN)
        assert len(await house.told(PlayerCodeRevoked)) == 1
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


def test_an_erased_player_is_signed_out(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, _ = await signed_in(house)
        unused = await house.player_codes.issue(DEALER, ANN, "t2")
        await house.players.erase(SHIFT, ANN)
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await wrong(house, ANN, unused.code)
        await refused(house.player_codes.issue(DEALER, ANN, "t2"), FloorCode.UNKNOWN_PLAYER)
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


def test_a_player_signs_out(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, _ = await signed_in(house)
        await house.sessions.sign_out(token)
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        assert (ANN, "player", SignedOut(ANN)) in await house.told(SignedOut)
        assert house.floor.table("t2").state.chips_minor(ANN) == 500_00
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO player_codes (player, hash, at_table, expires_us) VALUES ('P000002', 'x', 't2', 9)",
        "UPDATE player_codes SET at_table = 't1'",
        "UPDATE player_codes SET hash = 'x'",
        "UPDATE player_codes SET expires_us = expires_us + 1",
        "UPDATE sessions SET at_table = 't1' WHERE kind = 'player'",
        "UPDATE sessions SET name = 'P000002', folded = 'p000002' WHERE kind = 'player'",
        "UPDATE sessions SET kind = 'visitor' WHERE kind = 'player'",
    ],
)
def test_verify_finds_codes_and_sessions_that_the_house_did_not_give(database_url: str, sql: str) -> None:
    async def test(house: Staffed) -> None:
        await signed_in(house)
        await house.player_codes.issue(DEALER, ANN, "t2")
        assert await house.database.write(lambda transaction: transaction.change(sql))
        assert (await asyncio.to_thread(verify, house.database)).faults

    run(database_url, test)


def test_no_code_and_no_session_comes_back_from_a_backup(database_url: str, tmp_path: Path) -> None:
    kept: dict[str, str] = {}

    async def before(house: Staffed) -> None:
        kept["token"], _ = await signed_in(house)
        kept["code"] = (await house.player_codes.issue(DEALER, ANN, "t2")).code
        await asyncio.to_thread(backup, house.database, tmp_path / "backup.db")

    async def after(house: Staffed) -> None:
        await wrong(house, ANN, kept["code"])
        await refused(house.sessions.actor(kept["token"]), FloorCode.NOT_SIGNED_IN)
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, before)
    target = str(tmp_path / "target.db")
    restored(tmp_path / "backup.db", target)
    run(target, after)
