"""Insurance: every cell of every pay table, offered, won, lost and returned; and the caps."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import CapPer, Insurance, InsuranceLine, Stage, Taken
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import POINTS, Side
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from tests.marks import BOOKS, INSURED, books, clause, reading
from tests.plainly import banker_draws, deal, insurance_pays, insured, player_draws

CARD = "KA23456789"
PAYS = {
    "commission-insurance": "1.9 4.1.3 4.2 4.2.1",
    "da-hu-ying-xiong": "1.10 4.1.2 4.2 4.2.1 4.2.1(a) 4.2.1(b)",
    "tiger-buffalo": "1.12 4.1.9 4.2 4.2.1 4.2.1(a) 4.2.1(b)",
}


def _insurance(rules: Rulebook) -> Insurance:
    assert rules.insurance is not None
    return rules.insurance


@pytest.mark.parametrize(
    "rules", books(Topic.INSURANCE, Topic.INSURED_BET, Topic.INSURANCE_TIE, among=INSURED, also=PAYS)
)
@reading("insurance_while_a_card_is_to_come", "ties_that_pay_insurance")
def test_every_run_is_offered_and_paid_what_the_table_says(rules: Rulebook) -> None:
    seen: set[tuple[str, str, int, int, str]] = set()
    for player, banker, fifth, sixth in product(POINTS, repeat=4):
        cards = f"Ks Kd {CARD[player]}h {CARD[banker]}c {CARD[fifth]}s {CARD[sixth]}d"
        coup = rules.coup(cards)
        dealt = deal(player, banker, fifth, sixth)
        points: list[tuple[str, int, int]] = []
        if player_draws(player, banker) or banker_draws(player, banker, None):
            points.append(("four", player, banker))
        if player_draws(player, banker) and banker_draws(player, banker, fifth):
            points.append(("third", (player + fifth) % 10, banker))
        made = [(at, found) for at in points if (found := insured(rules.id, *at))]
        offers = _insurance(rules).offers(coup)
        assert [(line.stage, line.side, line.odds_text) for line in offers] == [(at[0], *found) for at, found in made]
        for line, ((stage, ours, theirs), (side, _)) in zip(offers, made, strict=True):
            verdict = line.verdicts[coup.winner]
            assert verdict.result == insurance_pays(rules.id, stage, side, dealt)
            assert verdict.odds == (line.odds if verdict.result is Result.WIN else None)
            assert verdict.clauses
            seen.add((stage, side, ours, theirs, verdict.result))
    cells = {entry[:4] for entry in seen}
    assert len(cells) == {"commission-insurance": 17 + 13 + 11 + 32}.get(rules.id, 21 + 13 + 17 + 32)
    for stage, side, player, banker in cells:
        line = _line(rules, Stage(stage), player, banker)
        results = {entry[4] for entry in seen if entry[:4] == (stage, side, player, banker)}
        assert results == {"win", "lose"} | (set() if line.tie_pays else {"push"})


@pytest.mark.parametrize("rules", books(Topic.INSURANCE, among=INSURED))
@reading("insurance_while_a_card_is_to_come")
def test_no_points_insure_both_sides_at_one_stage(rules: Rulebook) -> None:
    for stage, player, banker in product(Stage, POINTS, POINTS):
        lines = [
            line
            for line in _insurance(rules).lines
            if line.stage is stage and player in line.player and banker in line.banker
        ]
        assert len(lines) <= 1


@pytest.mark.parametrize("rules", books(Topic.INSURANCE, among=INSURED))
def test_an_offer_is_open_only_until_the_next_card(rules: Rulebook) -> None:
    insurance = _insurance(rules)
    stages: list[Stage | None] = []
    coup = rules.coup()
    for card in rules.coup("4s 3d Ah 3c 3d 6h").cards:  # Player 5, Banker 6; then Player 8
        coup = coup.draw(card)
        offer = insurance.open_offer(coup)
        stages.append(None if offer is None else offer.stage)
    assert stages == [None, None, None, Stage.FOUR, None, None]
    assert insurance.open_offer(rules.coup("4s Kd Kh 3c 4h")) == insurance.line(Stage.THIRD, 8, 3)
    assert insurance.open_offer(rules.coup("4s Kd Kh 3c 4h 9s")) is None


@pytest.mark.parametrize("rules", books(Topic.INSURANCE, among=INSURED))
def test_a_card_face_down_leaves_nothing_to_insure(rules: Rulebook) -> None:
    insurance = _insurance(rules)
    assert insurance.open_offer(rules.coup("4s 3d Ah 3c")) is not None
    assert insurance.open_offer(rules.coup("4s ?? Ah 3c")) is None
    assert insurance.open_offer(rules.coup("?? 3d Ah 3c")) is None
    assert [line.stage for line in insurance.offers(rules.coup("4s Kd Kh 2c ?? 9s"))] == []
    assert [line.stage for line in insurance.offers(rules.coup("4s Kd Kh 2c 4d 9s"))] == [Stage.THIRD]


@pytest.mark.parametrize("rules", [rules for rules in BOOKS if not rules.insurance], ids=lambda rules: rules.id)
def test_a_book_without_insurance_offers_none(rules: Rulebook) -> None:
    assert rules.offers(rules.coup("4s 3d Ah 3c 3d 6h")) == ()


def _line(rules: Rulebook, stage: Stage, player: int, banker: int) -> InsuranceLine:
    line = _insurance(rules).line(stage, player, banker)
    assert line is not None
    return line


@clause("commission-insurance", "3.12.2")
@reading("cap_on_winnings_of_the_round")
def test_what_all_insurance_of_a_round_would_pay_is_at_most_the_original_bet() -> None:
    rules = book("commission-insurance")
    cap = _insurance(rules).cap
    at_three, at_seven = _line(rules, Stage.FOUR, 4, 6), _line(rules, Stage.THIRD, 1, 6)
    assert (at_three.odds_text, at_seven.odds_text) == ("3", "7")
    assert [cap.room_minor(at_three, original) for original in (2, 3, 4, 5, 6)] == [0, 1, 1, 1, 2]  # never rounded up
    assert cap.room_minor(at_three, 1000_00) == 333_33
    taken = [Taken(Stage.FOUR, at_three.odds, 200_00)]
    assert cap.room_minor(at_seven, 1000_00, taken) == 57_14
    assert cap.room_minor(at_three, 1000_00, [*taken, Taken(Stage.FOUR, Fraction(3), 133_34)]) == 0
    assert cap.room_minor(at_three, 1000_00, taken, maximum_minor=1) == 133_33  # a maximum changes nothing here


@pytest.mark.parametrize(
    "rules", books(Topic.INSURANCE_CAP, among=[r for r in INSURED if r.id != "commission-insurance"])
)
@reading("cap_on_the_stake_of_an_offer")
def test_the_stake_at_each_offer_is_at_most_the_original_bet(rules: Rulebook) -> None:
    cap = _insurance(rules).cap
    four, third = _line(rules, Stage.FOUR, 5, 6), _line(rules, Stage.THIRD, 1, 6)
    assert (four.odds_text, third.odds_text) == ("5/2", "10")
    assert cap.room_minor(four, 1000_00) == 1000_00
    taken = [Taken(Stage.FOUR, four.odds, 600_00)]
    assert cap.room_minor(four, 1000_00, taken) == 400_00
    assert cap.room_minor(third, 1000_00, taken) == 1000_00  # another offer
    assert [cap.room_minor(third, 1000_00, taken, most) for most in (1999_99, 2000_03, 2000_04)] == [
        499_99,
        500_00,
        500_01,
    ]
    assert cap.room_minor(third, 1000_00, taken, maximum_minor=2000_01) == 500_00
    assert cap.room_minor(third, 400_00, taken, maximum_minor=2000_00) == 400_00
    more = [*taken, Taken(Stage.THIRD, third.odds, 499_99)]
    assert cap.room_minor(third, 1000_00, more, maximum_minor=2000_00) == 1
    assert cap.room_minor(four, 1000_00, maximum_minor=2000_00) == 1000_00  # a quarter only at 10 to 1


def test_the_share_of_the_maximum_counts_only_stakes_at_its_odds() -> None:
    rules = book("tiger-buffalo")
    third = _line(rules, Stage.THIRD, 1, 6)
    cap = replace(_insurance(rules).cap, per=CapPer.ROUND)  # all stakes of the round count for the rest of the cap
    other, same = Taken(Stage.FOUR, Fraction(5, 2), 100_00), Taken(Stage.FOUR, third.odds, 100_00)
    assert cap.room_minor(third, 1000_00, [other], maximum_minor=2000_00) == 500_00
    assert cap.room_minor(third, 1000_00, [same], maximum_minor=2000_00) == 400_00
    assert cap.room_minor(third, 1000_00, [same, same, other], maximum_minor=2000_00) == 300_00


@given(
    rules=st.sampled_from(INSURED),
    original=st.integers(1, 10**9),
    at=st.integers(0, 14),
    takes=st.lists(st.integers(1, 10**9), max_size=4),
)
def test_nobody_can_ever_take_more_than_the_cap(rules: Rulebook, original: int, at: int, takes: list[int]) -> None:
    cap, line = _insurance(rules).cap, _insurance(rules).lines[at]
    taken: list[Taken] = []
    for wanted in takes:
        room = cap.room_minor(line, original, taken)
        assert room >= 0
        taken.append(Taken(line.stage, line.odds, min(wanted, room)))
    staked = sum(each.stake_minor for each in taken)
    if cap.on == "winnings":
        assert staked * line.odds <= original
        assert (staked + cap.room_minor(line, original, taken) + 1) * line.odds > original
    else:
        assert staked + cap.room_minor(line, original, taken) == original


def test_a_tie_pays_only_the_lines_that_say_so() -> None:
    for rules in INSURED:
        paying = {
            (line.stage, line.side, player)
            for line in _insurance(rules).lines
            if line.verdicts[Winner.TIE].result is Result.WIN
            for player in line.player
        }
        nine = {(Stage.THIRD, Side.PLAYER, 9)}
        nothing = {(Stage.THIRD, Side.BANKER, 0)} if rules.id != "commission-insurance" else set()
        assert paying == nine | nothing
