"""Rounds that were searched for."""

from punto.web.messages.base import Cursor, Message


class FoundBet(Message, frozen=True):
    """A bet or an insurance that fits what was searched for."""

    who: str
    name: str
    """Of a registered player; empty for anybody else."""
    box: int
    bet: str
    stake_minor: int
    returned_minor: int
    """What the player got, with the stake."""
    outcome: str
    """One of win, lose, push, void and returned."""


class FoundRoundView(Message, frozen=True, kw_only=True):
    """A round that was searched for."""

    table: str
    table_title: str
    round: str
    """Its permanent name at the table, such as `2-17`."""
    opening: int
    number: int
    """0: before the first call for bets; has only amounts that rulings moved."""
    opened_us: int
    ended_us: int | None
    """Null while it is in play."""
    book: str
    currency: str
    box_labels: tuple[str, ...]
    """What is printed in the boxes, in their order; empty for their numbers."""
    dealers: tuple[str, ...]
    """Those who gave a command as a dealer."""
    outcome: str | None
    """The winner, `void` or `cancelled`; null while it is in play."""
    natural: bool
    player: int | None
    banker: int | None
    cards: tuple[str, ...]
    """Those that were turned, in the order they were drawn; none while the round is in play."""
    staked_minor: int
    win_minor: int
    """The house's win on its bets, without amounts that rulings moved."""
    kinds: tuple[str, ...]
    """What was irregular, corrected, entered later or done alone in it."""
    incidents: tuple[int, ...]
    bets: tuple[FoundBet, ...]
    """Those that fit, if a player, a box, a bet or the amount of a bet was searched for."""


class FoundRoundPage(Message, frozen=True, kw_only=True):
    """Rounds newest first. To get the next page, pass `next` as `before`."""

    rounds: tuple[FoundRoundView, ...]
    next: Cursor | None
    """Null if there are no more."""
    unfinished: bool
    """Whether the search stopped before the page was full, because it had compared many rounds."""
    searched_us: int | None
    """If so, how far back it has looked."""
    players: tuple[str, ...]
    """The ids, places and names that `player` stands for."""
    more_players: bool
    """Whether the register has more players of that name, whose rounds were not searched."""
