"""The odds of an insurance offer at the moment it is made, from the cards on the table and the unseen cards."""

from fractions import Fraction

from punto.odds.figures import StakeFigures, insurance_worth
from punto.odds.shoe import Composition
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.cards import RANKS, SUITS, read_card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Winner

_CARD_OF_RANK = tuple(read_card(f"{rank}{SUITS[0]}") for rank in RANKS)  # the suit does not matter here


def offer_figures(line: InsuranceLine, coup: Coup, unseen: Composition) -> StakeFigures:
    """The figures of an open offer, over every card that may still be drawn from the unseen ones.

    >>> from punto import book
    >>> from punto.odds.shoe import shoe_without
    >>> rules = book("commission-insurance")
    >>> coup = rules.coup("Ks 2d Kh 3c")
    >>> line = rules.insurance.open_offer(coup)
    >>> figures = offer_figures(line, coup, shoe_without(rules, 8, coup.cards))
    >>> str(line.side), line.odds_text, figures.favours_bettor
    ('banker', '2', True)
    """
    chances = dict.fromkeys(Winner, Fraction())
    for winner, chance in _ends(coup, unseen):
        chances[winner] += chance
    return insurance_worth(line, chances)


def _ends(coup: Coup, unseen: Composition) -> list[tuple[Winner, Fraction]]:
    if coup.end is not None:
        return [(coup.end.winner, Fraction(1))]
    return [
        (end, chance * Fraction(count, unseen.cards))
        for rank, count, card in zip(RANKS, unseen.ranks, _CARD_OF_RANK, strict=True)
        if count
        for end, chance in _ends(coup.draw(card), unseen.less(rank))
    ]
