"""Stops of gaming: who makes and releases them, and what they leave to a player and to a member of staff."""

import asyncio

import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode
from punto.floor.house import writer
from punto.floor.house.projections.accounts import require_account
from punto.floor.house.projections.stops import StopScope
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import GamingReleased, GamingStopped
from punto.floor.journal.entry import context_of, text_start
from punto.floor.journal.house_events import AuthorityRefused, SessionsRevoked
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.approvals.house_acts import HouseActs
from punto.floor.people.approvals.proposals import Proposals
from punto.floor.people.approvals.proposed_acts import ReleaseGaming
from punto.floor.people.stops import MAY_READ_STOPS, MAY_STOP, Stops, may_stop
from punto.floor.running.floor import Floor
from punto.rules.refusals import Code, Refused
from punto.table.records.positions import MANAGER_UP, SHIFT_MANAGER_UP, Position
from punto.table.refusals import TableCode
from tests.floor.audit.forging import tamper
from tests.floor.nights import opened as opened_database
from tests.floor.people.test_acting import accepted, give
from tests.floor.people.test_player_codes import ANN, BO, seated
from tests.floor.people.test_visitors import opened
from tests.floor.staff_floor import DEALER, PASSWORD, READER, Staffed, refused, run

MAX = Actor("max", Position.PIT_MANAGER)
MIA = Actor("mia", Position.PIT_MANAGER)
SHIRIN = Actor("shirin", Position.SHIFT_MANAGER)


def test_a_pit_manager_stops_all_gaming_at_once_and_releases_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        stops = Stops(house.floor)
        stop = await stops.stop(MAX, StopScope.ALL, "", "smoke in the hall")
        assert (stop.number, stop.by, stop.at_us) == (1, "max", house.clock.us)
        again = await refused(stops.stop(MIA, StopScope.ALL, "", "me too"), FloorCode.BAD_STOP)
        assert again.refusal.key == "bad_stop.already"
        second = await stops.stop(MIA, StopScope.GAME, "commission", "misprinted cards")
        assert await stops.list(DEALER) == [stop, second]
        house.clock.go_on(5)
        released = await stops.release(MIA, 1, "false alarm")
        assert (released.released_by, released.released_us, released.released_because) == (
            *("mia", house.clock.us),
            "false alarm",
        )
        await refused(stops.release(MAX, 1, "again"), FloorCode.BAD_STOP)
        await refused(stops.release(MAX, 7, "unknown"), FloorCode.UNKNOWN_STOP)
        assert await stops.list(DEALER) == [second]
        assert await stops.list(DEALER, released=True) == [second, released]
        third = await stops.stop(MAX, StopScope.ALL, "", "once more")
        assert third.number == 3
        told = [(by, event) for by, _, event in await house.told() if isinstance(event, GamingStopped | GamingReleased)]
        assert told == [
            ("max", GamingStopped(1, "all", "", "smoke in the hall", stop.at_us)),
            ("mia", GamingStopped(2, "game", "commission", "misprinted cards", stop.at_us)),
            ("mia", GamingReleased(1, "false alarm", house.clock.us)),
            ("max", GamingStopped(3, "all", "", "once more", house.clock.us)),
        ]
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


@pytest.mark.parametrize("position", Position)
def test_who_stops_releases_and_reads(tmp_path: object, position: Position) -> None:
    async def test(house: Staffed) -> None:
        stops, by = Stops(house.floor), Actor("who", position)
        await stops.stop(MAX, StopScope.GAME, "commission", "misprinted cards")
        for may, act in (
            (MAY_STOP, stops.stop(by, StopScope.ALL, "", "smoke")),
            (MAY_STOP, stops.release(by, 1, "new cards")),
            (MAY_READ_STOPS, stops.list(by)),
        ):
            if position in may:
                await act
            else:
                await refused(act, TableCode.NOT_AUTHORISED)
        tried = [event for _, _, event in await house.told(AuthorityRefused)]
        assert bool(tried) is (position not in MAY_STOP)

    run(f"{tmp_path}/floor.db", test)


def test_a_stop_needs_a_reason_and_something_that_exists(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        stops = Stops(house.floor)
        await house.accounts.issue_token(THE_CONSOLE, "bridge", Position.DEALER, READER)
        for reason in ("", "  ", "x" * 401, "a\nb", "\u202eevil"):
            await refused(stops.stop(MAX, StopScope.ALL, "", reason), TableCode.REASON_NEEDED)
        with pytest.raises(Refused) as unknown:
            await stops.stop(MAX, StopScope.GAME, "poker", "not ours")
        assert unknown.value.code is Code.UNKNOWN_BOOK
        await refused(stops.stop(MAX, StopScope.PLAYER, "p000009", "who?"), FloorCode.UNKNOWN_PLAYER)
        await refused(stops.stop(MAX, StopScope.PLAYER, "box 3", "who?"), FloorCode.UNKNOWN_VISITOR)
        await refused(stops.stop(MAX, StopScope.STAFF, "nobody", "who?"), FloorCode.UNKNOWN_ACCOUNT)
        await refused(stops.stop(SHIRIN, StopScope.STAFF, "bridge", "who?"), FloorCode.BAD_STOP)
        assert await stops.list(MAX) == []

    run(database_url, test)


def test_a_player_who_is_stopped_keeps_their_chips_and_can_leave(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        issued, stops = await seated(house), Stops(house.floor)
        token = (await house.player_codes.sign_in(ANN, issued.code, "here")).token
        ann = await house.sessions.actor(token)
        await accepted(give(house, ann, "sit", who=ANN, box=1))
        await house.player_codes.issue(DEALER, ANN, "t2")
        await stops.stop(MAX, StopScope.PLAYER, "p000001", "asked to be kept out")
        for by in (ann, DEALER):
            for command, fields in (
                ("sit", {"box": 2}),
                ("stand_behind", {"box": 3}),
                ("place_bet", {"box": 1, "bet": "player", "stake_minor": 100_00}),
            ):
                told = await refused(give(house, by, command, who=ANN, **fields), FloorCode.GAMING_STOPPED)
                assert told.refusal.key == "gaming_stopped.player"
                assert "asked to be kept out" not in told.refusal.message_in("en", to_player=True)
        await refused(give(house, DEALER, "buy_in", who=ANN, amount_minor=100_00), FloorCode.GAMING_STOPPED)
        await refused(house.player_codes.issue(DEALER, ANN, "t2"), FloorCode.GAMING_STOPPED)
        await accepted(give(house, DEALER, "sit", who=BO, box=2))
        assert (await house.sessions.actor(token)) == ann
        await accepted(give(house, ann, "leave", who=ANN))
        await accepted(give(house, DEALER, "cash_out", who=ANN, amount_minor=500_00))
        assert house.floor.table("t2").state.chips_minor(ANN) == 0
        await stops.release(MAX, 1, "they are back")
        await accepted(give(house, DEALER, "buy_in", who=ANN, amount_minor=100_00))

    run(database_url, test)


def test_a_player_or_visitor_who_is_stopped_does_not_come_in_again(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        issued, stops = await seated(house), Stops(house.floor)
        visit = await house.visitors.enter("Kim")
        await stops.stop(MAX, StopScope.PLAYER, ANN, "kept out")
        await stops.stop(MAX, StopScope.PLAYER, "kim", "shouts at others")
        told = await refused(house.player_codes.sign_in(ANN, issued.code, "here"), FloorCode.GAMING_STOPPED)
        assert told.refusal.key == "gaming_stopped.entry"
        await refused(house.visitors.buy_in(visit.token, "t1"), FloorCode.GAMING_STOPPED)
        await house.visitors.leave(visit.token)
        await refused(house.visitors.enter("KIM"), FloorCode.GAMING_STOPPED)
        await house.visitors.enter("Kit")

    run(database_url, test)


def test_staff_who_are_stopped_are_signed_out_and_cannot_sign_in_or_approve(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, stops = await house.hired("dora", Position.DEALER), Stops(house.floor)
        await stops.stop(MAX, StopScope.STAFF, "Dora", "palmed a chip")
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        told = await refused(house.sessions.sign_in("dora", PASSWORD), FloorCode.GAMING_STOPPED)
        assert told.refusal.key == "gaming_stopped.staff"
        assert "palmed" not in told.message
        account = await house.database.read(lambda transaction: require_account(transaction, "dora"))
        await refused(house.sessions.standing_of(account), FloorCode.GAMING_STOPPED)
        assert ("max", "pit_manager", SessionsRevoked("dora")) in await house.told()
        await stops.release(MAX, 1, "it was a button")
        assert (await house.sessions.sign_in("dora", PASSWORD)).name == "dora"
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


def test_nobody_stops_themselves_or_somebody_of_their_own_position_or_above(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        stops = Stops(house.floor)
        for actor in (MAX, MIA, SHIRIN):
            await house.accounts.create(THE_CONSOLE, actor.name, actor.position)
        await refused(stops.stop(MAX, StopScope.STAFF, "max", "tired"), FloorCode.BAD_STOP)
        await refused(stops.stop(MAX, StopScope.STAFF, "mia", "rival"), TableCode.NOT_AUTHORISED)
        await refused(stops.stop(MAX, StopScope.STAFF, "shirin", "rival"), TableCode.NOT_AUTHORISED)
        await stops.stop(SHIRIN, StopScope.STAFF, "mia", "under investigation")
        await refused(stops.release(MAX, 1, "my friend"), TableCode.NOT_AUTHORISED)
        await refused(stops.release(MIA, 1, "it is me"), FloorCode.BAD_STOP)
        await stops.release(SHIRIN, 1, "cleared")

    run(database_url, test)
    assert may_stop(Position.DEALER) == may_stop(Position.PIT_SUPERVISOR) == MANAGER_UP
    assert may_stop(Position.PIT_MANAGER) == may_stop(Position.ADMINISTRATOR) == may_stop(None) == SHIFT_MANAGER_UP
    assert may_stop(Position.CASINO_MANAGER) == {Position.CASINO_MANAGER}


def test_only_managers_and_auditors_read_why_a_person_is_stopped(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await seated(house)
        stops = Stops(house.floor)
        await house.accounts.create(THE_CONSOLE, "dora", Position.DEALER)
        await stops.stop(MAX, StopScope.ALL, "", "smoke")
        await stops.stop(MAX, StopScope.PLAYER, ANN, "shouts at others")
        await stops.stop(MAX, StopScope.STAFF, "dora", "palmed a chip")
        await stops.release(MAX, 3, "it was a button")
        for position in sorted(MAY_READ_STOPS):
            last_first = await stops.list(Actor("who", position), released=True)
            told = [(each.reason, each.released_because) for each in last_first]
            whole = position in MANAGER_UP or position is Position.AUDITOR
            people = [("palmed a chip", "it was a button"), ("shouts at others", "")] if whole else [("", "")] * 2
            assert told == [*people, ("smoke", "")]

    run(database_url, test)


def test_where_four_eyes_are_on_two_people_release(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        stops = Stops(house.floor)
        await house.table("t1")
        for name, position in (("adam", Position.ADMINISTRATOR), ("shirin", Position.SHIFT_MANAGER)):
            await house.hired(name, position)
        for actor in (MAX, MIA, DEALER):
            await house.accounts.create(THE_CONSOLE, actor.name, actor.position)
        acts = HouseActs(house.floor, Proposals(house.floor, house.acting), house.accounts, house.visitors, stops)
        await stops.stop(MAX, StopScope.ALL, "", "smoke")
        told = await refused(stops.release(MAX, 1, "no fire"), FloorCode.SECOND_PERSON_NEEDED)
        assert told.refusal.key == "second_person_needed.release"
        release = ReleaseGaming(1, "no fire")
        await refused(acts.propose(DEALER, "r1", release), TableCode.NOT_AUTHORISED)
        await refused(acts.propose(Actor("adam", Position.ADMINISTRATOR), "r1", release), TableCode.NOT_AUTHORISED)
        await refused(acts.propose(MAX, "r1", ReleaseGaming(2, "no fire")), FloorCode.UNKNOWN_STOP)
        proposal = await acts.propose(MAX, "r1", release)
        assert len(await stops.list(MAX)) == 1
        await refused(acts.approve(MAX, "r1"), FloorCode.OWN_PROPOSAL)
        assert set(proposal.may_approve) == MANAGER_UP
        await acts.approve(MIA, "r1")
        assert await stops.list(MAX) == []
        assert house.floor.table("t1").stop is None
        entry = next(each for each in await house.entries() if each.event.startswith(text_start(GamingReleased)))
        context = context_of(entry)
        assert (entry.actor, context.proposed_by, context.approved_by) == ("mia", "max", "mia")
        assert (await asyncio.to_thread(verify, house.database)).faults == []

    run(database_url, test)


def test_where_a_floor_has_too_few_officers_one_releases_alone_and_it_is_marked(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        stops = Stops(house.floor)
        await house.table("t1")
        await stops.stop(MAX, StopScope.ALL, "", "smoke")
        await stops.release(MAX, 1, "no fire")
        entry = next(each for each in await house.entries() if each.event.startswith(text_start(GamingReleased)))
        assert context_of(entry).alone

    run(database_url, test)


def test_stops_stay_after_a_restart_and_whoever_changes_the_table_is_found(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        stops = Stops(house.floor)
        await stops.stop(MAX, StopScope.ALL, "", "smoke")
        await stops.stop(MAX, StopScope.GAME, "commission", "cards")
        await stops.release(MAX, 2, "new cards")

    run(database_url, test)

    async def later() -> None:
        with opened_database(database_url) as database:
            floor = await Floor.start(database)
            assert [stop.reason for stop in floor.stops.all] == ["smoke"]
            assert {live.stop for live in floor.tables.values()} == set(floor.stops.all)

    asyncio.run(later())
    for sql in (
        "UPDATE stops SET released_us = 1 WHERE number = 1",
        "UPDATE stops SET reason = 'nothing' WHERE number = 2",
        "DELETE FROM stops WHERE number = 1",
    ):
        tamper(database_url, (sql, ()))
        with opened_database(database_url) as database:
            assert {fault.code for fault in verify(database).faults} == {FaultCode.STOPS_DIFFER}


def test_what_somebody_proposed_is_over_once_they_are_stopped(tmp_path: object) -> None:
    async def test(house: Staffed) -> None:
        stops = Stops(house.floor)
        await house.table("t1")
        for name, position in (("adam", Position.ADMINISTRATOR), ("shirin", Position.SHIFT_MANAGER)):
            await house.hired(name, position)
        for actor in (MAX, MIA):
            await house.accounts.create(THE_CONSOLE, actor.name, actor.position)
        acts = HouseActs(house.floor, Proposals(house.floor, house.acting), house.accounts, house.visitors, stops)
        await stops.stop(SHIRIN, StopScope.ALL, "", "chips are missing")
        await acts.propose(MIA, "r1", ReleaseGaming(1, "they were found"))
        await stops.stop(SHIRIN, StopScope.STAFF, "mia", "under investigation")
        told = await refused(acts.approve(MAX, "r1"), FloorCode.PROPOSAL_OVER)
        assert told.refusal.key == "proposal_over.proposer"
        assert [stop.scope for stop in await stops.list(MAX)] == [StopScope.ALL, StopScope.STAFF]

    run(f"{tmp_path}/floor.db", test)


@pytest.mark.parametrize(
    "forged",
    [GamingStopped(5, "all", "", "smoke", 1), GamingStopped(1, "world", "", "smoke", 1), GamingReleased(1, "x", 1)],
)
def test_a_stop_or_release_that_could_not_have_been_made_is_found(
    tmp_path: object, forged: GamingStopped | GamingReleased, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: Staffed) -> None:
        monkeypatch.setattr(writer, "project", lambda *_: None)  # whoever forges an entry writes the row themselves
        await house.floor.house_log.write(MAX, forged)
        if isinstance(forged, GamingStopped):
            row = (forged.number, forged.scope, "", "smoke", "max", 1, "", 0, "")
            sql = "INSERT INTO stops VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            await house.database.write(lambda transaction: transaction.many(sql, [row]))
        codes = {fault.code for fault in (await asyncio.to_thread(verify, house.database)).faults}
        assert FaultCode.STOPS_DIFFER in codes

    run(f"{tmp_path}/floor.db", test)
