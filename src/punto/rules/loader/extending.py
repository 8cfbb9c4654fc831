"""Books that extend others: only what differs is written, and the whole law is put together when the book is read."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.rules.loader.toml_table import BookError, read_toml

MAX_BASES: Final = 8
_OWN: Final = ("id", "name", "version")
"""What a book never takes over from the one it extends."""
_WHOLE: Final = ("layouts", "insurance")
"""Tables that a book takes over as they are, or writes itself."""


class Source(Struct, frozen=True):
    """The text of a book, and what messages call its file."""

    text: str
    file: str


Find = Callable[[str, str], Source]
"""Finds the book that another one extends, by what stands there and the file it stands in."""


class Whole(Struct, frozen=True):
    """Everything a book says, with what it takes over."""

    tables: dict[str, object]
    bases: tuple[str, ...]
    """The ids of the books it extends, the nearest first."""


def read_whole(source: Source, find: Find | None, after: tuple[str, ...] = ()) -> Whole:
    """The tables of a book and of those it extends."""
    own = read_toml(source.text, source.file)
    if "extends" not in own:
        return Whole(own, ())
    extends = own.pop("extends")
    if not isinstance(extends, str) or not extends.strip():
        raise BookError(source.file, "extends", phrase("book_fault.text", value=repr(extends)[:60]))
    if find is None:
        raise BookError(source.file, "extends", phrase("book_fault.extends_nothing"))
    base = find(extends, source.file)
    if base.file in (*after, source.file):
        raise BookError(source.file, "extends", phrase("book_fault.extends_loop", file=base.file))
    if len(after) >= MAX_BASES:
        raise BookError(source.file, "extends", phrase("book_fault.extends_deep", most=MAX_BASES))
    whole = read_whole(base, find, (*after, source.file))
    _fill_in_clauses(own)
    taken = {key: value for key, value in whole.tables.items() if key not in _OWN}
    base_id = whole.tables.get("id")
    bases = (base_id, *whole.bases) if isinstance(base_id, str) else whole.bases
    return Whole(_merged(taken, own), bases)


def _merged(base: Mapping[str, object], own: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    """What a book says, and of its base what it does not say otherwise. ``false`` leaves something out."""
    merged = dict(base)
    for key, value in own.items():
        before = base.get(key)
        if value is False:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(before, dict) and not (depth == 0 and key in _WHOLE):
            merged[key] = _merged(before, value, depth + 1)
        else:
            merged[key] = value
    return merged


def _fill_in_clauses(own: dict[str, object]) -> None:
    """A bet without a clause is its own clause, and a line without one is paid by the clause of its bet."""
    bets = own.get("bets")
    clauses = own.setdefault("clauses", {})
    if not isinstance(bets, dict) or not isinstance(clauses, dict):
        return
    for name, bet in bets.items():
        if not isinstance(bet, dict):
            continue
        if "clause" not in bet and "pays" in bet:
            bet["clause"] = f"bet:{name}"
            clauses.setdefault(
                bet["clause"], {"kind": "settlement", "handled_by": "engine", "text": bet.get("name", name)}
            )
        limit, lines = bet.get("limit"), bet.get("pays")
        if isinstance(limit, dict) and "clause" in bet:
            limit.setdefault("clause", bet["clause"])
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, dict) and "clause" in bet:
                line.setdefault("clause", bet["clause"])
