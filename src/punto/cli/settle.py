"""``punto settle``: settle rounds given as JSON Lines, one line per round."""

import gc
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Annotated, BinaryIO

import click
import msgspec
from msgspec import Meta, Struct

from punto.cli._shared.line_faults import line_fault
from punto.cli._shared.terminal import ProblemLine, problem
from punto.library import book
from punto.rules.bets.insurance import Stage, insurance_name
from punto.rules.bets.pay_lines import Verdict
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Cards, Coup, Hand
from punto.rules.coup.table_of_play import Side
from punto.rules.money import Rounding, read_amount, write_amount
from punto.rules.refusals import Clause, Refused
from punto.rules.settlement.differential import within_limits
from punto.rules.settlement.settlement import SettledStake, settle_bets, settle_insurance
from punto.rules.settlement.stakes import Limits

Box = Annotated[int, Meta(ge=-(2**31), lt=2**31)]
"""The layout checks the actual range. These bounds only keep out numbers with millions of digits."""


class BetIn(Struct, forbid_unknown_fields=True, gc=False):
    who: str
    bet: str
    stake: str
    box: Box | None = None
    seated: bool = True

    @property
    def stake_minor(self) -> int:
        return read_amount(self.stake)


class InsuranceIn(Struct, forbid_unknown_fields=True):
    who: str
    side: Side
    stage: Stage
    stake: str
    box: Box | None = None

    @property
    def stake_minor(self) -> int:
        return read_amount(self.stake)


class LimitsIn(Struct, forbid_unknown_fields=True):
    min: str | None = None
    max: str | None = None
    differential: str | None = None


class RoundIn(Struct, forbid_unknown_fields=True, gc=False):
    """One line of the input."""

    game: str
    cards: tuple[Card, ...]
    bets: list[BetIn]
    layout: str | None = None
    decks: int | None = None
    insurance: list[InsuranceIn] = []
    limits: LimitsIn | None = None


class RoundOut(Struct, gc=False):
    winner: str
    natural: bool
    player: Hand
    banker: Hand


class OfferOut(Struct, gc=False):
    """Insurance that was offered in the round."""

    stage: Stage
    side: Side
    odds: str


class ResultOut(Struct, omit_defaults=True, gc=False):
    """The result of one bet or insurance."""

    who: str
    bet: str
    stake: str
    result: str
    returned: str
    clauses: tuple[Clause, ...]
    odds: str | None = None
    box: int | None = None
    commission: str | None = None
    played: str | None = None
    stage: Stage | None = None


class SettlementOut(Struct, gc=False):
    """One line of the output."""

    round: RoundOut
    offers: list[OfferOut]
    results: list[ResultOut]
    unused: Cards
    limits_applied: bool
    """Whether the line states a limit. Without limits every bet plays whole, and no cap depends on the maximum."""


_decode = msgspec.json.Decoder(RoundIn).decode


def settle_line(line: bytes) -> SettlementOut | ProblemLine:
    try:
        return _settle(_decode(line))
    except Refused as refused:
        return problem(refused)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return problem(line_fault(line, RoundIn, error))


def _settle(line: RoundIn) -> SettlementOut:
    rules = book(line.game)
    coup = Coup.of(rules.space, line.cards)
    limits = None if line.limits is None else _limits(line.limits)
    plays = within_limits(rules, line.bets, limits)
    results = settle_bets(rules, coup, line.bets, line.layout, line.decks, plays, Rounding.DOWN, _bet)
    if line.insurance:
        insured = settle_insurance(rules, coup, line.bets, line.insurance, limits, Rounding.DOWN)
        results += map(_insurance, insured)
    offers = rules.offers(coup)
    return SettlementOut(
        RoundOut(coup.winner, coup.natural, coup.hand(Side.PLAYER), coup.hand(Side.BANKER)),
        [OfferOut(offer.stage, offer.side, offer.odds_text) for offer in offers] if offers else [],
        results,
        coup.left_over,
        limits is not None and limits != Limits(),
    )


def _limits(limits: LimitsIn) -> Limits:
    amounts = (limits.min, limits.max, limits.differential)
    return Limits(*(None if amount is None else read_amount(amount) for amount in amounts))


def _bet(
    bet: BetIn,
    stake: int,
    verdict: Verdict,
    returned: int,
    commission: int | None,
    played: int | None,
    clauses: tuple[Clause, ...],
) -> ResultOut:
    return ResultOut(
        bet.who,
        bet.bet,
        write_amount(stake),
        verdict.result,
        write_amount(returned),
        clauses,
        verdict.odds_text,
        bet.box,
        None if commission is None else write_amount(commission),
        None if played is None else write_amount(played),
    )


def _insurance(settled: SettledStake[InsuranceIn]) -> ResultOut:
    stake = settled.stake
    return ResultOut(
        who=stake.who,
        bet=insurance_name(stake.side),
        stake=write_amount(settled.stake_minor),
        result=settled.verdict.result,
        returned=write_amount(settled.returned_minor),
        clauses=settled.clauses,
        odds=settled.verdict.odds_text,
        box=settled.insured_box,
        stage=stake.stage,
    )


@click.command("settle")
@click.argument("file", type=click.File("rb"), default="-")
def command(file: BinaryIO) -> None:
    """Settle rounds from FILE, one JSON object per line.

    Without FILE the rounds are read from standard input. A line is:

    \b
    {"game": "commission", "cards": ["5s", "Kd", "3h", "7c"],
     "bets": [{"who": "ann", "bet": "player", "stake": "100"}]}

    Prints one line of JSON per round. A line that cannot be settled gives {"error": {"code", "message", "clauses"}} in
    its place; the other lines are still settled, and the exit status is 1. Blank lines are skipped.

    Bets and insurance count as they lay. What the procedure of a table decides is not known here: who had forgone
    insurance by passing on an earlier offer, whether the table offers no insurance, whether insurance on the third
    card was waived, and that after a late offer all insurance of the round wins at most the Original Bet. Ask "punto
    referee" about such a round.
    """
    sys.exit(0 if settle_lines(file, sys.stdout.buffer.write) else 1)


def settle_lines(lines: Iterable[bytes], write: Callable[[bytes], object]) -> bool:
    """Settle line by line. Returns True if no line was refused."""
    encode = msgspec.json.Encoder().encode
    rest = iter(lines)
    clean = True
    gc.disable()  # settling a line creates no reference cycles, and the collector costs a tenth of the time
    try:
        for line in chain((next(rest, b"").removeprefix(BOM_UTF8),), rest):
            if line and not line.isspace():
                settled = settle_line(line)
                clean &= type(settled) is SettlementOut
                write(encode(settled) + b"\n")
    finally:
        gc.enable()
    return clean
