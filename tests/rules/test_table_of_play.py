"""The Table of Play, over every combination of points and third card."""

import pytest

from punto.rules.coup.space import End
from punto.rules.coup.table_of_play import POINTS, To
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from tests.marks import LATER, books
from tests.plainly import banker_draws, deal, player_draws

DEFINED = {"commission": "1:table_of_play", **dict.fromkeys(LATER, "1.1")}


@pytest.mark.parametrize("book", books(Topic.TABLE_OF_PLAY, Topic.PLAYER_STANDS, also=DEFINED))
def test_the_fifth_card_goes_where_the_table_says(book: Rulebook) -> None:
    for player in POINTS:
        for banker in POINTS:
            call = book.table_of_play.fifth(player, banker)
            if player_draws(player, banker):
                assert call.to is To.PLAYER
            else:
                assert call.to is (To.BANKER if banker_draws(player, banker, None) else To.NOBODY)


@pytest.mark.parametrize("book", books(Topic.TABLE_OF_PLAY))
def test_the_sixth_card_goes_where_the_table_says(book: Rulebook) -> None:
    for banker in range(8):
        for third in POINTS:
            wanted = To.BANKER if banker_draws(0, banker, third) else To.NOBODY
            assert book.table_of_play.sixth(banker, third).to is wanted


@pytest.mark.parametrize("book", books(Topic.TABLE_OF_PLAY, Topic.PLAYER_STANDS))
def test_every_run_ends_as_if_dealt_card_by_card(book: Rulebook) -> None:
    at = iter(book.space.ends)
    for player in POINTS:
        for banker in POINTS:
            for fifth in POINTS:
                for sixth in POINTS:
                    dealt = deal(player, banker, fifth, sixth)
                    end = next(at)
                    assert end is End.of(dealt.player, dealt.player_cards, dealt.banker, dealt.banker_cards)
    assert next(at, None) is None


@pytest.mark.parametrize("book", books(Topic.NATURAL, Topic.TABLE_OF_PLAY))
def test_a_natural_in_either_hand_ends_the_drawing(book: Rulebook) -> None:
    for natural in (8, 9):
        for points in POINTS:
            assert book.table_of_play.fifth(natural, points).to is To.NOBODY
            assert book.table_of_play.fifth(points, natural).to is To.NOBODY


@pytest.mark.parametrize("book", books(Topic.TABLE_OF_PLAY, Topic.PLAYER_STANDS))
def test_each_call_cites_the_clause_that_makes_it(book: Rulebook) -> None:
    (table,), (stands,) = book.topics[Topic.TABLE_OF_PLAY], book.topics[Topic.PLAYER_STANDS]
    play = book.table_of_play
    assert play.fifth(5, 7).clauses == (table,)
    assert play.fifth(6, 5).clauses == (table, stands)
    assert play.fifth(8, 0).clauses == (table,)
    assert play.fifth(0, 9).clauses == (table,)
    assert play.sixth(3, 8).clauses == (table,)
    assert play.initial(0).clauses == book.topics[Topic.FIRST_FOUR]
