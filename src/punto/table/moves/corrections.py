"""Corrections that could be given now. Each kind is named once: people fill in what really happened."""

from collections.abc import Iterator

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import RANKS, SUITS, Face
from punto.rules.rulebook import Rulebook
from punto.table.decision import open_settings
from punto.table.moves.irregularities import TO_BE_STATED
from punto.table.moves.legal_move import LegalMove
from punto.table.records import corrections
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from punto.table.records.state import BetKey, Round, Table, cards_in_order


def correcting_moves(book: Rulebook, table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    now, actor = table.round, (by, position)
    yield from _card_moves(table, actor)
    if now is None:
        return
    yield LegalMove(corrections.CancelRound(*actor))
    for who, choice in now.irregularities.choices.items():
        other = Choice.RETURN if choice is Choice.CONTINUE else Choice.CONTINUE
        yield LegalMove(corrections.CorrectOption(*actor, who, other))
    if not open_settings(table).felt:
        return
    yield LegalMove(corrections.ReopenBetting(*actor))
    for who, box, bet in _some_bet(book, table, now):
        stake_minor = 0 if (who, box, bet) in now.at_close else 1
        yield LegalMove(corrections.CorrectBet(*actor, who, box, bet, stake_minor))
    for stage in _some_stage(now):
        offered = stage not in now.insurance.offered
        yield LegalMove(corrections.CorrectInsurance(*actor, stage, offered=offered))
    for result in now.results[:1]:
        paid_minor = result.returned_minor + 1
        yield LegalMove(
            corrections.CorrectPayment(*actor, result.who, result.box, result.bet, paid_minor, TO_BE_STATED)
        )


def _card_moves(table: Table, actor: tuple[str, Position]) -> Iterator[LegalMove]:
    """The card that the table has raised, or the last one that has been seen."""
    now, shoe = table.round, table.shoe
    if now is not None and not now.over and now.irregularities.raised is not None and shoe is not None:
        yield LegalMove(corrections.CorrectCard(*actor, shoe.id, shoe.drawn, None))
        return
    for card in reversed(cards_in_order(table)):
        if card.card is not None:
            yield LegalMove(corrections.CorrectCard(*actor, card.shoe, card.draw, _another(card.card)))
            return


def _another(face: Face) -> Face:
    """Another suit of the same rank, which changes no result; another rank if the suit is not known."""
    if face.suit:
        return Face(face.rank + next(suit for suit in SUITS if suit != face.suit))
    return Face(next(rank for rank in RANKS if rank != face.rank))


def _some_bet(book: Rulebook, table: Table, now: Round) -> list[BetKey]:
    """A bet that lay there, or one that somebody at the table may have placed."""
    lying: list[BetKey] = [key for key in now.at_close if key in now.bets]
    menu = book.layouts[open_settings(table).layout].menu
    return (lying or [(who, box, menu[0]) for box, who in table.seats.items()])[:1]


def _some_stage(now: Round) -> list[Stage]:
    """The last offer that was made, else the last that was missed."""
    return list(now.insurance.offered or (missed.stage for missed in now.insurance.missed))[-1:]
