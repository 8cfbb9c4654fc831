"""Who may squeeze which cards, from the call for bets on, and what staff record at a felt table."""

from collections.abc import Callable
from typing import Any

import pytest

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.commands import (
    GrantSqueeze,
    Leave,
    RefuseSqueeze,
    RequestSqueeze,
    SqueezeCard,
    TurnCard,
    WaiveThirdCardInsurance,
)
from punto.table.records.events import (
    BettingClosed,
    CardSqueezed,
    SqueezeGranted,
    SqueezeLapsed,
    SqueezeRefused,
    SqueezeRequested,
)
from punto.table.records.kinds import Effect, SqueezeState
from punto.table.records.positions import Position
from punto.table.records.state import Round
from punto.table.refusals import TableCode
from tests.marks import BOOKS, reading
from tests.table.numbers import cited, having
from tests.table.tables import DEALER, HOUSE, MANAGER, NATURAL, SHIFT, SUPERVISOR, Evening, settings
from tests.table.tables import betting as betting_open
from tests.table.tables import dealing as betting_closed

PLAYER, BANKER = Side.PLAYER, Side.BANKER
LIMITS = {"least": 1_00, "differential_minor": 5_000_00}
SQUEEZED = [rules for rules in BOOKS if cited(rules, "squeeze")]


def betting(rules: Rulebook, *bets: tuple[str, str, int], **changes: Any) -> Evening:
    evening = betting_open(rules, **LIMITS, **{"face_down": True, **changes})
    for bet in bets:
        evening.bet(*bet)
    return evening


def dealing(rules: Rulebook, *bets: tuple[str, str, int], **changes: Any) -> Evening:
    return betting_closed(rules, *bets, **LIMITS, **{"face_down": True, **changes})


def asking(who: str, side: Side = PLAYER) -> RequestSqueeze:
    return RequestSqueeze(who, Position.PLAYER, who, side)


def now(evening: Evening) -> Round:
    assert evening.table.round is not None
    return evening.table.round


# ---- who asks, and when


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("who_may_squeeze", "squeeze_needs_permission")
def test_the_highest_seated_bettor_asks_and_the_house_answers(rules: Rulebook) -> None:
    bets = (("ann", "player", 100_00), ("ben", "banker", 200_00), ("cat", "tie", 900_00), ("dan", "player", 500_00))
    clauses = cited(rules, "squeeze")
    for evening in (betting(rules, *bets), dealing(rules, *bets)):
        for who in ("ann", "cat", "dan"):  # lower, no Original Bet, standing
            assert "'ben'" in evening.refuse(asking(who), TableCode.NOT_THE_HIGHEST_BET, *clauses).message
        evening.refuse(GrantSqueeze(*SUPERVISOR, PLAYER), TableCode.NO_SQUEEZE_ASKED, *clauses)
        evening.refuse(RefuseSqueeze(*SUPERVISOR, PLAYER), TableCode.NO_SQUEEZE_ASKED, *clauses)
        asks = asking("ben", BANKER)
        assert evening.do(asks) == (SqueezeRequested("ben", BANKER, clauses),)
        evening.refuse(asks, TableCode.HAND_ACCEPTED, *clauses)
        assert evening.do(RefuseSqueeze(*SUPERVISOR, BANKER)) == (SqueezeRefused("ben", BANKER, clauses),)
        evening.refuse(GrantSqueeze(*SUPERVISOR, BANKER), TableCode.NO_SQUEEZE_ASKED, *clauses)
        evening.do(asks)
        assert evening.do(GrantSqueeze(*SUPERVISOR, BANKER)) == (SqueezeGranted("ben", BANKER, clauses),)
        evening.refuse(asks, TableCode.HAND_ACCEPTED, *clauses)
        assert (now(evening).squeeze_requests, now(evening).accepted) == ({}, {BANKER: "ben"})


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_among_equal_bets_the_lowest_box_comes_first(rules: Rulebook) -> None:
    evening = dealing(rules, ("cat", "player", 100_00), ("ben", "banker", 100_00))
    evening.refuse(asking("cat"), TableCode.NOT_THE_HIGHEST_BET, *cited(rules, "squeeze"))
    evening.do(RequestSqueeze(*DEALER, "ben", PLAYER))


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_nobody_squeezes_without_a_seated_original_bet_or_face_up_or_between_rounds(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    nobody = dealing(rules, ("ann", "tie", 100_00), ("dan", "player", 100_00))
    assert "No seated" in nobody.refuse(asking("ann"), TableCode.NOT_THE_HIGHEST_BET, *clauses).message
    betting(rules).refuse(asking("ann"), TableCode.NOT_THE_HIGHEST_BET, *clauses)
    dealing(rules, face_down=False).refuse(asking("ann"), TableCode.NOT_FACE_DOWN, *clauses)
    over = dealing(rules).deal(NATURAL).settle()
    for command in (asking("ann"), GrantSqueeze(*SUPERVISOR, PLAYER), RefuseSqueeze(*SUPERVISOR, PLAYER)):
        over.refuse(command, TableCode.NO_ROUND, *clauses)


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_with_the_setting_the_highest_bettor_of_each_hand_asks_for_it(rules: Rulebook) -> None:
    bets = (("ann", "player", 100_00), ("ben", "banker", 200_00), ("cat", "player", 50_00), ("dan", "player", 500_00))
    clauses = cited(rules, "squeeze")
    evening = dealing(rules, *bets, squeeze_by_hand=True)
    for who, side, highest in (("ben", PLAYER, "ann"), ("cat", PLAYER, "ann"), ("ann", BANKER, "ben")):
        refusal = evening.refuse(asking(who, side), TableCode.NOT_THE_HIGHEST_BET, *clauses)
        assert f"on {side.capitalize()} belongs to {highest!r}" in refusal.message
    evening.do(asking("ann", PLAYER))
    evening.do(asking("ben", BANKER))
    assert now(evening).squeeze_requests == {PLAYER: "ann", BANKER: "ben"}
    nobody = dealing(rules, ("ann", "banker", 1_00), squeeze_by_hand=True)
    refusal = nobody.refuse(asking("ann", PLAYER), TableCode.NOT_THE_HIGHEST_BET, *clauses)
    assert "No seated player has a bet on Player" in refusal.message


@pytest.mark.parametrize("rules", having("waiver"))
@reading("when_the_waiver_is_possible")
def test_the_waiver_belongs_to_the_highest_bettor_of_the_table_whatever_the_setting(rules: Rulebook) -> None:
    bets = (("ann", "player", 100_00), ("ben", "banker", 200_00))
    evening = dealing(rules, *bets, squeeze_by_hand=True).deal("As Kh Ad Ac")
    refused = WaiveThirdCardInsurance(*SUPERVISOR, "ann")
    evening.refuse(refused, TableCode.NOT_THE_HIGHEST_BET, *cited(rules, "waiver"))
    evening.do(WaiveThirdCardInsurance(*SUPERVISOR, "ben"))


@pytest.mark.parametrize("rules", having(where="waiver"))
@reading("when_the_waiver_is_possible")
def test_the_waiver_needs_betting_to_be_closed(rules: Rulebook) -> None:
    evening = betting(rules, ("ann", "player", 100_00))
    evening.refuse(WaiveThirdCardInsurance(*SUPERVISOR, "ann"), TableCode.NOT_DEALING, *cited(rules, "first_four"))


# ---- before the card is dealt


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_a_hand_is_asked_for_while_a_card_of_it_is_still_to_be_dealt(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    finished = dealing(rules).deal(NATURAL)
    for side in Side:
        refusal = finished.refuse(asking("ann", side), TableCode.NOTHING_TO_SQUEEZE, *clauses)
        assert f"{side.capitalize()} hand" in refusal.message
    # Player stands on 6 and Banker draws: nothing more comes to Player, a card to Banker
    stands = dealing(rules, ("ann", "tie", 1_00), ("ann", "player", 1_00)).deal("6s Kh Kd 5c")
    stands.refuse(asking("ann"), TableCode.NOTHING_TO_SQUEEZE, *clauses)
    assert stands.do(asking("ann", BANKER)) == (SqueezeRequested("ann", BANKER, clauses, from_place=5),)
    # both draw: once Player's third card is dealt, seen or not, only Banker's is left
    both = dealing(rules, ("ann", "player", 1_00)).deal("As Kh Ad Ac")
    before = both.table
    both.do(asking("ann"))
    both.table = before
    both.deal_unseen(1)
    both.refuse(asking("ann"), TableCode.NOTHING_TO_SQUEEZE, *clauses)
    both.do(asking("ann", BANKER))


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
@pytest.mark.parametrize("dealt", range(5))
def test_a_request_counts_for_the_cards_that_are_not_dealt_yet(rules: Rulebook, dealt: int) -> None:
    clauses = cited(rules, "squeeze")
    evening = dealing(rules, ("ann", "player", 100_00)).deal_unseen(dealt)
    assert evening.do(asking("ann")) == (SqueezeRequested("ann", PLAYER, clauses, from_place=dealt + 1),)
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.deal_unseen(4 - dealt)
    for place in (1, 3):
        squeezing = SqueezeCard("ann", Position.PLAYER, place)
        if place > dealt:
            evening.do(squeezing)
            continue
        for by in (squeezing, SqueezeCard(*DEALER, place, "ann")):
            assert "before the squeeze" in evening.refuse(by, TableCode.NOTHING_TO_SQUEEZE, *clauses).message
    evening.turn("As Kh Ad Ac").deal_unseen(1)
    evening.do(SqueezeCard("ann", Position.PLAYER, 5))


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_a_late_answer_counts_from_the_request(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00)).deal_unseen(1)
    evening.do(asking("ann"))
    evening.deal_unseen(3)
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.refuse(SqueezeCard("ann", Position.PLAYER, 1), TableCode.NOTHING_TO_SQUEEZE, *cited(rules, "squeeze"))
    evening.do(SqueezeCard("ann", Position.PLAYER, 3))


# ---- outbid


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
@pytest.mark.parametrize("granted", [False, True])
def test_a_request_and_a_permission_lapse_at_the_close_if_somebody_else_has_the_highest_bet(
    rules: Rulebook, *, granted: bool
) -> None:
    clauses = cited(rules, "squeeze")
    evening = betting(rules, ("ann", "player", 100_00))
    evening.do(asking("ann"))
    if granted:
        evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.bet("ben", "banker", 100_00)  # equal, but at a higher box
    kept = evening.table
    assert len(evening.do(commands.CloseBetting(*DEALER))) == 1
    assert (now(evening).accepted if granted else now(evening).squeeze_requests) == {PLAYER: "ann"}
    evening.table = kept
    evening.bet("ben", "banker", 1_00)
    closed, *lapsed = evening.do(commands.CloseBetting(*DEALER))
    assert isinstance(closed, BettingClosed)
    assert lapsed == [SqueezeLapsed("ann", PLAYER, clauses)]
    assert (now(evening).squeeze_requests, now(evening).accepted) == ({}, {})
    assert now(evening).squeeze_lapsed == {PLAYER: "ann"}
    evening.refuse(GrantSqueeze(*SUPERVISOR, PLAYER), TableCode.NO_SQUEEZE_ASKED, *clauses)
    evening.do(asking("ben"))  # before the first card there is still time


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_a_bet_taken_back_ends_the_right_at_the_close(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    evening = betting(rules, ("ann", "player", 100_00), ("ben", "banker", 50_00))
    for side in Side:
        evening.do(asking("ann", side))
    evening.do(evening.withdrawing("ann", "player", 60_00))
    evening.close_betting()
    assert evening.happened(SqueezeLapsed) == [SqueezeLapsed("ann", side, clauses) for side in Side]
    alone = betting(rules, ("ann", "player", 100_00))
    alone.do(asking("ann"))
    alone.do(alone.withdrawing("ann", "player", 100_00))
    alone.close_betting()
    assert alone.happened(SqueezeLapsed) == [SqueezeLapsed("ann", PLAYER, clauses)]


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_with_the_setting_each_hand_lapses_by_itself(rules: Rulebook) -> None:
    evening = betting(rules, ("ann", "player", 100_00), ("ann", "banker", 100_00), squeeze_by_hand=True)
    for side in Side:
        evening.do(asking("ann", side))
    evening.bet("ben", "banker", 200_00)
    evening.close_betting()
    assert [event.side for event in evening.happened(SqueezeLapsed)] == [BANKER]
    assert now(evening).squeeze_requests == {PLAYER: "ann"}


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
@pytest.mark.parametrize("granted", [False, True])
def test_a_higher_bettor_who_asks_takes_nothing_away_before_the_close(rules: Rulebook, *, granted: bool) -> None:
    clauses = cited(rules, "squeeze")
    evening = betting(rules, ("ann", "player", 100_00))
    evening.do(asking("ann"))
    if granted:
        evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.bet("ben", "banker", 200_00)
    assert evening.do(asking("ben")) == (SqueezeRequested("ben", PLAYER, clauses),)
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    before = evening.table
    assert evening.do(commands.CloseBetting(*DEALER))[1:] == (SqueezeLapsed("ann", PLAYER, clauses),)
    assert (now(evening).squeeze_requests, now(evening).accepted) == ({}, {PLAYER: "ben"})
    evening.table = before
    evening.do(evening.withdrawing("ben", "banker", 200_00))
    evening.refuse(asking("ann"), TableCode.HAND_ACCEPTED, *clauses)  # the first request still counts
    assert evening.do(commands.CloseBetting(*DEALER))[1:] == (SqueezeLapsed("ben", PLAYER, clauses),)
    if not granted:
        assert (now(evening).squeeze_requests, now(evening).accepted) == ({PLAYER: "ann"}, {})
        evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    assert (now(evening).squeeze_requests, now(evening).accepted) == ({}, {PLAYER: "ann"})
    evening.deal_unseen(4)
    evening.refuse(SqueezeCard("ben", Position.PLAYER, 1), TableCode.NOT_YOUR_OWN, *clauses)
    evening.do(SqueezeCard("ann", Position.PLAYER, 1))


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze", "squeeze_needs_permission")
def test_the_house_answers_the_latest_request_for_a_hand_first(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    for answer in (GrantSqueeze, RefuseSqueeze):
        event = SqueezeGranted if answer is GrantSqueeze else SqueezeRefused
        evening = betting(rules, ("ann", "player", 100_00))
        evening.do(asking("ann"))
        evening.bet("ben", "banker", 200_00)
        evening.do(asking("ben"))
        assert evening.do(answer(*SUPERVISOR, PLAYER)) == (event("ben", PLAYER, clauses),)
        assert now(evening).squeeze_requests == {PLAYER: "ann"}
        assert evening.do(answer(*SUPERVISOR, PLAYER)) == (event("ann", PLAYER, clauses),)
        assert now(evening).squeeze_requests == {}


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_all_who_were_outbid_lapse_at_the_close(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    evening = betting(rules)
    for who, stake in (("ann", 100_00), ("ben", 200_00), ("cat", 300_00)):
        evening.bet(who, "player", stake)
        evening.do(asking(who))
    closed = evening.do(commands.CloseBetting(*DEALER))
    assert closed[1:] == (SqueezeLapsed("ann", PLAYER, clauses), SqueezeLapsed("ben", PLAYER, clauses))
    assert now(evening).squeeze_requests == {PLAYER: "cat"}
    assert [each.who for each in now(evening).squeezes if each.state is SqueezeState.LAPSED] == ["ann", "ben"]


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_nothing_has_lapsed_any_more_for_a_player_who_asks_again(rules: Rulebook) -> None:
    evening = betting(rules, ("ann", "player", 100_00))
    evening.do(asking("ann"))
    evening.bet("ben", "banker", 200_00)
    evening.close_betting()
    assert now(evening).squeeze_lapsed == {PLAYER: "ann"}
    evening.do(Leave("ben", Position.PLAYER, "ben"))
    evening.do(asking("ann"))
    assert (now(evening).squeeze_lapsed, now(evening).squeeze_requests) == ({}, {PLAYER: "ann"})


@pytest.mark.parametrize("rules", having("squeeze"))
@pytest.mark.parametrize("granted", [False, True])
@reading("who_may_squeeze")
def test_after_the_close_a_hand_passes_to_the_highest_bettor_who_asks(rules: Rulebook, *, granted: bool) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "banker", 50_00))
    evening.do(asking("ann"))
    if granted:
        evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.refuse(asking("ben"), TableCode.NOT_THE_HIGHEST_BET, *cited(rules, "squeeze"))
    bet = reports.RuledBet("ann", 1, "player")
    evening.do(reports.Rule(*SHIFT, "the chips were another player's", Effect.RETURN, (bet,)))
    clauses = cited(rules, "squeeze")
    assert evening.do(asking("ben")) == (
        SqueezeLapsed("ann", PLAYER, clauses),
        SqueezeRequested("ben", PLAYER, clauses),
    )
    assert (now(evening).squeeze_requests, now(evening).accepted) == ({PLAYER: "ben"}, {})


@pytest.mark.parametrize("rules", having("squeeze"))
def test_nobody_asks_or_answers_while_players_choose_after_a_dealing_error(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00))
    evening.do(asking("ann"))
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    for command in (asking("ann", BANKER), GrantSqueeze(*SUPERVISOR, PLAYER)):
        evening.refuse(command, TableCode.IRREGULARITY_OPEN, *cited(rules, "options"))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))


# ---- standing grants


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission")
def test_with_the_setting_every_request_is_granted_at_once(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    evening = betting(rules, ("ann", "player", 100_00), squeeze_granted=True)
    granted = (SqueezeRequested("ann", BANKER, clauses), SqueezeGranted("ann", BANKER, clauses))
    assert evening.do(asking("ann", BANKER)) == granted
    assert now(evening).accepted == {BANKER: "ann"}
    assert evening.table.standing_squeezes == frozenset()


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission")
def test_a_standing_grant_counts_for_the_hand_and_for_the_highest_bettor_of_each_round(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    evening = betting(rules, ("ann", "player", 100_00))
    evening.do(asking("ann"))
    granted = evening.do(GrantSqueeze(*SUPERVISOR, PLAYER, standing=True))
    assert granted == (SqueezeGranted("ann", PLAYER, clauses, standing=True),)
    assert evening.table.standing_squeezes == {PLAYER}
    evening.close_betting().deal(NATURAL).settle().open_betting()
    evening.bet("ben", "banker", 100_00)
    assert evening.do(asking("ben"))[1:] == (SqueezeGranted("ben", PLAYER, clauses),)
    assert evening.do(asking("ben", BANKER)) == (SqueezeRequested("ben", BANKER, clauses),)
    assert evening.table.standing_squeezes == {PLAYER}


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission")
@pytest.mark.parametrize("start", [betting, dealing])
def test_a_standing_grant_needs_no_request(rules: Rulebook, start: Callable[..., Evening]) -> None:
    clauses = cited(rules, "squeeze")
    evening = start(rules, ("ann", "player", 100_00))
    standing = GrantSqueeze(*SUPERVISOR, PLAYER, standing=True)
    assert evening.do(standing) == (SqueezeGranted("", PLAYER, clauses, standing=True),)
    assert now(evening).accepted == {}
    assert evening.table.standing_squeezes == {PLAYER}
    assert "at once" in evening.refuse(standing, TableCode.HAND_ACCEPTED, *clauses).message
    evening.refuse(GrantSqueeze(*SUPERVISOR, PLAYER), TableCode.NO_SQUEEZE_ASKED, *clauses)
    assert evening.do(asking("ann"))[1:] == (SqueezeGranted("ann", PLAYER, clauses),)
    # after an ordinary grant
    evening.do(asking("ann", BANKER))
    evening.do(GrantSqueeze(*SUPERVISOR, BANKER))
    refusal = evening.refuse(GrantSqueeze(*SUPERVISOR, BANKER), TableCode.HAND_ACCEPTED, *clauses)
    assert "has already been granted" in refusal.message
    granted = evening.do(GrantSqueeze(*SUPERVISOR, BANKER, standing=True))
    assert granted == (SqueezeGranted("", BANKER, clauses, standing=True),)
    assert now(evening).accepted == {PLAYER: "ann", BANKER: "ann"}
    assert evening.table.standing_squeezes == {PLAYER, BANKER}


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission")
def test_a_standing_grant_is_for_a_table_that_deals_face_down_and_does_not_grant_anyway(rules: Rulebook) -> None:
    clauses, standing = cited(rules, "squeeze"), GrantSqueeze(*SUPERVISOR, PLAYER, standing=True)
    betting(rules, face_down=False).refuse(standing, TableCode.NOT_FACE_DOWN, *clauses)
    betting(rules, squeeze_granted=True).refuse(standing, TableCode.HAND_ACCEPTED, *clauses)
    dealing(rules).deal(NATURAL).settle().refuse(standing, TableCode.NO_ROUND, *clauses)


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission")
def test_a_standing_grant_answers_every_request_for_the_hand(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    evening = betting(rules, ("ann", "player", 100_00))
    evening.do(asking("ann"))
    evening.do(asking("ann", BANKER))
    evening.bet("ben", "banker", 200_00)
    evening.do(asking("ben"))
    granted = evening.do(GrantSqueeze(*SUPERVISOR, PLAYER, standing=True))
    assert granted == tuple(SqueezeGranted(who, PLAYER, clauses, standing=True) for who in ("ann", "ben"))
    assert now(evening).squeeze_requests == {BANKER: "ann"}
    evening.do(evening.withdrawing("ben", "banker", 200_00))
    evening.close_betting()
    assert now(evening).accepted == {PLAYER: "ann"}


def _granted_for_the_shoe(rules: Rulebook) -> Evening:
    evening = betting(rules, ("ann", "player", 100_00))
    evening.do(asking("ann"))
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER, standing=True))
    return evening.close_betting()


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission")
def test_a_standing_grant_ends_with_the_shoe(rules: Rulebook) -> None:
    loaded = _granted_for_the_shoe(rules).deal(NATURAL).settle()
    assert loaded.table.standing_squeezes == {PLAYER}
    loaded.do(commands.LoadShoe(*SUPERVISOR, "s2", rules.decks.most))
    taken_off = _granted_for_the_shoe(rules)
    taken_off.do(reports.ReportForeignCard(*SUPERVISOR))
    for evening in (loaded, taken_off):
        assert evening.table.standing_squeezes == frozenset()


@pytest.mark.parametrize("rules", having("squeeze", "replace_shoe"))
@reading("squeeze_needs_permission")
@pytest.mark.parametrize("at_once", [False, True])
def test_a_standing_grant_ends_when_another_shoe_replaces_this_one(rules: Rulebook, *, at_once: bool) -> None:
    evening = _granted_for_the_shoe(rules)
    evening.do(reports.ReportSimultaneousCards(*DEALER, (None, None)))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", rules.decks.most, now=at_once))
    assert evening.table.standing_squeezes == (frozenset() if at_once else {PLAYER})
    evening.deal_unseen(4).turn(NATURAL).settle()
    assert evening.table.standing_squeezes == frozenset()


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission", "who_the_house_is")
def test_only_the_house_changes_a_table_to_grant_every_squeeze(rules: Rulebook) -> None:
    """A table is opened with the settings of the house, whoever opens it."""
    clauses = cited(rules, "squeeze")
    managed = settings(rules, **LIMITS, house=Position.PIT_MANAGER)
    granted = settings(rules, **LIMITS, house=Position.PIT_MANAGER, squeeze_granted=True)
    closed = Evening(rules)
    closed.do(commands.OpenTable(*SUPERVISOR, granted))
    closed.do(commands.ChangeSettings(*SUPERVISOR, granted))  # it does not change
    closed.do(commands.ChangeSettings(*SUPERVISOR, managed))
    closed.refuse(commands.ChangeSettings(*SUPERVISOR, granted), TableCode.NOT_AUTHORISED, *clauses)
    closed.do(commands.ChangeSettings(*MANAGER, granted))


@pytest.mark.parametrize("rules", having("house", "squeeze", among=SQUEEZED))
def test_the_setting_says_who_speaks_for_the_house(rules: Rulebook) -> None:
    evening = dealing(rules, house=Position.PIT_MANAGER)
    evening.do(asking("ann", BANKER))
    for staff in (DEALER, SUPERVISOR):
        granting = GrantSqueeze(*staff, BANKER)
        detail = evening.refuse(granting, TableCode.NOT_AUTHORISED, *cited(rules, "squeeze")).message
        assert "pit manager, shift manager" in detail
    evening.do(GrantSqueeze(*MANAGER, BANKER))
    evening.do(asking("ann", PLAYER))
    evening.do(RefuseSqueeze(*SHIFT, PLAYER))


# ---- opening the cards


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_the_player_who_squeezes_a_hand_opens_only_its_cards_and_the_table_names_them(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "banker", 50_00))
    clauses = cited(rules, "squeeze")
    evening.do(asking("ann"))
    evening.deal_unseen(4)
    first = SqueezeCard("ann", Position.PLAYER, 1)
    evening.refuse(first, TableCode.NOT_YOUR_OWN, *clauses)  # requested, not answered yet
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.refuse(SqueezeCard("ben", Position.PLAYER, 1), TableCode.NOT_YOUR_OWN, *clauses)
    for place in (2, 4):
        other = evening.refuse(SqueezeCard("ann", Position.PLAYER, place), TableCode.NOT_YOUR_OWN, *clauses)
        assert "'ann' has not been given that hand to squeeze." in other.message
    for place in (0, -1, 5):
        evening.refuse(SqueezeCard("ann", Position.PLAYER, place), TableCode.NO_CARD_THERE)
    assert evening.do(first) == (CardSqueezed("ann", 1),)
    assert now(evening).cards == (None,) * 4  # opened, but not yet named
    assert now(evening).squeezed == {1}
    assert "already open" in evening.refuse(first, TableCode.NOTHING_TO_SQUEEZE, *clauses).message
    evening.do(TurnCard(*HOUSE, 1, Card("2s")))
    evening.refuse(first, TableCode.NO_CARD_THERE)
    evening.do(SqueezeCard("ann", Position.PLAYER, 3))
    evening.turn("Kd Kh 3c")
    evening.deal_unseen(1)
    evening.do(SqueezeCard("ann", Position.PLAYER, 5))  # Player's third card is hers too
    evening.turn("8s").settle()


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_a_card_that_was_opened_is_laid_open_once_and_by_its_player(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "banker", 50_00), squeeze_granted=True)
    evening.do(asking("ann"))
    evening.deal_unseen(4)
    clauses = cited(rules, "squeeze")
    first = SqueezeCard("ann", Position.PLAYER, 1, laid_open=True)
    evening.do(SqueezeCard("ann", Position.PLAYER, 1))
    assert (now(evening).squeezed, now(evening).laid_open) == (frozenset({1}), frozenset())
    evening.refuse(SqueezeCard("ben", Position.PLAYER, 1, laid_open=True), TableCode.NOT_YOUR_OWN, *clauses)
    assert evening.do(first) == (CardSqueezed("ann", 1, laid_open=True),)
    assert now(evening).squeezed == now(evening).laid_open == {1}
    for again in (first, SqueezeCard("ann", Position.PLAYER, 1)):
        evening.refuse(again, TableCode.NOTHING_TO_SQUEEZE, *clauses)
    evening.do(SqueezeCard("ann", Position.PLAYER, 3, laid_open=True))  # without a look at it alone
    assert now(evening).squeezed == now(evening).laid_open == {1, 3}


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_the_dealer_records_what_the_player_with_the_permission_opens(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "banker", 50_00))
    evening.do(RequestSqueeze(*DEALER, "ann", PLAYER))
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.refuse(SqueezeCard(*DEALER, 1, "ann"), TableCode.NO_CARD_THERE)  # it has not been dealt
    evening.deal_unseen(4)
    nobody = evening.refuse(SqueezeCard(*DEALER, 1), TableCode.UNKNOWN_PERSON, *clauses)
    assert nobody.message == "Name the player who opened the card."
    evening.refuse(SqueezeCard(*DEALER, 1, "zoe"), TableCode.UNKNOWN_PERSON)
    evening.refuse(SqueezeCard(*DEALER, 1, "ben"), TableCode.NOT_YOUR_OWN, *clauses)
    evening.refuse(SqueezeCard(*DEALER, 2, "ann"), TableCode.NOT_YOUR_OWN, *clauses)
    evening.refuse(SqueezeCard("ben", Position.PLAYER, 1, "ann"), TableCode.NOT_YOUR_OWN, *clauses)
    for by in (SHIFT, HOUSE):
        evening.refuse(SqueezeCard(*by, 1, "ann"), TableCode.NOT_AUTHORISED, *cited(rules, "staff_bets"))
    assert evening.do(SqueezeCard(*DEALER, 1, "ann")) == (CardSqueezed("ann", 1, "dora"),)
    again = evening.refuse(SqueezeCard(*SUPERVISOR, 1, "ann"), TableCode.NOTHING_TO_SQUEEZE, *clauses)
    assert "already open" in again.message
    evening.do(SqueezeCard("ann", Position.PLAYER, 3, "ann"))
    betting(rules).refuse(SqueezeCard(*DEALER, 1, "ann"), TableCode.NOT_DEALING, *cited(rules, "first_four"))


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_an_observing_table_records_what_anybody_opened(rules: Rulebook) -> None:
    clauses = cited(rules, "squeeze")
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "banker", 50_00), observing=True).deal_unseen(1)
    evening.do(asking("ann"))
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.deal_unseen(3)
    late = evening.do(SqueezeCard(*DEALER, 1, "ann"))
    assert late == (CardSqueezed("ann", 1, "dora", clauses),)  # dealt before she asked
    assert evening.do(SqueezeCard(*DEALER, 3, "ann")) == (CardSqueezed("ann", 3, "dora"),)
    assert evening.do(SqueezeCard(*DEALER, 2, "dan")) == (CardSqueezed("dan", 2, "dora", clauses),)
    evening.refuse(SqueezeCard(*DEALER, 2, "ben"), TableCode.NOTHING_TO_SQUEEZE, *clauses)
    evening.refuse(SqueezeCard(*DEALER, 4, "zoe"), TableCode.UNKNOWN_PERSON)
    evening.refuse(SqueezeCard("ben", Position.PLAYER, 4), TableCode.NOT_YOUR_OWN, *clauses)  # a player has no felt
    assert now(evening).squeezed == {1, 2, 3}


# ---- leaving


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze", "leaving_during_a_round")
def test_a_player_who_walks_away_gets_no_hand_and_cannot_ask_for_one(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "banker", 50_00))
    evening.do(asking("ann", PLAYER))
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.do(asking("ann", BANKER))
    assert (now(evening).squeeze_requests, now(evening).accepted) == ({BANKER: "ann"}, {PLAYER: "ann"})
    evening.do(Leave("ann", Position.PLAYER, "ann"))
    assert (now(evening).squeeze_requests, now(evening).accepted) == ({}, {})
    evening.refuse(GrantSqueeze(*SUPERVISOR, BANKER), TableCode.NO_SQUEEZE_ASKED, *cited(rules, "squeeze"))
    evening.refuse(asking("ann"), TableCode.AWAY, *cited(rules, "walks_away"))
    # another player has the highest bet now, and both hands are free; leaving only frees the player's own hand
    for side in Side:
        evening.do(asking("ben", side))
        evening.do(GrantSqueeze(*SUPERVISOR, side))
    evening.do(Leave("cat", Position.PLAYER, "cat"))
    assert now(evening).accepted == {PLAYER: "ben", BANKER: "ben"}
    evening.deal_unseen(4)
    evening.refuse(SqueezeCard("ann", Position.PLAYER, 1), TableCode.AWAY, *cited(rules, "walks_away"))
    evening.do(SqueezeCard("ben", Position.PLAYER, 1))


@pytest.mark.parametrize("rules", having("squeeze"))
@reading("who_may_squeeze")
def test_who_comes_to_a_place_has_not_asked_for_what_the_last_one_there_had(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.do(commands.BuyIn(*DEALER, "box 4", 100_00))
    evening.do(commands.Sit(*DEALER, "box 4", 4))
    evening.do(commands.PlaceBet(*DEALER, "box 4", 4, "player", 100_00))
    evening.do(RequestSqueeze(*DEALER, "box 4", PLAYER))
    evening.do(RequestSqueeze(*DEALER, "box 4", BANKER))
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.bet("ann", "banker", 200_00)
    evening.do(asking("ann", BANKER))
    assert [each.who for each in now(evening).squeezes] == ["box 4", "box 4", "ann"]
    evening.do(evening.withdrawing("ann", "banker", 200_00))
    evening.do(commands.WithdrawBet(*DEALER, "box 4", 4, "player", 100_00))
    evening.do(commands.CashOut(*DEALER, "box 4", 100_00))
    evening.do(Leave(*DEALER, "box 4"))
    assert [each.who for each in now(evening).squeezes] == ["ann"]


def test_commission_has_no_squeeze() -> None:
    rules = book("commission")
    evening = betting_closed(rules, face_down=True)
    evening.refuse(asking("ann"), TableCode.NOT_IN_BOOK)
    evening.refuse(GrantSqueeze(*SUPERVISOR, PLAYER), TableCode.NOT_IN_BOOK)
    evening.deal_unseen(4)
    evening.refuse(SqueezeCard("ann", Position.PLAYER, 1), TableCode.NOT_IN_BOOK)
    for setting in ("squeeze_by_hand", "squeeze_granted"):
        opening = commands.OpenTable(*SUPERVISOR, settings(rules, **{setting: True}))
        assert setting in Evening(rules).refuse(opening, TableCode.NOT_IN_BOOK).message


@pytest.mark.parametrize("rules", having("squeeze", "house"))
@reading("squeeze_needs_permission")
def test_the_house_ends_a_standing_grant_and_what_it_granted_stays(rules: Rulebook) -> None:
    clauses, end = cited(rules, "squeeze"), RefuseSqueeze(*SUPERVISOR, PLAYER, standing=True)
    evening = betting(rules, ("ann", "player", 100_00))
    assert "until the shoe ends" in evening.refuse(end, TableCode.NO_SQUEEZE_ASKED, *clauses).message
    evening.do(asking("ann"))
    evening.do(GrantSqueeze(*SUPERVISOR, PLAYER, standing=True))
    evening.do(GrantSqueeze(*SUPERVISOR, BANKER, standing=True))
    assert evening.do(end) == (SqueezeRefused("", PLAYER, clauses, standing=True),)
    assert evening.table.standing_squeezes == {BANKER}
    assert now(evening).accepted == {PLAYER: "ann"}
    evening.refuse(end, TableCode.NO_SQUEEZE_ASKED, *clauses)
    evening.bet("ben", "banker", 200_00)
    assert evening.do(asking("ben")) == (SqueezeRequested("ben", PLAYER, clauses),)
    assert evening.do(asking("ben", BANKER))[1:] == (SqueezeGranted("ben", BANKER, clauses),)
    dealer = RefuseSqueeze(*DEALER, BANKER, standing=True)
    evening.refuse(dealer, TableCode.NOT_AUTHORISED, *clauses)
