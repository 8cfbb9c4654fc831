"""Settling a round: the results, and the chips they move."""

from collections.abc import Sequence

from msgspec.structs import replace

from punto.rules.bets.pay_lines import Result, Verdict
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Winner
from punto.rules.money import in_chips_minor
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.settlement import settle_bets
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, coup_of, open_settings, this_round
from punto.table.play.claims import claimed_sides
from punto.table.play.differences import differences
from punto.table.play.insuring import line_of
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import remove_people, update_people
from punto.table.records.commands import Settle
from punto.table.records.events import RoundSettled, SettledBet
from punto.table.records.ledger import COMMISSION, FELT, FLOAT, ROUNDING, Posting, chip_changes, chips
from punto.table.records.positions import HOUSE_ONLY, MANAGER_UP, in_order
from punto.table.records.settings import Settings
from punto.table.records.state import Phase, PlacedBet, Round, Table, TakenInsurance, bettors, cards_on_table
from punto.table.refusals import TableCode, refuse

SETTLE_CLAIMS = MANAGER_UP | HOUSE_ONLY
"""Who settles a round in which a bet may still go back for want of insurance. The house does it after corrections."""


def settle(book: Rulebook, table: Table, command: Settle) -> Decision:
    """Settle every bet and every insurance, once the coup is finished.

    At a felt table, bets that may go back for want of insurance wait for a pit manager: they return them, or settle.
    """
    if table.phase is not Phase.DEALING:
        return refuse(book, TableCode.NOT_DEALING, Topic.WINNER, variant="no_coup")
    if refusal := check_nothing_pending(book, table):
        return refusal
    coup = coup_of(book, table)
    if coup.end is None:
        return refuse(book, TableCode.COUP_NOT_FINISHED, Topic.TABLE_OF_PLAY)
    if command.position not in SETTLE_CLAIMS and (sides := claimed_sides(book, table)):
        people = in_order(MANAGER_UP)
        return refuse(
            book, TableCode.NOT_AUTHORISED, Topic.UNINSURED_BET, variant="uninsured", sides=sides, positions=people
        )
    now = this_round(table)
    results = settled_results(book, open_settings(table), coup, list(now.bets.values()), now.insurance.cover)
    end = coup.end
    clauses = settlement_clauses(book, end.winner)
    postings = settlement_postings(results)
    changed = differences(now, results)
    scores = (end.winner, end.player, end.banker)
    return (RoundSettled(*scores, tuple(results), clauses, len(coup.left_over), changed, postings=postings),)


def settled_results(
    book: Rulebook, settings: Settings, coup: Coup, bets: Sequence[PlacedBet], cover: Sequence[TakenInsurance]
) -> list[SettledBet]:
    """The results of a finished coup: of the bets, then of the insurance."""
    plays = {at: (p.played_minor, p.because) for at, p in enumerate(bets) if p.played_minor is not None}
    # copies were counted as the cards were turned, each against its own shoe
    results = settle_bets(book, coup, bets, settings.layout, None, plays, settings.rounding, _settled_bet)
    for covered in cover:
        verdict = line_of(book, covered).verdicts[coup.winner]
        results.append(
            SettledBet(
                covered.who,
                covered.box,
                covered.bet,
                covered.stake_minor,
                verdict.result,
                verdict.returned_minor(covered.stake_minor, settings.rounding),
                verdict.clauses,
                covered.stage,
                verdict.odds_text,
            )
        )
    if settings.smallest_chip_minor != 1:
        results = [_in_chips(settings, result) for result in results]
    return results


def settlement_clauses(book: Rulebook, winner: Winner) -> tuple[Clause, ...]:
    return book.topics[Topic.TIE if winner is Winner.TIE else Topic.WINNER]


def _settled_bet(
    placed: PlacedBet,
    stake_minor: int,
    verdict: Verdict,
    returned_minor: int,
    commission_minor: int | None,
    played_minor: int | None,
    clauses: tuple[Clause, ...],
) -> SettledBet:
    return SettledBet(
        placed.who,
        placed.box,
        placed.bet,
        stake_minor,
        verdict.result,
        returned_minor,
        clauses,
        None,
        verdict.odds_text,
        commission_minor,
        played_minor,
        pro_rata=placed.pro_rata,
    )


def _in_chips(settings: Settings, result: SettledBet) -> SettledBet:
    """Round what is handed over: the winnings, or what did not play of a lost bet. A stake goes back as it lay."""
    lies_minor = result.stake_minor if result.returned_minor >= result.stake_minor else 0
    due_minor = result.returned_minor - lies_minor
    rounded_minor = in_chips_minor(due_minor, settings.smallest_chip_minor, settings.chip_rounding) - due_minor
    if result.result is Result.LOSE:
        rounded_minor = min(rounded_minor, result.stake_minor - result.returned_minor)
    if not rounded_minor:
        return result
    return replace(result, returned_minor=result.returned_minor + rounded_minor, rounded_minor=rounded_minor)


def settlement_postings(results: list[SettledBet]) -> tuple[Posting, ...]:
    """Clear the felt, pay the players, book the commission and the rounding; the float takes the rest."""
    players: dict[str, int] = {}
    felt = commission = rounded = 0
    for result in results:
        felt += result.stake_minor
        commission += result.commission_minor or 0
        rounded += result.rounded_minor
        players[result.who] = players.get(result.who, 0) + result.returned_minor
    returned = sum(players.values())
    moves = {FELT: -felt, **{chips(who): back for who, back in players.items()}, COMMISSION: commission}
    moves |= {ROUNDING: -rounded, FLOAT: felt - returned - commission + rounded}
    return tuple(Posting(account, amount) for account, amount in moves.items() if amount)


def on_round_settled(table: Table, event: RoundSettled) -> Table:
    """Cards left over are dealt first in the next round. A player without a place or chips is not at the table."""
    now = this_round(table)
    left = cards_on_table(now)[len(now.cards) - event.left_over :]
    after = replace(table, carried=(*left, *table.carried)) if left else table
    settled = replace(
        now,
        paid=event.postings,
        results=event.results,
        reversed_results=None,
        back_since_reversal={},
        differences=event.differences,
        owed=_owed_before(table, event),
    )
    again = now.reversed_results is not None  # it may be of the board before
    over = round_over(replace(after, board_used=table.board_used or not again), settled)
    return update_people(over, bettors(now))


def _owed_before(table: Table, event: RoundSettled) -> dict[str, int]:
    """The debts of the people in the round before its postings, which ``table`` has already."""
    before = {who: table.chips_minor(who) - change for who, change in chip_changes(event.postings).items()}
    return {who: -minor for who, minor in before.items() if minor < 0}


def round_over(table: Table, now: Round) -> Table:
    """End the round: remove players who left, put the next shoe on the table, drop carried cards of other shoes."""
    shoe = table.next_shoe or table.shoe
    carried = table.carried and tuple(card for card in table.carried if shoe is not None and card.shoe == shoe.id)
    after = replace(table, phase=Phase.READY, round=now, shoe=shoe, next_shoe=None, carried=carried)
    if table.next_settings is not None:
        after = replace(after, settings=table.next_settings, next_settings=None)
    if table.next_shoe is not None:
        after = replace(after, standing_squeezes=frozenset())
    return remove_people(after, now.away) if now.away else after


DECIDERS: Deciders = {
    Settle: settle,
}

EVOLVERS: Evolvers = {
    RoundSettled: on_round_settled,
}
