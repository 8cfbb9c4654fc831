"""Buy-ins and payouts over a threshold: a supervisor gives the one and verifies the other."""

from typing import Any

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.play.payouts import unverified
from punto.table.preview import Preview, preview
from punto.table.records import commands, reports
from punto.table.records.corrections import CorrectBet, CorrectCard
from punto.table.records.events import BettingOpened, ChipsBought, Payout, PayoutsVerified, RoundSettled, TableClosed
from punto.table.records.findings import PayoutsNotVerified
from punto.table.records.kinds import BuyInKind
from punto.table.records.positions import STAFF, SUPERVISOR_UP, Position, in_order
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.corrections.slips import felt
from tests.table.tables import BANKER_ON_FIVE, DEALER, HOUSE, MANAGER, NATURAL, SUPERVISOR, Evening, opened

RULES = book("commission-insurance")
THRESHOLD_MINOR = 100_00
VERIFY = commands.VerifyPayouts(*SUPERVISOR)
EVERY_BOOK = pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)


def settled(rules: Rulebook, *bets: tuple[str, str, int], cards: str = NATURAL, **changes: Any) -> Evening:
    """A settled round of a felt table whose payouts above 100.00 are verified."""
    evening = felt(rules, **{"payout_supervised_minor": THRESHOLD_MINOR, **changes})
    for who, bet, stake_minor in bets:
        evening.bet(who, bet, stake_minor)
    return evening.play(cards)


# ---- buy-ins


@EVERY_BOOK
@pytest.mark.parametrize("kind", BuyInKind)
def test_a_larger_buy_in_needs_a_supervisor(rules: Rulebook, kind: BuyInKind) -> None:
    evening = opened(rules, buy_in_supervised_minor=THRESHOLD_MINOR)
    evening.do(commands.BuyIn(*DEALER, "ann", THRESHOLD_MINOR, kind))
    larger = commands.BuyIn(*DEALER, "ann", THRESHOLD_MINOR + 1, kind)
    refusal = evening.refuse(larger, TableCode.NOT_AUTHORISED)
    assert (refusal.variant, refusal.values["most"]) == ("buy_in", THRESHOLD_MINOR)
    for by in (SUPERVISOR, MANAGER, HOUSE):
        (bought,) = evening.do(replace(larger, by=by[0], position=by[1]))
        assert isinstance(bought, ChipsBought)


def test_what_a_dealer_proposes_a_supervisor_can_approve() -> None:
    evening = opened(RULES, buy_in_supervised_minor=THRESHOLD_MINOR)
    seen = preview(RULES, evening.table, commands.BuyIn(*DEALER, "ann", THRESHOLD_MINOR + 1))
    assert isinstance(seen, Preview)
    assert seen.positions == in_order(SUPERVISOR_UP)


def test_the_bounds_of_a_buy_in_are_those_of_the_position() -> None:
    evening = opened(RULES, buy_in_supervised_minor=THRESHOLD_MINOR)
    most = {
        position: {move.most for move in legal(RULES, evening.table, "x", position) if _is(move.command, "buy_in.1")}
        for position in (Position.DEALER, Position.PIT_SUPERVISOR)
    }
    assert most[Position.DEALER] == {THRESHOLD_MINOR}
    assert min(each or 0 for each in most[Position.PIT_SUPERVISOR]) > THRESHOLD_MINOR


def _is(command: commands.Command, tag: str) -> bool:
    return command.__struct_config__.tag == tag


# ---- payouts


@EVERY_BOOK
def test_payouts_over_the_threshold_are_verified(rules: Rulebook) -> None:
    evening = settled(rules, ("ann", "player", 100_01), ("ben", "player", 100_00), ("cat", "banker", 500_00))
    clauses = evening.happened(RoundSettled)[0].results[0].clauses
    verified = PayoutsVerified(1, (Payout("ann", 1, "player", 100_01),), clauses)
    assert evening.do(VERIFY) == (verified,)
    evening.refuse(VERIFY, TableCode.NOTHING_TO_VERIFY)
    assert [type(event) for event in evening.do(commands.OpenBetting(*DEALER))] == [BettingOpened]


@EVERY_BOOK
def test_the_next_call_for_bets_does_not_wait_and_the_finding_is_on_record(rules: Rulebook) -> None:
    evening = settled(rules, ("ann", "player", 100_01), ("ben", "player", 300_00))
    finding, call = evening.do(commands.OpenBetting(*DEALER))
    assert isinstance(finding, PayoutsNotVerified)
    assert finding.round == 1
    assert [(each.who, each.amount_minor) for each in finding.payouts] == [("ann", 100_01), ("ben", 300_00)]
    assert isinstance(call, BettingOpened)
    evening.refuse(VERIFY, TableCode.NOTHING_TO_VERIFY)
    assert len(evening.play(NATURAL).open_betting().happened(PayoutsNotVerified)) == 1


def test_closing_the_table_records_it_too() -> None:
    evening = settled(RULES, ("ann", "player", 100_01))
    events = evening.do(commands.CloseTable(*SUPERVISOR))
    assert isinstance(events[0], PayoutsNotVerified)
    assert isinstance(events[-1], TableClosed)


@pytest.mark.parametrize(("chip_minor", "waits"), [(1, False), (5_00, True)])
def test_what_is_handed_over_counts_after_commission_and_in_chips(chip_minor: int, *, waits: bool) -> None:
    """105.00 on Banker less 5.25 is 99.75; in chips of 5.00 that is 100.00."""
    changes = {"smallest_chip_minor": chip_minor, "payout_supervised_minor": 99_75}
    evening = settled(RULES, ("ann", "banker", 105_00), cards="Ks 4d 6h 3c", **changes)
    assert bool(unverified(evening.table)) == waits


def test_insurance_is_a_payout_of_its_own() -> None:
    evening = felt(RULES, payout_supervised_minor=1)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    evening.deal("7c 2h").settle()
    (verified,) = evening.do(VERIFY)
    assert isinstance(verified, PayoutsVerified)
    assert [(each.bet, each.stage) for each in verified.payouts] == [("banker_insurance", Stage.FOUR)]


def test_after_a_correction_only_what_changed_is_verified_again() -> None:
    evening = settled(RULES, ("ann", "player", 200_00), ("ben", "player", 300_00))
    evening.do(VERIFY)
    evening.do(CorrectBet(*SUPERVISOR, "ben", 2, "player", 350_00))
    (verified,) = evening.do(VERIFY)
    assert isinstance(verified, PayoutsVerified)
    assert [(each.who, each.amount_minor) for each in verified.payouts] == [("ben", 350_00)]


def test_a_corrected_result_needs_no_verification_of_the_old_one() -> None:
    evening = settled(RULES, ("ann", "player", 200_00))
    evening.do(CorrectCard(*MANAGER, "s1", 1, Face("6d")))
    assert evening.happened(RoundSettled)[-1].results[0].result is Result.PUSH
    evening.refuse(VERIFY, TableCode.NOTHING_TO_VERIFY)


def test_the_settings_under_which_the_round_was_played_count() -> None:
    evening = settled(RULES, ("ann", "player", 200_00))
    held = evening.table.settings
    assert held is not None
    evening.do(commands.ChangeSettings(*SUPERVISOR, replace(held, payout_supervised_minor=None)))
    assert unverified(evening.table)
    evening.do(VERIFY)


def test_a_void_round_has_nothing_to_verify() -> None:
    evening = settled(RULES, ("ann", "player", 200_00))
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    evening.refuse(VERIFY, TableCode.NOTHING_TO_VERIFY)
    assert [type(event) for event in evening.do(commands.OpenBetting(*DEALER))] == [BettingOpened]


def test_who_somebody_is_changes_nothing_about_what_was_verified() -> None:
    evening = settled(RULES, ("ann", "player", 200_00))
    evening.do(VERIFY)
    evening.do(commands.IdentifyPlayer(*DEALER, "ann", "P000123"))
    assert not unverified(evening.table)


def test_it_is_listed_for_those_who_may_while_it_is_due() -> None:
    evening = settled(RULES, ("ann", "player", 200_00))

    def listed() -> list[Position]:
        moves = {position: legal(RULES, evening.table, "x", position) for position in STAFF}
        return [position for position, each in moves.items() if any(_is(m.command, "verify_payouts.1") for m in each)]

    assert listed() == list(in_order(SUPERVISOR_UP))
    assert isinstance(preview(RULES, evening.table, commands.VerifyPayouts(*DEALER)), Preview)
    evening.do(VERIFY)
    assert listed() == []
    assert isinstance(preview(RULES, evening.table, commands.VerifyPayouts(*DEALER)), Refusal)
