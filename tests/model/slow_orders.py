"""Which orders of cards in doubt are possible, worked out one by one, and what depends on them."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

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


def _whose_third(rules: Rulebook, faces: Faces) -> set[To]:
    """Who can get the last of five or six cards, by all that the cards nobody has seen may be."""
    values = [None if card is None else rules.space.card_values[card] for card in faces]
    whose = set()
    for player in _points(values[0], values[2]):
        for banker in _points(values[1], values[3]):
            to = rules.space.play.fifth(player, banker).to
            if len(faces) == 6:
                thirds = ANY_POINTS if values[4] is None else (values[4],)
                sixths = {rules.space.play.sixth(banker, third).to for third in thirds}
                whose |= sixths if to is To.PLAYER else {To.NOBODY}
            else:
                whose.add(to)
    return whose


def in_doubt(cards: "SlowCards", command: Command) -> tuple[int, ...]:
    """The places whose order a report leaves open."""
    dealt = tuple(range(1, len(cards.lying) + 1))
    match command:
        case reports.ReportExcessCard():
            first = len(cards.lying) + len(cards.carried) + 1
            return tuple(range(first, first + len(command.cards)))
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


class Counted(NamedTuple):
    """All that depends on an order. A card that nobody has seen is like no other, so its place stands for it."""

    coup: object
    left: object
    """The cards that open the next round."""


def what_counts(rules: Rulebook, faces: Faces, came_from: list[int]) -> Counted:
    cards = [(faces[place - 1], place) for place in came_from]
    drawn = [card for card, _ in cards]
    used = max(number for number in range(min(len(cards), 6) + 1) if lawful(rules, drawn[:number]))
    thirds: list[object] = []
    for number in range(5, used + 1):
        card, place = cards[number - 1]
        sure = len(_whose_third(rules, drawn[:number])) == 1
        thirds.append(rules.space.card_values[card] if sure and card is not None else _identity(card, place))
    coup = _pair(rules, cards[0:4:2]), _pair(rules, cards[1:4:2]), tuple(thirds)
    return Counted(coup, tuple(_identity(*card) for card in cards[max(used, 4) :]))


def _pair(rules: Rulebook, cards: list[tuple[Face | None, int]]) -> object:
    """The points of two cards and whether they are a pair; of others, which cards they are."""
    ranks = sorted(_identity(*card) for card in cards)
    known = [card for card, _ in cards if card is not None]
    if len(known) < 2:
        return tuple(ranks)
    return sum(rules.space.card_values[card] for card in known) % 10, ranks[0] if ranks[0] == ranks[1] else None


def _identity(card: Face | None, place: int) -> str:
    return f"the card at {place}" if card is None else card.rank


def decides_the_coup(rules: Rulebook, cards: "SlowCards", places: tuple[int, ...]) -> bool:
    """Whether the hands depend on the order of the cards at these places."""
    faces, dealt = [*cards.faces, *(lying.card for lying in cards.carried)], len(cards.lying)
    return len({what_counts(rules, faces, order).coup for order in orders(rules, faces, dealt, places)}) > 1


def check_beyond_reconstruction(
    rules: Rulebook, cards: "SlowCards", command: Command, decision: tuple[Event, ...]
) -> bool:
    """A report that cards cannot be put in order: void, a ruling, or neither where all orders come to the same.

    ``cards`` are those before the report. Whether the players choose after the ruling: they do if one of the cards lies
    with no hand and their order decides the coup.
    """
    places = in_doubt(cards, command)
    lost = [event for event in decision if isinstance(event, findings.OrderLost)]
    if len(places) > MOST_PLACES:
        return lost[0].simultaneous
    if len(places) < 2:
        assert not lost, "one card has no order"
        return False
    drawn = command.cards if isinstance(command, reports.ReportExcessCard) else ()
    faces = [*cards.faces, *(lying.card for lying in cards.carried), *drawn]
    dealt = len(cards.lying)
    possible = list(orders(rules, faces, dealt, places))
    results = {what_counts(rules, faces, order) for order in possible}
    on_record = list(range(1, len(faces) + 1)) in possible
    void = any(isinstance(event, findings.RoundVoided) for event in decision)
    assert void == (not possible), "no order gives lawful hands"
    assert bool(lost) == (len(results) > 1 or bool(possible and not on_record)), "a ruling only where it matters"
    assert all(event.places == places for event in lost), "a card whose place is known stays there"
    one_with_no_hand = any(place > dealt for place in places)
    after_ruling = one_with_no_hand and len({result.coup for result in results}) > 1
    assert all(event.simultaneous == after_ruling for event in lost), "the rule on cards drawn at the same time"
    return after_ruling
