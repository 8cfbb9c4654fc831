"""Payouts over the threshold of a felt table, which a supervisor verifies before the next call for bets."""

from msgspec.structs import replace

from punto.rules.bets.pay_lines import Result
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.decision import Deciders, Decision, Evolvers, this_round
from punto.table.records.commands import VerifyPayouts
from punto.table.records.events import Payout, PayoutsVerified, SettledBet
from punto.table.records.findings import PayoutsNotVerified
from punto.table.records.state import Phase, Table, as_played
from punto.table.refusals import TableCode, refuse


def unverified(table: Table) -> tuple[SettledBet, ...]:
    """The results of the last round whose payouts wait for a supervisor, by the settings it was played under.

    What was verified stays so if the round is settled again and the payout is the same.
    """
    now, settings = table.round, as_played(table).settings
    threshold_minor = settings.payout_supervised_minor if settings else None
    if threshold_minor is None or table.phase is not Phase.READY or now is None or not now.settled:
        return ()
    wins = (result for result in now.results if result.result is Result.WIN)
    over = (result for result in wins if result.returned_minor - result.stake_minor > threshold_minor)
    return tuple(result for result in over if _payout(result) not in now.verified)


def verify_payouts(book: Rulebook, table: Table, _: VerifyPayouts) -> Decision:
    results = unverified(table)
    return (PayoutsVerified(*_of(table, results)),) if results else refuse(book, TableCode.NOTHING_TO_VERIFY)


def not_verified_events(table: Table) -> tuple[PayoutsNotVerified, ...]:
    """What goes on record when it is too late to verify. The chips are paid, so nothing is refused."""
    results = unverified(table)
    return (PayoutsNotVerified(*_of(table, results)),) if results else ()


def _of(table: Table, results: tuple[SettledBet, ...]) -> tuple[int, tuple[Payout, ...], tuple[Clause, ...]]:
    """The round, the payouts, and the clauses they follow from."""
    clauses = tuple(dict.fromkeys(clause for result in results for clause in result.clauses))
    return this_round(table).number, tuple(map(_payout, results)), clauses


def _payout(result: SettledBet) -> Payout:
    return Payout(result.who, result.box, result.bet, result.returned_minor - result.stake_minor, result.stage)


def on_payouts_verified(table: Table, event: PayoutsVerified) -> Table:
    now = this_round(table)
    return replace(table, round=replace(now, verified=now.verified.union(event.payouts)))


def on_payouts_not_verified(table: Table, _: PayoutsNotVerified) -> Table:
    return table


DECIDERS: Deciders = {
    VerifyPayouts: verify_payouts,
}

EVOLVERS: Evolvers = {
    PayoutsVerified: on_payouts_verified,
    PayoutsNotVerified: on_payouts_not_verified,
}
