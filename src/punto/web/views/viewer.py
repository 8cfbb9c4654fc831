"""Whose results somebody may see at a table."""

from msgspec import Struct

from punto.floor.journal.actor import Actor
from punto.web.views.visibility import Sight


class Viewer(Struct, frozen=True):
    """Whose results the sender may see."""

    sight: Sight
    name: str | None = None
    """The only person whose results they may see; None: everybody's; empty: nobody's."""
    since_us: int = 0
    """See :class:`Actor`."""

    @classmethod
    def of(cls, by: Actor | None, sight: Sight) -> "Viewer":
        """``sight`` is what they see of the table."""
        if sight.whole:
            return cls(sight)
        if by is None or sight not in (Sight.PLAYER, Sight.OWN):
            return cls(sight, "")
        return cls(sight, by.name, by.since_us)

    def may_see(self, who: str, at_us: int) -> bool:
        """``at_us``: when it happened to ``who``."""
        return self.name is None or (self.name == who and at_us >= self.since_us)
