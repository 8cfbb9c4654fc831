"""Settlement is exact to the smallest unit, and all or nothing."""

from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from punto import InsuranceStake, Limits, Stake, book, settle
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result, Verdict
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Space
from punto.rules.coup.table_of_play import Side
from punto.rules.money import Rounding
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from tests.marks import BOOKS, INSURED, LATER, books, clause, reading

CARDS = st.lists(st.sampled_from(list(Card)), min_size=6, max_size=6).map(tuple)


@st.composite
def _rounds(draw: st.DrawFn) -> tuple[Rulebook, str, Coup, list[Stake]]:
    rules = draw(st.sampled_from(BOOKS))
    layout = draw(st.sampled_from(list(rules.layouts.values())))
    bets = st.builds(
        Stake,
        who=st.sampled_from(["ann", "bob", "cho"]),
        bet=st.sampled_from(layout.menu),
        stake_minor=st.integers(1, 10**12),
        box=st.none() | st.integers(1, layout.most_boxes or 40),
        seated=st.booleans(),
    )
    cards = draw(CARDS.filter(lambda cards: len(set(cards)) > 2))
    return rules, layout.id, Coup.of(rules.space, cards), draw(st.lists(bets, max_size=7))


@given(_rounds(), st.sampled_from(Rounding))
@reading("round_down_bet_by_bet", "commission_is_the_shortfall")
def test_every_payout_is_exact_and_rounded_as_named(
    drawn: tuple[Rulebook, str, Coup, list[Stake]], rounding: Rounding
) -> None:
    rules, layout, coup, stakes = drawn
    settlement = settle(rules, coup, stakes, layout=layout, rounding=rounding)
    assert [settled.stake for settled in settlement.bets] == stakes
    for settled in settlement.bets:
        verdict, stake = settled.verdict, settled.stake_minor
        won = settled.returned_minor - stake
        if verdict.result is Result.WIN:
            assert verdict.odds is not None
            exact = stake * verdict.odds * (1 - (verdict.commission or 0))
            rounded = {
                Rounding.DOWN: floor(exact),
                Rounding.HALF_UP: floor(exact + Fraction(1, 2)),
                Rounding.UP: -floor(-exact),
            }
            assert won == rounded[rounding]
            if verdict.commission is None:
                assert settled.commission_minor is None
            else:  # the shortfall from even money
                assert settled.commission_minor == stake - won
        else:
            assert won == (0 if verdict.result is Result.PUSH else -stake)
            assert settled.commission_minor is None
        assert settled.played_minor is None
        assert settled.clauses == verdict.clauses


@pytest.mark.parametrize("rules", books(Topic.COMMISSION))
@reading("round_down_bet_by_bet", "commission_is_the_shortfall")
@pytest.mark.parametrize(
    ("stake", "returned", "commission"),
    [(100_00, 195_00, 5_00), (1, 1, 1), (10, 19, 1), (33_33, 64_99, 1_67), (20, 39, 1), (97_50, 190_12, 4_88)],
)
def test_commission_by_hand(rules: Rulebook, stake: int, returned: int, commission: int) -> None:
    layout = next(iter(rules.layouts))
    banker_wins = rules.coup("2s 9d Kh Kc")
    (settled,) = settle(rules, banker_wins, [Stake("ann", "banker", stake)], layout=layout).bets
    assert (settled.returned_minor, settled.commission_minor) == (returned, commission)
    assert set(rules.topics[Topic.COMMISSION]) <= set(settled.clauses)


@pytest.mark.parametrize(
    ("stake", "down", "half_up", "up"),
    [  # returned and commission; 19/20 is won
        (9, (17, 1), (18, 0), (18, 0)),  # 8.55
        (10, (19, 1), (20, 0), (20, 0)),  # 9.5
        (11, (21, 1), (21, 1), (22, 0)),  # 10.45
        (20, (39, 1), (39, 1), (39, 1)),  # 19
        (30, (58, 2), (59, 1), (59, 1)),  # 28.5
    ],
)
@reading("round_down_bet_by_bet", "commission_is_the_shortfall")
def test_a_win_on_both_sides_of_half_a_unit(
    stake: int, down: tuple[int, int], half_up: tuple[int, int], up: tuple[int, int]
) -> None:
    rules = book("commission")
    banker_wins = rules.coup("2s 9d Kh Kc")
    for rounding, expected in zip((Rounding.DOWN, Rounding.HALF_UP, Rounding.UP), (down, half_up, up), strict=True):
        (settled,) = settle(rules, banker_wins, [Stake("ann", "banker", stake)], rounding=rounding).bets
        assert (settled.returned_minor, settled.commission_minor) == expected


@pytest.mark.parametrize("rules", books(Topic.LAYOUTS, also=dict.fromkeys(("commission", *LATER), "2.1")))
def test_a_layout_settles_exactly_its_menu(rules: Rulebook) -> None:
    coup = rules.coup("4s 3d Kh Tc 5d 6h")
    for layout in rules.layouts.values():
        for bet in rules.bets:
            if bet in layout.menu:
                settle(rules, coup, [Stake("ann", bet, 1)], layout=layout.id)
                continue
            with pytest.raises(Refused) as refused:
                settle(rules, coup, [Stake("ann", bet, 1)], layout=layout.id)
            assert refused.value.code is Code.BET_NOT_ON_LAYOUT
            assert set(rules.topics[Topic.BETS_OFFERED]) < set(refused.value.clauses)


@clause("tiger-buffalo", "4.1.3", "4.1.4", "4.1.5", "4.1.6", "4.1.7", "4.1.8", "2.1.1")
def test_the_layouts_of_tiger_buffalo_have_the_bets_their_clauses_give_them() -> None:
    rules = book("tiger-buffalo")
    on = {bet: "".join(layout.id for layout in rules.layouts.values() if bet in layout.menu) for bet in rules.bets}
    everywhere = "ABCDEFGHIJK"
    assert on == {
        **dict.fromkeys(rules.bets, everywhere),
        "player_pair": "ABDEGJK",
        "banker_pair": "ABDEGJK",
        "tiger_buffalo": "CFHI",
        "wu_dalang": "CFHI",
    }


@reading("unstated_boxes")
@pytest.mark.parametrize(
    ("game", "layouts"),
    [
        pytest.param(
            "commission",
            "A bean 9-9, B bean 7-7, C mini 7-7, D big 12-12",
            marks=clause("commission", "2.1.1", "2.1.1(a)", "2.1.1(b)", "2.1.1(c)", "2.1.1(d)", "2.1.2"),
        ),
        pytest.param(
            "commission-insurance",
            "A big 12-12, B big 10-10, C bean 9-9, D bean 7-7, E mini 7-7, F mini 6-6, G mini 5-5",
            marks=clause("commission-insurance", "2.1.1", "2.1.1(a)"),
        ),
        pytest.param(
            "super-six-plus",
            "A bean 9-9, B bean 8-8, C bean 7-7, D mini 7-7, E mini 6-6, F mini 5-5",
            marks=clause("super-six-plus", "2.1.1", "2.1.1(a)"),
        ),
        pytest.param(
            "da-hu-ying-xiong",
            ", ".join(f"{letter} None None-None" for letter in "ABCDEFGHIJKLMNOPQR"),
            marks=clause("da-hu-ying-xiong", "2.1.1", "2.1.1(a)"),
        ),
        pytest.param(
            "tiger-buffalo",
            ", ".join(
                f"{letter} None {'1-6' if letter in 'ABCGHJ' else '10-16' if letter == 'K' else '1-5'}"
                for letter in "ABCDEFGHIJK"
            ),
            marks=clause("tiger-buffalo", "2.1.1", "2.1.1(a)"),
        ),
    ],
)
def test_layouts_have_the_kind_and_boxes_of_their_appendix(game: str, layouts: str) -> None:
    written = [f"{at.id} {at.kind} {at.least_boxes}-{at.most_boxes}" for at in book(game).layouts.values()]
    assert ", ".join(written) == layouts


@pytest.mark.parametrize("rules", books(Topic.BOXES))
@reading("unstated_boxes")
def test_a_box_the_layout_has_not_is_refused(rules: Rulebook) -> None:
    coup = rules.coup("4s 3d Kh Tc 5d 6h")
    for layout in rules.layouts.values():
        most = layout.most_boxes
        settle(rules, coup, [Stake("ann", "player", 1, most or 99)], layout=layout.id)
        for box in [0, -1] if most is None else [0, most + 1]:
            with pytest.raises(Refused) as refused:
                settle(rules, coup, [Stake("ann", "player", 1, box)], layout=layout.id)
            assert (refused.value.code, refused.value.clauses) == (Code.UNKNOWN_BOX, rules.topics[Topic.BOXES])


@pytest.mark.parametrize("rules", books(Topic.DECKS, also=dict.fromkeys(("commission", *LATER), "2.2")))
def test_decks_are_within_the_books_range_and_hold_so_many_copies(rules: Rulebook) -> None:
    assert (rules.decks.least, rules.decks.most) == (4, 10 if rules.id in ("da-hu-ying-xiong", "tiger-buffalo") else 8)
    layout = next(iter(rules.layouts))
    for decks in (rules.decks.least - 1, rules.decks.most + 1):
        with pytest.raises(Refused) as refused:
            settle(rules, rules.coup("5s Kd 3h 7c"), [], layout=layout, decks=decks)
        assert refused.value.code is Code.DECKS_OUT_OF_RANGE
        assert refused.value.clauses == rules.topics[Topic.DECKS]
    for decks in range(rules.decks.least, rules.decks.most + 1):
        copies = "5s " * decks
        enough = rules.coup(copies + "Kd 3h 7c 2d 9c 9d")
        settle(rules, enough, [], layout=layout, decks=decks)
        with pytest.raises(Refused) as refused:
            settle(rules, enough.draw(Card("5s")), [], layout=layout, decks=decks)
        assert refused.value.code is Code.TOO_MANY_COPIES
        assert refused.value.clauses == rules.topics[Topic.DECKS]


def test_without_decks_the_most_are_taken() -> None:
    rules = book("commission")
    settle(rules, rules.coup("5s " * 8), [])
    with pytest.raises(Refused, match="5s was dealt 9 times"):
        settle(rules, rules.coup("5s " * 9), [])


@pytest.mark.parametrize("rules", books(Topic.ORIGINAL_BET, Topic.INSURED_BET, among=INSURED))
@reading("insurance_each_for_their_own_bet", "caps_count_per_player_box_and_side")
def test_each_player_insures_their_own_bet(rules: Rulebook) -> None:
    coup = rules.coup("4s 3d Ah 3c 2d 9h")  # Player 5, Banker 6: Banker can be insured
    layout = next(iter(rules.layouts))
    stakes = [
        Stake("ann", "banker", 90_00, 1),
        Stake("bob", "banker", 30_00, 1, seated=False),
        Stake("cho", "tie", 5_00),
    ]

    def insure(who: str, stake: int, side: Side = Side.BANKER, box: int | None = None) -> int:
        wanted = InsuranceStake(who, side, Stage.FOUR, stake, box)
        (settled,) = settle(rules, coup, stakes, [wanted], layout=layout).insurance
        return settled.returned_minor

    assert rules.offers(coup)[0].side is Side.BANKER
    assert insure("ann", 20_00) >= 0
    assert insure("bob", 10_00, box=1) >= 0
    for who, stake, box, code in (
        ("bob", 30_01, None, Code.INSURANCE_ABOVE_CAP),
        ("cho", 1, None, Code.NO_ORIGINAL_BET),
        ("ann", 1, 2, Code.NO_ORIGINAL_BET),
        ("ann", 0, None, Code.STAKE_NOT_POSITIVE),
    ):
        with pytest.raises(Refused) as refused:
            insure(who, stake, box=box)
        assert refused.value.code is code
    with pytest.raises(Refused) as refused:
        insure("ann", 1, Side.PLAYER)
    assert (refused.value.code, refused.value.clauses) == (Code.INSURANCE_NOT_OFFERED, rules.topics[Topic.INSURANCE])


@reading("insurance_each_for_their_own_bet")
def test_a_player_in_several_boxes_names_the_bet_to_insure() -> None:
    rules = book("commission-insurance")
    coup = rules.coup("4s 3d Ah 3c 2d 9h")
    stakes = [Stake("ann", "banker", 90_00, 1), Stake("ann", "banker", 30_00, 2)]
    settle(rules, coup, stakes, [InsuranceStake("ann", Side.BANKER, Stage.FOUR, 10_00, 2)])
    for stake, box, code in ((10_01, 2, Code.INSURANCE_ABOVE_CAP), (1, None, Code.AMBIGUOUS_BOX)):
        with pytest.raises(Refused) as refused:
            settle(rules, coup, stakes, [InsuranceStake("ann", Side.BANKER, Stage.FOUR, stake, box)])
        assert refused.value.code is code


@clause("commission-insurance", "3.12.2")
@reading("caps_count_per_player_box_and_side")
def test_a_cap_counts_the_bet_as_placed_even_if_it_plays_in_part() -> None:
    rules = book("commission-insurance")
    coup = rules.coup("4s 3d Ah 3c 2d 9h")
    wanted = [InsuranceStake("ann", Side.BANKER, Stage.FOUR, 300_00)]
    limits = Limits(differential_minor=100_00)
    settlement = settle(rules, coup, [Stake("ann", "banker", 900_00)], wanted, limits=limits)
    assert settlement.bets[0].played_minor == 100_00
    assert settlement.insurance[0].stake_minor == 300_00


@pytest.mark.parametrize("rules", [r for r in INSURED if r.id != "commission-insurance"], ids=lambda rules: rules.id)
@reading("cap_on_the_stake_of_an_offer")
def test_at_ten_to_one_a_quarter_of_the_lower_of_maximum_and_differential_is_the_most(rules: Rulebook) -> None:
    coup = rules.coup("Ks 2d Ah Qc Tc 8s")  # Player 1 on three cards, Banker 2
    stakes = [Stake("ann", "banker", 1000_00)]

    def insure(stake: int, limits: Limits | None) -> None:
        wanted = InsuranceStake("ann", Side.BANKER, Stage.THIRD, stake)
        settle(rules, coup, stakes, [wanted], layout="A", limits=limits)

    insure(1000_00, None)
    insure(500_00, Limits(max_minor=2000_00))
    insure(500_00, Limits(max_minor=2000_00, differential_minor=2000_01))
    insure(250_00, Limits(max_minor=2000_00, differential_minor=1000_00))
    insure(250_00, Limits(differential_minor=1000_00))
    for stake, limits in (
        (1000_01, None),
        (500_01, Limits(max_minor=2000_00)),
        (250_01, Limits(differential_minor=1000_00)),
        (250_01, Limits(max_minor=2000_00, differential_minor=1000_00)),
        (250_01, Limits(max_minor=1000_00, differential_minor=2000_00)),
    ):
        with pytest.raises(Refused) as refused:
            insure(stake, limits)
        assert refused.value.code is Code.INSURANCE_ABOVE_CAP
        assert refused.value.clauses == rules.topics[Topic.INSURANCE_CAP]


@pytest.mark.parametrize(
    ("game", "limits", "code"),
    [
        ("commission", Limits(differential_minor=1), Code.NO_DIFFERENTIAL_LIMIT),
        ("super-six-plus", Limits(min_minor=0), Code.LIMIT_NOT_POSITIVE),
        ("super-six-plus", Limits(max_minor=-5), Code.LIMIT_NOT_POSITIVE),
        ("super-six-plus", Limits(differential_minor=0), Code.LIMIT_NOT_POSITIVE),
        ("super-six-plus", Limits(min_minor=2, max_minor=1), Code.LIMITS_CONTRADICT),
    ],
)
def test_limits_that_mean_nothing_are_refused(game: str, limits: Limits, code: Code) -> None:
    rules = book(game)
    with pytest.raises(Refused) as refused:
        settle(rules, rules.coup("5s Kd 3h 7c"), [], limits=limits)
    assert refused.value.code is code


def test_a_minimum_and_a_maximum_refuse_nothing() -> None:
    rules = book("commission")
    limits = Limits(min_minor=100_00, max_minor=200_00)
    stakes = [Stake("ann", "player", 1), Stake("bob", "player", 300_00)]
    settlement = settle(rules, rules.coup("5s Kd 3h 7c"), stakes, limits=limits)
    assert [settled.returned_minor for settled in settlement.bets] == [2, 600_00]


@given(_rounds())
def test_the_order_of_bets_changes_only_the_order_of_results(
    drawn: tuple[Rulebook, str, Coup, list[Stake]],
) -> None:
    rules, layout, coup, stakes = drawn
    one = settle(rules, coup, stakes, layout=layout).bets
    two = settle(rules, coup, stakes[::-1], layout=layout).bets
    assert one == two[::-1]


def test_a_standing_players_box_is_checked_too() -> None:
    rules = book("commission")
    with pytest.raises(Refused) as refused:
        settle(rules, rules.coup("5s Kd 3h 7c"), [Stake("ann", "player", 1, 99, seated=False)])
    assert refused.value.code is Code.UNKNOWN_BOX


@pytest.mark.parametrize("stake", [1.5, True, "100", None, Fraction(3, 2)])
def test_money_that_is_no_integer_is_refused(stake: Any) -> None:
    rules = book("commission-insurance")
    coup = rules.coup("4s 3d Ah 3c 2d 9h")
    for bets, cover in (
        ([Stake("ann", "player", stake)], []),
        ([Stake("ann", "banker", 100)], [InsuranceStake("ann", Side.BANKER, Stage.FOUR, stake)]),
    ):
        with pytest.raises(Refused, match="must be a whole number of the smallest unit") as refused:
            settle(rules, coup, bets, cover)
        assert refused.value.code is Code.NOT_AN_AMOUNT


def test_a_coup_dealt_by_another_rule_is_refused() -> None:
    rules = book("commission")
    play = rules.table_of_play
    other = Space(replace(play, values={**play.values, "T": 1}))
    with pytest.raises(Refused, match="was not dealt by the rules of Commission Baccarat"):
        settle(rules, Coup.of(other, "5s Kd 3h 7c"), [])
    settle(rules, Coup.of(Space(play), "5s Kd 3h 7c"), [])  # the same rule, read twice


def test_the_insured_box_is_named_where_it_has_a_number() -> None:
    rules = book("commission-insurance")
    coup = rules.coup("4s 3d Ah 3c 2d 9h")
    wanted = [InsuranceStake("ann", Side.BANKER, Stage.FOUR, 1)]
    assert settle(rules, coup, [Stake("ann", "banker", 100, 7)], wanted).insurance[0].insured_box == 7
    assert settle(rules, coup, [Stake("ann", "banker", 100)], wanted).insurance[0].insured_box is None


def test_the_first_layout_serves_where_all_have_the_same_bets_in_whatever_order() -> None:
    rules = book("commission")
    a, b = rules.layouts["A"], rules.layouts["B"]
    turned = replace(rules, layouts={"A": a, "B": replace(b, menu=b.menu[::-1])})
    assert turned.layout(None) is a
    with pytest.raises(Refused) as refused:
        replace(rules, layouts={"A": a, "B": replace(b, menu=b.menu[:-1])}).layout(None)
    assert refused.value.code is Code.LAYOUT_REQUIRED


def test_commission_at_odds_other_than_even_is_a_part_of_the_winnings() -> None:
    verdict = Verdict.win((), Fraction(3, 2), Fraction(1, 10))
    assert verdict.returned_minor(100, Rounding.DOWN) == 100 + 135
    assert verdict.commission_minor(100, Rounding.DOWN) == 15
    # 101 at 3 to 2: 151.5 in full, 136.35 without the commission
    assert [verdict.returned_minor(101, rounding) - 101 for rounding in Rounding] == [136, 136, 137]
    assert [verdict.commission_minor(101, rounding) for rounding in Rounding] == [151 - 136, 152 - 136, 152 - 137]
