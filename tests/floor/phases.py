"""Every phase of a round at a table with a real shoe, and how to play on from each of them."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from punto.floor.journal.actor import Actor
from punto.library import book
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from tests.floor.playing import DEALER, SUPERVISOR, At, manual_table

SIX = ("As", "2s", "Ad", "3d", "4c", "2h")
"""Player 2, Banker 5: each draws a third card. Insurance on Banker is due after four."""
SHIFT = Actor("sid", Position.SHIFT_MANAGER)


class Moment(StrEnum):
    """Where a round stands."""

    READY = "ready"
    """After a round."""
    BETTING = "betting"
    CLOSED = "closed"
    ONE = "1 card"
    TWO = "2 cards"
    THREE = "3 cards"
    FOUR = "4 cards"
    OFFERED = "offer open"
    FIVE = "5 cards"
    SIX = "6 cards"
    OPTIONS = "options open"
    RAISED = "raised"


_DEALT = {
    Moment.ONE: 1,
    Moment.TWO: 2,
    Moment.OPTIONS: 2,
    Moment.THREE: 3,
    Moment.FOUR: 4,
    Moment.OFFERED: 4,
    Moment.FIVE: 5,
    Moment.SIX: 6,
    Moment.RAISED: 6,
    Moment.READY: 6,
}


def moments(rules: str) -> list[Moment]:
    """The moments that a book has."""
    lacking = set()
    if not book(rules).has(Topic.INSURANCE):
        lacking.add(Moment.OFFERED)
    if not book(rules).has(Topic.OPTIONS):
        lacking.add(Moment.OPTIONS)
    return [moment for moment in Moment if moment not in lacking]


async def table_at(floor: Any, moment: Moment, rules: str, name: str = "t1", **changes: Any) -> At:
    """A table with a real shoe at which a round, with bets of two players, has come to this moment."""
    at = await manual_table(floor, name, rules, **changes)
    await at.do(DEALER, "open_betting")
    for who, box, bet in (("ann", 1, "banker"), ("ben", 2, "player")):
        assert (await at.bet(who, 100_00, box=box, bet=bet)).refusal is None
    if moment is Moment.BETTING:
        return at
    await at.do(DEALER, "close_betting")
    for _ in range(_DEALT.get(moment, 0)):
        await _deal(at)
    if moment is Moment.OFFERED:
        await at.do(DEALER, "open_insurance")
        await at.do(Actor("ann", Position.PLAYER), "take_insurance", who="ann", box=1, stake_minor=10_00)
    elif moment is Moment.OPTIONS:
        await at.do(SUPERVISOR, "report_dealing_error", reason="a card fell")
    elif moment is Moment.RAISED:
        await at.do(DEALER, "deal_card", card="Kc")  # one card too many
    elif moment is Moment.READY:
        await at.do(DEALER, "settle")
    return at


async def _deal(at: At) -> None:
    state = at.floor.table(at.name).state
    card = SIX[len(state.round.cards)]  # type: ignore[union-attr]
    if (await at.ask(DEALER, "deal_card", card=card)).refusal is not None:
        await at.do(DEALER, "open_insurance")
        await at.do(DEALER, "deal_card", card=card)


def ways_on(state: Table) -> Iterator[tuple[Actor, str, dict[str, Any]]]:
    """Commands of which at least one takes an open round on."""
    now = state.round
    assert now is not None
    yield SUPERVISOR, "dismiss_irregularity", {"reason": "it stayed in the shoe"}
    yield SUPERVISOR, "call_time", {}
    yield DEALER, "close_betting", {}
    yield DEALER, "settle", {}
    if len(now.cards) < len(SIX):
        yield DEALER, "deal_card", {"card": SIX[len(now.cards)]}
    yield DEALER, "open_insurance", {}


async def play_on(at: At) -> list[dict[str, Any]]:
    """Play a round to its end; return the commands that did it."""
    given = []
    while (state := at.floor.table(at.name).state).phase is not Phase.READY:
        for by, command, fields in ways_on(state):
            answer = await at.ask(by, command, **fields)
            if answer.refusal is None:
                given.append({"command": f"{command}.1", "by": by.name, "position": by.position, **fields})
                break
        else:
            raise AssertionError(f"the round stands still: {answer.refusal}")
    return given
