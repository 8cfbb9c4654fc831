"""A table with a physical shoe at a server, its people, and the machine that scans its cards."""

from typing import Any

import httpx2

from punto.library import book as read_book
from punto.table.records.positions import Position
from tests.floor.staff_floor import BRIDGE
from tests.table.tables import json_limits
from tests.web.serving import Server


class AtTable:
    def __init__(self, served: Server) -> None:
        self.served = served
        self.pit = served.by(Position.PIT_SUPERVISOR)
        self.dealer = served.by(Position.DEALER)
        self.token = served.machine(bounds=BRIDGE)
        self.bridge = served.client(self.token)

    def open(self, book: str = "commission", **settings: Any) -> None:
        """Open the table, with the shoe 't1 1' on it and ann at box 1."""
        made = self.pit.post("/api/tables", json={"name": "t1", "book": book, "shoes": "manual"})
        assert made.status_code == 201, made.text
        layout = {"commission": "C", "commission-insurance": "E"}[book]
        limits = json_limits(read_book(book))
        values = {"layout": layout, "boxes": 7, "burn": False, **limits, **settings}
        self.command("open_table", settings=values, by=self.pit)
        self.command("load_shoe", shoe="t1 1", decks=8, by=self.pit)
        self.served.chips("t1", "ann", 10_000_00)
        self.command("sit", who="ann", box=1)

    def close_betting(self) -> None:
        """Start a round without bets and close betting."""
        self.command("open_betting")
        self.command("close_betting")

    def ask(self, by: httpx2.Client, command: str, **fields: Any) -> httpx2.Response:
        """Give a command; returns any answer."""
        return self.served.command(by, "t1", command, **fields)

    def command(self, command: str, by: httpx2.Client | None = None, **fields: Any) -> None:
        """Give a command that must be accepted; by default from the dealer."""
        answer = self.ask(by or self.dealer, command, **fields)
        assert answer.status_code == 200, answer.text

    def card(
        self, draw: int, card: str, shoe: str = "t1 1", table: str = "t1", by: httpx2.Client | None = None
    ) -> httpx2.Response:
        """Post a card; returns any answer."""
        body = {"shoe": shoe, "draw": draw, "card": card}
        return (by or self.bridge).post(f"/api/tables/{table}/cards", json=body)

    def state(self) -> dict[str, Any]:
        """The table as the dealer sees it."""
        state: dict[str, Any] = self.dealer.get("/api/tables/t1").json()["state"]
        return state
