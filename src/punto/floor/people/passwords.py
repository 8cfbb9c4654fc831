"""Passwords: how they are kept, which are good enough, and one-time ones."""

import asyncio
from base64 import b64encode
from secrets import choice, token_bytes
from unicodedata import normalize

from argon2 import Parameters, PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError
from argon2.profiles import RFC_9106_LOW_MEMORY

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.names import fold

PARAMETERS = RFC_9106_LOW_MEMORY
"""Argon2id, 64 MiB, 3 passes, 4 lanes: the second choice of RFC 9106, for machines that cannot spare 2 GiB a try.

The memory is what makes guessing dear on a graphics card; the passes bring one try to some tenths of a second, which
nobody who signs in once a shift minds. A hash names its parameters, so dearer ones can be set here at any time: each
password is hashed anew when it is next used.
"""
HASHES_AT_ONCE = 2
"""How many are hashed at once: 128 MiB at the most, however many sign in."""
MIN_LENGTH = 12
MAX_LENGTH = 200
_PLAIN = "abcdefghjkmnpqrstuvwxyz23456789"
"""What is not mistaken for something else on paper: 31 characters, so 20 of them are 99 bits."""


class Passwords:
    """Hashes passwords in a thread, for the event loop has tables to run."""

    def __init__(self, parameters: Parameters = PARAMETERS) -> None:
        self._hasher = PasswordHasher.from_parameters(parameters)
        self._nobodys = _hash_of_nothing(parameters)
        self._turn = asyncio.Semaphore(HASHES_AT_ONCE)

    async def hash(self, password: str) -> str:
        """What is kept of a password."""
        async with self._turn:
            return await asyncio.to_thread(self._hasher.hash, _bytes(password))

    async def verify(self, kept: str | None, password: str) -> bool:
        """Whether it is the password. Without one to compare with it takes as long, and is never."""
        async with self._turn:
            return await asyncio.to_thread(self._verify, kept or self._nobodys, password)

    def _verify(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, _bytes(password[: MAX_LENGTH + 1]))
        except VerifyMismatchError:
            return False
        except (VerificationError, InvalidHashError) as error:
            raise FloorRefused(FloorCode.BAD_DATABASE, variant="password") from error

    def outdated(self, kept: str) -> bool:
        """It was hashed with other parameters than these."""
        return self._hasher.check_needs_rehash(kept)


def _bytes(password: str) -> bytes:
    """The same password however a keyboard composes its letters."""
    return normalize("NFKC", password).encode("utf-8", "surrogatepass")


def _hash_of_nothing(parameters: Parameters) -> str:
    """A hash that no password has, and that costs as much to compare with as any."""
    salt, digest = (
        b64encode(token_bytes(length)).decode().rstrip("=") for length in (parameters.salt_len, parameters.hash_len)
    )
    costs = f"m={parameters.memory_cost},t={parameters.time_cost},p={parameters.parallelism}"
    return f"$argon2id$v={parameters.version}${costs}${salt}${digest}"


def one_time_password() -> str:
    """A password to be read from a screen once, and changed at the first sign-in."""
    return "-".join("".join(choice(_PLAIN) for _ in range(5)) for _ in range(4))


def require_good(password: str, name: str, before: str) -> None:
    """Refuse what is too easily guessed. Length counts; mixtures of characters are nobody's business."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="length", least=MIN_LENGTH, most=MAX_LENGTH)
    if not password.isprintable():
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="not_printable")
    if len(set(password)) < 4:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="too_uniform")
    if fold(name) in fold(password) and len(fold(password).replace(fold(name), "")) < MIN_LENGTH // 2:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="name")
    if password == before:
        raise FloorRefused(FloorCode.BAD_PASSWORD, variant="same")
