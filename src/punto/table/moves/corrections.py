"""Corrections that could be given now. Each kind is named once: people fill in what really happened."""

from collections.abc import Iterable, Iterator

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import RANKS, SUITS, Face
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.decision import open_settings
from punto.table.engine import decide
from punto.table.moves.irregularities import TO_BE_STATED
from punto.table.moves.legal_move import LegalMove
from punto.table.records import corrections
from punto.table.records.commands import Command
from punto.table.records.identity import Place
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from punto.table.records.state import BetKey, Round, Table, as_played, cards_in_order


def correcting_moves(book: Rulebook, table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    table = as_played(table)
    now, actor = table.round, (by, position)
    yield from _first(book, table, _cards(table, actor))
    if now is None:
        return
    yield LegalMove(corrections.CancelRound(*actor))
    for who, choice in now.irregularities.choices.items():
        other = Choice.RETURN if choice is Choice.CONTINUE else Choice.CONTINUE
        yield LegalMove(corrections.CorrectOption(*actor, who, other))
    if not open_settings(table).felt:
        return
    yield LegalMove(corrections.ReopenBetting(*actor))
    yield from _first(book, table, _bets(book, table, now, actor))
    yield from _first(book, table, _insurance(now, actor))
    yield from _first(book, table, _payments(now, actor))


def _first(book: Rulebook, table: Table, candidates: Iterable[Command]) -> Iterator[LegalMove]:
    """The first one that is accepted."""
    for command in candidates:
        if not isinstance(decide(book, table, command), Refusal):
            yield LegalMove(command)
            return


def _cards(table: Table, actor: tuple[str, Position]) -> Iterator[Command]:
    """The card that the table has raised, else the last one that has been seen."""
    now, shoe = table.round, table.shoe
    if now is not None and not now.over and now.irregularities.raised is not None and shoe is not None:
        yield corrections.CorrectCard(*actor, shoe.id, shoe.drawn, None)
    for card in reversed(cards_in_order(table)):
        if card.card is not None:
            yield corrections.CorrectCard(*actor, card.shoe, card.draw, _another(card.card))
    if shoe is not None and shoe.burned_card is not None:
        yield corrections.CorrectCard(*actor, shoe.id, 0, _another(shoe.burned_card))


def _another(face: Face) -> Face:
    """Another suit of the same rank, which changes no result; another rank if the suit is not known."""
    if face.suit:
        return Face(face.rank + next(suit for suit in SUITS if suit != face.suit))
    return Face(next(rank for rank in RANKS if rank != face.rank))


def _bets(book: Rulebook, table: Table, now: Round, actor: tuple[str, Position]) -> Iterator[Command]:
    """A bet that lay there, else one that somebody may have placed."""
    for who, box, bet in now.at_close:
        yield corrections.CorrectBet(*actor, who, box, bet, 0)
    boxes = range(1, open_settings(table).boxes + 1)
    people = [*((who, box) for box, who in table.seats.items()), *((who, 1) for who in sorted(table.people))]
    menu = book.layouts[open_settings(table).layout].menu
    for who, box in (*people, *((str(Place(box)), box) for box in boxes)):
        yield from (corrections.CorrectBet(*actor, who, box, bet, 1) for bet in menu)


def _insurance(now: Round, actor: tuple[str, Position]) -> Iterator[Command]:
    """The last offer that was made, else one that was not; else what somebody staked on one."""
    for stage in (*reversed(now.insurance.offered), *Stage):
        offered = stage not in now.insurance.offered
        yield corrections.CorrectInsurance(*actor, stage, offered=offered)
    for stage in Stage:
        for who, box, _ in now.at_close:
            yield from (corrections.CorrectInsurance(*actor, stage, who, box, stake) for stake in (0, 1, 2))


def _payments(now: Round, actor: tuple[str, Position]) -> Iterator[Command]:
    due: dict[BetKey, int] = {}
    for result in now.results:
        key = (result.who, result.box, result.bet)
        due[key] = due.get(key, 0) + result.returned_minor
    due |= {key: each.placed.stake_minor for key, each in now.insurance.returned_uninsured.items()}
    for (who, box, bet), minor in due.items():
        for paid_minor in (minor + 1, minor + 2):  # one of them may be on record
            yield corrections.CorrectPayment(*actor, who, box, bet, paid_minor, TO_BE_STATED)
