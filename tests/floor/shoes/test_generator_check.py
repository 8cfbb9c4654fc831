"""A broken random generator is found, and takes virtual tables out of play."""

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import comb, erfc, exp, gamma, sqrt
from pathlib import Path

import pytest

from punto.floor.alarms.house_rules import HouseEntry, generator_alarms
from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.alarm import AlarmKind
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.audit_events import GeneratorFailed
from punto.floor.journal.exceptions import last_exceptions
from punto.floor.running.floor import Floor
from punto.floor.shoes import generator_check
from punto.floor.shoes.generator_check import SAMPLE_BYTES, WINDOW_BYTES, Generator, GeneratorFault, find_fault
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.decision import coup_of
from punto.table.records.state import Phase
from tests.floor.nights import DORA, SUE, Night, opened

RARELY = 2**-30


def _biased(length: int) -> bytes:
    """Ones are a little more likely: 11 in 20."""
    bits = random.Random(5)  # noqa: S311 - a broken generator
    return bytes(sum((bits.random() < 0.55) << at for at in range(8)) for _ in range(length))


BROKEN: dict[str, tuple[Callable[[int], bytes], GeneratorFault]] = {
    "all zero": (bytes, GeneratorFault.REPETITION),
    "stuck for a moment": (lambda length: secrets.token_bytes(length - 7) + b"7" * 7, GeneratorFault.REPETITION),
    "one byte too often": (
        lambda length: b"".join(b"x" + secrets.token_bytes(15) for _ in range(length // 16)),
        GeneratorFault.PROPORTION,
    ),
    "more ones than zeros": (_biased, GeneratorFault.MONOBIT),
    "a short period": (lambda length: bytes(range(1, 256, 4)) * (length // 64), GeneratorFault.POKER),
    "a counter": (lambda length: bytes(at % 256 for at in range(length)), GeneratorFault.POKER),
    "too few": (lambda length: secrets.token_bytes(length - 1), GeneratorFault.UNAVAILABLE),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_generator_is_found(name: str) -> None:
    source, fault = BROKEN[name]
    assert find_fault(source(SAMPLE_BYTES)) is fault


def test_a_sound_one_passes() -> None:
    assert {find_fault(secrets.token_bytes(SAMPLE_BYTES)) for _ in range(50)} == {None}


def test_a_sound_one_fails_less_than_once_in_a_thousand_million() -> None:
    """Each bound by its distribution: runs, binomial, normal, and chi-square with 15 degrees of freedom."""
    repetition = SAMPLE_BYTES * 2.0 ** (-8 * (generator_check.REPETITIONS - 1))
    others, byte = WINDOW_BYTES - 1, 1 / 256
    seen = range(generator_check.OCCURRENCES - 1, others + 1)
    window = sum(comb(others, times) * byte**times * (1 - byte) ** (others - times) for times in seen)
    proportion = SAMPLE_BYTES // WINDOW_BYTES * window
    monobit = erfc(generator_check.ONES_OFF / sqrt(SAMPLE_BYTES * 8 / 4) / sqrt(2))
    above = _above(generator_check.MOST_CHI_SQUARE)
    least = generator_check.LEAST_CHI_SQUARE / 2
    below = least**7.5 / gamma(8.5)  # an upper bound of the lower tail
    assert repetition + proportion + monobit + above + below < RARELY


def _above(chi_square: float) -> float:
    """The chance of more with 15 degrees of freedom."""
    half = chi_square / 2
    terms: list[float] = [half ** (k - 0.5) / gamma(k + 0.5) for k in range(1, 8)]
    return erfc(sqrt(half)) + exp(-half) * sum(terms)


# ---- on a floor


class Source:
    """Random bytes that a test breaks."""

    def __init__(self) -> None:
        self.breaks: Callable[[int], bytes] | None = None

    def __call__(self, length: int) -> bytes:
        return (self.breaks or secrets.token_bytes)(length)


@asynccontextmanager
async def _floor(url: str, source: Source) -> AsyncIterator[Night]:
    database = open_database(url)
    try:
        yield Night(await Floor.start(database, training=True, random_bytes=source))
    finally:
        database.close()


async def _refuses(night: Night, table: str, command: str, **fields: object) -> bool:
    with pytest.raises(FloorRefused) as refused:
        await night.do(SUE, table, command, **fields)
    return refused.value.code is FloorCode.GENERATOR_FAILED


def test_virtual_tables_are_out_of_play_until_the_next_start(database_url: str) -> None:
    source = Source()

    async def fails() -> None:
        async with _floor(database_url, source) as night:
            floor = night.floor
            await night.table("v1", "commission", burn=False, automations=[])
            await night.table("v2", burn=False, automations=[])
            await night.table("m1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
            await night.do(SUE, "v1", "load_shoe.1", shoe="one", decks=8)
            await night.do(DORA, "v1", "open_betting.1")
            source.breaks = bytes
            assert await _refuses(night, "v2", "load_shoe.1", shoe="two", decks=8)
            assert (floor.generator.fault, floor.faulty) == (GeneratorFault.REPETITION, ("v2",))
            await night.bet("v1", "ann", 1, "banker", 50_00)
            await night.do(DORA, "v1", "close_betting.1")
            while floor.table("v1").state.phase is Phase.DEALING:  # the round in play ends
                live = floor.table("v1")
                done = coup_of(live.rules, live.state).end is not None
                await night.do(DORA, "v1", "settle.1" if done else "deal_card.1")
            source.breaks = None
            assert await _refuses(night, "v1", "open_betting.1")
            assert await _refuses(night, "v1", "load_shoe.1", shoe="two", decks=8)
            assert floor.faulty == ("v1", "v2")
            await night.do(SUE, "m1", "load_shoe.1", shoe="real", decks=8)
            await night.do(DORA, "m1", "open_betting.1")
            found = await floor.database.read(lambda transaction: last_exceptions(transaction, 10**6, 100))
            failed = [one for one in found if isinstance(one.event, GeneratorFailed)]
            assert [one.event for one in failed] == [GeneratorFailed("repetition")]
            (due,) = generator_alarms([HouseEntry(one.version, one.at_us, one.event) for one in found])
            assert due.kind is AlarmKind.GENERATOR_FAILED

    async def goes_on() -> None:
        async with _floor(database_url, source) as night:
            assert night.floor.faulty == ()
            await night.do(DORA, "v1", "open_betting.1")

    asyncio.run(fails())
    asyncio.run(goes_on())
    with opened(database_url) as database:
        assert verify(database).faults == []


def test_a_floor_starts_without_random_numbers_and_repeats_what_it_has_answered(tmp_path: Path) -> None:
    url, source = str(tmp_path / "floor.db"), Source()

    async def plays() -> None:
        async with _floor(url, source) as night:
            await night.table("v1", "commission", burn=False, automations=[])
            body = {"command": "load_shoe.1", "shoe": "one", "decks": 8}
            assert (await night.floor.submit(SUE, "v1", "first", body)).entries

    async def starts_broken() -> None:
        def unavailable(_: int) -> bytes:
            raise OSError("no entropy")

        source.breaks = unavailable
        async with _floor(url, source) as night:
            assert night.floor.generator.fault is GeneratorFault.UNAVAILABLE
            assert night.floor.faulty == ("v1",)
            body = {"command": "load_shoe.1", "shoe": "one", "decks": 8}
            assert (await night.floor.submit(SUE, "v1", "first", body)).entries
            assert await _refuses(night, "v1", "open_betting.1")

    asyncio.run(plays())
    asyncio.run(starts_broken())


def test_the_same_bytes_twice_are_found(tmp_path: Path) -> None:
    once = secrets.token_bytes(SAMPLE_BYTES)

    async def check_twice() -> list[GeneratorFault | None]:
        database = open_database(str(tmp_path / "floor.db"))
        try:
            generator = Generator(HouseLog(database), lambda _: once)
            found = []
            for _ in range(2):
                await generator.check()
                found.append(generator.fault)
            return found
        finally:
            database.close()

    assert asyncio.run(check_twice()) == [None, GeneratorFault.SAME_AGAIN]
