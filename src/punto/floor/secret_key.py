"""The floor's secret key: it encrypts what nobody may read from the database or a backup, and signs the journal.

The key is 32 random bytes, written as 64 hexadecimal digits to a file of its own. The database holds only a check value
that the key can be recognised by.
"""

import hmac
import logging
import os
import secrets
from pathlib import Path

from punto.floor.database.base import SIGNED_KEY, Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.runtime.notes import forget_notes, note_once
from punto.rules.refusals import needing

VARIABLE = "PUNTO_KEY_FILE"
"""The environment variable that names the key's file, for every command."""
CHECK_KEY = "key_check"
"""The name of the check value in the table `meta`."""
KEY_BYTES = 32
_NONCE_BYTES = 12
_LOG = logging.getLogger(__name__)


class NotOpened(Exception):
    """What is sealed was sealed with another key or about something else, or it was altered."""


class SecretKey:
    """Encrypts and authenticates with AES-256 in Galois/counter mode, and signs with Ed25519."""

    def __init__(self, secret: bytes) -> None:
        with needing("serve", FloorRefused):
            from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra
        self._cipher, self._invalid = AESGCM(secret), InvalidTag
        self.check_value = hmac.digest(secret, b"punto key check", "sha256").hex()
        """The same for the same key; says nothing else about it."""
        self._signing = Ed25519PrivateKey.from_private_bytes(hmac.digest(secret, b"punto signatures", "sha256"))
        self.public_key = self._signing.public_key().public_bytes_raw().hex()
        """With it anybody can check what this key has signed."""

    def sign(self, message: bytes) -> bytes:
        return self._signing.sign(message)

    def seal(self, plain: bytes, about: bytes) -> bytes:
        """Encrypt. Only somebody who has the key and knows what it is ``about`` can open it."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, plain, about)

    def open(self, sealed: bytes, about: bytes) -> bytes:
        """Decrypt what this key has sealed ``about`` the same. Raises :class:`NotOpened`."""
        if len(sealed) <= _NONCE_BYTES:
            raise NotOpened
        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about)
        except self._invalid as error:
            raise NotOpened from error


def is_signed(public_key: str, message: bytes, signature: bytes) -> bool:
    """Whether the owner of this public key has signed the message."""
    with needing("serve", FloorRefused):
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - an extra
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def floor_key(database: Database, key_file: str = "") -> SecretKey:
    """The key for a floor that starts: from the named file, or beside an SQLite file, where the first start makes it.

    Refused without a key, and if the database knows another one.
    """
    named = key_file or os.environ.get(VARIABLE, "")
    path = Path(named) if named else database.key_file
    if path is None:
        raise FloorRefused(FloorCode.BAD_KEY, variant="postgres", variable=VARIABLE)
    known = database.reading(_check_value).result()
    if known is None and not named and not path.exists():
        _make(path)
    key = _read(path)
    if database.writing(lambda transaction: _adopt(transaction, key)).result() != key.check_value:
        raise FloorRefused(FloorCode.BAD_KEY, variant="other", path=path)
    return key


def find_key(database: Database, key_file: str = "") -> SecretKey | None:
    """The key for reading a floor's database; None if it is not at hand. Refused if the named file has another one."""
    named = key_file or os.environ.get(VARIABLE, "")
    path = Path(named) if named else database.key_file
    if path is None or not (named or path.exists()):
        return None
    key = _read(path)
    if database.reading(_check_value).result() in (None, key.check_value):
        return key
    if key_file:
        raise FloorRefused(FloorCode.BAD_KEY, variant="other", path=path)
    return None


def forget_key(transaction: Transaction) -> None:
    """Let the next start bring another key, as after a restore. It signs what the other one has not signed."""
    forget_notes(transaction, CHECK_KEY, SIGNED_KEY)


def _check_value(transaction: Transaction) -> str | None:
    rows = transaction.rows("SELECT value FROM meta WHERE name = ?", (CHECK_KEY,))
    return str(rows[0][0]) if rows else None


def _adopt(transaction: Transaction, key: SecretKey) -> str | None:
    """Record the first key that the database is used with; return the one on record."""
    note_once(transaction, CHECK_KEY, key.check_value)
    return _check_value(transaction)


def _make(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:  # another floor in this directory made it just now
        return
    except OSError as error:
        raise FloorRefused(FloorCode.BAD_KEY, variant="not_made", path=path, reason=error.strerror) from error
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{secrets.token_hex(KEY_BYTES)}\n")
        file.flush()
        os.fsync(descriptor)


def _read(path: Path) -> SecretKey:
    try:
        mode, text = path.stat().st_mode, path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise FloorRefused(FloorCode.BAD_KEY, variant="missing", path=path, reason=error.strerror) from error
    except UnicodeDecodeError as error:
        raise FloorRefused(FloorCode.BAD_KEY, path=path) from error
    try:
        secret = bytes.fromhex(text)
    except ValueError as error:
        raise FloorRefused(FloorCode.BAD_KEY, path=path) from error
    if len(secret) != KEY_BYTES:
        raise FloorRefused(FloorCode.BAD_KEY, path=path)
    if mode & 0o077:
        _LOG.warning("others can read the key in %s: make it readable for its owner alone", path)
    return SecretKey(secret)
