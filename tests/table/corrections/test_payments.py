"""What was handed over after the settlement, if it was not what was due."""

import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.correction_events import PaymentCorrected
from punto.table.records.corrections import CorrectCard, CorrectPayment
from punto.table.records.kinds import Effect
from punto.table.records.ledger import FLOAT, MISPAID, Posting, chips
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.corrections.slips import correct_bet, differences, felt
from tests.table.numbers import having
from tests.table.tables import CHIPS_MINOR, DEALER, MANAGER, NATURAL, SHIFT, SUPERVISOR, Evening, betting


def _settled(rules: Rulebook) -> Evening:
    """Ann won 100.00 on Player: 200.00 were due; ben lost 50.00 on Banker."""
    evening = felt(rules)
    evening.bet("ann", "player", 100_00)
    evening.bet("ben", "banker", 50_00)
    return evening.play(NATURAL)


def _paid(paid_minor: int, recovered_minor: int = 0, who: str = "ann", bet: str = "player") -> CorrectPayment:
    return CorrectPayment(*SUPERVISOR, who, 1 if who == "ann" else 2, bet, paid_minor, "seen on film", recovered_minor)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_what_was_not_recovered_is_the_players_and_mispaid(rules: Rulebook) -> None:
    for paid, recovered, kept in ((250_00, 0, 50_00), (250_00, 20_00, 30_00), (180_00, 0, -20_00)):
        evening = _settled(rules)
        before = evening.table.balances
        evening.do(_paid(paid, recovered))
        after = evening.table.balances
        assert after[chips("ann")] == before[chips("ann")] + kept
        assert after[MISPAID] == -kept
        assert after[FLOAT] == before[FLOAT]
        (event,) = evening.happened(PaymentCorrected)
        assert (event.due_minor, event.paid_minor, event.mispaid_minor) == (200_00, paid, kept)
        assert event.postings == (Posting(MISPAID, -kept), Posting(chips("ann"), kept))


def test_a_later_correction_replaces_the_earlier_one() -> None:
    evening = _settled(book("commission-insurance"))
    before = evening.table.balances
    evening.do(_paid(250_00))
    evening.refuse(_paid(250_00), TableCode.NOTHING_TO_CORRECT)
    evening.do(_paid(250_00, 50_00))
    assert evening.table.balances == before
    evening.do(_paid(70_00, who="ben", bet="banker"))  # paid though it lost
    assert evening.table.balances[MISPAID] == -70_00


def test_a_settlement_made_again_counts_what_was_really_handed_over() -> None:
    evening = _settled(book("commission-insurance"))
    evening.do(_paid(250_00))
    evening.do(correct_bet("ann", "player", 300_00))
    # 600.00 are due; ann has 250.00 and the 200.00 that nobody knew of
    assert differences(evening) == {("ann", "player"): 150_00}
    assert MISPAID not in evening.table.balances
    assert evening.table.chips_minor("ann") == CHIPS_MINOR + 300_00


@pytest.mark.parametrize("ruled", [False, True])
def test_also_for_a_bet_that_was_returned(*, ruled: bool) -> None:
    """50.00 of 100.00 were handed back. A correction of a suit has the rest paid, unless a ruling closed the matter."""
    evening = felt(book("commission-insurance"))
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("As 2s Ad 3d 6h Kc")  # insurance on Banker was not offered and would have won
    if ruled:
        evening.settle().do(_paid(50_00, bet="banker"))
        returned = (reports.RuledBet("ann", 1, "banker"),)
        evening.do(reports.Rule(*SHIFT, "the cards were hidden", Effect.RETURN, returned))
    else:
        evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "meant to"))
        evening.settle().do(_paid(50_00, bet="banker"))
    before = evening.table.chips_minor("ann")
    evening.do(CorrectCard(*MANAGER, "s1", 2, Face("Ac")))
    assert evening.table.chips_minor("ann") - before == (0 if ruled else 50_00)
    assert differences(evening) == ({} if ruled else {("ann", "banker"): 50_00})


@pytest.mark.parametrize("rules", having("insurance"))
def test_insurance_is_paid_for_both_stages_together(rules: Rulebook) -> None:
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("2s 2h 3d 4d")
    for card in ("6c", "4c"):
        evening.do(commands.OpenInsurance(*DEALER))
        evening.do(evening.insuring("ann", 2_00))
        evening.deal(card)
    evening.settle()
    assert evening.table.round is not None
    results = [one for one in evening.table.round.results if one.bet == "banker_insurance"]
    assert [one.stage for one in results] == list(Stage)
    evening.do(_paid(1_00, bet="banker_insurance"))
    (event,) = evening.happened(PaymentCorrected)
    assert event.due_minor == sum(one.returned_minor for one in results)


def test_what_is_no_payment_is_refused() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "player", 100_00)
    evening.close_betting()
    evening.refuse(_paid(250_00), TableCode.NO_ROUND)
    evening.deal(NATURAL).settle()
    evening.refuse(_paid(200_00), TableCode.NOTHING_TO_CORRECT)
    assert "at most 10 " in evening.refuse(_paid(210_00, 20_00), TableCode.NOTHING_TO_CORRECT).message
    evening.refuse(_paid(250_00, bet="tie"), TableCode.NO_SUCH_BET)
    evening.refuse(_paid(-1), TableCode.AMOUNT_NOT_POSITIVE)
    evening.refuse(CorrectPayment(*SUPERVISOR, "ann", 1, "player", 5, " "), TableCode.REASON_NEEDED)
    evening.refuse(CorrectPayment(*DEALER, "ann", 1, "player", 5, "seen"), TableCode.NOT_AUTHORISED)
    evening.open_betting()
    evening.refuse(_paid(250_00), TableCode.TOO_LATE, "5.11")
    betting(rules).play(NATURAL).refuse(_paid(250_00), TableCode.FELT_TABLES_ONLY)
