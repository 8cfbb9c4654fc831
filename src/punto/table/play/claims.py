"""Insurance that was not offered and would have won: which offers, whose bets, and whether somebody has to decide."""

from punto.rules.bets.insurance import InsuranceLine
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.decision import coup_of, open_settings, this_round
from punto.table.play.insuring import largest_stake, points_at
from punto.table.play.pending import check_nothing_pending
from punto.table.records.state import MissedOffer, Phase, PlacedBet, Round, Table


def missed_lines(book: Rulebook, now: Round, coup: Coup, side: Side) -> list[tuple[MissedOffer, InsuranceLine]]:
    """The offers on one side that were due and not made, with their lines by the points at that time."""
    assert book.insurance is not None  # noqa: S101 - only books with insurance have missed offers
    lines = []
    for missed in now.insurance.missed:
        player, banker = missed.player, missed.banker
        if player is None or banker is None:
            player, banker = points_at(missed.stage, coup)
        line = book.insurance.line(missed.stage, player, banker)
        if line is not None and line.side is side:
            lines.append((missed, line))
    return lines


def winning_lines(book: Rulebook, now: Round, coup: Coup, side: Side) -> list[tuple[MissedOffer, InsuranceLine]]:
    """Of these, the ones that would have won in a finished coup."""
    lines = missed_lines(book, now, coup, side) if now.insurance.missed else []
    return [(missed, line) for missed, line in lines if line.verdicts[coup.winner].result is Result.WIN]


def claims(book: Rulebook, table: Table) -> tuple[PlacedBet, ...]:
    """The bets of a finished coup that go back if their players had meant to insure them."""
    now, coup = this_round(table), coup_of(book, table)
    return tuple(
        placed
        for key, placed in now.bets.items()
        if placed.bet in MAIN_BETS
        and key not in now.insurance.returned_uninsured
        and any(
            missed.is_open_to(placed.who) and largest_stake(book, table, line, placed)
            for missed, line in winning_lines(book, now, coup, Side(placed.bet))
        )
    )


def claimed_sides(book: Rulebook, table: Table) -> tuple[Side, ...]:
    """The sides whose insurance somebody may claim, while the pit manager has yet to decide on it.

    Empty once every bet went back that can. At a table that is not on a felt it is always empty: bets can go back after
    the settlement too. Where only cards are recorded, nobody knows who had bets.
    """
    now, settings = table.round, open_settings(table)
    if table.phase is not Phase.DEALING or now is None or not now.insurance.missed or not settings.felt:
        return ()
    if settings.no_insurance or check_nothing_pending(book, table) is not None:
        return ()
    coup = coup_of(book, table)
    if not coup.finished:
        return ()
    if settings.cards_only:
        return tuple(side for side in Side if winning_lines(book, now, coup, side))
    return tuple(side for side in Side if any(placed.bet == side for placed in claims(book, table)))
