"""All commands and all events: the closed sets that journals and programs speak.

Unions of what the engine can decide and carry out, made for msgspec; a function takes a ``Command`` or an ``Event``.
"""

from functools import reduce
from operator import or_
from typing import Any

from punto.table.engine import DECIDERS, EVOLVERS

AnyCommand: Any = reduce(or_, DECIDERS)
AnyEvent: Any = reduce(or_, EVOLVERS)
