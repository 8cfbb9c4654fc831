"""The journal as rows of plain JSON, read past everything that Punto itself reads it with."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import apsw

HOUSE = "house"


class Row(NamedTuple):
    version: int
    at_us: int
    actor: str
    position: str
    part: int
    command: dict[str, Any]
    event: dict[str, Any]
    context: dict[str, Any]

    @property
    def kind(self) -> str:
        """The tag of the event without its version."""
        name: str = self.event["event"]
        return name.partition(".")[0]

    @property
    def signed_by(self) -> list[str]:
        return [name for name in (self.context.get("proposed_by", ""), self.actor) if name]


Journal = dict[str, list[Row]]


def read_journal(path: Path) -> Journal:
    """The rows of every stream, in order."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)  # two libraries break each other's locks
    try:
        found = list(
            connection.execute(
                "SELECT s.name, e.version, e.at_us, e.actor, e.position, e.part, e.command, e.event, e.context"
                " FROM entries AS e JOIN streams AS s ON s.id = e.stream ORDER BY s.name, e.version"
            )
        )
    finally:
        connection.close()
    journal: Journal = {}
    for stream, *row in found:
        version, at_us, actor, position, part, command, event, context = row
        decoded = [json.loads(text) if text else {} for text in (command, event, context)]
        journal.setdefault(stream, []).append(Row(version, at_us, actor, position, part, *decoded))
    return journal
