"""Answers as gzip, for clients that take it.

Only pages and static files are compressed. How long a compressed answer is tells something about what is in it, and
answers of the API may hold a secret, such as a one-time password: ``docs/security.md`` says what follows from that.
"""

import asyncio
import gzip
from functools import lru_cache

LEAST_BYTES = 1_000
"""Shorter answers fit into one packet anyway."""
MAX_AT_ONCE_BYTES = 200_000
"""Longer ones are compressed in a thread, so that others are answered meanwhile."""
LEVEL, KEPT_LEVEL = 4, 9
MAX_KEPT_FILES = 512


def takes_gzip(accepted: str) -> bool:
    """Whether an ``accept-encoding`` header allows gzip."""
    weights = {}
    for each in accepted.lower().split(","):
        coding, _, weight = each.partition(";")
        weights[coding.strip()] = weight.strip().removeprefix("q=")
    weight = weights.get("gzip", weights.get("*", "0"))
    return weight.strip("0.") != "" or not weight


async def compress(body: bytes, *, kept: bool) -> bytes:
    """Compress an answer. One that clients keep is the same for everybody, and is compressed once."""
    if kept:
        return _compress_once(body)
    if len(body) > MAX_AT_ONCE_BYTES:
        return await asyncio.to_thread(_compress, body, LEVEL)
    return _compress(body, LEVEL)


def _compress(body: bytes, level: int) -> bytes:
    return gzip.compress(body, level, mtime=0)


@lru_cache(MAX_KEPT_FILES)
def _compress_once(body: bytes) -> bytes:
    return _compress(body, KEPT_LEVEL)
