"""The options after a dealing error: one choice per player for all bets; silence, absence, leaving."""

import pytest

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import PlayerLeft, RoundSettled
from punto.table.records.findings import OptionChosen, OptionsClosed, OptionsGiven
from punto.table.records.kinds import Choice, Irregularity
from punto.table.records.ledger import FELT
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    HOUSE,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
)

LATER = having("options", "goes_on_reconstructed", "goes_on_as_it_is", "takes_back")
FELL = reports.ReportDealingError(*SUPERVISOR, "the shoe was knocked")
MIXED = reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False)
CI = book("commission-insurance")


def chooses(who: str, choice: Choice) -> reports.ChooseOption:
    return reports.ChooseOption(who, Position.PLAYER, who, choice)


def _asked(rules: Rulebook, dealt: str = "", report: reports.ReportDealingError = FELL) -> Evening:
    """Ann bets in two boxes, dan behind the first, and ben; all of them may choose."""
    evening = betting(rules)
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 4))
    evening.bet("ann", "banker", 100_00)
    evening.bet("ann", "tie", 5_00)
    evening.bet("ann", "player", 50_00, 4)
    evening.bet("dan", "banker", 30_00)
    evening.bet("ben", "player", 70_00)
    evening.close_betting().deal(dealt)
    evening.do(report)
    return evening


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options"))
def test_every_player_with_a_bet_is_asked_seated_or_standing(rules: Rulebook) -> None:
    evening = _asked(rules)
    (given,) = evening.happened(OptionsGiven)
    assert given.players == ("ann", "ben", "dan")
    assert given.clauses == cited(rules, "options")
    assert evening.table.round is not None
    assert evening.table.round.irregularities.options is not None
    for who in ("cat", "eve"):
        evening.refuse(chooses(who, Choice.RETURN), TableCode.NO_OPTIONS, *cited(rules, "options"))


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "takes_back"))
def test_one_choice_covers_all_of_a_players_boxes_and_bets(rules: Rulebook) -> None:
    evening = _asked(rules, "2s 9d")
    (chosen,) = evening.do(chooses("ann", Choice.RETURN))
    assert isinstance(chosen, OptionChosen)
    assert (chosen.who, chosen.choice, chosen.chosen_by) == ("ann", Choice.RETURN, "ann")
    assert chosen.clauses == cited(rules, "takes_back")
    assert evening.chips["ann"] == CHIPS_MINOR
    assert evening.stakes == {("dan", 1, "banker"): 30_00, ("ben", 2, "player"): 70_00}
    evening.refuse(chooses("ann", Choice.CONTINUE), TableCode.NO_OPTIONS, *cited(rules, "options"))


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "goes_on_reconstructed", "takes_back"))
def test_the_round_goes_on_for_those_who_stayed_their_bets_alone(rules: Rulebook) -> None:
    evening = _asked(rules, "9s 2d")
    evening.do(chooses("ann", Choice.RETURN))
    evening.do(chooses("dan", Choice.CONTINUE))
    refusal = evening.refuse(
        commands.DealCard(*DEALER, Card("Kh")), TableCode.IRREGULARITY_OPEN, *cited(rules, "options")
    )
    assert "ben" in refusal.message
    last, closed = evening.do(chooses("ben", Choice.CONTINUE))
    assert isinstance(last, OptionChosen)
    assert last.clauses == cited(rules, "goes_on_reconstructed")
    assert closed == OptionsClosed((), cited(rules, "options"))
    evening.deal("Kh 3c").settle()  # Player wins; the bet behind the seat that was taken back still plays
    settled = evening.happened(RoundSettled)[0]
    assert [(bet.who, bet.bet, bet.returned_minor) for bet in settled.results] == [
        ("dan", "banker", 0),
        ("ben", "player", 140_00),
    ]
    assert evening.chips == {
        "ann": CHIPS_MINOR,
        "ben": CHIPS_MINOR + 70_00,
        "cat": CHIPS_MINOR,
        "dan": CHIPS_MINOR - 30_00,
        "eve": CHIPS_MINOR,
    }


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "goes_on_as_it_is"))
def test_a_hand_that_cannot_be_restored_is_gone_on_with_by_another_clause(rules: Rulebook) -> None:
    evening = _asked(rules, "9s 2d", MIXED)
    (chosen,) = evening.do(chooses("ann", Choice.CONTINUE))
    assert isinstance(chosen, OptionChosen)
    assert chosen.clauses == cited(rules, "goes_on_as_it_is")
    (closed,) = evening.do(reports.CallTime(*SUPERVISOR))
    assert closed == OptionsClosed(
        ("ben", "dan"), cited(rules, "options") + cited(rules, "goes_on_as_it_is"), final=True
    )


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "goes_on_reconstructed", "takes_back"))
def test_the_silent_go_on_when_time_is_called(rules: Rulebook) -> None:
    evening = _asked(rules)
    evening.do(chooses("ann", Choice.RETURN))
    (closed,) = evening.do(reports.CallTime(*SUPERVISOR))
    assert closed == OptionsClosed(
        ("ben", "dan"), cited(rules, "options") + cited(rules, "goes_on_reconstructed"), final=True
    )
    now = evening.table.round
    assert now is not None
    assert now.irregularities.choices == {"ann": Choice.RETURN, "ben": Choice.CONTINUE, "dan": Choice.CONTINUE}
    evening.deal(NATURAL).settle()


@pytest.mark.parametrize("rules", having("options"))
def test_time_is_called_by_a_supervisor_or_above_or_by_the_clock(rules: Rulebook) -> None:
    for by in (SUPERVISOR, MANAGER, SHIFT, HOUSE):
        _asked(rules).do(reports.CallTime(*by))
    evening = _asked(rules)
    evening.refuse(reports.CallTime(*DEALER), TableCode.NOT_AUTHORISED, *cited(rules, "options"))


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "settled_for_who_left"))
def test_a_player_who_is_away_goes_on_without_choosing(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.bet("ben", "player", 70_00)
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.close_betting()
    evening.do(FELL)
    (given,) = evening.happened(OptionsGiven)
    assert (given.players, given.away) == (("ben",), ("ann",))
    assert evening.table.round is not None
    assert evening.table.round.irregularities.choices == {"ann": Choice.CONTINUE}
    evening.refuse(chooses("ann", Choice.RETURN), TableCode.NO_OPTIONS, *cited(rules, "options"))


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "settled_for_who_left"))
def test_nobody_is_asked_where_everybody_is_away(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.close_betting()
    evening.do(FELL)
    assert not evening.happened(OptionsGiven)
    evening.deal(NATURAL).settle()
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "settled_for_who_left"))
def test_a_player_who_leaves_during_the_choice_goes_on(rules: Rulebook) -> None:
    evening = _asked(rules)
    chosen, left = evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    assert isinstance(chosen, OptionChosen)
    assert (chosen.who, chosen.choice) == ("ann", Choice.CONTINUE)
    assert isinstance(left, PlayerLeft)
    assert left.away
    evening.do(chooses("ben", Choice.CONTINUE))
    last = evening.do(commands.Leave("dan", Position.PLAYER, "dan"))
    assert [type(event) for event in last] == [OptionChosen, OptionsClosed, PlayerLeft]
    evening.deal(NATURAL).settle()


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("takes_back", among=INSURED))
def test_insurance_is_returned_with_the_choice(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "banker", 30_00)).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    evening.do(evening.insuring("dan", 3_00))
    evening.do(FELL)
    evening.do(chooses("ann", Choice.RETURN))
    assert evening.chips["ann"] == CHIPS_MINOR
    evening.do(chooses("dan", Choice.CONTINUE))
    assert evening.table.round is not None
    assert [cover.who for cover in evening.table.round.insurance.cover] == ["dan"]
    assert evening.table.balances[FELT] == 33_00
    evening.do(evening.insuring("dan", 1_00))  # the offer is still open
    evening.refuse(evening.insuring("ann", 1), Code.NO_ORIGINAL_BET, *cited(rules, "insured_bet"))


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("takes_back"))
def test_a_decided_bet_is_returned_too(rules: Rulebook) -> None:
    bet = "tiger_pair" if rules.id == "da-hu-ying-xiong" else "player_pair"
    evening = dealing(rules, ("ann", bet, 10_00)).deal("2s 9d 2h")
    evening.do(FELL)
    assert evening.happened(OptionsGiven)
    evening.do(chooses("ann", Choice.RETURN))
    assert evening.chips["ann"] == CHIPS_MINOR


@pytest.mark.parametrize("rules", having("takes_back", "staff_bets"))
def test_staff_may_choose_for_a_player_at_their_request(rules: Rulebook) -> None:
    for by in (DEALER, SUPERVISOR, MANAGER):
        evening = _asked(rules)
        chosen = evening.do(reports.ChooseOption(*by, "ann", Choice.RETURN))[0]
        assert isinstance(chosen, OptionChosen)
        assert chosen.clauses == cited(rules, "takes_back") + cited(rules, "staff_bets")
        assert chosen.chosen_by == by[0]
    evening = _asked(rules)
    evening.refuse(
        reports.ChooseOption(*SHIFT, "ann", Choice.RETURN),
        TableCode.NOT_AUTHORISED,
        *cited(rules, "staff_bets"),
    )
    evening.refuse(
        reports.ChooseOption("ben", Position.PLAYER, "ann", Choice.RETURN),
        TableCode.NOT_YOUR_OWN,
        *cited(rules, "options"),
    )


@pytest.mark.parametrize("rules", having("takes_back"))
def test_a_choice_recorded_at_a_felt_cites_only_the_option(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True)
    evening.do(FELL)
    (chosen, *_) = evening.do(reports.ChooseOption(*DEALER, "ann", Choice.RETURN))
    assert isinstance(chosen, OptionChosen)
    assert chosen.clauses == cited(rules, "takes_back")


@pytest.mark.parametrize("rules", having("takes_back", "squeeze"))
def test_a_player_who_takes_their_bets_back_no_longer_squeezes(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "player", 50_00), face_down=True)
    evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", Side.PLAYER))
    evening.do(commands.GrantSqueeze(*SUPERVISOR, Side.PLAYER))
    evening.deal_unseen(4)
    evening.do(FELL)
    evening.do(chooses("ann", Choice.RETURN))
    evening.do(chooses("ben", Choice.CONTINUE))
    assert evening.table.round is not None
    assert evening.table.round.accepted == {}
    evening.refuse(commands.SqueezeCard("ann", Position.PLAYER, 1), TableCode.NOT_YOUR_OWN, *cited(rules, "squeeze"))
    evening.do(commands.RequestSqueeze("ben", Position.PLAYER, "ben", Side.PLAYER))


@pytest.mark.parametrize("rules", having("takes_back"))
@reading("differential_box_by_box")
def test_the_differential_is_not_judged_again_after_it(rules: Rulebook) -> None:
    evening = betting(rules, differential_minor=50_00, most=500_00)
    evening.bet("ann", "player", 50_00)
    evening.bet("dan", "banker", 100_00)
    evening.close_betting()
    evening.do(FELL)
    evening.do(chooses("ann", Choice.RETURN))
    evening.do(chooses("dan", Choice.CONTINUE))
    evening.deal("2s 9d Kh Kc").settle()  # Banker wins 9 to 2
    (settled,) = evening.happened(RoundSettled)[0].results
    assert (settled.stake_minor, settled.played_minor) == (100_00, None)


@pytest.mark.parametrize("rules", having("options"))
def test_when_everybody_takes_back_the_round_is_played_out_over_an_empty_felt(rules: Rulebook) -> None:
    evening = _asked(rules, "9s 2d")
    for who in ("ann", "ben", "dan"):
        evening.do(chooses(who, Choice.RETURN))
    assert FELT not in evening.table.balances
    evening.deal("Kh 3c").settle()
    assert evening.happened(RoundSettled)[0].results == ()


def test_a_ground_for_a_void_gives_no_options() -> None:
    evening = dealing(CI).deal("2s 9d")
    evening.do(reports.ReportCardCount(*SUPERVISOR))
    assert not evening.happened(OptionsGiven)


@reading("when_options_arise")
def test_a_void_ends_the_options_that_were_open() -> None:
    evening = _asked(CI)
    evening.do(reports.ReportForeignCard(*SUPERVISOR))
    assert evening.table.round is not None
    assert evening.table.round.irregularities.options is None
    assert evening.table.round.irregularities.void is Irregularity.FOREIGN_CARD
    evening.refuse(chooses("ann", Choice.RETURN), TableCode.NO_OPTIONS, *cited(CI, "options"))
