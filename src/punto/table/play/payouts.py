"""What the dealer takes and pays after a settlement, and payouts over the threshold, which a supervisor verifies."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from punto.rules.bets.pay_lines import Result
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.table.decision import Deciders, Decision, Evolvers, this_round
from punto.table.records.commands import MarkPaid, VerifyPayouts
from punto.table.records.events import Difference, PaymentsMarked, Payout, PayoutsVerified, SettledBet
from punto.table.records.findings import PayoutsNotVerified
from punto.table.records.state import Phase, Round, Table, as_played
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
    return tuple(result for result in over if payout_of(result) not in now.verified)


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
    return this_round(table).number, tuple(map(payout_of, results)), clauses


def payout_of(result: SettledBet) -> Payout:
    return Payout(result.who, result.box, result.bet, result.returned_minor - result.stake_minor, result.stage)


def moves_chips(result: SettledBet) -> bool:
    """Whether the dealer takes or pays something. A bet that pushes lies untouched."""
    return result.result is not Result.PUSH and result.returned_minor != result.stake_minor


def kept_stakes(results: Sequence[SettledBet], owed: Mapping[str, int]) -> Iterator[tuple[SettledBet, int]]:
    """What is kept back from stakes that would go back, of those who owe more than they win."""
    for who, owed_minor in owed.items():
        own = [result for result in results if result.who == who]
        left_minor = owed_minor - sum(
            result.returned_minor - result.stake_minor for result in own if result.result is Result.WIN
        )
        for result in own:
            kept_minor = min(left_minor, result.returned_minor, result.stake_minor)
            if kept_minor > 0:
                yield result, kept_minor
                left_minor -= kept_minor


def is_marked(now: Round, line: SettledBet | Difference) -> bool:
    """Whether the dealer has taken or paid for a bet, by this settlement or by one that was made again since.

    What remains of an earlier one is among the differences.
    """
    return any(
        (each.who, each.box, each.bet, each.stage) == (line.who, line.box, line.bet, line.stage) for each in now.marked
    )


def left_to_pay(now: Round) -> tuple[SettledBet, ...]:
    """The bets for which something is still to be taken or paid: of those that push, if something is kept back."""
    kept = [result for result, _ in kept_stakes(now.results, now.owed)]
    moved = (result for result in now.results if moves_chips(result) or result in kept)
    return tuple(result for result in moved if not is_marked(now, result))


def mark_paid(book: Rulebook, table: Table, command: MarkPaid) -> Decision:
    now = table.round
    if now is None or not now.settled or table.phase is not Phase.READY:
        return refuse(book, TableCode.NOTHING_TO_PAY)
    on_sheet = marked_lines(now) if command.taken_back else tuple(map(payout_of, left_to_pay(now)))
    lines = tuple(dict.fromkeys(command.lines)) or on_sheet
    if command.taken_back and not (lines and set(lines) <= set(on_sheet)):
        return refuse(book, TableCode.NOTHING_TO_PAY, variant="not_done")
    if not on_sheet:
        return refuse(book, TableCode.NOTHING_TO_PAY)
    if not set(lines) <= set(on_sheet):
        return refuse(book, TableCode.NOTHING_TO_PAY, variant="line")
    return (PaymentsMarked(now.number, lines, command.taken_back),)


def marked_lines(now: Round) -> tuple[Payout, ...]:
    """The lines that are marked as done, by box."""
    return tuple(sorted(now.marked, key=lambda line: (line.box, line.who, line.bet, line.stage or "")))


def on_payments_marked(table: Table, event: PaymentsMarked) -> Table:
    now = this_round(table)
    marked = now.marked.difference(event.lines) if event.taken_back else now.marked.union(event.lines)
    return replace(table, round=replace(now, marked=marked))


def on_payouts_verified(table: Table, event: PayoutsVerified) -> Table:
    now = this_round(table)
    return replace(table, round=replace(now, verified=now.verified.union(event.payouts)))


def on_payouts_not_verified(table: Table, _: PayoutsNotVerified) -> Table:
    return table


DECIDERS: Deciders = {
    MarkPaid: mark_paid,
    VerifyPayouts: verify_payouts,
}

EVOLVERS: Evolvers = {
    PaymentsMarked: on_payments_marked,
    PayoutsVerified: on_payouts_verified,
    PayoutsNotVerified: on_payouts_not_verified,
}
