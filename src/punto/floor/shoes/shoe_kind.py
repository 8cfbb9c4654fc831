"""The kinds of shoes."""

from enum import StrEnum


class ShoeKind(StrEnum):
    """A table uses one kind of shoe."""

    VIRTUAL = "virtual"
    """Shuffled with the operating system's random numbers, with a commitment before the first card."""
    MANUAL = "manual"
    """A real shoe. Its cards are entered as they are drawn, by hand or by a scanner."""
    SEEDED = "seeded"
    """Shuffled from a seed, for tests and training only. Every screen says so."""
