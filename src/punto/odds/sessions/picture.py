"""The chart of simulated sessions, as an SVG without dependencies, scripts or styles.

It has no background: its greys and colours are readable on white and on black.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from punto.catalogue.values import write_count, write_money
from punto.odds.sessions.session_simulator import BANDS, Bin, SimulatedSessions, round_width

_WIDTH, _HEIGHT = 800, 690
_MIN_LEFT, _RIGHT = 84, 716
_DIGIT_WIDTH: Final = 7.5  # at most, in the axes' font size
_BARS: Final = (84, 330)  # top and bottom of the histogram
_FAN: Final = (430, 630)
_GREY: Final = "#767676"  # readable on white and on black
_LOST, _WON, _FAN_COLOUR = "#c8553d", "#2a8c82", "#4a7fc1"
_FONT: Final = "system-ui, sans-serif"


def sessions_svg(results: SimulatedSessions, game: str, played: str) -> str:
    """Draw the results of sessions as a histogram, and below it their course round by round.

    ``game`` and ``played`` are the headings: the game's title, and the bets in words.
    """
    ahead = f"{results.ahead.value:.1%}"
    low, median, high = (write_money(results.quantiles_minor[percent]) for percent in (5, 50, 95))
    desc = f"{_played(results)}. Half end at {median} or less, nine in ten between {low} and {high}; {ahead} end ahead."
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="title desc" font-family="{_FONT}" font-size="13" fill="{_GREY}">'
    )
    left = _left(results)
    parts = [
        head,
        f'<title id="title">{escape(f"Sessions of {game}: {played}")}</title>',
        f'<desc id="desc">{escape(desc)}</desc>',
        _text(left, 26, game, size=17, bold=True),
        _text(left, 47, played),
        _text(left, 66, _headline(results)),
        *_bars(results, left),
        *_fan(results, left),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _left(results: SimulatedSessions) -> float:
    """X position of the vertical axes, with room for the longest amount beside them."""
    longest = max(len(write_money(amount)) for amount in _ticks(*_reach(results), 5))
    return max(_MIN_LEFT, 24 + 8 + 8 + longest * _DIGIT_WIDTH)  # right of the axis title, with some padding


def _played(results: SimulatedSessions) -> str:
    return f"{write_count(results.sessions, 'session')} of {write_count(results.rounds, 'round')}"


def _headline(results: SimulatedSessions) -> str:
    text = f"{_played(results)}: {results.ahead.value:.1%} end ahead"
    return text if results.ruin is None else f"{text}, {results.ruin.value:.1%} ruined"


def _bars(results: SimulatedSessions, left: float) -> Iterator[str]:
    """The histogram: share of sessions by amount won or lost."""
    bins = results.histogram
    width = round_width(min(each.to_minor - each.from_minor for each in bins))
    first = bins[0].to_minor - width
    last = first + width * len(bins)
    top, bottom = _BARS
    most = 1.1 * max(each.sessions for each in bins) / results.sessions  # room for the median's label
    step = round_width(max(int(most * 1000) // 4, 1)) / 1000
    for at in range(int(most / step) + 1):
        y = _between(at * step, 0, most, bottom, top)
        yield _line(left, y, _RIGHT, y, opacity=0.25)
        yield _text(left - 8, y + 4, f"{at * step:.1%}", anchor="end")
    for at, each in enumerate(bins):
        x = _between(first + at * width, first, last, left, _RIGHT)
        beyond = _between(first + (at + 1) * width, first, last, left, _RIGHT)
        y = _between(each.sessions / results.sessions, 0, most, bottom, top)
        colour = _LOST if each.to_minor <= 0 else _WON
        yield (
            f'<rect x="{x + 0.5:.1f}" y="{y:.1f}" width="{beyond - x - 1:.1f}" height="{bottom - y:.1f}" '
            f'fill="{colour}"><title>{escape(_bin_title(each, results.sessions))}</title></rect>'
        )
    yield _line(left, bottom, _RIGHT, bottom)
    for amount in _ticks(first, last):
        x = _between(amount, first, last, left, _RIGHT)
        yield _line(x, bottom, x, bottom + 5)
        yield _text(x, bottom + 20, write_money(amount), anchor="middle")
    yield _text((left + _RIGHT) / 2, bottom + 42, "won or lost in a session", anchor="middle")
    yield _text(24, (top + bottom) / 2, "share of sessions", anchor="middle", turned=True)
    median = results.quantiles_minor[50]
    x = _between(min(max(median, first), last), first, last, left, _RIGHT)
    yield _line(x, top, x, bottom, dashes="4 3")
    yield _text(x + 6, top + 11, f"median {write_money(median)}")


def _bin_title(each: Bin, sessions: int) -> str:
    return f"{write_money(each.from_minor)} to {write_money(each.to_minor)}: {each.sessions / sessions:.2%} of sessions"


def _fan(results: SimulatedSessions, left: float) -> Iterator[str]:
    """The course of sessions round by round: bands for half and for nine in ten of them, and the median."""
    top, bottom = _FAN
    low, high = _reach(results)

    def x_of(rounds: int) -> float:
        return _between(rounds, 0, results.rounds, left, _RIGHT)

    def y_of(amount: int) -> float:
        return _between(amount, low, high, bottom, top)

    for amount in _ticks(low, high, 5):
        yield _line(left, y_of(amount), _RIGHT, y_of(amount), opacity=0.25 if amount else 1)
        yield _text(left - 8, y_of(amount) + 4, write_money(amount), anchor="end")
    for lower, upper, opacity in ((BANDS[0], BANDS[-1], 0.25), (BANDS[1], BANDS[-2], 0.4)):
        top_edge = [(x_of(path.rounds), y_of(path.quantiles_minor[upper])) for path in results.paths]
        bottom_edge = [(x_of(path.rounds), y_of(path.quantiles_minor[lower])) for path in reversed(results.paths)]
        yield f'<polygon points="{_points([*top_edge, *bottom_edge])}" fill="{_FAN_COLOUR}" fill-opacity="{opacity}"/>'
    median = [(x_of(path.rounds), y_of(path.quantiles_minor[50])) for path in results.paths]
    yield f'<polyline points="{_points(median)}" fill="none" stroke="{_FAN_COLOUR}" stroke-width="3"/>'
    last = results.paths[-1].quantiles_minor
    heights = apart([y_of(last[band]) for band in reversed(BANDS)], 14, bottom)
    for band, y in zip(reversed(BANDS), heights, strict=True):
        yield _text(_RIGHT + 8, y + 4, "median" if band == 50 else f"{band}%")
    for rounds in _ticks(0, results.rounds):
        yield _line(x_of(rounds), bottom, x_of(rounds), bottom + 5)
        yield _text(x_of(rounds), bottom + 20, f"{rounds:,}", anchor="middle")
    yield _text(
        (left + _RIGHT) / 2, bottom + 42, "rounds played; n% of sessions are below the line n%", anchor="middle"
    )
    yield _text(24, (top + bottom) / 2, "won or lost so far", anchor="middle", turned=True)


def _reach(results: SimulatedSessions) -> tuple[int, int]:
    """Lowest and highest amount of the paths. The range always includes zero."""
    lowest = min(min(path.quantiles_minor.values()) for path in results.paths)
    highest = max(max(path.quantiles_minor.values()) for path in results.paths)
    return min(lowest, -1), max(highest, 1)


def apart(heights: Sequence[float], least: float, bottom: float) -> list[float]:
    """Move labels apart: heights from the top down, each at least ``least`` below the last, none below ``bottom``.

    >>> apart([10, 12, 60], 14, 100), apart([90, 100, 100], 14, 100)
    ([10, 24, 60], [72, 86, 100])
    """
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + least) if placed else height)
    for at in reversed(range(len(placed))):
        placed[at] = min(placed[at], bottom)
        bottom = placed[at] - least
    return placed


def _ticks(low: int, high: int, about: int = 8) -> Iterable[int]:
    step = round_width(max((high - low) // about, 1))
    return range(-(-low // step) * step, high + 1, step)


def _between(value: float, low: float, high: float, start: float, end: float) -> float:
    return start + (value - low) / (high - low) * (end - start)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _line(x: float, y: float, to_x: float, to_y: float, *, opacity: float = 1, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{_GREY}" '
        f'stroke-opacity="{opacity}"{dashed}/>'
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 13, bold: bool = False, turned: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{weight}{turn}>{escape(text)}</text>'
    )
