"""Files cut off at any byte: everything acknowledged before that byte is there, or the file is clearly refused."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from tests.floor.playing import betting_table, running

pytestmark = pytest.mark.crash

BETS = 25


class Files:
    """A database, and its write-ahead log at the time of each acknowledged command."""

    def __init__(self, directory: Path) -> None:
        self.acknowledged: list[tuple[int, str]] = []
        path = directory / "floor.db"
        asyncio.run(self._evening(path))
        self.closed = path.read_bytes()

    async def _evening(self, path: Path) -> None:
        wal = Path(f"{path}-wal")
        async with running(str(path)) as floor:
            at = await betting_table(floor)
            for number in range(BETS):
                await at.bet("ann", 1, f"bet {number}")
                self.acknowledged.append((wal.stat().st_size, f"bet {number}"))
            self.main, self.wal = path.read_bytes(), wal.read_bytes()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Created once for all tests."""
    return Files(tmp_path_factory.mktemp("cut"))


def _bets(path: Path) -> list[str]:
    database = open_database(str(path))
    try:
        found = verify(database)
        assert found.faults == []
        sql = "SELECT command_id FROM entries WHERE command_id LIKE 'bet %' AND part = 0 ORDER BY id"
        return [row[0] for row in database.reading(lambda tx: tx.rows(sql)).result()]
    finally:
        database.close()


def _cuts(size: int, first: int) -> Iterator[int]:
    draw = random.Random(6)  # noqa: S311 - where to cut
    yield from (size, size - 1)
    yield from sorted(draw.randrange(first, size) for _ in range(30))


def test_a_log_cut_off_in_the_middle_of_an_entry(files: Files, tmp_path: Path) -> None:
    assert len({size for size, _ in files.acknowledged}) == BETS
    for number, cut in enumerate(_cuts(len(files.wal), files.acknowledged[0][0])):
        path = tmp_path / f"{number}.db"
        path.write_bytes(files.main)
        Path(f"{path}-wal").write_bytes(files.wal[:cut])
        assert _bets(path) == [name for size, name in files.acknowledged if size <= cut], cut


def test_a_log_with_a_damaged_byte(files: Files, tmp_path: Path) -> None:
    """The log counts up to the damage."""
    for number, at in enumerate(_cuts(len(files.wal) - 1, files.acknowledged[0][0])):
        path = tmp_path / f"{number}.db"
        path.write_bytes(files.main)
        wal = bytearray(files.wal)
        wal[at] ^= 0xFF
        Path(f"{path}-wal").write_bytes(wal)
        found = _bets(path)
        assert found == [name for size, name in files.acknowledged if size <= at], at


def test_a_file_cut_off_anywhere(files: Files, tmp_path: Path) -> None:
    for number, cut in enumerate((1, 15, 16, 99, 100, 512, 4_095, 4_096, 4_097, *_cuts(len(files.closed), 1))):
        path = tmp_path / f"{number}.db"
        path.write_bytes(files.closed[:cut])
        if cut == len(files.closed):
            assert len(_bets(path)) == BETS
            continue
        with pytest.raises(FloorRefused) as refused:
            open_database(str(path)).close()
        assert refused.value.code is FloorCode.BAD_DATABASE, (cut, refused.value.message)
        assert path.read_bytes() == files.closed[:cut]
