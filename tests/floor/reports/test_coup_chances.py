"""The chances of a coup at a moment of a round: exact, and only from cards that somebody has seen."""

from fractions import Fraction

import pytest

from punto.floor.reports.rounds.coup_chances import coup_chances
from punto.library import book
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.rules.coup.cards import RANKS, Face
from punto.rules.coup.space import Winner
from punto.table.records.state import CARD_AT, CarriedCard, Round, Shoe, Table

RULES = book("commission")


def at_table(*cards: str | None, decks: int = 8, carried: tuple[str | None, ...] = ()) -> Table:
    """A round with these cards on the felt, None for one face down; those carried over are dealt next."""
    faces = [None if card is None else Face(card) for card in cards]
    brought = [None if card is None else Face(card) for card in carried]
    seen = bytearray(52)
    for face in (*faces, *brought):
        if face is not None:
            seen[CARD_AT[face]] += 1
    shoe = Shoe("a", decks, bytes(seen), drawn=len(faces) + len(brought))
    beside = tuple(CarriedCard(card=face, shoe="a", draw=draw) for draw, face in enumerate(brought))
    return Table(round=Round(1, cards=tuple(faces)), shoe=shoe, carried=beside)


def test_before_the_first_card_they_are_those_of_the_full_shoe() -> None:
    chances = coup_chances(RULES, at_table())
    assert chances is not None
    figures = full_shoe_figures(RULES, 8).bets
    assert (chances.player, chances.banker, chances.tie) == tuple(figures[side].win for side in Winner)
    assert chances.player + chances.banker + chances.tie == 1


def test_with_one_card_to_come_they_are_counted_by_hand() -> None:
    """Player stands on 6 and Banker draws to 5: 1 ties, 2 to 4 win, and everything else loses."""
    left = [32] * 13
    cards = ("2s", "5d", "4h", "Kc")
    for card in cards:
        left[RANKS.index(card[0])] -= 1
    wins, ties = sum(left[RANKS.index(rank)] for rank in "234"), left[RANKS.index("A")]
    chances = coup_chances(RULES, at_table(*cards))
    assert chances is not None
    assert chances.banker == Fraction(wins, 412)
    assert chances.tie == Fraction(ties, 412)
    assert chances.player == 1 - chances.banker - chances.tie


def test_a_card_face_down_is_a_card_nobody_has_seen() -> None:
    assert coup_chances(RULES, at_table(None, None)) == coup_chances(RULES, at_table())
    assert coup_chances(RULES, at_table("9s", None)) != coup_chances(RULES, at_table(None, None))


def test_a_card_carried_over_is_dealt_first() -> None:
    assert coup_chances(RULES, at_table(carried=("9s",))) == coup_chances(RULES, at_table("9s"))


@pytest.mark.parametrize(
    "table",
    [
        Table(),
        Table(round=Round(1)),
        at_table("9s", "2d", "Kh", "3c"),
        at_table(*["9s"] * 5, decks=1),
        Table(round=Round(1, cancelled=True), shoe=Shoe("a", 8)),
    ],
    ids=["closed", "no shoe", "a natural", "too many copies", "cancelled"],
)
def test_without_a_coup_to_come_there_are_none(table: Table) -> None:
    assert coup_chances(RULES, table) is None
