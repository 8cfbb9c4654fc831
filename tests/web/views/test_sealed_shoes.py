"""The seals of a table are found among any number of other records."""

from pathlib import Path
from typing import Any

from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import AuthorityRefused
from punto.table.records.positions import Position
from tests.web.serving import Server
from tests.web.views.test_visibility import after, still

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
