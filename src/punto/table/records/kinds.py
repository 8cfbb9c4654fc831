"""Kinds of irregularity, of players' choices and of rulings."""

from enum import StrEnum

from punto.rules.topics import Topic


class Concern(StrEnum):
    """What a command or an event is about. Each class says so itself."""

    GAME = "game"
    """The ordinary course of a round, people, chips and shoes."""
    FLAG = "flag"
    """The table noticed something at the felt that needs no decision."""
    TROUBLE = "trouble"
    """Something went wrong, or what the house did about it."""
    RULING = "ruling"
    """A shift manager decided what no clause covers."""
    CORRECTION = "correction"
    """Something was entered wrongly."""


DECIDED = frozenset({Concern.TROUBLE, Concern.RULING, Concern.CORRECTION})
"""What somebody may have to explain: everything but the game and what was only noticed."""


class Irregularity(StrEnum):
    INTERRUPTION = "interruption"
    FOREIGN_CARD = "foreign_card"
    CARD_COUNT = "card_count"
    WRONG_NUMBER = "wrong_number"
    SHOE_RUN_OUT = "shoe_run_out"
    NOT_SHUFFLED = "not_shuffled"
    EXCESS_CARD = "excess_card"
    WRONG_SIDE = "wrong_side"
    FACE_UP_CARD = "face_up_card"
    SIMULTANEOUS_CARDS = "simultaneous_cards"
    DEALING_ERROR = "dealing_error"
    LATER_ERROR = "later_error"
    RULING = "ruling"
    """Something no clause covers."""


ERRORS_OF_NUMBER = frozenset({Irregularity.EXCESS_CARD, Irregularity.WRONG_NUMBER})
"""There are extra cards, or a card is missing."""


class SqueezeState(StrEnum):
    """What became of a request to squeeze a hand. A refused one is forgotten."""

    ASKED = "asked"
    GRANTED = "granted"
    LAPSED = "lapsed"
    """The player did not have the highest bet at the close, or somebody else asked with it after the close."""


TOPICS: dict[Irregularity, Topic] = {
    Irregularity.INTERRUPTION: Topic.INTERRUPTION,
    Irregularity.FOREIGN_CARD: Topic.FOREIGN_CARD,
    Irregularity.CARD_COUNT: Topic.CARD_COUNT,
    Irregularity.WRONG_NUMBER: Topic.WRONG_NUMBER_OF_CARDS,
    Irregularity.SHOE_RUN_OUT: Topic.SHOE_RUN_OUT,
    Irregularity.NOT_SHUFFLED: Topic.NOT_SHUFFLED,
    Irregularity.EXCESS_CARD: Topic.EXCESS_CARDS,
    Irregularity.WRONG_SIDE: Topic.WRONG_SIDE,
    Irregularity.FACE_UP_CARD: Topic.FACE_UP,
    Irregularity.SIMULTANEOUS_CARDS: Topic.SIMULTANEOUS_CARDS,
    Irregularity.DEALING_ERROR: Topic.OPTIONS,
    Irregularity.LATER_ERROR: Topic.LATER_ERROR,
    Irregularity.RULING: Topic.RULING,
}


class ShoeCheck(StrEnum):
    """What became of a shoe that was taken off or replaced because of an irregularity."""

    OPEN = "open"
    """It waits for its inspection."""
    INSPECTED = "inspected"
    BACK = "back"
    """It came back under another name."""


class CardUse(StrEnum):
    """What becomes of cards that were drawn too early."""

    THIS_ROUND = "this_round"
    """They are dealt next, as far as the round needs them."""
    NEXT_ROUND = "next_round"
    """The coup is finished, or no round is open: they open the next round."""
    DISCARDED = "discarded"
    """The round is void."""


NEW_SHOE = frozenset(
    {Irregularity.FOREIGN_CARD, Irregularity.CARD_COUNT, Irregularity.SHOE_RUN_OUT, Irregularity.NOT_SHUFFLED}
)
"""Irregularities after which the shoe is no longer used."""


class MoneyKind(StrEnum):
    """What an event that moves money is to the table's figures. Each class says so itself."""

    PLAY = "play"
    """Bets, what they win and lose, and corrections of it."""
    RULING = "ruling"
    FLOAT = "float"
    """Put into the tray when the table opens."""
    CASH_IN = "cash_in"
    CASH_OUT = "cash_out"
    VOUCHER_IN = "voucher_in"
    VOUCHER_OUT = "voucher_out"
    CHANGE = "change"
    """Chips for chips."""
    FILL = "fill"
    CREDIT = "credit"
    ON_ITS_WAY = "on_its_way"
    """A slip whose chips have not reached or left the tray with it."""
    COUNT = "count"
    """What was counted is on record as what lies there."""


class BuyInKind(StrEnum):
    """What a player gives for chips."""

    CASH = "cash"
    CHIPS = "chips"
    """A colour change: other chips of the same house."""
    VOUCHER = "voucher"


class CashOutKind(StrEnum):
    """What a player gets for chips."""

    CASH = "cash"
    VOUCHER = "voucher"


class Choice(StrEnum):
    """What a player may choose after a dealing error."""

    CONTINUE = "continue"
    """Play on with the hand, reconstructed if possible."""
    RETURN = "return"
    """All the player's bets of the round are returned, insurance included."""


class Effect(StrEnum):
    """What a ruling does."""

    CONTINUE = "continue"
    VOID = "void"
    RETURN = "return"
    """Return certain bets."""
    ADJUST = "adjust"
    """Pay certain amounts; take them if negative."""


class Late(StrEnum):
    """What someone tried to do with a bet after betting closed."""

    PLACED = "placed"
    INCREASED = "increased"
    WITHDRAWN = "withdrawn"
