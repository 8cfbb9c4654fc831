"""The example bot plays on a real server, and takes insurance exactly where the cards favour it."""

import queue
import re
import runpy
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from punto.client import Client, order
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import Pace
from punto.table.records.commands import CloseBetting, CloseInsurance
from punto.table.records.settings import Automation
from tests import plainly
from tests.client.conftest import Served
from tests.client.served import BUY_IN_MINOR, Server, automatic, client_at, journal_of, prepared, told_of
from tests.floor.servers import ROOT
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow

GAME = "commission-insurance"
PACE = Pace(**dict.fromkeys(Pace.__struct_fields__, 0.002))
BY_ITSELF = tuple(each for each in Automation if each not in (Automation.CLOSE_BETTING, Automation.CLOSE_INSURANCE))
"""Betting and insurance are closed by the test, once the bot has acted."""
ROUNDS = 12
"""With this seed, these rounds have offers of both kinds."""


class _Croupier(threading.Thread):
    """Closes betting once the bot has bet, and insurance once the bot has decided."""

    def __init__(self, client: Client, who: str, heard: "queue.Queue[str]") -> None:
        super().__init__(daemon=True)
        self._client, self._who, self._heard = client, who, heard

    def run(self) -> None:
        """Run until the bot leaves."""
        mine = ""
        for moved in self._client.watch("salon 1", "1/0", state=False):
            for event in (view.event for view in moved.events):
                match event["event"]:
                    case "bet_placed.1" if event["who"] == self._who:
                        mine = event["bet"]
                        self._client.give("salon 1", order(CloseBetting))
                    case "insurance_offered.1":
                        while event["side"] == mine and " insurance at " not in self._heard.get(timeout=DEADLINE_S):
                            pass
                        self._client.give("salon 1", order(CloseInsurance))
                    case "player_left.1" if event["who"] == self._who:
                        return


def _evening(url: str, token: str) -> "subprocess.CompletedProcess[str]":
    """Run the bot until it leaves."""
    words = [sys.executable, "examples/bot.py", url, "salon 1", "--name", "nina", "--rounds", str(ROUNDS)]
    words += ["--stake", "50"]
    heard: queue.Queue[str] = queue.Queue()
    said = []
    with client_at(url, token) as client:
        croupier = _Croupier(client, "nina", heard)
        croupier.start()
        with subprocess.Popen(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as bot:
            assert bot.stdout is not None
            assert bot.stderr is not None
            hanging = threading.Timer(DEADLINE_S, bot.kill)
            hanging.start()
            for line in bot.stdout:
                said.append(line)
                heard.put(line)
            trouble = bot.stderr.read()
            hanging.cancel()
        croupier.join(DEADLINE_S)
    return subprocess.CompletedProcess(words, bot.returncode, "".join(said), trouble)


def test_the_bot_insures_exactly_where_its_edge_favours_it(tmp_path: Path) -> None:
    async def evening(floor: Floor) -> None:
        await automatic(floor, "salon 1", GAME, seed="s", pace=PACE, burn=True, automations=BY_ITSELF)

    db = tmp_path / "floor.db"
    token = prepared(db, evening)
    server = Server(db, "--training")
    try:
        done = _evening(server.url, token)
    finally:
        server.stop()
    assert (done.returncode, done.stderr) == (0, "")
    events = [told_of(entry) for entry in journal_of(db)]
    offers = list(_offers_to(events, "nina"))
    favourable = [offer for offer in offers if offer[2] < 0]
    taken = [offer for offer in offers if offer[3]]
    assert favourable, "the evening had nothing to take: choose another seed"
    assert len(favourable) < len(offers), "the evening had nothing to leave: choose another seed"
    assert taken == favourable
    for number, _, edge, _ in offers:
        assert f"edge {edge} " in done.stdout, number
    assert f"{ROUNDS} rounds, {len(taken)} of {len(offers)} insurances taken" in done.stdout
    assert done.stdout.count("\nRound ") == ROUNDS
    _went_with_what_it_won(done.stdout, events)


def _went_with_what_it_won(said: str, events: list[dict[str, Any]]) -> None:
    """The chips that the bot reports at the end agree with the journal, and go back to the house."""
    found = re.search(r"1000\.00 has become (\d+)\.(\d\d)\.\n", said)
    assert found is not None
    told_minor = int("".join(found.groups()))
    settled = [one for event in events for one in event.get("results", ()) if one["who"] == "nina"]
    gained = sum(one["returned_minor"] - one["stake_minor"] for one in settled)
    assert told_minor == BUY_IN_MINOR + gained
    assert [event["event"] for event in events if event.get("who") == "nina"][-2:] == [
        "player_left.1",
        "chips_cashed.1",
    ]


def _offers_to(events: list[dict[str, Any]], who: str) -> Iterator[tuple[int, str, Fraction, bool]]:
    """Each offer to this person: round, stage, edge (computed independently), and whether they took it."""
    left: Counter[str] = Counter()
    coup: dict[int, str] = {}
    number, mine = 0, ""
    for at, event in enumerate(events):
        match event["event"]:
            case "shoe_loaded.1":
                left = Counter(dict.fromkeys("A23456789TJQK", 4 * event["decks"]))
            case "cards_burned.1":
                left[event["card"][0]] -= 1
            case "betting_opened.1":
                number, mine, coup = event["round"], "", {}
            case "bet_placed.1" if event["who"] == who:
                mine = event["bet"]
            case "card_turned.1":
                left[event["card"][0]] -= 1
                coup[event["place"]] = event["card"][0]
            case "insurance_offered.1" if event["side"] == mine:
                following = [later for later in events[at:] if later["event"] != "bet_placed.1"]
                taken = following[1]["event"] == "insurance_taken.1" and following[1]["who"] == who
                yield number, event["stage"], _edge(event, coup, left), taken


def _edge(offer: dict[str, Any], coup: dict[int, str], left: Counter[str]) -> Fraction:
    """The edge over every two cards that may follow, by the tests' own version of the rules."""
    values = {place: plainly.VALUES[rank] for place, rank in coup.items()}
    player, banker = (values[1] + values[3]) % 10, (values[2] + values[4]) % 10
    gain, deals = Fraction(), 0
    for fifth, fifths in _next(left, values.get(5)):
        without = left.copy()
        if 5 not in values:
            without[fifth] -= 1
        for sixth, sixths in without.items():
            dealt = plainly.deal(player, banker, plainly.VALUES[fifth], plainly.VALUES[sixth])
            result = plainly.insurance_pays(GAME, offer["stage"], offer["side"], dealt)
            gain += fifths * sixths * {"win": Fraction(offer["odds"]), "push": Fraction(), "lose": Fraction(-1)}[result]
            deals += fifths * sixths
    return -gain / deals


def _next(left: Counter[str], known: int | None) -> list[tuple[str, int]]:
    """The possible ranks of the fifth card, with the number of ways."""
    if known is None:
        return list(left.items())
    return [(next(rank for rank, value in plainly.VALUES.items() if value == known), 1)]


def test_what_it_cannot_do_it_says(hall: Served) -> None:
    main = runpy.run_path(str(ROOT / "examples/bot.py"))["main"]
    for words, said in (
        ((hall.url, "salon 99"), "There is no table 'salon 99'."),
        (("punto", "salon 1"), "'punto' is not a valid address"),
        ((hall.url, "salon 1", "--stake", "much"), "'much'"),
        ((hall.url, "salon 1", "--name", ""), "name"),
    ):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 1
        assert done.stderr.startswith("Error: ")
        assert said in done.stderr
        assert isinstance(done.exception, SystemExit), "a traceback"
