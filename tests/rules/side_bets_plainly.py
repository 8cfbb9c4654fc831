"""The side bets of ``examples/books/side-bets.toml`` a second time: each looks at the cards, as a person would.

Nothing here knows of runs, ends, automata or pay lines.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from tests.plainly import VALUES, banker_draws, player_draws

LOSE, PUSH = "lose", "push"
STRAIGHTS = [set("A234567890JQKA"[at : at + 4]) for at in range(11)]
"""Ranks, with 0 for ten."""


def hands(cards: Sequence[str]) -> tuple[list[str], list[str]]:
    """Both hands of a coup, from cards in the order dealt."""
    player, banker, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
    third = None
    if player_draws(points(player), points(banker)):
        player.append(rest.pop(0))
        third = VALUES[player[2][0]]
    if banker_draws(points(player[:2]), points(banker), third):
        banker.append(rest.pop(0))
    return player, banker


def points(cards: Iterable[str]) -> int:
    return sum(VALUES[card[0]] for card in cards) % 10


def pays(bet: str, player: list[str], banker: list[str]) -> str:
    """The odds at which a bet is paid, ``push`` or ``lose``."""
    family, _, rest = bet.partition("_")
    return str(globals()[f"_{family}"](rest, player, banker))


def returned(odds: str) -> Fraction:
    """What goes back for one unit."""
    if odds == LOSE:
        return Fraction(0)
    return Fraction(1) if odds == PUSH else 1 + Fraction(odds)


def _winner(player: list[str], banker: list[str]) -> str:
    p, b = points(player), points(banker)
    return "tie" if p == b else "player" if p > b else "banker"


def _own(side: str, player: list[str], banker: list[str]) -> tuple[list[str], list[str]]:
    """The hand of the bet, and the other one."""
    return (player, banker) if side == "player" else (banker, player)


def _if(won: bool, odds: object) -> str:  # noqa: FBT001 - reads as a sentence
    return str(odds) if won else LOSE


def _natural(hand: list[str]) -> bool:
    return len(hand) == 2 and points(hand) >= 8


def _n01(_: str, player: list[str], banker: list[str]) -> str:
    return _if(points(player) == points(banker), 8)


def _n02(rest: str, player: list[str], banker: list[str]) -> str:
    odds = [150, 215, 225, 200, 120, 110, 45, 45, 80, 80][int(rest)]
    return _if(points(player) == points(banker) == int(rest), odds)


def _n03(rest: str, player: list[str], banker: list[str]) -> str:
    least, most = int(rest[0]), int(rest[-1])
    odds = {0: 160, 1: 70, 4: 60, 6: 22, 8: 40}[least]
    return _if(points(player) == points(banker) and least <= points(player) <= most, odds)


def _n04(rest: str, player: list[str], banker: list[str]) -> str:
    if points(player) != points(banker):
        return LOSE
    return _if((points(player) < 6) == (rest == "low"), 55 if rest == "low" else 10)


def _n05(rest: str, player: list[str], banker: list[str]) -> str:
    own, other = _own(rest, player, banker)
    margin = points(own) - points(other)
    if margin == 0:
        return PUSH if _natural(own) and _natural(other) else LOSE
    if margin < 0:
        return LOSE
    if _natural(own):
        return "1"
    return _if(margin >= 4, {4: 1, 5: 2, 6: 4, 7: 6, 8: 10, 9: 30}.get(margin))


def _beats(winning: list[str], losing: list[str], total: int, cards: int) -> bool:
    return points(winning) == total > points(losing) and len(winning) == cards


def _n06(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_beats(banker, player, 7, 3), 40)


def _n07(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_beats(player, banker, 8, 3), 25)


def _n08(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_beats(player, banker, 6, 3), 40)


def _n09(_: str, player: list[str], banker: list[str]) -> str:
    ox = len(player) == 3 and points(player) == 6 and _winner(player, banker) != "player"
    tiger = len(banker) == 3 and points(banker) == 7 and _winner(player, banker) != "banker"
    return _if(ox or tiger, 30)


def _three(hand: list[str], total: int) -> bool:
    return len(hand) == 3 and points(hand) == total


def _n10(_: str, player: list[str], banker: list[str]) -> str:
    nines = _three(player, 9) + _three(banker, 9)
    return (LOSE, "10", "75")[nines]


def _n11(_: str, player: list[str], banker: list[str]) -> str:
    if points(player) != 7 or points(banker) != 7 or len(player) != len(banker):
        return LOSE
    return "50" if len(player) == 2 else "200"


def _n12(_: str, player: list[str], banker: list[str]) -> str:
    won = (bet("", player, banker) != LOSE for bet in (_n06, _n07, _n10, _n11))
    return _if(any(won), 6)


def _n13(_: str, player: list[str], banker: list[str]) -> str:
    return _if({points(player), points(banker)} == {8, 6}, 25)


def _over(player: list[str], banker: list[str], high: int, low: int, cards: int) -> bool:
    return {points(player), points(banker)} == {high, low} and len(player) == len(banker) == cards


def _n14(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_over(player, banker, 9, 7, 2), 50)


def _n15(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_over(player, banker, 9, 1, 3), 150)


def _n16(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_over(player, banker, 9, 7, 3), 200)


def _n17(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_over(player, banker, 9, 8, 2), 50)


def _n18(_: str, player: list[str], banker: list[str]) -> str:
    return _if(points(player) >= 8 and points(banker) >= 8, 20)


def _n19(_: str, player: list[str], banker: list[str]) -> str:
    total = points(player) + points(banker)
    if total in (0, 18):
        return "50" if total == 0 else "25"
    return _if(total <= 3 or total >= 15, 1)


def _n20(rest: str, player: list[str], banker: list[str]) -> str:
    return _if(len(player + banker) == int(rest), "3/2" if rest == "4" else 2)


def _n21(rest: str, player: list[str], banker: list[str]) -> str:
    small = len(player + banker) == 4
    return _if(small == (rest == "small"), "3/2" if rest == "small" else "27/50")


def _n22(rest: str, player: list[str], banker: list[str]) -> str:
    own, _other = _own(rest, player, banker)
    return _if(_winner(player, banker) == rest and len(own) == 3, 4 if rest == "player" else 5)


def _n23(rest: str, player: list[str], banker: list[str]) -> str:
    side, total = rest.split("_")
    own, _other = _own(side, player, banker)
    middle = "19/2" if side == "player" else "15/2"
    odds = ["8", "21/2", "21/2", "21/2", middle, middle, "11/2", "11/2", "11/2", "11/2"][int(total)]
    return _if(points(own) == int(total), odds)


def _banker_six(player: list[str], banker: list[str]) -> bool:
    return points(banker) == 6 > points(player)


def _n24(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_banker_six(player, banker), 12 if len(banker) == 2 else 20)


def _n25(rest: str, player: list[str], banker: list[str]) -> str:
    return _if(_banker_six(player, banker), rest)


def _n26(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_banker_six(player, banker), 18)


def _n27(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_beats(banker, player, 6, 2), 22)


def _n28(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_beats(banker, player, 6, 3), 50)


def _n29(_: str, player: list[str], banker: list[str]) -> str:
    return _if(points(player) == points(banker) == 6, 35)


def _n30(_: str, player: list[str], banker: list[str]) -> str:
    return _if(points(player) == 7 > points(banker), 6 if len(player) == 2 else 15)


def _n31(_: str, player: list[str], banker: list[str]) -> str:
    return _if((points(player), points(banker)) == (7, 6), {4: 30, 5: 40, 6: 100}[len(player + banker)])


def _n32(_: str, player: list[str], banker: list[str]) -> str:
    return (LOSE, "8", "100")[_three(player, 6) + _three(banker, 6)]


def _n33(_: str, player: list[str], banker: list[str]) -> str:
    nines = [len(hand) == 2 and points(hand) == 9 for hand in (player, banker)]
    if all(nines):
        return "24"
    return "4" if nines[1] else _if(nines[0], 1)


def _n34(rest: str, player: list[str], banker: list[str]) -> str:
    if points(player) == points(banker):
        return PUSH
    odds = {"1": "7", "5": "7/2", "7": "9/2", "8": "3", "9": "5/2"}[rest[0]]
    return _if(int(rest[0]) <= max(points(player), points(banker)) <= int(rest[-1]), odds)


def _n35(rest: str, player: list[str], banker: list[str]) -> str:
    if points(player) == points(banker):
        return PUSH
    own, _other = _own(rest, player, banker)
    return _if(_winner(player, banker) == rest and _natural(own), 4)


def _n36(rest: str, player: list[str], banker: list[str]) -> str:
    own, other = _own(rest, player, banker)
    return _if(points(own) == 4 > points(other), 50 if rest == "player" else 25)


def _n37(rest: str, player: list[str], banker: list[str]) -> str:
    own, _other = _own(rest, player, banker)
    return _if(len(own) == 2 and points(own) == 9, 9)


def _n38(rest: str, player: list[str], banker: list[str]) -> str:
    total = points(player) + points(banker)
    won = {"over": total > 9, "under": total <= 9, "odd": total % 2 == 1, "even": total % 2 == 0}[rest]
    return _if(won, {"over": "83/50", "under": "223/100"}.get(rest, "1"))


def _pair(hand: list[str]) -> bool:
    return hand[0][0] == hand[1][0]


def _alike(hand: list[str]) -> bool:
    return hand[0] == hand[1]


def _suited(cards: Iterable[str]) -> bool:
    return len({card[1] for card in cards}) == 1


def _n40(rest: str, player: list[str], banker: list[str]) -> str:
    return _if(_pair(_own(rest, player, banker)[0]), 11)


def _n41(_: str, player: list[str], banker: list[str]) -> str:
    return _if(_pair(player) or _pair(banker), 5)


def _n42(_: str, player: list[str], banker: list[str]) -> str:
    if _pair(player) and _pair(banker):
        return "100" if player[0][0] == banker[0][0] else "20"
    return _if(_pair(player) or _pair(banker), 4)


def _n43(_: str, player: list[str], banker: list[str]) -> str:
    return _if(points(banker[:2]) == 3 and len(player) == 3 and player[2][0] == "8", 200)


def _n44(_: str, player: list[str], banker: list[str]) -> str:
    return (LOSE, "25", "200")[_alike(player) + _alike(banker)]


def _n45(rest: str, player: list[str], banker: list[str]) -> str:
    return _if(_alike(_own(rest, player, banker)[0]), "287/10" if rest == "player" else "143/5")


def _king_queen(hand: list[str]) -> bool:
    return {hand[0][0], hand[1][0]} == {"K", "Q"}


def _n46(rest: str, player: list[str], banker: list[str]) -> str:
    hand = _own(rest, player, banker)[0][:2]
    return _if(_suited(hand), 25 if _king_queen(hand) else "5/2")


def _n47(rest: str, player: list[str], banker: list[str]) -> str:
    chosen = [player, banker] if rest == "either" else [_own(rest, player, banker)[0]]
    royal = [hand for hand in chosen if _king_queen(hand)]
    return _if(bool(royal), 75 if any(_suited(hand[:2]) for hand in royal) else 30)


def _n48(rest: str, player: list[str], banker: list[str]) -> str:
    hand = _own(rest, player, banker)[0][:2]
    if _pair(hand):
        return "7" if _alike(hand) else "4"
    return _if(_suited(hand), 1)


def _n49(rest: str, player: list[str], banker: list[str]) -> str:
    hand = _own(rest, player, banker)[0][:2]
    return _if([card[0] for card in hand] == ["7", "7"], 150)


def _n50(_: str, player: list[str], banker: list[str]) -> str:
    del banker
    two = player[:2]
    if points(two) != 9:
        return LOSE
    if any(VALUES[card[0]] == 0 for card in two):
        return "5"
    return "20" if _suited(two) else "10"


def _n51(rest: str, player: list[str], banker: list[str]) -> str:
    four, three_suited, three, two_suited, two = {
        "a": (500, 250, 20, 8, 5),
        "b": (1000, 500, 35, 16, 5),
    }[rest]
    nines = [card for card in player[:2] + banker[:2] if card[0] == "9"]
    if len(nines) == 4:
        return str(four)
    if len(nines) == 3:
        return str(three_suited if _suited(nines) else three)
    if len(nines) == 2:
        return str(two_suited if _suited(nines) else two)
    return _if(bool(nines), 2 if nines == ["9d"] else 1)


def _n52(_: str, player: list[str], banker: list[str]) -> str:
    cards = player[:2] + banker[:2]
    ranks = {card[0].replace("T", "0") for card in cards}
    same = sorted(Counter(card[0] for card in cards).values())
    straight = len(ranks) == 4 and ranks in STRAIGHTS
    for won, odds in (
        (_suited(cards) and ranks == set("AKQJ"), "250"),
        (same == [4], "75"),
        (_suited(cards) and straight, "50"),
        (same == [1, 3], "15"),
        (_suited(cards), "10"),
        (straight, "5"),
        (same == [2, 2], "4"),
    ):
        if won:
            return odds
    if same != [1, 1, 2]:
        return LOSE
    paired = Counter(card[0] for card in cards).most_common(1)[0][0]
    return "2" if paired == "A" else PUSH if paired in "TJQK" else LOSE


def _n53(rest: str, player: list[str], banker: list[str]) -> str:
    hand = _own(rest, player, banker)[0]
    return _if(len(hand) == 3 and len({card[0] for card in hand}) == 1, 75 if rest == "player" else 68)


def _n54(rest: str, player: list[str], banker: list[str]) -> str:
    own, other = _own(rest, player, banker)
    suited = [_three(hand, 8) and _suited(hand) for hand in (own, other)]
    if all(suited):
        return "200"
    if suited[0]:
        return "25"
    if points(own) != 8:
        return LOSE
    if points(other) == 8:
        return "15"
    return "8" if points(other) == 9 else "4"


def _n55(rest: str, player: list[str], banker: list[str]) -> str:
    suits = "hd" if rest == "red" else "sc"
    return _if(all(card[1] in suits for card in player + banker), 22 if rest == "red" else 24)


def _n56(_: str, player: list[str], banker: list[str]) -> str:
    sevens = sum(card[0] == "7" for card in player + banker)
    return _if(sevens > 0, [0, 2, 5, 17, 70, 700, 700][sevens])
