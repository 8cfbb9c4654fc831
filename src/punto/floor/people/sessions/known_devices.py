"""Devices that have signed in before.

After signing in, a browser gets a mark for the account: an HMAC whose key is the stored hash of the password. So no key
and no table is needed, nobody without the database can make a mark, and a new password ends all of them. A mark is no
session: it only gives its device a queue, a rate limit and a lock of its own, which strangers cannot fill.
"""

from hashlib import sha256
from hmac import compare_digest, new
from secrets import token_hex

from punto.floor.clock import DAY_US
from punto.floor.house.projections.accounts import Account
from punto.floor.names.names import fold

MARK_DAYS = 180
MAX_MARKS = 8
"""People whose marks one browser keeps, such as the dealers at a terminal."""
_SEPARATOR = "."


def new_mark(name: str, password_hash: str, now_us: int) -> str:
    plain = f"{now_us // DAY_US + MARK_DAYS}-{token_hex(8)}"
    return f"{plain}-{_signature(name, password_hash, plain)}"


def known_device(account: Account, marks: str, now_us: int) -> str:
    """What identifies the device among all of this account, if one of its marks is valid; else empty."""
    if not account.password or not marks.isascii():  # without a password, anybody could sign
        return ""
    for mark in marks.split(_SEPARATOR)[:MAX_MARKS]:
        plain, _, signature = mark.rpartition("-")
        day, _, device = plain.partition("-")
        expected = _signature(account.name, account.password, plain)
        if compare_digest(signature.encode(), expected.encode()) and int(day) >= now_us // DAY_US:
            return f"device {device}"
    return ""


def add_mark(marks: str, mark: str) -> str:
    """The marks of a browser with a new one; the oldest are dropped."""
    return _SEPARATOR.join([mark, *filter(None, marks.split(_SEPARATOR))][:MAX_MARKS])


def _signature(name: str, password_hash: str, plain: str) -> str:
    return new(password_hash.encode(), f"device\n{fold(name)}\n{plain}".encode(), sha256).hexdigest()
