"""The floors of earlier releases, as ``write_old_floors`` stored them."""

import tarfile
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from punto import book_ids
from punto.floor.journal.actor import Actor
from punto.floor.running.live_table import LiveTable
from punto.table.records.positions import Position
from punto.table.records.state import Phase

FOLDER = Path(__file__).parent / "floors"


class Release(NamedTuple):
    schema: int
    commit: str
    writer: str
    """The module that writes its floors."""
    books: tuple[str, ...]
    """Those with a floor. Fewer are enough where tables are decided as in another release."""
    in_test: tuple[str, ...] = ()
    """Those whose floor ``make test`` runs: of the oldest and the newest release; ``make nightly`` runs all."""


RELEASES = {
    "0.2.0": Release(1, "013fc13", "old_release", ("commission", "commission-insurance"), ("commission",)),
    "0.3.0": Release(3, "db5e4d1", "old_release", book_ids()),
    "0.5.0": Release(3, "858762e", "this_release", ("commission-insurance",)),
    "0.6.0": Release(4, "06b3fd1", "this_release", ("commission-insurance", "tiger-buffalo")),
    "0.7.0": Release(4, "389bf3e", "this_release", book_ids()),
    "0.8.0": Release(5, "ee75411", "this_release", book_ids()),
    "0.9.0": Release(6, "187177c", "this_release", book_ids()),
    "0.10.0": Release(7, "001c9cf", "this_release", book_ids(), ("super-six-plus", "tiger-buffalo")),
}
"""Schema 2 was never released alone: tests derive it from 0.3.0."""


class OldCommand(Struct, frozen=True):
    """An accepted command as it was sent, and the entries it was answered with."""

    table: str
    id: str
    by: tuple[str, Position]
    body: dict[str, Any]
    stream: str
    versions: list[int]

    @property
    def actor(self) -> Actor:
        return Actor(*self.by)


class OldTable(Struct, frozen=True):
    """A table as its own release had it when it was killed."""

    phase: Phase
    version: int
    balances: dict[str, int]
    """Of a closed table, those it carries over."""
    seats: dict[int, str]
    round: int
    cards: tuple[str | None, ...]
    bets: list[tuple[str, int, str, int]]
    """Who, box, bet and stake."""

    @classmethod
    def of(cls, live: LiveTable) -> "OldTable":
        """The same for a table of this release, or of one that ``this_release`` writes."""
        state, now = live.state, live.state.round
        closing: Any = live.closing
        carried = closing if isinstance(closing, dict) else closing.balances  # the balances alone before 0.8.0
        balances = carried if state.phase is Phase.CLOSED else state.balances
        bets = [(bet.who, bet.box, bet.bet, bet.stake_minor) for bet in now.bets.values()] if now else []
        version = live.head.version if live.head else 0
        number, cards = (now.number, now.cards) if now else (0, ())
        return cls(state.phase, version, balances, state.seats, number, cards, bets)


class OldFloor(Struct, frozen=True):
    commands: list[OldCommand]
    tables: dict[str, OldTable]
    visitors: dict[str, str]
    """Names and tokens of visitors who have not left."""
    staff: dict[str, str]
    """Names and tokens of staff who are signed in."""
    play_tables: list[str]
    ended_us: int
    """When the floor was killed."""


def archive_of(release: str, book: str) -> Path:
    return FOLDER / f"{release}-{book}.tar.xz"


def unpack(release: str, book: str, folder: Path) -> OldFloor:
    """Put ``floor.db`` and ``backup.db`` into a folder."""
    with tarfile.open(archive_of(release, book)) as archive:
        archive.extractall(folder, filter="data")
    return msgspec.json.decode((folder / "manifest.json").read_bytes(), type=OldFloor)
