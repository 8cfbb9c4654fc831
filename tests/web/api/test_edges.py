"""The edges before a round over HTTP: exact, and for the pit and auditors alone."""

from fractions import Fraction

import pytest

from punto.floor.edges.live_edges import EDGE_READERS
from punto.library import book
from punto.odds import full_shoe_figures
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.web.serving import STAFFED, Server
from tests.web.wire import problem

ADDRESS = "/api/tables/t1/edges"


@pytest.mark.parametrize("position", [None, Position.PLAYER, *STAFFED])
def test_the_pit_and_auditors_read_them_and_nobody_else(standing: Server, position: Position | None) -> None:
    client = standing.client() if position is None else standing.by(position)
    answer = client.get(ADDRESS)
    if position is None:
        problem(answer, 401, "not_signed_in")
    elif position not in EDGE_READERS:
        problem(answer, 403, TableCode.NOT_AUTHORISED)
    else:
        assert answer.status_code == 200, answer.text
        edges = answer.json()
        bets = edges.pop("bets")
        assert edges == {"table": "t1", "round": 1, "shoe": "t1 1", "drawn": 0, "first_card_known": False}
        expected = {bet: each.edge for bet, each in full_shoe_figures(book("commission"), 8).bets.items()}
        assert {each["bet"]: Fraction(each["edge"]) for each in bets} == expected
        assert all(each["edge_float"] == float(expected[each["bet"]]) for each in bets)


def test_the_positions_are_those_of_the_pit() -> None:
    assert sorted(EDGE_READERS) == ["auditor", "casino_manager", "pit_manager", "pit_supervisor", "shift_manager"]


def test_a_closed_table_has_none_and_an_unknown_one_is_not_found(served: Server) -> None:
    sue = served.by(Position.PIT_SUPERVISOR)
    made = sue.post("/api/tables", json={"name": "t1", "book": "commission", "shoes": "manual"})
    assert made.status_code == 201, made.text
    edges = sue.get(ADDRESS).json()
    assert (edges.pop("table"), edges.pop("bets")) == ("t1", [])
    assert not any(edges.values())
    problem(sue.get("/api/tables/nowhere/edges"), 404, "unknown_table")
