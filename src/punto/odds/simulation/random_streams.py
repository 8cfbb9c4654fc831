"""Random words, with a separate stream for every shoe.

The generator is Philox4x32 with ten rounds (Salmon et al., 2011): a bijection on 128-bit counters, keyed by a 64-bit
seed. It has no state, so a word depends only on the seed and the counter. The counter contains the shoe's number:

    block of the shoe's stream   32 bits
    number of the shoe           64 bits
    attempt                      32 bits: 0, or the number of words of this shoe redrawn so far

So no two shoes share a counter, no matter which worker deals them and in which order, and no streams have to be split
or handed out. The generator passes the usual test batteries and has published test vectors. Its blocks do not depend
on each other, so compilers can vectorise it.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from punto.odds.compiling import compiled, compiled_in_place

Words = npt.NDArray[np.uint32]

BLOCK: Final = 4  # words

_ROUNDS: Final = 10
_MULTIPLY_0, _MULTIPLY_2 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_RAISE_0, _RAISE_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)

MAX_SEED: Final = 2**64 - 1


@compiled
def fill_words(words: Words, seed: np.uint64, shoe: np.uint64, attempt: np.uint64) -> None:
    """Fill ``words`` with the start of the shoe's stream: the first word of each block, then the second, and so on."""
    blocks = len(words) // BLOCK
    for block in range(blocks):
        a, b, c, d = philox(np.uint64(block), shoe & _LOW, shoe >> _HALF, attempt, seed)
        words[block] = a
        words[blocks + block] = b
        words[2 * blocks + block] = c
        words[3 * blocks + block] = d


@compiled
def word_again(seed: np.uint64, shoe: np.uint64, attempt: np.uint64) -> np.uint64:
    """A replacement for a word of the shoe that was rejected."""
    return philox(np.uint64(0), shoe & _LOW, shoe >> _HALF, attempt, seed)[0]


@compiled_in_place
def philox(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, seed: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The four 32-bit words of this seed and counter (a, b, c, d)."""
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
