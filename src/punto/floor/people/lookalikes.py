"""What a name looks like to who only glances at it: accents, signs and letters of other alphabets hide nothing."""

from unicodedata import category, name, normalize

_ALIKE = dict(
    (
        *zip("авсԁеғһніјкӏмпорԛѕтугхѵԝь", "abcdefhhijkimnopqstyrxvwb", strict=True),  # Cyrillic
        *zip("αβεηικνορτυχγωϲϳ", "abehiknoptuxywcj", strict=True),  # Greek
        *zip("ıɩɪɑɡɢłʟøđħʜƅꜱᴀᴅᴇᴍɴᴏʀᴛᴜ", "iiiaggiiodhhbsademnortu", strict=True),  # Latin
        *zip("01345789$@!l", "oieastbgsaii", strict=True),  # figures and signs that stand for letters
    )
)
_LOOKS = str.maketrans(_ALIKE)
_TOGETHER = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
"""Scripts that are written beside any other, and look like none of them."""


def looks(text: str) -> str:
    """Its letters and figures as they look, with nothing between them; of the same looks, the same."""
    plain = "".join(one for one in normalize("NFKD", text).casefold() if not category(one).startswith("M"))
    return "".join(one for one in plain.translate(_LOOKS) if one.isalnum())


def mixes_scripts(text: str) -> bool:
    """It has letters of several alphabets, such as Latin and Cyrillic."""
    letters = (one for one in normalize("NFKD", text) if one.isalpha() and category(one) != "Lm")
    scripts = {name(one, "").partition(" ")[0] for one in letters}
    return len(scripts - _TOGETHER) > 1
