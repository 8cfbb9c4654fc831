"""Punto runs baccarat tables by the book."""

from punto.library import book, book_ids
from punto.rules.coup import Coup
from punto.rules.refusals import Refused
from punto.rules.settlement import settle
from punto.rules.stakes import InsuranceStake, Limits, Stake

__version__ = "0.1.0"

__all__ = [
    "Coup",
    "InsuranceStake",
    "Limits",
    "Refused",
    "Stake",
    "__version__",
    "book",
    "book_ids",
    "settle",
]
