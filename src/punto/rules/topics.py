"""What the engine can cite.

The books number the same rule differently, so code names the topic and each book gives the clauses, or none
if it has no such rule.
"""

from enum import StrEnum


class Topic(StrEnum):
    """A rule, whatever its number."""

    # the table and its cards
    LAYOUTS = "layouts"
    BOXES = "boxes"
    DECKS = "decks"
    ELECTRONIC_SHUFFLER = "electronic_shuffler"
    CARD_VALUES = "card_values"
    POINTS = "points"
    NATURAL = "natural"
    PAIRS = "pairs"

    # betting
    SEATED_PLAYER = "seated_player"
    STANDING_PLAYER = "standing_player"
    ORIGINAL_BET = "original_bet"
    BETTING_OPENS = "betting_opens"
    BETS_OFFERED = "bets_offered"
    BETTING_CLOSED = "betting_closed"
    LATE_WITHDRAWAL = "late_withdrawal"
    CHIPS_POSITION = "chips_position"
    STAFF_BETS = "staff_bets"

    # limits
    LIMITS_DISPLAYED = "limits_displayed"
    LIMITS = "limits"
    BOX_BALANCE = "box_balance"
    DIFFERENTIAL = "differential"
    PRO_RATA = "pro_rata"
    NOT_PRO_RATED = "not_pro_rated"
    BELOW_MINIMUM = "below_minimum"
    BELOW_MINIMUM_PLAYS = "below_minimum_plays"

    # the coup
    SQUEEZE = "squeeze"
    FIRST_FOUR = "first_four"
    TABLE_OF_PLAY = "table_of_play"
    PLAYER_STANDS = "player_stands"
    WINNER = "winner"
    TIE = "tie"

    # insurance
    INSURANCE = "insurance"
    INSURED_BET = "insured_bet"
    INSURANCE_CAP = "insurance_cap"
    INSURANCE_TIE = "insurance_tie"
    INSURANCE_FORGONE = "insurance_forgone"
    NO_INSURANCE = "no_insurance"
    THIRD_CARD_WAIVER = "third_card_waiver"
    INSURANCE_NOT_OFFERED = "insurance_not_offered"
    LATE_INSURANCE = "late_insurance"
    UNINSURED_BET = "uninsured_bet"

    # settlement
    COMMISSION = "commission"
    WALKING_AWAY = "walking_away"

    # irregularities
    INTERRUPTION = "interruption"
    INTERRUPTION_GOES_ON = "interruption_goes_on"
    INTERRUPTION_VOIDS = "interruption_voids"
    FOREIGN_CARD = "foreign_card"
    CARD_COUNT = "card_count"
    WRONG_NUMBER_OF_CARDS = "wrong_number_of_cards"
    SHOE_RUN_OUT = "shoe_run_out"
    NOT_SHUFFLED = "not_shuffled"
    VOID = "void"
    VOID_RETURNS = "void_returns"
    RECONSTRUCTION = "reconstruction"
    EXCESS_CARDS = "excess_cards"
    EXCESS_OPTIONS = "excess_options"
    WRONG_SIDE = "wrong_side"
    WRONG_AREA = "wrong_area"
    WRONG_PERSON = "wrong_person"
    FACE_UP = "face_up"
    SIMULTANEOUS_CARDS = "simultaneous_cards"
    SIMULTANEOUS_OPTIONS = "simultaneous_options"
    REPLACE_SHOE = "replace_shoe"
    LATER_ERROR = "later_error"
    OPTIONS = "options"
    OPTION_HAND = "option_hand"
    OPTION_RECONSTRUCTED = "option_reconstructed"
    OPTION_RETURN = "option_return"
    DISPLAY = "display"
    RULING = "ruling"


RULE_SWITCHES = frozenset(
    {
        Topic.BETTING_OPENS,
        Topic.BETS_OFFERED,
        Topic.BETTING_CLOSED,
        Topic.STAFF_BETS,
        Topic.STANDING_PLAYER,
        Topic.DIFFERENTIAL,
        Topic.BELOW_MINIMUM,
        Topic.SQUEEZE,
        Topic.FIRST_FOUR,
        Topic.INSURANCE,
        Topic.NO_INSURANCE,
        Topic.THIRD_CARD_WAIVER,
        Topic.LATE_INSURANCE,
        Topic.UNINSURED_BET,
        Topic.INTERRUPTION,
        Topic.FOREIGN_CARD,
        Topic.CARD_COUNT,
        Topic.WRONG_NUMBER_OF_CARDS,
        Topic.NOT_SHUFFLED,
        Topic.EXCESS_CARDS,
        Topic.WRONG_SIDE,
        Topic.FACE_UP,
        Topic.SIMULTANEOUS_CARDS,
        Topic.REPLACE_SHOE,
        Topic.LATER_ERROR,
        Topic.OPTIONS,
    }
)
"""Topics that switch a rule on: a book without clauses on the topic does not have the rule.

``Rulebook.has`` asks for them. The other topics are only cited.
"""
