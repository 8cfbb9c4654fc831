"""The file handles of the process: every connection needs one, and without any the server is deaf."""

import asyncio
import errno
import logging
import os
import sys
from typing import Any

from punto.web.config import Config

CHECK_S = 1.0
OWN_HANDLES = 64
"""What the process needs besides connections: the database, the log, threads."""
_LOG = logging.getLogger("punto.web")
_ACCEPT_FAILED = "socket.accept() out of system resource"
"""What asyncio reports for every connection in the queue."""


def raise_limit(config: Config) -> None:
    """Raise the limit as far as the system allows. Log a warning if the settings need more."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = config.lines + config.sockets + OWN_HANDLES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        if soft < needed:
            _LOG.warning("`lines` and `sockets` need %d file handles, and the system allows %d", needed, soft)


async def watch_handles() -> None:
    """Log when the process has run out of file handles, and when it has some again."""
    out = False
    while True:
        if out is not (out := _is_out()):
            if out:
                _LOG.error("out of file handles: no connection can be accepted; lower `lines` or raise the limit")
            else:
                _LOG.warning("file handles are free again")
        await asyncio.sleep(CHECK_S)


def _is_out() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        return True
    return False


def report_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """As asyncio does, except that a connection that finds no handle is not reported: `watch_handles` does it once."""
    if context.get("message") != _ACCEPT_FAILED:
        loop.default_exception_handler(context)
