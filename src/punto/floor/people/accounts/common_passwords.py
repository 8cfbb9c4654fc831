"""Passwords that are tried first. ``vendored.toml`` says where the list comes from."""

import gzip
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from unicodedata import normalize

LIST = Path(__file__).with_name("common_passwords.txt.gz")
MIN_WORD = 4
"""Shorter entries of the list are parts of too many other texts."""
MAX_MORE = 5
"""Digits and signs before or after a common word that make it no better, at most."""
_PARTS = re.compile(r"([\W\d_]*)(.*?)([\W\d_]*)", re.DOTALL)
"""Digits and signs, the rest, digits and signs."""
_AS_LETTERS = str.maketrans("013457@$!", "oieastasi")


@cache
def common_passwords() -> frozenset[str]:
    """All of them, in lower case."""
    return frozenset(gzip.decompress(LIST.read_bytes()).decode().split())


def is_common(password: str) -> bool:
    """Whether it is a run such as ``abcdef``, or a common password: plain, repeated, or with digits and signs added."""
    plain = normalize("NFKC", password).casefold()
    return _is_run(plain) or any(
        _is_listed(form) for form in (plain, plain.translate(_AS_LETTERS), _repeated_part(plain))
    )


def _is_run(text: str) -> bool:
    """Whether each character is the same step away from the one before; after 9 comes 0."""
    steps = {ord(after) - ord(sign) for sign, after in pairwise(text)}
    if text.isascii() and text.isdigit():
        steps = {step % 10 for step in steps}
    return len(steps) == 1


def _is_listed(form: str) -> bool:
    common = common_passwords()
    parts = _PARTS.fullmatch(form)
    assert parts is not None  # noqa: S101 - every text has these parts
    before, word, after = parts.groups()
    is_word = len(word) >= MIN_WORD and word in common
    return form in common or (is_word and all(len(more) <= MAX_MORE or more in common for more in (before, after)))


def _repeated_part(text: str) -> str:
    """The shortest part that the text repeats; the text itself if none."""
    return text[: (text + text).find(text, 1)]
