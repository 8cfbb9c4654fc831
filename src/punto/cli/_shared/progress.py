"""For commands that run long: a progress bar with rate and time left, and ctrl-C that keeps the results so far."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

INTERRUPTED = 130
"""Exit status after ctrl-C, as in shells."""
_UPDATE_EVERY_S = 0.1
_FRAME_WIDTH, _TEXT_WIDTH = len("  []  100%  "), len("9999 rounds/s, 99,999 days left")
_MIN_BAR, _MAX_BAR = 5, 36


def cores() -> int:
    """Number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def stopping() -> Iterator[Event]:
    """Yield an event that the first ctrl-C sets, to stop with the results so far. The second ctrl-C interrupts."""
    stop = Event()
    if current_thread() is not main_thread():  # signals can only be handled in the main thread
        yield stop
        return

    def on_interrupt(signal_number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            signal.default_int_handler(signal_number, frame)
        stop.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interruptible() -> Iterator[None]:
    """Exit with a message if ctrl-C comes before there are results, or comes twice."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Stopped. No results to show.", err=True)
        sys.exit(INTERRUPTED)


@contextmanager
def progress_bar(label: str, amount: int) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar with rate and time left on standard error, if that is a terminal.

    Yields a function to call with the part of ``amount`` done and the number of rounds, or None without a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    room = _columns() - 1 - len(label) - _FRAME_WIDTH  # one less: some terminals wrap at the last column
    width = min(max(room - _TEXT_WIDTH, _MIN_BAR), _MAX_BAR)
    with click.progressbar(
        length=amount, label=label, file=sys.stderr, width=width, show_eta=False, item_show_func=lambda text: text
    ) as bar:
        yield _Pace(bar, amount, max(room - width, 0)).show


def _columns() -> int:
    """Width of standard error's terminal."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        columns = 0
    return columns or shutil.get_terminal_size().columns


class _Pace:
    """Measures the rate from the first call of ``show``, which leaves out the set-up time."""

    def __init__(self, bar: "ProgressBar[str | None]", amount: int, room: int) -> None:
        self._bar, self._amount, self._room = bar, amount, room
        self._first: tuple[int, int, float] | None = None
        self._updated_s = 0.0

    def show(self, done: int, rounds: int) -> None:
        """Move the bar, at most ten times a second. Over a shorter time the rate would be noise."""
        now = perf_counter()
        if self._first is None:
            self._first, self._updated_s = (done, rounds, now), now
        if now - self._updated_s < _UPDATE_EVERY_S and done != self._amount:
            return
        self._updated_s = now
        done_before, rounds_before, started = self._first
        text = ""
        if now - started >= _UPDATE_EVERY_S:
            left_s = (now - started) * (self._amount - done) / max(done - done_before, 1)
            text = f"{rate_text((rounds - rounds_before) / (now - started))}, {left_text(round(left_s))}"
        self._bar.update(
            done - self._bar.pos, current_item=text if len(text) <= self._room else text.partition(",")[0][: self._room]
        )


def rate_text(rounds_per_s: float) -> str:
    """Rounds per second, in millions or thousands where that fits.

    >>> rate_text(121_700_000), rate_text(34_000), rate_text(70)
    ('122 M rounds/s', '34 k rounds/s', '70 rounds/s')
    """
    for least, unit in ((1e6, " M"), (1e3, " k")):
        if rounds_per_s >= least:
            scaled = rounds_per_s / least
            return f"{scaled:.{0 if scaled >= 10 else 1}f}{unit} rounds/s"
    return f"{rounds_per_s:.0f} rounds/s"


def left_text(seconds: int) -> str:
    """Time left, as a clock or in days.

    >>> left_text(24), left_text(4000), left_text(10**6)
    ('0:24 left', '1:06:40 left', '11 days left')
    """
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if days > 1:
        return f"{days:,} days left"
    if hours:
        return f"{hours}:{minutes % 60:02}:{seconds % 60:02} left"
    return f"{minutes}:{seconds % 60:02} left"
