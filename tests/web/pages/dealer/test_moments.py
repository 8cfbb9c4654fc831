"""The moments of the console: what they are, and that everything they offer is accepted by the table."""

from typing import Any

import pytest
from msgspec.structs import replace

from punto.catalogue.sentence import phrase, write
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.table.records import commands, reports
from punto.table.records.corrections import CorrectBet, CorrectCard
from punto.table.records.findings import IrregularityRaised
from punto.table.records.pit_calls import CallPit
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.web.pages.dealer.betting import repeated_bets
from punto.web.pages.dealer.moment import moments_of
from punto.web.pages.dealer.scene import LastBet, MomentName, Scene, with_keys
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    MANAGER,
    NATURAL,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    opened,
    ready,
)
from tests.web.pages.dealer.at_console import ConsoleDealer, Played, command_in, moment_of, scene_of

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
    assert {MomentName.READY, MomentName.BETTING, MomentName.CLOSED, MomentName.CARDS, MomentName.RESULT} <= dealer.seen
    assert changes.get("face_down") is None or MomentName.TURN in dealer.seen


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


def test_after_a_correction_the_console_says_what_to_pay_and_to_collect() -> None:
    evening = betting(INSURED, observing=True)
    evening.bet("ann", "player", 100_00)
    evening.do(commands.PlaceBet(*DEALER, "box 5", 5, "banker", 50_00))
    evening.close_betting().deal(NATURAL).settle()
    again = write(phrase("console.why.settled_again"))
    assert again not in map(write, moment_of(evening).why)
    evening.do(CorrectCard(*MANAGER, "s1", 1, Card("6d")))  # a tie
    for moment in moments_of(scene_of(evening)):
        assert [write(each) for each in moment.why[:3]] == [
            again,
            "Collect 100 from ann, box 1, for Player.",
            "Pay 50 to box 5 for Banker.",
        ]
    evening.open_betting()
    assert again not in map(write, moment_of(evening).why)


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


def test_the_settlement_comes_before_the_next_round_and_only_the_page_ends_it() -> None:
    evening = dealing(INSURED, observing=True).deal(NATURAL).settle()
    settlement, following = moments_of(scene_of(evening))
    assert (settlement.name, settlement.dismiss) == (MomentName.SETTLEMENT, "settled-1")
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
    scene = Scene(INSURED, evening.table, ShoeKind.MANUAL, Position.DEALER, "dora", last_bets=last)
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
