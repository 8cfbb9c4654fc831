"""The fewest chips for an amount."""

from functools import cache

import pytest
from hypothesis import assume, given, settings, strategies

from punto.table.procedure.chip_set import MAX_STEPS, USUAL_CHIPS, Chip, ChipColour, ChipSet
from tests.lanes import examples


def chip_set(*values_minor: int) -> ChipSet:
    return ChipSet(tuple(Chip(value, ChipColour.WHITE) for value in values_minor))


def paid(chips: ChipSet, amount_minor: int) -> tuple[dict[int, int], int]:
    payment = chips.fewest(amount_minor)
    return {each.chip.value_minor: each.count for each in payment.chips}, payment.left_minor


@pytest.mark.parametrize(
    ("amount_minor", "counts", "left_minor"),
    [
        (73_625, {50_000: 1, 10_000: 2, 2_500: 1, 500: 2, 100: 1}, 25),
        (100, {100: 1}, 0),
        (99, {}, 99),
        (0, {}, 0),
        (-500, {}, 0),
        (10**14, {1_000_000: 10**8}, 0),
    ],
)
def test_the_usual_chips_pay_the_largest_first(amount_minor: int, counts: dict[int, int], left_minor: int) -> None:
    assert paid(USUAL_CHIPS, amount_minor) == (counts, left_minor)
    assert list(paid(USUAL_CHIPS, amount_minor)[0]) == sorted(counts, reverse=True)


def test_a_set_with_20_and_25_pays_40_with_two_chips() -> None:
    assert paid(chip_set(25, 5, 100, 20), 40) == ({20: 2}, 0)
    assert paid(chip_set(25, 5, 100, 20), 165) == ({100: 1, 25: 1, 20: 2}, 0)


def test_as_much_as_possible_is_paid_before_few_chips_count() -> None:
    assert paid(chip_set(25, 10), 30) == ({10: 3}, 0)
    assert paid(chip_set(25, 10), 31) == ({10: 3}, 1)


def test_a_floor_without_chips_pays_nothing() -> None:
    assert paid(ChipSet(()), 500) == ({}, 500)


@given(strategies.sets(strategies.integers(1, 30), min_size=1, max_size=5), strategies.integers(0, 90))
@settings(max_examples=examples(200))
def test_no_other_way_leaves_less_or_takes_fewer_chips(values: set[int], amount_minor: int) -> None:
    chips = chip_set(*values)
    assume(chips.steps <= MAX_STEPS)

    @cache
    def fewest(amount: int) -> tuple[int, int]:
        """What is left, and how many chips."""
        ways = [fewest(amount - value) for value in values if value <= amount]
        return min([(amount, 0), *((left, count + 1) for left, count in ways)])

    counts, left_minor = paid(chips, amount_minor)
    assert sum(value * count for value, count in counts.items()) == amount_minor - left_minor
    assert (left_minor, sum(counts.values())) == fewest(amount_minor)


def test_few_combinations_are_tried_in_the_sets_of_houses() -> None:
    twos_and_fives = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
    assert chip_set(*twos_and_fives, 25, 250, 2500).steps < chip_set(*range(1, 11)).steps < MAX_STEPS
    assert USUAL_CHIPS.steps == len(USUAL_CHIPS.chips)
    assert chip_set(*range(83, 103)).steps > MAX_STEPS
