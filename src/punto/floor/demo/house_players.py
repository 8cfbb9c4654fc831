"""House players: simulated players at play-money tables.

They run in the process that holds the table, and their commands are decided like any other. Their chips and seats are
in the journal, so they continue after a restart.
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
from punto.floor.names.names import house_player_name
from punto.floor.people.floor_rules import FloorRules, require_kind
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.table.records.commands import BuyIn, CashOut
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase

INTERVAL_S = 0.5
"""How often house players may act."""
_LOG = logging.getLogger(__name__)

_Moment = tuple[StreamName, Phase, int, int, bool]
"""The stage of the round. The time until a house player acts starts again when it changes."""


class _Watch:
    """What is known about one table."""

    def __init__(self) -> None:
        self.memory = RoundMemory()
        self.moment: _Moment | None = None
        self.since_s = 0.0
        self.refused: set[str] = set()
        """Players whose command was refused at this moment. They do not try again."""

    def update(self, live: LiveTable, now_s: float) -> None:
        """Update the memory and the moment from the table."""
        self.memory = betting_habits.remember(self.memory, live.rules, live.state)
        moment = _moment(live)
        if moment != self.moment:
            self.moment, self.since_s = moment, now_s
            self.refused.clear()


class HousePlayers:
    """Runs the house players at every play-money table of a floor."""

    def __init__(self, floor: Floor, visitors: Visitors, per_table: int) -> None:
        self._floor = floor
        self._visitors = visitors
        self._per_table = per_table
        self._watches: dict[str, _Watch] = {}
        self._logged: dict[str, str] = {}

    async def run(self) -> None:
        while True:
            await self.run_once()
            await self._floor.clock.sleep(INTERVAL_S)

    async def run_once(self) -> None:
        """Let every house player act once if it is time. An error at one table does not stop the others."""
        try:
            rules = await self._visitors.rules()
        except FloorRefused:  # the database does not answer: try again next time
            return
        held = [live for live in self._floor.tables.values() if live.held]
        await asyncio.gather(*(self._try_table(live, rules) for live in held))

    async def _try_table(self, live: LiveTable, rules: FloorRules) -> None:
        name = live.setup.name
        try:
            await self._play_table(live, rules)
        except Exception as error:  # noqa: BLE001 - house players must not stop the floor
            words = f"{type(error).__name__}: {error}"
            if self._logged.get(name) != words:
                self._logged[name] = words
                _LOG.error("the house players of %r cannot play: %s", name, words, exc_info=error)
        else:
            self._logged.pop(name, None)

    async def _play_table(self, live: LiveTable, rules: FloorRules) -> None:
        if live.head is None or live.stop is not None or not live.rules.is_law(live.state.law_hash):
            return
        players = betting_habits.players_of(live.setup.name, self._per_table) if _plays(live, rules) else ()
        unwanted = sorted(who for who in live.state.people if house_player_name(who) is not None and who not in players)
        if not players and not unwanted:
            return
        watch = self._watches.setdefault(live.setup.name, _Watch())
        for name in (*players, *unwanted):
            now_s = self._floor.clock.steady_s()
            watch.update(live, now_s)
            body = None if name in watch.refused else _next_body(live, rules, players, name, watch.memory)
            if body is None or now_s - watch.since_s < betting_habits.due_s(live.state, live.setup.pace, players, name):
                continue
            if not await self._give(live, name, body):
                watch.refused.add(name)

    async def _give(self, live: LiveTable, name: str, body: Body) -> bool:
        """Give the command; return whether it was accepted. Two processes that give it use the same id."""
        assert live.head is not None  # noqa: S101 - it has been opened
        by = THE_HOUSE if body["command"] in _BY_THE_HOUSE else Actor(name, Position.PLAYER)
        command_id = f"{HOUSE_ID}{name}:{live.head.stream}:{live.head.version}"
        command = command_of({**body, "by": by.name, "position": by.position})
        try:
            kind = require_kind(live.setup.name, for_play_money=True) if isinstance(command, BuyIn) else None
            answer = await self._floor.give(live, command_id, command, extra=kind)
        except FloorRefused as refused:
            _LOG.info("%s at %r: %s", name, live.setup.name, refused.message)
            return False
        if answer.refusal is not None:  # the table changed in the meantime
            _LOG.info("%s at %r: %s", name, live.setup.name, answer.refusal.message)
        return answer.refusal is None


_CASH_OUT = tag(CashOut)
_BY_THE_HOUSE = frozenset({tag(BuyIn), _CASH_OUT})
"""Commands that only the house can give."""


def _next_body(
    live: LiveTable, rules: FloorRules, players: Sequence[str], name: str, memory: RoundMemory
) -> Body | None:
    if name not in players:
        body = betting_habits.leaving_command(live.state, name)
        cashes_out = body is not None and body["command"] == _CASH_OUT
        # elsewhere chips are not the house's to take: staff cash them out
        return None if cashes_out and not rules.for_play_money(live.setup.name) else body
    if betting_habits.is_short(live.state, name):
        return betting_habits.buy_in(live.state, name, rules.buy_in_minor)
    return betting_habits.next_command(live.rules, live.state, players, name, memory)


def _plays(live: LiveTable, rules: FloorRules) -> bool:
    """Whether it is a play-money table that opens and closes betting by itself."""
    settings = live.state.settings
    if settings is None or live.state.phase is Phase.CLOSED:
        return False
    automatic = {Automation.CLOSE_BETTING, Automation.NEXT_ROUND} <= set(settings.automations)
    return automatic and rules.play_money_minor(live.setup.name) > 0


def _moment(live: LiveTable) -> _Moment:
    now = live.state.round
    if now is None:
        return live.stream, live.state.phase, 0, 0, False
    return live.stream, live.state.phase, now.number, len(now.insurance.offered), now.insurance.offer_open
