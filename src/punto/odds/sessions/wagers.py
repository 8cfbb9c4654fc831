"""The bets a player places every round, and what each possible round gains them, settled by the rules.

Some bets and all insurance depend on the run only, the other bets on the pair pattern only. So a round's gain is a
number for its run plus a number for its pair pattern.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from punto.odds.exact.full_shoe import full_shoe_figures
from punto.rules.bets.insurance import InsuranceLine, Stage, Taken
from punto.rules.coup.cards import Card, read_card
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import POINTS
from punto.rules.money import Rounding
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.settlement import settle
from punto.rules.settlement.stakes import MAIN_BETS, InsuranceStake, Stake
from punto.rules.topics import Topic

WHO: Final = "you"
# Four first cards for each pair pattern, in the order of ``Pairs``.
_PATTERNS: Final = ("As 2s 3s 4s", "As 2s Ah 4s", "As 2s 3s 2h", "As 2s Ah 2h", "As Ah Ad Ac")


class Insure(StrEnum):
    """When a player takes insurance. They always take the most the book allows."""

    NEVER = "never"
    ALWAYS = "always"
    FAVOURABLE = "favourable"
    """Where it favours the player on a full shoe."""


class Gains(Struct, frozen=True):
    """What a round gains the player, negative for a loss."""

    runs_minor: tuple[int, ...]
    """By run: from the bets decided by the end of the round, and from insurance."""
    pairs_minor: tuple[int, ...]
    """By pair pattern: from the bets decided by pairs."""
    stake_minor: int
    """Staked every round, without insurance."""
    most_insurance_minor: int
    """The most that a round's insurance can cost."""


def gains(
    book: Rulebook,
    bets: dict[str, int],
    insure: Insure = Insure.NEVER,
    *,
    decks: int | None = None,
    layout: str | None = None,
    rounding: Rounding = Rounding.DOWN,
) -> Gains:
    """Settle every possible round for a player with these bets."""
    if not bets:
        raise Refused(Code.STAKE_NOT_POSITIVE, variant="no_bet")
    menu = book.layout(layout).menu
    for bet in bets:
        if bet not in menu:
            raise book.not_on_menu(bet, book.layout(layout))
        if book.bets[bet].automaton is not None:
            raise Refused(Code.BET_LOOKS_AT_CARDS, clauses=(book.bets[bet].clause,), bet=bet)
    if insure is not Insure.NEVER:
        _require_insurable(book, bets)
    on_pairs = [Stake(WHO, bet, stake) for bet, stake in bets.items() if book.bets[bet].over_pairs]
    on_ends = [Stake(WHO, bet, stake) for bet, stake in bets.items() if not book.bets[bet].over_pairs]
    insurer = _Insurer(book, bets, insure, decks)
    runs, most = [], 0
    for coup in every_run(book):
        insured = insurer.taken(coup)
        most = max(most, sum(each.stake_minor for each in insured))
        runs.append(_gain(book, coup, on_ends, insured, layout, rounding))
    patterns = [book.coup(cards + " Ts Th") for cards in _PATTERNS]
    pairs = [_gain(book, coup, on_pairs, [], layout, rounding) for coup in patterns]
    return Gains(tuple(runs), tuple(pairs), sum(bets.values()), most)


def every_run(book: Rulebook) -> Iterator[Coup]:
    """A coup for each of the 10,000 runs, in their order."""
    card = _card_of_value(book)
    for player in POINTS:
        for banker in POINTS:
            for fifth in POINTS:
                for sixth in POINTS:
                    four = (card[player], card[banker], card[0], card[0])
                    yield Coup.of(book.space, (*four, card[fifth], card[sixth]))


def _card_of_value(book: Rulebook) -> dict[int, Card]:
    return {value: read_card(rank + "s") for rank, value in book.table_of_play.values.items()}


def _require_insurable(book: Rulebook, bets: dict[str, int]) -> None:
    if book.insurance is None:
        raise Refused(Code.INSURANCE_NOT_OFFERED, variant="no_insurance", book=book.id)
    if not MAIN_BETS & bets.keys():
        raise Refused(
            Code.NO_ORIGINAL_BET, variant="none", topic=Topic.INSURED_BET, clauses=book.topics[Topic.INSURED_BET]
        )


class _Insurer:
    """Decides which insurance a player takes. They take as much as the cap allows."""

    def __init__(self, book: Rulebook, bets: dict[str, int], insure: Insure, decks: int | None) -> None:
        self._book, self._bets, self._insure = book, bets, insure
        self._good: set[tuple[Stage, int, int]] = set()
        if insure is Insure.FAVOURABLE:
            cells = full_shoe_figures(book, decks).insurance
            self._good = {(cell.stage, cell.player, cell.banker) for cell in cells if cell.favours_bettor}

    def taken(self, coup: Coup) -> list[InsuranceStake]:
        insurance = self._book.insurance
        if insurance is None or self._insure is Insure.NEVER:
            return []
        stakes: list[InsuranceStake] = []
        before: list[Taken] = []
        for line in insurance.offers(coup):
            original = self._bets.get(line.side, 0)
            room = insurance.cap.room_minor(line, original, before) if original and self._wants(line, coup) else 0
            if room:
                stakes.append(InsuranceStake(WHO, line.side, line.stage, room))
                before.append(Taken(line.stage, line.odds, room))
        return stakes

    def _wants(self, line: InsuranceLine, coup: Coup) -> bool:
        if self._insure is Insure.ALWAYS:
            return True
        player, banker, third, _ = coup.partial
        points = player if line.stage is Stage.FOUR else (player + third) % 10
        return (line.stage, points, banker) in self._good


def _gain(
    book: Rulebook,
    coup: Coup,
    stakes: list[Stake],
    insurance: list[InsuranceStake],
    layout: str | None,
    rounding: Rounding,
) -> int:
    settled = settle(book, coup, stakes, insurance, layout=layout, rounding=rounding)
    bets = sum(each.returned_minor - each.stake_minor for each in settled.bets)
    return bets + sum(each.returned_minor - each.stake_minor for each in settled.insurance)
