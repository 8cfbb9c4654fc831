"""Events of the house's stream that the audit brings."""

from punto.floor.journal.event_base import HouseEvent


class GamingStopped(HouseEvent, frozen=True, tag="gaming_stopped.1"):
    """Somebody stopped all gaming, one game or one person: see :mod:`punto.floor.running.gaming_stops`."""

    number: int
    scope: str
    of: str
    """The book, the player or the account; empty for all gaming."""
    reason: str
    at_us: int


class GamingReleased(HouseEvent, frozen=True, tag="gaming_released.1"):
    """A stop is over. Whose entry it is released it."""

    number: int
    reason: str
    at_us: int


class PlayedWhileStopped(HouseEvent, frozen=True, tag="played_while_stopped.1"):
    """At a felt table something was entered that a stop forbids. It happened, so it is recorded all the same."""

    number: int
    """Of the stop."""
    table: str
    stream: str
    round: int
    command: str
    who: str = ""
    """The player who is stopped; empty if it is all gaming or a game."""


AnyAuditEvent = GamingStopped | GamingReleased | PlayedWhileStopped
