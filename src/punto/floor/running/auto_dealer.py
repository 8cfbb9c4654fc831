"""The automatic dealer: takes the automatic steps of a table when they are due.

It runs in the process that holds the table. Its command ids derive from the state, so two dealers at once do no harm.
"""

import asyncio
import math

from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.command_ids import DEALER_ID
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import within_bounds
from punto.floor.shoes.card_lookup import place_for_step
from punto.floor.shoes.sealed import shoe_name
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card
from punto.table import next_step
from punto.table.law import LawScope, scope_of
from punto.table.play import insurance_stakes
from punto.table.play.opening import shoe_ended
from punto.table.play.shuffler import has_cards
from punto.table.records.commands import Command, LoadShoe
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Table
from punto.table.situation import TURNING, AutomaticStep

RETRY_S = 1.0
"""Wait after the database did not answer."""
MAX_STEPS_PER_S = 20
"""Automatic steps of a table, averaged: however short its pace, it does not fill the journal."""
MAX_BURST_STEPS = 40
ANSWERED_S = 1.5
"""So long after everybody present has answered, an offer of insurance closes, so that they see that it was taken."""

_Due = tuple[str, int, int]
"""Identifies a step. Its time starts again when this changes."""


class Dealer:
    """The automatic dealer of one table."""

    def __init__(self, floor: Floor, live: LiveTable) -> None:
        self._floor = floor
        self._live = live
        self._due: _Due | None = None
        self._since_s = 0.0
        self._answered_s: float | None = None
        """Since when everybody present has answered the open offer of insurance; None while somebody has not."""
        self._paid_until_s = 0.0
        """When the steps taken so far would be over if each took its share of a second."""

    async def run(self) -> None:
        """Take steps until cancelled."""
        while True:
            changed = self._live.changed
            wait_s = self._wait_s()
            if wait_s is None:
                await changed.wait()
                continue
            if wait_s > 0:
                await self._sleep_unless(changed, wait_s)
                continue
            self._paid_until_s = max(self._paid_until_s, self._floor.clock.steady_s()) + 1 / MAX_STEPS_PER_S
            try:
                taken = await self.step()
            except FloorRefused:  # the database does not answer: the table is unchanged
                taken = False
            if not taken:
                await self._sleep_unless(changed, RETRY_S)

    async def _sleep_unless(self, changed: asyncio.Event, wait_s: float) -> None:
        sleeping = asyncio.ensure_future(self._floor.clock.sleep(wait_s))
        watching = asyncio.ensure_future(changed.wait())
        try:
            await asyncio.wait({sleeping, watching}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            watching.cancel()

    def _wait_s(self) -> float | None:
        """Seconds until the next step; None if there is none."""
        due, before_s = self._next_due()
        now_s = self._floor.clock.steady_s()
        if due != self._due:
            self._due, self._since_s, self._answered_s = due, now_s, None
        if due is None:
            return None
        until_s = self._since_s + before_s
        if due[0] == Automation.CLOSE_INSURANCE:
            until_s = min(until_s, self._insurance_answered_s(now_s))
        return max(until_s, self._paid_until_s - MAX_BURST_STEPS / MAX_STEPS_PER_S) - now_s

    def _insurance_answered_s(self, now_s: float) -> float:
        """When the open offer closes because nobody who could take it is waited for, or when to look again."""
        live = self._live
        waited_for = {who for who, _ in insurance_stakes.waited_for(live.rules, live.state)}
        away_s = [None if live.database.shared else live.here.away_at_s(who) for who in waited_for]
        present = [at_s for at_s in away_s if at_s is None or at_s > now_s]
        if present:
            self._answered_s = None
            return math.inf if None in present else max(at_s for at_s in present if at_s is not None)
        if self._answered_s is None:
            self._answered_s = now_s
        return self._answered_s + ANSWERED_S

    def _next_due(self) -> tuple[_Due | None, float]:
        state, pace = self._live.state, self._live.setup.pace
        if self._live.stop is not None and state.phase is Phase.READY:
            return None, 0.0
        number = state.round.number if state.round else 0
        if self._wants_shoe(state):
            return ("load_shoe", number, 0), within_bounds(pace.load_shoe_s)
        step = next_step(self._live.rules, state)
        if step is None or (step.needs_card and self._manual and not self._may_be_scanned(state, step)):
            return None, 0.0
        cards = len(state.round.cards) if state.round else 0
        # when the time to squeeze is over, the other cards that lie there are turned at once
        place = cards if step.automation in (Automation.DEAL, Automation.SQUEEZE) else step.place
        return (step.automation, number, place), pace.before_s(step.automation)

    @property
    def _manual(self) -> bool:
        return self._live.setup.shoes is ShoeKind.MANUAL

    @staticmethod
    def _may_be_scanned(state: Table, step: AutomaticStep) -> bool:
        """Of a real shoe only drawn cards can be known. The scanner itself deals and burns."""
        return step.automation in TURNING or (step.automation is Automation.DEAL and bool(state.carried))

    def _wants_shoe(self, state: Table) -> bool:
        """An automatic table with virtual shoes loads them itself."""
        if self._manual or state.phase is not Phase.READY or state.settings is None:
            return False
        if scope_of(self._live.rules, state) is not LawScope.EVERYTHING:
            return False
        if not {Automation.OPEN_BETTING, Automation.NEXT_ROUND} & set(state.settings.automations):
            return False
        return state.shoe is None or shoe_ended(state) or not has_cards(state)

    async def step(self) -> bool:
        """Take the step that is due; return False if the table has changed since."""
        live, at = self._live, self._live.head
        command = await self._command() if at is not None else None
        if command is None or at is None:
            return False
        answer = await self._floor.give(live, f"{DEALER_ID}{at.stream}:{at.version}", command, at)
        return bool(answer.entries)

    async def _command(self) -> Command | None:
        state = self._live.state
        if self._wants_shoe(state):
            assert self._live.head is not None  # noqa: S101 - it has been opened
            name = shoe_name(self._live.setup.name, self._live.openings, self._live.head.version)
            return LoadShoe(THE_HOUSE.name, THE_HOUSE.position, name, self._live.setup.decks)
        step = next_step(self._live.rules, state)
        if step is None:
            return None
        card = await self._card(state, step) if step.needs_card else None
        if card is None and step.needs_card and self._manual:
            return None  # not scanned: the dealer has to enter it
        return step.command(card)

    async def _card(self, state: Table, step: AutomaticStep) -> Card | None:
        place = place_for_step(state, step)
        if self._manual:
            return await self._floor.scanned_card(self._live, place)
        return await self._floor.sealed_card(self._live, place) if place else None
