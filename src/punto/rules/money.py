"""Amounts are integers of the smallest unit, odds are fractions, and rounding has a name."""

import re
from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from typing import TypeVar

from punto.catalogue.values import CURRENCY_DIGITS, write_minor
from punto.rules.refusals import Code, Refused

Key = TypeVar("Key")
Value = TypeVar("Value")

MAX_WHOLE_DIGITS = 13
"""Above any table's amounts; multiplied by the longest odds it still fits 64 bits."""

_MAX_CACHED = 1 << 15
_RATIO = re.compile(r"[1-9][0-9]{0,8}(/[1-9][0-9]{0,8})?", re.ASCII)


class Rounding(StrEnum):
    """How to round a payout that is not a whole number of smallest units."""

    DOWN = "down"
    HALF_UP = "half_up"
    UP = "up"


_DOWN, _UP = Rounding.DOWN, Rounding.UP


def share_minor(amount_minor: int, numerator: int, denominator: int, rounding: Rounding) -> int:
    """``amount * numerator / denominator`` in whole smallest units.

    >>> [share_minor(150, 19, 20, rounding) for rounding in Rounding]  # 142.5
    [142, 143, 143]
    """
    product = amount_minor * numerator
    if rounding is _DOWN:
        return product // denominator
    if rounding is _UP:
        return -(-product // denominator)
    return (2 * product + denominator) // (2 * denominator)


def in_chips_minor(amount_minor: int, smallest_minor: int, rounding: Rounding) -> int:
    """The amount as a multiple of the smallest chip.

    >>> [in_chips_minor(73625, 500, rounding) for rounding in Rounding]
    [73500, 73500, 74000]
    """
    return share_minor(amount_minor, 1, smallest_minor, rounding) * smallest_minor


class _Cache(dict[Key, Value]):
    """A bounded cache: chips make the same amounts recur."""

    def __init__(self, make: Callable[[Key], Value]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Key) -> Value:
        value = self._make(key)
        if len(self) < _MAX_CACHED:
            self[key] = value
        return value


def _read_amount(text: str) -> int:
    whole, dot, decimals = text.removeprefix("-").partition(".")
    if not (text.isascii() and whole.isdigit() and (decimals.isdigit() or not dot)):
        raise Refused(Code.NOT_AN_AMOUNT, variant="text", text=text[:40])
    if decimals[CURRENCY_DIGITS:].strip("0"):
        raise Refused(Code.AMOUNT_TOO_FINE, text=text[:40], digits=CURRENCY_DIGITS)
    if len(whole) > MAX_WHOLE_DIGITS:
        raise Refused(Code.AMOUNT_TOO_LARGE, variant="digits", digits=len(whole), most=MAX_WHOLE_DIGITS)
    minor = int(whole + decimals[:CURRENCY_DIGITS].ljust(CURRENCY_DIGITS, "0"))
    return -minor if text[0] == "-" else minor


read_amount: Callable[[str], int] = _Cache(_read_amount).__getitem__
"""The amount written as a decimal number, in the smallest unit: ``"97.50"`` is 9750."""

write_amount: Callable[[int], str] = _Cache(write_minor).__getitem__
"""The inverse of ``read_amount``, always with all decimals: 9750 is ``"97.50"``."""


def read_ratio(text: str) -> Fraction | None:
    """The positive ratio written as ``a`` or ``a/b``, else None."""
    return Fraction(text) if _RATIO.fullmatch(text) else None
