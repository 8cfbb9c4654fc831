"""Features of groups of cards, each followed card by card.

A test keeps a short text of what it has seen of its group, mostly the same for every order of the cards. That text says
whether the feature is there once the group is complete, and before that whether it still can be.
"""

import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

from punto.rules.coup.cards import RANKS, Card
from punto.rules.coup.space import PAIRS, pairs_index

START: Final = ""
"""What a test has seen of its group before the first card."""
FAILED: Final = "-"
"""What it has seen if its feature cannot come any more."""


class Group(StrEnum):
    """Cards that features are said of."""

    PLAYER_TWO = "player_two"
    """The first two cards of the hand."""
    BANKER_TWO = "banker_two"
    FIRST_FOUR = "first_four"
    PLAYER_HAND = "player_hand"
    BANKER_HAND = "banker_hand"
    ALL_CARDS = "all_cards"
    PLAYER_THIRD_CARD = "player_third_card"
    BANKER_THIRD_CARD = "banker_third_card"


SIZES: Final[dict[Group, tuple[int, ...]]] = {
    Group.PLAYER_TWO: (2,),
    Group.BANKER_TWO: (2,),
    Group.FIRST_FOUR: (4,),
    Group.PLAYER_HAND: (2, 3),
    Group.BANKER_HAND: (2, 3),
    Group.ALL_CARDS: (4, 5, 6),
    Group.PLAYER_THIRD_CARD: (1,),
    Group.BANKER_THIRD_CARD: (1,),
}
"""How many cards a group can have."""
AFTER_FOUR: Final = frozenset(SIZES) - {Group.PLAYER_TWO, Group.BANKER_TWO, Group.FIRST_FOUR}
"""Groups that depend on who draws."""

_TWO = (Group.PLAYER_TWO, Group.BANKER_TWO)
_ANY = tuple(Group)
WORDS: Final[dict[str, tuple[Group, ...]]] = {
    "pair": _TWO,
    "suited_pair": _TWO,
    "three_of_a_kind": (Group.FIRST_FOUR, Group.PLAYER_HAND, Group.BANKER_HAND),
    "four_of_a_kind": (Group.FIRST_FOUR,),
    "two_pair": (Group.FIRST_FOUR,),
    "one_pair": (Group.FIRST_FOUR,),
    "straight": (Group.FIRST_FOUR,),
    "one_suit": _ANY,
    "red": _ANY,
    "black": _ANY,
}
"""The words without ranks, and the groups of which they can be said."""
_NAMED = re.compile(rf"[{RANKS}](-[{RANKS}]){{0,5}}", re.ASCII)
_COUNTED = re.compile(rf"(?P<suited>suited )?(?P<rank>[{RANKS}])(?P<suit>[shdc]?)x(?P<number>[0-6])(?P<more>\+?)")
_STRAIGHTS: Final = frozenset("".join(sorted((RANKS + RANKS[0])[at : at + 4])) for at in range(len(RANKS) - 2))
_SHAPES: Final = {"four_of_a_kind": (4,), "three_of_a_kind": (1, 3), "two_pair": (2, 2), "one_pair": (1, 1, 2)}


class Test(Struct, frozen=True):
    """A feature of a group."""

    @property
    def memory(self) -> "Test":
        """A test that sees and remembers the same: tests with equal memories are followed together."""
        return self

    def sign(self, card: Card) -> str:
        """All that the test sees of a card."""
        raise NotImplementedError

    def step(self, seen: str, sign: str) -> str:
        """What has been seen after one more card."""
        raise NotImplementedError

    def holds(self, seen: str) -> bool:
        """Whether the complete group has the feature."""
        raise NotImplementedError


class OneSuit(Test, frozen=True):
    """All cards of one suit, or of one colour."""

    colour: str = ""
    """``red`` or ``black``; empty for any one suit."""

    def sign(self, card: Card) -> str:
        if self.colour:
            return "y" if (card.suit in "hd") == (self.colour == "red") else "n"
        return card.suit

    def step(self, seen: str, sign: str) -> str:
        return sign if sign != "n" and seen in (START, sign) else FAILED

    def holds(self, seen: str) -> bool:
        return seen != FAILED


class Alike(Test, frozen=True):
    """So many cards, all of one rank, or all of one rank and suit."""

    number: int
    suited: bool = False

    def sign(self, card: Card) -> str:
        return str(card) if self.suited else card.rank

    def step(self, seen: str, sign: str) -> str:
        return seen + sign if seen.startswith(sign) or not seen else FAILED

    def holds(self, seen: str) -> bool:
        return len(seen) == self.number * (2 if self.suited else 1)


class Named(Test, frozen=True):
    """Exactly these ranks, in any order."""

    ranks: str
    """Sorted."""

    def sign(self, card: Card) -> str:
        return card.rank if card.rank in self.ranks else "n"

    def step(self, seen: str, sign: str) -> str:
        return "".join(sorted(seen + sign)) if seen.count(sign) < self.ranks.count(sign) else FAILED

    def holds(self, seen: str) -> bool:
        return seen == self.ranks


class Counted(Test, frozen=True):
    """So many cards of a rank, or of a rank and suit; other cards may be any."""

    rank: str
    suit: str
    number: int
    more: bool
    """Whether more than these will do."""
    suited: bool
    """Whether those counted have to be of one suit."""

    def sign(self, card: Card) -> str:
        if card.rank != self.rank or self.suit not in ("", card.suit):
            return ""
        return card.suit if self.suited else "1"

    def step(self, seen: str, sign: str) -> str:
        if not sign or (self.more and not self.suited and len(seen) == self.number):
            return seen
        if (len(seen) == self.number and not self.more) or (seen and seen[0] != sign) or seen == FAILED:
            return FAILED
        return seen + sign

    def holds(self, seen: str) -> bool:
        return seen != FAILED and (len(seen) == self.number or (self.more and len(seen) > self.number))


class FourRanks(Test, frozen=True):
    """A poker hand of the first four cards that depends on their ranks."""

    word: str

    @property
    def memory(self) -> Test:
        return FourRanks("")

    def sign(self, card: Card) -> str:
        return card.rank

    def step(self, seen: str, sign: str) -> str:
        return "".join(sorted(seen + sign))

    def holds(self, seen: str) -> bool:
        if self.word == "straight":
            return seen in _STRAIGHTS
        return tuple(sorted(seen.count(rank) for rank in set(seen))) == _SHAPES[self.word]


class PairPatterns(Test, frozen=True):
    """Some pair patterns of the two hands. Sees the first four cards as Player's two and then Banker's two."""

    patterns: tuple[str, ...]

    @property
    def memory(self) -> Test:
        return PairPatterns(())

    def sign(self, card: Card) -> str:
        return card.rank

    def step(self, seen: str, sign: str) -> str:
        return seen + sign

    def holds(self, seen: str) -> bool:
        player = seen[0] if seen[0] == seen[1] else None
        banker = seen[2] if seen[2] == seen[3] else None
        return PAIRS[pairs_index(player, banker)] in self.patterns


def read_word(group: Group, word: str) -> Test | None:
    """The test of a word said of a group; None if it cannot be said of it."""
    if word in WORDS:
        return _plain(group, word) if group in WORDS[word] else None
    if _NAMED.fullmatch(word):
        ranks = "".join(sorted(word.replace("-", "")))
        return Named(ranks) if len(ranks) in SIZES[group] else None
    match = _COUNTED.fullmatch(word)
    if match is None or max(SIZES[group]) == 1 or int(match["number"]) > max(SIZES[group]):
        return None
    return Counted(match["rank"], match["suit"], int(match["number"]), bool(match["more"]), bool(match["suited"]))


def _plain(group: Group, word: str) -> Test:
    if word in ("red", "black"):
        return OneSuit(word)
    if word == "one_suit":
        return OneSuit()
    if word in ("pair", "suited_pair"):
        return Alike(2, suited=word == "suited_pair")
    if word == "three_of_a_kind" and group is not Group.FIRST_FOUR:
        return Alike(3)
    return FourRanks(word)


def words_of(group: Group) -> tuple[str, ...]:
    """What can be said of a group, the words with ranks by an example."""
    plain = tuple(word for word, groups in WORDS.items() if group in groups)
    named = "-".join("KQJT98"[: SIZES[group][0]])
    return (*plain, named) if max(SIZES[group]) == 1 else (*plain, named, "9x2", "9x2+", "9dx1", "suited 9x2")


def word_parts(word: str) -> tuple[str, dict[str, object]]:
    """The kind of a word that is no plain one, and what is in it: for the sentence about it.

    >>> word_parts("K-Q")
    ('named', {'ranks': ('K', 'Q')})
    >>> word_parts("suited 9x3+")
    ('counted_suited_or_more', {'number': 3, 'rank': '9', 'suit': ''})
    """
    match = _COUNTED.fullmatch(word)
    if match is None:
        return "named", {"ranks": tuple("10" if rank == "T" else rank for rank in word.split("-"))}
    kind = (
        "counted"
        + "_suited" * bool(match["suited"])
        + "_of_suit" * bool(match["suit"])
        + "_or_more" * bool(match["more"])
    )
    rank = "10" if match["rank"] == "T" else match["rank"]
    return kind, {"number": int(match["number"]), "rank": rank, "suit": match["suit"]}
