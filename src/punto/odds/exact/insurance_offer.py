"""What an offer of insurance is worth at the moment it is made: from the cards on the table and those not seen yet."""

from fractions import Fraction

from msgspec import Struct

from punto.odds.shoe import Composition
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import RANKS, SUITS, read_card
from punto.rules.coup.coup import Coup

_OF_RANK = tuple(read_card(f"{rank}{SUITS[0]}") for rank in RANKS)
"""A card of each rank: suits decide nothing here."""


class OfferFigures(Struct, frozen=True):
    """What insurance is worth on this coup, with these cards unseen."""

    win: Fraction
    push: Fraction
    lose: Fraction
    edge: Fraction
    """The house's: minus the bettor's expectation for each unit staked."""

    @property
    def favours_bettor(self) -> bool:
        """The house loses by this offer."""
        return self.edge < 0


def offer_figures(line: InsuranceLine, coup: Coup, unseen: Composition) -> OfferFigures:
    """Over every card that may still come, each as likely as there are of it among the unseen.

    >>> from punto import book
    >>> from punto.odds.shoe import shoe_without
    >>> rules = book("commission-insurance")
    >>> coup = rules.coup("Ks 2d Kh 3c")
    >>> line = rules.insurance.open_offer(coup)
    >>> figures = offer_figures(line, coup, shoe_without(rules, 8, coup.cards))
    >>> str(line.side), line.odds_text, figures.favours_bettor
    ('banker', '2', True)
    """
    weights = dict.fromkeys(Result, Fraction())
    returned = Fraction()
    for verdict_of, chance in _ends(coup, unseen):
        verdict = line.verdicts[verdict_of.winner]
        weights[verdict.result] += chance
        returned += chance * Fraction(verdict.numerator, verdict.denominator)
    return OfferFigures(weights[Result.WIN], weights[Result.PUSH], weights[Result.LOSE], 1 - returned)


def _ends(coup: Coup, unseen: Composition) -> list[tuple[Coup, Fraction]]:
    if coup.finished:
        return [(coup, Fraction(1))]
    return [
        (end, chance * Fraction(count, unseen.cards))
        for rank, count, card in zip(RANKS, unseen.ranks, _OF_RANK, strict=True)
        if count
        for end, chance in _ends(coup.draw(card), unseen.less(rank))
    ]
