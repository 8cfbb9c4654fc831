"""What each player did in a period, over all tables: the rating of a registered player, by their id.

Drop is cash alone, less what was paid out in cash: chips that a player carries from one table to another are bought
once, wherever they are changed or staked.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct, field

from punto.floor.chips.day_ledger import PaymentKind
from punto.floor.clock import SECOND_US
from punto.floor.journal.round_record import BetRecord, RoundRecord
from punto.floor.reports.days.bet_sums import PlaySums
from punto.floor.reports.records import Payment, table_of
from punto.rules.money import Rounding, share_minor
from punto.table.records.identity import Place

MAX_PAUSE_US = 30 * 60 * SECOND_US
"""Somebody who bets again at a table after a longer pause came back."""

PlayerKey = tuple[str, bool, str, str]
"""A currency, whether it is play money, a player's id, name or place, and for a place the table where it is."""


class Sitting(Struct):
    """A time at one table, from the call for the first round with a bet to the end of the last."""

    table: str
    from_us: int
    to_us: int
    rounds: int = 0


class Rating(Struct):
    """What one player did, in one currency."""

    who: str
    currency: str
    play_money: bool = False
    table: str = ""
    """Of somebody who is known by their place only."""
    sittings: list[Sitting] = field(default_factory=list)
    """By table."""
    play: PlaySums = field(default_factory=PlaySums)
    """Its rounds are those in which the cards decided a bet of the player."""
    paid: Counter[str] = field(default_factory=Counter)
    """Payments by kind, as in :class:`~punto.floor.reports.records.Payment`."""

    @property
    def drop_minor(self) -> int:
        """Cash for chips, less chips for cash."""
        return self.paid[PaymentKind.BOUGHT] + self.paid[PaymentKind.CASHED]

    @property
    def win_minor(self) -> int:
        """The player's, after rulings."""
        return self.paid[PaymentKind.ADJUSTED] - self.play.total.win_minor

    @property
    def time_us(self) -> int:
        return sum(sitting.to_us - sitting.from_us for sitting in self.sittings)

    @property
    def average_bet_minor(self) -> int:
        """What the player staked in a round, on average, rounded to whole minor units."""
        return whole_minor(Fraction(self.play.total.turnover_minor, self.play.rounds or 1))


def whole_minor(amount: Fraction) -> int:
    """Rounded to whole minor units, halves up."""
    return share_minor(amount.numerator, 1, amount.denominator, Rounding.HALF_UP)


class Ratings:
    """Adds up records. Rounds of one table come in the order in which they were played."""

    def __init__(self) -> None:
        self.by_player: dict[PlayerKey, Rating] = {}

    def pay(self, payments: Iterable[Payment], *, play_money: bool = False) -> None:
        for payment in payments:
            rating = self._of(payment.currency, play_money, payment.who, table_of(payment))
            rating.paid[payment.kind] += payment.amount_minor

    def count(self, record: RoundRecord, *, play_money: bool = False) -> None:
        bets: dict[str, list[BetRecord]] = {}
        for bet in record.bets:
            bets.setdefault(bet.who, []).append(bet)
        for who, own in bets.items():
            rating = self._of(record.conditions.currency, play_money, who, table_of(record))
            rating.play.count_bets(record, tuple(own))
            if any(bet.decided_minor for bet in own):
                rating.play.rounds += 1
                add_round(rating.sittings, table_of(record), record.opened_us, record.ended_us)

    def _of(self, currency: str, play_money: bool, who: str, table: str) -> Rating:  # noqa: FBT001 - parts of a key
        key = (currency, play_money, who, table if Place.find(who) else "")
        if key not in self.by_player:
            self.by_player[key] = Rating(who, currency, play_money, key[-1])
        return self.by_player[key]


def add_round(sittings: list[Sitting], table: str, from_us: int, to_us: int) -> None:
    last = sittings[-1] if sittings else None
    if last is None or last.table != table or from_us - last.to_us > MAX_PAUSE_US:
        last = Sitting(table, from_us, to_us)
        sittings.append(last)
    last.to_us = max(last.to_us, to_us)
    last.rounds += 1
