"""Signatures over what each commit appended, by a key that is not in the database.

Every writer has a chain of links, one for each stream that a commit appended to. A link names the first and the last
version that were appended and, by its hash, the last entry and all links before it. The last link of a commit is
signed. So nobody who can only write to the database can append an entry, and nobody can cut off the end of one stream
without the links that follow it.
"""

from hashlib import sha256
from secrets import token_hex
from typing import Protocol

from msgspec import Struct

NO_LINK = bytes(32)
"""Before the first link of a writer."""
ADOPTED = "adopted-"
"""How the name of a writer starts that signed entries which others had written: see punto.floor.house.signing."""
INSERT_LINKS = (
    "INSERT INTO signatures (writer, number, stream, first, version, link, signature) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class Appended(Struct, frozen=True):
    """What one transaction appended to a stream: the first and the last version, and the last hash."""

    first: int
    version: int
    hash: str


class SigningKey(Protocol):
    """The part of the floor's secret key that signs."""

    public_key: str
    """64 hexadecimal digits."""

    def sign(self, message: bytes) -> bytes: ...


class SignedLink(Struct, frozen=True):
    """A row of the table `signatures`."""

    writer: str
    number: int
    """Counted from 1 for each writer."""
    stream: int
    first: int
    version: int
    link: bytes
    signature: bytes
    """Empty if a later link of the same commit is signed."""


def link_hash(before: bytes, writer: str, number: int, first: int, entry_hash: str) -> bytes:
    """The hash of the last entry covers its stream, its version and all entries before it."""
    return sha256("\n".join((before.hex(), writer, str(number), str(first), entry_hash)).encode()).digest()


def key_name(public_key: str) -> str:
    """How the names of all writers with this key start."""
    return public_key[:8]


class Signer:
    """Signs the commits of one process. Only its writer thread uses it."""

    def __init__(self, key: SigningKey, *, adopting: bool = False) -> None:
        self._key, self._adopting = key, adopting
        self.start_over()

    @property
    def public_key(self) -> str:
        return self._key.public_key

    def start_over(self) -> None:
        """Start a chain of its own, as after a commit of which nobody knows whether it succeeded."""
        name = f"{key_name(self._key.public_key)}-{token_hex(4)}"
        self._writer = f"{ADOPTED}{name}" if self._adopting else name
        self._number, self._last = 0, NO_LINK

    def links(self, appended: dict[int, Appended]) -> list[SignedLink]:
        """The links of a commit, by the key of each stream. They count once :meth:`committed` is called."""
        links: list[SignedLink] = []
        number, before = self._number, self._last
        for left, (stream, part) in zip(range(len(appended) - 1, -1, -1), appended.items(), strict=True):
            number += 1
            before = link_hash(before, self._writer, number, part.first, part.hash)
            signature = b"" if left else self._key.sign(before)
            links.append(SignedLink(self._writer, number, stream, part.first, part.version, before, signature))
        return links

    def committed(self, links: list[SignedLink]) -> None:
        if links:
            self._number, self._last = links[-1].number, links[-1].link
