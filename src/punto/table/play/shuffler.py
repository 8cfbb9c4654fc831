"""A shuffling machine that takes cards back while the game goes on.

The cards of a round stay out until the call for bets at which they go back, so that they can be corrected until then.
Cards that were drawn too early stay out until they are dealt, and go back with the round they were dealt in.
"""

from collections import Counter
from functools import reduce

from msgspec.structs import replace

from punto.rules.coup.cards import RANKS, Face
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers
from punto.table.play.opening import change_shoe, check_between_rounds, uncount_seen
from punto.table.records.commands import StartBoard
from punto.table.records.events import BoardStarted, CardsPutBack, OrderRevealed
from punto.table.records.state import CARD_AT, Phase, RestingCards, Shoe, Table
from punto.table.refusals import TableCode, refuse

MOST_CARDS = 6
"""That a round may need."""


def called(table: Table) -> Shoe | None:
    """The shoe after the next call for bets, with the cards that go back at it."""
    shoe = table.shoe
    if shoe is None or shoe.continuous is None:
        return shoe
    return _without(_rested(table, shoe), _rounds_back(table, shoe))


def has_cards(table: Table) -> bool:
    """Between rounds: whether there is a card for the next one."""
    shoe = called(table)
    return bool(table.carried) or (shoe is not None and shoe.left > 0)


def few_cards(table: Table) -> int | None:
    """The cards for the next round by the count, or for this one before its first card, if it may need more."""
    shoe = called(table) if table.phase is Phase.READY else table.shoe
    cards = len(table.carried) + (0 if shoe is None else shoe.left)
    return cards if cards < MOST_CARDS else None


def put_back_events(book: Rulebook, table: Table) -> tuple[CardsPutBack, ...]:
    """The cards that go back at the next call for bets."""
    shoe, after = table.shoe, called(table)
    if shoe is None or after is None or after.gone_back == shoe.gone_back:
        return ()
    cards = after.gone_back - shoe.gone_back
    return (CardsPutBack(shoe.id, _rounds_back(table, shoe), cards, book.topics[Topic.ELECTRONIC_SHUFFLER]),)


def on_cards_put_back(table: Table, event: CardsPutBack) -> Table:
    assert table.shoe is not None  # noqa: S101 - it took them back
    return replace(table, shoe=_without(_rested(table, table.shoe), event.rounds))


def begin_round(table: Table) -> Shoe | None:
    """The shoe when a round starts: the cards of the last one rest, unless they went back."""
    shoe = table.shoe
    if shoe is None or shoe.continuous is None:
        return shoe
    rested = _rested(table, shoe)
    return replace(rested, rounds=rested.rounds + 1)


def _rounds_back(table: Table, shoe: Shoe) -> tuple[int, ...]:
    """The rounds whose cards go back at the next call."""
    assert shoe.continuous is not None  # noqa: S101 - the callers checked
    last = table.round.number if table.round is not None else 0
    newest = last + 1 - shoe.continuous.back_after_rounds
    return tuple(resting.round for resting in _rested(table, shoe).resting if resting.round <= newest)


def _rested(table: Table, shoe: Shoe) -> Shoe:
    """The machine with the cards of the last round at rest. Before its first round it has none.

    Whatever is out belongs to the last round if it does not rest already and does not wait to be dealt.
    """
    if not shoe.rounds or table.round is None:
        return shoe
    waiting = [card for card in table.carried if card.shoe == shoe.id]
    drawn = {*(card.draw for card in shoe.held), *range(shoe.first_draw, shoe.drawn)}
    out = drawn - {*(card.draw for card in waiting), *range(shoe.drawn, shoe.first_draw)}
    began = replace(shoe, first_draw=shoe.drawn, held=tuple(waiting))
    if not out:
        return began
    known = Counter(face for resting in shoe.resting for face in resting.seen)
    known.update(card.card for card in waiting if card.card is not None)
    seen = tuple((_seen(shoe) - known).elements())
    return replace(began, resting=(*shoe.resting, RestingCards(table.round.number, tuple(sorted(out)), seen)))


def _seen(shoe: Shoe) -> Counter[Face]:
    counts: Counter[Face] = Counter({card: shoe.seen[at] for card, at in CARD_AT.items()})
    counts.update({Face(rank): count for rank, count in zip(RANKS, shoe.seen_ranks, strict=True)})
    return counts


def _without(shoe: Shoe, rounds: tuple[int, ...]) -> Shoe:
    """The machine with the cards of these rounds in it again."""
    back = [resting for resting in shoe.resting if resting.round in rounds]
    shoe = reduce(uncount_seen, (face for resting in back for face in resting.seen), shoe)
    return replace(
        shoe,
        resting=tuple(resting for resting in shoe.resting if resting.round not in rounds),
        gone_back=shoe.gone_back + sum(len(resting.draws) for resting in back),
    )


def start_board(book: Rulebook, table: Table, _: StartBoard) -> Decision:
    """A shoe has a board of its own, so only a machine needs this."""
    if refusal := check_between_rounds(book, table):
        return refusal
    if not table.at_shuffler:
        return refuse(book, TableCode.BOARD_OF_THE_SHOE)
    if not table.board_used:
        return refuse(book, TableCode.BOARD_IS_EMPTY)
    return (BoardStarted(),)


def on_order_revealed(table: Table, event: OrderRevealed) -> Table:
    """The machine may have left the table."""
    return change_shoe(table, event.shoe, lambda shoe: replace(shoe, revealed=event.order + 1))


def on_board_started(table: Table, _: BoardStarted) -> Table:
    """The roads themselves are read from the journal."""
    return replace(table, board_used=False)


DECIDERS: Deciders = {StartBoard: start_board}

EVOLVERS: Evolvers = {
    CardsPutBack: on_cards_put_back,
    BoardStarted: on_board_started,
    OrderRevealed: on_order_revealed,
}
