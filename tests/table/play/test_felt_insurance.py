"""Insurance at a felt table: what may play is taken, and the rest is flagged and goes back."""

import pytest

from punto.rules.bets.insurance import Stage
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.records import commands, reports
from punto.table.records.events import (
    Event,
    InsuranceClosed,
    InsuranceFlag,
    InsuranceFlagged,
    InsuranceMissed,
    InsuranceOffered,
    InsuranceTaken,
)
from punto.table.records.ledger import BROUGHT, MAX_AMOUNT_MINOR, chips
from punto.table.refusals import TableCode
from tests.marks import INSURED
from tests.table.numbers import cited, having
from tests.table.tables import BANKER_ON_FIVE, CHIPS_MINOR, DEALER, SUPERVISOR, Evening, betting, dealing

TWICE = "2s 2h 3d 4d"
"""Insurance on Banker on four cards, and again after a six for Player."""


def _lying(who: str, stake_minor: int, box: int = 1) -> commands.TakeInsurance:
    return commands.TakeInsurance(*DEALER, who, box, stake_minor)


def _offered(rules: Rulebook) -> Evening:
    """Ann has 100 on Banker, and ben has 100 on Player; the offer on Banker stands."""
    evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 100_00), observing=True)
    evening.deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    return evening


def _cap(evening: Evening) -> int:
    """The largest stake that the book allows ann: by its winnings, or by the Original Bet."""
    if evening.rules.id != "commission-insurance":
        return 100_00
    return 100_00 // int(evening.happened(InsuranceOffered)[-1].odds)


def _flagged(events: tuple[Event, ...]) -> InsuranceFlagged:
    flagged = events[-1]
    assert isinstance(flagged, InsuranceFlagged)
    return flagged


@pytest.mark.parametrize("rules", having("insurance_cap"))
def test_what_is_above_the_cap_goes_back_the_newest_first(rules: Rulebook) -> None:
    evening = _offered(rules)
    cap = _cap(evening)
    assert len(evening.do(_lying("ann", cap - 1_00))) == 1
    taken, flagged = evening.do(_lying("ann", 3_00))
    assert isinstance(taken, InsuranceTaken)
    assert taken.stake_minor == 1_00
    clauses = cited(rules, "insurance_cap")
    assert flagged == InsuranceFlagged("ann", 1, Stage.FOUR, 2_00, InsuranceFlag.ABOVE_CAP, clauses)
    assert evening.table.chips_minor("ann") == CHIPS_MINOR - 100_00 - cap
    assert evening.do(_lying("ann", 5)) == (InsuranceFlagged("ann", 1, Stage.FOUR, 5, flagged.why, clauses),)
    assert evening.table.chips_minor("ann") == CHIPS_MINOR - 100_00 - cap


@pytest.mark.parametrize("rules", having("insured_bet"))
def test_without_an_original_bet_on_that_side_it_goes_back(rules: Rulebook) -> None:
    evening = _offered(rules)
    clauses = cited(rules, "insured_bet")
    for who, box in (("ben", 2), ("ann", 2), ("P000123", 1), ("box 5", 5)):
        before = evening.table
        (flagged,) = evening.do(_lying(who, 5_00, box))
        assert flagged == InsuranceFlagged(who, box, Stage.FOUR, 5_00, InsuranceFlag.NO_ORIGINAL_BET, clauses)
        assert evening.table == before


@pytest.mark.parametrize("rules", having("forgone"))
def test_who_has_forgone_insurance_gets_it_back(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "banker", 100_00), observing=True).deal(TWICE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(_lying("dan", 1_00))
    evening.deal("6c")
    assert evening.happened(InsuranceClosed)[-1].forgone == ("ann",)
    evening.do(commands.OpenInsurance(*DEALER))
    flagged = InsuranceFlagged("ann", 1, Stage.THIRD, 2_00, InsuranceFlag.FORGONE, cited(rules, "forgone"))
    assert evening.do(_lying("ann", 2_00)) == (flagged,)
    assert len(evening.do(_lying("dan", 1_00))) == 1


@pytest.mark.parametrize("rules", having("walks_away", where="insurance"))
def test_who_has_walked_away_insures_nothing_more(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "banker", 100_00), observing=True).deal(TWICE)
    evening.do(commands.Leave(*DEALER, "ann"))
    flagged = _flagged(evening.do(_lying("ann", 2_00)))
    assert (flagged.why, flagged.clauses) == (InsuranceFlag.FORGONE, cited(rules, "walks_away"))
    assert not evening.happened(InsuranceOffered), "what does not play proves nothing"


@pytest.mark.parametrize("rules", having("insurance"))
@pytest.mark.parametrize("took", [False, True])
def test_after_the_next_card_it_goes_back(rules: Rulebook, *, took: bool) -> None:
    evening = dealing(rules, observing=True).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    if took:
        evening.do(_lying("ann", 1_00))
    evening.deal("4c")
    why, rule = (InsuranceFlag.NO_OFFER, "insurance") if took else (InsuranceFlag.FORGONE, "forgone")
    assert evening.do(_lying("ann", 5_00)) == (InsuranceFlagged("ann", 1, None, 5_00, why, cited(rules, rule)),)
    assert evening.table.chips_minor("ann") == CHIPS_MINOR - 100_00 - took * 1_00


@pytest.mark.parametrize("rules", having("no_insurance"))
def test_where_none_is_offered_it_goes_back(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True, private=True, no_insurance=True).deal(BANKER_ON_FIVE)
    flagged = _flagged(evening.do(_lying("ann", 5_00)))
    assert (flagged.why, flagged.clauses) == (InsuranceFlag.NO_OFFER, cited(rules, "no_insurance"))


@pytest.mark.parametrize("rules", having("insurance"))
def test_before_anything_is_due_it_goes_back(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True).deal("As 2s")
    assert _flagged(evening.do(_lying("ann", 5_00))).why is InsuranceFlag.NO_OFFER


@pytest.mark.parametrize("rules", having("insurance", "not_offered"))
def test_chips_on_an_offer_that_is_due_prove_that_it_was_made(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True).deal(BANKER_ON_FIVE)
    offered, taken = evening.do(_lying("ann", 5_00))
    assert isinstance(offered, InsuranceOffered)
    assert isinstance(taken, InsuranceTaken)
    assert (offered.stage, offered.side) == (taken.stage, taken.side)
    assert len(evening.do(_lying("ann", 1_00))) == 1, "it stands now"
    evening.deal("4c")
    assert not evening.happened(InsuranceMissed)
    assert evening.happened(InsuranceClosed)[-1].forgone == ()


@pytest.mark.parametrize("rules", having("insurance"))
def test_chips_that_nobody_sold_here_insure_too(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.do(commands.PlaceBet(*DEALER, "box 4", 4, "banker", 100_00))
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(_lying("box 4", 5_00, 4))
    assert evening.table.balances[BROUGHT] == -105_00
    assert chips("box 4") not in evening.table.balances


@pytest.mark.parametrize("rules", having("forgone"))
def test_a_call_is_taken_and_flagged_in_the_same_way(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 100_00), observing=True)
    evening.deal(BANKER_ON_FIVE)
    offered, taken = evening.do(commands.CallInsurance(*DEALER, "ann", 1))
    assert isinstance(offered, InsuranceOffered)
    assert isinstance(taken, InsuranceTaken)
    assert (taken.stake_minor, taken.called) == (_cap(evening), True)
    assert taken.clauses[1:] == cited(rules, "forgone")
    assert _flagged(evening.do(commands.CallInsurance(*DEALER, "ann", 1))).amount_minor == 0
    assert _flagged(evening.do(commands.CallInsurance(*DEALER, "ann", 1, 7))).amount_minor == 7
    assert _flagged(evening.do(commands.CallInsurance(*DEALER, "ben", 2))).why is InsuranceFlag.NO_ORIGINAL_BET


@pytest.mark.parametrize("rules", having("insurance"))
def test_outside_a_coup_and_without_a_person_or_an_amount_it_is_refused(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    clauses = cited(rules, "insurance")
    evening.refuse(_lying("ann", 5_00), TableCode.INSURANCE_NOT_OPEN, *clauses)
    evening.refuse(commands.CallInsurance(*DEALER, "ann", 1), TableCode.INSURANCE_NOT_OPEN, *clauses)
    evening.close_betting()
    evening.refuse(_lying("nobody", 5_00), TableCode.UNKNOWN_PERSON)
    evening.refuse(_lying("ann", 5_00, 99), Code.UNKNOWN_BOX, *cited(rules, "boxes"))
    evening.refuse(_lying("ann", 0), TableCode.AMOUNT_NOT_POSITIVE)
    evening.refuse(commands.CallInsurance(*DEALER, "ann", 1, 0), TableCode.AMOUNT_NOT_POSITIVE)
    evening.refuse(_lying("ann", MAX_AMOUNT_MINOR + 1), Code.AMOUNT_TOO_LARGE, *clauses)
    evening.deal("9s 2d Kh 3c").settle()
    evening.refuse(_lying("ann", 5_00), TableCode.INSURANCE_NOT_OPEN, *clauses)


@pytest.mark.parametrize("rules", having(where="options", among=INSURED))
def test_while_something_is_open_it_waits(rules: Rulebook) -> None:
    evening = _offered(rules)
    evening.do(reports.ReportDealingError(*SUPERVISOR, "it fell"))
    evening.refuse(_lying("ann", 5_00), TableCode.IRREGULARITY_OPEN, *cited(rules, "options"))


@pytest.mark.parametrize("rules", having("insurance"))
def test_on_a_screen_of_a_felt_table_it_is_refused_as_elsewhere(rules: Rulebook) -> None:
    evening = _offered(rules)
    cap = _cap(evening)
    evening.refuse(evening.insuring("ann", cap + 1), Code.INSURANCE_ABOVE_CAP, *cited(rules, "insurance_cap"))
    evening.refuse(evening.insuring("ben", 1), Code.NO_ORIGINAL_BET, *cited(rules, "insured_bet"))
    evening.do(evening.insuring("ann", cap))


@pytest.mark.parametrize("rules", having(where="insurance"))
def test_the_list_has_what_plays_whole_also_on_an_offer_that_is_due(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 100_00), observing=True)
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR - 100_00))
    evening.deal(BANKER_ON_FIVE)

    def listed() -> dict[tuple[type[commands.Command], str], int | None]:
        taking = commands.TakeInsurance | commands.CallInsurance
        moves = legal(rules, evening.table, *DEALER)
        return {(type(m.command), m.command.who): m.most for m in moves if isinstance(m.command, taking)}

    due = listed()
    evening.do(commands.OpenInsurance(*DEALER))
    cap = _cap(evening)
    assert due == listed() == {(commands.TakeInsurance, "ann"): cap, (commands.CallInsurance, "ann"): cap}
