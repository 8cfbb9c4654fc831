"""The house's record: what a change replaced, however far back it is."""

import asyncio
from functools import partial

import pytest

from punto.floor.database import open_database
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.audit_events import FiguresSeen
from punto.floor.journal.house_events import AccountCreated, FloorStarted, HouseEvent, PositionAssigned
from punto.floor.journal.house_log import HouseLog
from punto.floor.reports import house_lines
from punto.floor.reports.house_lines import RecordFilter, find_lines


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
