"""A file that a command writes at the end of its work."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from punto.rules.refusals import Code, Refused


@contextmanager
def output_file(path: Path | None, *, private: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Yield a function that writes the file, or None without a path.

    A temporary file is created at once, to fail before a long computation if the folder is not writable. It replaces
    the target when the text is complete. ``private``: nobody but its owner reads it.
    """
    if path is None:
        yield None
        return
    try:
        target = path.resolve()
        if target.exists() and not (target.is_file() and os.access(target, os.W_OK)):
            raise Refused(Code.NOT_WRITABLE, variant="not_a_file", path=str(path)[:200])
        temporary = target.with_name(f".{target.name[:100]}.{os.getpid()}")
        temporary.touch(mode=0o600 if private else 0o666, exist_ok=False)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links
        raise _unwritable(path, getattr(error, "strerror", None) or str(error)) from None

    def save(text: str) -> None:
        try:
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(target)
        except OSError as error:
            raise _unwritable(path, error.strerror or str(error)) from None

    try:
        yield save
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(path: Path, why: str) -> Refused:
    return Refused(Code.NOT_WRITABLE, path=str(path)[:200], reason=why)
