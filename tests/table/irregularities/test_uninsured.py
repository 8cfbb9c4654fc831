"""Insurance that was not offered: a late offer while the next card is unseen, or the bet is returned."""

import pytest
from msgspec.structs import replace

from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table import decide, legal
from punto.table.play.claims import claimed_sides, claims
from punto.table.records import commands, reports
from punto.table.records.events import InsuranceMissed, InsuranceOffered, RoundSettled
from punto.table.records.findings import UninsuredBetReturned
from punto.table.records.ledger import FELT
from punto.table.records.positions import STAFF, Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from punto.table.situation import Then, next_step, situation, who_may
from tests.marks import INSURED, clause, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    MANAGER,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    ready,
)

BANKER, PLAYER = Side.BANKER, Side.PLAYER
LATE = reports.OfferLateInsurance(*MANAGER)
WON = f"{BANKER_ON_FIVE} 7c 2h"
"""Player 9, Banker 7: insurance on Banker at four cards would have won."""
LOST = f"{BANKER_ON_FIVE} 4c 3h"
"""Player 6, Banker 8."""
TIED = f"{BANKER_ON_FIVE} 6c 3h"
"""8 to 8."""


def back(who: str = "ann", side: Side = BANKER, box: int = 1) -> reports.ReturnUninsuredBets:
    return reports.ReturnUninsuredBets(*MANAGER, who, box, side, "the player had asked the dealer")


def _missed(rules: Rulebook, dealt: str, *bets: tuple[str, str, int]) -> Evening:
    evening = dealing(rules, *bets, observing=True).deal(dealt)
    assert evening.happened(InsuranceMissed)
    return evening


UNINSURED = having("uninsured_bet", "insurance_neglected", "not_offered", among=INSURED)


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
def test_the_bet_is_returned_before_settlement_and_other_bets_settle_as_usual(rules: Rulebook) -> None:
    evening = _missed(rules, WON, ("ann", "banker", 100_00), ("ann", "tie", 5_00), ("ben", "banker", 40_00))
    (returned,) = evening.do(back())
    assert isinstance(returned, UninsuredBetReturned)
    assert (returned.who, returned.box, returned.side, returned.stake_minor) == ("ann", 1, BANKER, 100_00)
    assert (returned.reason, returned.found_by) == ("the player had asked the dealer", "max")
    assert returned.clauses == cited(rules, "uninsured_bet")
    assert evening.chips["ann"] == CHIPS_MINOR - 5_00
    evening.settle()
    settled = evening.happened(RoundSettled)[0]
    assert [(one.who, one.bet, one.returned_minor) for one in settled.results] == [
        ("ann", "tie", 0),
        ("ben", "banker", 0),
    ]
    assert (evening.chips["ann"], evening.chips["ben"]) == (CHIPS_MINOR - 5_00, CHIPS_MINOR - 40_00)


@pytest.mark.parametrize("rules", UNINSURED)
def test_what_would_have_won_waits_for_the_pit_manager(rules: Rulebook) -> None:
    evening = _missed(rules, WON, ("ann", "banker", 100_00), ("ben", "banker", 40_00), ("cat", "player", 30_00))
    assert [placed.who for placed in claims(rules, evening.table)] == ["ann", "ben"]
    for who in (DEALER, SUPERVISOR):
        evening.refuse(commands.Settle(*who), TableCode.NOT_AUTHORISED, *cited(rules, "uninsured_bet"))
    assert (situation(rules, evening.table).then, situation(rules, evening.table).step) == (Then.UNINSURED, None)
    assert who_may(evening.table, Then.UNINSURED) == STAFF[2:]
    evening.do(back())
    evening.refuse(commands.Settle(*SUPERVISOR), TableCode.NOT_AUTHORISED, *cited(rules, "uninsured_bet"))
    decided = decide(rules, evening.table, commands.Settle(*MANAGER))  # ben had not meant to
    assert isinstance(decided, tuple)
    evening.do(back("ben", box=2))  # or they had: then nothing is left to decide
    assert situation(rules, evening.table).then is Then.SETTLE
    evening.do(commands.Settle(*DEALER))
    assert evening.chips["ann"] == evening.chips["ben"] == CHIPS_MINOR


@pytest.mark.parametrize("rules", UNINSURED)
@pytest.mark.parametrize(
    ("dealt", "bets"),
    [
        (LOST, [("ann", "banker", 100_00)]),
        (TIED, [("ann", "banker", 100_00)]),
        (WON, [("ann", "banker", 100_00)]),
    ],
)
def test_where_nobody_could_have_won_the_dealer_settles(
    rules: Rulebook, dealt: str, bets: list[tuple[str, str, int]]
) -> None:
    evening = _missed(rules, dealt, *bets)
    if dealt == WON:
        evening.do(back())  # nobody else had a bet there
    assert claimed_sides(rules, evening.table) == ()
    assert situation(rules, evening.table).then is Then.SETTLE
    evening.do(commands.Settle(*DEALER))


@pytest.mark.parametrize("rules", UNINSURED)
def test_where_only_cards_are_recorded_the_pit_manager_decides_for_everybody(rules: Rulebook) -> None:
    for dealt, sides in ((WON, (BANKER,)), (TIED, ())):
        evening = ready(rules, cards_only=True).open_betting().close_betting().deal(dealt)
        assert claimed_sides(rules, evening.table) == sides
        if sides:
            evening.refuse(commands.Settle(*DEALER), TableCode.NOT_AUTHORISED, *cited(rules, "uninsured_bet"))
            evening.do(commands.Settle(*MANAGER))
        else:
            evening.do(commands.Settle(*DEALER))


@pytest.mark.parametrize("rules", UNINSURED)
def test_a_table_on_screens_is_never_stopped_by_it(rules: Rulebook) -> None:
    """There an offer is missed only where a card was exposed too early, and bets can go back after the settlement."""
    evening = _missed(rules, WON, ("ann", "banker", 100_00))
    assert evening.table.settings is not None
    automatic = replace(evening.table.settings, observing=False, automations=ALL_AUTOMATIONS)
    evening.table = replace(evening.table, settings=automatic)
    step = next_step(rules, evening.table)
    assert step is not None
    evening.do(step.command())
    assert evening.table.phase is Phase.READY
    evening.do(back())
    assert evening.chips["ann"] == CHIPS_MINOR


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
def test_the_bet_is_returned_after_settlement_too(rules: Rulebook) -> None:
    evening = _missed(rules, WON, ("ann", "banker", 100_00), ("ben", "banker", 40_00)).settle()
    evening.do(back())
    assert (evening.chips["ann"], evening.chips["ben"]) == (CHIPS_MINOR, CHIPS_MINOR - 40_00)
    evening.refuse(back(), TableCode.NO_SUCH_BET, *cited(rules, "uninsured_bet"))
    evening.open_betting()
    evening.refuse(back("ben", box=2), TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
@pytest.mark.parametrize("settled", [False, True], ids=["before", "after"])
def test_a_bet_that_played_pro_rata_is_returned_in_full(rules: Rulebook, *, settled: bool) -> None:
    evening = betting(rules, observing=True, differential_minor=60_00)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(WON)
    if settled:
        evening.settle()
        assert evening.chips["ann"] == CHIPS_MINOR - 60_00
    evening.do(back())
    assert evening.chips["ann"] == CHIPS_MINOR
    if not settled:
        evening.settle()
    assert evening.chips["ann"] == CHIPS_MINOR
    assert FELT not in evening.table.balances


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
def test_only_if_insurance_would_have_won(rules: Rulebook) -> None:
    for dealt in (LOST, TIED):
        evening = _missed(rules, dealt)
        evening.refuse(back(), TableCode.WOULD_NOT_HAVE_WON, *cited(rules, "uninsured_bet"))
        evening.settle()
        evening.refuse(back(), TableCode.WOULD_NOT_HAVE_WON, *cited(rules, "uninsured_bet"))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
def test_a_tie_that_pays_insurance_is_one_that_would_have_won(rules: Rulebook) -> None:
    nines = "2s 2h 3d 2d 4c 5c"  # Player 5 and 4: 9; Banker 4 draws a 5: 9
    evening = _missed(rules, nines, ("ann", "player", 100_00)).settle()
    settled = evening.table.balances
    (returned,) = evening.do(back(side=PLAYER))
    assert isinstance(returned, UninsuredBetReturned)
    assert returned.postings == ()  # the tie has returned it already
    assert evening.table.balances == settled


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
def test_standing_players_get_their_own_bets_back_too(rules: Rulebook) -> None:
    evening = _missed(rules, WON, ("ann", "banker", 100_00), ("dan", "banker", 30_00), ("ben", "player", 10_00))
    evening.do(back("dan"))
    assert evening.chips["dan"] == CHIPS_MINOR
    evening.refuse(back("ben", box=2), TableCode.NO_SUCH_BET, *cited(rules, "uninsured_bet"))
    # the offer on ben's bet, after Player's third card, was missed too; it would have lost
    evening.refuse(back("ben", PLAYER, 2), TableCode.WOULD_NOT_HAVE_WON, *cited(rules, "uninsured_bet"))
    evening.settle()
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
def test_a_player_who_walked_away_has_forgone_it(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.bet("ann", "banker", 100_00)
    evening.bet("ben", "banker", 40_00)
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.close_betting().deal(WON)
    evening.refuse(back(), TableCode.INSURANCE_FORGONE, *cited(rules, "forgone"))
    evening.do(back("ben", box=2))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", UNINSURED)
def test_an_offer_that_was_made_and_not_taken_leaves_no_claim(rules: Rulebook) -> None:
    evening = dealing(rules).deal(WON)  # offered, and nobody took it
    assert evening.happened(InsuranceOffered)
    evening.refuse(back(), TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", having("uninsured_bet", "no_insurance", among=INSURED))
def test_no_late_offer_or_return_at_a_table_without_insurance(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True, private=True, no_insurance=True).deal(WON)
    assert not evening.happened(InsuranceMissed)
    evening.refuse(back(), TableCode.INSURANCE_NOT_MISSED, *cited(rules, "no_insurance"))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", having("uninsured_bet", "waiver", among=INSURED))
def test_a_waived_offer_leaves_no_claim(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), face_down=True, observing=True).deal("2s Kh 3d Ad")
    evening.do(commands.WaiveThirdCardInsurance(*SUPERVISOR, "ann"))
    evening.deal_unseen(2).turn("3c 8h").settle()  # Player 8, Banker 9
    assert not evening.happened(InsuranceMissed)
    evening.refuse(back(side=PLAYER), TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))


@pytest.mark.parametrize("rules", UNINSURED)
def test_only_a_pit_manager_or_above_may_return_it(rules: Rulebook) -> None:
    for by in (MANAGER, SHIFT):
        _missed(rules, WON).do(replace(back(), by=by[0], position=by[1]))
    for by in (DEALER, SUPERVISOR):
        refused = replace(back(), by=by[0], position=by[1])
        _missed(rules, WON).refuse(refused, TableCode.NOT_AUTHORISED, *cited(rules, "uninsured_bet"))


# ---- what the player could have taken


def _insured_first(rules: Rulebook, dealt: str, **stakes: int) -> Evening:
    """Banker 6 over Player 5: these players insured; then the third-card offer was missed."""
    bets = [(who, "banker", 100_00) for who in ("ann", "dan")]
    evening = dealing(rules, *bets, observing=True, least=1_00, differential_minor=1000_00).deal("2s 2h 3d 4d")
    evening.do(commands.OpenInsurance(*DEALER))
    for who, stake_minor in stakes.items():
        evening.do(evening.insuring(who, stake_minor))
    evening.deal(dealt)
    assert [one.stage for one in evening.happened(InsuranceMissed)] == ["third"]
    return evening


CAPPED = having(
    "uninsured_bet", "insurance_cap", among=[rules for rules in INSURED if rules.id == "commission-insurance"]
)


@reading("insurance_not_offered", "cap_on_winnings_of_the_round")
@pytest.mark.parametrize("rules", CAPPED)
@pytest.mark.parametrize("settled", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("insured", "room"), [(33_33, False), (33_32, False), (33_31, True)])
def test_the_bet_is_returned_only_if_room_was_left_under_the_cap(
    rules: Rulebook, insured: int, *, room: bool, settled: bool
) -> None:
    evening = _insured_first(rules, "6c 4c", ann=insured, dan=1_00)  # Player 1, Banker 0; 33.31 leaves 0.07 at 7 to 1
    if settled:
        evening.settle()
    if room:
        evening.do(back())
    else:
        refused = evening.refuse(back(), Code.INSURANCE_ABOVE_CAP, *cited(rules, "insurance_cap"))
        assert "no room" in refused.message
    if not settled:
        evening.settle()
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00 + 3 * insured + (100_00 if room else 0)


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", having("uninsured_bet", among=INSURED[1:]))
def test_where_each_offer_has_a_cap_of_its_own_room_was_left(rules: Rulebook) -> None:
    evening = _insured_first(rules, "6c 4c", ann=100_00, dan=1_00)
    evening.do(back())
    evening.settle()
    assert evening.chips["ann"] == CHIPS_MINOR + 250_00  # at 5 to 2


@reading("insurance_not_offered", "forgoing_insurance")
@pytest.mark.parametrize("rules", having("uninsured_bet", "forgone", among=INSURED))
def test_a_player_who_had_forgone_insurance_when_it_was_due_has_no_claim(rules: Rulebook) -> None:
    evening = _insured_first(rules, "6c 4c", dan=1_00)
    evening.refuse(back(), TableCode.INSURANCE_FORGONE, *cited(rules, "forgone"))
    evening.do(back("dan"))


@reading("insurance_not_offered", "forgoing_insurance")
@pytest.mark.parametrize("rules", UNINSURED)
def test_forgoing_a_later_offer_or_leaving_afterwards_keeps_the_claim(rules: Rulebook) -> None:
    bets = (("ann", "banker", 100_00), ("dan", "banker", 100_00))
    evening = dealing(rules, *bets, observing=True).deal("2s 2h 3d 4d 6c")  # the offer on four cards was missed
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(commands.Leave("dan", Position.PLAYER, "dan"))
    evening.deal("4c")
    assert evening.table.round is not None
    assert evening.table.round.insurance.forgone == {"ann"}
    evening.do(back())
    evening.do(back("dan"))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", CAPPED)
@pytest.mark.parametrize("settled", [False, True], ids=["before", "after"])
def test_what_the_player_ends_with_is_known_before_it_is_decided(rules: Rulebook, *, settled: bool) -> None:
    bets = (("ann", "banker", 100_00), ("ann", "tie", 5_00), ("dan", "banker", 60_00))
    evening = dealing(rules, *bets, observing=True).deal("2s 2h 3d 4d")
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 20_00))
    evening.do(evening.insuring("dan", 20_00))  # wins 60.00 at 3 to 1: no room is left
    evening.deal("6c 4c")
    if settled:
        evening.settle()
    moves = [move for move in legal(rules, evening.table, *MANAGER) if isinstance(move.command, type(back()))]
    assert [(one.command.who, one.ends_with_minor) for one in moves if isinstance(one.command, type(back()))] == [
        ("ann", 100_00 + 80_00)
    ]
    before = evening.table.chips_minor("ann")
    evening.do(back())
    if not settled:
        evening.settle()
        assert evening.table.chips_minor("ann") - before == 180_00
    assert evening.table.chips_minor("ann") == CHIPS_MINOR - 125_00 + 180_00


@pytest.mark.parametrize("rules", UNINSURED)
def test_a_bet_returned_before_counts_in_what_the_player_ends_with(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 4))
    for box in (1, 4):
        evening.bet("ann", "banker", 100_00, box)
    evening.close_betting().deal(WON)
    evening.do(back())
    for _ in range(2):
        moves = [move for move in legal(rules, evening.table, *MANAGER) if isinstance(move.command, type(back()))]
        assert [one.ends_with_minor for one in moves] == [200_00]
        if evening.table.phase is Phase.DEALING:
            evening.settle()


@pytest.mark.parametrize("rules", UNINSURED)
@pytest.mark.parametrize("settled", [False, True], ids=["before", "after"])
def test_what_did_not_play_counts_once_in_what_the_player_ends_with(rules: Rulebook, *, settled: bool) -> None:
    evening = betting(rules, observing=True, least=50_00, differential_minor=100_00)
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 4))
    for box in (1, 4):
        evening.bet("ann", "banker", 300_00, box)  # of which 100.00 plays
    evening.close_betting().deal(WON)
    if settled:
        evening.settle()
    evening.do(back())
    (move,) = [move for move in legal(rules, evening.table, *MANAGER) if isinstance(move.command, type(back()))]
    assert move.ends_with_minor == 600_00


@reading("insurance_not_offered")
@clause("commission-insurance", "5.13")
def test_the_book_without_a_late_offer_only_returns() -> None:
    (rules,) = [rules for rules in INSURED if rules.id == "commission-insurance"]
    evening = _missed(rules, "2s 2h 3d 4d 6c", ("ann", "banker", 100_00))
    evening.refuse(LATE, TableCode.NOT_IN_BOOK)
    evening.deal("4h").settle()
    evening.do(back())
    assert evening.chips["ann"] == CHIPS_MINOR
