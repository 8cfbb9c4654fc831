"""Runs the example bridge: it posts cards, waits, retries, and stops where a person must decide."""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.running import ENVIRONMENT, punto
from tests.floor.reading import NATURAL
from tests.waiting import DEADLINE_S, wait_until
from tests.web.ports import free_port
from tests.web.serving import Server
from tests.web.shoe import AtTable

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
BRIDGE = ROOT / "examples" / "bridge.py"


class Running:
    """A process and its output."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *words],
            env={**ENVIRONMENT, "no_proxy": "*", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.told: list[str] = []
        self.said: list[str] = []
        streams = ((self._process.stdout, self.told), (self._process.stderr, self.said))
        self._threads = [threading.Thread(target=_listen, args=one, daemon=True) for one in streams]
        for thread in self._threads:
            thread.start()

    def tell(self, *lines: str) -> None:
        """Write to its standard input."""
        assert self._process.stdin is not None
        for line in lines:
            self._process.stdin.write(f"{line}\n")

    def end(self) -> int:
        """Close its standard input and return its exit status."""
        assert self._process.stdin is not None
        if not self._process.stdin.closed:
            self._process.stdin.close()
        status = self._process.wait(DEADLINE_S)
        for thread in self._threads:
            thread.join(DEADLINE_S)
        return status

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(DEADLINE_S)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


def _listen(stream: Any, lines: list[str]) -> None:
    lines.extend(line.rstrip("\n") for line in stream)


def until(condition: Callable[[], Any], running: Running) -> None:
    """Wait for it. On a timeout, show the output of the bridge."""
    try:
        wait_until(condition)
    except AssertionError as never:
        raise AssertionError((running.told, running.said)) from never


@pytest.fixture
def table(served: Server) -> AtTable:
    return AtTable(served)


@contextmanager
def bridge(url: str, token: str, *words: str) -> Iterator[Running]:
    running = Running(str(BRIDGE), "--url", url, "--table", "t1", *words, PUNTO_TOKEN=token)
    try:
        yield running
    finally:
        running.kill()


def test_a_shoe_with_its_burn_and_two_rounds(served: Server, table: AtTable) -> None:
    table.open(burn=True)
    with bridge(served.url, table.token) as running:
        running.tell("2h", "Kd", "Ks")
        until(lambda: len(running.told) == 3, running)
        assert running.told == ["draw 1: taken", "draw 2: burned", "draw 3: burned"]
        table.close_betting()
        running.tell(*NATURAL)
        until(lambda: "draw 7: taken" in running.told, running)
        table.command("settle")
        table.close_betting()
        running.tell(*NATURAL)
        assert running.end() == 0
        assert len(running.told) == 11
        assert not any(card in line for card in NATURAL for line in running.told + running.said)
    assert table.state()["shoe"]["drawn"] == 11


def test_burned_cards_that_do_not_pass_the_reader(served: Server, table: AtTable) -> None:
    table.open(burn=True)
    with bridge(served.url, table.token, "--burned-unread") as running:
        running.tell("2h")
        until(lambda: running.told, running)
        table.close_betting()
        running.tell(*NATURAL)
        assert running.end() == 0
        assert running.told[1:] == [f"draw {draw}: taken" for draw in (4, 5, 6, 7)]


def test_it_goes_on_where_the_table_is_and_reads_a_device(served: Server, table: AtTable, tmp_path: Path) -> None:
    table.open()
    table.close_betting()
    assert table.card(1, NATURAL[0]).status_code == 200
    device = tmp_path / "device"
    os.mkfifo(device)
    with bridge(served.url, table.token, "--device", str(device)) as running:
        device.write_text("\n".join(NATURAL[1:]) + "\n")
        assert running.end() == 0
        assert running.told == [f"draw {draw}: taken" for draw in (2, 3, 4)]


def test_a_card_that_could_not_be_read_is_entered_by_hand(served: Server, table: AtTable) -> None:
    table.open()
    table.close_betting()
    with bridge(served.url, table.token) as running:
        running.tell("9s", "??", "Kh", "3c")
        until(lambda: any("by hand" in line for line in running.said), running)
        table.command("deal_card", card="2d")
        assert running.end() == 0
    assert table.state()["round"]["banker"]["cards"] == ["2d", "3c"]


def test_another_shoe(served: Server, table: AtTable) -> None:
    table.open()
    table.close_betting()
    with bridge(served.url, table.token) as running:
        running.tell(*NATURAL)
        until(lambda: len(running.told) == 4, running)
        table.command("settle")
        table.command("load_shoe", shoe="t1 2", decks=8, by=table.pit)
        table.close_betting()
        running.tell("shoe t1 2", *NATURAL)
        assert running.end() == 0
        assert running.told[4:] == running.told[:4]


@pytest.mark.parametrize("counts", [True, False])
def test_a_card_in_excess_waits_for_the_pit(served: Server, table: AtTable, *, counts: bool) -> None:
    table.open("commission-insurance")
    table.close_betting()
    with bridge(served.url, table.token) as running:
        running.tell(*NATURAL, "8d")
        until(lambda: "draw 5: raised" in running.told, running)
        if counts:
            table.command("report_excess_card", cards=["8d"], by=table.pit)
        else:
            table.command("dismiss_irregularity", reason="nothing was drawn", by=table.pit)
        table.command("settle")
        table.close_betting()
        if counts:
            table.command("deal_card")  # it comes first
        running.tell("3s")
        assert running.end() == 0
        assert running.told[5:] == [f"draw {6 if counts else 5}: taken"]
    dealt = table.state()["round"]
    assert (dealt["player"]["cards"], dealt["banker"]["cards"]) == ((["8d"], ["3s"]) if counts else (["3s"], []))


def test_a_card_between_rounds_waits_and_is_raised_at_the_call_for_bets(served: Server, table: AtTable) -> None:
    table.open("commission-insurance")
    with bridge(served.url, table.token) as running:
        running.tell("9s")
        until(lambda: any("draw 1 waits" in line for line in running.said), running)
        assert running.told == []
        table.command("open_betting")
        until(lambda: running.told == ["draw 1: raised"], running)
        table.command("report_excess_card", cards=["9s"], by=table.pit)
        table.command("close_betting")
        table.command("deal_card")
        running.tell("2d")
        assert running.end() == 0
        assert running.told[1:] == ["draw 2: taken"]
    dealt = table.state()["round"]
    assert (dealt["player"]["cards"], dealt["banker"]["cards"]) == (["9s"], ["2d"])


def test_insurance_that_nobody_offered_is_missed_and_the_cards_go_on(served: Server, table: AtTable) -> None:
    table.open("commission-insurance")
    table.command("open_betting")
    table.command("place_bet", who="ann", box=1, bet="banker", stake_minor=100_00)
    table.command("close_betting")
    with bridge(served.url, table.token) as running:
        running.tell("As", "2s", "Ad", "3d", "4c", "2h")
        assert running.end() == 0
        assert running.told == [f"draw {draw}: taken" for draw in range(1, 7)]
    table.command("settle")
    returned = table.ask(table.pit, "return_uninsured_bets", who="ann", box=1, side="banker", reason="they had asked")
    assert returned.json()["error"]["code"] == "not_authorised"  # the offer was missed: a pit manager decides


def test_bad_lines_capitals_and_tens(served: Server, table: AtTable) -> None:
    table.open()
    table.close_betting()
    with bridge(served.url, table.token) as running:
        running.tell("Ace of spades", "", "1S", "10", "AS", "10C", "\x00\x07", "as", "?", "Tc")
        assert running.end() == 0
        assert running.told == [f"draw {draw}: taken" for draw in (1, 2, 3, 4)]
        assert [line.split("'")[1] for line in running.said] == ["Ace of spades", "1S", "10", r"\x00\x07", "?"]
        assert all("not a card" in line and "by hand" in line for line in running.said)
    dealt = table.state()["round"]
    assert (dealt["player"]["cards"], dealt["banker"]["cards"]) == (["As", "As"], ["Tc", "Tc"])


def test_bytes_that_are_not_text_are_a_bad_line_too(served: Server, table: AtTable, tmp_path: Path) -> None:
    table.open()
    table.close_betting()
    device = tmp_path / "device"
    os.mkfifo(device)
    with bridge(served.url, table.token, "--device", str(device)) as running:
        device.write_bytes(b"\xff\xfe9s\n9s\n2D\n")
        assert running.end() == 0
        assert running.told == ["draw 1: taken", "draw 2: taken"]


def test_a_card_entered_by_hand_after_a_bad_line_is_counted(served: Server, table: AtTable) -> None:
    table.open(burn=True)
    with bridge(served.url, table.token) as running:
        running.tell("2x")
        until(lambda: len(running.said) == 1, running)
        table.command("burn_cards", card="2h")
        running.tell("Kd", "Ks")
        until(lambda: len(running.told) == 2, running)
        table.close_betting()
        running.tell("9s", "2z")
        until(lambda: len(running.said) == 2, running)
        table.command("deal_card", card="2d")
        running.tell("Kh", "3c")
        assert running.end() == 0
        assert running.told == ["draw 2: burned", "draw 3: burned", *(f"draw {draw}: taken" for draw in (4, 6, 7))]
    assert table.state()["round"]["banker"]["cards"] == ["2d", "3c"]


def test_where_a_person_has_to_see_to_it_it_stops(served: Server, table: AtTable) -> None:
    table.open()
    table.close_betting()
    assert table.card(1, "9s").status_code == 200
    with bridge(served.url, table.token, "--shoe", "t1 9") as running:
        running.tell("9s")
        assert running.end() == 1
        assert "wrong_shoe" in running.said[-1]
    with bridge(served.url, "no token at all") as running:
        running.tell("2d")
        assert running.end() == 1
        assert "not_signed_in" in running.said[-1]
    with bridge(served.url, table.token) as running:
        running.tell("2d")
        until(lambda: running.told, running)
        assert table.card(3, "Kh").json()["outcome"] == "taken"  # by another bridge
        running.tell("Kc")
        assert running.end() == 1
        assert "card_differs" in running.said[-1]


def test_what_it_does_not_know_it_says(served: Server, table: AtTable) -> None:
    with bridge(served.url, table.token) as running:
        assert running.end() == 1
        assert "unknown_table" in running.said[-1]
    with bridge(served.url, "") as running:
        assert running.end() == 1
        assert "punto staff token" in running.said[-1]
    table.open()
    table.command("close_table", by=table.pit)
    with bridge(served.url, table.token) as running:
        assert running.end() == 1
        assert "no shoe" in running.said[-1]


# ---- a server that is gone for a while


def _token(db: str, name: str, position: str, work: str) -> str:
    done = punto(
        *("staff", "token", name, "--position", position, "--work", work, "--table", "t1", "--db", db, "--json")
    )
    assert done.returncode == 0, done.stderr
    found = re.search(rb'"token":\s*"([^"]+)"', done.stdout)
    assert found is not None, done.stdout
    return found[1].decode()


@contextmanager
def _serving(db: str, port: int) -> Iterator[str]:
    running = Running("-m", "punto", "serve", "--db", db, "--port", str(port), "--empty", "--log", "error")
    try:
        until(lambda: any(" at http" in line for line in running.told), running)
        yield next(line.rpartition(" at ")[2] for line in running.told if " at http" in line)
    finally:
        running.kill()


class Desk:
    """A client of the pit, for a server that is restarted."""

    def __init__(self, db: str) -> None:
        assert punto("staff", "add", "adam", "--db", db).returncode == 0
        self._headers = {"authorization": f"Bearer {_token(db, 'desk', 'pit_supervisor', 'commands')}"}
        self._count = count()

    def open(self, url: str) -> None:
        """A table with a physical shoe and betting closed."""
        made = {"name": "t1", "book": "commission", "shoes": "manual"}
        answer = httpx2.post(f"{url}/api/tables", json=made, headers=self._headers, trust_env=False, timeout=DEADLINE_S)
        assert answer.status_code == 201, answer.text
        self.command(url, "open_table", settings={"layout": "C", "boxes": 7, "burn": False})
        self.command(url, "load_shoe", shoe="t1 1", decks=8)
        self.command(url, "open_betting")
        self.command(url, "close_betting")

    def command(self, url: str, command: str, **fields: Any) -> None:
        """Give a command that must be accepted."""
        body = {"id": f"c{next(self._count)}", "command": {"command": f"{command}.1", **fields}}
        answer = httpx2.post(
            f"{url}/api/tables/t1/commands", json=body, headers=self._headers, trust_env=False, timeout=DEADLINE_S
        )
        assert answer.status_code == 200, answer.text

    def state(self, url: str) -> dict[str, Any]:
        answer = httpx2.get(f"{url}/api/tables/t1", headers=self._headers, trust_env=False, timeout=DEADLINE_S)
        return dict(answer.json()["state"])

    def confirm(self, url: str, before: int) -> None:
        """Answer a server that comes back, if it was away for long enough to ask. It asks once it has taken over."""
        wait_until(lambda: self.state(url)["version"] > before, "the takeover")
        if self.state(url)["waits_for_dealer"]:
            self.command(url, "resume_round")


@pytest.mark.parametrize("older", [False, True], ids=["as it was", "with an older copy of its disk"])
def test_a_server_process_that_is_killed_and_comes_back(tmp_path: Path, *, older: bool) -> None:
    """The bridge retries, and continues from the card that the table expects."""
    floor, copy = tmp_path / "floor", tmp_path / "copy"
    floor.mkdir()
    db = str(floor / "floor.db")
    desk, token = Desk(db), _token(db, "shoe 1", "dealer", "cards")
    port = free_port()
    with _serving(db, port) as url:
        desk.open(url)
        opened = desk.state(url)["version"]
    shutil.copytree(floor, copy)
    with ExitStack() as stack:
        with _serving(db, port) as url:
            desk.confirm(url, opened)
            running = stack.enter_context(bridge(url, token))
            running.tell(*NATURAL[:2])
            until(lambda: len(running.told) == 2, running)
            before = opened if older else desk.state(url)["version"]
        if older:
            shutil.rmtree(floor)
            shutil.copytree(copy, floor)
        running.tell(*NATURAL[2:])
        until(lambda: any("no answer" in line for line in running.said), running)
        with _serving(db, port) as url:
            desk.confirm(url, before)
            assert running.end() == 0
            assert running.told == [f"draw {draw}: taken" for draw in (1, 2, 3, 4)]
            assert desk.state(url)["shoe"]["drawn"] == 4
            desk.command(url, "settle")
    verified = punto("verify", "--db", db)
    assert verified.returncode == 0, verified.stdout
