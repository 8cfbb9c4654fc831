"""The seals of a table are found among any number of other records."""

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import AuthorityRefused
from punto.table.records.positions import Position
from tests.floor.nights import SUE, Night
from tests.floor.nights import night as run_night
from tests.web.serving import Server
from tests.web.views.test_visibility import after, still
from tests.web.wire import problem

FLOOD = 50_001
"""Too many to search one by one."""


def shoes(served: Server, table: str = "t1") -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = served.client().get(f"/api/tables/{table}/shoes").json()["shoes"]
    return told


def test_no_flood_of_refusals_hides_a_seal(tmp_path: Path) -> None:
    with after(tmp_path / "floor.db", still) as served:
        before = shoes(served)
        present = served.client().get("/api/tables/t1").json()["state"]["shoe"]
        assert (before[0]["shoe"], before[0]["commitment"]) == (present["id"], present["commitment"])
        assert len(before) > 1
        assert [bool(one["nonce"]) for one in before] == [False, *[True] * (len(before) - 1)]
        refused = AuthorityRefused("t1", "mal", Position.PLAYER, "open_table.1", "not_authorised")
        served.run(served.floor.house_log.write(THE_HOUSE, *[refused] * FLOOD))
        assert shoes(served) == before
        page = served.client().get("/tables/t1/fairness").text
        assert all(one["commitment"] in page for one in before)


# ---- a continuous shuffler


async def machine(night: Night) -> None:
    await night.table("t1", continuous={"back_after_rounds": 2})
    await night.do(SUE, "t1", "load_shoe.1", shoe="m1", decks=8)
    await night.rounds("t1", 5)
    settings = {**to_builtins(night.live("t1").state.settings), "automations": []}
    await night.do(SUE, "t1", "change_settings.1", settings=settings)


def root(order: dict[str, Any]) -> str:
    """As docs/audit.md works it out."""
    found = hashlib.sha256(b"\x00" + f"{order['nonce']}\n{order['cards']}".encode()).digest()
    for height, beside in enumerate(map(bytes.fromhex, order["path"])):
        pair = beside + found if order["place"] >> height & 1 else found + beside
        found = hashlib.sha256(b"\x01" + pair).digest()
    return found.hex()


def test_anybody_can_check_every_round_of_a_continuous_shuffler(tmp_path: Path) -> None:
    with after(tmp_path / "floor.db", lambda url: run_night(url, machine)) as served:
        client = served.client()
        (block,) = shoes(served)
        assert (block["shoe"], block["orders"], block["block"], block["nonce"]) == ("m1", 64, 0, None)
        shoe = client.get("/api/tables/t1").json()["state"]["shoe"]
        assert (shoe["commitment"], shoe["order"], shoe["continuous"]["back_after_rounds"]) == (
            block["commitment"],
            4,
            2,
        )
        page = client.get("/api/tables/t1/orders").json()
        assert ([each["round"] for each in page["orders"]], page["next"]) == ([5, 4, 3, 2, 1], None)
        for order in page["orders"]:
            assert root(order) == order["commitment"] == block["commitment"]
            out = Counter(order["out"].split())
            drawn = [each[:2] for each in order["cards"].split() if int(each[2:]) > out[each[:2]]]
            assert drawn[: len(dealt(served, order["round"]))] == dealt(served, order["round"])


def dealt(served: Server, number: int) -> list[str]:
    """The cards of a round, as its page has them."""
    rounds = served.by(Position.AUDITOR).get("/api/tables/t1/rounds").json()["rounds"]
    (cards,) = [each["cards"] for each in rounds if each["round"] == number]
    return list(cards)


def test_orders_come_page_by_page(tmp_path: Path) -> None:
    with after(tmp_path / "floor.db", lambda url: run_night(url, machine)) as served:
        client, found, cursor = served.client(), [], ""
        while True:
            page = client.get(f"/api/tables/t1/orders?most=2{cursor}").json()
            found += [each["round"] for each in page["orders"]]
            if page["next"] is None:
                break
            cursor = f"&before={page['next']}"
        assert found == [5, 4, 3, 2, 1]
        assert client.get("/api/tables/t1/orders?before=x").status_code == 400
        for listed in ("orders", "rounds"):
            address = f"/api/tables/t1/{listed}?before="
            problem(served.by(Position.AUDITOR).get(f"{address}2/1"), 400, "bad_request")
            assert served.by(Position.AUDITOR).get(f"{address}1/{2**40}").json()[listed]
