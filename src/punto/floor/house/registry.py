"""All projections of the house's stream."""

from functools import cache

from punto.floor.house.projection import Projection
from punto.floor.house.projections.accounts import AccountsTable
from punto.floor.house.projections.alarms import AlarmsTable
from punto.floor.house.projections.counts import CountsTable
from punto.floor.house.projections.credentials import PinsTable, TotpTable
from punto.floor.house.projections.duty import DutyTable
from punto.floor.house.projections.looks import LooksTable
from punto.floor.house.projections.player_codes import PlayerCodesTable
from punto.floor.house.projections.players import PlayersTable
from punto.floor.house.projections.proposals import ProposalsTable
from punto.floor.house.projections.seals import SealsTable
from punto.floor.house.projections.sessions import SessionsTable
from punto.floor.house.projections.settings import SettingsTable
from punto.floor.house.projections.shoe_steps import ShoeStepsTable
from punto.floor.house.projections.sign_offs import SignOffsTable
from punto.floor.house.projections.stops import StopsTable
from punto.floor.house.projections.tables import TablesTable
from punto.floor.house.projections.terminals import TerminalsTable
from punto.floor.journal.event_base import HouseEvent

PROJECTIONS: tuple[Projection, ...] = (
    AccountsTable(),
    PinsTable(),
    TotpTable(),
    TablesTable(),
    TerminalsTable(),
    SessionsTable(),
    PlayersTable(),
    PlayerCodesTable(),
    DutyTable(),
    CountsTable(),
    ProposalsTable(),
    AlarmsTable(),
    ShoeStepsTable(),
    StopsTable(),
    SignOffsTable(),
    LooksTable(),
    SealsTable(),
    SettingsTable(),
)
"""In the order in which they are carried out, and their differences listed."""


@cache
def projections_of(kind: type[HouseEvent]) -> tuple[Projection, ...]:
    """Those that look at this kind of event."""
    return tuple(projection for projection in PROJECTIONS if kind in projection.kinds)
