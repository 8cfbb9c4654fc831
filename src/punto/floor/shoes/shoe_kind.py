"""Where the cards of a table come from."""

from enum import StrEnum


class ShoeKind(StrEnum):
    """The kind of every shoe that a table is dealt from."""

    VIRTUAL = "virtual"
    """Shuffled with the operating system's randomness, with a commitment before the first card."""
    MANUAL = "manual"
    """A real shoe: its cards come in as they are drawn, by hand or from a scanner."""
    SEEDED = "seeded"
    """Shuffled from a seed: for tests and training alone, and every screen says so."""
