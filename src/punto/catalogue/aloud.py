"""Amounts in words, as a dealer says them."""

from collections.abc import Callable

from punto.catalogue.values import CURRENCY_DIGITS

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_GROUPS = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
_DIGITS = "零一二三四五六七八九"
_UNITS = ("", "十", "百", "千")
_MYRIADS = ("", "万", "亿", "万亿")


def say_in_english(amount_minor: int) -> str:
    """An amount in the smallest unit, in words.

    >>> say_in_english(15_000_00), say_in_english(7_250_00), say_in_english(25_00), say_in_english(2_50)
    ('fifteen thousand', 'seven thousand two hundred and fifty', 'twenty-five', 'two and fifty cents')
    """
    whole, cents = divmod(amount_minor, 10**CURRENCY_DIGITS)
    if not cents:
        return _english(whole)
    return f"{_english(whole)} and {_english(cents)} cent{'' if cents == 1 else 's'}"


def _english(number: int) -> str:
    for size, name in _GROUPS:
        if number >= size:
            many, rest = divmod(number, size)
            return f"{_english(many)} {name}{_rest(rest)}"
    if number >= 100:
        many, rest = divmod(number, 100)
        return f"{_ONES[many]} hundred{_rest(rest)}"
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{_ONES[ones]}" if ones else _TENS[tens]


def _rest(number: int) -> str:
    if not number:
        return ""
    return f" and {_english(number)}" if number < 100 else f" {_english(number)}"


def say_in_chinese(amount_minor: int) -> str:
    """An amount in the smallest unit, in words.

    >>> say_in_chinese(15_000_00), say_in_chinese(2_205_00), say_in_chinese(12_50), say_in_chinese(10_050_00)
    ('一万五千', '两千两百零五', '十二点五', '一万零五十')
    """
    whole, cents = divmod(amount_minor, 10**CURRENCY_DIGITS)
    if not cents:
        return _chinese(whole)
    decimals = f"{cents:0{CURRENCY_DIGITS}}".rstrip("0")
    return f"{_chinese(whole)}点{''.join(_DIGITS[int(digit)] for digit in decimals)}"


def _chinese(number: int) -> str:
    if number == 0:
        return _DIGITS[0]
    text, before = "", number
    for place in reversed(range(len(_MYRIADS))):
        group = number // 10_000**place % 10_000
        if group:
            skipped = bool(text) and (group < 1_000 or not before)
            text += ("零" if skipped else "") + _group(group, place) + _MYRIADS[place]
        before = group
    return text.removeprefix("一") if text.startswith("一十") else text


def _group(group: int, place: int) -> str:
    """Up to four digits. Two is said in another way before hundreds and larger units."""
    if group == 2 and place:
        return "两"
    text, zero = "", False
    for unit in reversed(range(len(_UNITS))):
        digit = group // 10**unit % 10
        if not digit:
            zero = bool(text)
            continue
        text += ("零" if zero else "") + ("两" if digit == 2 and unit > 1 else _DIGITS[digit]) + _UNITS[unit]
        zero = False
    return text


WRITERS: dict[str, Callable[[int], str]] = {"en": say_in_english, "zh": say_in_chinese}
"""By language."""
