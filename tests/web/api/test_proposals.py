"""Proposals over HTTP: one person proposes a command, another sees what would follow and approves it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import msgspec
import pytest

from punto.floor.clock import DAY_US
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, context_of
from punto.floor.journal.house_events import (
    HOUSE,
    AuthorityRefused,
    HouseEvent,
    ProposalDeclined,
    ProposalMade,
    read_house_event,
)
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from tests.floor.playing import MANAGER, SUPERVISOR, At
from tests.table.tables import settings
from tests.web.serving import PASSWORD, Server, server

GAME = "commission-insurance"
ERROR = {"command": "report_dealing_error.1", "reason": "a card fell"}
SUPERVISORS = ["pit_supervisor", "pit_manager", "shift_manager", "casino_manager"]
PIN = "482913"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("proposals") / "floor.db")) as served:
        yield served


@pytest.fixture
def table(floor: Server) -> str:
    """A felt table with a real shoe, at which three cards of a round are out."""
    name = floor.next_id()
    floor.run(floor.floor.create_table(MANAGER, TableSetup(name, GAME, ShoeKind.MANUAL)))
    wanted = msgspec.to_builtins(settings(book(GAME), least=10_00, most=500_00, observing=True))
    for command, fields in (
        ("open_table", {"settings": wanted, "float_minor": 1_000_00}),
        ("load_shoe", {"shoe": f"{name} 1", "decks": 8}),
        ("burn_cards", {"card": "2h"}),
        ("open_betting", {}),
        ("place_bet", {"who": "box 1", "box": 1, "bet": "banker", "stake_minor": 50_00}),
        ("close_betting", {}),
        *(("deal_card", {"card": card}) for card in ("5h", "9c", "2d")),
    ):
        give(floor, name, command, **fields)
    return name


def give(floor: Server, table: str, command: str, **fields: Any) -> None:
    floor.run(At(floor.floor, table, f"{table}-{floor.next_id()}").do(SUPERVISOR, command, **fields))


def propose(client: httpx2.Client, table: str, proposal: str, command: dict[str, Any], **more: Any) -> httpx2.Response:
    return client.post(f"/api/tables/{table}/proposals", json={"id": proposal, "command": command, **more})


def decide(client: httpx2.Client, table: str, proposal: str, verb: str = "approve", **body: Any) -> httpx2.Response:
    return client.post(f"/api/tables/{table}/proposals/{proposal}/{verb}", json=body)


def proposed(floor: Server, table: str, command: dict[str, Any] = ERROR) -> str:
    """The id of a dealer's proposal."""
    proposal = f"p-{floor.next_id()}"
    made = propose(floor.by(Position.DEALER), table, proposal, command)
    assert made.status_code == 201, made.text
    return proposal


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def entries(floor: Server, stream: str) -> list[Entry]:
    def work(transaction: Transaction) -> list[Entry]:
        return list(streams.read(transaction, streams.head(transaction, stream), 0, 10_000))

    return floor.floor.database.reading(work).result()


def house(floor: Server, kind: type[HouseEvent]) -> list[HouseEvent]:
    events = (read_house_event(entry.event) for entry in entries(floor, HOUSE))
    return [event for event in events if isinstance(event, kind)]


def version(floor: Server, table: str) -> int:
    head = floor.floor.table(table).head
    assert head is not None
    return head.version


def test_a_supervisor_approves_what_a_dealer_proposes(floor: Server, table: str) -> None:
    dealer, supervisor = floor.by(Position.DEALER), floor.by(Position.PIT_SUPERVISOR)
    before, proposal = version(floor, table), floor.next_id()
    made = propose(dealer, table, proposal, ERROR)
    assert made.status_code == 201, made.text
    view = made.json()
    assert (view["id"], view["table"], view["state"], view["round"]) == (proposal, table, "open", 1)
    assert view["command"] == {**ERROR, "round": 1}
    assert view["needs"] == SUPERVISORS
    assert not view["may_approve"]
    assert [event["event"] for event in view["preview"]["events"]] == ["irregularity_reported.1", "options_given.1"]
    assert "5.12" in view["preview"]["clauses"]
    assert version(floor, table) == before
    for address in ("/api/proposals", f"/api/tables/{table}/proposals"):
        (listed,) = [each for each in supervisor.get(address).json()["proposals"] if each["id"] == proposal]
        assert listed == {**view, "may_approve": True}

    approved = decide(supervisor, table, proposal)
    assert approved.status_code == 200, approved.text
    answer = approved.json()
    assert [event["event"] for event in answer["events"]] == view["preview"]["events"]
    assert (answer["proposal"]["state"], answer["proposal"]["decided_by"]) == ("approved", "sue")
    written = entries(floor, f"{table}/1")[before:]
    assert {(entry.actor, entry.position, entry.command_id) for entry in written} == {
        ("sue", "pit_supervisor", f"proposal:{proposal}")
    }
    assert {(context_of(entry).proposed_by, context_of(entry).approved_by) for entry in written} == {("dora", "sue")}
    assert not supervisor.get(f"/api/tables/{table}/proposals").json()["proposals"]


def test_a_repeat_answers_the_same(floor: Server, table: str) -> None:
    dealer, proposal = floor.by(Position.DEALER), floor.next_id()
    first = propose(dealer, table, proposal, ERROR).json()
    assert propose(dealer, table, proposal, ERROR).json() == first
    assert code(propose(dealer, table, proposal, {**ERROR, "reason": "it did not"})) == (409, "command_id_taken")
    assert code(propose(floor.by(Position.PIT_MANAGER), table, proposal, ERROR)) == (409, "command_id_taken")
    approved = decide(floor.by(Position.PIT_SUPERVISOR), table, proposal).json()
    give(floor, table, "choose_option", who="box 1", choice="continue")
    assert decide(floor.by(Position.PIT_SUPERVISOR), table, proposal).json() == approved
    by_another = decide(floor.by(Position.PIT_MANAGER), table, proposal).json()
    assert (by_another["events"], by_another["cursor"]) == (approved["events"], approved["cursor"])
    assert propose(dealer, table, proposal, ERROR).json()["state"] == "approved"


def test_many_approve_at_once_and_it_happens_once(floor: Server, table: str) -> None:
    proposal, before = proposed(floor, table), version(floor, table)
    clients = [floor.by(Position(position)) for position in SUPERVISORS] * 3
    with ThreadPoolExecutor(len(clients)) as pool:
        answers = list(pool.map(lambda client: decide(client, table, proposal), clients))
    assert {answer.status_code for answer in answers} == {200}
    assert len({str(answer.json()["cursor"]) for answer in answers}) == 1
    assert version(floor, table) == before + 2


def test_nobody_approves_their_own(floor: Server, table: str) -> None:
    supervisor, proposal = floor.by(Position.PIT_SUPERVISOR), floor.next_id()
    assert propose(supervisor, table, proposal, ERROR).status_code == 201
    assert code(decide(supervisor, table, proposal)) == (403, "own_proposal")
    assert AuthorityRefused(table, "sue", "pit_supervisor", "approve_proposal", "own_proposal") in house(
        floor, AuthorityRefused
    )


@pytest.mark.parametrize("position", [Position.DEALER, Position.AUDITOR])
def test_those_without_the_authority_do_not_approve(floor: Server, table: str, position: Position) -> None:
    proposal, before = proposed(floor, table), version(floor, table)
    client = floor.client(floor.hired(f"{position} of {table}", position))
    assert code(decide(client, table, proposal)) == (403, "not_authorised")
    assert code(decide(client, table, proposal, "decline", reason="no")) == (403, "not_authorised")
    assert version(floor, table) == before


def test_an_administrator_and_a_visitor_do_not_know_it(floor: Server, table: str) -> None:
    proposal = proposed(floor, table)
    administrator = floor.by(Position.ADMINISTRATOR)
    assert code(decide(administrator, table, proposal)) == (404, "unknown_proposal")
    assert code(propose(administrator, table, "mine", ERROR)) == (403, "not_authorised")
    assert all(each["table"] is None for each in administrator.get("/api/proposals").json()["proposals"])
    visitor = floor.client(floor.visitor(f"vera {table}"))
    assert code(visitor.get("/api/proposals")) == (403, "not_authorised")
    assert code(propose(visitor, table, "mine", ERROR)) == (403, "not_authorised")
    assert code(decide(visitor, table, proposal)) == (404, "unknown_proposal")


def test_a_machine_neither_proposes_nor_approves(floor: Server, table: str) -> None:
    proposal = proposed(floor, table)
    machine = floor.client(floor.machine(f"machine {table}", Position.SHIFT_MANAGER))
    assert code(propose(machine, table, "mine", ERROR)) == (403, "not_authorised")
    assert code(decide(machine, table, proposal)) == (403, "not_authorised")


def test_the_position_is_the_one_held_then(floor: Server, table: str) -> None:
    name, proposal = f"sam {table}", proposed(floor, table)
    client = floor.client(floor.hired(name, Position.PIT_SUPERVISOR))
    floor.run(floor.service.accounts.assign(THE_CONSOLE, name, Position.DEALER))
    assert code(decide(client, table, proposal)) == (403, "not_authorised")
    floor.run(floor.service.accounts.assign(THE_CONSOLE, name, Position.PIT_MANAGER))
    assert decide(client, table, proposal).status_code == 200
    assert entries(floor, f"{table}/1")[-1].position == "pit_manager"


# ---- bound to what was shown


def test_another_card_changes_what_follows(floor: Server, table: str) -> None:
    proposal = proposed(floor, table)
    give(floor, table, "deal_card", card="3s")
    before = version(floor, table)
    assert code(decide(floor.by(Position.PIT_SUPERVISOR), table, proposal)) == (409, "preview_changed")
    assert version(floor, table) == before
    again = proposed(floor, table)
    assert decide(floor.by(Position.PIT_SUPERVISOR), table, again).status_code == 200


def test_what_the_table_would_refuse_now_is_not_done(floor: Server, table: str) -> None:
    first, second = proposed(floor, table), proposed(floor, table)
    supervisor = floor.by(Position.PIT_SUPERVISOR)
    assert decide(supervisor, table, first).status_code == 200
    refused = decide(supervisor, table, second)
    assert code(refused) == (409, "preview_changed")
    assert "box 1 can still choose" in refused.json()["error"]["message"]


def test_it_is_for_one_round(floor: Server, table: str) -> None:
    """The same cards again, and the same command: it was proposed for the round before."""
    proposal = proposed(floor, table)
    give(floor, table, "report_foreign_card", reason="it has a green back")
    give(floor, table, "load_shoe", shoe=f"{table} 2", decks=8)
    give(floor, table, "burn_cards", card="2h")
    give(floor, table, "open_betting")
    give(floor, table, "place_bet", who="box 1", box=1, bet="banker", stake_minor=50_00)
    give(floor, table, "close_betting")
    for card in ("5h", "9c", "2d"):
        give(floor, table, "deal_card", card=card)
    supervisor = floor.by(Position.PIT_SUPERVISOR)
    assert not supervisor.get(f"/api/tables/{table}/proposals").json()["proposals"]
    before = version(floor, table)
    assert code(decide(supervisor, table, proposal)) == (409, "preview_changed")
    assert version(floor, table) == before


def test_it_lapses_after_a_day(floor: Server, table: str) -> None:
    proposal = proposed(floor, table)
    sql = "UPDATE proposals SET at_us = at_us - ? WHERE id = ?"
    floor.floor.database.writing(lambda transaction: transaction.change(sql, (DAY_US, proposal))).result()
    supervisor = floor.by(Position.PIT_SUPERVISOR)
    assert code(decide(supervisor, table, proposal)) == (409, "proposal_over")
    assert proposal not in [each["id"] for each in supervisor.get("/api/proposals").json()["proposals"]]


@pytest.mark.parametrize(
    "body",
    [
        {"command": "deal_card.1"},
        {"command": "deal_card.1", "card": "5h"},
        {"command": "turn_card.1", "place": 1, "card": "5h"},
        {"command": "burn_cards.1", "card": "5h"},
        {"command": "squeeze_card.1", "place": 1, "who": "box 1"},
        {"command": "report_face_up_card.1", "place": 1},  # the card would come from a scan
        {"command": "turn_card.1"},
    ],
)
def test_no_preview_shows_a_card(floor: Server, table: str, body: dict[str, Any]) -> None:
    assert code(propose(floor.by(Position.DEALER), table, "card", body)) == (409, "no_preview")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"command": "no_such.1"}, (400, "bad_command")),
        ({"command": ["report_dealing_error.1"]}, (400, "bad_command")),
        ({}, (400, "bad_command")),
        ({**ERROR, "by": "sue"}, (400, "bad_command")),
        ({**ERROR, "round": 7}, (409, "other_round")),
        ({"command": "dismiss_irregularity.1", "reason": "none"}, (409, "nothing_raised")),
        ({"command": "buy_in.1", "who": "P999999", "amount_minor": 5}, (409, "unknown_person")),
        ({"command": "choose_option.1", "who": "dora", "choice": "continue"}, (403, "not_authorised")),
    ],
)
def test_what_could_not_be_given_is_not_kept(
    floor: Server, table: str, body: dict[str, Any], expected: tuple[int, str]
) -> None:
    dealer, made = floor.by(Position.DEALER), len(house(floor, ProposalMade))
    assert code(propose(dealer, table, "refused", body)) == expected
    assert len(house(floor, ProposalMade)) == made


@pytest.mark.parametrize("bad", ["", "a/b", ".", "é", "a b", "x" * 81])
def test_an_id_fits_into_an_address(floor: Server, table: str, bad: str) -> None:
    assert code(propose(floor.by(Position.DEALER), table, bad, ERROR)) == (400, "bad_command_id")


def test_no_client_uses_the_id_of_a_proposal(floor: Server, table: str) -> None:
    proposal = proposed(floor, table)
    body = {"id": f"proposal:{proposal}", "command": {**ERROR, "round": 1}}
    answer = floor.by(Position.PIT_SUPERVISOR).post(f"/api/tables/{table}/commands", json=body)
    assert code(answer) == (400, "bad_command_id")


def test_a_proposal_of_another_table_is_unknown(floor: Server, table: str) -> None:
    supervisor, proposal = floor.by(Position.PIT_SUPERVISOR), proposed(floor, table)
    assert code(decide(supervisor, "elsewhere", proposal)) == (404, "unknown_proposal")
    assert code(supervisor.post(f"/api/proposals/{proposal}/approve", json={})) == (404, "unknown_proposal")
    assert code(supervisor.get("/api/tables/elsewhere/proposals")) == (404, "unknown_table")


# ---- declining


def test_whoever_could_approve_can_decline(floor: Server, table: str) -> None:
    proposal, supervisor = proposed(floor, table), floor.by(Position.PIT_SUPERVISOR)
    assert code(decide(supervisor, table, proposal, "decline", reason=" ")) == (409, "reason_needed")
    declined = decide(supervisor, table, proposal, "decline", reason="nothing fell")
    assert declined.status_code == 200, declined.text
    view = declined.json()
    assert (view["state"], view["decided_by"], view["reason"]) == ("declined", "sue", "nothing fell")
    assert decide(supervisor, table, proposal, "decline", reason="nothing fell").json() == view
    assert code(decide(floor.by(Position.PIT_MANAGER), table, proposal)) == (409, "proposal_over")
    assert code(decide(floor.by(Position.PIT_MANAGER), table, proposal, "decline", reason="no")) == (
        409,
        "proposal_over",
    )
    event = ProposalDeclined(proposal, table, ERROR["command"], "nothing fell", view["decided_us"])
    assert event in house(floor, ProposalDeclined)


def test_a_proposer_can_take_it_back(floor: Server, table: str) -> None:
    proposal = proposed(floor, table)
    taken_back = decide(floor.by(Position.DEALER), table, proposal, "decline", reason="it was not so")
    assert taken_back.json()["state"] == "declined"
    assert code(decide(floor.by(Position.PIT_SUPERVISOR), table, proposal)) == (409, "proposal_over")


def test_what_was_approved_is_not_declined(floor: Server, table: str) -> None:
    proposal, supervisor = proposed(floor, table), floor.by(Position.PIT_SUPERVISOR)
    decide(supervisor, table, proposal)
    assert code(decide(supervisor, table, proposal, "decline", reason="after all")) == (409, "proposal_over")


def test_what_happened_earlier_is_approved_with_its_time(floor: Server, table: str) -> None:
    dealer, proposal = floor.by(Position.DEALER), floor.next_id()
    assert code(propose(dealer, table, proposal, ERROR, happened_at="2001-01-01T00:00:00Z")) == (400, "bad_command")
    assert code(propose(dealer, table, proposal, ERROR, happened_at="yesterday")) == (400, "bad_command")


# ---- at the dealer's terminal


def test_a_pin_approves_at_the_terminal_and_the_dealer_stays_signed_in(floor: Server, table: str) -> None:
    dealer, before = floor.client(floor.token(Position.DEALER)), version(floor, table)
    answer = floor.by(Position.PIT_SUPERVISOR).put("/api/session/pin", json={"password": PASSWORD, "pin": PIN})
    assert answer.status_code == 204, answer.text
    proposal = proposed(floor, table)
    by_pin = {"name": "sue", "pin": PIN}
    assert code(decide(dealer, table, proposal, **by_pin)) == (403, "not_a_terminal")
    enrolled = floor.client(floor.token(Position.PIT_MANAGER)).post(
        "/api/terminals", json={"table": table, "title": "left"}
    )
    assert enrolled.status_code == 201, enrolled.text
    dealer.cookies.update(enrolled.cookies)
    floor.an_hour_after_enrolling()
    assert code(decide(dealer, table, proposal, name="sue", pin="000000")) == (403, "wrong_pin")
    assert code(decide(dealer, table, proposal, name="sue")) == (403, "wrong_pin")
    assert version(floor, table) == before
    approved = decide(dealer, table, proposal, **by_pin)
    assert approved.status_code == 200, approved.text
    last = entries(floor, f"{table}/1")[-1]
    context = context_of(last)
    assert (last.actor, context.proposed_by, context.approved_by) == ("sue", "dora", "sue")
    assert context.terminal == enrolled.json()["id"]
    assert dealer.get("/api/session").json()["name"] == "dora"
    again = proposed(floor, table, {"command": "rule.1", "reason": "a test", "effect": "continue"})
    assert code(decide(dealer, table, again, **by_pin)) == (403, "not_authorised")
    declined = decide(dealer, table, again, "decline", reason="no", name="dora", pin=PIN)
    assert code(declined) == (403, "no_pin")
