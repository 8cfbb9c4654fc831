"""The house's record: what a change replaced, however far back it is."""

import asyncio
from contextlib import closing
from functools import partial

import pytest
from msgspec.structs import asdict

from punto.floor.chips.floor_chips import chips_on_record
from punto.floor.database import open_database
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.audit_events import FiguresSeen
from punto.floor.journal.house_events import (
    AccountCreated,
    ChipSetChanged,
    FloorRulesChanged,
    FloorStarted,
    HouseEvent,
    PositionAssigned,
    StreamOpened,
)
from punto.floor.journal.pit_events import TableTitled
from punto.floor.people.floor_rules import FloorRules
from punto.floor.reports import house_lines
from punto.floor.reports.house_lines import RecordFilter, find_lines
from punto.floor.settings.floor_settings import FloorSettings, as_event
from punto.table.procedure.chip_set import USUAL_CHIPS
from tests.floor.nights import opened


def test_each_change_has_the_last_one_about_the_same_subject(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house_lines, "_ROWS_BACK", 2)
    written: list[HouseEvent] = [
        AccountCreated("ann", "dealer"),
        FloorStarted("0.9.0"),
        AccountCreated("bob", "dealer"),
        PositionAssigned("ann", "pit_supervisor"),
        FiguresSeen("register", "P000001"),
        PositionAssigned("bob", "pit_supervisor"),
        PositionAssigned("ann", "pit_manager"),
        FloorStarted("0.10.0"),
        PositionAssigned("cho", "dealer"),
    ]
    befores = [None, None, None, 0, None, 2, 3, 1, None]

    async def whole() -> None:
        database = open_database(database_url)
        try:
            await HouseLog(database).write(THE_HOUSE, *written)
            for most in (1, 2, 3, len(written)):
                lines = await database.read(partial(find_lines, wanted=RecordFilter(), most=most))
                expected = [None if at is None else written[at] for at in befores]
                assert [line.event for line in lines] == written[::-1][:most]
                assert [line.before for line in lines] == expected[::-1][:most]
        finally:
            database.close()

    asyncio.run(whole())


def write(url: str, *events: HouseEvent) -> None:
    with closing(open_database(url)) as database:
        asyncio.run(HouseLog(database).write(THE_HOUSE, *events))


def test_the_first_change_has_what_applied_before_it(database_url: str) -> None:
    changes: list[tuple[HouseEvent, HouseEvent]] = [
        (FloorRulesChanged(**asdict(FloorRules(visitors=True))), FloorRulesChanged(**asdict(FloorRules()))),
        (ChipSetChanged(()), chips_on_record(USUAL_CHIPS)),
        (as_event(FloorSettings(tray_chips=1)), as_event(FloorSettings())),
        (TableTitled("t1", "Orchid"), TableTitled("t1", "")),
    ]
    write(database_url, *(change for change, _ in changes))
    with opened(database_url) as database:
        lines = database.reading(partial(find_lines, wanted=RecordFilter(), most=9)).result()
    assert [(line.event, line.before) for line in lines][::-1] == changes


def test_people_and_tables_are_found_by_their_whole_names(database_url: str) -> None:
    write(
        database_url,
        *(AccountCreated(name, "dealer") for name in ("a_n", "ann", "a%n", "an")),
        *(TableTitled(name, "") for name in ("t_1", "tx1", "t_12")),
        *(StreamOpened(f"{name}/1", name) for name in ("t_1", "tx1", "t_12")),
    )

    def found(wanted: RecordFilter) -> list[HouseEvent]:
        with opened(database_url) as database:
            lines = database.reading(partial(find_lines, wanted=wanted, most=9)).result()
        return [line.event for line in lines if isinstance(line.event, HouseEvent)]

    for name in ("a_n", "ann", "a%n", "an"):
        assert found(RecordFilter(person=name)) == [AccountCreated(name, "dealer")]
    assert found(RecordFilter(table="t_1")) == [StreamOpened("t_1/1", "t_1"), TableTitled("t_1", "")]
