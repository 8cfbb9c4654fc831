"""What the events of the house's stream have in common."""

from msgspec import Struct


class HouseEvent(Struct, frozen=True, tag_field="event", forbid_unknown_fields=True):
    """An event that concerns the floor rather than one table."""
