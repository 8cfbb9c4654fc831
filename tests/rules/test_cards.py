"""Cards are written rank then suit."""

import pytest

from punto.rules.coup.cards import RANKS, SUITS, Card, read_card, read_cards, write_cards
from punto.rules.refusals import Code, Refused


def test_there_are_fifty_two_cards_by_rank_and_suit() -> None:
    assert len(Card) == 52
    assert {(card.rank, card.suit) for card in Card} == {(rank, suit) for rank in RANKS for suit in SUITS}
    assert all(read_card(card.rank + card.suit) is card for card in Card)
    assert str(Card.TEN_DIAMONDS) == "Td"
    assert str(Card.ACE_SPADES) == "As"


@pytest.mark.parametrize("text", ["", "A", "as", "AS", "10s", "1s", "Zs", "Ax", "Asx", "sA", "A s", "\u2660A"])
def test_an_invalid_card_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refused:
        read_card(text)
    assert refused.value.code is Code.NOT_A_CARD
    assert repr(text) in refused.value.message
    assert "Write a rank" in refused.value.message


def test_cards_are_divided_by_any_space_and_may_lie_face_down() -> None:
    assert read_cards(" As\t?? \n Td ") == (Card.ACE_SPADES, None, Card.TEN_DIAMONDS)
    assert write_cards((Card.ACE_SPADES, None)) == "As ??"
    assert read_cards("") == ()
