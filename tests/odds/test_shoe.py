"""The composition of a shoe, and refusals of invalid ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto import Card, Code, Refused
from punto.odds import Composition, best_count, count_shoes, figures, full_shoe, removal, shoe_of, shoe_without, solve
from punto.odds.shoe import read_known_cards
from punto.rules.coup.cards import RANKS
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from tests.marks import BOOKS, books

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]
cards = st.lists(st.sampled_from(list(Card)), max_size=30)


@given(cards, st.integers(4, 8))
def test_what_left_and_what_is_left_make_the_shoe(gone: list[Card], decks: int) -> None:
    rules = BOOKS[0]
    if max((gone.count(card) for card in gone), default=0) > decks:
        with pytest.raises(Refused):
            shoe_without(rules, decks, gone)
        with pytest.raises(Refused):
            shoe_of(rules, decks, gone)
        return
    there, away = shoe_without(rules, decks, gone), shoe_of(rules, decks, gone)
    assert [a + b for a, b in zip(there.ranks, away.ranks, strict=True)] == [4 * decks] * 13
    assert (there.cards, away.cards) == (52 * decks - len(gone), len(gone))


@pytest.mark.parametrize("rules", ALL)
def test_a_full_shoe_by_rank_and_by_value(rules: Rulebook) -> None:
    shoe = full_shoe(rules)
    assert shoe.cards == 52 * rules.decks.most
    assert shoe.values(rules.table_of_play) == [rules.decks.most * (16 if value == 0 else 4) for value in range(10)]
    assert shoe.less("K").ranks[RANKS.index("K")] == shoe.ranks[0] - 1


@pytest.mark.parametrize("rules", books(Topic.DECKS))
@pytest.mark.parametrize("beyond", [-1, 1])
def test_decks_outside_the_books_range_are_refused_by_its_clause(rules: Rulebook, beyond: int) -> None:
    decks = rules.decks.least - 1 if beyond < 0 else rules.decks.most + 1
    for make in (
        full_shoe,
        lambda book, count: shoe_without(book, count, []),
        lambda book, count: shoe_of(book, count, []),
    ):
        with pytest.raises(Refused) as refused:
            make(rules, decks)
        assert (refused.value.code, refused.value.clauses) == (Code.DECKS_OUT_OF_RANGE, (rules.decks.clause,))


@pytest.mark.parametrize("rules", books(Topic.DECKS))
def test_cards_that_the_shoe_does_not_hold_are_refused(rules: Rulebook) -> None:
    aces = [Card.ACE_SPADES] * 4
    assert shoe_without(rules, 4, aces).ranks[0] == 12
    for make in (shoe_without, shoe_of):
        with pytest.raises(Refused, match="As is named 5 times, but 4 decks have only 4 of it") as refused:
            make(rules, 4, [*aces, Card.ACE_SPADES])
        assert (refused.value.code, refused.value.clauses) == (Code.TOO_MANY_COPIES, rules.topics[Topic.DECKS])


@pytest.mark.parametrize("rules", ALL)
def test_six_cards_make_a_round_and_five_may_not(rules: Rulebook) -> None:
    six = read_known_cards("As Ks 2d 2h 9c 9s")
    assert solve(rules, shoe_of(rules, 4, six)).total == 720
    with pytest.raises(Refused, match="only 5 left") as refused:
        solve(rules, shoe_of(rules, 4, six[:5]))
    assert (refused.value.code, refused.value.clauses) == (Code.TOO_FEW_CARDS, rules.topics[Topic.SHOE_RUN_OUT])
    with pytest.raises(Refused, match="none can be removed") as refused:
        removal(rules, shoe_of(rules, 4, six))
    assert refused.value.code == Code.TOO_FEW_CARDS


@pytest.mark.parametrize("ranks", [(), (4,) * 12, (4,) * 14, (4,) * 12 + (-1,), (4.0,) * 13, (True,) * 13])
def test_what_is_no_composition_is_refused(ranks: tuple[int, ...]) -> None:
    with pytest.raises(Refused) as refused:
        Composition(ranks)
    assert refused.value.code == Code.WRONG_TYPE


@pytest.mark.parametrize("text", ["1s", "As ??", "AsKd", "as"])
def test_a_card_nobody_can_name_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refused:
        read_known_cards(text)
    assert refused.value.code == Code.NOT_A_CARD


@pytest.mark.parametrize("rules", books(Topic.BETS_OFFERED))
def test_a_bet_the_book_has_not_is_refused(rules: Rulebook) -> None:
    shoe = full_shoe(rules)
    count = best_count(removal(rules, shoe, ["tie"]).bets["tie"])
    for ask in (
        lambda: figures(rules, solve(rules, shoe), ["tie", "dragon"]),
        lambda: removal(rules, shoe, ["dragon"]),
        lambda: count_shoes(rules, "dragon", count, shoes=1),
    ):
        with pytest.raises(Refused, match=r"has no bet 'dragon'\. Use one of these: player, banker") as refused:
            ask()
        assert (refused.value.code, refused.value.clauses) == (Code.UNKNOWN_BET, rules.topics[Topic.BETS_OFFERED])
