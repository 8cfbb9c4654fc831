"""What people of a floor may be called: no two names that look alike, and none that is the house's."""

from unicodedata import category, normalize
from unicodedata import name as unicode_name

from punto.floor.errors import FloorCode, FloorRefused
from punto.table.records.names import MAX_NAME_LENGTH, is_name
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

_ALIKE = dict(
    (
        *zip("авсԁеғһніјкӏмпорԛѕтугхѵԝь", "abcdefhhijkimnopqstyrxvwb", strict=True),  # Cyrillic
        *zip("αβεηικνορτυχγωϲϳ", "abehiknoptuxywcj", strict=True),  # Greek
        *zip("ıɩɪɑɡɢłʟøđħʜƅꜱᴀᴅᴇᴍɴᴏʀᴛᴜ", "iiiaggiiodhhbsademnortu", strict=True),  # Latin
        *zip("01345789$@!l", "oieastbgsaii", strict=True),  # figures and signs that stand for letters
    )
)
_LOOKS = str.maketrans(_ALIKE)
_BESIDE_ANY_SCRIPT = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
"""Scripts that are written beside any other, and look like none of them."""


def fold(name: str) -> str:
    """The name as it is compared: neither case, width, blanks nor what nobody sees make another name of it."""
    folded = normalize("NFKC", normalize("NFKC", name.translate(_UNSEEN)).casefold())
    return " ".join(folded.translate(_UNSEEN).split())


def looks(text: str) -> str:
    """The letters and figures of a text as they look: accents, signs and other alphabets hide nothing.

    Two texts that look alike give the same.
    """
    plain = "".join(one for one in normalize("NFKD", text).casefold() if not category(one).startswith("M"))
    return "".join(one for one in plain.translate(_LOOKS) if one.isalnum())


def mixes_scripts(text: str) -> bool:
    """Whether a text has letters of several alphabets, such as Latin and Cyrillic."""
    letters = (one for one in normalize("NFKD", text) if one.isalpha() and category(one) != "Lm")
    scripts = {unicode_name(one, "").partition(" ")[0] for one in letters}
    return len(scripts - _BESIDE_ANY_SCRIPT) > 1


def new_name(name: str) -> str:
    """The folded form of a name that somebody wants to have; refused if it is none, or the house's."""
    folded = fold(name) if is_name(name) else ""
    if not folded:
        raise FloorRefused(TableCode.BAD_NAME, most=MAX_NAME_LENGTH)
    if mixes_scripts(name):
        raise FloorRefused(TableCode.BAD_NAME, variant="alphabets", name=name)
    seen = looks(name)
    if seen in _RESERVED or seen.endswith(_HOUSE):
        raise FloorRefused(FloorCode.NAME_TAKEN, variant="house", name=name)
    return folded


def new_visitor(name: str) -> str:
    """The same for somebody whom nobody knows: nothing in the name suggests one of the house."""
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
