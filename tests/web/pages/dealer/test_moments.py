"""The moments of the console: what they are, and that everything they offer is accepted by the table."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from punto.catalogue.sentence import phrase, write
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.procedure.betting import repeated_bets
from punto.table.procedure.moment import moments_of
from punto.table.procedure.scene import KeyAction, LastBet, MomentName, Scene, with_keys
from punto.table.records import commands, reports
from punto.table.records.corrections import CancelRound, CorrectBet, CorrectCard
from punto.table.records.events import PaymentsMarked
from punto.table.records.findings import IrregularityRaised, RoundVoided
from punto.table.records.kinds import Effect
from punto.table.records.pit_calls import CallPit
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.web.pages.dealer import table_forms
from punto.web.pages.dealer.correction_forms import CORRECTIONS
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    opened,
    ready,
)
from tests.web.pages.dealer.at_console import CARD_KEYS, ConsoleDealer, Played, command_in, moment_of, scene_of

BOOKS = [book(each) for each in book_ids()]
INSURED = book("commission-insurance")
ROUNDS = 12
TABLES: dict[str, tuple[ShoeKind, dict[str, Any]]] = {
    "cards only": (ShoeKind.MANUAL, {"cards_only": True}),
    "ranks": (ShoeKind.MANUAL, {"observing": True, "faces_by_rank": True}),
    "face down": (ShoeKind.MANUAL, {"observing": True, "face_down": True}),
    "burned": (ShoeKind.MANUAL, {"cards_only": True, "burn": True}),
    "enforcing": (ShoeKind.MANUAL, {}),
    "sealed": (ShoeKind.VIRTUAL, {}),
    "sealed, face down": (ShoeKind.VIRTUAL, {"face_down": True}),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_whole_rounds_are_played_by_what_the_console_offers(rules: Any, table: str) -> None:
    shoes, changes = TABLES[table]
    dealer = ConsoleDealer(ready(rules, **changes), shoes, seed=7)
    if changes.get("burn"):
        dealer.press(played=dealer.play_round())
    for _ in range(ROUNDS):
        played = dealer.play_round()
        if not changes.get("face_down"):
            assert played.keys <= 9 + played.offers  # open, close, four to six cards, done
    four = MomentName.TURN if changes.get("face_down") else MomentName.CARDS
    assert {MomentName.READY, MomentName.BETTING, MomentName.CLOSED, four, MomentName.RESULT} <= dealer.seen
    assert (MomentName.CARDS in dealer.seen) is (four is MomentName.CARDS)  # one press for four cards face down


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_rounds_with_bets_stay_within_the_budget_of_keys(rules: Any) -> None:
    """Every second round with two boxes changed."""
    evening = ready(rules, observing=True, faces_by_rank=True)
    seats, boxes = evening.table.seats, range(1, scene_of(evening).settings.boxes + 1)
    players = {box: seats.get(box, f"box {box}") for box in boxes}
    dealer = ConsoleDealer(evening, ShoeKind.MANUAL, seed=11)
    last = tuple(LastBet(players[box], box, "banker" if box % 2 else "player", 500_00) for box in boxes)
    for number in range(ROUNDS):
        played = Played()
        dealer.press(played)
        assert dealer.look().name is MomentName.BETTING
        for body in repeated_bets(replace(scene_of(evening), last_bets=last)):
            evening.do(command_in(body))
        assert len(evening.stakes) == len(last)
        played.keys += 1  # R
        if changed := number % 2:
            for box, bet in ((2, "player"), (5, "banker")):
                evening.do(commands.PlaceBet(*DEALER, players[box], box, bet, 1_000_00))
            played.keys += len("2P1k") + len("~") + len("5B1k")  # Space ends the second one and closes betting
        while (moment := dealer.look()).name is not MomentName.READY:
            played.offers += moment.name is MomentName.INSURANCE_DUE
            dealer.press(played)
        settlement, _ = moments_of(scene_of(evening))
        assert {key.key for key in settlement.keys} >= {"Shift Space"}
        played.keys += 1  # all done
        assert played.keys <= (20 if changed else 11) + played.offers


def name_after(evening: Evening, *done: commands.Command) -> MomentName:
    for command in done:
        evening.do(command)
    return moment_of(evening).name


def test_a_closed_table_is_opened_by_a_supervisor() -> None:
    moment = moment_of(Evening(INSURED))
    assert (moment.name, moment.who) == (MomentName.CLOSED_TABLE, (Position.PIT_SUPERVISOR,))


def test_without_a_shoe_one_is_put_on() -> None:
    assert moment_of(opened(INSURED)).name is MomentName.SHOE


def test_a_rank_before_the_offer_asks_whether_it_was_made() -> None:
    evening = dealing(INSURED, observing=True).deal("As 2s Ad 3d")
    moment = moment_of(evening)
    assert moment.name is MomentName.INSURANCE_DUE
    assert moment.card is not None
    (question,) = [each for each in moment.questions if each.id == moment.card.ask]
    offered, missed, nothing = question.answers
    for answer in (offered, missed):
        tried = Evening(INSURED)
        tried.table = evening.table
        for body in answer.give:
            card = {"card": "4c"} if body is answer.give[-1] else {}
            tried.do(command_in({**body, **card}))
        assert tried.table.round is not None
        assert len(tried.table.round.cards) == 5
        assert bool(tried.table.round.insurance.missed) == (answer is missed)
    assert nothing.give == ()


def with_left(evening: Evening, left: int) -> Evening:
    """The same table with this many cards left by the count."""
    shoe = evening.table.shoe
    assert shoe is not None
    evening.table = replace(evening.table, shoe=replace(shoe, drawn=shoe.decks * 52 - left))
    return evening


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("settings", [{"observing": True}, {"cards_only": True}, {}])
def test_at_a_count_of_none_a_rank_is_typed_and_space_leads_to_the_guide(rules: Rulebook, settings: Any) -> None:
    evening = with_left(ready(rules, **settings).open_betting().close_betting(), 3).deal("Ks Qs Ts")
    moment = moment_of(evening)
    assert (write(moment.now), moment.tone) == ("By the count the shoe is empty", "trouble")
    assert moment.clauses == rules.topics[Topic.SHOE_RUN_OUT] + rules.topics[Topic.CARD_COUNT]
    assert moment.who == (Position.PIT_SUPERVISOR,)
    assert moment.space is not None
    assert (moment.space.action.page, moment.space.action.give) == ("guide", ())
    assert moment.card is not None
    evening.do(command_in({**moment.card.give[0], "card": "4c"}))
    assert isinstance(evening.events[-1], IrregularityRaised)
    assert moment_of(evening).name is MomentName.TROUBLE


def test_no_key_of_an_empty_shoe_voids_the_round() -> None:
    for shoes, settings in TABLES.values():
        table = ready(INSURED, **{**settings, "burn": False}).open_betting().close_betting()
        moment = moment_of(with_left(table, 0), shoes)
        assert moment.space is not None
        given = [body for key in (moment.space, *moment.keys) for body in key.action.give if "card" not in body]
        for body in given:
            decision = decide(INSURED, table.table, command_in(body))
            events = () if isinstance(decision, Refusal) else decision
            assert not any(isinstance(event, RoundVoided) for event in events)
        assert (moment.card is None) == (shoes is ShoeKind.VIRTUAL or bool(settings.get("face_down")))
        unseen = [key.key for key in moment.keys if key.label.key == "console.key.card_beyond_count"]
        assert unseen == (["A"] if settings.get("observing") and settings.get("face_down") else [])


def test_while_an_offer_stands_an_empty_shoe_leads_to_the_guide_too() -> None:
    evening = with_left(dealing(INSURED, observing=True), 4).deal(BANKER_ON_FIVE)
    due = moment_of(evening)
    assert due.name is MomentName.INSURANCE_DUE
    assert "F" not in [key.key for key in due.keys]  # a rank says that the card is out
    evening.do(commands.OpenInsurance(*DEALER))
    moment = moment_of(evening)
    assert moment.name is MomentName.INSURANCE
    assert moment.space is not None
    assert moment.space.action.page == "guide"
    assert moment.card is not None
    assert "Did a card come out all the same?" in write(moment.why[0])


@pytest.mark.parametrize(
    ("left", "warns"),
    [
        (21, []),
        (20, ["near"]),
        (15, ["near"]),
        (14, ["due"]),
        (6, ["due"]),
        (5, ["due", "few"]),
        (1, ["due", "few"]),
    ],
)
def test_the_dealer_is_warned_near_the_cut_card_and_before_a_call_with_fewer_than_six_cards(
    left: int, warns: list[str]
) -> None:
    words = {
        "near": f"The cut card is near: by the count it comes within {left - 14} card",
        "due": "By the count the cut card should be out.",
        "few": f"Only {left} card",
    }
    evening = with_left(ready(INSURED, observing=True), left)
    for _ in range(3):  # before the call, after it, and before the first card
        why = [write(each) for each in moment_of(evening).why]
        assert [each.startswith(words[warn]) for each, warn in zip(why, warns, strict=True)] == [True] * len(warns)
        evening.do((commands.OpenBetting if evening.table.phase is Phase.READY else commands.CloseBetting)(*DEALER))
        if evening.table.phase is Phase.DEALING:
            break
    evening.do(commands.CutCardOut(*DEALER))
    left_out = [write(each) for each in moment_of(evening).why]
    assert [each for each in left_out if "cut card" in each] == []


def test_the_next_card_closes_the_offer() -> None:
    evening = dealing(INSURED, observing=True).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    moment = moment_of(evening)
    assert (moment.name, moment.space) == (MomentName.INSURANCE, None)
    assert moment.card is not None
    evening.do(command_in({**moment.card.give[0], "card": "4c"}))
    assert moment_of(evening).name in (MomentName.INSURANCE_DUE, MomentName.THIRD, MomentName.RESULT)


def test_missed_insurance_is_named_and_the_pit_manager_may_offer_it_late() -> None:
    evening = dealing(INSURED, ("ann", "banker", 100_00), ("ben", "player", 100_00), observing=True)
    evening.deal(BANKER_ON_FIVE)
    evening.do(commands.DealCard(*DEALER, Card("4c"), not_offered=True))
    moment = moment_of(evening)
    assert moment.name is MomentName.INSURANCE_DUE
    assert write(moment.why[0]).startswith("Insurance on Banker was not offered")
    late = [key for key in moment.keys if key.key == "V"]
    accepted = scene_of(evening).accepts(reports.OfferLateInsurance)
    assert [key.action.page for key in late] == (["guide"] if accepted else [])


def missed_at(dealt: str, *bets: tuple[str, str, int], **changes: Any) -> Evening:
    """A finished coup at a felt table whose insurance nobody offered."""
    if not bets:
        return ready(INSURED, **changes).open_betting().close_betting().deal(dealt)
    return dealing(INSURED, *bets, observing=True, **changes).deal(dealt)


def test_missed_insurance_that_would_have_won_stops_the_settlement_and_leads_to_the_guide() -> None:
    won = f"{BANKER_ON_FIVE} 7c 2h"
    moment = moment_of(missed_at(won, ("ann", "banker", 100_00), ("ben", "player", 100_00)))
    assert (moment.name, moment.who) == (MomentName.TROUBLE, (Position.PIT_MANAGER,))
    assert moment.clauses == INSURED.topics[Topic.UNINSURED_BET]
    assert [write(each) for each in moment.why] == [
        "Take and pay nothing before the pit manager has decided.",
        "ann, box 1: 100 on Banker goes back, if they had meant to insure it.",
    ]
    assert moment.space is not None
    assert (moment.space.action.page, moment.space.action.give) == ("guide", ())
    assert "settle.1" not in [body["command"] for key in moment.keys for body in key.action.give]
    by_hand = moment_of(missed_at(won, cards_only=True))
    assert write(by_hand.why[1]) == "Everybody who had meant to insure Banker gets that bet back."


def test_a_bet_too_small_for_a_chip_of_insurance_claims_nothing() -> None:
    bets = (("ann", "banker", 100_00), ("ben", "banker", 1_00))
    evening = missed_at(f"{BANKER_ON_FIVE} 7c 2h", *bets, smallest_chip_minor=5_00)
    assert "ben" not in "".join(write(each) for each in moment_of(evening).why)
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "had asked"))
    assert moment_of(evening).name is MomentName.RESULT
    evening.do(commands.Settle(*DEALER))


def test_where_nobody_could_have_won_the_console_says_so_and_goes_on() -> None:
    lost, won = f"{BANKER_ON_FIVE} 4c 3h", f"{BANKER_ON_FIVE} 7c 2h"
    returned = missed_at(won, ("ann", "banker", 100_00))
    returned.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "had asked"))
    gone = missed_at(won, ("ann", "banker", 100_00))
    now = gone.table.round
    assert now is not None
    gone.table = replace(gone.table, round=replace(now, bets={}))
    for evening, words in (
        (missed_at(lost, ("ann", "banker", 100_00)), "It would not have won, so nothing is owed."),
        (returned, "The pit manager has decided, and bets went back."),
        (gone, "Nobody could have taken it, so nothing is owed."),
    ):
        moment = moment_of(evening)
        assert moment.name is MomentName.RESULT
        assert write(moment.why[0]) == f"Insurance on Banker was not offered. {words}"
        assert moment.space is not None
        assert [body["command"] for body in moment.space.action.give] == ["settle.1"]


def test_a_card_that_nobody_wants_asks_first_and_then_stops_the_round() -> None:
    evening = dealing(INSURED, observing=True).deal(NATURAL)
    moment = moment_of(evening)
    assert moment.name is MomentName.RESULT
    assert moment.card is not None
    assert moment.card.give == ()
    (question,) = moment.questions
    evening.do(command_in({**question.answers[0].give[0], "card": "4c"}))
    assert isinstance(evening.events[-1], IrregularityRaised)
    stopped = moment_of(evening)
    assert (stopped.name, stopped.who) == (MomentName.TROUBLE, (Position.PIT_SUPERVISOR,))
    assert stopped.space is not None
    assert stopped.space.action.page == "guide"


@pytest.mark.parametrize("with_hand", [False, True])
def test_a_lost_order_stops_the_round_and_says_who_chooses_when(with_hand: bool) -> None:  # noqa: FBT001 - a parameter
    evening = dealing(INSURED, observing=True).deal("2s 9d")
    mixed = reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False)
    fell = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"), Card("4c")), reconstructable=False, reason="both fell")
    evening.do(mixed if with_hand else fell)
    if with_hand:
        evening.do(reports.CallTime(*SUPERVISOR))
    words = [write(why) for why in moment_of(evening).why]
    assert words[0].startswith("Nobody knows in which order")
    assert words[1:] == ([] if with_hand else ["Once the order is ruled, everybody with a bet chooses."])


def test_after_a_correction_the_console_says_what_to_pay_and_to_collect() -> None:
    evening = betting(INSURED, observing=True)
    evening.bet("ann", "player", 100_00)
    evening.do(commands.PlaceBet(*DEALER, "box 5", 5, "banker", 50_00))
    evening.close_betting().deal(NATURAL).settle()
    again = write(phrase("console.why.settled_again"))
    assert again not in map(write, moment_of(evening).why)
    evening.do(commands.MarkPaid(*DEALER))
    evening.do(CorrectCard(*MANAGER, "s1", 1, Card("6d")))  # a tie
    for moment in moments_of(scene_of(evening)):
        assert [write(each) for each in moment.why[:3]] == [
            again,
            "Collect 100 from ann, box 1, for Player.",
            "Pay 50 to box 5 for Banker.",
        ]
    evening.open_betting()
    assert again not in map(write, moment_of(evening).why)


@pytest.mark.parametrize("taken", [False, True])
def test_after_a_correction_what_was_not_done_yet_goes_by_the_new_sheet(*, taken: bool) -> None:
    """Box 5 was taken before the correction, or not; Ann was not paid yet, and nothing has to come back from her."""
    evening = betting(INSURED, observing=True)
    evening.bet("ann", "player", 100_00)
    evening.do(commands.PlaceBet(*DEALER, "box 5", 5, "banker", 50_00))
    evening.close_betting().deal(NATURAL).settle()
    if taken:
        space = moments_of(scene_of(evening))[0].space
        assert space is not None
        evening.do(command_in(space.action.give[0]))
    evening.do(CorrectCard(*MANAGER, "s1", 1, Card("6d")))  # a tie
    why = [write(each) for each in moment_of(evening).why]
    if taken:
        assert why[:2] == [write(phrase("console.why.settled_again")), "Pay 50 to box 5 for Banker."]
    else:
        assert why[0] == write(phrase("console.why.sheet_made_again"))
    assert not any("ann" in each for each in why)


def test_every_choice_has_one_key_and_none_is_left_out() -> None:
    keys, choices = zip(*with_keys(range(50)), strict=True)
    assert choices == tuple(range(50))
    assert len(set(keys)) == len(keys)
    assert "P" not in keys
    assert {len(key) for key in keys[:34]} == {1}


def test_after_a_restart_the_dealer_is_asked_and_goes_on() -> None:
    evening = dealing(INSURED, observing=True).deal("9s 2d")
    evening.do(reports.ReportRestart("house", Position.HOUSE, 0, 9_000_000))
    moment = moment_of(evening)
    assert moment.name is MomentName.RESTARTED
    assert moment.space is not None
    evening.do(command_in(moment.space.action.give[0]))
    assert moment_of(evening).name is MomentName.CARDS


def test_the_settlement_comes_before_the_next_round_until_every_line_is_marked() -> None:
    bets = (("ann", "player", 100_00), ("ann", "tie", 5_00), ("ben", "banker", 50_00))
    evening = dealing(INSURED, *bets, observing=True).deal(NATURAL).settle()
    marked: list[tuple[int, str, int]] = []
    while len(moments := moments_of(scene_of(evening))) == 2:
        settlement, following = moments
        assert (settlement.name, settlement.dismiss) == (MomentName.SETTLEMENT, "")
        assert following.name is MomentName.READY
        assert settlement.space is not None
        assert not settlement.space.action.final
        (event,) = evening.do(command_in(settlement.space.action.give[0]))
        assert isinstance(event, PaymentsMarked)
        marked += [(line.box, line.bet, line.amount_minor) for line in event.lines]
    assert marked == [(1, "tie", -5_00), (2, "banker", -50_00), (1, "player", 100_00)]
    assert [moment.name for moment in moments] == [MomentName.READY]


def test_all_lines_are_marked_by_one_key() -> None:
    evening = dealing(INSURED, ("ann", "player", 100_00), ("ben", "banker", 50_00), observing=True)
    settlement = moments_of(scene_of(evening.deal(NATURAL).settle()))[0]
    (rest,) = [key.action for key in settlement.keys if key.key == "Shift Space"]
    assert rest.final
    evening.do(command_in(rest.give[0]))
    assert moment_of(evening).name is MomentName.READY


def test_that_nothing_is_taken_or_paid_only_the_page_knows_to_be_read() -> None:
    evening = dealing(INSURED, ("ann", "player", 100_00), observing=True).deal("9s 9d Kh Kc").settle()
    settlement, following = moments_of(scene_of(evening))
    assert (settlement.name, settlement.dismiss) == (MomentName.SETTLEMENT, "settled-1")
    assert settlement.space is not None
    assert settlement.space.action == KeyAction(page="dismiss", final=True)
    assert following.name is MomentName.READY


@pytest.mark.parametrize("position", [Position.DEALER, Position.PIT_SUPERVISOR])
def test_v_is_there_while_payouts_wait_for_a_supervisor(position: Position) -> None:
    evening = dealing(INSURED, ("ann", "player", 100_00), observing=True, payout_supervised_minor=50_00)
    evening.deal(NATURAL).settle()
    for moment in moments_of(scene_of(evening, position=position)):
        (key,) = [key for key in moment.keys if key.key == "V"]
        assert key.action.give == ({"command": "verify_payouts.1"},)
        assert key.action.needs is (Position.PIT_SUPERVISOR if position is Position.DEALER else None)
        assert write(moment.why[-1]) == "A supervisor verifies the payouts over the threshold."
        assert moment.who == (Position.DEALER, Position.PIT_SUPERVISOR)
    evening.do(command_in(key.action.give[0], SUPERVISOR))
    for moment in moments_of(scene_of(evening, position=position)):
        assert "V" not in {key.key for key in moment.keys}
        assert moment.who == (Position.DEALER,)


def test_side_bets_that_pay_are_announced_with_the_settlement() -> None:
    evening = dealing(INSURED, ("ann", "player_pair", 10_00), ("ben", "tie", 10_00), observing=True)
    settlement, _ = moments_of(scene_of(evening.deal("9s 2d 9h 3c").settle()))
    assert settlement.say is not None
    assert write(settlement.say) == "Player wins, eight over five. Player Pair pays 11 to 1"


def test_a_void_round_says_so_until_all_is_returned() -> None:
    evening = dealing(INSURED, observing=True).deal("9s 2d")
    evening.do(reports.ReportForeignCard(*SUPERVISOR, reason="a joker"))
    void, following = moments_of(scene_of(evening))
    assert (void.name, following.name) == (MomentName.VOID, MomentName.SHOE)


def test_cards_only_tables_have_no_keys_for_bets() -> None:
    evening = betting(INSURED, cards_only=True)
    assert {key.key for key in moment_of(evening).keys} == {"Y", "P", "H"}  # cancel, correct, call the pit


def test_where_only_cards_are_recorded_the_dealer_asks_everybody_with_a_bet() -> None:
    evening = betting(INSURED, cards_only=True).close_betting().deal("9s 2d")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell off the table"))
    moment = moment_of(evening)
    assert (moment.name, moment.who) == (MomentName.TROUBLE, (Position.PIT_SUPERVISOR,))
    assert [write(each) for each in moment.why] == [
        "Everybody with a bet: play on, or take it back. A supervisor calls time."
    ]
    assert moment.say is not None
    assert "Everybody with a bet: play on, or take it back." in write(moment.say)
    assert moment.clauses == scene_of(evening).clauses(Topic.OPTIONS)


def test_a_dealer_reopens_betting_and_a_supervisor_once_a_bet_was_corrected() -> None:
    evening = dealing(INSURED, observing=True)
    (reopen,) = [key for key in moment_of(evening).keys if key.key == "U"]
    assert reopen.action.needs is None
    evening.do(CorrectBet(*DEALER, "ann", 1, "banker", 50_00))
    (reopen,) = [key for key in moment_of(evening).keys if key.key == "U"]
    assert reopen.action.needs is Position.PIT_SUPERVISOR


def test_the_same_bets_are_offered_while_nothing_lies_there() -> None:
    evening = betting(INSURED, observing=True)
    last = (LastBet("ann", 1, "banker", 100_00), LastBet("box 7", 7, "tie", 5_00), LastBet("gone", 2, "tie", 1))
    scene = Scene(INSURED, evening.table, sealed=False, position=Position.DEALER, by="dora", last_bets=last)
    repeated = list(repeated_bets(scene))
    assert [(body["who"], body["stake_minor"], body["assumed"]) for body in repeated] == [
        ("ann", 100_00, True),
        ("box 7", 5_00, True),
    ]
    for body in repeated:
        evening.do(command_in(body))
    assert evening.table.round is not None
    assert all(placed.assumed for placed in evening.table.round.bets.values())


def test_rejecting_the_excess_gives_no_command_that_an_earlier_one_has_made_needless() -> None:
    evening = betting(INSURED, observing=True, most=500_00, differential_minor=500_00)
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "banker", 900_00))
    (reject,) = [key for key in moment_of(evening).keys if key.key == "X"]
    for body in reject.action.give:
        evening.do(command_in(body))
    assert evening.stakes == {("ann", 1, "banker"): 500_00}
    assert "X" not in {key.key for key in moment_of(evening).keys}


def test_squeezed_cards_come_back_by_hand() -> None:
    evening = betting(INSURED, observing=True, face_down=True, squeeze_granted=True)
    evening.bet("ann", "banker", 100_00)
    evening.do(commands.RequestSqueeze(*DEALER, "ann", Side.BANKER))
    evening.close_betting().deal_unseen(4)
    names = []
    for rank in ("9s", "Kh", "2d", "3c"):
        moment = moment_of(evening)
        names.append(moment.name)
        assert moment.card is not None
        *before, last = moment.card.give
        for body in before:
            evening.do(command_in(body))
        evening.do(command_in({**last, "card": rank}))
    assert names == [MomentName.TURN, MomentName.TURN, MomentName.SQUEEZE, MomentName.SQUEEZE]
    assert evening.table.round is not None
    assert evening.table.round.cards == ("9s", "2d", "Kh", "3c")
    assert evening.table.round.squeezed == {2, 4}
    assert evening.table.phase is Phase.DEALING


def test_the_pit_is_called_from_every_moment_in_which_no_card_is_typed() -> None:
    def key(evening: Evening) -> list[str]:
        keys = [each for each in moment_of(evening).keys if each.key == "H"]
        return [body["command"] for each in keys for body in each.action.give]

    for evening in (opened(INSURED), ready(INSURED), betting(INSURED), betting(INSURED).play(NATURAL)):
        assert key(evening) == ["call_pit.1"]
        evening.do(CallPit(*DEALER))
        assert key(evening) == ["answer_call.1"]
    assert key(dealing(INSURED)) == []  # H is a suit
    assert key(Evening(INSURED)) == []


def _at_the_felt() -> Iterator[Evening]:
    """A felt table in every phase of a round, from the call to the call after it."""
    evening = ready(INSURED, observing=True)
    yield evening
    yield evening.open_betting()
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "banker", 100_00))
    yield evening.close_betting()
    yield evening.deal("As 2s")
    yield evening.deal("Ad 3d")
    evening.do(commands.OpenInsurance(*DEALER))
    yield evening
    yield evening.deal("7c Kh")
    yield evening.settle()


def test_people_come_and_go_by_key_in_every_phase() -> None:
    for evening in _at_the_felt():
        for moment in moments_of(scene_of(evening)):
            opens = {key.action.open: key.key for key in moment.keys if key.action.open}
            assert {"buy_in", "seats"} <= opens.keys(), moment.name
            assert len({key.key for key in moment.keys}) == len(moment.keys)
            if moment.card is not None:
                assert not CARD_KEYS & {opens["buy_in"], opens["seats"]}


def test_the_forms_offer_whoever_may_be_at_a_free_box_in_every_phase() -> None:
    for evening in _at_the_felt():
        for form in (table_forms.buy_in, table_forms.cash_out):
            (who,) = (field for field in form(scene_of(evening)).fields if field.name == "who")
            assert {"ann", "box 4"} <= {pick.value for pick in who.picks}


def test_a_box_whose_player_left_the_round_can_be_taken() -> None:
    evening = ready(INSURED, observing=True).open_betting()
    evening.do(commands.PlaceBet(*DEALER, "box 4", 4, "banker", 100_00))
    evening.do(commands.Leave(*DEALER, "box 4"))
    picks = [pick.value for field in table_forms.sit(scene_of(evening)).fields for pick in field.picks]
    assert {"who": "box 4", "box": 4} in picks
    assert {"who": "box 1", "box": 1} not in picks


def test_a_debt_is_known_to_the_settlement() -> None:
    evening = ready(INSURED, observing=True).open_betting()
    evening.do(commands.PlaceBet(*DEALER, "box 4", 4, "player", 195_00))
    evening.play(NATURAL)
    evening.do(commands.Leave(*DEALER, "box 4"))
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    evening.do(commands.IdentifyPlayer(*DEALER, "box 4", "P000123"))
    evening.open_betting()
    evening.do(commands.PlaceBet(*DEALER, "P000123", 1, "player", 300_00))
    evening.play(NATURAL)
    assert evening.table.round is not None
    assert evening.table.round.owed == {"P000123": 195_00}


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_call_by_a_slip_that_is_cancelled_leaves_the_console_as_it_was(rules: Rulebook) -> None:
    evening = ready(rules, observing=True).open_betting()
    evening.bet("ben", "player", 100_00)
    evening.close_betting().deal(NATURAL).settle()
    moment, offered = moment_of(evening), _corrections(evening)
    assert {"correct_card", "correct_bet", "correct_payment"} <= offered.keys()
    evening.open_betting().close_betting()
    assert not {"correct_card", "correct_payment"} & _corrections(evening).keys()
    evening.do(CancelRound(*DEALER))
    assert moment_of(evening) == moment
    assert _corrections(evening) == offered


def _corrections(evening: Evening) -> dict[str, object]:
    """The forms of the corrections that can be given now, as the dealer has them."""
    scene = scene_of(evening)
    return {name: form(scene) for name, (_, can_be_given, form) in CORRECTIONS.items() if can_be_given(scene)}
