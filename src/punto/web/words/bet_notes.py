"""What is unusual about a bet's result, in one line: for the referee, the sheet, the round's page and the player alike.

Only a part of the bet plays, or insurance is paid although the hands tie.
"""

from typing import Protocol

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.rules.bets.insurance import Stage, insured_side
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.events import ProRata


class PartlyPlayed(Protocol):
    """A bet on the felt or its result."""

    @property
    def stake_minor(self) -> int: ...
    @property
    def played_minor(self) -> int | None: ...
    @property
    def pro_rata(self) -> ProRata | None: ...


class AnyResult(PartlyPlayed, Protocol):
    """The result of a bet or of insurance."""

    @property
    def bet(self) -> str: ...
    @property
    def stage(self) -> Stage | None: ...
    @property
    def result(self) -> Result: ...


def note(rules: Rulebook, result: AnyResult, winner: Winner | None) -> Phrase | None:
    return played_part(rules, result) or paid_on_a_tie(rules, result, winner)


def paid_on_a_tie(rules: Rulebook, result: AnyResult, winner: Winner | None) -> Phrase | None:
    """That insurance pays although the hands tie, with the clause; None for anything else."""
    if winner is not Winner.TIE or result.stage is None or result.result is not Result.WIN or rules.insurance is None:
        return None
    insured = (result.stage, insured_side(result.bet))
    paying = [each for each in rules.insurance.lines if each.tie_pays and (each.stage, each.side) == insured]
    clauses = dict.fromkeys(clause for each in paying for clause in each.tied)
    return phrase("why.insured_tie_pays", clauses=tuple(clauses))


def played_part(rules: Rulebook, bet: PartlyPlayed) -> Phrase | None:
    """What was placed, what plays and what goes back, with the arithmetic and the clause; None if all of it plays."""
    if bet.played_minor is None or bet.played_minor == bet.stake_minor:
        return None
    values: dict[str, object] = {
        "placed": Money(bet.stake_minor),
        "plays": Money(bet.played_minor),
        "back": Money(bet.stake_minor - bet.played_minor),
        "clauses": rules.topics[Topic.PRO_RATA],
    }
    box = bet.pro_rata
    if box is None:
        return phrase("pro_rata.part", **values)
    totals = {Side.PLAYER: box.player_minor, Side.BANKER: box.banker_minor}
    lighter, heavier = sorted(totals, key=totals.__getitem__)
    return phrase(
        "pro_rata.alone" if bet.stake_minor == totals[heavier] else "pro_rata.shared",
        heavier=heavier,
        heavier_total=Money(totals[heavier]),
        lighter=lighter,
        lighter_total=Money(totals[lighter]),
        over=Money(box.differential_minor - box.limit_minor),
        limit=Money(box.limit_minor),
        **values,
    )
