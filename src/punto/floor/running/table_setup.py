"""The setup of a table: game, shoes and pace."""

from hashlib import sha256

from msgspec import Struct
from msgspec.structs import asdict, replace

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.events import TableClosed
from punto.table.records.settings import Automation

MAX_PACE_S = 3_600.0
MAX_SEED_LENGTH = 200


class Pace(Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds that a table waits before each automatic step."""

    open_betting_s: float = 2.0
    close_betting_s: float = 20.0
    burn_s: float = 1.0
    deal_s: float = 1.0
    turn_s: float = 1.0
    squeeze_s: float = 12.0
    """For each card that a player squeezes, from when it is theirs until it is turned."""
    open_insurance_s: float = 0.5
    close_insurance_s: float = 10.0
    settle_s: float = 1.0
    next_round_s: float = 4.0
    call_time_s: float = 30.0
    load_shoe_s: float = 2.0

    def before_s(self, automation: Automation) -> float:
        """Seconds before a step. Tables of earlier releases may have any number."""
        wait: float = getattr(self, f"{automation.value}_s")
        return within_bounds(wait)


class TableSetup(Struct, frozen=True, forbid_unknown_fields=True):
    """The setup of a table, fixed when it is created."""

    name: str
    book: str
    shoes: ShoeKind = ShoeKind.VIRTUAL
    decks: int = 8
    pace: Pace = Pace()
    seed: str = ""
    """For seeded shoes."""

    def carried_over(self, closing: TableClosed) -> TableClosed:
        """What its next opening takes over from a closing. Chips from seeded shoes are worth nothing afterwards."""
        return replace(closing, balances={}) if self.shoes is ShoeKind.SEEDED else closing


def within_bounds(wait_s: float) -> float:
    return min(max(wait_s, 0.0), MAX_PACE_S)


def check_setup(setup: TableSetup) -> None:
    """Refuse numbers that no table can work with."""
    for name, wait_s in asdict(setup.pace).items():
        if not 0 <= wait_s <= MAX_PACE_S:  # not true of NaN either
            raise FloorRefused(FloorCode.BAD_SETUP, variant="pace", name=name, most=int(MAX_PACE_S))
    if len(setup.seed) > MAX_SEED_LENGTH:
        raise FloorRefused(FloorCode.BAD_SETUP, variant="seed", most=MAX_SEED_LENGTH)


def setup_hash(encoded: str) -> str:
    """SHA-256 of a stored setup, recorded when the table is created."""
    return sha256(encoded.encode()).hexdigest()
