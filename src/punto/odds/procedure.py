"""The house's procedure with a shoe, as a table is run by default: the burn, the cut card, the rounds after it."""

from msgspec import Struct

from punto.rules.refusals import Code, Refused

LARGEST_ROUND = 6
"""The most cards a round can take: with fewer left it may not come to an end."""
LARGEST_BURN = 11
"""The card shown, and ten for it."""


class Procedure(Struct, frozen=True):
    """What happens to a shoe beside its rounds. The defaults are those of a table's settings."""

    burn: bool = True
    """The first card of a shoe is shown, and as many more are burned as it is worth, ten for tens and pictures."""
    cut_card: int = 14
    """How many cards from the end the cut card lies."""
    rounds_after: int = 1
    """How many more rounds are played once the cut card is out; the round it comes out in is played to its end."""
    shoe_rounds: int | None = None
    """So many rounds a shoe, and no cut card: then, and only then, every round has the odds of a full shoe exactly."""

    def require_for(self, cards: int) -> None:
        """Refuse a cut card with which a shoe of so many cards could run out in a round, or not begin one."""
        if self.shoe_rounds is not None:
            most = (cards - LARGEST_BURN) // LARGEST_ROUND
            if not 1 <= self.shoe_rounds <= most:
                raise Refused(Code.OUT_OF_RANGE, variant="shoe_rounds", cards=cards, most=most, rounds=self.shoe_rounds)
            return
        if not 0 <= self.rounds_after <= 99:
            raise Refused(Code.OUT_OF_RANGE, variant="rounds_after_cut", rounds=self.rounds_after)
        # the round in which it comes out may take five cards more, and each round after it six
        least = LARGEST_ROUND - 1 + LARGEST_ROUND * self.rounds_after
        most = cards - LARGEST_BURN - LARGEST_ROUND
        if not least <= self.cut_card <= most:
            raise Refused(
                Code.OUT_OF_RANGE, variant="cut_card", cut_card=self.cut_card, cards=cards, least=least, most=most
            )
