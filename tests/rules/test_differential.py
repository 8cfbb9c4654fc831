"""The differential limit: what plays when nobody noticed the excess."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto import Limits, Stake, book, settle
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.differential import played, pro_rata
from punto.rules.topics import Topic
from tests.marks import books, reading

RULES = book("commission-insurance")
DEFINED = {
    "commission-insurance": "1.5",
    "super-six-plus": "1.5",
    "da-hu-ying-xiong": "1.6",
    "tiger-buffalo": "1.8",
}
STAKES = st.lists(st.tuples(st.integers(1, 10**7), st.booleans()), min_size=1, max_size=9)


def _stakes(bets: list[tuple[int, bool]], bet: str = "banker", box: int = 1) -> list[Stake]:
    return [Stake(f"p{at}", bet, stake, box, seated) for at, (stake, seated) in enumerate(bets)]


@given(bets=STAKES, target=st.integers(1, 10**8), minimum=st.integers(0, 10**5))
def test_pro_rata_always_holds_its_promises(bets: list[tuple[int, bool]], target: int, minimum: int) -> None:
    stakes = _stakes(bets)
    total = sum(stake.stake_minor for stake in stakes)
    if total <= target:
        return
    plays = pro_rata(stakes, target, minimum)
    floors = [min(stake.stake_minor, minimum) for stake in stakes]
    for stake, play, floor in zip(stakes, plays, floors, strict=True):
        assert floor <= play <= stake.stake_minor
    assert sum(plays) == max(target, sum(floors))
    # a larger stake never plays less, and all stakes above their floor have the same share to within one unit
    for one, first in zip(stakes, plays, strict=True):
        for two, second in zip(stakes, plays, strict=True):
            if one.stake_minor > two.stake_minor:
                assert first >= second - 1
            if first > min(one.stake_minor, minimum) + 1 and second > min(two.stake_minor, minimum) + 1:
                assert abs(first * two.stake_minor - second * one.stake_minor) <= one.stake_minor + two.stake_minor


@pytest.mark.parametrize(
    ("stakes", "target", "minimum", "plays"),
    [
        ([(600_00, True), (300_00, False)], 600_00, 0, [400_00, 200_00]),
        ([(600_00, True), (300_00, False)], 600_00, 250_00, [350_00, 250_00]),  # the rest pay for the floor
        ([(600_00, True), (20_00, False)], 310_00, 50_00, [290_00, 20_00]),  # below the minimum: plays in full
        ([(600_00, True), (300_00, False)], 100_00, 80_00, [80_00, 80_00]),  # floors alone exceed the limit
        ([(100, False), (100, True), (100, False)], 200, 0, [67, 67, 66]),  # seated first, then the earlier
        ([(100, False), (100, False), (100, True)], 100, 0, [33, 33, 34]),
        ([(100, False), (100, False), (100, False)], 200, 0, [67, 67, 66]),
        ([(3, True), (2, True)], 4, 0, [2, 2]),  # 2.4 and 1.6: the larger remainder
        ([(6, False), (6, False), (8, False)], 11, 0, [3, 3, 5]),  # 3.3, 3.3, 4.4: none is a half
        ([(6, False), (6, False), (8, False)], 12, 0, [4, 3, 5]),  # 3.6, 3.6, 4.8: not each that is more than a half
        ([(8, False), (6, True), (6, False)], 11, 0, [5, 3, 3]),  # the remainder before the seat
        ([(6, False), (6, True), (8, False)], 12, 0, [3, 4, 5]),  # then the seat before the order
        ([(5, False), (5, True)], 5, 0, [2, 3]),  # two halves: one goes up
        ([(5, True), (5, False)], 5, 0, [3, 2]),
        ([(4, False), (2, True)], 3, 0, [2, 1]),  # no remainder
        ([(4, True), (4, False), (4, False), (4, False)], 15, 0, [4, 4, 4, 3]),  # 3.75 each: all but one
        ([(4, True), (4, False), (4, False), (4, False)], 13, 0, [4, 3, 3, 3]),  # 3.25 each: one alone
        ([(10, True), (10, False)], 11, 5, [6, 5]),  # above the floor by half a unit
        ([(12, True), (10, False)], 11, 5, [6, 5]),  # exactly the floor
        ([(13, True), (10, False)], 11, 5, [6, 5]),  # below it
        ([(10, True), (4, False)], 10, 5, [6, 4]),
        ([(10, True), (5, False)], 10, 5, [5, 5]),  # the floors are the target
        ([(10, True), (6, False)], 9, 5, [5, 5]),  # they are above it
        ([(10, True), (6, False)], 11, 5, [6, 5]),  # they are below it by one
        ([(1000, True), (200, False), (110, False)], 700, 100, [500, 100, 100]),  # a floor that pushes another down
    ],
)
@reading("pro_rata_with_floors")
def test_pro_rata_by_hand(stakes: list[tuple[int, bool]], target: int, minimum: int, plays: list[int]) -> None:
    assert pro_rata(_stakes(stakes), target, minimum) == plays


@pytest.mark.parametrize("rules", books(Topic.PRO_RATA, also=DEFINED))
@reading("differential_box_by_box", "pro_rata_with_floors")
def test_the_heavier_side_of_a_box_plays_down_to_the_limit(rules: Rulebook) -> None:
    stakes = [
        *_stakes([(900_00, True), (300_00, False)], "banker", box=1),
        *_stakes([(200_00, True)], "player", box=1),
        *_stakes([(700_00, True)], "player", box=2),
    ]
    plays = played(rules, stakes, Limits(differential_minor=600_00))
    assert {at: play for at, (play, _) in plays.items()} == {0: 600_00, 1: 200_00, 3: 600_00}
    for _, clauses in plays.values():
        assert clauses == rules.topics[Topic.PRO_RATA]
    assert played(rules, stakes, Limits(differential_minor=1000_00)) == {}
    assert played(rules, stakes[:3], Limits(differential_minor=1000_00 - 1)) != {}


@pytest.mark.parametrize(
    ("stake_minor", "plays_minor"),
    [(600_00 - 1, None), (600_00, None), (600_00 + 1, 600_00)],
)
def test_the_limit_itself_is_no_excess(stake_minor: int, plays_minor: int | None) -> None:
    plays = played(RULES, _stakes([(stake_minor, True)]), Limits(differential_minor=600_00))
    assert plays == ({} if plays_minor is None else {0: (plays_minor, RULES.topics[Topic.PRO_RATA])})


@pytest.mark.parametrize("stake_minor", [50_00 - 1, 50_00, 50_00 + 1])
def test_the_minimum_itself_is_not_under_it(stake_minor: int) -> None:
    plays = played(RULES, _stakes([(stake_minor, True)]), Limits(min_minor=50_00))
    assert plays == ({0: (stake_minor, RULES.topics[Topic.BELOW_MINIMUM_PLAYS])} if stake_minor < 50_00 else {})


@pytest.mark.parametrize("rules", books(Topic.NOT_PRO_RATED, Topic.BELOW_MINIMUM_PLAYS))
@reading("below_minimum_unnoticed")
def test_a_bet_under_the_minimum_plays_whole_and_says_why(rules: Rulebook) -> None:
    stakes = _stakes([(900_00, True), (10_00, False)])
    limits = Limits(min_minor=50_00, differential_minor=500_00)
    plays = played(rules, stakes, limits)
    assert plays[0] == (490_00, rules.topics[Topic.PRO_RATA])
    assert plays[1] == (10_00, rules.topics[Topic.NOT_PRO_RATED])
    unscaled = played(rules, stakes, Limits(min_minor=50_00))
    assert unscaled == {1: (10_00, rules.topics[Topic.BELOW_MINIMUM_PLAYS])}


@reading("pro_rata_with_floors")
def test_to_the_limits_all_that_a_player_has_on_a_side_of_a_box_is_one_bet() -> None:
    split = [Stake("ann", "banker", 90_00, 1) for _ in range(10)]
    plays = played(RULES, split, Limits(100_00, None, 200_00))
    assert [plays[at][0] for at in range(10)] == [20_00] * 10
    assert {clauses for _, clauses in plays.values()} == {RULES.topics[Topic.PRO_RATA]}

    behind = [Stake("bob", "banker", 60_00, 1, seated=False), Stake("bob", "banker", 60_00, 1, seated=False)]
    plays = played(RULES, [Stake("ann", "banker", 3000_00, 1), *behind], Limits(100_00, None, 1000_00))
    assert [plays[at][0] for at in range(3)] == [900_00, 50_00, 50_00]
    assert played(RULES, behind, Limits(min_minor=100_00)) == {}  # together they are above the minimum


def test_under_the_minimum_on_the_lighter_side_of_a_box_in_excess() -> None:
    stakes = [Stake("ann", "banker", 3000_00, 1), Stake("bob", "player", 50_00, 1)]
    plays = played(RULES, stakes, Limits(100_00, None, 1000_00))
    assert plays == {0: (1050_00, RULES.topics[Topic.PRO_RATA]), 1: (50_00, RULES.topics[Topic.NOT_PRO_RATED])}


def test_side_bets_have_no_part_in_the_differential() -> None:
    stakes = [Stake("ann", "tie", 900_00, 1), Stake("ann", "banker", 100_00, 1)]
    assert played(RULES, stakes, Limits(min_minor=200_00, differential_minor=100_00)) == {
        1: (100_00, RULES.topics[Topic.BELOW_MINIMUM_PLAYS])
    }


def test_a_player_without_a_numbered_box_has_a_box_of_their_own() -> None:
    stakes = [Stake("ann", "banker", 300_00), Stake("bob", "banker", 300_00), Stake("ann", "player", 100_00)]
    plays = played(RULES, stakes, Limits(differential_minor=150_00))
    assert {at: play for at, (play, _) in plays.items()} == {0: 250_00, 1: 150_00}


@given(
    bets=st.lists(
        st.tuples(st.sampled_from(["player", "banker"]), st.integers(1, 10**6), st.integers(1, 3)), max_size=9
    ),
    differential=st.integers(1, 10**6),
    minimum=st.integers(1, 10**4),
)
def test_nothing_is_created_or_lost_by_scaling(
    bets: list[tuple[str, int, int]], differential: int, minimum: int
) -> None:
    stakes = [Stake(f"p{at}", bet, stake, box) for at, (bet, stake, box) in enumerate(bets)]
    limits = Limits(minimum, None, differential)
    coup = RULES.coup("4s 3d Kh Tc 5d 6h")  # a tie returns everything, whatever plays
    settlement = settle(RULES, coup, stakes, limits=limits)
    assert [settled.returned_minor for settled in settlement.bets] == [stake.stake_minor for stake in stakes]
    lost = settle(RULES, RULES.coup("5s Kd 3h 7c"), stakes, limits=limits)  # Player wins by a natural
    for settled in lost.bets:
        plays = settled.stake_minor if settled.played_minor is None else settled.played_minor
        won = plays if settled.stake.bet == "player" else -plays
        assert settled.returned_minor == settled.stake_minor + won
    for box in (1, 2, 3):
        sides = {"player": 0, "banker": 0}
        floors = 0
        for settled in lost.bets:
            if settled.stake.box == box:
                plays = settled.stake_minor if settled.played_minor is None else settled.played_minor
                sides[settled.stake.bet] += plays
                floors += min(settled.stake_minor, minimum)
        assert abs(sides["player"] - sides["banker"]) <= max(differential, floors)


def test_a_player_seated_with_one_bet_counts_as_seated_for_the_odd_unit() -> None:
    stakes = [
        Stake("ann", "banker", 100, 1, seated=False),
        Stake("bob", "banker", 50, 1, seated=True),
        Stake("bob", "banker", 50, 1, seated=False),
        Stake("cho", "banker", 100, 1, seated=False),
    ]
    plays = played(RULES, stakes, Limits(differential_minor=100))
    assert [plays[at][0] for at in range(4)] == [33, 17, 17, 33]
