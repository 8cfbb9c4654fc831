"""``legal`` lists what each position can do in each phase, with its bounds, and nothing that ``decide`` refuses."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide, legal, next_step
from punto.table.moves.legal_move import LegalMove
from punto.table.records import commands, reports
from punto.table.records.chips import CountTray, RequestSlip
from punto.table.records.commands import (
    BurnCards,
    BuyIn,
    CallInsurance,
    CashOut,
    ChangeSettings,
    CloseBetting,
    CloseInsurance,
    CloseTable,
    Command,
    CutCardOut,
    DealCard,
    EndShoe,
    GrantSqueeze,
    IdentifyPlayer,
    Leave,
    LoadShoe,
    OpenBetting,
    OpenInsurance,
    OpenTable,
    PassInsurance,
    PlaceBet,
    RefuseSqueeze,
    RejectExcess,
    RequestSqueeze,
    Settle,
    Sit,
    SqueezeCard,
    StandBehind,
    TakeInsurance,
    TurnCard,
    WaiveThirdCardInsurance,
    WithdrawBet,
)
from punto.table.records.corrections import CorrectCard
from punto.table.records.findings import RoundVoided
from punto.table.records.kinds import Choice, Effect
from punto.table.records.pit_calls import CallPit
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    in_phase,
    ready,
)

RULES = book("commission-insurance")
ANN = ("ann", Position.PLAYER)
DAN = ("dan", Position.PLAYER)
Actor = tuple[str, Position]
Kinds = set[type[Command]]

PLACES: Kinds = {Leave, Sit, StandBehind}
CAGE: Kinds = {BuyIn, CashOut, CutCardOut, IdentifyPlayer, CallPit, RequestSlip}
"""What a dealer may do at any time."""
NOTED: Kinds = {reports.ReportLateBet, reports.ReportSimultaneousCards}
"""What a dealer may report after the close."""
SHOES: Kinds = {
    reports.ReportForeignCard,
    reports.ReportCardCount,
    reports.ReportNotShuffled,
    reports.ReportExcessCard,
    CountTray,
}
"""What a supervisor may report about a shoe, or count, at any time."""
ROUNDS: Kinds = SHOES | {reports.ReportInterruption}
"""And during a round."""
DEALT: Kinds = ROUNDS | NOTED | {reports.ReportDealingError}
"""And after the close."""


def _kinds(evening: Evening, actor: Actor) -> Kinds:
    return {type(option.command) for option in legal(evening.rules, evening.table, *actor)}


def _moves(evening: Evening, actor: Actor, kind: type[Command]) -> list[LegalMove]:
    return [option for option in legal(evening.rules, evening.table, *actor) if type(option.command) is kind]


@pytest.mark.parametrize(
    ("phase", "player", "dealer", "supervisor"),
    [
        (Phase.CLOSED, set[type[Command]](), set[type[Command]](), {OpenTable}),
        (
            Phase.READY,
            PLACES,
            PLACES | CAGE | {BurnCards, EndShoe, OpenBetting},
            PLACES | CAGE | SHOES | {BurnCards, EndShoe, OpenBetting, ChangeSettings, CloseTable, LoadShoe},
        ),
        (
            Phase.BETTING,
            PLACES | {PlaceBet, WithdrawBet},
            PLACES | CAGE | {PlaceBet, WithdrawBet, CloseBetting},
            PLACES | CAGE | ROUNDS | {PlaceBet, WithdrawBet, CloseBetting},
        ),
        (Phase.DEALING, PLACES, PLACES | CAGE | NOTED | {DealCard}, PLACES | CAGE | DEALT | {DealCard}),
    ],
)
def test_what_each_could_do_in_each_phase(phase: Phase, player: Kinds, dealer: Kinds, supervisor: Kinds) -> None:
    evening = in_phase(RULES, phase)
    assert _kinds(evening, ANN) == player
    assert _kinds(evening, DEALER) == dealer
    assert _kinds(evening, SUPERVISOR) == supervisor


def test_a_squeeze_is_asked_for_and_granted_while_betting_is_open() -> None:
    evening = betting(RULES, face_down=True)
    assert RequestSqueeze not in _kinds(evening, ANN)  # she has no bet
    evening.bet("ann", "banker", 100_00)
    asking = [LegalMove(RequestSqueeze(*ANN, "ann", side)) for side in Side]
    assert _moves(evening, ANN, RequestSqueeze) == asking
    evening.do(asking[0].command)
    grants = [(Side.PLAYER, False), (Side.PLAYER, True), (Side.BANKER, True)]  # a standing grant needs no request
    expected = [LegalMove(GrantSqueeze(*SUPERVISOR, side, standing=standing)) for side, standing in grants]
    assert _moves(evening, SUPERVISOR, GrantSqueeze) == expected


def test_an_observing_table_lists_everybody_who_may_have_opened_a_card() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), face_down=True, observing=True).deal_unseen(1)
    everybody = sorted(evening.table.people)
    assert _moves(evening, DEALER, SqueezeCard) == [LegalMove(SqueezeCard(*DEALER, 1, who)) for who in everybody]
    assert _moves(evening, ANN, SqueezeCard) == []


def test_in_the_course_of_a_coup() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), face_down=True)
    everyday = PLACES | CAGE | NOTED
    assert _kinds(evening, ANN) == PLACES | {RequestSqueeze}
    assert _kinds(evening, DAN) == PLACES
    evening.do(RequestSqueeze(*ANN, "ann", Side.PLAYER))
    assert _kinds(evening, DEALER) == everyday | {DealCard, RequestSqueeze}
    asked = {DealCard, RequestSqueeze, GrantSqueeze, RefuseSqueeze}
    assert _kinds(evening, SUPERVISOR) == everyday | DEALT | asked
    evening.do(GrantSqueeze(*SUPERVISOR, Side.PLAYER))
    evening.deal_unseen(4)
    assert _moves(evening, ANN, SqueezeCard) == [LegalMove(SqueezeCard(*ANN, place)) for place in (1, 3)]
    assert _kinds(evening, ANN) == PLACES | {RequestSqueeze, SqueezeCard}  # Banker's is nobody's yet
    assert _kinds(evening, DAN) == PLACES
    turning = [LegalMove(TurnCard(*DEALER, place, next(iter(Card)))) for place in (1, 2, 3, 4)]
    assert _moves(evening, DEALER, TurnCard) == turning
    assert _moves(evening, DEALER, SqueezeCard) == [LegalMove(SqueezeCard(*DEALER, place, "ann")) for place in (1, 3)]
    evening.do(SqueezeCard(*ANN, 3))
    assert _moves(evening, ANN, SqueezeCard) == [LegalMove(SqueezeCard(*ANN, 1))]
    evening.turn("As Kh Ad Ac")
    assert SqueezeCard not in _kinds(evening, ANN)
    assert WaiveThirdCardInsurance in _kinds(evening, SUPERVISOR)
    assert WaiveThirdCardInsurance not in _kinds(evening, DEALER)


def test_in_the_course_of_insurance_and_at_the_end() -> None:
    evening = dealing(RULES).deal(BANKER_ON_FIVE)
    everyday = PLACES | CAGE | NOTED
    # the card may be drawn although nothing was offered
    assert _kinds(evening, DEALER) == everyday | {OpenInsurance, DealCard, CorrectCard}
    dealt = [move.command for move in _moves(evening, DEALER, DealCard)]
    assert [isinstance(one, DealCard) and one.not_offered for one in dealt] == [True]
    evening.do(OpenInsurance(*DEALER))
    assert _kinds(evening, DEALER) == everyday | {CallInsurance, CloseInsurance, DealCard, TakeInsurance}
    seen = {reports.ReportWrongNumber, reports.ReportWrongSide}  # hands that may be wrong
    managed = {CallInsurance, CloseInsurance, CorrectCard, DealCard, reports.Rule}
    assert _kinds(evening, SHIFT) == everyday | DEALT | seen | managed
    assert _kinds(evening, ANN) == PLACES | {PassInsurance, TakeInsurance}
    assert _kinds(evening, DAN) == PLACES
    evening.deal("8c")
    assert _kinds(evening, DEALER) == everyday | {Settle, CorrectCard}


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("phase", list(Phase))
def test_every_option_is_accepted_as_it_stands_and_never_an_auditors(rules: Rulebook, phase: Phase) -> None:
    evening = in_phase(rules, phase)
    for position in Position:
        by = "ann" if position is Position.PLAYER else "x"
        options = legal(rules, evening.table, by, position)
        assert all((one.command.by, one.command.position) == (by, position) for one in options)
        assert not [one for one in options if isinstance(decide(rules, evening.table, one.command), Refusal)]
        if position in (Position.AUDITOR, Position.ADMINISTRATOR):
            assert options == ()


def _at_most(option: LegalMove, more: int = 0) -> Command:
    """The command at its largest amount, plus ``more``."""
    assert option.most is not None
    name = next(one for one in ("stake_minor", "amount_minor", "decks") if hasattr(option.command, one))
    return replace(option.command, **{name: option.most + more})


def test_bounds_of_bets_are_those_of_decide() -> None:
    evening = betting(RULES, least=50_00, most=300_00, side=BetLimits(5_00, 20_00), differential_minor=200_00)
    evening.bet("ann", "banker", 100_00)
    placing = {one.command.bet: (one.command.stake_minor, one.most) for one in _bets(evening, DAN)}
    assert placing == {
        "player": (50_00, 300_00),
        "banker": (50_00, 100_00),
        "tie": (5_00, 20_00),
        "player_pair": (5_00, 20_00),
        "banker_pair": (5_00, 20_00),
    }
    raising = {one.command.bet: (one.command.stake_minor, one.most) for one in _bets(evening, ANN)}
    assert raising["banker"] == (1, 100_00)
    for actor in (ANN, DAN, DEALER):
        for option in _moves(evening, actor, PlaceBet):
            assert not isinstance(decide(RULES, evening.table, _at_most(option)), Refusal)
            assert isinstance(decide(RULES, evening.table, _at_most(option, 1)), Refusal)


class _Bet:
    def __init__(self, option: LegalMove) -> None:
        assert isinstance(option.command, PlaceBet)
        self.command, self.most = option.command, option.most


def _bets(evening: Evening, actor: Actor) -> list[_Bet]:
    return [_Bet(option) for option in _moves(evening, actor, PlaceBet)]


def test_bounds_of_insurance_are_those_of_decide() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00)).deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    (option,) = _moves(evening, ANN, TakeInsurance)
    assert option == LegalMove(TakeInsurance(*ANN, "ann", 1, 1), 50_00)
    assert isinstance(decide(RULES, evening.table, _at_most(option, 1)), Refusal)
    evening.do(_at_most(option))
    assert _moves(evening, ANN, TakeInsurance) == []


def test_bounds_of_chips_and_decks_are_those_of_decide() -> None:
    evening = in_phase(RULES, Phase.READY)
    cashing = [one for one in _moves(evening, DEALER, CashOut) if one.command == CashOut(*DEALER, "ann", 1)]
    assert [one.most for one in cashing] == [CHIPS_MINOR]
    (loading,) = _moves(evening, SUPERVISOR, LoadShoe)
    for option in (*cashing, loading, _moves(evening, DEALER, BuyIn)[0]):
        assert not isinstance(decide(RULES, evening.table, _at_most(option)), Refusal)
        assert isinstance(decide(RULES, evening.table, _at_most(option, 1)), Refusal)


def test_boxes_that_can_be_taken() -> None:
    evening = in_phase(RULES, Phase.READY)
    free = [option.command for option in _moves(evening, DAN, Sit)]
    assert free == [Sit(*DAN, "dan", box) for box in range(4, 13)]
    assert StandBehind(*DAN, "dan", 1) not in [option.command for option in _moves(evening, DAN, StandBehind)]


def test_a_bet_is_withdrawn_down_to_the_minimum_or_whole() -> None:
    evening = betting(RULES, least=50_00)
    evening.bet("ann", "banker", 50_00)
    assert _moves(evening, ANN, WithdrawBet) == [LegalMove(WithdrawBet(*ANN, "ann", 1, "banker", 50_00), 50_00)]
    evening.bet("ann", "banker", 10_00)
    part, whole = _moves(evening, ANN, WithdrawBet)
    assert part == LegalMove(WithdrawBet(*ANN, "ann", 1, "banker", 1), 10_00)
    assert whole == LegalMove(WithdrawBet(*ANN, "ann", 1, "banker", 60_00), 60_00)
    assert not isinstance(decide(RULES, evening.table, _at_most(part)), Refusal)
    assert isinstance(decide(RULES, evening.table, _at_most(part, 1)), Refusal)
    assert isinstance(decide(RULES, evening.table, _at_most(whole, 1)), Refusal)


@pytest.mark.parametrize("observing", [False, True])
def test_without_a_minimum_to_keep_all_but_the_last_unit_is_a_part(observing: bool) -> None:  # noqa: FBT001
    least = {"least": 50_00} if observing else {}
    evening = betting(RULES, observing=observing, **least)
    evening.bet("ann", "banker", 2)
    evening.bet("ann", "tie", 1)
    assert _moves(evening, ANN, WithdrawBet) == [
        LegalMove(WithdrawBet(*ANN, "ann", 1, "banker", 1), 1),
        LegalMove(WithdrawBet(*ANN, "ann", 1, "banker", 2), 2),
        LegalMove(WithdrawBet(*ANN, "ann", 1, "tie", 1), 1),
    ]


def test_bets_and_insurance_are_for_boxes_where_the_person_is() -> None:
    evening = betting(RULES)
    evening.do(Sit(*ANN, "ann", 4))
    evening.do(StandBehind(*ANN, "ann", 2))
    for who, box in (("ann", 1), ("ann", 4), ("ben", 2)):
        evening.bet(who, "banker", 10_00, box)

    def boxes(kind: type[Command], actor: Actor) -> set[tuple[str, int]]:
        commands_ = [option.command for option in _moves(evening, actor, kind)]
        return {(one.who, one.box) for one in commands_ if isinstance(one, (PlaceBet, TakeInsurance))}

    behind = {("dan", 1), ("eve", 1)}
    assert boxes(PlaceBet, ANN) == {("ann", 1), ("ann", 2), ("ann", 4)}
    assert boxes(PlaceBet, DAN) == {("dan", 1)}
    assert boxes(PlaceBet, DEALER) == {("ann", 1), ("ann", 2), ("ann", 4), ("ben", 2), ("cat", 3)} | behind
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    assert boxes(TakeInsurance, ANN) == {("ann", 1), ("ann", 4)}
    assert boxes(TakeInsurance, DEALER) == {("ann", 1), ("ann", 4), ("ben", 2)}
    assert boxes(TakeInsurance, DAN) == set()


def test_what_an_observing_table_offers_the_dealer() -> None:
    evening = betting(RULES, least=50_00, differential_minor=100_00, observing=True)
    evening.bet("ann", "banker", 10_00)
    evening.bet("ben", "banker", 200_00)
    assert [option.command for option in _moves(evening, DEALER, RejectExcess)] == [RejectExcess(*DEALER, 2)]
    advising = [option.command for option in _moves(evening, DEALER, commands.AdviseMinimum)]
    assert advising == [commands.AdviseMinimum(*DEALER, "ann", 1, "banker")]
    evening.close_betting().deal(NATURAL)
    assert not _kinds(evening, DEALER) & {RejectExcess, commands.AdviseMinimum}


def test_under_another_book_nothing_is_legal() -> None:
    evening = ready(book("tiger-buffalo"), layout="K", boxes=10, automations=ALL_AUTOMATIONS).open_betting()
    for actor in (ANN, DEALER, SUPERVISOR):
        assert legal(book("commission"), evening.table, *actor) == ()
        assert legal(evening.rules, evening.table, *actor) != ()
    assert next_step(book("commission"), evening.table) is None
    assert next_step(evening.rules, evening.table) is not None


def test_while_players_choose_nothing_else_goes_on() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), ("ben", "player", 100_00)).deal("9s 8h")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "it fell", reconstructable=False))
    assert reports.RuleCardOrder not in _kinds(evening, SUPERVISOR)
    both = [LegalMove(reports.ChooseOption(*ANN, "ann", choice)) for choice in Choice]
    assert _moves(evening, ANN, reports.ChooseOption) == both
    assert _kinds(evening, DAN) == PLACES
    asked = {(one.command.who, one.command.choice) for one in _choices(evening, DEALER)}
    assert asked == {(who, choice) for who in ("ann", "ben") for choice in Choice}
    assert _kinds(evening, DEALER) == PLACES | CAGE | {reports.ReportLateBet, reports.ChooseOption}
    assert reports.CallTime in _kinds(evening, SUPERVISOR)
    evening.do(reports.CallTime(*SUPERVISOR))
    ordering = _moves(evening, SUPERVISOR, reports.RuleCardOrder)
    assert ordering == [LegalMove(reports.RuleCardOrder(*SUPERVISOR, (1, 2)))]
    assert DealCard not in _kinds(evening, DEALER)
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (2, 1)))
    assert DealCard in _kinds(evening, DEALER)
    assert not _kinds(evening, SUPERVISOR) & {reports.CallTime, reports.ChooseOption, reports.RuleCardOrder}


class _Choosing:
    def __init__(self, option: LegalMove) -> None:
        assert isinstance(option.command, reports.ChooseOption)
        self.command = option.command


def _choices(evening: Evening, actor: Actor) -> list[_Choosing]:
    return [_Choosing(option) for option in _moves(evening, actor, reports.ChooseOption)]


def test_what_could_be_ruled() -> None:
    evening = in_phase(RULES, Phase.DEALING)
    ruling = [option.command for option in _moves(evening, SHIFT, reports.Rule)]
    bet = reports.RuledBet("ann", 1, "banker")
    assert reports.Rule(*SHIFT, "to be stated", Effect.RETURN, (bet,)) in ruling
    effects = [one.effect for one in ruling if isinstance(one, reports.Rule)]
    assert {effect: effects.count(effect) for effect in effects} == {
        Effect.CONTINUE: 1,
        Effect.VOID: 1,
        Effect.RETURN: 1,
        Effect.ADJUST: 5,  # one for each person there
    }


def test_a_card_that_would_be_raised_is_no_option() -> None:
    evening = dealing(RULES).deal(NATURAL)
    assert DealCard not in _kinds(evening, DEALER)
    raised = decide(RULES, evening.table, DealCard(*DEALER, Card("5h")))
    assert isinstance(raised, tuple)


def test_while_players_choose_a_hand_with_too_many_cards_can_still_be_reported() -> None:
    evening = dealing(RULES).deal("As 2s")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "the shoe was knocked"))
    unseen = reports.ReportExcessCard(*SUPERVISOR, (None,))
    evening.refuse(unseen, TableCode.IRREGULARITY_OPEN, *RULES.topics[Topic.OPTIONS])
    (move,) = _moves(evening, SUPERVISOR, reports.ReportExcessCard)
    assert isinstance(move.command, reports.ReportExcessCard)
    assert not move.command.reconstructable
    evening.do(move.command)
    assert evening.happened(RoundVoided)
