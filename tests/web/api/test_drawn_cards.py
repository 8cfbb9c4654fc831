"""Only at a real shoe can a card be drawn before it is dealt, so only there can an offer be missed this way."""

from typing import Any

import pytest

from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.rulebook import Rulebook
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.playing import AT_ONCE, DEALER, MANAGER, SUPERVISOR, At
from tests.marks import INSURED
from tests.web.serving import Server
from tests.web.wire import problem

LIMITS: dict[str, Any] = {"least": 1, "differential_minor": 1_000_000_00, "burn": False}
OFFER = ("As", "2s", "Ad", "3d")
"""Player has 2 and Banker 5: all three books offer insurance."""


async def _until_insurance_is_due(served: Server, rules: Rulebook, kind: ShoeKind) -> None:
    """A table without automations, at which the next card is refused because insurance is due."""
    seed = "test" if kind is ShoeKind.SEEDED else ""
    await served.floor.create_table(MANAGER, TableSetup("t1", rules.id, kind, pace=AT_ONCE, seed=seed))
    at = At(served.floor, "t1")
    await at.open(rules.id, **LIMITS)
    await at.do(SUPERVISOR, "load_shoe", shoe="first", decks=8)
    await at.seat("ann", "ben")
    while True:
        await at.do(DEALER, "open_betting")
        await at.bet("ann", 1_00, bet="player")
        await at.bet("ben", 1_00, box=2, bet="banker")
        await at.do(DEALER, "close_betting")
        cards = iter(OFFER)
        while (await at.ask(DEALER, "settle")).refusal:
            named = {"card": next(cards, "6c")} if kind is ShoeKind.MANUAL else {}
            refusal = (await at.ask(DEALER, "deal_card", **named)).refusal
            if refusal is not None:
                assert refusal.code is TableCode.INSURANCE_DUE
                return


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
@pytest.mark.parametrize("kind", ShoeKind)
def test_a_card_that_the_command_draws_is_not_drawn_before_it(served: Server, rules: Rulebook, kind: ShoeKind) -> None:
    served.run(_until_insurance_is_due(served, rules, kind))
    manual, dealer = kind is ShoeKind.MANUAL, served.by(Position.DEALER)
    card = {"card": "6c"} if manual else {}
    due = problem(served.command(dealer, "t1", "deal_card", **card), 409, "insurance_due")
    assert ("not_offered" in due["message"]) is manual
    for legal in (due["legal"], dealer.get("/api/tables/t1/legal").json()["legal"]):
        listed = [option["command"] for option in legal]
        assert "open_insurance.1" in [command["command"] for command in listed]
        deals = [command["not_offered"] for command in listed if command["command"] == "deal_card.1"]
        assert deals == ([True] if manual else [])
    version = dealer.get("/api/tables/t1").json()["state"]["version"]
    answer = served.command(dealer, "t1", "deal_card", not_offered=True, **card)
    if manual:
        assert answer.status_code == 200, answer.text
        return
    problem(answer, 409, "card_not_drawn")
    assert dealer.get("/api/tables/t1").json()["state"]["version"] == version
    assert served.command(dealer, "t1", "open_insurance").status_code == 200
    assert served.command(dealer, "t1", "deal_card", not_offered=False).status_code == 200
