"""The refusal codes of a table, besides those of the rules."""

from enum import StrEnum

from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic


class TableCode(StrEnum):
    """Why a table refuses a command."""

    # any command
    WRONG_BOOK = "wrong_book"
    NOT_IN_BOOK = "not_in_book"
    NOT_AUTHORISED = "not_authorised"
    NOT_YOUR_OWN = "not_your_own"
    OTHER_ROUND = "other_round"
    NO_PREVIEW = "no_preview"

    # the table
    TABLE_CLOSED = "table_closed"
    TABLE_OPEN = "table_open"
    ROUND_OPEN = "round_open"
    BOXES_OUT_OF_RANGE = "boxes_out_of_range"
    BAD_SETTING = "bad_setting"
    PIT_CALLED = "pit_called"
    PIT_NOT_CALLED = "pit_not_called"

    # the tray
    BAD_PILES = "bad_piles"
    NO_SUCH_SLIP = "no_such_slip"
    SLIP_SENT = "slip_sent"
    SLIP_NOT_SENT = "slip_not_sent"
    SLIP_OPEN = "slip_open"

    # the shoe
    NO_SHOE = "no_shoe"
    SHOE_IN_USE = "shoe_in_use"
    SHOE_TAKEN_OFF = "shoe_taken_off"
    NOT_TAKEN_OFF = "not_taken_off"
    CUT_CARD_IS_OUT = "cut_card_is_out"
    NO_CUT_CARD = "no_cut_card"
    BOARD_OF_THE_SHOE = "board_of_the_shoe"
    BOARD_IS_EMPTY = "board_is_empty"
    SHOE_ENDED = "shoe_ended"
    SHOE_EMPTY = "shoe_empty"
    SHOE_NOT_EMPTY = "shoe_not_empty"
    NOT_BURNED = "not_burned"
    ALREADY_BURNED = "already_burned"
    NO_BURN = "no_burn"
    CARD_NOT_IN_SHOE = "card_not_in_shoe"

    # people
    UNKNOWN_PERSON = "unknown_person"
    BAD_NAME = "bad_name"
    BOX_TAKEN = "box_taken"
    NOT_AT_BOX = "not_at_box"
    ALREADY_THERE = "already_there"
    AMOUNT_NOT_POSITIVE = "amount_not_positive"
    NOT_ENOUGH_CHIPS = "not_enough_chips"
    AWAY = "away"
    WRONG_PLACE = "wrong_place"
    CHIPS_LEFT_HERE = "chips_left_here"
    NOT_A_PLAYER_ID = "not_a_player_id"
    ALREADY_IDENTIFIED = "already_identified"
    BOTH_IN_ROUND = "both_in_round"

    # betting
    CARDS_ONLY = "cards_only"
    BETTING_NOT_OPEN = "betting_not_open"
    CARD_EXPOSED = "card_exposed"
    NO_SEATED_BET = "no_seated_bet"
    BELOW_MINIMUM = "below_minimum"
    ABOVE_MAXIMUM = "above_maximum"
    DIFFERENTIAL_EXCEEDED = "differential_exceeded"
    SHARE_EXCEEDED = "share_exceeded"
    NO_SUCH_BET = "no_such_bet"
    NOTHING_ASSUMED = "nothing_assumed"
    NO_EXCESS = "no_excess"
    NOT_BELOW_MINIMUM = "not_below_minimum"

    # the coup
    NOT_DEALING = "not_dealing"
    COUP_NOT_FINISHED = "coup_not_finished"
    CARD_TO_TURN = "card_to_turn"
    CARD_NEEDED = "card_needed"
    SUIT_NEEDED = "suit_needed"
    CARD_FACE_UP = "card_face_up"
    NO_CARD_THERE = "no_card_there"
    NOT_FACE_DOWN = "not_face_down"
    NOT_THE_HIGHEST_BET = "not_the_highest_bet"
    NO_SQUEEZE_ASKED = "no_squeeze_asked"
    HAND_ACCEPTED = "hand_accepted"
    NOTHING_TO_SQUEEZE = "nothing_to_squeeze"
    WAIVER_NOT_POSSIBLE = "waiver_not_possible"

    # payouts
    NOTHING_TO_VERIFY = "nothing_to_verify"
    NOTHING_TO_PAY = "nothing_to_pay"

    # corrections
    NO_SUCH_CARD = "no_such_card"
    NOTHING_TO_CORRECT = "nothing_to_correct"
    FELT_TABLES_ONLY = "felt_tables_only"
    CARD_OUT = "card_out"
    ROUND_HAS_BETS = "round_has_bets"

    # insurance
    INSURANCE_DUE = "insurance_due"
    NO_INSURANCE_DUE = "no_insurance_due"
    INSURANCE_NOT_OPEN = "insurance_not_open"
    INSURANCE_FORGONE = "insurance_forgone"

    # irregularities
    IRREGULARITY_OPEN = "irregularity_open"
    NO_ROUND = "no_round"
    TOO_LATE = "too_late"
    REASON_NEEDED = "reason_needed"
    NOTHING_RAISED = "nothing_raised"
    NOT_THE_NEXT_CARD = "not_the_next_card"
    NOT_AS_DEALT = "not_as_dealt"
    NO_ORDER_LOST = "no_order_lost"
    NOT_AN_ORDER = "not_an_order"
    NOT_SIMULTANEOUS = "not_simultaneous"
    NO_OPTIONS = "no_options"
    INSURANCE_NOT_MISSED = "insurance_not_missed"
    BETS_DECIDED = "bets_decided"
    WOULD_NOT_HAVE_WON = "would_not_have_won"
    NOT_AN_EARLIER_ROUND = "not_an_earlier_round"
    NOTHING_RULED = "nothing_ruled"

    # restarts
    RESTART_UNANSWERED = "restart_unanswered"
    NO_RESTART = "no_restart"
    TIMES_REVERSED = "times_reversed"


FROM_THE_RULES = frozenset(
    {
        Code.UNKNOWN_LAYOUT,
        Code.DECKS_OUT_OF_RANGE,
        Code.UNKNOWN_BOX,
        Code.BET_NOT_ON_LAYOUT,
        Code.NOT_AN_AMOUNT,
        Code.AMOUNT_TOO_LARGE,
        Code.NO_ORIGINAL_BET,
        Code.INSURANCE_ABOVE_CAP,
    }
)
"""Codes of the rules that a table uses too."""


def refuse(book: Rulebook, code: str, topic: Topic | None = None, /, *, variant: str = "", **values: object) -> Refusal:
    """A refusal that cites the book's clauses on the topic."""
    return Refusal(code, variant, values, topic, book.topics[topic] if topic else ())


def too_large(book: Rulebook, topic: Topic | None = None) -> Refusal:
    """Amounts are limited, to keep their sums within 64 bits."""
    return refuse(book, Code.AMOUNT_TOO_LARGE, topic, variant="ever_held")
