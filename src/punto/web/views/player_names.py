"""Names of registered players, for what staff see of a table."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET

from punto.floor.clock import Clock
from punto.floor.database.base import Database
from punto.floor.people.players import names_of
from punto.table.records.identity import player_number
from punto.table.records.ledger import player_of
from punto.web.messages import TableView
from punto.web.version_cache import Refreshes, SharedReads

REFRESH_S = 2.0
"""How soon views have a name that another process has changed."""


class PlayerNames:
    """Shared by all views: the names of one set of ids are read at most once every ``REFRESH_S``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._refreshes = Refreshes(clock, REFRESH_S)
        self._reads: SharedReads[frozenset[str], dict[str, str]] = SharedReads()

    async def of(self, ids: frozenset[str]) -> dict[str, str]:
        """Name by id. Unknown and erased ids are left out."""
        if not ids:
            return {}
        return await self._reads.get(self._refreshes.version(), ids, partial(self._read, ids))

    def refresh(self) -> None:
        """Read the names again on the next call of ``of``."""
        self._refreshes.refresh()

    async def _read(self, ids: frozenset[str]) -> dict[str, str]:
        return await self._database.read(partial(names_of, players=sorted(ids)))


def players_in(view: TableView) -> frozenset[str]:
    """The ids of all registered players that a view mentions."""
    accounts = () if view.balances is UNSET else map(player_of, view.balances)
    people = {*_texts(msgspec.to_builtins(view)), *(who for who in accounts if who is not None)}
    return frozenset(who for who in people if player_number(who) is not None)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
