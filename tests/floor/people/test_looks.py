"""Who looked at whose figures: what is written, how often, and that verify compares the list with the record."""

import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house import house_log
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.audit_events import FiguresSeen
from punto.floor.people import looks
from punto.floor.people.looks import MAX_NAMED, LookFilter, LookKind, Looks
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.audit.forging import tamper
from tests.floor.nights import opened
from tests.floor.staff_floor import Staffed, refused, run

AMY, MAX, DAN = (
    Actor("amy", Position.AUDITOR),
    Actor("max", Position.PIT_MANAGER),
    Actor("dan", Position.DEALER),
)
REGISTER = LookKind.REGISTER


async def seen(house: Staffed) -> list[tuple[str, str]]:
    found = [(name, event) for name, _, event in await house.told(FiguresSeen)]
    return [(name, event.of) for name, event in found if isinstance(event, FiguresSeen)]


def test_a_look_is_written_once_an_hour_for_each_person_kind_and_subject(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        record = Looks(house.floor.house_log)
        for _ in range(2):
            await record.saw(DAN, REGISTER, "P000001", "P000002", "P000001")
        await record.saw(DAN, LookKind.RATING, "P000001")
        await record.saw(AMY, REGISTER, "P000001")
        await record.saw(AMY, LookKind.ROUND, "2-17", table="Orchid")
        for nobody in (None, THE_HOUSE, Actor("P000001", Position.PLAYER)):
            await record.saw(nobody, LookKind.ROUND, "2-17", table="Orchid")
        written = [("dan", "P000001"), ("dan", "P000002"), ("dan", "P000001"), ("amy", "P000001"), ("amy", "2-17")]
        assert await seen(house) == written
        house.clock.go_on(59)
        await record.saw(DAN, REGISTER, "P000001")
        assert await seen(house) == written
        house.clock.go_on(1)
        await record.saw(DAN, REGISTER, "P000001")
        assert await seen(house) == [*written, ("dan", "P000001")]
        await record.saw(DAN, REGISTER, *map(str, range(MAX_NAMED + 1)))  # a long list is one look at many
        assert (await seen(house))[-1] == ("dan", "")

    run(database_url, test)
    with opened(database_url) as database:
        assert verify(database).faults == []


def test_looks_are_listed_newest_first_and_the_list_is_a_look_too(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        record, start_us = Looks(house.floor.house_log), house.clock.us
        for player in ("P000001", "P000002", "P000003"):
            await record.saw(DAN, REGISTER, player)
            await record.saw(MAX, LookKind.RATING, player)
            house.clock.go_on(1)
        newest = await record.list(AMY, LookFilter(), 3)
        assert [(look.by, look.seen.what, look.seen.of) for look in newest] == [
            ("amy", "looks", ""),
            ("max", "rating", "P000003"),
            ("dan", "register", "P000003"),
        ]
        assert newest[0].position == Position.AUDITOR
        older = await record.list(AMY, LookFilter(before=newest[-1].version), 9)
        assert [look.seen.of for look in older] == ["P000002", "P000002", "P000001", "P000001"]
        assert [look.by for look in await record.list(AMY, LookFilter(of="P000002"), 9)] == ["max", "dan"]
        until_us = start_us + 60_000_000
        first = await record.list(AMY, LookFilter(by="dan", from_us=start_us, until_us=until_us), 9)
        assert [look.seen.of for look in first] == ["P000001"]
        await refused(record.list(DAN, LookFilter(), 9), TableCode.NOT_AUTHORISED)

    run(database_url, test)


def test_a_look_that_cannot_be_written_is_refused_and_written_the_next_time(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: Staffed) -> None:
        record = Looks(house.floor.house_log)

        def fail(*_: object) -> None:
            raise FloorRefused(FloorCode.BUSY, variant="reports", seconds=1)

        with monkeypatch.context() as patch:
            patch.setattr(house_log, "append_house", fail)
            await refused(record.saw(DAN, REGISTER, "P000001"), FloorCode.BUSY)
        await record.saw(DAN, REGISTER, "P000001")
        assert await seen(house) == [("dan", "P000001")]

    run(database_url, test)


def test_memory_is_bounded_and_forgets_towards_more_entries(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "MAX_REMEMBERED", 3)

    async def test(house: Staffed) -> None:
        record = Looks(house.floor.house_log)
        for player in (*"abcd", "d", "a"):
            await record.saw(DAN, REGISTER, player)
        assert [of for _, of in await seen(house)] == [*"abcd", "a"]

    run(database_url, test)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM looks WHERE subject = 'P000001'",
        "UPDATE looks SET actor = 'dora' WHERE subject = 'P000001'",
        "INSERT INTO looks (version, at_us, actor, subject) VALUES (99, 1, 'dora', 'P000001')",
    ],
)
def test_verify_finds_a_changed_list(database_url: str, sql: str) -> None:
    async def test(house: Staffed) -> None:
        await Looks(house.floor.house_log).saw(DAN, REGISTER, "P000001", "P000002")

    run(database_url, test)
    tamper(database_url, (sql, ()))
    with opened(database_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.LOOKS_DIFFER]
