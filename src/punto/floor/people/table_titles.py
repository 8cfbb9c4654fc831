"""Titles of tables: what pages call them. They are checked like the names of people."""

from collections.abc import Iterable

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HouseEvent
from punto.floor.journal.pit_events import TableTitled
from punto.floor.names.names import new_name, same_looking
from punto.floor.running.floor import Floor
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.positions import MANAGER_UP


async def change_title(floor: Floor, by: Actor, table: str, title: str) -> None:
    """Call a table by another title, or by its name again if the title is empty. No two tables may look alike."""
    await floor.house_log.require(by, MANAGER_UP, "change_title", table[:MAX_NAME_LENGTH])
    live = await floor.find_table(table)
    title = "" if title == table else title
    if title:
        new_name(title)

    def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
        rows = transaction.rows("SELECT name, title FROM tables WHERE name <> ?", (table,))
        if title:
            _require_unlike(title, (text for row in rows for text in row))
        same = transaction.rows("SELECT 1 FROM tables WHERE name = ? AND title = ?", (table, title))
        return None, [] if same else [TableTitled(table, title)]

    await floor.house_log.change(by, change)
    live.retitle(title)


def require_unlike_titles(floor: Floor, name: str) -> None:
    """Refuse the name of a new table that looks like the title of another one."""
    _require_unlike(name, (live.title for live in floor.tables.values() if live.title != live.setup.name))


def _require_unlike(title: str, others: Iterable[str]) -> None:
    taken = same_looking(title, filter(None, others))
    if taken is not None:
        raise FloorRefused(FloorCode.NAME_TAKEN, variant="table", name=title, table=taken)
