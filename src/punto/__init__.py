"""Punto runs baccarat tables by the book."""

from punto.library import book, book_ids
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result, decided, result
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.money import Rounding
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.settlement import SettledStake, Settlement, settle
from punto.rules.settlement.stakes import InsuranceStake, Limits, Stake

__version__ = "0.11.0"

__all__ = [
    "Card",
    "Code",
    "Coup",
    "InsuranceStake",
    "Limits",
    "Refused",
    "Result",
    "Rounding",
    "Rulebook",
    "SettledStake",
    "Settlement",
    "Side",
    "Stage",
    "Stake",
    "Winner",
    "__version__",
    "book",
    "book_ids",
    "decided",
    "result",
    "settle",
]
