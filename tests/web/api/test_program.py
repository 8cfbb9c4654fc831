"""Which program runs, over the API: who may know, a check on demand, and the clocks."""

import pytest

import punto
from punto.floor.database.schema import VERSION
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.running.build import build_hash, law_hashes
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.web.serving import Server
from tests.web.wire import problem


def test_an_auditor_sees_the_program_and_has_it_checked(served: Server) -> None:
    aude = served.by(Position.AUDITOR)
    before = aude.get("/api/program").json()
    assert (before["release"], before["schema"], before["build"]) == (punto.__version__, VERSION, build_hash())
    assert before["laws"] == law_hashes()
    assert before["packages"].keys() >= {"python", "msgspec"}
    assert before["settings"] == before["settings_at_start"] == served.floor.started.settings
    assert 0 < before["earliest_us"] <= before["started_us"] + 60_000_000
    checked = aude.post("/api/program/check").json()["checked"]
    assert (checked["by"], checked["same"], checked["changed"], checked["build"]) == ("aude", True, [], build_hash())
    assert aude.get("/api/program").json()["checked"] == checked


def test_the_clocks_of_a_file_are_one(served: Server) -> None:
    served.run(served.service.clock_watch.compare())
    clocks = served.by(Position.PIT_MANAGER).get("/api/program").json()["clocks"]
    (own,) = clocks["processes"]
    assert (own["process"], own["release"], own["ahead_us"]) == (served.floor.process, punto.__version__, None)
    assert (clocks["behind_record_us"], clocks["most_s"]) == (0, 2)
    page = served.client().get("/metrics").text
    for against in ("database", "process", "record"):
        assert f'punto_clock_offset_seconds{{against="{against}"}} ' in page


@pytest.mark.parametrize("position", [each for each in Position if each is not Position.HOUSE])
def test_who_may_see_and_check_the_program(served: Server, position: Position) -> None:
    client = served.by(position)
    answers = client.get("/api/program"), client.post("/api/program/check")
    if position in (Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.CASINO_MANAGER, Position.AUDITOR):
        assert [answer.status_code for answer in answers] == [200, 200]
    else:
        for answer in answers:
            problem(answer, 403, TableCode.NOT_AUTHORISED)


def test_a_changed_setting_changes_the_digest(served: Server) -> None:
    sid = served.by(Position.SHIFT_MANAGER)
    before = sid.get("/api/program").json()
    sid.put("/api/settings", json={"tray_chips": 501})
    after = sid.get("/api/program").json()
    assert after["settings_at_start"] == before["settings_at_start"]
    assert after["settings"] != before["settings"]
    assert served.run(served.service.program.check(THE_HOUSE)).settings == after["settings"]
