"""What people and machines see when the random numbers have failed their test."""

from pathlib import Path

from punto.floor.shoes.generator_check import GeneratorFault
from punto.table.records.positions import Position
from tests.floor.nights import Night, night
from tests.web.serving import server
from tests.web.wire import problem


def test_a_virtual_table_says_that_it_is_stopped(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("v1", burn=False, automations=[])

    night(url, play)
    with server(url) as served:
        served.taken_over()
        aude, sue = served.by(Position.AUDITOR), served.by(Position.PIT_SUPERVISOR)
        sound = aude.get("/api/program").json()["generator"]
        assert sound["fault"] == ""
        assert "The last test passed." in aude.get("/audit/program").text
        assert sound["checked_us"] >= served.floor.started_us
        assert served.client().get("/readyz").json()["status"] == "ready"
        served.floor.generator.fault = GeneratorFault.MONOBIT
        assert aude.get("/api/program").json()["generator"] == {**sound, "fault": "monobit"}
        assert "&#39;monobit&#39; failed" in aude.get("/audit/program").text
        problem(served.command(sue, "v1", "load_shoe", shoe="one", decks=8), 503, "generator_failed")
        problem(served.client().get("/readyz"), 503, "no_table_works")
        assert "is stopped" in served.client().get("/tables/v1").text
        assert "已停止" in served.client().get("/tables/v1", headers={"accept-language": "zh"}).text
