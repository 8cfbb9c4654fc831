"""The register of real shoes: who received, inspected and shuffled each, where it was used, and how it ended.

The register counts once the first shoe is in it. It never stops a shoe that is put on a table, because the felt is the
truth: it records why the shoe was not fit for use, and an alarm rings.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from unicodedata import normalize

from msgspec import Struct

from punto.floor.clock import Clock
from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.writer import append_house
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, command_record, with_context
from punto.floor.journal.entry import EntryContext
from punto.floor.journal.pit_events import ShoeStepTaken
from punto.table.decision import MAX_REASON_LENGTH
from punto.table.play.opening import shoes_in_use
from punto.table.records.names import MAX_NAME_LENGTH, is_name
from punto.table.records.positions import DEALER_UP, MANAGER_UP, SUPERVISOR_UP, Position
from punto.table.records.state import Table
from punto.table.refusals import TableCode

MAX_DECKS = 10
"""As many as any of the books allows."""
MAX_MAKER_LENGTH = 60
MAY_READ_SHOES = DEALER_UP | {Position.AUDITOR}
SELECT_STEPS = (
    "SELECT shoe, step, at_us, actor, at_table, problem, note, decks, maker, batch FROM shoe_steps{where} ORDER BY id"
)


class ShoeStep(StrEnum):
    RECEIVED = "received"
    INSPECTED = "inspected"
    SHUFFLED = "shuffled"
    LOADED = "loaded"
    LOADED_CONTINUOUS = "loaded_continuous"
    """Put on a table as a continuous shuffler."""
    LOCKED = "locked"
    """Not to be used until it is released: it may be evidence."""
    RELEASED = "released"
    DESTROYED = "destroyed"


MAY_TAKE = {
    ShoeStep.INSPECTED: SUPERVISOR_UP,
    ShoeStep.SHUFFLED: SUPERVISOR_UP,
    ShoeStep.LOCKED: SUPERVISOR_UP,
    ShoeStep.RELEASED: MANAGER_UP,
    ShoeStep.DESTROYED: MANAGER_UP,
}
"""The steps that people record for a shoe in the register. Loading is recorded with the command."""
NEED_NOTE = frozenset({ShoeStep.LOCKED, ShoeStep.RELEASED, ShoeStep.DESTROYED})


class ShoeProblem(StrEnum):
    """Why a shoe is not fit for use, the gravest first."""

    UNKNOWN = "unknown"
    """It is not in the register."""
    DESTROYED = "destroyed"
    LOCKED = "locked"
    ELSEWHERE = "elsewhere"
    """It is in use at another table."""
    NOT_INSPECTED = "not_inspected"
    """Not since it was received or last used."""
    NOT_SHUFFLED = "not_shuffled"
    """Not since its inspection."""


_GRAVER = (ShoeProblem.UNKNOWN, ShoeProblem.DESTROYED, ShoeProblem.LOCKED)
"""Than being in use elsewhere."""


class StepTaken(Struct, frozen=True):
    step: ShoeStep
    at_us: int
    by: str
    table: str
    problem: str
    note: str


class ShoeLife(Struct, frozen=True):
    """A shoe and everything on record about it, the oldest first."""

    shoe: str
    decks: int
    maker: str
    batch: str
    steps: tuple[StepTaken, ...]

    @property
    def problem(self) -> ShoeProblem | None:
        """Why it is not fit for use now; None if it is."""
        steps = [taken.step for taken in self.steps]
        last = {step: at for at, step in enumerate(steps)}
        if ShoeStep.DESTROYED in last:
            return ShoeProblem.DESTROYED
        if last.get(ShoeStep.LOCKED, -1) > last.get(ShoeStep.RELEASED, -1):
            return ShoeProblem.LOCKED
        used = max(last.get(ShoeStep.LOADED, -1), last.get(ShoeStep.LOADED_CONTINUOUS, -1))
        inspected = last.get(ShoeStep.INSPECTED, -1)
        if inspected <= used:
            return ShoeProblem.NOT_INSPECTED
        return None if last.get(ShoeStep.SHUFFLED, -1) > inspected else ShoeProblem.NOT_SHUFFLED


class ShoeRegister:
    def __init__(self, log: HouseLog) -> None:
        self._log, self._database = log, log.database

    async def list(self, by: Actor) -> list[ShoeLife]:
        """All shoes, the last received first."""
        await self._log.require(by, MAY_READ_SHOES, "list_shoes")
        return (await self._database.read(all_lives))[::-1]

    async def find(self, by: Actor, shoe: str) -> ShoeLife:
        await self._log.require(by, MAY_READ_SHOES, "list_shoes")
        return await self._database.read(lambda transaction: _require(transaction, shoe))

    async def receive(self, by: Actor, shoe: str, decks: int, maker: str, batch: str) -> ShoeLife:
        """Enter a new shoe. A name is given once, and no two differ only in case or width."""
        await self._log.require(by, SUPERVISOR_UP, "receive_shoe")
        if not is_name(shoe):
            raise FloorRefused(TableCode.BAD_NAME, most=MAX_NAME_LENGTH)
        if not 1 <= decks <= MAX_DECKS:
            raise FloorRefused(FloorCode.BAD_SHOE, variant="decks", most=MAX_DECKS)
        if not (is_name(maker, MAX_MAKER_LENGTH) and is_name(batch, MAX_MAKER_LENGTH)):
            raise FloorRefused(FloorCode.BAD_SHOE, variant="maker", most=MAX_MAKER_LENGTH)
        event = ShoeStepTaken(shoe, ShoeStep.RECEIVED, decks=decks, maker=maker, batch=batch)

        def check(transaction: Transaction) -> None:
            if (taken := _find_alike(transaction, shoe)) is not None:
                raise FloorRefused(FloorCode.BAD_SHOE, variant="taken", shoe=taken)

        return await self._record(by, event, check)

    async def take(self, by: Actor, shoe: str, step: ShoeStep, note: str = "") -> ShoeLife:
        """Record a step in the life of a shoe."""
        if step not in MAY_TAKE:
            raise FloorRefused(FloorCode.BAD_SHOE, variant="step", step=step)
        await self._log.require(by, MAY_TAKE[step], f"{step}_shoe")
        if (note or step in NEED_NOTE) and not (note.strip() and note.isprintable() and len(note) <= MAX_REASON_LENGTH):
            raise FloorRefused(TableCode.REASON_NEEDED, least=1, most=MAX_REASON_LENGTH)

        def check(transaction: Transaction) -> None:
            life = _require(transaction, shoe)
            if life.problem is ShoeProblem.DESTROYED:
                raise FloorRefused(FloorCode.BAD_SHOE, variant="destroyed", shoe=shoe)
            is_locked = life.problem is ShoeProblem.LOCKED
            if step is ShoeStep.LOCKED and is_locked:
                raise FloorRefused(FloorCode.BAD_SHOE, variant="locked", shoe=shoe)
            if step is ShoeStep.RELEASED and not is_locked:
                raise FloorRefused(FloorCode.BAD_SHOE, variant="free", shoe=shoe)

        return await self._record(by, ShoeStepTaken(shoe, step, note=note), check)

    async def _record(self, by: Actor, event: ShoeStepTaken, check: Callable[[Transaction], None]) -> ShoeLife:
        record = command_record(by, self._log.clock)

        def work(transaction: Transaction) -> ShoeLife:
            streams.lock_house(transaction)
            check(transaction)
            append_house(transaction, record, event)
            return _require(transaction, event.shoe)

        return await self._database.write(work)


def problem_at(life: ShoeLife | None, shoe: str, table: str, tables: Mapping[str, Table]) -> ShoeProblem | None:
    """Why a shoe is not fit for use at one of the tables; None if it is. ``life`` is None if it is not in the register.

    A continuous machine shuffles by itself, so nobody has to.
    """
    problem = ShoeProblem.UNKNOWN if life is None else life.problem
    if problem not in _GRAVER and any(shoe in shoes_in_use(at) for name, at in tables.items() if name != table):
        return ShoeProblem.ELSEWHERE
    return None if problem is ShoeProblem.NOT_SHUFFLED and _is_machine(tables[table]) else problem


def _is_machine(table: Table) -> bool:
    return table.settings is not None and table.settings.continuous is not None


def put_on_table(
    by: Actor, clock: Clock, shoe: str, table: str, context: EntryContext, tables: Mapping[str, Table]
) -> Callable[[Transaction], None]:
    """For a command that puts a shoe on a table: records it, with what is wrong with it, in the same transaction."""
    record = with_context(command_record(by, clock), context)

    def work(transaction: Transaction) -> None:
        streams.lock_house(transaction)
        if not transaction.rows("SELECT 1 FROM shoe_steps LIMIT 1"):
            return
        problem = problem_at(find_life(transaction, shoe), shoe, table, tables)
        step = ShoeStep.LOADED_CONTINUOUS if _is_machine(tables[table]) else ShoeStep.LOADED
        event = ShoeStepTaken(shoe, step, table, problem or "")
        append_house(transaction, record, event)

    return work


# ---- database jobs


def find_life(transaction: Transaction, shoe: str) -> ShoeLife | None:
    """None if nobody received it, even if it was on a table."""
    return next(iter(_lives(transaction.rows(SELECT_STEPS.format(where=" WHERE shoe = ?"), (shoe,)))), None)


def _find_alike(transaction: Transaction, shoe: str) -> str | None:
    """A shoe in the register whose name people would take for this one; None if there is none."""
    received = transaction.rows("SELECT shoe FROM shoe_steps WHERE step = ?", (ShoeStep.RECEIVED.value,))
    return next((name for (name,) in received if _folded(name) == _folded(shoe)), None)


def _folded(shoe: str) -> str:
    return normalize("NFKC", shoe).casefold()


def all_lives(transaction: Transaction) -> list[ShoeLife]:
    """In the order in which they were received."""
    return _lives(transaction.rows(SELECT_STEPS.format(where="")))


def _lives(rows: Iterable[Row]) -> list[ShoeLife]:
    by_shoe: dict[str, list[Row]] = {}
    for row in rows:
        by_shoe.setdefault(row[0], []).append(row)
    lives = []
    for shoe, steps in by_shoe.items():
        received = next((row for row in steps if row[1] == ShoeStep.RECEIVED), None)
        if received is not None:
            taken = tuple(StepTaken(ShoeStep(row[1]), *row[2:7]) for row in steps)
            decks, maker, batch = received[7:]
            lives.append(ShoeLife(shoe, decks, maker, batch, taken))
    return lives


def _require(transaction: Transaction, shoe: str) -> ShoeLife:
    life = find_life(transaction, shoe)
    if life is None:
        raise FloorRefused(FloorCode.UNKNOWN_SHOE, shoe=shoe[:MAX_NAME_LENGTH])
    return life
