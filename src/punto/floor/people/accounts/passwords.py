"""Password hashing, minimum requirements and one-time passwords."""

from base64 import b64encode
from contextlib import AbstractAsyncContextManager
from secrets import choice, token_bytes
from unicodedata import normalize

from argon2 import Parameters, PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError
from argon2.profiles import RFC_9106_LOW_MEMORY

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.names.names import fold
from punto.floor.people.accounts.common_passwords import is_common
from punto.floor.turns import BUSY_WAIT_S, Turns, in_thread

PARAMETERS = RFC_9106_LOW_MEMORY
"""Argon2id with 64 MiB, 3 passes and 4 lanes: the second recommendation of RFC 9106, for less memory than 2 GiB.

The memory makes guessing expensive on a graphics card. One try takes some tenths of a second, which is acceptable for a
sign-in once a shift. A hash names its parameters, so they can be raised at any time: each password is hashed again when
it is next used.
"""
MAX_WAITING_KNOWN = 32
MAX_WAITING_STRANGERS = 8
"""Sign-ins that may wait for their turn; the next ones are refused at once."""
ONE_TIME_S = 72 * 3_600
"""How long a one-time password can be used."""
MIN_LENGTH = 12
MAX_LENGTH = 200
_UNAMBIGUOUS = "abcdefghjkmnpqrstuvwxyz23456789"
"""31 characters that cannot be confused on paper; 20 of them have 99 bits."""


class Passwords:
    """Hashes passwords in threads, to keep the event loop free.

    There are two queues, so strangers who try passwords never keep the staff waiting. Each hashes one password at a
    time, which limits the memory to 128 MiB.
    """

    def __init__(self, parameters: Parameters = PARAMETERS) -> None:
        self._hasher = PasswordHasher.from_parameters(parameters)
        self._dummy_hash = _make_dummy_hash(parameters)
        self._known = Turns(MAX_WAITING_KNOWN, _busy)
        self._strangers = Turns(MAX_WAITING_STRANGERS, _busy)

    async def hash(self, password: str) -> str:
        async with self._known.turn():
            return await in_thread(self._hasher.hash, _bytes(password))

    def turn_to_verify(self, *, known: bool) -> AbstractAsyncContextManager[None]:
        """A turn to verify one password. ``known``: for somebody signed in, or a device that has been before."""
        return (self._known if known else self._strangers).turn()

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Check a password, inside :meth:`turn_to_verify`. Without a hash it takes equally long and returns False."""
        return await in_thread(self._verify, password_hash or self._dummy_hash, password)

    def _verify(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, _bytes(password[: MAX_LENGTH + 1]))
        except VerifyMismatchError:
            return False
        except (VerificationError, InvalidHashError) as error:
            raise FloorRefused(FloorCode.BAD_DATABASE, variant="password") from error

    def outdated(self, password_hash: str) -> bool:
        """Whether it was hashed with other parameters."""
        return self._hasher.check_needs_rehash(password_hash)


def _bytes(password: str) -> bytes:
    """Normalized, because keyboards compose letters differently."""
    return normalize("NFKC", password).encode("utf-8", "surrogatepass")


def _make_dummy_hash(parameters: Parameters) -> str:
    """A hash that matches no password and takes as long to check as any other."""
    salt, digest = (
        b64encode(token_bytes(length)).decode().rstrip("=") for length in (parameters.salt_len, parameters.hash_len)
    )
    costs = f"m={parameters.memory_cost},t={parameters.time_cost},p={parameters.parallelism}"
    return f"$argon2id$v={parameters.version}${costs}${salt}${digest}"


def one_time_password() -> str:
    """A password that is shown once and changed at the first sign-in."""
    return _groups(4, of=5)


def one_time_code() -> str:
    """A code of eight characters that is printed for a player; they have 39 bits."""
    return _groups(2, of=4)


def _groups(number: int, *, of: int) -> str:
    return "-".join("".join(choice(_UNAMBIGUOUS) for _ in range(of)) for _ in range(number))


def require_good(password: str, name: str, before: str) -> None:
    """Refuse passwords that are easy to guess. Length counts; no mix of characters is required."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="length", least=MIN_LENGTH, most=MAX_LENGTH)
    if not password.isprintable():
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="not_printable")
    if len(set(password)) < 4:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="too_uniform")
    if fold(name) in fold(password) and len(fold(password).replace(fold(name), "")) < MIN_LENGTH // 2:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="name")
    if is_common(password):
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="common")
    if password == before:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="same")


def _busy() -> FloorRefused:
    return FloorRefused(FloorCode.BUSY, variant="sign_ins", wait_s=BUSY_WAIT_S, seconds=BUSY_WAIT_S)
