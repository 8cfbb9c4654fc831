"""Compares the signatures with the journal: every entry must be part of what a signed commit appended."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import SignedSince
from punto.floor.database.base import SIGNED_KEY, Database, Row, Transaction
from punto.floor.database.signatures import ADOPTED, NO_LINK, key_name, link_hash
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.streams import Head
from punto.floor.secret_key import is_signed

ROWS_A_PAGE = 2_000
_TYPES = (int, str, int, int, int, int, bytes, bytes)
_SELECT = (
    "SELECT s.id, s.writer, s.number, s.stream, s.first, s.version, s.link, s.signature, e.hash FROM signatures AS s"
    " LEFT JOIN entries AS e ON e.stream = s.stream AND e.version = s.version WHERE s.id > ? ORDER BY s.id LIMIT ?"
)

SignatureFault = tuple[str, int | None, FaultCode, str]
"""Stream, version, code and words."""


class SignaturesChecked(Struct):
    faults: list[SignatureFault]
    adopted: int = 0
    """Entries that were signed afterwards: see :mod:`punto.floor.house.signing`."""
    unsigned: int = 0
    """Entries that the next start will sign so."""


class _Writer:
    """The chain of one writer, as far as it was read."""

    def __init__(self) -> None:
        self.number, self.link = 0, NO_LINK
        self.signed: tuple[int, bytes, bytes] = (0, NO_LINK, b"")
        """Number, hash and signature of the last link that is signed."""
        self.missing = 0
        """The first number that is not where it should be; 0 if none is missing."""


def check_signatures(
    database: Database, heads: Mapping[str, Head], public_key: str, since: SignedSince
) -> SignaturesChecked:
    """Read all signatures as of one moment. ``since`` is what the house's stream says about them."""
    try:
        return database.reading(lambda transaction: _check(transaction, heads, public_key, since)).result()
    except UnicodeDecodeError:
        return SignaturesChecked([_lost("there is a text that cannot be read, so the signatures were not compared")])


def _check(
    transaction: Transaction, heads: Mapping[str, Head], public_key: str, since: SignedSince
) -> SignaturesChecked:
    check = _Check(transaction, heads, public_key, {})
    unsigned = [name for name, writer in check.writers.items() if not check.is_signed(writer.signed)]
    # links after the last signature are nobody's: a commit signs its last one
    trusted = {name: each.signed[0] for name, each in check.writers.items() if each.number != each.signed[0]}
    if unsigned:  # which of its signatures is the last that fits? Each takes 0.1 ms, so only now
        trusted |= _last_signed(transaction, public_key, unsigned)
    if trusted:
        check = _Check(transaction, heads, public_key, trusted)
    if transaction.rows("SELECT 1 FROM meta WHERE name = ?", (SIGNED_KEY,)):  # no start will sign what others wrote
        since = SignedSince(since.signed_from or 1)
    return check.result(since)


class _Check:
    def __init__(
        self, transaction: Transaction, heads: Mapping[str, Head], public_key: str, trusted: Mapping[str, int]
    ) -> None:
        """``trusted`` is the number of the last link that counts, for writers of whom not all do."""
        self._key = public_key
        self._streams = {head.key: head for head in heads.values()}
        self._covered: dict[int, int] = {}
        self._faults: dict[int, SignatureFault] = {}
        """The first of each stream."""
        self._lost: list[SignatureFault] = []
        self._adopted = 0
        self.writers: dict[str, _Writer] = {}
        for row in _rows(transaction):
            if tuple(map(type, row[:-1])) != _TYPES:
                self._lost.append(_lost("a row of the table `signatures` is not a signature"))
            elif row[1].removeprefix(ADOPTED).startswith(key_name(public_key)):  # else another key signed it
                self._take(row, trusted)

    def is_signed(self, signed: tuple[int, bytes, bytes]) -> bool:
        return is_signed(self._key, signed[1], signed[2])

    def _take(self, row: Row, trusted: Mapping[str, int]) -> None:
        _, name, number, stream, first, version, link, signature, entry_hash = row
        writer = self.writers.setdefault(name, _Writer())
        if number != writer.number + 1 and not writer.missing:
            writer.missing = writer.number + 1
        fits = entry_hash is not None and link_hash(writer.link, name, number, first, entry_hash) == link
        writer.number, writer.link = number, link
        if signature:
            writer.signed = (number, link, signature)
        if not fits and not writer.missing:
            self._add_difference(stream, version, entry_hash)
        if number <= trusted.get(name, number) and stream in self._streams:
            self._cover(name, stream, first, version)

    def _add_difference(self, stream: int, version: int, entry_hash: str | None) -> None:
        if stream not in self._streams:
            self._lost.append(_lost("a signature is of a stream that there is not"))
        elif entry_hash is None:
            words = f"entry {version} was signed, but it is missing: the last ones were removed"
            self._add(stream, self._streams[stream].version + 1, FaultCode.TAIL_CUT, words)
        else:
            words = "the entry is not the one that was signed"
            self._add(stream, version, FaultCode.NOT_AS_SIGNED, words)

    def _cover(self, name: str, stream: int, first: int, version: int) -> None:
        covered = self._covered.get(stream, 0)
        if first > covered + 1:
            self._add_unsigned(stream, covered + 1)
        if name.startswith(ADOPTED):
            self._adopted += version - max(covered, first - 1)
        self._covered[stream] = max(covered, version)

    def _add_unsigned(self, stream: int, version: int) -> None:
        words = "the entry is not signed with the floor's key: somebody else appended it"
        self._add(stream, version, FaultCode.NOT_SIGNED, words)

    def _add(self, stream: int, version: int, code: FaultCode, words: str) -> None:
        self._faults.setdefault(stream, (self._streams[stream].stream, version, code, words))

    def result(self, since: SignedSince) -> SignaturesChecked:
        unsigned = 0
        for key, head in self._streams.items():
            covered = self._covered.get(key, 0)
            if covered < head.version and self._is_to_be_signed(head, covered + 1, since):
                unsigned += head.version - covered
            elif covered < head.version:
                self._add_unsigned(key, covered + 1)
        for name, writer in self.writers.items():
            if writer.missing:
                words = f"signature {writer.missing} of the writer {name!r} is missing or was altered"
                self._lost.append(_lost(words))
        return SignaturesChecked([*self._faults.values(), *self._lost], self._adopted, unsigned)

    def _is_to_be_signed(self, head: Head, version: int, since: SignedSince) -> bool:
        """Whether the next start will sign from this entry on, because of a migration or a restore."""
        if not since.signed_from:
            return True
        restored = since.unsigned_from
        return bool(restored) and (not self.writers or (head.stream == HOUSE and version >= restored))


def _lost(words: str) -> SignatureFault:
    return "signatures", None, FaultCode.SIGNATURE_LOST, words


def _rows(transaction: Transaction) -> Iterator[Row]:
    after = -1
    while rows := transaction.rows(_SELECT, (after, ROWS_A_PAGE)):
        yield from rows
        after = rows[-1][0]


def _last_signed(transaction: Transaction, public_key: str, names: list[str]) -> dict[str, int]:
    """By writer, the number of the last link whose signature fits; 0 if none does."""
    last = dict.fromkeys(names, 0)
    for _, name, number, _, _, _, link, signature, _ in _rows(transaction):
        if name in last and signature and is_signed(public_key, link, signature):
            last[name] = number
    return last
