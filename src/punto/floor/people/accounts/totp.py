"""Codes of a person's own device as a second factor for signing in: TOTP, RFC 6238.

Secrets are sealed with the floor's key, so a backup does not give them away. A code is accepted once.
"""

import hmac
from base64 import b32encode
from secrets import token_bytes
from urllib.parse import quote, urlencode

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.projection import Stored
from punto.floor.house.projections.credentials import note_step, propose_secret
from punto.floor.journal.house_events import TotpSetUp
from punto.floor.names.names import fold
from punto.floor.secret_key import NotOpened, SecretKey

DIGITS = 6
STEP_S = 30
CLOCK_STEPS = 1
"""How many steps the clock of a device may be early or late."""
SECRET_BYTES = 20
"""As many as SHA-1 gives, as RFC 4226 recommends."""


def code_at(secret: bytes, step: int, digits: int = DIGITS) -> str:
    """The code of a time step, counted from the Unix epoch."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    start = digest[-1] & 0xF
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def matching_step(secret: bytes, code: str, now_us: int, used_step: int) -> int | None:
    """The time step of a code, if it is one of now and after the last one used."""
    now_step = now_us // SECOND_US // STEP_S
    steps = range(max(now_step - CLOCK_STEPS, used_step + 1), now_step + CLOCK_STEPS + 1)
    given = code.encode("utf-8", "surrogatepass")
    return next((step for step in steps if hmac.compare_digest(code_at(secret, step).encode(), given)), None)


def written(secret: bytes) -> str:
    """As people type it into an app."""
    return b32encode(secret).decode()


def address_of(secret: bytes, name: str, issuer: str = "Punto") -> str:
    """The ``otpauth:`` address that apps read."""
    label = f"{quote(issuer)}:{quote(name, safe='')}"
    return f"otpauth://totp/{label}?{urlencode({'secret': written(secret), 'issuer': issuer})}"


class TotpSecrets:
    """The stored secrets. All methods run in a transaction of the caller."""

    def __init__(self, key: SecretKey) -> None:
        self._key = key

    def propose(self, transaction: Transaction, name: str) -> bytes:
        """A new secret that counts when :meth:`confirm` is given one of its codes."""
        secret = token_bytes(SECRET_BYTES)
        propose_secret(transaction, name, self._key.seal(secret, _about(name)))
        return secret

    def confirm(self, transaction: Transaction, name: str, code: str, now_us: int) -> Stored:
        """The proposed secret counts from now on."""
        rows = transaction.rows("SELECT next_secret FROM totp WHERE folded = ?", (fold(name),))
        proposed = bytes(rows[0][0]) if rows else b""
        if not proposed:
            raise FloorRefused(FloorCode.WRONG_CODE, variant="nothing")
        step = self._step(proposed, name, code, now_us, 0)
        return Stored(TotpSetUp(name, fingerprint(proposed)), {"secret": proposed, "used_step": step})

    def accept(self, transaction: Transaction, name: str, code: str, now_us: int) -> None:
        """Use up a code; refused if it is wrong or missing. Nothing is asked of somebody without a secret."""
        rows = transaction.rows("SELECT secret, used_step FROM totp WHERE folded = ?", (fold(name),))
        if not rows or not rows[0][0]:
            return
        if not code:
            raise FloorRefused(FloorCode.CODE_NEEDED)
        step = self._step(bytes(rows[0][0]), name, code, now_us, rows[0][1])
        note_step(transaction, name, step)

    def _step(self, sealed: bytes, name: str, code: str, now_us: int, used_step: int) -> int:
        try:
            secret = self._key.open(sealed, _about(name))
        except NotOpened as error:
            raise FloorRefused(FloorCode.WRONG_CODE, variant="other_key") from error
        step = matching_step(secret, "".join(code.split()), now_us, used_step)
        if step is None:
            raise FloorRefused(FloorCode.WRONG_CODE)
        return step


def has_confirmed(transaction: Transaction, name: str) -> bool:
    """Whether somebody needs a code to sign in."""
    return bool(transaction.rows("SELECT 1 FROM totp WHERE folded = ? AND length(secret) > 0", (fold(name),)))


def _about(name: str) -> bytes:
    return f"totp\n{fold(name)}".encode()
