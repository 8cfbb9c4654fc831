"""What ``make run`` opens: the five demo tables with play money and house players, at a pace that suits a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from punto.floor.demo.opening_tables import TABLES
from punto.floor.running.table_setup import Pace
from tests.keys import write_key
from tests.web.serving import Server, server

QUICK = Pace(
    open_betting_s=0.1,
    close_betting_s=1.0,
    burn_s=0.05,
    deal_s=0.05,
    turn_s=0.05,
    open_insurance_s=0.05,
    close_insurance_s=0.5,
    settle_s=0.05,
    next_round_s=0.1,
    load_shoe_s=0.05,
)


@contextmanager
def demo_server(folder: Path) -> Iterator[Server]:
    """A server on ``punto.db`` in this folder, at a port that is free."""
    tables = [replace(table, pace=QUICK) for table in TABLES]
    write_key(folder / "punto.key")  # for commands that run without the tests' environment
    with server(str(folder / "punto.db"), opening=tables, house_players=3) as running:
        yield running
