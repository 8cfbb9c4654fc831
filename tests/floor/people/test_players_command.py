"""``punto players``, while the floor runs on the same database."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from punto.cli import main
from punto.floor.journal.house_events import PlayerChanged, PlayerErased, PlayerRegistered
from tests.cli.running import punto
from tests.floor.playing import DEALER as TABLE_DEALER
from tests.floor.playing import betting_table, player
from tests.floor.staff_floor import DEALER, SUPERVISOR, Staffed, run


def invoke(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["players", *arguments, "--db", url])


def players(url: str, *arguments: str, status: int = 0) -> Any:
    """Its JSON output."""
    done = invoke(url, *arguments, "--json")
    assert done.exit_code == status, done.output
    return msgspec.json.decode(done.stdout)


@pytest.mark.slow
def test_the_register_of_a_floor_that_runs(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.players.register(SUPERVISOR, "Bo")
        done = await asyncio.to_thread(
            punto, "players", "add", "Ann Li", "--card", "a-7", "--notes", "tall", "--json", "--db", database_url
        )
        assert (done.returncode, done.stderr) == (0, b"")
        ann = msgspec.json.decode(done.stdout)
        assert (ann["id"], ann["name"], ann["card"], ann["notes"]) == ("P000002", "Ann Li", "A-7", "tall")
        assert (await house.players.find(DEALER, "P000002")).card == "A-7"
        assert (await house.told(PlayerRegistered))[-1] == ("console", "administrator", PlayerRegistered("P000002"))

    run(database_url, test)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A floor with two players."""
    url = str(tmp_path / "floor.db")

    async def test(house: Staffed) -> None:
        await house.players.register(SUPERVISOR, "Ann Li", "7", "tall\nlikes box 3")
        await house.players.register(SUPERVISOR, "李 Bo")

    run(url, test)
    return url


def test_the_commands_print_json(url: str) -> None:
    ann, bo = players(url, "list")
    assert players(url, "list", "ann") == players(url, "list", "7") == players(url, "list", "--most", "1") == [ann]
    assert players(url, "list", "nobody") == []
    assert players(url, "list", "--after", "P000001") == [bo]
    assert players(url, "show", "P000002") == bo
    assert bo == {"id": "P000002", "name": "李 Bo", "card": None, "notes": "", "registered_us": bo["registered_us"]}
    changed = players(url, "change", "P000001", "--name", "Ann Wu")
    assert changed == {**ann, "name": "Ann Wu"}
    assert players(url, "change", "P000001", "--no-card", "--notes", "")["card"] is None
    assert players(url, "change", "P000002", "--card", "7")["card"] == "7"
    assert players(url, "erase", "P000001") == {"id": "P000001", "erased": True}
    assert [each["id"] for each in players(url, "list")] == ["P000002"]

    async def test(house: Staffed) -> None:
        assert await house.told(PlayerErased) == [("console", "administrator", PlayerErased("P000001"))]
        assert [event for _, _, event in await house.told(PlayerChanged)] == [
            PlayerChanged("P000001", ("name",)),
            PlayerChanged("P000001", ("card", "notes")),
            PlayerChanged("P000002", ("card",)),
        ]

    run(url, test)


def test_the_commands_print_text(url: str) -> None:
    listed = invoke(url, "list").stdout.splitlines()
    assert [line.split() for line in listed[1:]] == [["P000001", "Ann", "Li", "7"], ["P000002", "李", "Bo"]]
    assert invoke(url, "list", "nobody").stdout == "No players found.\n"
    shown = invoke(url, "show", "P000001").stdout.splitlines()
    assert (shown[0], shown[2:]) == ("P000001  Ann Li", ["  card 7", "  tall", "  likes box 3"])
    assert shown[1].startswith("  registered 2023-11-14 ")
    assert invoke(url, "add", "Cy").stdout.startswith("P000003  Cy\n")
    assert invoke(url, "erase", "P000003").stdout == "P000003: erased\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "P000009"), "unknown_player"),
        (("erase", "ann"), "unknown_player"),
        (("list", "--after", "ann"), "not_a_player_id"),
        (("add", " Ann"), "bad_name"),
        (("add", "Cy", "--card", "7"), "card_taken"),
        (("add", "Cy", "--card", "a b"), "bad_card_number"),
        (("change", "P000002", "--notes", "\a"), "bad_notes"),
    ],
)
def test_what_is_refused(url: str, arguments: tuple[str, ...], code: str) -> None:
    assert players(url, *arguments, status=2)["error"]["code"] == code
    assert f"Refused ({code})" in invoke(url, *arguments).stderr


@pytest.mark.parametrize("options", [(), ("--card", "8", "--no-card")])
def test_a_change_needs_options_that_agree(url: str, options: tuple[str, ...]) -> None:
    done = invoke(url, "change", "P000001", *options)
    assert done.exit_code == 2
    assert "--no-card" in done.stderr
    assert players(url, "show", "P000001")["card"] == "7"


def test_no_floor_is_created(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    assert players(str(path), "add", "Ann", status=2)["error"]["code"]
    assert not path.exists()


def test_a_replay_for_people_has_names_and_files_have_ids(url: str, tmp_path: Path) -> None:
    async def play(house: Staffed) -> None:
        at = await betting_table(house.floor)
        await at.do(TABLE_DEALER, "buy_in", who="P000001", amount_minor=500_00)
        await at.do(TABLE_DEALER, "sit", who="P000001", box=3)
        await at.do(player("P000001"), "place_bet", who="P000001", box=3, bet="player", stake_minor=100_00)
        await at.do(TABLE_DEALER, "close_betting")
        for card in ("9s", "2d", "Kh", "3c"):
            await at.do(TABLE_DEALER, "deal_card", card=card)
        await at.do(TABLE_DEALER, "settle")

    run(url, play)
    replay = CliRunner().invoke(main, ["replay", "--db", url, "t1", "1"]).stdout
    assert "\n  P000001 is Ann Li\n" in replay
    assert "李 Bo" not in replay
    kept = CliRunner().invoke(main, ["replay", "--db", url, "t1", "1", "--json"]).stdout
    out = tmp_path / "bets.csv"
    assert CliRunner().invoke(main, ["export", "--db", url, "--what", "bets", "--out", str(out)]).exit_code == 0
    for text in (kept, out.read_text()):
        assert "P000001" in text
        assert "Ann" not in text
    players(url, "erase", "P000001")
    replay = CliRunner().invoke(main, ["replay", "--db", url, "t1", "1"]).stdout
    assert "\n  P000001 was erased\n" in replay
    assert "Ann" not in replay
