"""Tables that record the cards and no bets."""

from random import Random

import pytest

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide, legal, next_step
from punto.table.moves.sensible import sensible
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.events import (
    CardSqueezed,
    InsuranceClosed,
    InsuranceMissed,
    InsuranceOffered,
    RoundSettled,
    ThirdCardInsuranceWaived,
)
from punto.table.records.findings import OptionsClosed, OptionsGiven, RoundVoided, UninsuredBetReturned
from punto.table.records.kinds import Choice, Irregularity
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from punto.table.situation import Then, situation, who_may
from tests.marks import INSURED, books
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    MANAGER,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    opened,
    settings,
)


def _closed(rules: Rulebook, **changes: object) -> Evening:
    return betting(rules, cards_only=True, **changes).close_betting()


ABOUT_BETS: tuple[Command, ...] = (
    commands.PlaceBet(*DEALER, "ann", 1, "banker", 1_00),
    commands.ConfirmBets(*DEALER),
    commands.WithdrawBet(*DEALER, "ann", 1, "banker", 1_00),
    commands.RejectExcess(*DEALER, 1),
    commands.AdviseMinimum(*DEALER, "ann", 1, "banker"),
    commands.TakeInsurance(*DEALER, "ann", 1, 1_00),
    commands.CallInsurance(*DEALER, "ann", 1),
)


@pytest.mark.parametrize("command", ABOUT_BETS, ids=lambda command: type(command).__name__)
@pytest.mark.parametrize("rules", books())
def test_it_takes_no_bets(rules: Rulebook, command: Command) -> None:
    evening = betting(rules, cards_only=True)
    topic = type(command).topic
    if topic is not None and not rules.has(topic):
        evening.refuse(command, TableCode.NOT_IN_BOOK)
    else:
        assert "cards only" in evening.refuse(command, TableCode.CARDS_ONLY).message
    assert type(command) not in {type(move.command) for move in legal(rules, evening.table, *DEALER)}


@pytest.mark.parametrize("rules", books())
def test_it_is_a_felt_table(rules: Rulebook) -> None:
    assert settings(rules, cards_only=True).felt
    assert settings(rules, observing=True).felt
    assert not settings(rules).felt


@pytest.mark.parametrize("rules", having("limits_displayed"))
def test_it_displays_limits_all_the_same(rules: Rulebook) -> None:
    for missing in ({"least": None}, {"differential_minor": None}):
        wanted = settings(rules, cards_only=True, **missing)
        refused = Evening(rules).refuse(
            commands.OpenTable(*SUPERVISOR, wanted), TableCode.BAD_SETTING, *cited(rules, "limits_displayed")
        )
        assert refused.variant == "limits_displayed"


@pytest.mark.parametrize("rules", having(where="interruption"))
def test_it_cannot_look_at_stakes_for_what_is_established(rules: Rulebook) -> None:
    wanted = settings(rules, cards_only=True, established_by_staked_bets=True)
    refused = Evening(rules).refuse(commands.OpenTable(*SUPERVISOR, wanted), TableCode.BAD_SETTING)
    assert refused.variant == "cards_only"


# ---- insurance


@pytest.mark.parametrize("rules", having("insurance"))
def test_insurance_is_due_whenever_the_cards_give_it_and_nobody_forgoes(rules: Rulebook) -> None:
    evening = _closed(rules, automations=(Automation.OPEN_INSURANCE,)).deal(BANKER_ON_FIVE)
    step = next_step(rules, evening.table)
    assert step is not None
    assert step.automation is Automation.OPEN_INSURANCE
    evening.do(commands.OpenInsurance(*DEALER))
    evening.deal("4c")
    assert evening.happened(InsuranceClosed) == [InsuranceClosed()]
    evening.do(commands.OpenInsurance(*DEALER))  # on Player now
    assert [offered.side for offered in evening.happened(InsuranceOffered)] == [Side.BANKER, Side.PLAYER]


@pytest.mark.parametrize("rules", having("insurance"))
def test_at_another_table_without_bets_no_insurance_is_due(rules: Rulebook) -> None:
    evening = betting(rules, observing=True).close_betting().deal(BANKER_ON_FIVE)
    evening.refuse(commands.OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))


@pytest.mark.parametrize("rules", having("uninsured_bet"))
def test_a_missed_offer_is_made_good_by_hand(rules: Rulebook) -> None:
    evening = _closed(rules).deal(BANKER_ON_FIVE).deal("7c 2h")  # Player wins 9 to 7
    assert [missed.side for missed in evening.happened(InsuranceMissed)] == [Side.BANKER, Side.PLAYER]
    clauses = cited(rules, "uninsured_bet")
    returning = reports.ReturnUninsuredBets(*MANAGER, "box 4", 4, Side.BANKER, "the player had asked")
    for again in (False, True):
        if again:
            evening.settle()
        (event,) = evening.do(reports.ReturnUninsuredBets(*MANAGER, "box 5", 5 + again, Side.BANKER, "asked"))
        assert isinstance(event, UninsuredBetReturned)
        assert (event.by_hand, event.stake_minor, event.postings, event.clauses) == (True, 0, (), clauses)
    evening.do(returning)
    twice = evening.refuse(returning, TableCode.NO_SUCH_BET, *clauses)
    assert twice.variant == "uninsured"
    other = reports.ReturnUninsuredBets(*MANAGER, "box 4", 4, Side.PLAYER, "the player had asked")
    evening.refuse(other, TableCode.WOULD_NOT_HAVE_WON, *clauses)
    nobody = reports.ReturnUninsuredBets(*MANAGER, "nobody", 4, Side.BANKER, "the player had asked")
    evening.refuse(nobody, TableCode.UNKNOWN_PERSON)


@pytest.mark.parametrize("rules", having("uninsured_bet"))
def test_what_would_not_have_won_is_not_returned(rules: Rulebook) -> None:
    evening = _closed(rules).deal(BANKER_ON_FIVE).deal("4c 3h")  # Player 6, Banker 8
    returning = reports.ReturnUninsuredBets(*MANAGER, "box 4", 4, Side.BANKER, "the player had asked")
    evening.refuse(returning, TableCode.WOULD_NOT_HAVE_WON, *cited(rules, "uninsured_bet"))


@pytest.mark.parametrize("rules", having(where="uninsured_bet"))
def test_the_list_names_a_return_by_hand_once_a_side(rules: Rulebook) -> None:
    evening = _closed(rules).deal(BANKER_ON_FIVE).deal("7c 2h")
    listed = [
        (move.command.side, move.ends_with_minor)
        for move in legal(rules, evening.table, *MANAGER)
        if isinstance(move.command, reports.ReturnUninsuredBets)
    ]
    assert listed == [(Side.BANKER, None)]


@pytest.mark.parametrize("rules", having("waiver"))
def test_anybody_may_be_the_one_with_the_highest_bet(rules: Rulebook) -> None:
    evening = _closed(rules, face_down=True).deal("As Kh Ad Ac")
    evening.refuse(commands.WaiveThirdCardInsurance(*SUPERVISOR, "nobody"), TableCode.UNKNOWN_PERSON)
    evening.do(commands.WaiveThirdCardInsurance(*SUPERVISOR, "box 4"))
    assert evening.happened(ThirdCardInsuranceWaived)


@pytest.mark.parametrize("rules", having("squeeze"))
def test_a_card_that_somebody_opens_cites_nothing(rules: Rulebook) -> None:
    evening = _closed(rules, face_down=True).deal_unseen(1)
    evening.do(commands.SqueezeCard(*DEALER, 1, "box 4"))
    assert evening.happened(CardSqueezed) == [CardSqueezed("box 4", 1, DEALER[0])]


# ---- rounds


@pytest.mark.parametrize("rules", having("foreign_card"))
def test_a_void_says_that_the_bets_went_back_by_hand(rules: Rulebook) -> None:
    for cards_only in (True, False):
        evening = betting(rules, cards_only=cards_only).close_betting()
        evening.do(reports.ReportForeignCard(*SUPERVISOR))
        (void,) = evening.happened(RoundVoided)
        assert (void.ground, void.by_hand, void.postings) == (Irregularity.FOREIGN_CARD, cards_only, ())


@pytest.mark.parametrize("rules", books())
def test_a_whole_shoe(rules: Rulebook) -> None:
    """Results, insurance and the count of the shoe, until the cut card ends it."""
    evening = opened(rules, cards_only=True, cut_card=14, rounds_after_cut_card=1)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    cards = [card for card in Card for _ in range(4)]
    Random(17).shuffle(cards)  # noqa: S311 - not for secrets
    drawn, rounds, offers = 0, 0, 0
    while not isinstance(decide(rules, evening.table, commands.OpenBetting(*DEALER)), Refusal):
        evening.open_betting().close_betting()
        rounds += 1
        while isinstance(decide(rules, evening.table, commands.Settle(*DEALER)), Refusal):
            if rules.insurance and not isinstance(
                decide(rules, evening.table, commands.OpenInsurance(*DEALER)), Refusal
            ):
                evening.do(commands.OpenInsurance(*DEALER))
                offers += 1
            evening.do(commands.DealCard(*DEALER, cards[drawn]))
            drawn += 1
            if drawn == len(cards) - 14:
                evening.do(commands.CutCardOut(*DEALER))
        evening.settle()
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.SHOE_ENDED)
    settled = evening.happened(RoundSettled)
    assert (len(settled), evening.table.phase) == (rounds, Phase.READY)
    assert all(event.results == () and event.postings == () for event in settled)
    assert evening.table.shoe is not None
    assert evening.table.shoe.drawn == drawn
    assert bool(offers) == (rules in INSURED)
    assert not evening.happened(InsuranceMissed)
    assert evening.table.people == frozenset()


# ---- the players' options


@pytest.mark.parametrize("rules", having("options"))
def test_everybody_with_a_bet_is_asked_and_the_round_waits_until_time_is_called(rules: Rulebook) -> None:
    evening = _closed(rules).deal("9s 2d")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell off the table"))
    (given,) = evening.happened(OptionsGiven)
    assert (given.by_hand, given.players, given.away) == (True, (), ())
    assert set(cited(rules, "options")) <= set(given.clauses)
    assert situation(rules, evening.table).then is Then.ASK
    assert who_may(evening.table, Then.ASK)[0] is Position.PIT_SUPERVISOR
    assert {type(each.move.command) for each in sensible(rules, evening.table)} == {reports.CallTime}
    clauses = cited(rules, "options")
    refused = evening.refuse(commands.DealCard(*DEALER, Card("Kh")), TableCode.IRREGULARITY_OPEN, *clauses)
    assert "call_time" in refused.message
    for by in (DEALER, ("ann", Position.PLAYER)):
        choice = reports.ChooseOption(*by, "ann", Choice.RETURN)
        assert "call_time" in evening.refuse(choice, TableCode.CARDS_ONLY, *clauses).message
    listed = {type(move.command) for move in legal(rules, evening.table, *SUPERVISOR)}
    assert reports.CallTime in listed
    assert reports.ChooseOption not in listed
    evening.refuse(reports.CallTime(*DEALER), TableCode.NOT_AUTHORISED, *clauses)
    evening.do(reports.CallTime(*SUPERVISOR, 2))
    (closed,) = evening.happened(OptionsClosed)
    assert (closed.silent, closed.took_back) == ((), 2)
    assert {*rules.topics[Topic.OPTION_RECONSTRUCTED], *rules.topics[Topic.OPTION_RETURN]} <= set(closed.clauses)
    evening.deal("Kh 3c").settle()


@pytest.mark.parametrize("took_back", [None, 0])
def test_nobody_has_to_count(took_back: int | None) -> None:
    rules = book("tiger-buffalo")
    evening = _closed(rules).deal("9s 2d")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell off the table"))
    evening.do(reports.CallTime(*SUPERVISOR, took_back))
    (closed,) = evening.happened(OptionsClosed)
    assert closed.took_back == took_back
    assert not set(rules.topics[Topic.OPTION_RETURN]) & set(closed.clauses)


@pytest.mark.parametrize("rules", having("options"))
def test_elsewhere_nobody_counts_those_who_choose(rules: Rulebook) -> None:
    evening = dealing(rules).deal("9s 2d")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell off the table"))
    refused = evening.refuse(reports.CallTime(*SUPERVISOR, 1), TableCode.NO_OPTIONS, *cited(rules, "options"))
    assert refused.variant == "counted"
    evening.do(reports.CallTime(*SUPERVISOR))
    assert [event.took_back for event in evening.happened(OptionsClosed)] == [None]


@pytest.mark.parametrize("rules", having("options"))
def test_a_table_that_runs_by_itself_calls_time(rules: Rulebook) -> None:
    evening = _closed(rules, automations=tuple(Automation)).deal("9s 2d")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell off the table"))
    step = next_step(rules, evening.table)
    assert step is not None
    assert step.automation is Automation.CALL_TIME
    evening.do(step.command())
    assert next_step(rules, evening.table) not in (None, step)
