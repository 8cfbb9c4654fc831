"""Random words, a stream of its own for every shoe.

The generator is Philox4x32 with ten rounds (Salmon and others, 2011): a bijection of counters of 128 bits, keyed by a
seed of 64. It keeps no state, so a word is a function of seed and counter alone. Two words of one seed are of one
stream and place only if their counters are the same, and a counter names its shoe:

    block of the shoe's stream   32 bits
    number of the shoe           64 bits
    attempt                      32 bits: 0, or how many words of the shoe have been drawn again

So no two shoes ever share a word, whoever deals them and in whatever order; there is nothing to jump, to split or to
hand out. The generator passes the known batteries of tests, it has published test vectors, and, as its blocks do not
wait for one another, compilers turn it into vector instructions.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from punto.odds.compiling import compiled, compiled_in_place

Words = npt.NDArray[np.uint32]

BLOCK: Final = 4
"""How many words a block has."""

_ROUNDS: Final = 10
_MULTIPLY_0, _MULTIPLY_2 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_RAISE_0, _RAISE_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)

MAX_SEED: Final = 2**64 - 1


@compiled
def fill_words(words: Words, seed: np.uint64, shoe: np.uint64, attempt: np.uint64) -> None:
    """Fill with the beginning of the shoe's stream: the first words of all its blocks, then the second, and so on."""
    blocks = len(words) // BLOCK
    for block in range(blocks):
        a, b, c, d = philox(np.uint64(block), shoe & _LOW, shoe >> _HALF, attempt, seed)
        words[block] = a
        words[blocks + block] = b
        words[2 * blocks + block] = c
        words[3 * blocks + block] = d


@compiled
def word_again(seed: np.uint64, shoe: np.uint64, attempt: np.uint64) -> np.uint64:
    """The word that stands in for one of the shoe's that cannot be used."""
    return philox(np.uint64(0), shoe & _LOW, shoe >> _HALF, attempt, seed)[0]


@compiled_in_place
def philox(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, seed: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The four words that seed and counter stand for, 32 bits each."""
    key_0, key_1 = seed & _LOW, seed >> _HALF
    for _ in range(_ROUNDS):
        first, third = a * _MULTIPLY_0, c * _MULTIPLY_2
        a = (third >> _HALF) ^ b ^ key_0
        b = third & _LOW
        c = (first >> _HALF) ^ d ^ key_1
        d = first & _LOW
        key_0 = (key_0 + _RAISE_0) & _LOW
        key_1 = (key_1 + _RAISE_1) & _LOW
    return a, b, c, d
