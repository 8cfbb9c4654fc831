"""The house exchanges a sealed shoe during a round: what was seen stays, what nobody has seen is dealt again."""

import pytest

from punto.library import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.findings import ShoeExchanged
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Shoe
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.numbers import cited
from tests.table.tables import DEALER, HOUSE, NATURAL, SUPERVISOR, Evening, betting, dealing, ready

RULES = book("commission-insurance")
EXCHANGE = reports.ExchangeShoe(*HOUSE, "s2", 6)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_cards_that_were_seen_stay_where_they_are(rules: Rulebook) -> None:
    evening = dealing(rules).deal("9s 2d Kh")
    before = evening.table
    assert evening.do(EXCHANGE) == (ShoeExchanged("s2", 6, "s1"),)
    now, was = evening.table.round, before.round
    assert now is not None
    assert was is not None
    assert (now.cards, now.shoes, now.draws, now.bets) == (was.cards, was.shoes, was.draws, was.bets)
    assert evening.table.shoe == Shoe("s2", 6)
    assert evening.table.balances == before.balances
    assert [shoe.id for shoe in now.irregularities.replaced_shoes] == ["s1"]


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_the_round_goes_on_from_the_new_shoe(rules: Rulebook) -> None:
    evening = dealing(rules).deal("9s 2d")
    evening.do(EXCHANGE)
    evening.deal("Th 7c").settle()
    now, shoe = evening.table.round, evening.table.shoe
    assert now is not None
    assert shoe is not None
    assert now.shoes == ("s1", "s1", "s2", "s2")
    assert now.draws[2:] == (0, 1)
    assert (shoe.id, shoe.drawn) == ("s2", 2)


def test_cards_that_nobody_has_seen_are_dealt_again_face_down() -> None:
    evening = dealing(RULES, face_down=True).deal_unseen(4)
    for place, card in enumerate(("9s", "2d"), 1):
        evening.do(commands.TurnCard(*DEALER, place, Card(card)))
    assert evening.do(EXCHANGE) == (ShoeExchanged("s2", 6, "s1", (3, 4)),)
    now, shoe = evening.table.round, evening.table.shoe
    assert now is not None
    assert shoe is not None
    assert now.cards == (Card("9s"), Card("2d"), None, None)
    assert now.shoes == ("s1", "s1", "s2", "s2")
    assert now.draws == (0, 1, 0, 1)
    assert shoe.drawn == 2
    evening.do(commands.TurnCard(*DEALER, 3, Card("9s")))  # each card is counted in its own shoe
    evening.do(commands.TurnCard(*DEALER, 4, Card("7c")))
    assert [each.copies_seen(Card("9s")) for each in (evening.table.shoe, *_replaced(evening)) if each] == [1, 1]
    evening.settle()


def _replaced(evening: Evening) -> tuple[Shoe, ...]:
    assert evening.table.round is not None
    return evening.table.round.irregularities.replaced_shoes


def test_a_card_drawn_too_early_stays_if_it_was_seen_and_is_drawn_again_if_not() -> None:
    evening = dealing(RULES)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None, Card("5h"))))
    (event,) = evening.do(EXCHANGE)
    assert isinstance(event, ShoeExchanged)
    assert event.dealt_again == (1,)
    first, second = evening.table.carried
    assert (first.card, first.shoe, first.draw) == (None, "s2", 0)
    assert (second.card, second.shoe, second.draw) == (Card("5h"), "s1", 1)


def test_a_squeeze_starts_again_with_the_new_card() -> None:
    ann = ("ann", Position.PLAYER)
    evening = dealing(RULES, ("ann", "player", 100_00), face_down=True)
    evening.do(commands.RequestSqueeze(*ann, "ann", Side.PLAYER))
    evening.do(commands.GrantSqueeze(*SUPERVISOR, Side.PLAYER))
    evening.deal_unseen(4)
    evening.do(commands.SqueezeCard(*ann, 1))
    evening.do(EXCHANGE)
    assert evening.table.round is not None
    assert evening.table.round.squeezed == frozenset()


def test_a_shoe_that_was_to_come_next_does_not_come() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00))
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("5h"), None)))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (2, 1)))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "next", 8))
    before = evening.table
    evening.do(EXCHANGE)
    after = evening.table
    assert before.next_shoe == Shoe("next", 8)
    assert (after.shoe, after.next_shoe) == (Shoe("s2", 6, drawn=1), None)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_bets_stay_while_betting_is_open(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "player", 100_00)
    evening.do(EXCHANGE)
    assert evening.table.phase is Phase.BETTING
    evening.close_betting().deal(NATURAL).settle()
    assert evening.table.round is not None
    assert set(evening.table.round.shoes) == {"s2"}


def test_it_is_for_a_round_and_needs_a_new_shoe_that_the_book_allows() -> None:
    evening = dealing(RULES).deal("9s")
    evening.refuse(reports.ExchangeShoe(*HOUSE, "s1", 8), TableCode.SHOE_IN_USE)
    evening.refuse(reports.ExchangeShoe(*HOUSE, "s2\n", 8), TableCode.BAD_NAME)
    evening.refuse(reports.ExchangeShoe(*HOUSE, "s2", 99), Code.DECKS_OUT_OF_RANGE, *cited(RULES, "decks"))
    ready(RULES).refuse(EXCHANGE, TableCode.NO_ROUND, *cited(RULES, "interruption"))
