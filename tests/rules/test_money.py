"""Amounts and ratios: exact, or refused with the reason."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punto.rules.money import MAX_WHOLE_DIGITS, Rounding, read_amount, read_ratio, share_minor, write_amount
from punto.rules.refusals import Code, Refused


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_writing_and_reading_an_amount_are_inverse(amount: int) -> None:
    text = write_amount(amount)
    assert read_amount(text) == amount
    assert Decimal(text) * 100 == amount


@pytest.mark.parametrize(
    ("text", "amount"),
    [("100", 100_00), ("97.5", 97_50), ("97.50", 97_50), ("97.500", 97_50), ("0.01", 1), ("0", 0), ("-3.10", -3_10)],
)
def test_amounts_may_be_written_shorter(text: str, amount: int) -> None:
    assert read_amount(text) == amount


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, Code.NOT_AN_AMOUNT) for text in ("", ".", "5.", ".5", "1e3", "+5", " 5", "5 ", "1_0", "1,000", "--5")),
        *((text, Code.NOT_AN_AMOUNT) for text in ("\u0665", "\u00b2", "NaN", "inf", "0x10", "-", "1.2.3", "5\n")),
        ("0.005", Code.AMOUNT_TOO_FINE),
        ("1.0001", Code.AMOUNT_TOO_FINE),
        ("1" * (MAX_WHOLE_DIGITS + 1), Code.AMOUNT_TOO_LARGE),
        ("9" * 5000, Code.AMOUNT_TOO_LARGE),
    ],
)
def test_an_invalid_amount_is_refused(text: str, code: Code) -> None:
    with pytest.raises(Refused) as refused:
        read_amount(text)
    assert refused.value.code is code
    assert len(refused.value.message) < 150


def test_the_largest_amount_times_the_longest_odds_fits_64_bits() -> None:
    assert read_amount("9" * MAX_WHOLE_DIGITS + ".99") * 151 < 2**63


@given(st.integers(0, 10**15), st.integers(0, 10**6), st.integers(1, 10**6), st.sampled_from(Rounding))
def test_rounding_does_what_its_name_says(amount: int, numerator: int, denominator: int, rounding: Rounding) -> None:
    exact = Fraction(amount * numerator, denominator)
    off = share_minor(amount, numerator, denominator, rounding) - exact
    assert {
        Rounding.DOWN: -1 < off <= 0,
        Rounding.HALF_UP: Fraction(-1, 2) < off <= Fraction(1, 2),
        Rounding.UP: 0 <= off < 1,
    }[rounding]


@pytest.mark.parametrize(
    ("numerator", "denominator", "down", "half_up", "up"),
    [
        (0, 20, 0, 0, 0),
        (1, 20, 0, 0, 1),
        (9, 20, 0, 0, 1),
        (10, 20, 0, 1, 1),
        (11, 20, 0, 1, 1),
        (19, 20, 0, 1, 1),
        (2840, 20, 142, 142, 142),
        (2841, 20, 142, 142, 143),
        (2849, 20, 142, 142, 143),
        (2850, 20, 142, 143, 143),
        (2851, 20, 142, 143, 143),
        (2859, 20, 142, 143, 143),
        (2860, 20, 143, 143, 143),
        (2870, 20, 143, 144, 144),  # a half after an odd number also goes up
        (6, 3, 2, 2, 2),  # thirds are never exactly a half
        (7, 3, 2, 2, 3),
        (8, 3, 2, 3, 3),
        (9, 3, 3, 3, 3),
        (-2849, 20, -143, -142, -142),  # up means towards more, also below zero
        (-2850, 20, -143, -142, -142),
        (-2851, 20, -143, -143, -142),
        (10**15 * 40 + 9, 20, 2 * 10**15, 2 * 10**15, 2 * 10**15 + 1),  # where floats can no longer represent halves
        (10**15 * 40 + 10, 20, 2 * 10**15, 2 * 10**15 + 1, 2 * 10**15 + 1),
    ],
)
def test_rounding_on_both_sides_of_every_boundary(
    numerator: int, denominator: int, down: int, half_up: int, up: int
) -> None:
    rounded = {Rounding.DOWN: down, Rounding.HALF_UP: half_up, Rounding.UP: up}
    assert set(rounded) == set(Rounding)
    for rounding, expected in rounded.items():
        assert share_minor(numerator, 1, denominator, rounding) == expected
        assert share_minor(1, numerator, denominator, rounding) == expected


@pytest.mark.parametrize(("text", "ratio"), [("8", Fraction(8)), ("19/20", Fraction(19, 20)), ("3/2", Fraction(3, 2))])
def test_ratios_are_read_exactly(text: str, ratio: Fraction) -> None:
    assert read_ratio(text) == ratio


@pytest.mark.parametrize("text", ["0", "0.95", "1/0", "-1", "1/-2", "8 ", "08", "1e2", "", "/", "1/2/3", "\u0668"])
def test_an_invalid_ratio_reads_as_none(text: str) -> None:
    assert read_ratio(text) is None
