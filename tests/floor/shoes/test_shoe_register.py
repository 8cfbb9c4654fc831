"""The life of real shoes: who may record what, when a shoe is fit for use, and what becomes of one that is not."""

from itertools import count

import pytest

from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.pit_events import ShoeStepTaken
from punto.floor.shoes.shoe_register import (
    MAY_READ_SHOES,
    MAY_TAKE,
    ShoeLife,
    ShoeProblem,
    ShoeRegister,
    ShoeStep,
    StepTaken,
)
from punto.table.records.positions import MANAGER_UP, SUPERVISOR_UP, Position
from punto.table.refusals import TableCode
from tests.floor.playing import At
from tests.floor.staff_floor import Staffed, refused, run

MAX, SUE = Actor("max", Position.PIT_MANAGER), Actor("sue", Position.PIT_SUPERVISOR)
DORA = Actor("dora", Position.DEALER)


def life(*steps: ShoeStep) -> ShoeLife:
    return ShoeLife("one", 8, "Maker", "B1", tuple(StepTaken(step, 0, "sue", "", "", "") for step in steps))


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ((ShoeStep.RECEIVED,), ShoeProblem.NOT_INSPECTED),
        ((ShoeStep.RECEIVED, ShoeStep.SHUFFLED), ShoeProblem.NOT_INSPECTED),
        ((ShoeStep.RECEIVED, ShoeStep.INSPECTED), ShoeProblem.NOT_SHUFFLED),
        ((ShoeStep.RECEIVED, ShoeStep.SHUFFLED, ShoeStep.INSPECTED), ShoeProblem.NOT_SHUFFLED),
        ((ShoeStep.RECEIVED, ShoeStep.INSPECTED, ShoeStep.SHUFFLED), None),
        ((ShoeStep.RECEIVED, ShoeStep.INSPECTED, ShoeStep.SHUFFLED, ShoeStep.LOADED), ShoeProblem.NOT_INSPECTED),
        ((ShoeStep.RECEIVED, ShoeStep.INSPECTED, ShoeStep.LOADED_CONTINUOUS), ShoeProblem.NOT_INSPECTED),
        (
            (ShoeStep.RECEIVED, ShoeStep.INSPECTED, ShoeStep.SHUFFLED, ShoeStep.LOADED, ShoeStep.SHUFFLED),
            ShoeProblem.NOT_INSPECTED,
        ),
        (
            (
                ShoeStep.RECEIVED,
                ShoeStep.INSPECTED,
                ShoeStep.SHUFFLED,
                ShoeStep.LOADED,
                ShoeStep.INSPECTED,
                ShoeStep.SHUFFLED,
            ),
            None,
        ),
        ((ShoeStep.RECEIVED, ShoeStep.INSPECTED, ShoeStep.SHUFFLED, ShoeStep.LOCKED), ShoeProblem.LOCKED),
        ((ShoeStep.RECEIVED, ShoeStep.LOCKED, ShoeStep.INSPECTED, ShoeStep.SHUFFLED), ShoeProblem.LOCKED),
        ((ShoeStep.RECEIVED, ShoeStep.INSPECTED, ShoeStep.SHUFFLED, ShoeStep.LOCKED, ShoeStep.RELEASED), None),
        (
            (
                ShoeStep.RECEIVED,
                ShoeStep.INSPECTED,
                ShoeStep.SHUFFLED,
                ShoeStep.LOCKED,
                ShoeStep.RELEASED,
                ShoeStep.LOCKED,
            ),
            ShoeProblem.LOCKED,
        ),
        ((ShoeStep.RECEIVED, ShoeStep.INSPECTED, ShoeStep.SHUFFLED, ShoeStep.DESTROYED), ShoeProblem.DESTROYED),
        ((ShoeStep.RECEIVED, ShoeStep.LOCKED, ShoeStep.DESTROYED), ShoeProblem.DESTROYED),
    ],
)
def test_a_shoe_is_fit_once_inspected_and_then_shuffled_since_its_last_use(
    steps: tuple[ShoeStep, ...], problem: ShoeProblem | None
) -> None:
    assert life(*steps).problem is problem


def test_each_step_needs_its_position(database_url: str) -> None:
    assert {step for step, may in MAY_TAKE.items() if may == SUPERVISOR_UP} == {
        ShoeStep.INSPECTED,
        ShoeStep.SHUFFLED,
        ShoeStep.LOCKED,
    }
    assert {step for step, may in MAY_TAKE.items() if may == MANAGER_UP} == {ShoeStep.RELEASED, ShoeStep.DESTROYED}

    async def test(house: Staffed) -> None:
        register = ShoeRegister(house.floor.house_log)
        await refused(register.receive(DORA, "one", 8, "Maker", "B1"), TableCode.NOT_AUTHORISED)
        await register.receive(SUE, "one", 8, "Maker", "B1")
        for step, may in MAY_TAKE.items():
            for position in Position:
                if position not in may:
                    await refused(register.take(Actor("x", position), "one", step, "why"), TableCode.NOT_AUTHORISED)
        for position in Position:
            if position not in MAY_READ_SHOES:
                await refused(register.list(Actor("x", position)), TableCode.NOT_AUTHORISED)
        assert [taken.step for taken in (await register.find(DORA, "one")).steps] == [ShoeStep.RECEIVED]

    run(database_url, test)


def test_what_cannot_be_is_refused_and_leaves_nothing_behind(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        register = ShoeRegister(house.floor.house_log)
        for name, decks, maker in (("one", 0, "M"), ("one", 11, "M"), ("one", 8, ""), ("one", 8, "M" * 61)):
            await refused(register.receive(SUE, name, decks, maker, "B1"), FloorCode.BAD_SHOE)
        await refused(register.receive(SUE, "", 8, "M", "B1"), TableCode.BAD_NAME)
        await refused(register.take(SUE, "one", ShoeStep.INSPECTED), FloorCode.UNKNOWN_SHOE)
        await refused(register.find(SUE, "one"), FloorCode.UNKNOWN_SHOE)
        await register.receive(SUE, "one", 8, "M", "B1")
        for alike in ("one", "ONE", "\N{FULLWIDTH LATIN SMALL LETTER O}ne"):
            await refused(register.receive(SUE, alike, 6, "M", "B2"), FloorCode.BAD_SHOE)
        assert (await register.receive(SUE, "ten", 10, "M", "B1")).decks == 10
        for step in (ShoeStep.RECEIVED, ShoeStep.LOADED):
            await refused(register.take(MAX, "one", step), FloorCode.BAD_SHOE)
        await refused(register.take(MAX, "one", ShoeStep.RELEASED, "why"), FloorCode.BAD_SHOE)
        for step in (ShoeStep.LOCKED, ShoeStep.RELEASED, ShoeStep.DESTROYED):
            await refused(register.take(MAX, "one", step), TableCode.REASON_NEEDED)
        await register.take(MAX, "one", ShoeStep.LOCKED, "a marked card")
        await refused(register.take(MAX, "one", ShoeStep.LOCKED, "again"), FloorCode.BAD_SHOE)
        await register.take(MAX, "one", ShoeStep.DESTROYED, "by the shredder")
        await refused(register.take(MAX, "one", ShoeStep.INSPECTED), FloorCode.BAD_SHOE)
        found = await register.find(SUE, "one")
        assert [(taken.step, taken.by, taken.note) for taken in found.steps] == [
            (ShoeStep.RECEIVED, "sue", ""),
            (ShoeStep.LOCKED, "max", "a marked card"),
            (ShoeStep.DESTROYED, "max", "by the shredder"),
        ]

    run(database_url, test)


def test_a_shoe_that_is_not_fit_comes_on_the_felt_and_it_is_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        register = ShoeRegister(house.floor.house_log)
        await house.table("felt")
        await At(house.floor, "felt").open("commission-insurance")
        loaded = {"command": "load_shoe.1", "decks": 8}
        acting = house.acting
        first = await acting.submit(SUE, "felt", "l0", {**loaded, "shoe": "before"})
        assert first.refusal is None
        assert [event for _, _, event in await house.told() if isinstance(event, ShoeStepTaken)] == []
        await register.receive(SUE, "one", 8, "Maker", "B1")
        await register.take(SUE, "one", ShoeStep.INSPECTED)
        await register.take(SUE, "one", ShoeStep.SHUFFLED)
        for number, (shoe, problem) in enumerate((("one", ""), ("two", "unknown")), 1):
            answer = await acting.submit(SUE, "felt", f"l{number}", {**loaded, "shoe": shoe})
            assert answer.refusal is None
            steps = [event for _, _, event in await house.told() if isinstance(event, ShoeStepTaken)]
            assert (steps[-1].step, steps[-1].shoe, steps[-1].table, steps[-1].problem) == (
                ShoeStep.LOADED,
                shoe,
                "felt",
                problem,
            )
        assert (await register.find(SUE, "one")).problem is ShoeProblem.NOT_INSPECTED
        refused_answer = await acting.submit(SUE, "felt", "l9", {**loaded, "shoe": "two"})
        assert refused_answer.refusal is not None
        assert len([event for _, _, event in await house.told() if isinstance(event, ShoeStepTaken)]) == 5

    run(database_url, test)


def test_a_continuous_shuffler_is_known_as_one_and_shuffles_by_itself(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        register = ShoeRegister(house.floor.house_log)
        await house.table("felt")
        await At(house.floor, "felt").open("commission-insurance", continuous={})
        for name in ("one", "two"):
            await register.receive(SUE, name, 8, "Maker", "B1")
        await register.take(SUE, "one", ShoeStep.INSPECTED)
        for name in ("one", "two"):
            body = {"command": "load_shoe.1", "decks": 8, "shoe": name}
            assert (await house.acting.submit(SUE, "felt", name, body)).refusal is None
        ends = [(await register.find(SUE, name)).steps[-1] for name in ("one", "two")]
        assert [(taken.step, taken.problem) for taken in ends] == [
            (ShoeStep.LOADED_CONTINUOUS, ""),
            (ShoeStep.LOADED_CONTINUOUS, "not_inspected"),
        ]

    run(database_url, test)


def test_a_shoe_that_another_table_has_in_use_is_on_record_as_such(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        register = ShoeRegister(house.floor.house_log)
        await register.receive(SUE, "one", 8, "Maker", "B1")
        for table in ("felt", "baize"):
            await house.table(table)
            await At(house.floor, table).open("commission-insurance")
            await register.take(SUE, "one", ShoeStep.INSPECTED)
            await register.take(SUE, "one", ShoeStep.SHUFFLED)
            body = {"command": "load_shoe.1", "decks": 8, "shoe": "one"}
            assert (await house.acting.submit(SUE, table, table, body)).refusal is None
        loaded = [taken for taken in (await register.find(SUE, "one")).steps if taken.step is ShoeStep.LOADED]
        assert [(taken.table, taken.problem) for taken in loaded] == [("felt", ""), ("baize", "elsewhere")]

    run(database_url, test)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM shoe_steps WHERE step = 'inspected'",
        "UPDATE shoe_steps SET actor = 'max' WHERE step = 'inspected'",
        "UPDATE shoe_steps SET step = 'shuffled' WHERE step = 'inspected'",
        (
            "INSERT INTO shoe_steps (shoe, step, at_us, actor, at_table, problem, note, decks, maker, batch)"
            " VALUES ('one', 'shuffled', 1, 'sue', '', '', '', 0, '', '')"
        ),
    ],
)
def test_a_life_that_was_altered_is_found(database_url: str, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(house: Staffed) -> None:
        ticks = count(house.clock.us)  # no two readings of a real clock are the same
        monkeypatch.setattr(house.clock, "now_us", lambda: next(ticks))
        register = ShoeRegister(house.floor.house_log)
        await register.receive(SUE, "one", 8, "Maker", "B1")
        await register.take(SUE, "one", ShoeStep.INSPECTED)

    run(database_url, test)
    assert verified(database_url) == []
    database = open_database(database_url, create=False)
    database.writing(lambda transaction: transaction.change(change)).result()
    database.close()
    assert verified(database_url) == ["shoe_steps_differ"]


def verified(url: str) -> list[str]:
    database = open_database(url, create=False)
    try:
        return [fault.code for fault in verify(database).faults]
    finally:
        database.close()
