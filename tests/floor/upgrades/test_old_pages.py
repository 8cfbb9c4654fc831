"""A server of this release shows the tables, rounds and shoes of earlier ones, and reports read them."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.floor.upkeep.migration import migrate
from punto.table.records.positions import Position
from punto.web.views.round_names import round_address
from tests.floor.upgrades.old_floors import RELEASES
from tests.floor.upgrades.upgraded import put_old_floor
from tests.marks import rest_at_night
from tests.web.serving import server

pytestmark = pytest.mark.slow

PAGES = ("", "/board", "/fairness", "/history", "/odds")
ADDRESSES = ("", "/events", "/rounds", "/shoes", "/legal")


FLOORS = [(name, game) for name, release in RELEASES.items() for game in release.books]
IN_TEST = {(name, game) for name, game in FLOORS if game in RELEASES[name].in_test}


@pytest.mark.parametrize("floor", rest_at_night(FLOORS, IN_TEST, "-".join))
def test_every_page_and_address_of_an_old_table(floor: tuple[str, str], tmp_path: Path) -> None:
    release, game = floor
    url = str(tmp_path / "floor.db")
    old = put_old_floor(url, RELEASES[release].schema, game, tmp_path, release)
    migrate(url)
    with server(url) as running:
        running.taken_over()
        people = (running.client(), running.client(running.hired("aude", Position.AUDITOR)))
        for client in people:
            assert client.get("/").status_code == 200
        for table, was in old.tables.items():
            for page in PAGES:
                for client in people:
                    answer = client.get(f"/tables/{table}{page}")
                    assert answer.status_code == 200, (table, page, answer.text)
            for address in ADDRESSES:
                answer = people[1].get(f"/api/tables/{table}{address}")
                assert answer.status_code == 200, (table, address, answer.text)
            finished = people[1].get(f"/api/tables/{table}/rounds").json()["rounds"]
            assert len(finished) >= was.round - 1
            for each in finished[:2]:
                path = round_address(table, int(each["cursor"].split("/")[0]), each["round"])
                for client in people:
                    assert client.get(path).status_code == 200, path


@pytest.mark.parametrize("release", rest_at_night(RELEASES, ("0.2.0", "0.10.0")))
def test_exports_and_replay_read_old_journals(release: str, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    put_old_floor(url, RELEASES[release].schema, "commission-insurance", tmp_path, release)
    migrate(url)
    for what in ("rounds", "bets", "rulings", "players", "tables"):
        file = tmp_path / f"{what}.csv"
        done = CliRunner().invoke(main, ["export", "--db", url, "--what", what, "--out", str(file)])
        assert done.exit_code == 0, done.output
        assert len(file.read_text().splitlines()) > 1
    for table in ("felt settled", "felt void", "screen settled"):
        done = CliRunner().invoke(main, ["replay", "--db", url, table, "1"])
        assert done.exit_code == 0, done.output
