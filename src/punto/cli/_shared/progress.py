"""What a long dealing needs of a terminal: how far it is, how fast, and a way to stop it that keeps what there is."""

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
"""The exit status of what was stopped by ctrl-C, as shells have it."""
_SHOWN_EVERY_S = 0.1
_AROUND, _SAID = len("  []  100%  "), len("9999 rounds/s, 99,999 days left")
_LEAST_BAR, _MOST_BAR = 5, 36


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def stopping() -> Iterator[Event]:
    """An event that the first ctrl-C sets, so that dealing ends with what it has. The second one ends everything."""
    stop = Event()
    if current_thread() is not main_thread():  # only there can signals be handled
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
    """Where ctrl-C comes before there is anything to show, or comes twice, say so."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Stopped, with nothing to show.", err=True)
        sys.exit(INTERRUPTED)


@contextmanager
def progress_bar(what: str, amount: int) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error with the rate and the time left, if somebody looks; else nothing.

    What it gives is told how much of the amount is done, and how many rounds that is.
    """
    if not sys.stderr.isatty():
        yield None
        return
    room = _columns() - 1 - len(what) - _AROUND  # one less: in the last column some terminals wrap
    width = min(max(room - _SAID, _LEAST_BAR), _MOST_BAR)
    with click.progressbar(
        length=amount, label=what, file=sys.stderr, width=width, show_eta=False, item_show_func=lambda said: said
    ) as bar:
        yield _Pace(bar, amount, max(room - width, 0)).show


def _columns() -> int:
    """How wide the terminal is that standard error is shown on."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        columns = 0
    return columns or shutil.get_terminal_size().columns


class _Pace:
    """How fast it goes, counted from the first that is told: setting up is left out."""

    def __init__(self, bar: "ProgressBar[str | None]", amount: int, room: int) -> None:
        self._bar, self._amount, self._room = bar, amount, room
        self._first: tuple[int, int, float] | None = None
        self._shown = 0.0

    def show(self, done: int, rounds: int) -> None:
        """Move the bar, ten times a second at the most. Before that the rate would be chance."""
        now = perf_counter()
        if self._first is None:
            self._first, self._shown = (done, rounds, now), now
        if now - self._shown < _SHOWN_EVERY_S and done != self._amount:
            return
        self._shown = now
        done_before, rounds_before, begun = self._first
        said = ""
        if now - begun >= _SHOWN_EVERY_S:
            left_s = (now - begun) * (self._amount - done) / max(done - done_before, 1)
            said = f"{rate_text((rounds - rounds_before) / (now - begun))}, {left_text(round(left_s))}"
        self._bar.update(
            done - self._bar.pos, current_item=said if len(said) <= self._room else said.partition(",")[0][: self._room]
        )


def rate_text(rounds_per_s: float) -> str:
    """How fast, in a unit that fits.

    >>> rate_text(121_700_000), rate_text(34_000), rate_text(70)
    ('122 M rounds/s', '34 k rounds/s', '70 rounds/s')
    """
    for least, unit in ((1e6, " M"), (1e3, " k")):
        if rounds_per_s >= least:
            scaled = rounds_per_s / least
            return f"{scaled:.{0 if scaled >= 10 else 1}f}{unit} rounds/s"
    return f"{rounds_per_s:.0f} rounds/s"


def left_text(seconds: int) -> str:
    """How long it will take.

    >>> left_text(24), left_text(4000), left_text(10**6)
    ('0:24 left', '1:06:40 left', '11 days left')
    """
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if days > 1:
        return f"{days:,} days left"
    if hours:
        return f"{hours}:{minutes % 60:02}:{seconds % 60:02} left"
    return f"{minutes}:{seconds % 60:02} left"
