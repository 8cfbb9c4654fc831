"""What people of a floor may be called: no two names that look alike, and none that is the house's."""

from unicodedata import normalize

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.lookalikes import looks, mixes_scripts
from punto.table.records.names import MOST_NAME, is_name
from punto.table.refusals import TableCode

CONSOLE = "console"
"""Who acts from the command line: whoever can write to the database."""
RESERVED = frozenset({"house", CONSOLE})
HOUSE_PLAYER = "(house)"
"""How the names of house players end, so that nobody takes them for people, nor their names and chips."""

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
        raise FloorRefused(TableCode.BAD_NAME, most=MOST_NAME)
    if mixes_scripts(name):
        raise FloorRefused(TableCode.BAD_NAME, variant="alphabets", name=name)
    seen = looks(name)
    if seen in _RESERVED or seen.endswith(_HOUSE):
        raise FloorRefused(FloorCode.NAME_TAKEN, variant="house", name=name)
    return folded


def new_visitor(name: str) -> str:
    """The same for somebody whom nobody knows: nothing in his name makes him one of the house."""
    folded, seen = new_name(name), looks(name)
    if any(word in seen for word in _OF_THE_HOUSE):
        raise FloorRefused(FloorCode.NAME_TAKEN, variant="like_house", name=name)
    return folded


_RESERVED = frozenset(map(looks, RESERVED))
_HOUSE = looks(HOUSE_PLAYER)
_OF_THE_HOUSE = tuple(
    map(
        looks,
        (
            *RESERVED,
            *("admin", "dealer", "croupier", "supervisor", "manager", "auditor", "inspector", "cashier", "staff"),
            *("荷官", "管理", "经理", "經理", "主管", "赌场", "賭場", "娱乐场", "娛樂場"),
        ),
    )
)
"""Words that no visitor's name may hold."""
