"""Which orders of cards in doubt are possible, worked out one by one."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side, To
from punto.rules.rulebook import Rulebook
from punto.table.records import findings, reports
from punto.table.records.commands import Command
from punto.table.records.events import Event

if TYPE_CHECKING:
    from tests.model.slow_cards import SlowCards

Faces = Sequence[Face | None]
ANY_POINTS = range(10)
MOST_PLACES = 6
"""More places in doubt are not worked out here."""


def lawful(rules: Rulebook, faces: Faces) -> bool:
    """Whether all these cards can belong to one coup. A card that nobody has seen may have any points."""
    if len(faces) <= 4:
        return True
    values = [None if card is None else rules.space.card_values[card] for card in faces]
    thirds = ANY_POINTS if values[4] is None else (values[4],)
    for player in _points(values[0], values[2]):
        for banker in _points(values[1], values[3]):
            fifth = rules.space.play.fifth(player, banker).to
            if fifth is To.NOBODY:
                continue
            if len(faces) == 5:
                return True
            if fifth is To.PLAYER and any(rules.space.play.sixth(banker, third).to is To.BANKER for third in thirds):
                return True
    return False


def _points(one: int | None, other: int | None) -> Sequence[int]:
    return ANY_POINTS if one is None or other is None else ((one + other) % 10,)


def in_doubt(cards: "SlowCards", command: Command) -> tuple[int, ...]:
    """The places whose order a report leaves open."""
    dealt = tuple(range(1, len(cards.lying) + 1))
    match command:
        case reports.ReportWrongSide():
            right = {place: cards.side_at(place) for place in dealt}
            lies_with = dict(zip(dealt, command.as_dealt, strict=True))
            wrong: set[Side] = {lies_with[place] for place in dealt if right[place] not in (lies_with[place], None)}
            every = tuple(place for place in dealt if lies_with[place] in wrong)
        case reports.ReportDealingError():
            every = dealt
        case _:
            raise AssertionError(command)
    return tuple(sorted(command.in_doubt)) or every


def orders(rules: Rulebook, faces: Faces, dealt: int, places: tuple[int, ...]) -> Iterator[list[int]]:
    """Every lawful order of the cards, by the places they have now."""
    for order in permutations(places):
        came_from = list(range(1, len(faces) + 1))
        for place, other in zip(places, order, strict=True):
            came_from[place - 1] = other
        if lawful(rules, [faces[place - 1] for place in came_from[:dealt]]):
            yield came_from


def what_counts(rules: Rulebook, faces: Faces, came_from: list[int], dealt: int) -> object:
    """All that a result depends on. A card that nobody has seen is like no other, so its place stands for it."""
    cards = [(faces[place - 1], place) for place in came_from]
    third = [place if card is None else rules.space.card_values[card] for card, place in cards[4:dealt]]
    left = [_identity(*card) for card in cards[max(dealt, 4) :]]
    return _pair(rules, cards[0:4:2]), _pair(rules, cards[1:4:2]), tuple(third), tuple(left)


def _pair(rules: Rulebook, cards: list[tuple[Face | None, int]]) -> object:
    """The points of two cards and whether they are a pair; of others, which cards they are."""
    ranks = sorted(_identity(*card) for card in cards)
    known = [card for card, _ in cards if card is not None]
    if len(known) < 2:
        return tuple(ranks)
    return sum(rules.space.card_values[card] for card in known) % 10, ranks[0] if ranks[0] == ranks[1] else None


def _identity(card: Face | None, place: int) -> str:
    return f"the card at {place}" if card is None else card.rank


def check_beyond_reconstruction(
    rules: Rulebook, cards: "SlowCards", command: Command, decision: tuple[Event, ...]
) -> None:
    """A report that a hand cannot be reconstructed: void, a ruling, or neither where all orders come to the same.

    ``cards`` are those before the report.
    """
    places = in_doubt(cards, command)
    if len(places) > MOST_PLACES:
        return
    faces = [*cards.faces, *(lying.card for lying in cards.carried)]
    dealt = len(cards.lying)
    possible = {what_counts(rules, faces, order, dealt) for order in orders(rules, faces, dealt, places)}
    lost = [event for event in decision if isinstance(event, findings.OrderLost)]
    void = any(isinstance(event, findings.RoundVoided) for event in decision)
    assert void == (not possible), "no order gives lawful hands"
    assert bool(lost) == (len(possible) > 1), "a ruling only where it matters"
    assert all(event.places == places for event in lost), "a card whose place is known stays there"
