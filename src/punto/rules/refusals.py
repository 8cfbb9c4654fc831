"""What Punto says when it cannot do what was asked: one record and one exception, everywhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, NewType

from msgspec import Struct

from punto.catalogue.sentence import Language, Phrase, say
from punto.rules.topics import Topic

Clause = NewType("Clause", str)
"""The id of a clause: its number, or chapter and name of a definition without a number of its own, as in ``1:tie``."""


def clause_parts(clause: str) -> tuple[str, str]:
    """The number of a clause and, for a definition without a number of its own, the definition.

    >>> clause_parts("1:tie")
    ('1', 'tie')
    """
    number, _, definition = clause.partition(":")
    return number, definition


def chapter_of(clause: str) -> str:
    return clause_parts(clause)[0].partition(".")[0]


class Code(StrEnum):
    """Why something was refused. Programs may rely on these; messages are for people."""

    MALFORMED_JSON = "malformed_json"
    UNKNOWN_KEY = "unknown_key"
    MISSING_KEY = "missing_key"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_BOOK = "unknown_book"
    BAD_BOOK = "bad_book"
    UNREADABLE_BOOK = "unreadable_book"
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
    SUITS_NEEDED = "suits_needed"
    BET_LOOKS_AT_CARDS = "bet_looks_at_cards"
    INSURANCE_NOT_OFFERED = "insurance_not_offered"
    NO_ORIGINAL_BET = "no_original_bet"
    INSURANCE_ABOVE_CAP = "insurance_above_cap"
    EXTRA_MISSING = "extra_missing"
    OUT_OF_RANGE = "out_of_range"
    OPTIONS_CONTRADICT = "options_contradict"
    CLUSTER_UNREACHABLE = "cluster_unreachable"
    NOT_WRITABLE = "not_writable"


class Refusal(Struct, frozen=True):
    """Why something was refused. The sentence is made only when it is shown."""

    code: str
    """A member of ``Code`` or of another room's codes. Each code is defined in the lowest room that uses it."""
    variant: str = ""
    """Which sentence, if the code has several."""
    values: dict[str, object] = {}
    """The values of the sentence, by the names of its placeholders."""
    topic: Topic | None = None
    clauses: tuple[Clause, ...] = ()
    sentence: str | None = None
    """The finished sentence, if another process refused and sent it. It is used instead of the catalogue's."""

    @property
    def key(self) -> str:
        """The key of its sentence in the catalogue."""
        return f"{self.code}.{self.variant}" if self.variant else str(self.code)

    @property
    def phrase(self) -> Phrase | str:
        """Its sentence, to be part of another one."""
        return Phrase(self.key, self.values) if self.sentence is None else self.sentence

    @property
    def message(self) -> str:
        """What was wrong and what to do, in English."""
        return self.message_in("en")

    def message_in(self, language: Language, *, to_player: bool = False) -> str:
        """The message in a language; ``to_player`` addresses the player whose command was refused."""
        return say(self.key, language, to_player=to_player, **self.values) if self.sentence is None else self.sentence


class Refused(Exception):
    """A refusal that is raised. Not a ValueError, or code that catches bad input would swallow it."""

    def __init__(
        self,
        code: str,
        /,
        *,
        variant: str = "",
        topic: Topic | None = None,
        clauses: tuple[Clause, ...] = (),
        sentence: str | None = None,
        **values: object,
    ) -> None:
        super().__init__(code)
        self.refusal = Refusal(code, variant, values, topic, clauses, sentence)

    def __reduce__(self) -> tuple[Any, ...]:
        """For sending it to another process. Works for subclasses with any constructor."""
        return Exception.__new__, (type(self), self.code), self.__dict__

    def __str__(self) -> str:
        return self.message

    @property
    def code(self) -> str:
        """Programs may rely on it; the message is for people."""
        return self.refusal.code

    @property
    def message(self) -> str:
        """What was wrong and what to do, in English."""
        return self.refusal.message

    @property
    def topic(self) -> Topic | None:
        """The rule behind it, if there is one."""
        return self.refusal.topic

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of the book about it."""
        return self.refusal.clauses


@contextmanager
def needing(extra: str, raised_as: type[Refused] = Refused) -> Iterator[None]:
    """Put this around an import that needs an extra: if it is missing, refuse and say how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "punto").partition(".")[0]
        if missing == "punto":  # a bug of ours, no missing extra
            raise
        raise raised_as(Code.EXTRA_MISSING, missing=missing, extra=extra) from error
