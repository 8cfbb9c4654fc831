"""The bridge of a scanner or an electronic shoe: reads cards, one a line, and posts them to a table of Punto.

    PUNTO_TOKEN=... python examples/bridge.py --url http://127.0.0.1:8000 --table "salon 1" < cards
    PUNTO_TOKEN=... python examples/bridge.py --url https://punto.example --table "salon 1" --device /dev/ttyUSB0

A line is a card (``As Td 9h Kc``), ``??`` for one that passed and could not be read, or ``shoe NAME`` when another
shoe is on the table. What a shoe sends is of its make: a driver that writes such lines is all that is needed.

It needs nothing but Python. Where the line or the server is gone it tries again, for ever; it ends with status 0 when
there is nothing more to read, and with 1 when a person has to see to it first. docs/scanner.md says why and how.
"""

import argparse
import contextlib
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote

RANKS, SUITS = "A23456789TJQK", "shdc"
UNREAD = "??"
WAIT_S = 0.25
"""Between two tries: a table that waits for a card is seldom more than a moment away from wanting it."""
TIMEOUT_S = 10.0
AGAIN = (429, 500, 502, 503, 504)
"""Statuses of a server, or of a proxy before it, that will do better in a moment."""
FOR_PEOPLE = ("card_differs", "wrong_shoe", "not_the_sealed_card")
"""Refusals that no waiting helps against."""


class Stop(Exception):
    """A person has to see to it."""


class Server:
    """The two things that a bridge asks of Punto."""

    def __init__(self, url: str, table: str, token: str) -> None:
        self._table = f"{url.rstrip('/')}/api/tables/{quote(table, safe='')}"
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def state(self) -> dict[str, Any]:
        """The table as it stands."""
        status, told = self._until_answered("", None)
        if status != 200:
            raise Stop(f"{told['error']['code']}: {told['error']['message']}")
        state: dict[str, Any] = told["state"]
        return state

    def post(self, shoe: str, draw: int, card: str) -> tuple[int, dict[str, Any]]:
        """Post a card; the status and what is told. The same again where no answer came: that does no harm."""
        return self._until_answered("/cards", {"shoe": shoe, "draw": draw, "card": card})

    def _until_answered(self, path: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
        said = False
        while True:
            try:
                status, told, wait_s = self._ask(path, body)
            except (OSError, ValueError) as error:  # no line, no server, or half an answer
                if not said:
                    _say(f"no answer, trying on: {error}")
                said, wait_s = True, WAIT_S
            else:
                if status not in AGAIN:
                    return status, told
            time.sleep(wait_s)

    def _ask(self, path: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any], float]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._table + path, data, self._headers)  # noqa: S310 - the user's own address
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
                return answer.status, json.load(answer), WAIT_S
        except urllib.error.HTTPError as error:
            with error:
                wait_s = float(error.headers.get("retry-after") or WAIT_S)
                return error.code, json.load(error), wait_s


class Bridge:
    """Numbers the cards as they come, and sees each of them taken."""

    def __init__(self, server: Server, shoe: str, *, burned_unread: bool) -> None:
        self._server = server
        self._burned_unread = burned_unread
        self._sent: dict[int, str] = {}
        """All cards of this shoe by their draws, to be sent again from anywhere."""
        now = self._shoe()
        self._name = shoe or (now["id"] if now else "")
        if not self._name:
            raise Stop("there is no shoe on the table: load one first")
        self._draw = now["drawn"] + 1 if now and now["id"] == self._name else 1
        """Of the next card."""

    def _shoe(self) -> dict[str, Any] | None:
        shoe: dict[str, Any] | None = self._server.state()["shoe"]
        return shoe

    def read(self, line: str) -> None:
        """What the shoe says next."""
        if line.startswith("shoe "):
            self._name, self._draw = line.removeprefix("shoe ").strip(), 1
            self._sent.clear()
        elif line == UNREAD:
            _say(f"draw {self._draw} could not be read: enter the card by hand")
            self._wait(lambda state: bool(state["shoe"]) and state["shoe"]["drawn"] >= self._draw)
            self._draw += 1
        elif len(line) == 2 and line[0] in RANKS and line[1] in SUITS:
            self._take(line)
        else:
            raise Stop(f"this is no card: {line[:40]!r}")

    def _take(self, card: str) -> None:
        """See the next card taken, however long that lasts."""
        self._sent[self._draw] = card
        told = self._post(self._draw)
        _tell(f"draw {self._draw}: {told['outcome']}")
        if told["outcome"] == "raised" and not self._seen_to():
            del self._sent[self._draw]  # the pit says that it was none: the next card has its number
            return
        self._draw += 1
        if self._burned_unread and told["outcome"] == "taken" and told["next"]:
            self._draw = told["next"]

    def _seen_to(self) -> bool:
        """Wait for the pit; whether the card counts as drawn after all. Then the table is told once more what it is."""
        _say(f"draw {self._draw}: the table has raised an irregularity, the pit has to see to it")
        self._wait(lambda state: not (state["round"] and state["round"]["raised"]))
        shoe = self._shoe()
        drawn = shoe is not None and shoe["id"] == self._name and shoe["drawn"] >= self._draw
        if drawn:
            self._post(self._draw)
        return drawn

    def _post(self, draw: int) -> dict[str, Any]:
        """Post a card until it is accepted."""
        said = ""
        while True:
            if said == "insurance_due":  # an offer that stands by now ends with the next card: let it be taken first
                self._wait(lambda state: not (state["round"] and state["round"]["offer"]))
            status, told = self._server.post(self._name, draw, self._sent[draw])
            if status == 200:
                return told
            error = told["error"]
            if status != 409 or error["code"] in FOR_PEOPLE:
                raise Stop(f"draw {draw}: {error['code']}: {error['message']}")
            if error["code"] == "card_gap":
                self._send_from_where_expected(draw, error["message"])
            elif error["code"] != said:  # the table does not want it yet
                said = error["code"]
                _say(f"draw {draw} waits: {error['message']}")
            time.sleep(WAIT_S)

    def _send_from_where_expected(self, draw: int, message: str) -> None:
        shoe = self._shoe()
        expected = shoe["drawn"] + 1 if shoe else draw
        if any(missing not in self._sent for missing in range(expected, draw)):
            raise Stop(f"draw {draw}: {message}")
        for earlier in range(expected, draw):
            self._post(earlier)

    def _wait(self, until: Callable[[dict[str, Any]], bool]) -> None:
        while not until(self._server.state()):
            time.sleep(WAIT_S)


def lines(device: str) -> Iterator[str]:
    """What the shoe sends, as it comes."""
    with contextlib.ExitStack() as stack:
        source: Iterable[str] = sys.stdin
        if device:
            source = stack.enter_context(open(device, encoding="ascii", errors="replace"))  # noqa: PTH123 - no file
        for line in source:
            if line.strip():
                yield line.strip()


def _tell(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()


def main() -> int:
    """Until there is nothing more to read."""
    parser = argparse.ArgumentParser(description="Post the cards of a real shoe to a table of Punto.")
    parser.add_argument("--url", required=True, help="the server, as http://127.0.0.1:8000")
    parser.add_argument("--table", required=True)
    parser.add_argument("--shoe", default="", help="its name; else the one on the table")
    parser.add_argument("--device", default="", help="read from here, not from standard input")
    parser.add_argument("--burned-unread", action="store_true", help="burned cards do not pass the reader")
    asked = parser.parse_args()
    token = os.environ.get("PUNTO_TOKEN", "")  # not an argument: those are there for all to see
    if not token:
        _say("PUNTO_TOKEN is empty: `punto staff token NAME --position dealer` makes one")
        return 1
    try:
        bridge = Bridge(Server(asked.url, asked.table, token), asked.shoe, burned_unread=asked.burned_unread)
        for line in lines(asked.device):
            bridge.read(line)
    except Stop as stop:
        _say(str(stop))
        return 1
    except KeyboardInterrupt:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
