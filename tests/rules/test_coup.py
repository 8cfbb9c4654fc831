"""A coup follows from the order of its cards: hands, points, who draws next, what is left over."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Pairs, Winner
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from tests.marks import LATER, books, reading
from tests.plainly import VALUES, banker_draws, deal, player_draws

COMMISSION = book("commission")
HANDS = {
    "commission-insurance": "3.2 1.7",
    "super-six-plus": "3.2 1.7",
    "da-hu-ying-xiong": "3.2 1.8",
    "tiger-buffalo": "3.2 1.10",
}
TIES = {
    "commission": "1:tie",
    "commission-insurance": "1.20",
    "super-six-plus": "1.20",
    "da-hu-ying-xiong": "1.22",
    "tiger-buffalo": "1.26",
}
CARDS = st.sampled_from(list(Card))


@pytest.mark.parametrize("rules", books(Topic.FIRST_FOUR))
def test_the_first_four_cards_go_to_player_and_banker_by_turns(rules: Rulebook) -> None:
    coup = rules.coup()
    for side in (To.PLAYER, To.BANKER, To.PLAYER, To.BANKER):
        assert coup.next.to is side
        assert coup.next.clauses == rules.topics[Topic.FIRST_FOUR]
        coup = coup.draw(Card.TWO_SPADES)
    assert coup.hand(Side.PLAYER).cards == coup.hand(Side.BANKER).cards == (Card.TWO_SPADES, Card.TWO_SPADES)


@pytest.mark.parametrize("rules", books(Topic.CARD_VALUES, Topic.POINTS, also=HANDS))
def test_points_are_the_units_of_the_sum_of_the_cards(rules: Rulebook) -> None:
    for one, two, three in product(VALUES, VALUES, VALUES):
        coup = rules.coup(f"{one}s 2d {two}h 2c {three}d")
        hand = coup.hand(Side.PLAYER)
        on_two = (VALUES[one] + VALUES[two]) % 10
        expected = (on_two + VALUES[three]) % 10 if on_two <= 5 else on_two
        assert hand.points == expected


@pytest.mark.parametrize("rules", books(Topic.WINNER, also=dict.fromkeys(LATER, "3.1")))
def test_the_hand_with_more_points_wins(rules: Rulebook) -> None:
    worth = {0: "K", 1: "A", **{n: str(n) for n in range(2, 10)}}
    for player, banker in product(range(10), range(10)):
        coup = rules.coup(f"Ks Kd {worth[player]}h {worth[banker]}c Kh Kc")
        player_end, banker_end, _, _ = deal(player, banker, 0, 0)
        wins = Winner.TIE
        if player_end != banker_end:
            wins = Winner.PLAYER if player_end > banker_end else Winner.BANKER
        assert coup.winner is wins


@pytest.mark.parametrize("rules", books(Topic.TIE, also=TIES))
def test_the_same_points_are_a_tie(rules: Rulebook) -> None:
    assert rules.coup("4s 3d Kh Tc 5d 6h").winner is Winner.TIE
    assert rules.coup("4s 3d Kh Tc 5d 5h").winner is Winner.PLAYER


@pytest.mark.parametrize("rules", books(Topic.NATURAL))
def test_a_natural_is_eight_or_nine_on_two_cards(rules: Rulebook) -> None:
    assert rules.coup("5s Kd 3h 7c").natural
    assert rules.coup("5s Kd 3h 9c").natural
    assert rules.coup("2s Kd 3h 9c").natural
    assert not rules.coup("5s Kd 2h 7c").natural
    assert not rules.coup("4s Kd Kh 2c 5d 6h").natural  # nine, but on three cards


@pytest.mark.parametrize("rules", books(Topic.PAIRS))
@reading("pairs_by_rank")
def test_a_pair_is_of_one_rank_whatever_the_suits(rules: Rulebook) -> None:
    assert rules.coup("Ts 2d Th 4c Ks 9d").outcome.pairs is Pairs.PLAYER
    assert rules.coup("Ts 2d Kh 4c 3s 9d").outcome.pairs is Pairs.NONE
    assert rules.coup("2s Kd 4h Kc 3s 9d").outcome.pairs is Pairs.BANKER
    assert rules.coup("Ts Kd Th Kc 3s 9d").outcome.pairs is Pairs.BOTH
    assert rules.coup("Ks Kd Kh Kc 3s 9d").outcome.pairs is Pairs.TWIN
    assert rules.coup("2s 3d 4h 5c 4s 5d").outcome.pairs is Pairs.NONE  # later cards do not make a pair


def test_cards_the_coup_does_not_want_are_left_over() -> None:
    assert COMMISSION.coup("5s Kd 3h 7c 2d 3d 4d").left_over == (Card("2d"), Card("3d"), Card("4d"))
    assert COMMISSION.coup("3s Kd 3h 5c 2d 3d").left_over == (Card("3d"),)
    assert COMMISSION.coup("3s Kd 2h 7c 2d 3d").left_over == (Card("3d"),)
    assert COMMISSION.coup("3s Kd 2h 2c 2d 3d").left_over == ()
    assert COMMISSION.coup("3s Kd 2h").left_over == ()


def test_reconstruction_is_the_same_class_on_the_same_cards() -> None:
    # Player's third card was dealt to Banker: the order of drawing puts it where it belongs
    coup = Coup.of(COMMISSION.space, "3s 4d 2h 2c 9d 5h")
    assert coup.hand(Side.PLAYER).cards == (Card("3s"), Card("2h"), Card("9d"))
    assert coup.hand(Side.BANKER).cards == (Card("4d"), Card("2c"))
    assert coup.left_over == (Card("5h"),)


def test_a_card_face_down_is_a_card_that_has_not_come() -> None:
    coup = COMMISSION.coup("3s ?? 2h 2c")
    assert coup.next.to is To.UNKNOWN
    assert not coup.finished
    assert coup.hand(Side.BANKER).points is None
    assert coup.hand(Side.PLAYER).points == 5
    fifth = COMMISSION.coup("3s ?? 2h 2c 4d")
    assert Card("4d") not in fifth.hand(Side.PLAYER).cards + fifth.hand(Side.BANKER).cards
    assert COMMISSION.coup("4s ?? 5h").natural
    assert COMMISSION.coup("4s ?? 5h 2c").next.to is To.NOBODY  # whatever Banker has
    assert not COMMISSION.coup("4s ?? 5h 2c").finished


def test_no_sixth_card_comes_where_player_stands_whatever_banker_has() -> None:
    for cards, to in (("Qs As 7h ??", To.NOBODY), ("Qs As 5h ??", To.UNKNOWN), ("Qs ?? 9h As", To.NOBODY)):
        assert COMMISSION.coup(f"{cards} 4d Kh").sixth.to is to
    assert COMMISSION.coup("Qs As 7h ?? 4d Kh").used == 5


def test_banker_draws_on_two_whatever_players_third_card_is() -> None:
    for banker, to in ((2, To.BANKER), (3, To.UNKNOWN), (6, To.UNKNOWN), (7, To.NOBODY)):
        assert COMMISSION.coup(f"2s Kd 2h {banker}c ??").next.to is to


@given(st.lists(CARDS, max_size=9))
def test_a_coup_says_of_any_cards_what_dealing_them_one_by_one_says(cards: list[Card]) -> None:
    coup = Coup.of(COMMISSION.space, tuple(cards))
    values = [VALUES[card.rank] for card in cards]
    if len(cards) < 4:
        assert coup.next.to is (To.BANKER if len(cards) % 2 else To.PLAYER)
        assert (coup.finished, coup.used) == (False, len(cards))
        return
    player, banker = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
    order = ["player", "banker"] * 2
    if player_draws(player, banker):
        order.append("player")
        if len(cards) > 4 and banker_draws(player, banker, values[4]):
            order.append("banker")
        following = To.PLAYER if len(cards) == 4 else To(order[5]) if len(cards) == 5 < len(order) else To.NOBODY
    else:
        order += ["banker"] if banker_draws(player, banker, None) else []
        following = To.BANKER if len(cards) == 4 < len(order) else To.NOBODY
    used = min(len(order), len(cards))
    assert coup.next.to is following
    assert coup.used == used
    assert coup.left_over == tuple(cards[used:])
    assert coup.finished == (following is To.NOBODY)
    for side in Side:
        hand = [card for card, to in zip(cards, order, strict=False) if to == side]
        assert coup.hand(side).cards == tuple(hand)
        assert coup.hand(side).points == sum(VALUES[card.rank] for card in hand) % 10


@given(st.lists(st.one_of(st.none(), CARDS), max_size=8))
def test_what_is_decided_with_cards_face_down_holds_after_they_are_turned(cards: list[Card | None]) -> None:
    hidden = Coup.of(COMMISSION.space, tuple(cards))
    places = [at for at, card in enumerate(cards) if card is None]
    for rank in "A24679K":
        turned = list(cards)
        for at in places:
            turned[at] = Card(rank + "s")
        coup = Coup.of(COMMISSION.space, tuple(turned))
        if hidden.next.to is not To.UNKNOWN and len(cards) < 6:
            assert coup.next.to is hidden.next.to
        if hidden.natural:
            assert coup.natural
        if hidden.finished:
            assert coup.outcome == hidden.outcome
        known = {card for side in Side for card in hidden.hand(side).cards if card is not None}
        assert known <= {card for side in Side for card in coup.hand(side).cards}


@given(st.lists(st.one_of(st.none(), CARDS), max_size=9))
def test_printing_and_parsing_a_coup_are_inverse(cards: list[Card | None]) -> None:
    coup = Coup.of(COMMISSION.space, tuple(cards))
    assert COMMISSION.coup(str(coup)) == coup


def test_a_coup_cannot_be_changed() -> None:
    coup = COMMISSION.coup("5s Kd")
    with pytest.raises(AttributeError):
        coup.cards = ()  # type: ignore[misc]
    assert str(coup.draw(Card("3h"))) == "5s Kd 3h"
    assert str(coup) == "5s Kd"


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ("5s Kd 2h", Code.TOO_FEW_CARDS),
        ("5s Kd Kh 2c", Code.TOO_FEW_CARDS),
        ("5s Kd ?? 2c", Code.CARD_FACE_DOWN),
    ],
)
def test_an_unfinished_coup_has_no_winner(cards: str, code: Code) -> None:
    coup = COMMISSION.coup(cards)
    with pytest.raises(Refused) as refused:
        coup.winner  # noqa: B018
    assert refused.value.code is code
    assert refused.value.clauses == coup.next.clauses != ()
    with pytest.raises(Refused):
        coup.outcome  # noqa: B018
