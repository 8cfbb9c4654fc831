"""Anyone who can stop the server chooses which rounds are void. Every restart, and what it voided, is on record."""

import csv
import secrets
from pathlib import Path
from typing import Any

import httpx2
from click.testing import CliRunner

import punto
from punto.cli.main import main
from punto.floor.running.build import build_hash, law_hashes
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book_ids
from punto.table.records.positions import Position
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At
from tests.web.serving import Server, server
from tests.web.wire import problem

GAME = "commission-insurance"


def two_cards_out(served: Server, table: str = "t1") -> None:
    served.run(served.floor.create_table(MANAGER, TableSetup(table, GAME, ShoeKind.VIRTUAL)))
    at = At(served.floor, table)
    served.run(at.open(GAME))
    served.run(at.do(SUPERVISOR, "load_shoe", shoe=f"{table} shoe", decks=8))
    served.run(at.seat("ann", "ben"))
    served.run(at.do(DEALER, "open_betting"))
    assert served.run(at.bet("ann", 100_00)).refusal is None
    assert served.run(at.bet("ben", 250_00, box=2, bet="banker")).refusal is None
    served.run(at.do(DEALER, "close_betting"))
    for _ in range(2):
        served.run(at.do(DEALER, "deal_card"))


def new_auditor(served: Server) -> httpx2.Client:
    return served.client(served.token(Position.AUDITOR, f"aude {secrets.token_hex(4)}"))


def exceptions(served: Server) -> list[dict[str, object]]:
    page = new_auditor(served).get("/api/exceptions")
    assert page.status_code == 200, page.text
    return [each["event"] for each in page.json()["exceptions"]]


def test_a_restart_with_two_cards_out_is_on_record_with_what_it_voided(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    with server(url) as served:
        two_cards_out(served)
        chips = dict(served.floor.table("t1").state.balances)
        assert [event["event"] for event in exceptions(served)] == ["floor_started.1"]
    with server(url) as served:
        served.taken_over()
        live = served.floor.table("t1")
        assert live.state.balances["chips:ben"] == chips["chips:ben"] + 250_00
        recovered, started, first = exceptions(served)
        assert recovered["event"] == "table_recovered.1"
        assert (recovered["stream"], recovered["round"], recovered["cards"]) == ("t1/1", 1, 2)
        assert (recovered["shoes"], recovered["round_open"], recovered["voided"]) == ("virtual", True, True)
        assert recovered["returned_minor"] == {"ann": 100_00, "ben": 250_00}
        wanted = {"event": "floor_started.1", "release": punto.__version__, "build": build_hash(), "laws": law_hashes()}
        assert all({**each, **wanted} == each for each in (started, first))
        assert started["process"] != first["process"]


def test_a_round_that_goes_on_and_a_table_between_rounds_void_nothing(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    with server(url) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("t1", "commission", ShoeKind.VIRTUAL)))
        at = At(served.floor, "t1")
        served.run(at.open())
        served.run(at.do(SUPERVISOR, "load_shoe", shoe="s", decks=8))
    for round_open in (False, True):
        with server(url) as served:
            served.taken_over()
            if not round_open:
                served.run(At(served.floor, "t1", "again").do(DEALER, "open_betting"))
            event = next(each for each in exceptions(served) if each["event"] == "table_recovered.1")
            assert (event["round_open"], event["round"]) == (round_open, int(round_open))
            assert (event["voided"], event["returned_minor"]) == (False, {})


def test_only_those_who_audit_see_it_and_a_try_is_on_record(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        for path in ("/api/exceptions", "/api/heads"):
            problem(served.client().get(path), 401, "not_signed_in")
            for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.ADMINISTRATOR, Position.PLAYER):
                problem(served.by(position).get(path), 403, "not_authorised")
            for position in (Position.AUDITOR, Position.PIT_MANAGER, Position.CASINO_MANAGER):
                assert served.by(position).get(path).status_code == 200


def test_they_are_listed_in_pages(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    for _ in range(5):
        with server(url):
            pass
    with server(url) as served:
        auditor = served.by(Position.AUDITOR)
        seen, query = list[int](), dict[str, Any](most=2)
        while query.get("before", 1) is not None:
            page = auditor.get("/api/exceptions", params=query).json()
            seen += [each["version"] for each in page["exceptions"]]
            query["before"] = page["next"]
        assert len(seen) == 6
        assert seen == sorted(seen, reverse=True)
        assert auditor.get("/api/exceptions", params={"most": 101}).status_code == 400
        assert auditor.get("/api/exceptions", params={"before": 0}).status_code == 400


def test_they_can_be_exported(tmp_path: Path) -> None:
    url, file = str(tmp_path / "floor.db"), tmp_path / "exceptions.csv"
    with server(url) as served:
        two_cards_out(served)
    with server(url) as served:
        served.taken_over()
    done = CliRunner().invoke(main, ["export", "--db", url, "--what", "exceptions", "--out", str(file)])
    assert done.exit_code == 0, done.output
    with file.open() as lines:
        *_, recovered = csv.DictReader(lines)
    assert (recovered["kind"], recovered["table"], recovered["round"]) == ("table_recovered.1", "t1", "1")
    assert (recovered["outcome"], recovered["returned"]) == ("void", "350.00")
    assert recovered["returned_to"] == '{"ann":"100.00","ben":"250.00"}'


def test_the_figures_name_the_program_and_the_laws(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        text = served.client().get("/metrics").text
    assert f'punto_build_info{{build="{build_hash()}",release="{punto.__version__}"}} 1.0' in text
    for game in book_ids():
        assert f'punto_book_info{{book="{game}",law="{law_hashes()[game]}"}} 1.0' in text
