"""A player who passes on insurance has answered: nobody waits for them, and they lose no right by it."""

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.play.insurance_stakes import waited_for
from punto.table.records.commands import CloseInsurance, DealCard, Leave, OpenInsurance, PassInsurance
from punto.table.records.events import InsuranceClosed, InsurancePassed
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.table.tables import BANKER_ON_FIVE, DEALER, Evening, box_of, dealing

RULES = book("commission-insurance")
AGAIN = "2s 2h 3d 4d"
"""Player 5, Banker 6; on a six Player has 1, and Banker draws and is insured again."""


def offered(*bets: tuple[str, str, int], cards: str = BANKER_ON_FIVE) -> Evening:
    evening = dealing(RULES, *bets).deal(cards)
    evening.do(OpenInsurance(*DEALER))
    return evening


def passing(who: str) -> PassInsurance:
    return PassInsurance(who, Position.PLAYER, who, box_of(who))


def waits_for(evening: Evening) -> set[tuple[str, int]]:
    return waited_for(RULES, evening.table)


def test_all_who_can_take_the_offer_are_waited_for_until_they_answer() -> None:
    evening = offered(("ann", "banker", 100_00), ("ben", "banker", 100_00), ("cat", "player", 100_00))
    assert waits_for(evening) == {("ann", box_of("ann")), ("ben", box_of("ben"))}
    (passed,) = evening.do(passing("ann"))
    assert isinstance(passed, InsurancePassed)
    assert passed.clauses
    assert waits_for(evening) == {("ben", box_of("ben"))}
    evening.do(evening.insuring("ben", 10_00))
    assert waits_for(evening) == set()


def test_who_has_passed_can_still_take_it_until_the_next_card() -> None:
    evening = offered(("ann", "banker", 100_00))
    evening.do(passing("ann"))
    evening.do(CloseInsurance(*DEALER))
    assert waits_for(evening) == set()
    evening.do(evening.insuring("ann", 10_00))


def test_who_has_passed_forgoes_the_round_as_who_said_nothing_does() -> None:
    said, silent = (offered(("ann", "banker", 100_00), cards=AGAIN) for _ in range(2))
    said.do(passing("ann"))
    ends = [evening.do(DealCard(*DEALER, Card("6h")))[0] for evening in (said, silent)]
    assert ends[0] == ends[1]
    assert isinstance(ends[0], InsuranceClosed)
    assert ends[0].forgone == ("ann",)


def test_the_next_offer_asks_anew() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), forgone_for_the_round=False).deal(AGAIN)
    evening.do(OpenInsurance(*DEALER))
    evening.do(passing("ann"))
    evening.do(DealCard(*DEALER, Card("6h")))
    evening.do(OpenInsurance(*DEALER))
    assert waits_for(evening) == {("ann", box_of("ann"))}


def test_who_cannot_take_it_is_not_waited_for_and_cannot_pass() -> None:
    evening = offered(("ann", "banker", 100_00), ("ben", "banker", 100_00))
    evening.do(Leave("ann", Position.PLAYER, "ann"))
    assert waits_for(evening) == {("ben", box_of("ben"))}
    evening.do(passing("ben"))
    for who in ("ann", "ben", "cat"):
        refusal = decide(RULES, evening.table, passing(who))
        assert isinstance(refusal, Refusal), who
    again = decide(RULES, evening.table, passing("ben"))
    assert isinstance(again, Refusal)
    assert again.code is TableCode.INSURANCE_NOT_OPEN
