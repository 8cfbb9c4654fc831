"""Draws where a result lies beside what the odds lead one to expect, in standard deviations."""

from markupsafe import Markup

from punto.floor.reports.days.report_lines import BAND
from punto.web.pages.base.templates import svg

_WIDTH, _HEIGHT, _MOST = 200, 22, 4.0
"""``_MOST`` standard deviations to each side are drawn; a result beyond is at the edge."""


def draw_band(deviations: float) -> Markup:
    """The theoretical return as a line, 95% of results as a band around it, and the actual return as a dot.

    A return that is high for the players is on the right. The numbers are beside the drawing.
    """
    middle, unit = _WIDTH / 2, (_WIDTH / 2 - 6) / _MOST
    dot = middle - max(-_MOST, min(_MOST, deviations)) * unit
    inside = "in" if abs(deviations) <= BAND else "out"
    return svg(
        f'<svg class="band" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" aria-hidden="true">'
        f'<line class="axis" x1="6" x2="{_WIDTH - 6}" y1="11" y2="11"/>'
        f'<rect x="{middle - BAND * unit:.1f}" y="5" width="{2 * BAND * unit:.1f}" height="12" rx="2"/>'
        f'<line class="theory" x1="{middle:.1f}" x2="{middle:.1f}" y1="2" y2="20"/>'
        f'<circle class="{inside}" cx="{dot:.1f}" cy="11" r="5"/></svg>'
    )
