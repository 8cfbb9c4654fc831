"""``punto settle``: rounds in, settlements out, a line each, fast enough for a day's audit."""

import gc
import re
import sys
from collections.abc import Callable, Iterable
from typing import BinaryIO

import click
import msgspec
from msgspec import Struct

from punto.cli.terminal import ProblemLine, problem
from punto.library import book
from punto.rules.bets import Verdict
from punto.rules.cards import Card, read_card
from punto.rules.coup import Cards, Coup, Hand
from punto.rules.insurance import Stage
from punto.rules.money import Rounding, read_amount, write_amount
from punto.rules.refusals import Clause, Code, Refused
from punto.rules.settlement import Settled, settle_bets, settle_insurance
from punto.rules.stakes import Limits
from punto.rules.table_of_play import Side


class BetIn(Struct, forbid_unknown_fields=True, gc=False):
    """A bet of a round to settle."""

    who: str
    bet: str
    stake: str
    box: int | None = None
    seated: bool = True

    @property
    def stake_minor(self) -> int:
        """The stake in the smallest unit."""
        return read_amount(self.stake)


class InsuranceIn(Struct, forbid_unknown_fields=True):
    """Insurance of a round to settle."""

    who: str
    side: Side
    stage: Stage
    stake: str
    box: int | None = None

    @property
    def stake_minor(self) -> int:
        """The stake in the smallest unit."""
        return read_amount(self.stake)


class LimitsIn(Struct, forbid_unknown_fields=True):
    """The table's limits, each optional."""

    min: str | None = None
    max: str | None = None
    differential: str | None = None


class RoundIn(Struct, forbid_unknown_fields=True, gc=False):
    """A line of the input."""

    game: str
    cards: tuple[Card, ...]
    bets: list[BetIn]
    layout: str | None = None
    decks: int | None = None
    insurance: list[InsuranceIn] = []
    limits: LimitsIn | None = None


class RoundOut(Struct, gc=False):
    """The coup of a settled round."""

    winner: str
    natural: bool
    player: Hand
    banker: Hand


class OfferOut(Struct, gc=False):
    """Insurance that the cards offered."""

    stage: Stage
    side: Side
    odds: str


class ResultOut(Struct, omit_defaults=True, gc=False):
    """What became of one stake."""

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
    """A line of the output."""

    round: RoundOut
    offers: list[OfferOut]
    results: list[ResultOut]
    unused: Cards


_NOT_A_CARD = re.compile(r"Invalid enum value '(.*)' - at `\$\.cards")
_decode = msgspec.json.Decoder(RoundIn).decode


def settle_line(line: bytes) -> SettlementOut | ProblemLine:
    """One line of JSON, settled or refused."""
    try:
        return _settle(_read(line))
    except Refused as refused:
        return problem(refused)


def _read(line: bytes) -> RoundIn:
    try:
        return _decode(line)
    except msgspec.ValidationError as error:
        message = str(error)
        if match := _NOT_A_CARD.match(message):
            read_card(match[1])
        code = Code.WRONG_TYPE
        if "unknown field" in message:
            code = Code.UNKNOWN_KEY
        elif "missing required field" in message:
            code = Code.MISSING_KEY
        raise Refused(code, message) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Refused(Code.MALFORMED_JSON, f"not a line of JSON: {error}") from None


def _settle(line: RoundIn) -> SettlementOut:
    rules = book(line.game)
    coup = Coup.of(rules.space, line.cards)
    limits = None if line.limits is None else _limits(line.limits)
    results = settle_bets(rules, coup, line.bets, line.layout, line.decks, limits, Rounding.DOWN, _bet)
    if line.insurance:
        insured = settle_insurance(rules, coup, line.bets, line.insurance, limits, Rounding.DOWN)
        results += map(_insurance, insured)
    return SettlementOut(
        RoundOut(coup.winner, coup.natural, coup.hand(Side.PLAYER), coup.hand(Side.BANKER)),
        [OfferOut(offer.stage, offer.side, offer.odds_text) for offer in rules.offers(coup)],
        results,
        coup.left_over,
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


def _insurance(settled: Settled[InsuranceIn]) -> ResultOut:
    stake = settled.stake
    return ResultOut(
        who=stake.who,
        bet=f"{stake.side}_insurance",
        stake=write_amount(settled.stake_minor),
        result=settled.verdict.result,
        returned=write_amount(settled.returned_minor),
        clauses=settled.clauses,
        odds=settled.verdict.odds_text,
        box=stake.box,
        stage=stake.stage,
    )


@click.command("settle")
@click.argument("file", type=click.File("rb"), default="-")
def command(file: BinaryIO) -> None:
    r"""Settle rounds: JSON Lines in FILE or standard input, JSON Lines out.

    \b
    {"game": "commission", "cards": ["5s", "Kd", "3h", "7c"],
     "bets": [{"who": "ann", "bet": "player", "stake": "100"}]}

    A line that cannot be settled gives {"error": {"code", "message", "clauses"}} in its place; the rest go
    on, and the exit status is 1. Blank lines are passed over.
    """
    clean = settle_lines(file, sys.stdout.buffer.write)
    sys.stdout.buffer.flush()
    sys.exit(0 if clean else 1)


def settle_lines(lines: Iterable[bytes], write: Callable[[bytes], object]) -> bool:
    """Settle line by line; True if none was refused."""
    encode = msgspec.json.Encoder().encode
    clean = True
    gc.disable()  # what a line makes has no cycles, and looking for some takes a tenth of the time
    try:
        for line in lines:
            if not line.isspace():
                settled = settle_line(line)
                clean &= type(settled) is SettlementOut
                write(encode(settled) + b"\n")
    finally:
        gc.enable()
    return clean
