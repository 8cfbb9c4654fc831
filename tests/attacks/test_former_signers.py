"""Somebody proposes or counts, and is then stopped or taken off duty. Their signature no longer counts."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from punto.floor.house.projections.stops import StopScope
from punto.floor.journal.actor import Actor
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.approvals.blind_counts import BlindCounts
from punto.floor.people.approvals.four_eyes import Mandate
from punto.floor.people.approvals.house_acts import HouseActs
from punto.floor.people.approvals.proposals import Proposals
from punto.floor.people.stops import MAY_STOP
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from tests.attacks.test_alone import GAME, OPENING, entries
from tests.floor.playing import MANAGER
from tests.web.serving import Server, server

CASS = Actor("cass", Position.CASINO_MANAGER)
Removal = Callable[[Server, str], None]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with four eyes. Each test has people and a table of its own."""
    with server(str(tmp_path_factory.mktemp("former") / "floor.db"), training=False) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("other", GAME, ShoeKind.MANUAL)))
        for position in (Position.ADMINISTRATOR, Position.SHIFT_MANAGER, Position.CASINO_MANAGER):
            served.token(position)
        yield served


class Team:
    """A dealer on duty and a supervisor at a table of their own."""

    def __init__(self, served: Server) -> None:
        number = served.next_id()
        self.served, self.table = served, f"felt-{number}"
        self.dealer, self.supervisor = f"dealer-{number}", f"supervisor-{number}"
        served.run(served.floor.create_table(MANAGER, TableSetup(self.table, GAME, ShoeKind.MANUAL)))
        self.by_dealer = served.client(served.hired(self.dealer, Position.DEALER))
        self.by_supervisor = served.client(served.hired(self.supervisor, Position.PIT_SUPERVISOR))
        served.run(served.service.duty.assign(CASS, self.dealer, self.table))
        served.service.floor_view.refresh()
        self.address = f"/api/tables/{self.table}"

    def propose(self) -> str:
        made = self.by_dealer.post(f"{self.address}/proposals", json={"id": f"p-{self.table}", "command": OPENING})
        assert made.status_code == 201, made.text
        return f"{self.address}/proposals/p-{self.table}/approve"

    def count(self, client: httpx2.Client) -> httpx2.Response:
        body = {"id": self.served.next_id(), "purpose": "opener", "piles": [{"value_minor": 25_00, "count": 40}]}
        return client.post(f"{self.address}/counts", json=body)


def stop(served: Server, name: str) -> None:
    served.run(served.service.stops.stop(CASS, StopScope.STAFF, name, "seen palming chips"))


def stop_and_release(served: Server, name: str) -> None:
    stop(served, name)
    number = served.run(served.service.stops.list(CASS))[-1].number
    served.run(served.service.stops.release(CASS, number, "a mistake", Mandate(MAY_STOP)))


def off_duty(served: Server, name: str) -> None:
    served.run(served.service.accounts.assign(THE_CONSOLE, name, None))


def off_the_table(served: Server, name: str) -> None:
    served.run(served.service.duty.end(CASS, name))
    served.service.floor_view.refresh()


def to_another_table(served: Server, name: str) -> None:
    served.run(served.service.duty.assign(CASS, name, "other"))
    served.service.floor_view.refresh()


def to_another_table_and_back(served: Server, name: str) -> None:
    """Whoever puts them back does not know what they left behind."""
    (table,) = served.run(served.service.duty.now()).tables_of(name)
    to_another_table(served, name)
    served.run(served.service.duty.assign(CASS, name, table))
    served.service.floor_view.refresh()


def off_duty_and_back(served: Server, name: str) -> None:
    (table,) = served.run(served.service.duty.now()).tables_of(name)
    off_duty(served, name)
    served.run(served.service.accounts.assign(THE_CONSOLE, name, Position.DEALER))
    served.run(served.service.duty.assign(CASS, name, table))
    served.service.floor_view.refresh()


REMOVALS: list[Removal] = [stop, stop_and_release, off_duty, off_the_table, to_another_table]
RETURNS: list[Removal] = [to_another_table_and_back, off_duty_and_back]


def code(answer: httpx2.Response) -> str:
    return str(answer.json()["error"]["code"])


@pytest.mark.parametrize("remove", REMOVALS + RETURNS)
def test_a_proposal_ends_with_its_proposers_duty(floor: Server, remove: Removal) -> None:
    team = Team(floor)
    approve = team.propose()
    assert len(team.by_supervisor.get(f"/api/proposals?table={team.table}").json()["proposals"]) == 1
    remove(floor, team.dealer)
    assert team.by_supervisor.get(f"/api/proposals?table={team.table}").json()["proposals"] == []
    assert code(team.by_supervisor.post(approve, json={})) == "proposal_over"
    assert not floor.floor.table(team.table).openings


@pytest.mark.parametrize("of", ["dealer", "supervisor"])
@pytest.mark.parametrize("remove", [stop, off_duty])
def test_the_transaction_looks_at_both(
    floor: Server, monkeypatch: pytest.MonkeyPatch, remove: Removal, of: str
) -> None:
    """Somebody is removed after everything was checked, and before it is written."""
    team = Team(floor)
    approve, give = team.propose(), Proposals._give

    async def late(self: Proposals, *args: Any) -> Any:
        if remove is stop:
            await floor.service.stops.stop(CASS, StopScope.STAFF, getattr(team, of), "seen palming chips")
        else:
            await floor.service.accounts.assign(THE_CONSOLE, getattr(team, of), None)
        return await give(self, *args)

    monkeypatch.setattr(Proposals, "_give", late)
    answer = team.by_supervisor.post(approve, json={})
    assert code(answer) == ("proposal_over" if of == "dealer" else "no_position"), answer.text
    assert not floor.floor.table(team.table).openings


@pytest.mark.parametrize("of", ["first", "second"])
@pytest.mark.parametrize("remove", [stop, off_duty])
def test_an_act_of_the_house_looks_at_both(
    floor: Server, monkeypatch: pytest.MonkeyPatch, remove: Removal, of: str
) -> None:
    number = floor.next_id()
    names = {each: f"{each}-{number}" for each in ("first", "second")}
    first, second = (floor.client(floor.hired(name, Position.SHIFT_MANAGER)) for name in names.values())
    act = {"act": "create_account.1", "name": f"new-{number}", "position": "dealer"}
    made = first.post("/api/proposals", json={"id": f"act-{number}", "act": act})
    assert made.status_code == 201, made.text
    do = HouseActs._do

    async def late(self: HouseActs, *args: Any) -> Any:
        if remove is stop:
            await floor.service.stops.stop(CASS, StopScope.STAFF, names[of], "seen palming chips")
        else:
            await floor.service.accounts.assign(THE_CONSOLE, names[of], None)
        return await do(self, *args)

    monkeypatch.setattr(HouseActs, "_do", late)
    answer = second.post(f"/api/proposals/act-{number}/approve", json={})
    assert code(answer) == ("proposal_over" if of == "first" else "no_position"), answer.text
    listed = floor.by(Position.ADMINISTRATOR).get("/api/accounts").json()["accounts"]
    assert f"new-{number}" not in {each["name"] for each in listed}


@pytest.mark.parametrize("remove", [stop, stop_and_release, off_duty])
def test_a_first_count_ends_with_its_counters_duty(floor: Server, remove: Removal) -> None:
    team = opened(Team(floor))
    first = team.count(team.by_supervisor)
    assert first.status_code in (200, 202), first.text
    remove(floor, team.supervisor)
    second = team.count(team.by_dealer)
    assert second.status_code < 300, second.text
    assert second.json()["waiting"]["by"] == team.dealer  # the first of two again, not the second
    assert not [each for each in entries(floor, f"{team.table}/1") if "tray_counted" in each.event]


@pytest.mark.parametrize("of", ["dealer", "supervisor"])
@pytest.mark.parametrize("first", ["dealer", "supervisor"])
def test_a_count_is_not_signed_by_somebody_removed_meanwhile(
    floor: Server, monkeypatch: pytest.MonkeyPatch, first: str, of: str
) -> None:
    team = opened(Team(floor))
    one, other = (team.by_dealer, team.by_supervisor)[:: 1 if first == "dealer" else -1]
    assert team.count(one).status_code < 300
    giver = BlindCounts._giver

    async def late(self: BlindCounts, *args: Any) -> Any:
        found = await giver(self, *args)
        await floor.service.stops.stop(CASS, StopScope.STAFF, getattr(team, of), "seen palming chips")
        return found

    monkeypatch.setattr(BlindCounts, "_giver", late)
    assert code(team.count(other)) == ("proposal_over" if of == first else "no_position")
    assert not [each for each in entries(floor, f"{team.table}/1") if "tray_counted" in each.event]


def opened(team: Team) -> Team:
    approved = team.by_supervisor.post(team.propose(), json={})
    assert approved.status_code == 200, approved.text
    return team
