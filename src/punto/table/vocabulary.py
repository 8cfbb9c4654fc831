"""All commands and all events, as unions for msgspec to decode.

Journals and programs use these closed sets. Functions take a ``Command`` or an ``Event``.
"""

from functools import reduce
from operator import or_
from typing import Any

from punto.table.engine import DECIDERS
from punto.table.evolution import EVOLVERS
from punto.table.records.events import Event
from punto.table.records.kinds import Concern

AnyCommand: Any = reduce(or_, DECIDERS)
AnyEvent: Any = reduce(or_, EVOLVERS)

CORRECTION_EVENTS: tuple[type[Event], ...] = tuple(kind for kind in EVOLVERS if kind.concern is Concern.CORRECTION)
"""Events by which an entry was corrected."""
