"""The incident pack over HTTP: who gets it, what is in it, and what the house writes down about it."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from punto.floor.audit.kept_heads import read_heads_in
from punto.floor.audit.packs.check_pack import check_pack
from punto.floor.audit.packs.pack_file import HeadSource, decode_pack
from punto.floor.journal.audit_events import FiguresSeen, PackMade
from punto.floor.journal.house_events import HouseEvent, read_house_event
from punto.table.records.positions import Position
from tests.web.incidents import troubled_table
from tests.web.serving import NAMES, Server, server
from tests.web.wire import problem

TABLE = "felt «1»"
ADDRESS = f"/api/tables/{TABLE}/rounds/1-1/pack"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("packs")
    (folder / "heads").mkdir()
    with server(str(folder / "floor.db"), heads_to=str(folder / "heads")) as served:
        troubled_table(served, TABLE)
        yield served


def on_record(floor: Server, kind: type[HouseEvent]) -> list[tuple[str, HouseEvent]]:
    sql = "SELECT e.actor, e.event FROM entries AS e JOIN streams AS s ON s.id = e.stream WHERE s.name = 'house'"
    rows = floor.floor.database.reading(lambda tx: tx.rows(f"{sql} ORDER BY e.version")).result()
    found = [(actor, read_house_event(event)) for actor, event in rows]
    return [(actor, event) for actor, event in found if isinstance(event, kind)]


def test_a_supervisor_takes_a_pack_that_proves_itself(floor: Server) -> None:
    copies = floor.service.head_copies
    assert copies is not None
    floor.run(copies.copy())
    answer = floor.by(Position.PIT_SUPERVISOR).get(ADDRESS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''punto-felt%20%C2%AB1%C2%BB-1-1.pack.json"
    )
    assert answer.headers["content-type"] == "application/json"
    pack = decode_pack(answer.content, "pack")
    assert pack.head.source is HeadSource.KEPT
    dora, sue = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
    approval = next(each for each in pack.approvals if each.proposed_by)
    assert (approval.by, approval.proposed_by) == (sue, dora)
    assert approval.command_id.startswith("proposal:")
    checked = check_pack(answer.content, read_heads_in(Path(floor.config.heads_to)))
    assert checked.faults == []
    assert checked.proved
    sha256 = hashlib.sha256(answer.content).hexdigest()
    made = PackMade(TABLE, 1, 1, pack.head.version, sha256)
    assert (sue, made) in on_record(floor, PackMade)
    assert (sue, FiguresSeen("pack", "1-1", TABLE)) in on_record(floor, FiguresSeen)


def test_a_number_alone_leads_to_the_permanent_address(floor: Server) -> None:
    auditor = floor.by(Position.AUDITOR)
    answer = auditor.get(f"/api/tables/{TABLE}/rounds/1/pack")
    assert answer.status_code == 303
    assert auditor.get(answer.headers["location"]).status_code == 200


def test_who_may_not_and_what_there_is_not(floor: Server) -> None:
    for position in (Position.DEALER, Position.ADMINISTRATOR, Position.PLAYER):
        problem(floor.by(position).get(ADDRESS), 403, "not_authorised")
    problem(floor.client().get(ADDRESS), 401, "not_signed_in")
    auditor = floor.by(Position.AUDITOR)
    problem(auditor.get(f"/api/tables/{TABLE}/rounds/1-99/pack"), 404, "unknown_round")
    problem(auditor.get(f"/api/tables/{TABLE}/rounds/9-1/pack"), 404, "unknown_round")
    problem(auditor.get(f"/api/tables/{TABLE}/rounds/<script>/pack"), 404, "unknown_round")
    problem(auditor.get("/api/tables/nowhere/rounds/1-1/pack"), 404, "unknown_table")
