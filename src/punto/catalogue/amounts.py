"""How amounts and odds are written."""

CURRENCY_DIGITS = 2
"""How many decimals a currency has where nothing else is said: cents."""


class Money(int):
    """An integer of the smallest unit that a sentence writes with its decimals: ``Money(9750)`` as 97.50."""


class Odds(str):
    """A ratio such as ``3/2`` that a sentence writes as people say it: 3 to 2."""

    __slots__ = ()


def write_minor(amount_minor: int) -> str:
    """The amount with all its decimals.

    >>> write_minor(9750), write_minor(-5)
    ('97.50', '-0.05')
    """
    digits = str(abs(amount_minor)).zfill(CURRENCY_DIGITS + 1)
    sign = "-" if amount_minor < 0 else ""
    return f"{sign}{digits[:-CURRENCY_DIGITS]}.{digits[-CURRENCY_DIGITS:]}"


def to_one(ratio: str) -> str:
    """Odds as people say them.

    >>> to_one("8"), to_one("3/2")
    ('8 to 1', '3 to 2')
    """
    numerator, _, denominator = ratio.partition("/")
    return f"{numerator} to {denominator or 1}"
