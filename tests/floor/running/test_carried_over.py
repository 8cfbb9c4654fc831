"""An opening carries over the balances of the last closing; a journal that says otherwise is found."""

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
