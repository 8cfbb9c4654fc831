"""Which program runs: the hashes of its files and of the law of each book."""

import hashlib
from functools import cache
from pathlib import Path

import punto
from punto.library import book, book_ids

_LEFT_OUT = {"__pycache__"}


@cache
def build_hash() -> str:
    """SHA-256 over the path and the SHA-256 of every file of the package, in the order of their paths."""
    root = Path(punto.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*"), key=lambda path: path.relative_to(root).as_posix()):
        if path.is_file() and not _LEFT_OUT & {*path.parts}:
            line = f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
            whole.update(line.encode())
    return whole.hexdigest()


def law_hashes() -> dict[str, str]:
    """By book. Loads all of them."""
    return {game: book(game).law_hash for game in book_ids()}
