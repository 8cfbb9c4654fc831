"""Which program runs: the digests of its files, of the packages it needs and of the law of each book."""

import base64
import csv
import hashlib
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

import punto
from punto.library import book, book_ids

_LEFT_OUT = {"__pycache__"}
_NEEDED = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[([^]]*)\])?")
"""Name and extras in a line of requirements."""
_EXTRA = re.compile(r"extra == ['\"]([^'\"]+)")
_SHA256 = "sha256="
_Requirement = tuple[str, tuple[str, ...] | None]
"""A package and the extras of it that are needed; None for all."""


def digest_of(parts: Mapping[str, str]) -> str:
    """SHA-256 over a line with name and value for each part, in the order of their names."""
    lines = (f"{name} {parts[name]}\n" for name in sorted(parts))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


# ---- the files of the program


def program_files() -> dict[str, str]:
    """The SHA-256 of every file of the package as it is on the disk now, by its path; empty if it cannot be read."""
    root = Path(punto.__file__).parent
    return {
        path.relative_to(root).as_posix(): _sha256(path).hex()
        for path in root.rglob("*")
        if not _LEFT_OUT & {*path.relative_to(root).parts} and path.is_file()
    }


@cache
def files_at_start() -> dict[str, str]:
    """Those that this process found when it first asked."""
    return program_files()


@cache
def build_hash() -> str:
    """The digest of the files that this process started from."""
    return digest_of(files_at_start())


def changed_files(files: Mapping[str, str]) -> list[str]:
    """The files that were changed, added or removed since this process started."""
    start = files_at_start()
    return sorted(path for path in {*start, *files} if start.get(path) != files.get(path))


# ---- the packages that it needs


@cache
def packages() -> dict[str, str]:
    """By package that Punto needs and that is installed: its version and the digest of what its wheel contains.

    Empty if Punto itself is not installed.
    """
    found = {
        name: f"{package.version} {digest_of(dict(_recorded(package)))}" for name, package in _needed_packages().items()
    }
    return {"python": platform.python_version(), **found} if found else {}


@cache
def packages_hash() -> str:
    """The digest of :func:`packages`; empty if there are none."""
    return digest_of(packages()) if packages() else ""


def changed_package_files() -> list[str]:
    """The files of these packages that are not as they were installed."""
    return sorted(
        f"{name}: {path}"
        for name, package in _needed_packages().items()
        for path, content in _recorded(package)
        if _content(Path(str(package.locate_file(path)))) != content
    )


def _needed_packages() -> dict[str, metadata.Distribution]:
    """Those of Punto and of all its extras that are installed, and what these need in turn."""
    found: dict[str, metadata.Distribution] = {}
    pending: list[_Requirement] = [("punto", None)]
    seen = set[_Requirement]()
    while pending:
        name, extras = requirement = pending.pop()
        if requirement in seen:
            continue
        seen.add(requirement)
        with suppress(metadata.PackageNotFoundError):  # of an extra, or for another system
            found[name] = metadata.distribution(name)
            pending += _requirements(found[name], extras)
    found.pop("punto", None)
    return dict(sorted(found.items()))


def _requirements(package: metadata.Distribution, extras: tuple[str, ...] | None) -> Iterator[_Requirement]:
    """What a package and these extras of it need."""
    for line in package.requires or ():
        of_extra = _EXTRA.search(line)
        if (needed := _NEEDED.match(line)) and (of_extra is None or extras is None or of_extra[1] in extras):
            names = (needed[2] or "").split(",")
            yield re.sub(r"[._-]+", "-", needed[1]).lower(), tuple(sorted(each.strip() for each in names))


def _recorded(package: metadata.Distribution) -> Iterator[tuple[str, str]]:
    """Path and hash of the files of the wheel. What the installer itself wrote differs from machine to machine."""
    rows = csv.reader((package.read_text("RECORD") or "").splitlines())
    for path, content, _ in (row for row in rows if len(row) == 3):  # else it is just being written
        if content.startswith(_SHA256) and not path.startswith("..") and ".dist-info/" not in path:
            yield path, content.removeprefix(_SHA256)


def _content(path: Path) -> str:
    """The hash of a file as installers record it; empty if it cannot be read."""
    return base64.urlsafe_b64encode(_sha256(path)).rstrip(b"=").decode()


def _sha256(path: Path) -> bytes:
    """Empty if the file cannot be read: then it differs from what it was."""
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return b""


# ---- the books


def law_hashes() -> dict[str, str]:
    """By book. Loads all of them."""
    return {game: book(game).law_hash for game in book_ids()}
