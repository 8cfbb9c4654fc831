"""Base classes of all messages."""

from msgspec import Struct

Cursor = str
"""A place in the history of a table: opening and version, such as ``3/1207``."""


class Message(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Sent by the server. A client must accept unknown fields."""


class RequestBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sent by a client. Unknown fields are refused."""
