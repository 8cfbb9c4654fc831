"""A process that posts cards at a table with a real shoe until it is killed, and prints each acknowledged draw."""

import asyncio
import json
import sys
from itertools import count

from punto.floor.running.scanner import ScanAnswer
from tests.floor.playing import DEALER, manual_table, running
from tests.floor.reading import NATURAL, Read


async def main(url: str) -> None:
    """Play round after round, each a natural."""
    async with running(url) as floor:
        read = Read(await manual_table(floor, face_down=True))
        for number in count():
            await read.closed(stake_minor=1_00)
            for draw, card in enumerate(NATURAL, 1 + 4 * number):
                answer = await read.ask(draw, card)
                assert isinstance(answer, ScanAnswer), answer
                print(json.dumps({"draw": draw}), flush=True)  # noqa: T201 - its output
            for place in range(1, 5):
                await read.at.do(DEALER, "turn_card", place=place)
            await read.at.do(DEALER, "settle")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
