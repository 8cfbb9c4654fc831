"""Compile kernels with numba: at the first call, cached on disk, and without the interpreter's lock.

The functions stay plain Python: ``kernel.py_func`` runs uncompiled and gives the same numbers.

numba's own cache is valid until numba's version or the kernel's file changes. But a kernel also contains the compiled
code of functions from other files, so this cache is valid until any file of ``punto.odds`` changes.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit
from numba.core.caching import FunctionCache

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function. It releases the interpreter's lock, so threads can run it in parallel."""
    return _compiled(function, in_place=False)


def compiled_in_place(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function inline into its callers. The compiler can vectorise a loop only if it sees all of it."""
    return _compiled(function, in_place=True)


def _compiled(function: Callable[P, R], *, in_place: bool) -> Callable[P, R]:
    made: Any = njit(nogil=True, forceinline=in_place)(function)
    with suppress(RuntimeError):  # neither the source folder nor the user's cache folder is writable: do not cache
        made._cache = _SourceStampedCache(function)  # noqa: SLF001 - as cache=True does with numba's own cache
    return cast("Callable[P, R]", made)


class _SourceStampedCache(FunctionCache):
    """The disk cache of one kernel, valid for one state of all sources."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        index: Any = self._cache_file
        index._source_stamp = index._source_stamp, _sources_hash()  # noqa: SLF001 - numba has no public way


@cache
def _sources_hash() -> str:
    """Hash of all files of ``punto.odds``."""
    digest = sha256()
    for source in sorted(_python_files(files("punto.odds")), key=str):
        digest.update(sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def _python_files(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _python_files(entry)
        elif entry.name.endswith(".py"):
            yield entry
