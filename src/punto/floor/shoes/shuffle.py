"""Shuffles: uniform over all orders, or determined by a seed."""

import hmac
from collections.abc import Callable
from typing import TypeVar

from punto.rules.coup.cards import Card

Item = TypeVar("Item")


def shuffled(decks: int, below: Callable[[int], int]) -> tuple[Card, ...]:
    return tuple(shuffle([card for card in Card for _ in range(decks)], below))


def shuffle(cards: list[Item], below: Callable[[int], int]) -> list[Item]:
    """A Fisher-Yates shuffle: uniform over all orders if ``below(n)`` is uniform over ``range(n)``."""
    for last in range(len(cards) - 1, 0, -1):
        other = below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


class SeededNumbers:
    """Numbers from a seed: HMAC over a counter, made uniform by rejection. For tests and training only."""

    def __init__(self, seed: bytes) -> None:
        self._seed, self._count = seed, 0

    def _next(self) -> bytes:
        self._count += 1
        return hmac.digest(self._seed, self._count.to_bytes(8, "big"), "sha256")

    def below(self, bound: int) -> int:
        """A number from ``range(bound)``."""
        limit = (1 << 64) // bound * bound
        while (drawn := int.from_bytes(self._next()[:8], "big")) >= limit:
            pass
        return drawn % bound

    def hex(self) -> str:
        """256 bits as hexadecimal digits."""
        return self._next().hex()
