"""Amounts that need a supervisor: proposed at the console and approved, marked on the sheet, listed in the reports."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from punto.floor.reports.export import all_records
from punto.floor.reports.records import Ruling
from punto.floor.running.table_setup import TableSetup
from punto.floor.settings.gaming_day import Period
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from punto.web.views.visibility import STAFF_AMOUNTS
from tests.floor.nights import opened
from tests.floor.playing import MANAGER
from tests.table.tables import NATURAL, settings
from tests.web.page_tree import read_page
from tests.web.serving import Server, server
from tests.web.wire import problem

GAME = "commission-insurance"


@pytest.fixture
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("supervised") / "floor.db")


@pytest.fixture
def floor(path: str) -> Iterator[Server]:
    """One felt table: buy-ins and payouts above 100.00 need a supervisor."""
    with server(path) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("t1", GAME, ShoeKind.MANUAL)))
        wanted = settings(book(GAME), observing=True, **dict.fromkeys(STAFF_AMOUNTS, 100_00))
        give(served, Position.PIT_SUPERVISOR, "open_table", settings=msgspec.to_builtins(wanted))
        give(served, Position.PIT_SUPERVISOR, "load_shoe", shoe="red", decks=8)
        yield served


def give(floor: Server, position: Position, command: str, **fields: Any) -> None:
    answer = floor.command(floor.by(position), "t1", command, **fields)
    assert answer.status_code == 200, answer.text


def play(floor: Server) -> None:
    """A round in which box 1 is paid 200.00."""
    give(floor, Position.DEALER, "open_betting")
    give(floor, Position.DEALER, "place_bet", who="box 1", box=1, bet="player", stake_minor=200_00)
    give(floor, Position.DEALER, "close_betting")
    for card in NATURAL.split():
        give(floor, Position.DEALER, "deal_card", card=card)
    give(floor, Position.DEALER, "settle")


def approve(floor: Server, proposal: str, body: dict[str, Any]) -> None:
    """The dealer proposes, the supervisor approves."""
    at = "/api/tables/t1/proposals"
    made = floor.by(Position.DEALER).post(at, json={"id": proposal, "command": body})
    assert made.json()["needs"][0] == "pit_supervisor", made.text
    approved = floor.by(Position.PIT_SUPERVISOR).post(f"{at}/{proposal}/approve", json={})
    assert approved.status_code == 200, approved.text


def test_a_larger_buy_in_is_proposed_and_approved(floor: Server) -> None:
    dealer, fields = floor.by(Position.DEALER), {"who": "box 1", "amount_minor": 100_01}
    problem(floor.command(dealer, "t1", "buy_in", **fields), 403, "not_authorised")
    approve(floor, "large", {"command": "buy_in.1", **fields})
    assert floor.floor.table("t1").state.chips_minor("box 1") == 100_01


def test_a_payout_is_marked_until_it_is_verified_and_listed_if_it_was_not(floor: Server, path: str) -> None:
    dealer, mark = floor.by(Position.DEALER), "a supervisor verifies"
    play(floor)
    assert mark in read_page(dealer, "/tables/t1/deal", "en").id("sheet").words
    approve(floor, "paid", {"command": "verify_payouts.1", "round": 1})
    assert mark not in read_page(dealer, "/tables/t1/deal", "en").id("sheet").words
    play(floor)
    give(floor, Position.DEALER, "open_betting")
    with opened(path) as database:
        rulings = [each for each in all_records(database, Period()) if isinstance(each, Ruling)]
    (listed,) = [each for each in rulings if each.kind == "payouts not verified"]
    assert (listed.round, listed.clauses) == (2, ("4.1.2",))
    assert "200.00" in listed.words


def test_only_staff_see_the_thresholds(floor: Server) -> None:
    def shown(client: Any) -> list[object]:
        state = client.get("/api/tables/t1").json()["state"]["settings"]
        event = client.get("/api/tables/t1/events").json()["events"][0]["event"]["settings"]
        return [each.get(name) for each in (state, event) for name in STAFF_AMOUNTS]

    blind = [None if name == "tray_par_minor" else 100_00 for name in STAFF_AMOUNTS] * 2  # dealers count the tray
    assert shown(floor.by(Position.AUDITOR)) == [100_00] * 2 * len(STAFF_AMOUNTS)
    assert shown(floor.by(Position.DEALER)) == blind
    assert shown(floor.client()) == [None] * 2 * len(STAFF_AMOUNTS)
