"""The stakes on the felt when betting closes."""

from collections import Counter
from typing import Protocol

from msgspec import Struct

from punto.catalogue.sentence import Phrase
from punto.catalogue.values import Money
from punto.rules.bets.insurance import Stage
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Layout, Rulebook
from punto.rules.topics import Topic

MAIN_BETS = frozenset(side.value for side in Side)
"""The bets that can be Original Bets: their ids are the names of the hands."""


class AnyStake(Protocol):
    """A bet for settlement: a :class:`Stake`, or a line of a file."""

    @property
    def who(self) -> str: ...
    @property
    def bet(self) -> str: ...
    @property
    def stake_minor(self) -> int: ...
    @property
    def box(self) -> int | None: ...
    @property
    def seated(self) -> bool: ...


class AnyInsuranceStake(Protocol):
    """Insurance for settlement: an :class:`InsuranceStake`, or a line of a file."""

    @property
    def who(self) -> str: ...
    @property
    def side(self) -> Side: ...
    @property
    def stage(self) -> Stage: ...
    @property
    def stake_minor(self) -> int: ...
    @property
    def box(self) -> int | None: ...


class Stake(Struct, frozen=True, gc=False):
    who: str
    bet: str
    stake_minor: int
    box: int | None = None
    """None: a box of the player's own."""
    seated: bool = True


class InsuranceStake(Struct, frozen=True, gc=False):
    """Insurance taken on an Original Bet."""

    who: str
    side: Side
    stage: Stage
    stake_minor: int
    box: int | None = None
    """None: the one box where the player has a bet on that side."""


class Limits(Struct, frozen=True):
    """The limits of the table that affect settlement; None where it has none."""

    min_minor: int | None = None
    max_minor: int | None = None
    differential_minor: int | None = None

    @property
    def maximum_minor(self) -> int | None:
        """The maximum permissible limit: the lower of the main-bet maximum and the differential limit."""
        return min((limit for limit in (self.max_minor, self.differential_minor) if limit is not None), default=None)


def box_of(stake: AnyStake) -> int | str:
    """The number of the box, or the player's name if they have a box of their own."""
    return stake.who if stake.box is None else stake.box


def require_copies(book: Rulebook, coup: Coup, decks: int | None) -> None:
    """Refuse more copies of a card than the decks hold; None means the book's maximum.

    A rank alone has four times as many, more than a coup can use.
    """
    decks = book.require_decks(decks)
    if len(coup.cards) <= decks:
        return
    for card, copies in Counter(card for card in coup.cards if card is not None and card.suit).items():
        if copies > decks:
            raise Refused(
                Code.TOO_MANY_COPIES,
                variant="dealt",
                topic=Topic.DECKS,
                clauses=book.topics[Topic.DECKS],
                card=card,
                copies=copies,
                decks=decks,
            )


def require_same_game(book: Rulebook, coup: Coup) -> None:
    """Refuse a coup that was dealt by another book's cards or Table of Play."""
    if coup.space.play != book.table_of_play:
        raise Refused(Code.WRONG_TYPE, variant="other_book", book=book.id)


def bad_stake(who: str, bet: str | Phrase, stake_minor: object) -> Refused:
    """The refusal for a stake that is not a positive whole number of smallest units."""
    bet = bet[:40] if isinstance(bet, str) else bet
    if type(stake_minor) is not int:
        return Refused(Code.NOT_AN_AMOUNT, variant="stake", who=who[:40], bet=bet, stake=stake_minor)
    return Refused(Code.STAKE_NOT_POSITIVE, who=who[:40], bet=bet, stake=Money(stake_minor))


def require_box(book: Rulebook, felt: Layout, box: int) -> None:
    """Refuse a box that the layout does not have."""
    if box < 1 or (felt.most_boxes is not None and box > felt.most_boxes):
        raise Refused(
            Code.UNKNOWN_BOX,
            variant="layout_from_1" if felt.most_boxes is None else "layout",
            topic=Topic.BOXES,
            clauses=book.topics[Topic.BOXES],
            box=box,
            layout=felt.id,
            book=book.id,
            most=felt.most_boxes,
        )


def require_limits(book: Rulebook, limits: Limits) -> None:
    """Refuse limits that contradict each other or that the book does not have."""
    least, most, differential = limits.min_minor, limits.max_minor, limits.differential_minor
    topic = Topic.LIMITS
    for name, limit in (("min", least), ("max", most), ("differential", differential)):
        if limit is not None and limit <= 0:
            raise Refused(
                Code.LIMIT_NOT_POSITIVE, topic=topic, clauses=book.topics[topic], name=name, limit=Money(limit)
            )
    if least is not None and most is not None and least > most:
        raise Refused(
            Code.LIMITS_CONTRADICT, topic=topic, clauses=book.topics[topic], least=Money(least), most=Money(most)
        )
    if differential is not None and not book.has(Topic.DIFFERENTIAL):
        raise Refused(Code.NO_DIFFERENTIAL_LIMIT, book=book.id)
