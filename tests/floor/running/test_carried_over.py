"""An opening carries over what the last closing left; a journal that says otherwise is found."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.journal.entry import Entry
from tests.floor.audit.forging import entries, forget_laws, reasked, retold, rewrite
from tests.floor.nights import opened
from tests.floor.playing import SUPERVISOR, manual_table, running


async def _twice_open(url: str) -> None:
    async with running(url) as floor:
        at = await manual_table(floor)
        await at.do(SUPERVISOR, "report_foreign_card")  # its shoe is taken off
        await at.do(SUPERVISOR, "close_table")
        await at.open()


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = str(tmp_path / "floor.db")
    asyncio.run(_twice_open(made))
    return made


def _faults(url: str) -> list[tuple[str, int | None, FaultCode]]:
    with opened(url) as database:
        return [(fault.stream, fault.version, fault.code) for fault in verify(database).faults]


MINTED = [["chips:sue", 10**9], ["bank", -(10**9)]]


def _minted(told: list[Entry]) -> list[Entry]:
    """Everybody's chips are gone and Sue has a fortune, as she asked for."""
    return [reasked(retold(told[0], postings=MINTED), carried={"chips:sue": 10**9}, float_minor=0), *told[1:]]


def _minted_without_a_word(told: list[Entry]) -> list[Entry]:
    return [reasked(retold(told[0], postings=MINTED), float_minor=0), *told[1:]]


def _under_another_law(told: list[Entry]) -> list[Entry]:
    first = _minted_without_a_word(told)[0]
    return [retold(replace(first, law="f" * 64), law_hash="f" * 64)]


@pytest.mark.parametrize("forge", [_minted, _minted_without_a_word, _under_another_law])
@pytest.mark.parametrize("stream", ["t1/1", "t1/2"])
def test_chips_made_by_an_opening_are_found(url: str, stream: str, forge: object) -> None:
    assert _faults(url) == []
    assert entries(url, stream)
    forget_laws(url)
    rewrite(url, stream, forge)  # type: ignore[arg-type]
    assert _faults(url)[0] == (stream, 1, FaultCode.JUDGED_OTHERWISE)


def _forgets_the_shoe(told: list[Entry]) -> list[Entry]:
    return [retold(told[0], taken_off={}), *told[1:]]


def _inspects_the_shoe(told: list[Entry]) -> list[Entry]:
    inspected = {"t1 1": "inspected"}
    return [reasked(retold(told[0], taken_off=inspected), taken_off=inspected), *told[1:]]


def _inspects_it_under_another_law(told: list[Entry]) -> list[Entry]:
    first = retold(told[0], taken_off={"t1 1": "inspected"}, law_hash="f" * 64)
    return [replace(first, law="f" * 64)]


@pytest.mark.parametrize("forge", [_forgets_the_shoe, _inspects_the_shoe, _inspects_it_under_another_law])
def test_an_opening_that_forgets_a_shoe_is_found(url: str, forge: object) -> None:
    forget_laws(url)
    rewrite(url, "t1/2", forge)  # type: ignore[arg-type]
    assert _faults(url)[0] == ("t1/2", 1, FaultCode.JUDGED_OTHERWISE)


def _inspects_at_the_close(told: list[Entry]) -> list[Entry]:
    return [*told[:-1], retold(told[-1], taken_off={"t1 1": "inspected"})]


def _inspects_at_the_close_under_another_law(told: list[Entry]) -> list[Entry]:
    first, *others = (replace(entry, law="f" * 64) for entry in _inspects_at_the_close(told))
    return [retold(first, law_hash="f" * 64), *others]


@pytest.mark.parametrize(
    ("forge", "code"),
    [
        (_inspects_at_the_close, FaultCode.JUDGED_OTHERWISE),
        (_inspects_at_the_close_under_another_law, FaultCode.CLOSING_DIFFERS),
    ],
)
def test_a_closing_that_says_otherwise_of_a_shoe_is_found(url: str, forge: object, code: FaultCode) -> None:
    last = len(entries(url, "t1/1"))
    forget_laws(url)
    rewrite(url, "t1/1", forge)  # type: ignore[arg-type]
    assert _faults(url)[0] == ("t1/1", last, code)
