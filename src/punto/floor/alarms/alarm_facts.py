"""What the rules know of one table at a moment. All of it is pure."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import SECOND_US
from punto.floor.edges.table_edges import TableEdges
from punto.floor.house.alarm import AlarmKind, DueAlarm, Fact
from punto.floor.settings.floor_settings import FloorSettings
from punto.rules.rulebook import Rulebook
from punto.table.records.events import CardDealt, CardsBurned, Event
from punto.table.records.identity import player_number
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Round, Table
from punto.table.situation import situation

_WANTS_CARD = frozenset({Automation.DEAL, Automation.BURN})


class TableTimes(Struct, frozen=True):
    """Since when something is so at a table, in Unix time in microseconds; 0 while it is not."""

    insurance_due_us: int = 0
    in_play_us: int = 0
    """The round has bets, cards, or no more bets."""
    wants_card_us: int = 0
    """The next card has to be drawn."""
    by_hand_us: int = 0
    """Cards are entered by hand and not read by the scanner of the table."""
    read_us: int = 0
    """The last read of the table's scanner; 0 for a table without one."""

    def after(self, rules: Rulebook, before: Table, table: Table, at_us: int) -> "TableTimes":
        """The times once the table has changed at this moment."""
        due = situation(rules, table).due
        same_round = _number(before) == _number(table)
        drew = _drawn(before) != _drawn(table)
        return replace(
            self,
            insurance_due_us=(self.insurance_due_us or at_us) if due is Automation.OPEN_INSURANCE else 0,
            in_play_us=((self.in_play_us if same_round else 0) or at_us) if is_in_play(table) else 0,
            wants_card_us=((0 if drew else self.wants_card_us) or at_us) if due in _WANTS_CARD else 0,
        )

    def entered(self, events: Sequence[Event], at_us: int) -> "TableTimes":
        """The times once a command of a person or of the table itself has been given."""
        drew = any(
            isinstance(each, CardsBurned) or (isinstance(each, CardDealt) and not each.carried) for each in events
        )
        return replace(self, by_hand_us=self.by_hand_us or at_us) if drew else self

    def read(self, at_us: int) -> "TableTimes":
        """The times once the scanner of the table has read a card."""
        return replace(self, read_us=max(self.read_us, at_us), by_hand_us=0)


class AlarmFacts(Struct, frozen=True):
    """A table after a command, or as time passes without one."""

    table: str
    opening: int
    rules: Rulebook
    state: Table
    now_us: int
    settings: FloorSettings
    times: TableTimes = TableTimes()
    play_money: bool = False
    edges: TableEdges | None = None
    """Of the open round; None if they are not known."""

    @property
    def round(self) -> int:
        return _number(self.state)

    @property
    def open_round(self) -> Round | None:
        now = self.state.round
        return None if now is None or now.over else now

    @property
    def day(self) -> str:
        return self.settings.gaming_day.day_of(self.now_us).isoformat()

    def lasts(self, since_us: int, most_s: int) -> bool:
        """Whether something is so for this long. A time of 0 is none, and so is a threshold of 0."""
        return bool(since_us and most_s) and self.now_us - since_us >= most_s * SECOND_US

    def due(
        self, kind: AlarmKind, once: Sequence[object], subject: str = "", round_: int | None = None, **values: Fact
    ) -> DueAlarm:
        """An alarm that rings once in this opening of the table for the same ``once``."""
        text, number = once_text(kind, self.table, self.opening, *once), self.round if round_ is None else round_
        return DueAlarm(kind, text, self.table, self.opening, number, subject, values)

    def due_of(self, kind: AlarmKind, who: str, amount_minor: int, least_minor: int, **values: Fact) -> list[DueAlarm]:
        """An alarm about an amount of a player, if it is large enough. See :func:`doublings` for how often it rings."""
        times = doublings(amount_minor, least_minor)
        if not times:
            return []
        once = once_text(kind, person_key(who, self.table, self.opening), self.day, times)
        values["amount_minor"] = amount_minor
        return [DueAlarm(kind, once, self.table, self.opening, self.round, who, values)]


def person_key(who: str, table: str, opening: int) -> str:
    """The same for one person: a registered player at every table, everybody else in one opening of a table."""
    return who if player_number(who) is not None else once_text(table, opening, who)


def once_text(*parts: object) -> str:
    return "/".join(map(str, parts))


def doublings(amount_minor: int, threshold_minor: int) -> int:
    """How often the amount reaches the threshold doubled: 0 below it, 1 from it, 2 from twice, 3 from four times.

    An alarm about an amount rings once on a gaming day for each, not in every round of somebody who bets high.
    """
    return (amount_minor // threshold_minor).bit_length() if threshold_minor else 0


def is_in_play(table: Table) -> bool:
    now = table.round
    if now is None or now.over:
        return False
    return table.phase is Phase.DEALING or bool(now.bets) or bool(now.cards)


def _number(table: Table) -> int:
    return table.round.number if table.round is not None else 0


def _drawn(table: Table) -> tuple[str, int]:
    return ("", 0) if table.shoe is None else (table.shoe.id, table.shoe.drawn)
