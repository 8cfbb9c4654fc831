"""Rounds at a felt table, entered rightly or with a slip that is corrected later. Their ends are compared."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import read_card
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.records import commands, corrections
from punto.table.records.commands import Command
from punto.table.records.events import Difference, RoundSettled
from punto.table.records.positions import Position
from tests.table.tables import DEALER, SUPERVISOR, Evening, box_of, ready

SETTLED = 99
"""The moment after the settlement. Earlier ones are numbers of cards."""
OFFER = commands.OpenInsurance(*DEALER)


class Entries(Struct, frozen=True):
    """What is entered in a round."""

    bets: dict[tuple[str, str], int]
    """By player and bet, at the player's own box."""
    cards: str
    offers: tuple[Stage, ...] = tuple(Stage)
    insured: dict[tuple[Stage, str], int] = {}
    """By stage and player, at the player's own box."""


def correct_bet(who: str, bet: str, stake_minor: int, by: tuple[str, Position] = SUPERVISOR) -> corrections.CorrectBet:
    return corrections.CorrectBet(*by, who, box_of(who), bet, stake_minor)


def correct_stake(
    stage: Stage, who: str, stake_minor: int, by: tuple[str, Position] = SUPERVISOR
) -> corrections.CorrectInsurance:
    return corrections.CorrectInsurance(*by, stage, who, box_of(who), stake_minor)


def correct_offer(
    stage: Stage, *, offered: bool, by: tuple[str, Position] = SUPERVISOR
) -> corrections.CorrectInsurance:
    return corrections.CorrectInsurance(*by, stage, offered=offered)


def felt(rules: Rulebook, **changes: Any) -> Evening:
    """A felt table with betting open."""
    return ready(rules, observing=True, **changes).open_betting()


def played(
    rules: Rulebook, entries: Entries, fixes: Sequence[Command] = (), moment: int = SETTLED, **changes: Any
) -> Evening:
    """A settled round with these entries; the corrections are given at that moment, after an offer that is due then."""
    evening = felt(rules, **changes)
    for (who, bet), stake_minor in entries.bets.items():
        evening.bet(who, bet, stake_minor)
    evening.close_betting()
    words = entries.cards.split()
    for dealt in range(len(words) + 1):
        _make_offer(evening, entries)
        if dealt == moment:
            give(evening, fixes)
        if dealt < len(words):
            evening.do(commands.DealCard(*DEALER, read_card(words[dealt])))
    evening.settle()
    if moment == SETTLED:
        give(evening, fixes)
    return evening


def give(evening: Evening, fixes: Sequence[Command]) -> None:
    for fix in fixes:
        evening.do(fix)


def _make_offer(evening: Evening, entries: Entries) -> None:
    assert evening.table.round is not None
    if isinstance(decide(evening.rules, evening.table, OFFER), Refusal):
        return
    stage = Stage.FOUR if len(evening.table.round.cards) == 4 else Stage.THIRD
    if stage not in entries.offers:
        return
    evening.do(OFFER)
    for (at, who), stake_minor in entries.insured.items():
        if at is stage:
            evening.do(evening.insuring(who, stake_minor))


def end_of(evening: Evening) -> dict[str, Any]:
    """What must not depend on whether a slip was made: the money, the results, the cards, and who forwent insurance."""
    table = evening.table
    assert table.round is not None
    insurance = table.round.insurance
    return {
        "balances": table.balances,
        "results": sorted(map(str, table.round.results)),
        "shoe": table.shoe,
        "carried": table.carried,
        "people": table.people,
        "phase": table.phase,
        "forgone": (insurance.forgone, insurance.forgone_third),
        "offers": (insurance.offered, insurance.missed),
    }


def differences(evening: Evening) -> dict[tuple[str, str], int]:
    """By player and bet, what the last settlement pays and collects."""
    listed: tuple[Difference, ...] = evening.happened(RoundSettled)[-1].differences
    found: dict[tuple[str, str], int] = {}
    for each in listed:
        key = (each.who, each.bet)
        found[key] = found.get(key, 0) + each.amount_minor
    return found
