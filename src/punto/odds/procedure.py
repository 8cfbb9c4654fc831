"""The house's procedure with a shoe: the burn, the cut card, and the rounds after it."""

from msgspec import Struct

from punto.rules.refusals import Code, Refused

LARGEST_ROUND = 6  # cards
LARGEST_BURN = 11  # the card shown, and ten more


class Procedure(Struct, frozen=True):
    """The defaults are those of a table's settings."""

    burn: bool = True
    """Show the first card of a shoe and burn as many more as its value, ten for tens and pictures."""
    cut_card: int = 14
    """Position of the cut card, counted from the end of the shoe."""
    rounds_after: int = 1
    """Rounds played after the round in which the cut card comes out."""
    shoe_rounds: int | None = None
    """Play this many rounds per shoe, without a cut card. Only then do all rounds have exactly a full shoe's odds."""

    def require_for(self, cards: int) -> None:
        """Refuse a cut card with which a shoe of ``cards`` cards could run out in a round, or allow no round."""
        if self.shoe_rounds is not None:
            most = (cards - LARGEST_BURN) // LARGEST_ROUND
            if not 1 <= self.shoe_rounds <= most:
                raise Refused(Code.OUT_OF_RANGE, variant="shoe_rounds", cards=cards, most=most, rounds=self.shoe_rounds)
            return
        if not 0 <= self.rounds_after <= 99:
            raise Refused(Code.OUT_OF_RANGE, variant="rounds_after_cut", rounds=self.rounds_after)
        # the round in which it comes out may need five more cards, each round after it six
        least = LARGEST_ROUND - 1 + LARGEST_ROUND * self.rounds_after
        most = cards - LARGEST_BURN - LARGEST_ROUND
        if not least <= self.cut_card <= most:
            raise Refused(
                Code.OUT_OF_RANGE, variant="cut_card", cut_card=self.cut_card, cards=cards, least=least, most=most
            )
