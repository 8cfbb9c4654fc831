"""Values that sentences write in their own way: amounts of money, odds, percentages, dates."""

from fractions import Fraction

CURRENCY_DIGITS = 2
"""Decimals of a currency: cents."""

_MINUS = "\N{MINUS SIGN}"


class Money(int):
    """An amount in the smallest unit: ``Money(9750)`` is written 97.50, ``Money(500000)`` 5,000."""


class Odds(str):
    """A ratio such as ``3/2``, written 3 to 2."""

    __slots__ = ()


class Percent(Fraction):
    """A part of one, written as a percentage with two decimals."""


class Rate(Fraction):
    """A part of one that a book names, such as a commission, written as a percentage: 5%."""


class Moment(str):
    """A day, or a minute in Singapore, in ISO 8601: ``2013-10-22`` or ``2023-11-07T08:00+08:00``."""

    __slots__ = ()


def write_count(number: float, one: str, several: str = "") -> str:
    """A number and what is counted, for English; without ``several`` it is ``one`` with an s.

    >>> write_count(1, "card"), write_count(1200, "card"), write_count(2, "box", "boxes"), write_count(0.5, "second")
    ('1 card', '1,200 cards', '2 boxes', '0.5 seconds')
    """
    return f"{write_number(number)} {one if number == 1 else several or f'{one}s'}"


def write_number(number: object) -> str:
    """Thousands grouped; decimals only where there are some."""
    return f"{number:,g}" if isinstance(number, float) else f"{number:,}"


def write_minor(amount_minor: int) -> str:
    """The amount with all its decimals, for files and programs.

    >>> write_minor(9750), write_minor(-5)
    ('97.50', '-0.05')
    """
    digits = str(abs(amount_minor)).zfill(CURRENCY_DIGITS + 1)
    sign = "-" if amount_minor < 0 else ""
    return f"{sign}{digits[:-CURRENCY_DIGITS]}.{digits[-CURRENCY_DIGITS:]}"


def write_money(amount_minor: int) -> str:
    """The amount for people: thousands grouped, and cents only where there are some.

    >>> write_money(5_000_00), write_money(97_50)
    ('5,000', '97.50')
    """
    whole, cents = divmod(abs(amount_minor), 10**CURRENCY_DIGITS)
    sign = _MINUS if amount_minor < 0 else ""
    return f"{sign}{whole:,}.{cents:0{CURRENCY_DIGITS}}" if cents else f"{sign}{whole:,}"


def write_cents(amount_minor: int) -> str:
    """The amount for tables of figures: thousands grouped, always with cents.

    >>> write_cents(5_000_00), write_cents(97_50)
    ('5,000.00', '97.50')
    """
    whole, cents = divmod(abs(amount_minor), 10**CURRENCY_DIGITS)
    return f"{_MINUS if amount_minor < 0 else ''}{whole:,}.{cents:0{CURRENCY_DIGITS}}"


def write_rate(part: Fraction) -> str:
    """At most two decimals.

    >>> write_rate(Fraction(1, 20)), write_rate(Fraction(1, 160))
    ('5%', '0.62%')
    """
    return f"{write_percent(part)[:-1].rstrip('0').rstrip('.')}%"


def write_percent(part: Fraction) -> str:
    """Two decimals, rounded half to even.

    >>> write_percent(Fraction(1, 800))
    '0.12%'
    """
    hundredths = round(part * 10_000)
    sign = _MINUS if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}%"


def write_signed(number: float) -> str:
    """Two decimals, with a sign."""
    return f"{number:+.2f}".replace("-", _MINUS)
