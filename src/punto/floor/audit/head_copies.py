"""Copies of all heads in another place, made by the running floor itself every few seconds.

Anyone who rewrites the journal would have to rewrite these too. Each process writes files of its own, one a day, so
that no later start replaces what an earlier one has written.
"""

import asyncio
import logging
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from punto.floor.audit.kept_heads import KeptHead, KeptHeads, read_heads_in, write_heads
from punto.floor.clock import SECOND_US, Clock
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams

SEND_TIMEOUT_S = 10.0
_LOG = logging.getLogger(__name__)


def is_address(place: str) -> bool:
    return place.startswith(("http://", "https://"))


class HeadCopies:
    """The copies that one process makes, and how the last one went."""

    def __init__(self, database: Database, clock: Clock, place: str, every_s: int, process: str) -> None:
        """``place`` is a directory or an HTTP address."""
        self._database, self._clock = database, clock
        self._place, self._process = place, process
        self._last: list[KeptHeads] | None = None
        """The copies to compare the journal with; None before the first."""
        self.every_s = every_s
        self.copied_us = 0
        """When the last copy was made; 0 if none was."""
        self.failures = 0
        self.fault = ""
        """Why the last copy could not be made."""
        self.contradicted: tuple[str, ...] = ()
        """Streams that do not contain what an earlier copy says."""

    @property
    def place(self) -> str:
        """Without the path of an address, which may be a secret."""
        if not is_address(self._place):
            return self._place
        address = urlsplit(self._place)
        return f"{address.scheme}://{address.netloc}"

    async def run(self) -> None:
        while True:
            await self.copy()
            await self._clock.sleep(self.every_s)

    async def copy(self) -> None:
        """Copy the heads now. What goes wrong is kept and logged, and tried again the next time."""
        try:
            if self._last is None:
                self._last = await asyncio.to_thread(self.read_copies)
            earlier, at_us = self._last, self._clock.now_us()
            signer = self._database.signer
            public_key = signer.public_key if signer else ""
            heads, contradicted = await self._database.read(
                lambda transaction: (heads_at(transaction, at_us, public_key), contradictions(transaction, earlier)),
                long=True,
            )
            await asyncio.to_thread(self._write, heads)
        except (FloorRefused, OSError) as error:
            self.failures += 1
            words = str(error)
            if words != self.fault:
                _LOG.error("the heads cannot be copied: %s", words)
            self.fault = words
            return
        if contradicted != self.contradicted and contradicted:
            _LOG.error("the journal contradicts an earlier copy of its heads: %s", ", ".join(contradicted))
        if not contradicted:  # otherwise the earlier ones stay to compare with: this one would hide it
            self._last = [heads]
        self.copied_us, self.fault, self.contradicted = at_us, "", contradicted

    def read_copies(self) -> list[KeptHeads]:
        """What all processes have copied so far. An address cannot be read back."""
        return [] if is_address(self._place) else read_heads_in(Path(self._place))

    def _write(self, heads: KeptHeads) -> None:
        if is_address(self._place):
            _send(self._place, heads)
            return
        day = datetime.fromtimestamp(heads.at_us / SECOND_US, UTC).date()
        write_heads(Path(self._place) / f"{day}-{self._process}.heads", heads)


def heads_at(transaction: Transaction, at_us: int, public_key: str = "") -> KeptHeads:
    heads = streams.heads(transaction).values()
    kept = {head.stream: KeptHead(head.version, head.hash) for head in heads}
    return KeptHeads("heads.1", at_us, kept, public_key)


def contradictions(transaction: Transaction, kept_heads: list[KeptHeads]) -> tuple[str, ...]:
    """The streams that do not contain what these copies say."""
    sql = (
        "SELECT count(*) FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " WHERE s.name = ? AND e.version = ? AND e.hash = ?"
    )
    now = {(head.stream, head.version, head.hash) for head in streams.heads(transaction).values()}
    kept = {(name, head.version, head.hash) for heads in kept_heads for name, head in heads.streams.items()}
    return tuple(sorted({row[0] for row in kept - now if row[1] and not transaction.rows(sql, row)[0][0]}))


def _send(address: str, heads: KeptHeads) -> None:
    request = urllib.request.Request(  # noqa: S310 - the scheme was checked
        address, data=msgspec.json.encode(heads), headers={"content-type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=SEND_TIMEOUT_S):  # noqa: S310 - as above
            pass
    except urllib.error.URLError as error:
        raise FloorRefused(FloorCode.BAD_HEADS, variant="sent", reason=str(error.reason)) from error
