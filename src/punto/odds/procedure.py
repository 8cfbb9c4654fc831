"""The house's procedure with its cards: a shoe with its burn and cut card, or a machine that takes cards back."""

from typing import Final

from msgspec import Struct

from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

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
    back_after: int | None = None
    """For a machine that shuffles while the game goes on: the cards of a round go back into it after this many rounds.
    When round r is called, those of rounds ``r - back_after + 1`` to ``r - 1`` are out, and all others are in the
    machine. None for a shoe. A machine has no burn, cut card or end; :func:`continuous` leaves them out.
    """

    def require_for(self, book: Rulebook, cards: int) -> None:
        """Refuse a cut card with which a shoe of ``cards`` cards could run out in a round, or allow no round.

        A machine is refused if the book has none, and if too few cards could be left in it for a round.
        """
        if self.back_after is not None:
            if not book.has_shuffler:
                raise Refused(Code.OPTIONS_CONTRADICT, variant="continuous_book", book=book.id)
            self._require_machine(cards, self.back_after)
            return
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

    def _require_machine(self, cards: int, back_after: int) -> None:
        if self.burn:
            raise Refused(Code.OPTIONS_CONTRADICT, variant="continuous_burn")
        if self.cut_card or self.rounds_after:
            raise Refused(Code.OPTIONS_CONTRADICT, variant="continuous_cut_card")
        if self.shoe_rounds is not None:
            raise Refused(Code.OPTIONS_CONTRADICT, variant="continuous_shoes")
        most = cards // LARGEST_ROUND
        if not 1 <= back_after <= most:
            raise Refused(Code.OUT_OF_RANGE, variant="back_after", cards=cards, most=most, rounds=back_after)


DEFAULT: Final = Procedure()


def continuous(back_after: int = 1) -> Procedure:
    """A machine that shuffles while the game goes on. With 1, every round is dealt from the whole set."""
    return Procedure(burn=False, cut_card=0, rounds_after=0, back_after=back_after)


def procedure_of(cut_card: int | None, back_after: int | None) -> Procedure:
    """A shoe, cut as at a table if nothing is said, or a machine. Refused if a machine is given a cut card."""
    if back_after is None:
        return DEFAULT if cut_card is None else Procedure(cut_card=cut_card)
    if cut_card is not None:
        raise Refused(Code.OPTIONS_CONTRADICT, variant="continuous_cut_card")
    return continuous(back_after)
