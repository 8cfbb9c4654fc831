"""Plays golden journals on a real floor, with every kind of command and event."""

from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from tests.floor.nights import SUE, Night, night
from tests.golden.evening import read_asked
from tests.golden.recordings import golden

TABLE = "t1"


def play_golden(url: str, name: str) -> None:
    """Give all commands; each must be accepted or refused as before."""
    evening = golden(name)

    async def play(floor: Night) -> None:
        await floor.floor.create_table(SUE, TableSetup(TABLE, evening.book, ShoeKind.MANUAL))
        live = floor.live(TABLE)
        for number, step in enumerate(evening.steps):
            command = read_asked(step.asked)
            answer = await floor.floor.give(live, f"golden {number}", command)
            assert (answer.refusal is None) is (step.refused is None), (step, answer)

    night(url, play)
