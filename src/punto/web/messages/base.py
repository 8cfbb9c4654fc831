"""What every record over the wire is made of."""

from msgspec import Struct

Cursor = str
"""A place in the history of a table: the opening and the version, as ``3/1207``."""


class Message(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Something that Punto says."""


class RequestBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that is asked of Punto."""
