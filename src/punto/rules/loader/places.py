"""Where in a file a place of a book is written."""

import re


def line_of(text: str, place: str) -> int | None:
    """The line, from 1, of a place such as ``bets.tie.pays[0].when``; of the nearest part of it that is found.

    >>> line_of("[bets.tie]|pays = [|  { odds = '8' },|]".replace("|", chr(10)), "bets.tie.pays[0].odds")
    3
    """
    lines = text.splitlines()
    keys = [part for part in re.split(r"\.|(?=\[)", place) if part]
    at, found = 0, None
    while keys:
        table = next((size for size in range(len(keys), 0, -1) if _header(lines, keys[:size]) is not None), 0)
        if found is None and table:
            at = found = _header(lines, keys[:table]) or 0
            keys = keys[table:]
            continue
        key = keys.pop(0)
        here = _entry(lines, at, int(key[1:-1])) if key.startswith("[") else _key(lines, at, key)
        if here is None:
            break
        at = found = here
    return None if found is None else found + 1


def _header(lines: list[str], keys: list[str]) -> int | None:
    wanted = {f"[{'.'.join(keys)}]", f'[{".".join(keys[:-1])}."{keys[-1]}"]'}
    return next((at for at, line in enumerate(lines) if line.split("#")[0].strip() in wanted), None)


def _key(lines: list[str], start: int, key: str) -> int | None:
    pattern = re.compile(rf"(^|[{{,]\s*|^\s*)[\"']?{re.escape(key)}[\"']?\s*=")
    for at in range(start, len(lines)):
        if at > start and lines[at].startswith("["):
            return None
        if pattern.search(lines[at]):
            return at
    return None


def _entry(lines: list[str], start: int, number: int) -> int | None:
    """The line of the entry of a list of tables, which starts on that line or after it."""
    before = 0
    for at in range(start, len(lines)):
        if at > start and lines[at].startswith("["):
            return None
        before += len(re.findall(r"(?:^\s*|\[\s*|\},\s*)\{", lines[at]))
        if before > number:
            return at
    return None
