"""Golden evenings played through a real floor: every kind of command and event there is."""

from pathlib import Path

from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from tests.floor.nights import SUE, Night, night
from tests.golden.evening import golden_files, read_asked, read_evening

FILES = golden_files()
TABLE = "t1"


def name_of(path: Path) -> str:
    """An evening's name for people."""
    return f"{path.parent.name}/{path.stem}"


def play_golden(url: str, path: Path) -> None:
    """All commands of an evening, accepted or refused as they were."""
    evening = read_evening(path.read_text(encoding="utf-8"))

    async def play(floor: Night) -> None:
        await floor.floor.create_table(SUE, TableSetup(TABLE, evening.book, ShoeKind.MANUAL))
        live = floor.live(TABLE)
        for number, step in enumerate(evening.steps):
            command = read_asked(step.asked)
            answer = await floor.floor.give(live, f"golden {number}", command)
            assert (answer.refusal is None) is (step.refused is None), (step, answer)

    night(url, play)
