"""Somebody with the database plants the first of two blind counts, so that a dealer's own becomes a supervisor's."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode
from punto.floor.house.projections.counts import SELECT_COUNTS, open_count
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry
from punto.floor.journal.pit_events import CountsAgreed, CountsDiffered, FirstCountMade
from punto.floor.people.approvals.blind_counts import BlindCounts
from punto.floor.people.approvals.proposals import Proposals
from punto.table.records.chips import ChipPile, CountPurpose
from punto.table.records.positions import Position
from tests.attacks.tampered import found
from tests.floor.audit.forging import is_a, retold, rewrite, sign_again, tamper
from tests.floor.playing import manual_table
from tests.floor.staff_floor import Staffed, refused, run
from tests.keys import TEST_KEY

pytestmark = pytest.mark.slow

DORA, SUE = Actor("dora", Position.DEALER), Actor("sue", Position.PIT_SUPERVISOR)
PILES = (ChipPile(25_00, 4),)


def counted(url: str, then: Callable[[Staffed, BlindCounts], Awaitable[object]]) -> None:
    async def play(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        await house.hired("sue", Position.PIT_SUPERVISOR)
        await manual_table(house.floor, "m1")
        counts = BlindCounts(house.floor, house.acting, Proposals(house.floor, house.acting))
        first = await counts.count(DORA, "m1", "one", CountPurpose.CHECK, PILES)
        assert first.waiting is not None
        await then(house, counts)

    run(url, play)


async def _agree(house: Staffed, counts: BlindCounts) -> None:
    second = await counts.count(SUE, "m1", "two", CountPurpose.CHECK, PILES)
    assert second.answer.refusal is None
    assert len(await house.told(FirstCountMade)) == 1
    ((_, _, agreed),) = await house.told(CountsAgreed)
    assert isinstance(agreed, CountsAgreed)
    assert (agreed.count, agreed.command_id) == ("one", "proposal:count/two")


async def _differ(house: Staffed, counts: BlindCounts) -> None:
    await refused(counts.count(SUE, "m1", "two", CountPurpose.CHECK, (ChipPile(25_00, 5),)), FloorCode.COUNTS_DIFFER)
    ((_, _, differed),) = await house.told(CountsDiffered)
    assert isinstance(differed, CountsDiffered)
    assert differed.first_piles == PILES


def _row(transaction: Transaction) -> tuple[object, ...]:
    (row,) = transaction.rows(SELECT_COUNTS)
    return row


@pytest.mark.parametrize("then", [_agree, _differ])
def test_two_counts_are_on_record_and_sound(
    tmp_path: Path, then: Callable[[Staffed, BlindCounts], Awaitable[object]]
) -> None:
    url = str(tmp_path / "floor.db")
    counted(url, then)
    assert found(url) == []


def test_what_was_counted_first_is_read_by_nobody(tmp_path: Path) -> None:
    async def look(house: Staffed, _: BlindCounts) -> None:
        row = await house.database.read(_row)
        assert "2500" not in str(row)
        opened = open_count(row, TEST_KEY)
        assert opened is not None
        assert opened.piles == PILES
        for changed in ((*row[:3], "sue", *row[4:]), (*row[:1], "m1/2", *row[2:]), (*row[:-2], "00", row[-1])):
            assert open_count(changed, TEST_KEY) is None

    counted(str(tmp_path / "floor.db"), look)


def test_a_planted_count_signs_for_nobody(tmp_path: Path) -> None:
    """Dora counts what she likes; the supervisor's count that she planted is none."""

    async def plant(house: Staffed, counts: BlindCounts) -> None:
        stolen = await house.database.read(_row)
        sql = "UPDATE counts SET actor = 'sue'"
        await house.database.write(lambda transaction: transaction.change(sql))
        taken = await counts.count(DORA, "m1", "two", CountPurpose.CHECK, PILES)
        assert taken.waiting is not None  # hers is the first
        columns = "at_table, stream, id, actor, at_us, purpose, piles, tray_minor"
        forged = (*stolen[:2], "x", "sue", stolen[4], "check", '[{"value_minor":2500,"count":4}]', stolen[7])
        for statement, values in (
            ("DELETE FROM counts", ()),
            (f"INSERT INTO counts ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", forged),  # noqa: S608
        ):
            await house.database.write(lambda tx, sql=statement, row=values: tx.change(sql, row))  # type: ignore[misc]
        assert (await counts.count(DORA, "m1", "three", CountPurpose.CHECK, PILES)).waiting is not None
        assert await house.told(CountsAgreed) == []

    counted(str(tmp_path / "floor.db"), plant)


def test_a_count_that_is_over_is_not_put_back(tmp_path: Path) -> None:
    """The two counts differed. Somebody puts the row of the first one back, so that the next would agree with it."""

    async def put_back(house: Staffed, counts: BlindCounts) -> None:
        columns = "at_table, stream, id, actor, at_us, purpose, piles, tray_minor"
        sql = f"INSERT INTO counts ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own names
        row = await house.database.read(_row)
        await _differ(house, counts)
        await house.database.write(lambda transaction: transaction.change(sql, row))
        await counts.count(SUE, "m1", "three", CountPurpose.CHECK, PILES)
        assert await house.told(CountsAgreed) == []

    counted(str(tmp_path / "floor.db"), put_back)


REWRITTEN: dict[str, tuple[str, str, dict[str, object]]] = {
    "another nonce": ("house", "counts_agreed.1", {"nonce": "00"}),
    "another first count": ("house", "counts_agreed.1", {"count": "zero"}),
    "of another command": ("house", "counts_agreed.1", {"command_id": "proposal:count/three"}),
    "another commitment": ("house", "first_count_made.1", {"commitment": "00" * 32}),
    "of another opening": ("house", "first_count_made.1", {"stream": "m1/2"}),
}


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("counts") / "floor.db"
    counted(str(path), _agree)
    return path


@pytest.mark.parametrize("name", REWRITTEN)
def test_counts_that_do_not_belong_together_are_found_even_with_the_key(
    agreed: Path, tmp_path: Path, name: str
) -> None:
    url = tmp_path / "floor.db"
    url.write_bytes(agreed.read_bytes())
    stream, kind, changes = REWRITTEN[name]
    rewrite(str(url), stream, lambda told: [retold(entry, **changes) if is_a(entry, kind) else entry for entry in told])
    sign_again(str(url))
    assert FaultCode.COUNTS_DIFFER in found(str(url))


def test_a_count_signed_by_somebody_who_did_not_count_is_found(agreed: Path, tmp_path: Path) -> None:
    url = tmp_path / "floor.db"
    url.write_bytes(agreed.read_bytes())

    def forge(told: list[Entry]) -> list[Entry]:
        return [replace(one, actor="max") if is_a(one, "first_count_made.1") else one for one in told]

    rewrite(str(url), "house", forge)
    sign_again(str(url))
    assert FaultCode.COUNTS_DIFFER in found(str(url))
    tamper(str(url), ("DELETE FROM counts", ()))
    assert FaultCode.COUNTS_DIFFER in found(str(url))
