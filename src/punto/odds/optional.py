"""What comes with an extra, and what to say where it is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from punto.rules.refusals import Code, Refused


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Around an import of what only an extra brings: where it is missing, say how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "punto").partition(".")[0]
        if missing == "punto":  # a slip of ours
            raise
        raise Refused(Code.EXTRA_MISSING, missing=missing, extra=extra) from None
