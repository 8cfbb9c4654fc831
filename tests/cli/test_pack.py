"""``punto pack`` and ``punto verify --pack``, also as real processes."""

import hashlib
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from punto.cli._shared.checked_pack import print_pack
from punto.floor.audit.kept_heads import KeptHead
from punto.floor.audit.packs.check_pack import PackChecked
from tests.cli.running import punto, punto_here
from tests.floor.nights import small

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = str(tmp_path_factory.mktemp("floor") / "floor.db")
    small(url)
    return url


def _json(done: subprocess.CompletedProcess[bytes]) -> Any:
    assert done.stderr == b""
    return msgspec.json.decode(done.stdout)


def test_a_round_is_packed_and_checked_without_its_database(floor: str, tmp_path: Path) -> None:
    heads, pack, elsewhere = tmp_path / "now.heads", tmp_path / "a.pack.json", tmp_path / "elsewhere"
    assert punto("verify", "--db", floor, "--write-head", str(heads)).returncode == 0
    made = _json(punto("pack", "--db", floor, "t1", "2", "--head", str(heads), "--out", str(pack), "--json"))
    assert made["round"] == "1-2"
    assert made["head_source"] == "kept"
    assert made["sha256"] == hashlib.sha256(pack.read_bytes()).hexdigest()
    elsewhere.mkdir()
    taken = pack.replace(elsewhere / "taken.json")
    done = punto("verify", "--pack", str(taken), "--head", str(heads))
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode().splitlines()
    assert said[-2:] == [f"sha256 {made['sha256']}", "Sound."]
    alone = punto("verify", "--pack", str(taken))
    assert (alone.returncode, alone.stdout.splitlines()[-1].startswith(b"Not proved: ")) == (1, True)
    assert b" head" not in alone.stdout.replace(b"--head with heads from", b"")
    assert _json(punto("verify", "--pack", str(taken), "--json"))["head"] is None
    taken.write_bytes(taken.read_bytes().replace(b"ann", b"eve"))
    done = punto("verify", "--pack", str(taken), "--head", str(heads), "--json")
    assert done.returncode == 1
    checked = _json(done)
    assert checked["sound"] is False
    assert {"pack_altered", "entry_altered"} <= {fault["code"] for fault in checked["faults"]}
    assert b"Not sound." in punto("verify", "--pack", str(taken)).stdout


def test_what_cannot_be_packed_or_checked_is_refused(floor: str, tmp_path: Path) -> None:
    out = str(tmp_path / "a.pack.json")
    for place, code in (
        (("t1", "9-1"), "unknown_round"),
        (("t1", "x"), "unknown_round"),
        (("t9", "1"), "unknown_table"),
    ):
        done = punto_here("pack", "--db", floor, *place, "--out", out, "--json")
        assert (done.returncode, _json(done)["error"]["code"]) == (2, code)
    assert not Path(out).exists()
    before = Path(floor).read_bytes()
    assert punto_here("pack", "--db", floor, "t1", "1", "--out", floor).returncode == 2
    assert Path(floor).read_bytes() == before
    for file in (floor, str(tmp_path / "none")):
        done = punto_here("verify", "--pack", file, "--json")
        assert (done.returncode, _json(done)["error"]["code"]) == (2, "bad_pack")
    empty, pack = tmp_path / "empty", str(tmp_path / "b.pack.json")
    empty.mkdir()
    assert punto_here("pack", "--db", floor, "t1", "1", "--out", pack).returncode == 0
    for given in (
        ("verify", "--pack", pack),
        ("verify", "--db", floor),
        ("pack", "--db", floor, "t1", "1", "--out", out),
    ):
        done = punto_here(*given, "--head", str(empty), "--json")
        assert (done.returncode, _json(done)["error"]["code"]) == (2, "bad_heads")
    for words in ((), ("--pack", out, "--db", floor)):
        assert punto_here("verify", *words).returncode == 2


def test_a_pack_that_needs_the_journal_is_not_called_sound(capsys: pytest.CaptureFixture[str]) -> None:
    checked = PackChecked(
        stream="t1/1",
        round=1,
        release="0.5.0",
        sha256="1" * 64,
        entries=9,
        hidden=0,
        unproved=0,
        end_shown=True,
        links=1,
        settlements=1,
        judged_again=1,
        head=KeptHead(10, "2" * 64),
        needs_journal=True,
        release_differs=False,
        faults=[],
    )
    print_pack(checked, as_json=False)
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "Not proved: no fault, but compare it with the journal."
    assert (checked.sound, checked.proved) == (True, False)
    assert "Sound" not in said


def test_what_nothing_shows_is_said_and_obeyed_by_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    checked = PackChecked(
        stream="t1/1\x1b[2J",
        round=1,
        release="0.9\x1b[2J",
        sha256="1" * 64,
        entries=9,
        hidden=2,
        unproved=2,
        end_shown=False,
        links=7,
        settlements=1,
        judged_again=1,
        head=KeptHead(10, "2" * 64),
        needs_journal=False,
        release_differs=True,
        faults=[],
    )
    print_pack(checked, as_json=False)
    said = capsys.readouterr().out
    assert "Nothing shows that the round ends there: 5 entries follow, by their hashes alone." in said
    assert "An earlier release wrote 2 entries of others: nothing shows that they are not of the round." in said
    assert "It says that release 0.9\\x1b[2J made it" in said
    assert "\x1b" not in said
