"""Exact odds, effects of removal and the counts that follow from them, simulation.

A single exact answer needs no more than the rules do. What is compiled comes with the extra ``odds`` and is imported
when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from punto.odds.advantage import Counted
from punto.odds.distribution import Distribution
from punto.odds.estimates import Estimate, Estimates, estimates
from punto.odds.exact import solve
from punto.odds.extras import needing
from punto.odds.figures import BetFigures, CellFigures, Figures, figures
from punto.odds.procedure import Procedure
from punto.odds.removal import Effects, Removal, removal
from punto.odds.shoe import Composition, full_shoe, shoe_of, shoe_without
from punto.odds.tags import Count, best_count
from punto.odds.wagers import Gains, Insure, gains

if TYPE_CHECKING:
    from punto.odds.batch import Batch, solve_many
    from punto.odds.counting import count_shoes
    from punto.odds.plot import evening_svg
    from punto.odds.sessions import Sessions, play_sessions
    from punto.odds.simulation import Amount, Simulated, simulate, warm_up

__all__ = [
    "Amount",
    "Batch",
    "BetFigures",
    "CellFigures",
    "Composition",
    "Count",
    "Counted",
    "Distribution",
    "Effects",
    "Estimate",
    "Estimates",
    "Figures",
    "Gains",
    "Insure",
    "Procedure",
    "Removal",
    "Sessions",
    "Simulated",
    "best_count",
    "count_shoes",
    "estimates",
    "evening_svg",
    "figures",
    "full_shoe",
    "gains",
    "play_sessions",
    "removal",
    "shoe_of",
    "shoe_without",
    "simulate",
    "solve",
    "solve_many",
    "warm_up",
]

_COMPILED = {
    "Batch": "batch",
    "solve_many": "batch",
    "count_shoes": "counting",
    "evening_svg": "plot",
    "Sessions": "sessions",
    "play_sessions": "sessions",
    "Amount": "simulation",
    "Simulated": "simulation",
    "simulate": "simulation",
    "warm_up": "simulation",
}
"""What needs the extra, and where it is."""


def __getattr__(name: str) -> Any:
    """What is compiled, imported when it is asked for."""
    if name not in _COMPILED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needing("odds"):
        return getattr(import_module(f"{__name__}.{_COMPILED[name]}"), name)
