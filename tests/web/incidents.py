"""A felt table at which things go wrong, for the tests of incidents over HTTP and as pages."""

from typing import Any

import msgspec

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from tests.floor.playing import MANAGER, SUPERVISOR, At
from tests.table.tables import settings
from tests.web.serving import Server

GAME = "commission-insurance"
PLAYER = "Li Na"


def troubled_table(floor: Server, name: str = "felt 1") -> None:
    """Round 1: cards on the wrong side, proposed by a dealer and approved. Round 2: a raised card, then a ruling."""
    player = floor.run(floor.service.players.register(THE_CONSOLE, PLAYER)).id
    floor.run(floor.floor.create_table(MANAGER, TableSetup(name, GAME, ShoeKind.MANUAL)))
    wanted = msgspec.to_builtins(
        settings(
            book(GAME),
            least=10_00,
            most=50_000_00,
            observing=True,
            burn=False,
            boxes=4,
            box_labels=("1", "2", "3", "5"),
        )
    )
    at = At(floor.floor, name)

    def do(command: str, **fields: Any) -> None:
        floor.run(at.do(SUPERVISOR, command, **fields))

    def dealt(*cards: str) -> None:
        for card in cards:
            do("deal_card", card=card)

    def bets() -> None:
        do("open_betting")
        do("place_bet", who=player, box=1, bet="banker", stake_minor=100_00)
        do("place_bet", who="box 2", box=2, bet="player", stake_minor=50_00)
        do("place_bet", who="behind box 4", box=4, bet="tie", stake_minor=10_00)
        do("close_betting")

    do("open_table", settings=wanted, float_minor=100_000_00)
    do("load_shoe", shoe=f"{name} A", decks=8)
    do("sit", who=player, box=1)
    bets()
    dealt("4s", "2d")
    dealer = floor.by(Position.DEALER)
    command = {"command": "report_wrong_side.1", "as_dealt": ["banker", "player"]}
    made = dealer.post(f"/api/tables/{name}/proposals", json={"id": "misdealt", "command": command})
    assert made.status_code == 201, made.text
    approved = floor.by(Position.PIT_SUPERVISOR).post(f"/api/tables/{name}/proposals/misdealt/approve", json={})
    assert approved.status_code == 200, approved.text
    assert approved.json()["incident"] > 0
    do("choose_option", who=player, choice="return")
    do("call_time")
    dealt("Kh", "3c", "9h")
    do("settle")
    bets()
    dealt("9s", "2h", "Ks", "3d", "5h")
    do("report_excess_card", cards=["5h"])
    do("settle")
    ruled = floor.command(
        floor.by(Position.SHIFT_MANAGER),
        name,
        "rule",
        effect="adjust",
        reason="a chip had rolled",
        amounts={player: 25_00},
    )
    assert ruled.status_code == 200, ruled.text
    bets()
    do("deal_card")
    dealt("4c")
    do("report_foreign_card", reason="a joker")
