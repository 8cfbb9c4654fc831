"""The rules a second time, slow and obvious, written from the books' tables and sharing no code with the engine.

What the engine does with tables of runs, bits and lines, this does by dealing cards one by one.
"""

from collections.abc import Sequence
from typing import NamedTuple

VALUES = {**{str(n): n for n in range(2, 10)}, "A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}

BANKER_DRAWS_ON = {
    3: {0, 1, 2, 3, 4, 5, 6, 7, 9},
    4: {2, 3, 4, 5, 6, 7},
    5: {4, 5, 6, 7},
    6: {6, 7},
}


class Dealt(NamedTuple):
    player: int
    banker: int
    player_cards: int
    banker_cards: int


def player_draws(player: int, banker: int) -> bool:
    """Player draws on 0 to 5, unless Banker has a natural."""
    return player <= 5 and banker <= 7


def banker_draws(player: int, banker: int, third: int | None) -> bool:
    """Whether Banker draws; ``third`` is None if Player did not."""
    if player >= 8 or banker >= 8 or banker == 7:
        return False
    if third is None:
        return banker <= 5
    return banker <= 2 or third in BANKER_DRAWS_ON[banker]


def deal(player: int, banker: int, fifth: int, sixth: int) -> Dealt:
    """Finish the coup from the points of both hands on two cards."""
    if player_draws(player, banker):
        if banker_draws(player, banker, fifth):
            return Dealt((player + fifth) % 10, (banker + sixth) % 10, 3, 3)
        return Dealt((player + fifth) % 10, banker, 3, 2)
    if banker_draws(player, banker, None):
        return Dealt(player, (banker + fifth) % 10, 2, 3)
    return Dealt(player, banker, 2, 2)


def pays(game: str, bet: str, dealt: Dealt, player_pair: str | None, banker_pair: str | None) -> str:
    """The odds of a bet, ``push`` or ``lose``, read off the pay tables; a pair is given by its rank."""
    p, b, pc, bc = dealt
    won = {
        "player": p > b,
        "banker": b > p,
        "tie": p == b,
        "player_pair": player_pair is not None,
        "banker_pair": banker_pair is not None,
        "super_six_plus": b == 6 > p,
        "tiger": b == 6 > p,
        "big_tiger": b == 6 > p and bc == 3,
        "small_tiger": b == 6 > p and bc == 2,
        "tiger_tie": p == b == 6,
        "tiger_pair": player_pair is not None or banker_pair is not None,
        "big_buffalo": p == 6 > b and pc == 3,
        "small_buffalo": p == 6 > b and pc == 2,
        "tiger_buffalo": b == 6 > p or p == 6 > b,
        "wu_dalang": (p, b) == (1, 0),
        "player_char_siu": p == b + 1 and p in (7, 8, 9),
        "banker_char_siu": b == p + 1 and b in (7, 8, 9),
    }[bet]
    if not won:
        return "push" if bet in ("player", "banker") and p == b else "lose"
    if bet == "banker":
        return ("1/2" if b == 6 else "1") if game == "da-hu-ying-xiong" else "19/20"
    if bet in ("super_six_plus", "tiger"):
        return "12" if bc == 2 else "20"
    if bet == "tiger_pair":
        if player_pair is None or banker_pair is None:
            return "4"
        return "100" if player_pair == banker_pair else "20"
    if bet.endswith("char_siu"):
        return {4: "10", 5: "15", 6: "50"}[pc + bc]
    return {
        "player": "1",
        "tie": "8",
        "player_pair": "11",
        "banker_pair": "11",
        "big_tiger": "50",
        "small_tiger": "22",
        "tiger_tie": "35",
        "big_buffalo": "35",
        "small_buffalo": "20",
        "tiger_buffalo": "6",
        "wu_dalang": "150",
    }[bet]


Lines = dict[int, tuple[Sequence[int], str]]

INSURANCE: dict[str, dict[tuple[str, str], Lines]] = {
    "commission-insurance": {
        ("four", "banker"): {5: (range(5), "2"), 6: (range(6), "3"), 7: (range(6), "4")},
        ("four", "player"): {5: ((4,), "2"), 6: (range(6), "3"), 7: (range(6), "4")},
        ("third", "player"): {
            5: (range(5), "2"),
            6: (range(6), "3"),
            7: (range(7), "4"),
            8: (range(7), "7"),
            9: (range(7), "8"),
        },
    },
    "plus": {
        ("four", "player"): {5: ((4,), "3/2"), 6: (range(6), "5/2"), 7: (range(6), "4")},
        ("four", "banker"): {
            4: (range(4), "3/2"),
            5: (range(5), "3/2"),
            6: (range(6), "5/2"),
            7: (range(6), "4"),
        },
        ("third", "player"): {
            5: (range(5), "3/2"),
            6: (range(6), "5/2"),
            7: (range(7), "4"),
            8: (range(7), "10"),
            9: (range(7), "10"),
        },
    },
}
"""By stage and insured hand: the points of that hand, then the points of the other and the odds."""

BANKER_AFTER_THIRD = {
    "commission-insurance": {
        1: {1: "6", **dict.fromkeys(range(2, 7), "7")},
        2: dict.fromkeys(range(3, 7), "4"),
        3: {4: "3/2"},
    },
    "plus": {
        0: dict.fromkeys(range(1, 7), "10"),
        1: {1: "6", **dict.fromkeys(range(2, 7), "10")},
        2: dict.fromkeys(range(3, 7), "4"),
        3: {4: "5/2"},
    },
}
"""Banker insured after Player's third card: Player's points, then Banker's, then the odds."""


def insured(game: str, stage: str, player: int, banker: int) -> tuple[str, str] | None:
    """The insured side and the odds for these points, if a card is still to be drawn."""
    table = game if game == "commission-insurance" else "plus"
    for (at, side), lines in INSURANCE[table].items():
        own, other = (player, banker) if side == "player" else (banker, player)
        if at == stage and own in lines and other in lines[own][0]:
            return side, lines[own][1]
    if stage == "third" and banker in BANKER_AFTER_THIRD[table].get(player, {}):
        return "banker", BANKER_AFTER_THIRD[table][player][banker]
    return None


def insurance_pays(game: str, stage: str, side: str, dealt: Dealt) -> str:
    """What becomes of insurance: win, lose or push."""
    if dealt.player == dealt.banker:
        if stage == "third" and side == "player" and dealt.player == 9:
            return "win"
        if stage == "third" and side == "banker" and dealt.player == 0 and game != "commission-insurance":
            return "win"
        return "push"
    loser = "banker" if dealt.player > dealt.banker else "player"
    return "win" if side == loser else "lose"
