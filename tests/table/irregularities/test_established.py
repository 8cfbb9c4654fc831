"""``established`` against a slow computation that deals every possible continuation, for every menu.

Exhaustive over starts of up to four cards, by what can matter: the points of both hands (or of a hand's only card)
and pairs.
"""

from functools import cache
from itertools import product

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.table.decision import established_bets
from punto.table.records.state import CarriedCard, with_irregularities
from tests.marks import BOOKS, reading
from tests.plainly import VALUES, deal, pays
from tests.table.numbers import having
from tests.table.tables import dealing, settings

RANK_OF = {value: rank for rank, value in VALUES.items()}
"""One rank for each value; a king for 0."""
Hand = tuple[Card | None, ...]


@cache
def _layouts(rules_id: str) -> tuple[tuple[str, ...], ...]:
    """The distinct menus of a book."""
    return tuple({layout.menu: None for layout in book(rules_id).layouts.values()})


def _points(hand: Hand) -> list[int]:
    """All points that the two cards of a hand can have; an unseen card can be any."""
    known = [VALUES[card.rank] for card in hand[:2] if card is not None]
    return [sum(known) % 10] if len(known) == 2 else list(range(10))


def _pair(hand: Hand) -> list[str | None]:
    """The pairs that the two cards of a hand can be; if both are unseen, two ranks represent all."""
    ranks = [card.rank for card in hand[:2] if card is not None]
    if len(ranks) == 2:
        return [ranks[0] if ranks[0] == ranks[1] else None]
    return [None, *(ranks or ["2", "3"])]


@cache
def _ends(player: tuple[int, ...], banker: tuple[int, ...], fifth: int | None, sixth: int | None) -> frozenset[object]:
    fifths = range(10) if fifth is None else (fifth,)
    sixths = range(10) if sixth is None else (sixth,)
    return frozenset(deal(p, b, x, y) for p, b, x, y in product(player, banker, fifths, sixths))


def _certain(rules: Rulebook, menu: tuple[str, ...], cards: tuple[Card | None, ...]) -> tuple[str, ...]:
    """The decided bets of a menu, found by dealing on in every possible way."""
    four = (*cards, None, None, None, None, None, None)[:6]
    player, banker = (four[0], four[2]), (four[1], four[3])
    fifth, sixth = (None if card is None else VALUES[card.rank] for card in four[4:])
    ends = _ends(tuple(_points(player)), tuple(_points(banker)), fifth, sixth)
    pairs = list(product(_pair(player), _pair(banker)))
    return tuple(bet for bet in menu if _one_way(rules.id, bet, ends, tuple(pairs)))


@cache
def _one_way(game: str, bet: str, ends: frozenset[object], pairs: tuple[tuple[str | None, str | None], ...]) -> bool:
    """The bet is always won or always lost; a push is neither."""
    results = set()
    for end in ends if "pair" not in bet else list(ends)[:1]:
        for player, banker in pairs if "pair" in bet else pairs[:1]:
            odds = pays(game, bet, end, player, banker)  # type: ignore[arg-type]
            results.add(odds if odds in ("push", "lose") else "win")
    return results in ({"win"}, {"lose"})


def _hands(cards: int) -> list[Hand]:
    """All hands of this many cards, one for each points value, with a pair if possible."""
    if cards < 2:
        return [tuple(Card(rank + "s") for rank in ranks) for ranks in product(VALUES, repeat=cards)]
    ranks = [(one, two) for one, two in product(VALUES, repeat=2) if one == two or one in RANK_OF.values()]
    return [(Card(one + "s"), Card(two + "h")) for one, two in ranks]


def _beginnings(cards: int) -> list[tuple[Card, ...]]:
    """All starts of a coup with this many cards, one per class."""
    player, banker = _hands((cards + 1) // 2), _hands(cards // 2)
    if cards == 4:  # all combinations of points and pairs; unpaired hands with the same points represent each other
        player = [hand for hand in player if hand[0].rank in "2K" or hand[0].rank == hand[1].rank]  # type: ignore[union-attr]
        banker = [hand for hand in banker if hand[0].rank in "2K" or hand[0].rank == hand[1].rank]  # type: ignore[union-attr]
    together = []
    for one, two in product(player, banker):
        order = [card for pair in zip(one, (*two, None), strict=False) for card in pair if card is not None]
        together.append(tuple(order))
    return together


PARAMETERS = [
    pytest.param(*each.values, menu, id=f"{each.id}-{at}", marks=each.marks)
    for each in having(where="interruption")
    for at, menu in enumerate(_layouts(str(each.id)))
]


@pytest.mark.sweep
@reading("established", "any_card_may_still_come")
@pytest.mark.parametrize("cards", range(5))
@pytest.mark.parametrize(("rules", "menu"), PARAMETERS)
def test_what_is_established_is_what_every_way_of_dealing_on_agrees_on(
    rules: Rulebook, menu: tuple[str, ...], cards: int
) -> None:
    layout = next(layout for layout in rules.layouts.values() if layout.menu == menu)
    boxes = layout.most_boxes or 3
    evening = dealing(rules, ("ann", "banker", 100_00), layout=layout.id, boxes=boxes)
    table, now = evening.table, evening.table.round
    assert now is not None
    outcomes = set()
    for beginning in _beginnings(cards):
        there = replace(table, round=replace(now, cards=beginning, shoes=("s1",) * cards))
        certain = established_bets(rules, there)
        assert certain == _certain(rules, menu, beginning), beginning
        outcomes.add(bool(certain))
    expected = {True} if cards == 4 or (cards == 3 and rules.id != "da-hu-ying-xiong") else {False}
    assert outcomes == ({True, False} if cards == 3 and rules.id == "da-hu-ying-xiong" else expected)


@reading("established", "any_card_may_still_come")
def test_the_three_cards_that_establish_nothing() -> None:
    rules = book("da-hu-ying-xiong")
    evening = dealing(rules)
    now = evening.table.round
    assert now is not None
    for beginning in _beginnings(3):
        there = replace(evening.table, round=replace(now, cards=beginning, shoes=("s1",) * 3))
        one, _, three = beginning
        points = (VALUES[one.rank] + VALUES[three.rank]) % 10
        assert bool(established_bets(rules, there)) is (one.rank == three.rank or points > 5), beginning


@reading("established")
@pytest.mark.parametrize("rules", having(where="interruption"))
def test_a_card_that_lies_face_down_establishes_nothing(rules: Rulebook) -> None:
    evening = dealing(rules)
    now, menu = evening.table.round, next(iter(rules.layouts.values())).menu
    assert now is not None
    shown = (Card("2s"), Card("9d"), Card("2h"), Card("9c"), Card("4s"))
    for down in product((False, True), repeat=5):
        cards = tuple(None if hidden else card for card, hidden in zip(shown, down, strict=True))
        there = replace(evening.table, round=replace(now, cards=cards, shoes=("s1",) * 5))
        assert established_bets(rules, there) == _certain(rules, menu, cards), cards
    unseen = replace(evening.table, round=replace(now, cards=(None,) * 5, shoes=("s1",) * 5))
    assert established_bets(rules, unseen) == ()


@reading("established", "left_over_cards")
@pytest.mark.parametrize("rules", having(where="excess"))
def test_an_exposed_card_that_is_to_be_dealt_counts_as_if_it_had_been(rules: Rulebook) -> None:
    evening = dealing(rules)
    now = evening.table.round
    assert now is not None
    for beginning in _beginnings(3):
        dealt, out = beginning[:2], beginning[2]
        there = replace(
            evening.table,
            round=replace(now, cards=dealt, shoes=("s1", "s1")),
            carried=(CarriedCard(out, "s1", 2),),
        )
        whole = replace(there, round=replace(now, cards=beginning, shoes=("s1",) * 3), carried=())
        assert established_bets(rules, there) == established_bets(rules, whole)
        hidden = replace(there, carried=(CarriedCard(None, "s1", 2),))
        assert established_bets(rules, hidden) == ()


@reading("established", "order_by_ruling")
@pytest.mark.parametrize("rules", having(where="interruption"))
def test_cards_whose_order_is_lost_are_as_good_as_unseen(rules: Rulebook) -> None:
    evening = dealing(rules)
    now, menu = evening.table.round, next(iter(rules.layouts.values())).menu
    assert now is not None
    shown = (Card("2s"), Card("9d"), Card("2h"), Card("9c"), Card("4s"))
    for dealt, lost in product(range(6), product((False, True), repeat=5)):
        places = tuple(place for place, gone in enumerate(lost, 1) if gone)
        there = replace(
            evening.table,
            round=with_irregularities(replace(now, cards=shown[:dealt], shoes=("s1",) * dealt), order_lost=places),
            carried=tuple(CarriedCard(card, "s1", at) for at, card in enumerate(shown[dealt:], dealt)),
        )
        seen = tuple(None if gone else card for card, gone in zip(shown, lost, strict=True))
        assert established_bets(rules, there) == _certain(rules, menu, seen), (dealt, places)


@reading("established")
@pytest.mark.parametrize("rules", having(where="interruption"))
def test_a_setting_narrows_it_to_the_bets_that_are_staked(rules: Rulebook) -> None:
    menu = next(iter(rules.layouts.values())).menu
    for bet in menu:
        evening = dealing(rules, ("ann", bet, 1_00), established_by_staked_bets=True)
        now = evening.table.round
        assert now is not None
        for beginning in _beginnings(3)[::7]:
            there = replace(evening.table, round=replace(now, cards=beginning, shoes=("s1",) * 3))
            certain = _certain(rules, menu, beginning)
            assert established_bets(rules, there) == ((bet,) if bet in certain else ())


@reading("commission_version_three")
def test_the_older_book_has_no_such_setting_and_no_such_question() -> None:
    (older,) = [rules for rules in BOOKS if rules.id == "commission"]
    assert settings(older).established_by_staked_bets is False
    assert [each.id for each in having("interruption")] == [rules.id for rules in BOOKS if rules is not older]
