"""The results of a shoe, as records and as text."""

import re
from typing import Final

from msgspec import Struct

from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Pairs, Winner
from punto.rules.refusals import Code, Refused

LETTERS: Final = {Winner.BANKER: "B", Winner.PLAYER: "P", Winner.TIE: "T"}
_WINNERS: Final = {letter: winner for winner, letter in LETTERS.items()}
_RESULT: Final = re.compile("([BPT])(bp|pb|b|p)?")
_RESULTS: Final = re.compile(f"(?:{_RESULT.pattern})*")


class Mark(Struct, frozen=True, gc=False):
    """The result of one round, as shown on a board."""

    winner: Winner
    banker_pair: bool = False
    player_pair: bool = False
    natural: bool = False
    """Whether either hand had a natural. Written results do not say, so a mark read from text has False."""

    @classmethod
    def of(cls, coup: Coup) -> "Mark":
        """The mark of a coup; refused while it is not finished."""
        outcome = coup.outcome
        return cls(
            outcome.end.winner,
            banker_pair=outcome.pairs in (Pairs.BANKER, Pairs.BOTH, Pairs.TWIN),
            player_pair=outcome.pairs in (Pairs.PLAYER, Pairs.BOTH, Pairs.TWIN),
            natural=coup.natural,
        )

    def __str__(self) -> str:
        """The winner's letter, then ``b`` and ``p`` for the pairs."""
        return LETTERS[self.winner] + "b" * self.banker_pair + "p" * self.player_pair


def read_marks(text: str) -> tuple[Mark, ...]:
    """The results in ``text``, with or without spaces between them.

    >>> [str(mark) for mark in read_marks("B PPp Tbp")]
    ['B', 'P', 'Pp', 'Tbp']
    """
    marks: list[Mark] = []
    for at, word in enumerate(text.split(), 1):
        match = _RESULTS.match(word)
        end = match.end() if match else 0
        if end < len(word):
            excerpt = word if len(word) <= 40 else word[end : end + 40]  # a long word from its first error
            raise Refused(Code.WRONG_TYPE, variant="result", text=excerpt, word=at)
        marks += [
            Mark(_WINNERS[letter], banker_pair="b" in pairs, player_pair="p" in pairs)
            for letter, pairs in _RESULT.findall(word)
        ]
    return tuple(marks)
