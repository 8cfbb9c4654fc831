"""Slips and blind counts through the API: two people sign, and nobody learns what the other counted."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from punto.floor.audit.verify import verify
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, EntryContext, context_of, event_of
from punto.floor.journal.house_events import HOUSE, read_house_event
from punto.floor.journal.pit_events import CountsDiffered
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.chips import TrayCounted
from punto.table.records.ledger import tray_minor
from punto.table.records.positions import Position
from punto.table.revision import REVISION
from tests.attacks.test_alone import OPENING, is_refused
from tests.floor.play_money import set_rules
from tests.floor.playing import MANAGER
from tests.web.serving import Server, server
from tests.web.wire import problem

FELT = "/api/tables/felt"
FLOAT_MINOR = 1_000_00
PILES = ((100_00, 8), (25_00, 8))
FILL = [{"value_minor": 500_00, "count": 4}]
DEALER, SUPERVISOR = Position.DEALER, Position.PIT_SUPERVISOR


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A table with a float of 1,000.00 on a floor where two people sign."""
    with server(str(tmp_path_factory.mktemp("tray") / "floor.db"), training=False) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("felt", "commission", ShoeKind.MANUAL)))
        served.token(Position.ADMINISTRATOR)
        served.token(Position.SHIFT_MANAGER)
        approved(served, OPENING)
        yield served


def approved(floor: Server, command: dict[str, Any]) -> httpx2.Response:
    """The dealer proposes, the supervisor approves."""
    proposal = floor.next_id()
    made = floor.by(DEALER).post(f"{FELT}/proposals", json={"id": proposal, "command": command})
    assert made.status_code == 201, made.text
    answer = floor.by(SUPERVISOR).post(f"{FELT}/proposals/{proposal}/approve", json={})
    assert answer.status_code == 200, answer.text
    return answer


def count(
    floor: Server,
    by: Position | httpx2.Client,
    piles: tuple[tuple[int, int], ...] = PILES,
    purpose: str = "opener",
    count_id: str = "",
) -> httpx2.Response:
    told = [{"value_minor": value, "count": number} for value, number in piles]
    client = floor.by(by) if isinstance(by, Position) else by
    return client.post(f"{FELT}/counts", json={"id": count_id or floor.next_id(), "purpose": purpose, "piles": told})


def tray(floor: Server) -> int:
    return tray_minor(floor.floor.table("felt").state.balances)


def last_entry(floor: Server) -> Entry:
    def work(transaction: Transaction) -> Entry:
        return next(streams.read_back(transaction, streams.head(transaction, "felt/1")))

    return floor.floor.database.reading(work).result()


def differed(floor: Server) -> list[CountsDiffered]:
    def work(transaction: Transaction) -> list[Entry]:
        return list(streams.read(transaction, streams.head(transaction, HOUSE), 0, 10_000))

    told = [read_house_event(entry.event) for entry in floor.floor.database.reading(work).result()]
    return [each for each in told if isinstance(each, CountsDiffered)]


# ---- counts


def test_two_people_count_the_same_and_then_see_what_was_expected(floor: Server) -> None:
    assert count(floor, DEALER).json()["waiting"]["by"] == "dora"
    shown = floor.by(SUPERVISOR).get(f"{FELT}/counts").json()
    assert shown["waiting"].keys() == {"by", "purpose", "at_us"}
    answer = count(floor, SUPERVISOR, PILES[::-1]).json()
    assert (answer["counted_minor"], answer["expected_minor"], answer["difference_minor"]) == (
        FLOAT_MINOR,
        FLOAT_MINOR,
        0,
    )
    entry = last_entry(floor)
    assert isinstance(event_of(entry), TrayCounted)
    context = context_of(entry)
    assert (entry.actor, context.proposed_by, context.approved_by, context.alone) == ("sue", "dora", "sue", False)
    assert floor.by(DEALER).get(f"{FELT}/counts").json() == {"waiting": None}
    assert verify(floor.floor.database).faults == []


def test_a_first_count_shows_nothing_of_itself_and_nothing_expected(floor: Server) -> None:
    answers = [count(floor, DEALER, ((25_00, 7),)), floor.by(SUPERVISOR).get(f"{FELT}/counts")]
    answers += [floor.by(Position.AUDITOR).get(f"{FELT}/counts"), floor.by(SUPERVISOR).get("/api/proposals")]
    assert not any(word in answer.text for answer in answers for word in ("2500", "17500", "100000", 'piles":[{'))
    problem(floor.client().get(f"{FELT}/counts"), 401, "not_signed_in")


def test_counts_that_differ_are_void_and_on_record(floor: Server) -> None:
    count(floor, DEALER)
    answer = count(floor, SUPERVISOR, ((100_00, 8), (25_00, 7)))
    problem(answer, 409, "counts_differ")
    assert not any(figure in answer.text for figure in ("975", "97500", "1,000", "100000"))
    (told,) = differed(floor)
    assert (told.table, told.first_by, told.first_minor, told.second_minor) == ("felt", "dora", 1_000_00, 975_00)
    assert tray(floor) == FLOAT_MINOR
    assert count(floor, SUPERVISOR).json()["waiting"]["by"] == "sue"
    assert count(floor, DEALER).json()["difference_minor"] == 0


def test_the_supervisor_may_count_first_and_still_signs(floor: Server) -> None:
    count(floor, SUPERVISOR, ((100_00, 9),), "check")
    assert count(floor, DEALER, ((100_00, 9),), "check").json()["difference_minor"] == -100_00
    entry = last_entry(floor)
    assert (entry.actor, entry.position, context_of(entry).proposed_by) == ("sue", "pit_supervisor", "dora")
    assert tray(floor) == 900_00


def test_one_of_the_two_is_a_supervisor_and_learns_first_whether_they_agree(floor: Server) -> None:
    count(floor, DEALER)
    other = floor.client(floor.token(DEALER, "dirk"))
    for piles in (PILES, ((100_00, 1),)):
        assert is_refused(count(floor, other, piles))
    assert not differed(floor)
    assert count(floor, DEALER, ((100_00, 10),)).json()["waiting"]["by"] == "dora"  # their own again: in its place
    assert count(floor, SUPERVISOR, ((100_00, 10),)).json()["difference_minor"] == 0


def test_for_another_purpose_both_are_void(floor: Server) -> None:
    count(floor, DEALER)
    problem(count(floor, SUPERVISOR, purpose="closer"), 409, "counts_differ")


def test_chips_that_move_between_the_counts_void_the_first(floor: Server) -> None:
    count(floor, DEALER)
    assert floor.command(floor.by(DEALER), "felt", "buy_in", who="box 1", amount_minor=100_00).status_code == 200
    problem(count(floor, SUPERVISOR, ((100_00, 9),)), 409, "counts_differ")
    assert not differed(floor)
    assert count(floor, DEALER, ((100_00, 9),)).json()["difference_minor"] == 0


def test_the_same_id_again_gives_the_same_answer(floor: Server) -> None:
    count(floor, DEALER, count_id="first")
    once = count(floor, SUPERVISOR, count_id="second").json()
    assert count(floor, SUPERVISOR, count_id="second").json() == once
    problem(count(floor, Position.PIT_MANAGER, count_id="second"), 409, "command_id_taken")
    assert floor.by(DEALER).get(f"{FELT}/counts").json() == {"waiting": None}


def test_nobody_counts_past_the_other(floor: Server) -> None:
    piles = [{"value_minor": 100_00, "count": 10}]
    direct = floor.command(floor.by(SUPERVISOR), "felt", "count_tray", purpose="check", piles=piles)
    assert is_refused(direct)
    assert direct.json()["error"]["propose_at"] == f"{FELT}/counts"
    body = {"id": "tray", "command": {"command": "count_tray.1", "purpose": "check", "piles": piles}}
    problem(floor.by(DEALER).post(f"{FELT}/proposals", json=body), 409, "no_preview")
    problem(count(floor, Position.AUDITOR), 403, "not_authorised")


def test_what_the_table_or_the_floor_refuses_is_no_count(floor: Server) -> None:
    problem(count(floor, DEALER, ((30_00, 1),)), 400, "not_a_chip")
    problem(count(floor, DEALER, ((25_00, 1), (25_00, 2))), 409, "bad_piles")
    assert floor.by(DEALER).get(f"{FELT}/counts").json() == {"waiting": None}


# ---- slips


def slip(floor: Server, kind: str = "fill") -> None:
    given = floor.command(floor.by(DEALER), "felt", "request_slip", kind=kind, piles=FILL)
    assert given.status_code == 200, given.text


def test_two_people_receive_a_fill(floor: Server) -> None:
    slip(floor)
    (shown,) = floor.by(DEALER).get(FELT).json()["state"]["slips"]
    assert (shown["number"], shown["amount_minor"], shown["sent"]) == ("felt-000001", 2_000_00, False)
    assert "slips" not in floor.client().get(FELT).json()["state"]
    supervisor = floor.by(SUPERVISOR)
    assert floor.command(supervisor, "felt", "send_slip", slip=1).status_code == 200
    assert is_refused(floor.command(supervisor, "felt", "receive_slip", slip=1))
    assert tray(floor) == FLOAT_MINOR
    approved(floor, {"command": "receive_slip.1", "slip": 1})
    assert tray(floor) == FLOAT_MINOR + 2_000_00
    assert context_of(last_entry(floor)).proposed_by == "dora"


def test_two_people_send_a_credit_and_the_cage_confirms_it(floor: Server) -> None:
    slip(floor, "credit")
    supervisor = floor.by(SUPERVISOR)
    assert is_refused(floor.command(supervisor, "felt", "send_slip", slip=1))
    approved(floor, {"command": "send_slip.1", "slip": 1})
    assert tray(floor) == FLOAT_MINOR - 2_000_00
    assert floor.command(supervisor, "felt", "receive_slip", slip=1).status_code == 200
    assert verify(floor.floor.database).faults == []


def test_one_supervisor_voids_a_fill_until_the_cage_has_sent_it_and_then_two_people(floor: Server) -> None:
    supervisor, void = floor.by(SUPERVISOR), {"slip": 1, "reason": "not needed"}
    slip(floor)
    assert floor.command(supervisor, "felt", "void_slip", **void).status_code == 200
    slip(floor)
    void["slip"] = 2
    assert floor.command(supervisor, "felt", "send_slip", slip=2).status_code == 200
    assert is_refused(floor.command(supervisor, "felt", "void_slip", **void))
    approved(floor, {"command": "void_slip.1", **void})
    assert "slips" not in floor.by(DEALER).get(FELT).json()["state"]
    assert tray(floor) == FLOAT_MINOR


def test_players_and_the_public_see_neither_slips_nor_counts(floor: Server) -> None:
    slip(floor)
    count(floor, DEALER)
    count(floor, SUPERVISOR)
    told = floor.client().get(f"{FELT}/events").text
    assert "slip" not in told
    assert "tray" not in told
    assert "tray_counted.1" in floor.by(DEALER).get(f"{FELT}/events").text


def test_what_may_be_given_is_listed_without_chips_and_without_what_needs_two(floor: Server) -> None:
    slip(floor)
    listed = floor.by(SUPERVISOR).get(f"{FELT}/legal").json()["legal"]
    named = {each["command"]["command"] for each in listed}
    assert {"request_slip.1", "send_slip.1", "void_slip.1"} <= named
    assert not {"count_tray.1", "receive_slip.1"} & named
    assert [each["command"]["piles"] for each in listed if "piles" in each["command"]] == [[], []]


# ---- what a table can hold


@pytest.mark.parametrize("command", ["buy_in", "cash_out"])
def test_no_more_than_a_table_holds_is_sold_or_bought(floor: Server, command: str) -> None:
    supervisor, most_minor = floor.by(SUPERVISOR), 1_000 * 10_000_00
    answer = floor.command(supervisor, "felt", command, who="box 1", amount_minor=most_minor + 1)
    problem(answer, 403, "more_than_tray")
    assert "10,000,000" in answer.text
    assert floor.command(supervisor, "felt", "buy_in", who="box 1", amount_minor=most_minor).status_code == 200


def test_no_slip_is_for_more_than_a_table_holds(floor: Server) -> None:
    dealer, piles = floor.by(DEALER), [{"value_minor": 10_000_00, "count": 1_000}, {"value_minor": 1_00, "count": 1}]
    problem(floor.command(dealer, "felt", "request_slip", kind="fill", piles=piles), 403, "more_than_tray")
    assert floor.command(dealer, "felt", "request_slip", kind="fill", piles=piles[:1]).status_code == 200


def test_slips_are_of_the_floors_chips(floor: Server) -> None:
    piles = [{"value_minor": 30_00, "count": 1}]
    problem(floor.command(floor.by(DEALER), "felt", "request_slip", kind="fill", piles=piles), 400, "not_a_chip")


# ---- alone, and with play money


def test_where_one_person_may_act_alone_their_count_stands_and_is_marked(tmp_path: Any) -> None:
    with server(str(tmp_path / "floor.db"), training=False) as early:
        early.run(early.floor.create_table(MANAGER, TableSetup("felt", "commission", ShoeKind.MANUAL)))
        fields = {name: value for name, value in OPENING.items() if name != "command"}
        assert early.command(early.by(SUPERVISOR), "felt", "open_table", **fields).status_code == 200
        answer = count(early, SUPERVISOR).json()
        assert answer["difference_minor"] == 0
        assert context_of(last_entry(early)) == EntryContext(REVISION, alone=True, round=0)
        slip(early)
        assert early.command(early.by(SUPERVISOR), "felt", "send_slip", slip=1).status_code == 200
        assert not context_of(last_entry(early)).alone
        assert early.command(early.by(SUPERVISOR), "felt", "receive_slip", slip=1).status_code == 200
        assert context_of(last_entry(early)).alone


def test_a_play_money_table_has_no_counts_and_no_fills(tmp_path: Any) -> None:
    with server(str(tmp_path / "floor.db"), training=False) as floor:
        floor.run(floor.floor.create_table(MANAGER, TableSetup("felt", "commission")))
        floor.run(set_rules(floor.service.visitors, FloorRules(visitors=True, buy_in_minor=100_00, tables=("felt",))))
        floor.service.floor_view.refresh()
        fields = {name: value for name, value in OPENING.items() if name != "command"}
        opened = floor.command(floor.by(SUPERVISOR), "felt", "open_table", **fields)
        assert opened.status_code == 200, opened.text
        problem(count(floor, DEALER), 403, "play_money_only")
        given = floor.command(floor.by(DEALER), "felt", "request_slip", kind="fill", piles=FILL)
        problem(given, 403, "play_money_only")
