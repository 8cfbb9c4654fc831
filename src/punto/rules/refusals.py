"""What Punto says when it cannot do what was asked: one shape, everywhere."""

from enum import StrEnum
from typing import NewType

Clause = NewType("Clause", str)
"""A clause's number in its book."""


class Code(StrEnum):
    """Why something was refused. Programs may rely on these; messages are for people."""

    MALFORMED_JSON = "malformed_json"
    UNKNOWN_KEY = "unknown_key"
    MISSING_KEY = "missing_key"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_BOOK = "unknown_book"
    BAD_BOOK = "bad_book"
    UNKNOWN_CLAUSE = "unknown_clause"
    UNKNOWN_LAYOUT = "unknown_layout"
    LAYOUT_REQUIRED = "layout_required"
    DECKS_OUT_OF_RANGE = "decks_out_of_range"
    UNKNOWN_BOX = "unknown_box"
    AMBIGUOUS_BOX = "ambiguous_box"
    UNKNOWN_BET = "unknown_bet"
    BET_NOT_ON_LAYOUT = "bet_not_on_layout"
    NOT_AN_AMOUNT = "not_an_amount"
    AMOUNT_TOO_FINE = "amount_too_fine"
    AMOUNT_TOO_LARGE = "amount_too_large"
    STAKE_NOT_POSITIVE = "stake_not_positive"
    LIMIT_NOT_POSITIVE = "limit_not_positive"
    LIMITS_CONTRADICT = "limits_contradict"
    NO_DIFFERENTIAL_LIMIT = "no_differential_limit"
    NOT_A_CARD = "not_a_card"
    TOO_MANY_COPIES = "too_many_copies"
    TOO_FEW_CARDS = "too_few_cards"
    TOO_MANY_CARDS = "too_many_cards"
    CARD_FACE_DOWN = "card_face_down"
    INSURANCE_NOT_OFFERED = "insurance_not_offered"
    NO_ORIGINAL_BET = "no_original_bet"
    INSURANCE_ABOVE_CAP = "insurance_above_cap"
    EXTRA_MISSING = "extra_missing"
    OUT_OF_RANGE = "out_of_range"
    OPTIONS_CONTRADICT = "options_contradict"
    CLUSTER_UNREACHABLE = "cluster_unreachable"
    NOT_WRITABLE = "not_writable"


class Refused(ValueError):
    """A refusal: its code, what was wrong and what was expected, and the clauses behind it."""

    def __init__(self, code: Code, message: str, clauses: tuple[Clause, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.clauses = clauses
