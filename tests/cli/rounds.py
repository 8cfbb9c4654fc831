"""Rounds for ``punto settle``: helpers to write a line, and random valid lines."""

import json
from collections import Counter
from typing import Any

import msgspec
from hypothesis import strategies as st

from punto import Coup
from punto.cli.settle import settle_line
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.cards import Card
from tests.marks import BOOKS

Line = dict[str, Any]
"""One line of input or output, as JSON."""

NATURAL = "5s Kd 3h 7c"
"""Player has a natural 8 against 7."""
NINES = "4s 3d Kh Tc 5d 6h"
"""A tie, 9 to 9, on six cards; Player's third card offers insurance on Player."""
BANKER_SIX = "Ks 2d Ah Qc Tc 4s"
"""Banker wins with 6 on three cards, Player having 1."""
ONE_NIL = "Ks 2d 4h 3c 7s 5c"
"""Player wins, 1 to 0, on six cards; both stages offer insurance on Banker."""

SETTLEMENT_KEYS = {"round", "offers", "results", "unused", "limits_applied"}
RESULT_KEYS = {"who", "bet", "stake", "result", "returned", "clauses"}
OPTIONAL_KEYS = {"box", "stage", "played", "odds", "commission"}


def bet(on: str = "player", stake: str = "100", who: str = "ann", **more: object) -> Line:
    return {"who": who, "bet": on, "stake": stake} | more


def insured(side: str, stage: str, stake: str = "1", who: str = "ann", **more: object) -> Line:
    return {"who": who, "side": side, "stage": stage, "stake": stake} | more


def round_of(game: str, cards: str = NATURAL, **more: object) -> Line:
    """A round that can be settled. Default: one bet on Player."""
    layout = {"layout": "A"} if game == "tiger-buffalo" else {}
    return {"game": game, "cards": cards.split(), "bets": [bet()]} | layout | more


def written(*lines: Line | bytes) -> bytes:
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def answer(line: Line | bytes) -> Line:
    """The output of ``punto settle`` for one line, decoded."""
    settled = settle_line(line if isinstance(line, bytes) else json.dumps(line).encode())
    read: Line = json.loads(msgspec.json.encode(settled))
    return read


def results(line: Line) -> list[Line]:
    """The results of a round that can be settled."""
    settled = answer(line)
    assert settled.keys() == SETTLEMENT_KEYS, settled
    rows: list[Line] = settled["results"]
    return rows


def _amount(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


@st.composite
def _bets(draw: st.DrawFn, menu: tuple[str, ...], boxes: int) -> list[Line]:
    """Bets of different people, large enough for an insurance of 1.00 at any stage."""
    rows = []
    for at in range(draw(st.integers(0, 6))):
        on = draw(st.sampled_from(["player", "banker"]) | st.sampled_from(menu))
        row = bet(on, _amount(draw(st.integers(2000, 10**7))), f"p{at}")
        if draw(st.booleans()):
            row["box"] = draw(st.integers(1, boxes))
        if draw(st.booleans()):
            row["seated"] = draw(st.booleans())
        rows.append(row)
    return rows


@st.composite
def _insurance(draw: st.DrawFn, bets: list[Line], offers: tuple[InsuranceLine, ...]) -> list[Line]:
    rows = []
    for offer in offers:
        for row in bets:
            if row["bet"] == offer.side and draw(st.booleans()):
                box = {"box": row["box"]} if "box" in row else {}
                stake = _amount(draw(st.integers(1, 100)))
                rows.append(insured(str(offer.side), str(offer.stage), stake, row["who"], **box))
    return rows


@st.composite
def lawful_rounds(draw: st.DrawFn) -> Line:
    """A random valid round of any book, with every optional field."""
    rules = draw(st.sampled_from(BOOKS))
    layout = draw(st.sampled_from(list(rules.layouts.values())))
    decks = draw(st.integers(rules.decks.least, rules.decks.most))
    cards = draw(
        st.lists(st.sampled_from(Card), min_size=6, max_size=9).filter(
            lambda drawn: max(Counter(drawn).values()) <= decks
        )
    )
    bets = draw(_bets(layout.menu, layout.most_boxes or 9))
    line: Line = {
        "game": rules.id,
        "layout": layout.id,
        "decks": decks,
        "cards": list(map(str, cards)),
        "bets": bets,
    }
    if taken := draw(_insurance(bets, rules.offers(Coup.of(rules.space, tuple(cards))))):
        line["insurance"] = taken
    if draw(st.booleans()):
        line["limits"] = {"min": "25", "max": _amount(draw(st.integers(2500, 10**7)))}
        if rules.id != "commission":
            line["limits"]["differential"] = _amount(draw(st.integers(2500, 10**7)))
    return line
