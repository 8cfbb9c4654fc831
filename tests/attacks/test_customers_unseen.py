"""Visitors see no customer at a real table: not by id, not by place, not by a plain name of 0.3.0."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from punto.table.records.positions import Position
from tests.attacks.test_customers_name import CUSTOMER, PLAY, REAL, REGISTERED, RULES, STAKE_MINOR, house, sell, visit
from tests.floor.playing import DEALER, At
from tests.web.all_shown import pages_told
from tests.web.serving import Server
from tests.web.watching import end, line

PLACE = "behind box 2"
CUSTOMERS = (CUSTOMER, REGISTERED, PLACE)
VISITOR = "vera"


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    """Three customers who have bet at the real table."""
    with house(str(tmp_path / "floor.db")) as served:
        sell(served, STAKE_MINOR)
        at = At(served.floor, REAL, "place")
        served.run(at.do(DEALER, "buy_in", who=PLACE, amount_minor=STAKE_MINOR))
        served.run(at.do(DEALER, "stand_behind", who=PLACE, box=2))
        assert served.run(at.bet(PLACE, STAKE_MINOR, box=2, bet="banker")).refusal is None
        yield served


def settle(served: Server) -> None:
    at = At(served.floor, REAL, "round")
    served.run(at.do(DEALER, "close_betting"))
    for card in ("9s", "2d", "Kh", "3c"):
        served.run(at.do(DEALER, "deal_card", card=card))
    assert served.run(at.do(DEALER, "settle")).refusal is None


def messages(served: Server, client: httpx2.Client, table: str) -> str:
    """All that the socket sends about a table, from its first event on."""
    token = client.headers.get("authorization", "").removeprefix("Bearer ") or None
    with line(served, token) as watching:
        watching.watch(table, "1/0")
        watching.until(end(served.floor, table), table)
        return "\n".join(watching.raw)


def everything(served: Server, client: httpx2.Client, table: str = REAL) -> dict[str, str]:
    """All that somebody gets about a table, by request."""
    base = f"/api/tables/{table}"
    paths = ("/api/tables", base, f"{base}/events?after=1/0&most=500", f"{base}/rounds?most=100")
    seen = {path: client.get(path).text for path in paths}
    seen["socket"] = messages(served, client, table)
    return seen | {path: content.decode() for path, content in pages_told(served, client, table).items()}


def names_in(text: str) -> set[str]:
    return {who for who in CUSTOMERS if re.search(rf"(?<![\w-]){re.escape(who)}(?![\w-])", text, re.IGNORECASE)}


def test_a_visitor_sees_no_customer_at_a_real_table(floor: Server) -> None:
    vera = visit(floor, VISITOR)
    before = everything(floor, vera)
    settle(floor)
    for seen in (before, everything(floor, vera)):
        for request, text in seen.items():
            assert names_in(text) == set(), request


def test_a_visitor_sees_of_a_real_table_what_the_public_sees(floor: Server) -> None:
    vera, nobody = visit(floor, VISITOR), floor.client()
    settle(floor)
    for path in (f"/api/tables/{REAL}/events?after=1/0&most=500", "/api/tables"):
        assert vera.get(path).json() == nobody.get(path).json()
    assert vera.get(f"/api/tables/{REAL}").json()["state"] == nobody.get(f"/api/tables/{REAL}").json()["state"]


def test_staff_see_them_all(floor: Server) -> None:
    seen = everything(floor, floor.by(Position.DEALER))
    for request in (f"/api/tables/{REAL}", f"/api/tables/{REAL}/events?after=1/0&most=500", "socket"):
        assert names_in(seen[request]) == set(CUSTOMERS), request
    assert names_in(seen[f"page /tables/{REAL}"]) >= {CUSTOMER, REGISTERED}


def test_at_a_play_money_table_visitors_see_each_other(floor: Server) -> None:
    vera, wim = visit(floor, VISITOR), visit(floor, "wim")
    assert vera.post(f"/api/tables/{PLAY}/play-money").status_code == 200
    assert floor.command(vera, PLAY, "sit", who=VISITOR, box=1).status_code == 200
    assert wim.get(f"/api/tables/{PLAY}").json()["state"]["seats"] == {"1": VISITOR}
    assert f'"{VISITOR}"' in messages(floor, wim, PLAY)
    assert VISITOR in wim.get(f"/tables/{PLAY}").text
    assert floor.client().get(f"/api/tables/{PLAY}").json()["state"]["seats"] == {"1": ""}


def test_a_table_that_is_no_longer_for_play_money(floor: Server) -> None:
    vera = visit(floor, VISITOR)
    assert vera.post(f"/api/tables/{PLAY}/play-money").status_code == 200
    assert floor.command(vera, PLAY, "sit", who=VISITOR, box=1).status_code == 200
    events = f"/api/tables/{PLAY}/events?after=1/0&most=500"
    assert f'"{VISITOR}"' in vera.get(events).text
    assert floor.by(Position.ADMINISTRATOR).put("/api/floor-rules", json={**RULES, "tables": []}).status_code == 200
    assert f'"{VISITOR}"' not in vera.get(events).text
