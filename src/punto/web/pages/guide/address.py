"""The address of a step of the guide: everything that the table itself does not know."""

from collections.abc import Mapping
from urllib.parse import urlencode

from msgspec import Struct

OWN = ("lang", "since", "see", "row", "drawn")
"""Parameters of the guide; all others are facts."""


class Address(Struct, frozen=True):
    path: str
    query: Mapping[str, str]

    def get(self, name: str) -> str:
        return self.query.get(name, "")

    @property
    def facts(self) -> dict[str, str]:
        return {name: value for name, value in self.query.items() if name not in OWN}

    def to(self, **changes: str) -> str:
        """The address with some parameters changed; an empty one is left out."""
        kept = {name: value for name, value in self.query.items() if name != "lang"}
        query = {name: value for name, value in {**kept, **changes}.items() if value}
        return f"{self.path}?{urlencode(query)}"

    def only(self, **query: str) -> str:
        """The address with these parameters alone."""
        return f"{self.path}?{urlencode(query)}"
