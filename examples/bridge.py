"""A bridge for a card scanner or an electronic shoe: it reads one card per line and posts it to a table.

    PUNTO_TOKEN=... python examples/bridge.py --url http://127.0.0.1:8000 --table "salon 1" < cards
    PUNTO_TOKEN=... python examples/bridge.py --url https://punto.example --table "salon 1" --device /dev/ttyUSB0

A line is a card (``As``, ``Td``, ``9h``, ``Kc``; also ``AS``, ``as``, ``10d``), ``??`` for a card that could not be
read, or ``shoe NAME`` when another shoe is on the table. Each make of shoe has its own format: write a driver that
prints such lines. Any other line is reported and left out.

It needs only Python. If the connection or the server is down, it retries for ever. It ends with status 0 at the end of
the input, and with 1 if a person must solve a problem first. docs/scanner.md explains how and why.
"""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

RANKS, SUITS = "A23456789TJQK", "shdc"
UNREAD = "??"
RETRY_S = 0.25
TIMEOUT_S = 10.0
TEMPORARY_STATUSES = (429, 500, 502, 503, 504)
"""Statuses of the server, or of a proxy before it, after which a retry may succeed."""
PERMANENT_CODES = ("card_differs", "bridge_stopped", "wrong_shoe", "not_the_sealed_card")
"""Refusals that a retry does not solve."""


def card_on(line: str) -> str | None:
    """The card on a line, in the server's spelling; None if it is not a card."""
    rank, suit = line[:-1].upper(), line[-1:].lower()
    rank = "T" if rank == "10" else rank
    return rank + suit if len(rank) == 1 and rank in RANKS and suit in SUITS else None


class Stop(Exception):
    """A problem that a person must solve."""


class Server:
    """The two requests of a bridge."""

    def __init__(self, url: str, table: str, token: str) -> None:
        self._table = f"{url.rstrip('/')}/api/tables/{quote(table, safe='')}"
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def state(self) -> dict[str, Any]:
        """The table's current state."""
        status, answer = self._until_answered("", None)
        if status != 200:
            raise Stop(f"{answer['error']['code']}: {answer['error']['message']}")
        state: dict[str, Any] = answer["state"]
        return state

    def post(self, shoe: str, draw: int, card: str) -> tuple[int, dict[str, Any]]:
        """Post a card. Returns the status and the answer. Safe to repeat, so it is repeated until it is answered."""
        return self._until_answered("/cards", {"shoe": shoe, "draw": draw, "card": card})

    def _until_answered(self, path: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
        reported = False
        while True:
            try:
                status, answer, wait_s = self._send(path, body)
            except (OSError, ValueError) as error:  # no connection, no server, or an incomplete answer
                if not reported:
                    _report(f"no answer, retrying: {error}")
                reported, wait_s = True, RETRY_S
            else:
                if status not in TEMPORARY_STATUSES:
                    return status, answer
            time.sleep(wait_s)

    def _send(self, path: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any], float]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._table + path, data, self._headers)  # noqa: S310 - the user's own address
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - the user's own address
                return answer.status, json.load(answer), RETRY_S
        except urllib.error.HTTPError as error:
            with error:
                wait_s = float(error.headers.get("retry-after") or RETRY_S)
                return error.code, json.load(error), wait_s


class Bridge:
    """Numbers the cards of a shoe, and posts each until the table has taken it."""

    def __init__(self, server: Server, shoe: str, *, burned_unread: bool) -> None:
        self._server = server
        self._burned_unread = burned_unread
        self._sent: dict[int, str] = {}
        """All cards of this shoe by draw, to send again if the table has lost some."""
        current = self._shoe()
        self._name = shoe or (current["id"] if current else "")
        if not self._name:
            raise Stop("there is no shoe on the table: load one first")
        self._draw = current["drawn"] + 1 if current and current["id"] == self._name else 1
        """Draw number of the next card."""
        self._drawn_before: int | None = None
        """Cards drawn when a line could not be read; None if every line since the last card could be."""

    def _shoe(self) -> dict[str, Any] | None:
        shoe: dict[str, Any] | None = self._server.state()["shoe"]
        return shoe

    def _drawn(self) -> int:
        """How many cards of this shoe the table has."""
        shoe = self._shoe()
        return int(shoe["drawn"]) if shoe and shoe["id"] == self._name else 0

    def read(self, line: str) -> None:
        """Handle one line from the shoe."""
        if line.startswith("shoe "):
            self._name, self._draw, self._drawn_before = line.removeprefix("shoe ").strip(), 1, None
            self._sent.clear()
        elif line == UNREAD:
            _report(f"draw {self._draw} could not be read: enter the card by hand")
            self._wait(lambda state: bool(state["shoe"]) and state["shoe"]["drawn"] >= self._draw)
            self._draw += 1
        elif card := card_on(line):
            self._skip_entered_by_hand()
            self._take(card)
        else:
            _report(f"not a card: {line[:40]!r}. If it was one, enter it by hand before the next card")
            if self._drawn_before is None:
                self._drawn_before = self._drawn()

    def _skip_entered_by_hand(self) -> None:
        """Leave out the draws that were entered by hand after a line that could not be read."""
        if self._drawn_before is None:
            return
        entered = self._drawn() - self._drawn_before
        if self._draw == 1 and entered and not self._burned_unread:
            entered = 1  # the burned cards pass the reader
        self._draw, self._drawn_before = self._draw + entered, None

    def _take(self, card: str) -> None:
        """Post the next card until the table has taken it."""
        self._sent[self._draw] = card
        answer = self._post(self._draw)
        _print(f"draw {self._draw}: {answer['outcome']}")
        if answer["outcome"] == "raised" and not self._drawn_after_ruling():
            del self._sent[self._draw]  # the ruling is that it was not drawn: the next card gets its number
            return
        self._draw += 1
        if self._burned_unread and answer["outcome"] == "taken" and answer["next"]:
            self._draw = answer["next"]

    def _drawn_after_ruling(self) -> bool:
        """Wait for the pit's ruling. If the card counts as drawn, post it again, and return True."""
        _report(f"draw {self._draw}: the table has raised an irregularity, which the pit must resolve")
        self._wait(lambda state: not (state["round"] and state["round"]["raised"]))
        drawn = self._drawn() >= self._draw
        if drawn:
            self._post(self._draw)
        return drawn

    def _post(self, draw: int) -> dict[str, Any]:
        """Post a card until it is accepted."""
        reported = ""
        while True:
            status, answer = self._server.post(self._name, draw, self._sent[draw])
            if status == 200:
                return answer
            error = answer["error"]
            if status != 409 or error["code"] in PERMANENT_CODES:
                raise Stop(f"draw {draw}: {error['code']}: {error['message']}")
            if error["code"] == "card_gap":
                self._send_from_where_expected(draw, error["message"])
            elif error["code"] != reported:  # the table is not ready for it yet
                reported = error["code"]
                _report(f"draw {draw} waits: {error['message']}")
            time.sleep(RETRY_S)

    def _send_from_where_expected(self, draw: int, message: str) -> None:
        shoe = self._shoe()
        expected = shoe["drawn"] + 1 if shoe else draw
        if any(missing not in self._sent for missing in range(expected, draw)):
            raise Stop(f"draw {draw}: {message}")
        for earlier in range(expected, draw):
            self._post(earlier)

    def _wait(self, until: Callable[[dict[str, Any]], bool]) -> None:
        while not until(self._server.state()):
            time.sleep(RETRY_S)


def lines(device: str) -> Iterator[str]:
    """The lines that the shoe sends, without blank ones."""
    # what is not text becomes a line that is no card
    with open(device or sys.stdin.fileno(), encoding="utf-8", errors="replace") as source:  # noqa: PTH123 - a device
        for line in source:
            if line.strip():
                yield line.strip()


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _report(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description="Post the cards of a real shoe to a table.")
    parser.add_argument("--url", required=True, help="address of the server, such as http://127.0.0.1:8000")
    parser.add_argument("--table", required=True, help="name of the table")
    parser.add_argument("--shoe", default="", help="name of the shoe (default: the one on the table)")
    parser.add_argument("--device", default="", help="device to read from (default: standard input)")
    parser.add_argument("--burned-unread", action="store_true", help="burned cards do not pass the reader")
    arguments = parser.parse_args()
    token = os.environ.get("PUNTO_TOKEN", "")  # not an argument: other users could see it in the process list
    if not token:
        _report("PUNTO_TOKEN is empty: `punto staff token NAME --position dealer --work cards --table T` creates one")
        return 1
    try:
        server = Server(arguments.url, arguments.table, token)
        bridge = Bridge(server, arguments.shoe, burned_unread=arguments.burned_unread)
        for line in lines(arguments.device):
            bridge.read(line)
    except Stop as stop:
        _report(str(stop))
        return 1
    except KeyboardInterrupt:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
