"""A table as somebody finds it when something goes wrong, and what it would refuse."""

from typing import Any

from msgspec import Struct

from punto.catalogue.sentence import Phrase
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.decision import coup_of, open_settings
from punto.table.play.places import side_of
from punto.table.records.commands import Command
from punto.table.records.identity import Place, player_number
from punto.table.records.positions import STAFF
from punto.table.records.settings import Settings
from punto.table.records.state import Phase, RaisedIrregularity, Round, Table
from punto.table.refusals import TableCode

NOBODY = ""
"""Gives the commands that only find out what the table would say. No player has this name."""
NO_PLAYER = "?"
"""Stands for a player where there is none, so that the table says why not."""
SOME_REASON = "."


class FeltCard(Struct, frozen=True):
    """A card that was drawn in this round."""

    place: int
    card: Face | None
    side: Side
    """The hand it belongs to. While the Table of Play cannot say, the hand that takes such a card more often."""
    early: bool = False
    """Drawn too early, so it lies with no hand yet."""


class OfferedShoe(Struct, frozen=True):
    label: Phrase
    fields: dict[str, Any]
    """Of the command that puts it on; with its decks, if it is in the register."""


class TableInTrouble(Struct, frozen=True):
    book: Rulebook
    table: Table
    sealed: bool = False
    """The floor knows the order of the shoe, so nobody names a card that the table has not seen."""
    shoes: tuple[OfferedShoe, ...] = ()
    """Those that can be put on instead of the one there."""

    @property
    def settings(self) -> Settings:
        return open_settings(self.table)

    @property
    def round(self) -> Round | None:
        """The round that is played now."""
        now = self.table.round
        return now if now is not None and not now.over else None

    @property
    def raised(self) -> RaisedIrregularity | None:
        return self.round.irregularities.raised if self.round is not None else None

    @property
    def dealing(self) -> bool:
        return self.table.phase is Phase.DEALING

    @property
    def has_hands(self) -> bool:
        """Whether there are hands that a card may lie with: of this round, or of the one just settled."""
        now = self.table.round
        settled = self.table.phase is Phase.READY and now is not None and now.settled
        return self.dealing or settled

    def cards(self) -> tuple[FeltCard, ...]:
        """Dealt cards first, then those drawn too early."""
        now = self.round
        if now is None:
            return ()
        coup, dealt = coup_of(self.book, self.table), len(now.cards)
        cards = [*now.cards, *(each.card for each in self.table.carried)]
        return tuple(
            FeltCard(place, card, side_of(coup, place) or _usual_side(place), early=place > dealt)
            for place, card in enumerate(cards, 1)
        )

    def people(self) -> tuple[str, ...]:
        """Everybody at the table, by box; at a felt table also the boxes of people nobody has named.

        Registered players who have left since the last call for bets are the last.
        """
        table = self.table
        behind = sorted((min(boxes), who) for who, boxes in table.behind.items() if boxes)
        placed = [*(who for _, who in sorted(table.seats.items())), *(who for _, who in behind)]
        boxes = range(1, self.settings.boxes + 1) if self.settings.felt else ()
        left = (who for who in sorted(table.gone) if player_number(who) is not None)
        return tuple(dict.fromkeys((*placed, *sorted(table.people), *(str(Place(box)) for box in boxes), *left)))

    def box_of(self, who: str) -> int:
        """Where somebody bets, by default; 0 if they have no place."""
        place = Place.find(who)
        if place is not None:
            return place.box
        seat = next((box for box, seated in sorted(self.table.seats.items()) if seated == who), 0)
        return seat or min(self.table.behind.get(who, ()), default=0)

    def refusal_of(self, kind: type[Command], fields: dict[str, Any]) -> Refusal | None:
        """Why the table would refuse a command from everybody; None if it would accept it from somebody."""
        refusals = []
        for position in reversed(STAFF):
            decision = decide(self.book, self.table, kind(NOBODY, position, **fields))
            if not isinstance(decision, Refusal):
                return None
            refusals.append(decision)
        return next((each for each in refusals if each.code is not TableCode.NOT_AUTHORISED), refusals[0])


def _usual_side(place: int) -> Side:
    return Side.BANKER if place == 6 else Side.PLAYER
