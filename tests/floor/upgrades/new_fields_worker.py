"""Runs a floor with a changed copy of Punto: the test puts that copy first on the path.

``python -m tests.floor.upgrades.new_fields_worker FOLDER`` expects ``floor.db`` and ``manifest.json`` there. It
verifies the floor, starts it, repeats every accepted command, finishes every open round, closes the tables and verifies
again. It prints the settings of the tables that were open, as JSON.
"""

import asyncio
import sys
from pathlib import Path

import msgspec

from punto.floor.audit.verify import Verified
from punto.table.records.state import Phase
from tests.floor.upgrades.old_floors import OldFloor, OldTable
from tests.floor.upgrades.upgraded import SUPERVISOR, upgraded, verified


def require_sound(result: Verified) -> None:
    if not result.sound:
        raise SystemExit(f"not sound: {result.faults}")


async def run_floor(url: str, old: OldFloor) -> dict[str, object]:
    async with upgraded(url, old) as house:
        tables = house.floor.tables
        if {name: OldTable.of(live) for name, live in tables.items()} != old.tables:
            raise SystemExit("the tables are not as they were")
        settings = {name: msgspec.to_builtins(live.state.settings) for name, live in tables.items()}
        await house.keeper.run_once()
        for command in old.commands:
            answer = await house.repeat(command)
            if [entry.version for entry in answer.entries] != command.versions:
                raise SystemExit(f"another answer to {command}: {answer}")
        for live in tables.values():
            if live.state.phase in (Phase.BETTING, Phase.DEALING):
                await house.finish(live)
            if live.state.phase is not Phase.CLOSED:
                await house.do(live, SUPERVISOR, "close_table")
        return settings


def main(folder: Path) -> None:
    url = str(folder / "floor.db")
    old = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=OldFloor)
    require_sound(verified(url))
    settings = asyncio.run(run_floor(url, old))
    require_sound(verified(url))
    sys.stdout.write(msgspec.json.encode(settings).decode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
