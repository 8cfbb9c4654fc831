"""What people of a floor may be called: no two names that look alike, and none that is the house's."""

from unicodedata import normalize

from punto.floor.troubles import FloorCode, FloorRefused
from punto.table.names import NAME_EXPECTED, is_name

CONSOLE = "console"
"""Who acts from the command line: whoever can write to the database."""
RESERVED = frozenset({"house", CONSOLE})

_UNSEEN = dict.fromkeys(
    [
        0x034F,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
        *range(0x180B, 0x1810),
        0x2800,
        0x3164,
        *range(0xFE00, 0xFE10),
        0xFFA0,
        *range(0xE0100, 0xE01F0),
    ]
)
"""Characters that Unicode counts as printable and that nobody sees: joiners, fillers, selectors of a variant."""


def fold(name: str) -> str:
    """The name as it is compared: neither case, width, blanks nor what nobody sees make another name of it."""
    folded = normalize("NFKC", normalize("NFKC", name.translate(_UNSEEN)).casefold())
    return " ".join(folded.translate(_UNSEEN).split())


def new_name(name: str) -> str:
    """The folded form of a name that somebody wants to have; refused if it is none, or the house's."""
    folded = fold(name) if is_name(name) else ""
    if not folded:
        raise FloorRefused(FloorCode.BAD_NAME, NAME_EXPECTED)
    if folded in RESERVED:
        raise FloorRefused(FloorCode.NAME_TAKEN, f"{name!r} is the house's own name")
    return folded
