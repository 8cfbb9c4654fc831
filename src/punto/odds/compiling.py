"""How kernels are compiled: at their first call, kept on disk from then on, and without the interpreter's lock.

The functions stay plain Python: ``kernel.py_func`` runs as it stands, and gives the same numbers.

What is kept is used as long as nothing has changed. numba asks that of its own version and of the file a kernel stands
in; but a kernel has compiled into it what it calls from other files. Here it is asked of all files beside this one.
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

Given = ParamSpec("Given")
Made = TypeVar("Made")


def compiled(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """The function, compiled. It holds no lock: threads run it side by side."""
    return _compiled(function, in_place=False)


def compiled_in_place(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """The function, compiled into whatever calls it: what is to become vector instructions must be seen whole."""
    return _compiled(function, in_place=True)


def _compiled(function: Callable[Given, Made], *, in_place: bool) -> Callable[Given, Made]:
    made: Any = njit(nogil=True, forceinline=in_place)(function)
    with suppress(RuntimeError):  # neither the source's folder nor the user's own can be written to: compile each time
        made._cache = _Kept(function)  # noqa: SLF001 - what cache=True does, with numba's own
    return cast("Callable[Given, Made]", made)


class _Kept(FunctionCache):
    """What is kept of one kernel, stamped with the sources of all."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        kept: Any = self._cache_file
        kept._source_stamp = kept._source_stamp, _sources()  # noqa: SLF001 - numba leaves no other way


@cache
def _sources() -> str:
    """A hash of all files that kernels stand in, and of those beside them."""
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
