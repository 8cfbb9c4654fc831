"""``punto verify``, ``replay``, ``export``, ``backup`` and ``restore``, each also as a real process."""

import csv
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from punto.floor.shoes.shoe_kind import ShoeKind
from tests.cli.running import ENVIRONMENT, punto, punto_here
from tests.floor.audit.forging import entries, is_a, rewrite, sign_again, tamper
from tests.floor.journals import reopened
from tests.floor.nights import Night, night, small, troubled
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow

REPORTS = ("players", "tables")
"""These exports need exact edges from ``punto.odds``."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a floor that is not running."""
    path = tmp_path_factory.mktemp("floor") / "floor.db"
    small(str(path))
    return path


@pytest.fixture
def floor(made: Path, tmp_path: Path) -> str:
    return str(shutil.copyfile(made, tmp_path / "floor.db"))


@pytest.fixture(scope="module")
def troubled_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("troubled") / "floor.db"
    troubled(str(path))
    return path


@pytest.fixture(scope="module")
def reopened_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reopened") / "floor.db"
    reopened(str(path))
    return path


def _json(done: subprocess.CompletedProcess[bytes]) -> Any:
    assert done.stderr == b""
    return msgspec.json.decode(done.stdout)


# ---- verify


def test_verify_says_that_all_is_sound(floor: str) -> None:
    done = punto("verify", "--db", floor)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[-1] == "Sound."
    seen = _json(punto("verify", "--db", floor, "--json"))
    assert seen["sound"] is True
    assert seen["faults"] == []
    assert seen["commands"] == seen["judged_again"] > 0


def test_verify_names_the_first_bad_entry_and_its_exit_status_is_1(floor: str) -> None:
    tamper(floor, ("UPDATE entries SET actor = 'eve' WHERE version = 40", ()))
    done = punto("verify", "--db", floor)
    assert (done.returncode, done.stderr) == (1, b"")
    said = done.stdout.decode()
    assert "t1/1 entry 40" in said
    assert "entry_altered" in said
    assert "Sound." not in said
    done = punto("verify", "--db", floor, "--json")
    assert done.returncode == 1
    assert _json(done)["faults"][0].items() >= {"stream": "t1/1", "version": 40, "code": "entry_altered"}.items()


def test_heads_kept_elsewhere_find_a_tail_that_was_cut_off(floor: str, tmp_path: Path) -> None:
    heads = tmp_path / "elsewhere" / "heads.json"
    heads.parent.mkdir()
    assert punto_here("verify", "--db", floor, "--write-head", str(heads)).returncode == 0
    assert set(msgspec.json.decode(heads.read_bytes())["streams"]) == {"house", "t1/1", "t1/2", "m1/1"}
    rewrite(floor, "t1/2", lambda told: told[:-1])
    found = punto_here("verify", "--db", floor, "--json")
    assert (found.returncode, [fault["code"] for fault in _json(found)["faults"]]) == (1, ["tail_cut"])
    sign_again(floor)  # who has the key as well is found by the heads alone
    assert punto_here("verify", "--db", floor).returncode == 0
    done = punto_here("verify", "--db", floor, "--head", str(heads), "--json")
    assert done.returncode == 1
    assert [fault["code"] for fault in _json(done)["faults"]] == ["tail_cut"]


def test_heads_are_not_written_of_what_is_not_sound(floor: str, tmp_path: Path) -> None:
    tamper(floor, ("UPDATE entries SET actor = 'eve' WHERE version = 40", ()))
    assert punto_here("verify", "--db", floor, "--write-head", str(tmp_path / "heads.json")).returncode == 1
    assert not (tmp_path / "heads.json").exists()


@pytest.mark.parametrize("content", [None, b"", b"{}", b'{"punto": "heads.2", "at_us": 0, "streams": {}}', b"\xff"])
def test_what_holds_no_heads_is_refused(floor: str, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "heads.json").write_bytes(content)
    done = punto_here("verify", "--db", floor, "--head", str(tmp_path / "heads.json"), "--json")
    assert done.returncode == 2
    assert _json(done)["error"]["code"] == "bad_heads"


@pytest.mark.parametrize(
    ("words", "end"), [(("verify",), b"Sound."), (("export", "--what", "bets", "--out", "bets.csv"), b" rows")]
)
def test_in_a_terminal_it_shows_how_far_it_is(floor: str, tmp_path: Path, words: tuple[str, ...], end: bytes) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "punto", *words, "--db", floor],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=ENVIRONMENT,
        timeout=DEADLINE_S,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert "Entries" in shown
    assert "100%" in shown
    assert end in done.stdout


@pytest.mark.parametrize("command", [("verify",), ("replay", "t1", "1"), ("backup", "copy.db")])
def test_a_database_that_is_none_is_refused(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database" * 100)
    done = punto_here(*command, "--db", str(tmp_path / "text.db"), "--json")
    assert (done.returncode, _json(done)["error"]["code"]) == (2, "bad_database")
    said = punto_here(*command, "--db", str(tmp_path / "none.db"))
    assert (said.returncode, said.stdout) == (2, b"")
    assert said.stderr.startswith(b"Refused (not_a_floor): There is no database at ")


# ---- an audit changes nothing


@pytest.mark.parametrize("beside", ["", "-wal", "-shm", "-journal", "-floor"])
@pytest.mark.parametrize(
    "command",
    [("verify", "--write-head"), ("export", "--what", "rounds", "--out"), ("backup",)],
    ids=lambda words: words[0],
)
def test_no_output_takes_the_place_of_the_database(floor: str, command: tuple[str, ...], beside: str) -> None:
    before = Path(floor).read_bytes()
    done = punto_here(*command, f"{floor}{beside}", "--db", floor, "--json")
    assert (done.returncode, _json(done)["error"]["code"]) == (2, "file_exists")
    assert Path(floor).read_bytes() == before
    assert not beside or not Path(f"{floor}{beside}").exists()


def test_nor_by_another_name_nor_by_the_draft_of_a_file(floor: str, tmp_path: Path) -> None:
    before = Path(floor).read_bytes()
    (tmp_path / "link").symlink_to(floor)
    (tmp_path / "hard").hardlink_to(floor)
    (tmp_path / "draft.part").symlink_to(floor)
    (tmp_path / "other.db").write_bytes(before)
    for name in ("link", "hard", "draft", "other.db"):
        for command in (("verify", "--write-head"), ("export", "--what", "rounds", "--out"), ("backup",)):
            assert punto_here(*command, str(tmp_path / name), "--db", floor).returncode == 2
    assert Path(floor).read_bytes() == (tmp_path / "other.db").read_bytes() == before
    done = punto_here("export", "--what", "rounds", "--out", f"{floor}-wal", "--db", str(tmp_path / "link"))
    assert (done.returncode, Path(f"{floor}-wal").exists()) == (2, False)


def test_heads_take_the_place_of_heads_and_of_nothing_else(floor: str, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = punto_here("verify", "--db", floor, "--write-head", str(tmp_path / "mine.txt"), "--json")
    assert (done.returncode, _json(done)["error"]["code"]) == (2, "bad_heads")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    for _ in range(2):
        assert punto_here("verify", "--db", floor, "--write-head", str(tmp_path / "heads.json")).returncode == 0


def test_an_audit_leaves_every_byte_of_a_backup_as_it_was(floor: str, tmp_path: Path) -> None:
    copy = tmp_path / "kept" / "backup 100%?.db"
    copy.parent.mkdir()
    assert punto("backup", "--db", floor, str(copy)).returncode == 0
    copy.chmod(0o400)
    before = copy.read_bytes()
    for command in (
        ("verify",),
        ("replay", "t1", "1"),
        ("export", "--what", "rounds", "--out", str(tmp_path / "rounds.csv")),
        ("backup", str(tmp_path / "second.db")),
    ):
        assert punto(*command, "--db", str(copy)).returncode == 0
    assert copy.read_bytes() == before
    assert [path.name for path in copy.parent.iterdir()] == [copy.name]


def test_a_copy_beside_which_no_file_can_be_made_is_read(made: Path, tmp_path: Path) -> None:
    """Simulate a read-only disk: a folder in place of each file that SQLite would create."""
    copy = Path(shutil.copyfile(made, tmp_path / "floor.db"))
    (tmp_path / "floor.db-shm").mkdir()
    before = copy.read_bytes()
    assert before[18:20] == b"\2\2"  # write-ahead log
    assert punto_here("verify", "--db", str(copy)).returncode == 0
    assert copy.read_bytes() == before


# ---- replay


def test_replay_says_that_the_cards_came_from_a_seed(floor: str, tmp_path: Path) -> None:
    async def play(night: Night) -> None:
        await night.table("t1", shoes=ShoeKind.SEEDED, seed="x")
        await night.rounds("t1", 1)

    night(str(tmp_path / "seeded.db"), play)
    assert b"came from a seed" in punto_here("replay", "--db", str(tmp_path / "seeded.db"), "t1", "1").stdout
    assert (
        _json(punto_here("replay", "--db", str(tmp_path / "seeded.db"), "t1", "1", "--json"))["shoe_kind"] == "seeded"
    )
    assert b"seed" not in punto_here("replay", "--db", floor, "t1", "1").stdout


def test_replay_tells_a_round_step_by_step_with_its_clauses(floor: str) -> None:
    done = punto("replay", "--db", floor, "t1/1", "2")
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode()
    assert said.startswith("t1/1, commission-insurance, round 2 (shoe t1 1-")
    for words in (
        "betting opened: round 2  (house)  [3.3]",
        "(ann, player)",
        "card 1 goes to Player",
        "round settled:",
    ):
        assert words in said


def test_replay_for_programs_has_the_events_themselves(floor: str) -> None:
    told = _json(punto_here("replay", "--db", floor, "m1", "1", "--json"))
    assert (told["stream"], told["round"], told["shoe"]) == ("m1/1", 1, "real")
    turned = [step["event"]["card"] for step in told["steps"] if step["event"]["event"] == "card_turned.1"]
    assert turned == ["5s", "Kd", "3h", "7c"]


@pytest.mark.parametrize(("table", "number", "code"), [("t1", "99", "unknown_round"), ("t7", "1", "unknown_table")])
def test_replay_refuses_what_never_was(floor: str, table: str, number: str, code: str) -> None:
    done = punto_here("replay", "--db", floor, table, number, "--json")
    assert done.returncode == 2
    assert _json(done)["error"]["code"] == code


def test_replay_has_what_was_ruled_before_the_first_round(reopened_made: Path) -> None:
    told = _json(punto_here("replay", "--db", str(reopened_made), "t1/2", "0", "--json"))
    moved = [(each["who"], each["amount_minor"], each["reason"]) for each in told["record"]["adjustments"]]
    assert moved == [(who, amount, "as the film shows") for who, amount in RULED_AT_THE_SECOND_OPENING]
    assert "ann: 12.34 paid" in punto_here("replay", "--db", str(reopened_made), "t1/2", "0").stdout.decode()


RULED_AT_THE_SECOND_OPENING = [("ann", 12_34), ("ben", -2), ("ann", -1), ("ben", 2_50)]


# ---- export


@pytest.mark.parametrize("what", ["rounds", "bets", "rulings", *REPORTS])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_writes_a_file(troubled_made: Path, tmp_path: Path, what: str, form: str) -> None:
    file = tmp_path / f"{what}.{form}"
    told = _json(
        punto_here("export", "--db", str(troubled_made), "--what", what, "--format", form, "--out", str(file), "--json")
    )
    assert told == {"file": str(file), "what": what, "format": form, "rows": told["rows"]}
    assert told["rows"] > 0
    assert file.read_bytes()[:4] == (b"PAR1" if form == "parquet" else file.read_bytes()[:4])
    if form == "csv":
        with file.open(encoding="utf-8", newline="") as lines:
            assert len(list(csv.DictReader(lines))) == told["rows"]


@pytest.mark.parametrize("event", ["12.34 made 12.35", b"\0\xff", '{"event":"nothing.1"}'])
@pytest.mark.parametrize(
    "command", [("replay", "t1/2", "1"), ("export", "--what", "rulings"), ("export", "--what", "players")]
)
def test_a_damaged_entry_is_refused_by_stream_and_version(
    reopened_made: Path, tmp_path: Path, command: tuple[str, ...], event: str | bytes
) -> None:
    """Money that does not balance, invalid UTF-8, JSON that is not an event."""
    url, out = str(shutil.copyfile(reopened_made, tmp_path / "floor.db")), tmp_path / "out.csv"
    ruled = next(entry for entry in entries(url, "t1/2") if is_a(entry, "ruled.1"))
    damaged = ruled.event.replace("1234", "1235", 1) if event == "12.34 made 12.35" else event
    assert damaged != ruled.event
    where = "version = ? AND stream = (SELECT id FROM streams WHERE name = 't1/2')"
    tamper(url, (f"UPDATE entries SET event = ? WHERE {where}", (damaged, ruled.version)))  # noqa: S608 - our own words
    asked = (*command, *(("--out", str(out)) if command[0] == "export" else ()))
    done = punto_here(*asked, "--db", url, "--json")
    assert (done.returncode, _json(done)["error"]["code"]) == (2, "bad_database")
    assert f"entry {ruled.version} of t1/2" in _json(done)["error"]["message"].lower()
    assert not out.exists()
    done = punto_here(*asked, "--db", url)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert done.stderr.startswith(b"Refused (bad_database): ")


def test_export_keeps_to_a_period(floor: str, tmp_path: Path) -> None:
    file = str(tmp_path / "rounds.csv")
    long_ago = ("--from", "1999-01-01", "--to", "1999-12-31")
    assert (
        _json(punto_here("export", "--db", floor, "--what", "rounds", "--out", file, *long_ago, "--json"))["rows"] == 0
    )
    done = punto_here("export", "--db", floor, "--what", "rounds", "--out", file, "--from", "soon")
    assert done.returncode == 2
    assert b"'soon' is not a valid time" in done.stderr


def test_parquet_without_its_extra_says_how_to_install_it(floor: str, tmp_path: Path) -> None:
    code = "import sys; sys.modules['pyarrow'] = None\nfrom punto.cli import main\nmain(sys.argv[1:])"
    arguments = ["export", "--db", floor, "--what", "rounds", "--format", "parquet", "--out", str(tmp_path / "x")]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, env=ENVIRONMENT, timeout=DEADLINE_S, check=False
    )
    assert done.returncode == 2
    assert b"pip install 'punto[parquet]'" in done.stderr
    assert not list(tmp_path.glob("x*"))


# ---- backup and restore


def test_a_backup_is_restored_and_verified(floor: str, tmp_path: Path) -> None:
    copy, target, heads = (str(tmp_path / name) for name in ("backup.db", "restored.db", "heads.json"))
    assert punto("verify", "--db", floor, "--write-head", heads).returncode == 0
    told = _json(punto("backup", "--db", floor, copy, "--json"))
    assert told == {"file": copy, "bytes": Path(copy).stat().st_size}
    assert _json(punto("restore", copy, "--db", target, "--alone", "a test", "--json")) == {
        "file": copy,
        "restored": True,
    }
    assert punto("verify", "--db", target, "--head", heads).returncode == 0
    again = punto("restore", copy, "--db", target, "--alone", "a test", "--json")
    assert (again.returncode, _json(again)["error"]["code"]) == (2, "not_empty")
    again = punto("backup", "--db", floor, copy)
    assert (again.returncode, again.stdout) == (2, b"")
    assert b"already" in again.stderr
