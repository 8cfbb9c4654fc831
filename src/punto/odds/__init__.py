"""Exact odds, effects of removal, card counts and simulation.

Exact odds of one shoe need no extra. The compiled parts need the extra ``odds`` and are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from punto.odds.counting.advantage import Counted
from punto.odds.counting.count_tags import Count, best_count
from punto.odds.distribution import Distribution
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.odds.exact.removal import Effects, Removal, removal
from punto.odds.exact.solver import solve
from punto.odds.figures import BetFigures, CellFigures, Figures, figures
from punto.odds.procedure import Procedure, continuous
from punto.odds.sessions.wagers import Gains, Insure, gains
from punto.odds.shoe import Composition, full_shoe, shoe_of, shoe_without
from punto.odds.simulation.estimates import Estimate, Estimates, estimates
from punto.rules.refusals import needing

if TYPE_CHECKING:
    from punto.odds.counting.counter import count_shoes
    from punto.odds.exact.batch import Batch, solve_many
    from punto.odds.sessions.picture import sessions_svg
    from punto.odds.sessions.session_simulator import SimulatedSessions, simulate_sessions
    from punto.odds.simulation.simulator import Amount, Simulated, simulate, warm_up

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
    "Simulated",
    "SimulatedSessions",
    "best_count",
    "continuous",
    "count_shoes",
    "estimates",
    "figures",
    "full_shoe",
    "full_shoe_figures",
    "gains",
    "removal",
    "sessions_svg",
    "shoe_of",
    "shoe_without",
    "simulate",
    "simulate_sessions",
    "solve",
    "solve_many",
    "warm_up",
]

_COMPILED = {
    "Batch": "exact.batch",
    "solve_many": "exact.batch",
    "count_shoes": "counting.counter",
    "sessions_svg": "sessions.picture",
    "SimulatedSessions": "sessions.session_simulator",
    "simulate_sessions": "sessions.session_simulator",
    "Amount": "simulation.simulator",
    "Simulated": "simulation.simulator",
    "simulate": "simulation.simulator",
    "warm_up": "simulation.simulator",
}
"""Names that need the extra ``odds``, and their modules."""


def __getattr__(name: str) -> Any:
    if name not in _COMPILED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needing("odds"):
        return getattr(import_module(f"{__name__}.{_COMPILED[name]}"), name)
