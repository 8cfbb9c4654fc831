"""House players: company at the tables that are played for play money, so that something is happening there.

They run where the table's claim is held, and their commands are judged like everybody's. What they have, the journal
knows: after a restart they go on with their chips and at their seats.
"""

import asyncio
import logging
from collections.abc import Sequence

from punto.floor.demo import betting_habits
from punto.floor.demo.betting_habits import Body, RoundMemory
from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.command_ids import HOUSE_ID
from punto.floor.journal.entry import command_of, tag
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.names import HOUSE_PLAYER
from punto.floor.people.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.table.records.commands import BuyIn, CashOut
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase

HOUSE_PLAYERS_S = 0.5
"""How often house players look at their tables."""
_LOG = logging.getLogger(__name__)

_Moment = tuple[StreamName, Phase, int, int, bool]
"""What a table is about: while this stays the same, the time until somebody acts goes on running."""


class _Watch:
    """What the house players of one table know."""

    def __init__(self) -> None:
        self.marks = RoundMemory()
        self.moment: _Moment | None = None
        self.since_s = 0.0
        self.refused: set[str] = set()
        """Whose wish was refused at this moment: they do not insist."""

    def look(self, live: LiveTable, now_s: float) -> None:
        """Take in how the table stands."""
        self.marks = betting_habits.remember(self.marks, live.rules, live.state)
        moment = _moment(live)
        if moment != self.moment:
            self.moment, self.since_s = moment, now_s
            self.refused.clear()


class HousePlayers:
    """Sees to the house players of a floor: so many at each table that is played for play money."""

    def __init__(self, floor: Floor, visitors: Visitors, each: int) -> None:
        self._floor = floor
        self._visitors = visitors
        self._each = each
        self._watches: dict[str, _Watch] = {}
        self._logged: dict[str, str] = {}

    async def run(self) -> None:
        """For ever."""
        while True:
            await self.look()
            await self._floor.clock.sleep(HOUSE_PLAYERS_S)

    async def look(self) -> None:
        """Let everybody do what is due, once round; trouble at one table is logged, and the others go on."""
        try:
            rules = await self._visitors.rules()
        except FloorRefused:  # the database does not answer: the next time will do
            return
        held = [live for live in self._floor.tables.values() if live.held]
        await asyncio.gather(*(self._try_to_see_to(live, rules) for live in held))

    async def _try_to_see_to(self, live: LiveTable, rules: FloorRules) -> None:
        name = live.setup.name
        try:
            await self._see_to(live, rules)
        except Exception as trouble:  # noqa: BLE001 - company is no reason for a floor to stop
            words = f"{type(trouble).__name__}: {trouble}"
            if self._logged.get(name) != words:
                self._logged[name] = words
                _LOG.error("the house players of %r cannot play: %s", name, words, exc_info=trouble)
        else:
            self._logged.pop(name, None)

    async def _see_to(self, live: LiveTable, rules: FloorRules) -> None:
        if live.head is None or live.state.law_hash != live.rules.law_hash:
            return
        company = betting_habits.company_of(live.setup.name, self._each) if _plays(live, rules) else ()
        unwanted = sorted(who for who in live.state.people if who.endswith(HOUSE_PLAYER) and who not in company)
        if not company and not unwanted:
            return
        watch = self._watches.setdefault(live.setup.name, _Watch())
        for name in (*company, *unwanted):
            now_s = self._floor.clock.steady_s()
            watch.look(live, now_s)
            asked = None if name in watch.refused else _asked(live, rules, company, name, watch.marks)
            if asked is None or now_s - watch.since_s < betting_habits.due_s(
                live.state, live.setup.pace, company, name
            ):
                continue
            if not await self._give(live, name, asked):
                watch.refused.add(name)

    async def _give(self, live: LiveTable, name: str, asked: Body) -> bool:
        """Judged as everybody's are; whether it was accepted. Two processes ask with one id, which is the house's."""
        assert live.head is not None  # noqa: S101 - it has been opened
        by = THE_HOUSE if asked["command"] in _BY_THE_HOUSE else Actor(name, Position.PLAYER)
        command_id = f"{HOUSE_ID}{name}:{live.head.stream}:{live.head.version}"
        command = command_of({**asked, "by": by.name, "position": by.position})
        try:
            answer = await self._floor.give(live, command_id, command)
        except FloorRefused as refused:
            _LOG.info("%s at %r: %s", name, live.setup.name, refused.message)
            return False
        if answer.refusal is not None:  # a person was quicker
            _LOG.info("%s at %r: %s", name, live.setup.name, answer.refusal.message)
        return answer.refusal is None


_BY_THE_HOUSE = frozenset({tag(BuyIn), tag(CashOut)})
"""What players cannot do for themselves."""


def _asked(live: LiveTable, rules: FloorRules, company: Sequence[str], name: str, marks: RoundMemory) -> Body | None:
    if name not in company:
        return betting_habits.farewell(live.state, name)
    if betting_habits.is_short(live.state, name):
        return betting_habits.buy_in(live.state, name, rules.buy_in_minor)
    return betting_habits.wish(live.rules, live.state, company, name, marks)


def _plays(live: LiveTable, rules: FloorRules) -> bool:
    """It is played for play money, and bets are called and closed by itself: nobody waits there for house players."""
    settings = live.state.settings
    if settings is None or live.state.phase is Phase.CLOSED:
        return False
    by_itself = {Automation.CLOSE_BETTING, Automation.NEXT_ROUND} <= set(settings.automations)
    return by_itself and rules.play_money_minor(live.setup.name) > 0


def _moment(live: LiveTable) -> _Moment:
    now = live.state.round
    if now is None:
        return live.stream, live.state.phase, 0, 0, False
    return live.stream, live.state.phase, now.number, len(now.insurance.offered), now.insurance.offer_open
