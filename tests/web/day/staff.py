"""The people of the floor, the clock on its wall, and what they do through the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.floor.clock import SECOND_US, SystemClock
from punto.table.records.positions import Position
from tests.web.serving import PASSWORD, Server, server

SIGN_IN_AGAIN_US = 10 * 60 * SECOND_US
"""Somebody who did nothing for this long signs in again; else their session could be locked."""


class WallClock(SystemClock):
    """Shows what the test sets. Waiting takes real time."""

    def __init__(self, us: int) -> None:
        self.us = us

    def now_us(self) -> int:
        return self.us


class House:
    """A served floor with its people."""

    def __init__(self, served: Server, clock: WallClock) -> None:
        self.served, self.clock = served, clock
        self._clients: dict[str, tuple[httpx2.Client, int]] = {}

    def hire(self, name: str, position: Position) -> None:
        self._clients[name] = (self.served.client(self.served.hired(name, position)), self.clock.us)

    def by(self, name: str) -> httpx2.Client:
        client, seen_us = self._clients[name]
        if self.clock.us - seen_us > SIGN_IN_AGAIN_US:
            token = self.served.run(self.served.service.sessions.sign_in(name, PASSWORD)).token
            client.headers["authorization"] = f"Bearer {token}"
        self._clients[name] = (client, self.clock.us)
        return client

    def ask(self, name: str, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        """Somebody sends a request; every one takes them some seconds."""
        self.clock.us += 4 * SECOND_US
        answer: httpx2.Response = self.by(name).request(method, path, json=body, **options)
        return answer

    def do(self, name: str, method: str, path: str, body: Any = None) -> Any:
        """A request that must be accepted."""
        answer = self.ask(name, method, path, body)
        assert answer.is_success, (name, path, body, answer.text[:300])
        return answer.json() if answer.content else None

    def give(self, name: str, table: str, command: str, **fields: Any) -> list[dict[str, Any]]:
        """A command that must be accepted; returns its events."""
        answer = self.offer(name, table, command, **fields)
        assert answer.is_success, (name, table, command, fields, answer.text[:300])
        return events_of(answer)

    def offer(self, name: str, table: str, command: str, **fields: Any) -> httpx2.Response:
        """A command that may be refused."""
        body = {"id": self.served.next_id(), "command": {"command": f"{command}.1", **fields}}
        return self.ask(name, "POST", f"/api/tables/{table}/commands", body)

    def together(self, first: str, second: str, table: str, command: str, **fields: Any) -> list[dict[str, Any]]:
        """One proposes, the other approves."""
        body = {"id": self.served.next_id(), "command": {"command": f"{command}.1", **fields}}
        self.do(first, "POST", f"/api/tables/{table}/proposals", body)
        approved = self.ask(second, "POST", f"/api/tables/{table}/proposals/{body['id']}/approve", {})
        assert approved.is_success, (table, command, approved.text[:300])
        return events_of(approved)


def events_of(answer: httpx2.Response) -> list[dict[str, Any]]:
    return [each["event"] for each in answer.json()["events"]]


@contextmanager
def house(path: Path, start_us: int) -> Iterator[House]:
    """A floor whose clock starts at a moment and goes on only as people act."""
    clock = WallClock(start_us)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("punto.floor.running.floor.SystemClock", lambda: clock)
        with server(str(path), training=False, empty=True, by_account=True) as served:
            yield House(served, clock)
