"""What ``make run`` opens: the five demo tables with play money and house players, at a pace that suits a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from punto.floor.demo.opening_tables import PlannedTable
from punto.floor.running.table_setup import Pace, TableSetup
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


def _quick_setup(planned: PlannedTable) -> TableSetup:
    return TableSetup(planned.name, planned.book, pace=QUICK)


@contextmanager
def demo_server(folder: Path) -> Iterator[Server]:
    """A server on ``punto.db`` in this folder, at a port that is free."""
    with (
        patch.object(PlannedTable, "setup", property(_quick_setup)),
        server(str(folder / "punto.db"), opening=True, house_players=3) as running,
    ):
        yield running
