"""Plays golden journals on a real floor, with every kind of command and event."""

from pathlib import Path

from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from tests.floor.nights import SUE, Night, night
from tests.golden.evening import decided_files, golden_files, read_asked, read_evening

FILES = golden_files()
DECIDED_FILES = decided_files()
"""Those whose commands can be given again."""
TABLE = "t1"


def name_of(path: Path) -> str:
    """A readable name for the journal."""
    return f"{path.parent.name}/{path.stem}"


def play_golden(url: str, path: Path) -> None:
    """Give all commands; each must be accepted or refused as before."""
    evening = read_evening(path.read_text(encoding="utf-8"))

    async def play(floor: Night) -> None:
        await floor.floor.create_table(SUE, TableSetup(TABLE, evening.book, ShoeKind.MANUAL))
        live = floor.live(TABLE)
        for number, step in enumerate(evening.steps):
            command = read_asked(step.asked)
            answer = await floor.floor.give(live, f"golden {number}", command)
            assert (answer.refusal is None) is (step.refused is None), (step, answer)

    night(url, play)
