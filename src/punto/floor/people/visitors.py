"""Visitors: a name, a player's session, and play money where the floor allows it."""

from hashlib import sha256
from typing import Any

from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.command_ids import HOUSE_ID
from punto.floor.journal.entry import tag, tag_of
from punto.floor.journal.house_events import HouseEvent, SignedOut, VisitorEntered
from punto.floor.journal.streams import Head
from punto.floor.people.accounts import find_account
from punto.floor.people.floor_rules import FloorRules, change_floor_rules, read_floor_rules
from punto.floor.people.names import fold, new_visitor
from punto.floor.people.session_store import (
    VISIT_LEFT,
    Session,
    SessionKind,
    end_session,
    end_visit,
    find_session,
    new_token,
    open_session,
)
from punto.floor.people.sessions import SignIn
from punto.floor.running.commands import Answer
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.table.play.seating import has_stakes
from punto.table.records.commands import BuyIn, CashOut, Command, Leave, Sit
from punto.table.records.events import BettingOpened
from punto.table.records.ledger import player_of
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table

VISIT_S = 24 * 3_600
IDLE_ROUNDS = 10
"""After how many calls for bets without a command a visitor loses their boxes."""

_SIT = tag(Sit)
_CALLED = tag(BettingOpened)


class Visitors:
    """Lets visitors in and out."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._log = floor.house_log

    # ---- the rules

    async def rules(self) -> FloorRules:
        """As they are now."""
        return await read_floor_rules(self._floor.database)

    async def change_rules(self, by: Actor, rules: FloorRules) -> None:
        """Other rules from now on, by an administrator."""
        await change_floor_rules(self._log, by, rules)

    # ---- in and out

    async def enter(self, name: str) -> SignIn:
        """A player's session for a name that nobody else has: no staff, no visitor, nobody with chips at a table."""
        new_visitor(name)
        if not (await self.rules()).visitors:
            raise FloorRefused(FloorCode.NO_VISITORS)
        await self.clear()
        await self._require_unknown(name)
        token, expires_us = new_token(), self._floor.clock.now_us() + VISIT_S * SECOND_US

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            taken = transaction.rows("SELECT 1 FROM sessions WHERE folded = ?", (fold(name),))
            if taken or find_account(transaction, name) is not None:
                raise _name_taken(name)
            open_session(transaction, token, name, SessionKind.VISITOR, expires_us)
            return None, [VisitorEntered(name)]

        await self._log.change(Actor(name, Position.PLAYER), change)
        return SignIn(token, name, Position.PLAYER, to_change=False, expires_us=expires_us)

    async def leave(self, token: str) -> None:
        """End the session and take the play money back; after the round, where some of it lies on the felt."""
        await self._see_out(await self._visit(token))

    async def clear(self) -> None:
        """See out those whose time is over, and those who have left a bet behind that is settled by now."""
        now_us = self._floor.clock.now_us()

        def over(transaction: Transaction) -> list[Session]:
            sql = "SELECT token, name, kind, expires_us FROM sessions WHERE kind = ? AND expires_us <= ?"
            return [
                Session(key, name, SessionKind(kind), at)
                for key, name, kind, at in transaction.rows(sql, (SessionKind.VISITOR, now_us))
            ]

        for session in await self._floor.database.read(over):
            await self._see_out(session)

    async def _see_out(self, session: Session) -> None:
        """First the session ends, then the chips go back; only then is the name free."""

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, [SignedOut(session.name)] if end_visit(transaction, session) else []

        if session.expires_us != VISIT_LEFT:
            await self._log.change(Actor(session.name, Position.PLAYER), change)
        gone = True
        await self._floor.load_tables()
        for live in list(self._floor.tables.values()):  # all: one may have been taken off the list meanwhile
            gone &= await self._cash_out(live, session)
        if gone:
            await self._floor.database.write(lambda transaction: end_session(transaction, session))

    async def _cash_out(self, live: LiveTable, session: Session) -> bool:
        """By the house, if they have anything there; whether they have nothing now."""
        await _caught_up(live)
        state, who = live.state, session.name
        if not has_stakes(state, who):
            asked: list[Command] = []
            if who in state.seats.values() or who in state.behind:
                asked.append(Leave(THE_HOUSE.name, THE_HOUSE.position, who))
            if state.chips_minor(who):
                asked.append(CashOut(THE_HOUSE.name, THE_HOUSE.position, who, state.chips_minor(who)))
            for command in asked:
                command_id = f"{HOUSE_ID}leave:{session.key}:{live.stream}:{tag(type(command))}"
                await self._floor.give(live, command_id, command)
        return who not in people_of(live)

    async def _require_unknown(self, name: str) -> None:
        """Nobody has chips under this name, at an open table or carried over from a closing."""
        folded = fold(name)
        await self._floor.load_tables()
        for live in list(self._floor.tables.values()):
            await _caught_up(live)
            if any(fold(one) == folded for one in people_of(live)):
                raise _name_taken(name)

    # ---- play money

    async def buy_in(self, token: str, table: str) -> Answer:
        """The play money of a table: once, however often it is asked for.

        Again when nothing of it is left, as often as the floor allows a name in a day: leaving and coming back makes
        no new name.
        """
        session, rules = await self._visit(token), await self.rules()
        live = await self._floor.find_table(table)
        amount_minor = rules.play_money_minor(table)
        if not amount_minor:
            raise FloorRefused(FloorCode.NO_BUY_IN, variant="none", table=table)
        await _caught_up(live)
        answer = Answer()
        for number in range(1, rules.buy_ins + 1):
            command_id = _play_money_id(session, number, live)
            before = await self._floor.answer_to(command_id)
            if before is None:
                if number > 1 and (live.state.chips_minor(session.name) or has_stakes(live.state, session.name)):
                    return answer
                bought = BuyIn(THE_HOUSE.name, THE_HOUSE.position, session.name, amount_minor)
                return await self._floor.give(live, command_id, bought)
            answer = before
        if live.state.chips_minor(session.name) or has_stakes(live.state, session.name):
            return answer
        raise FloorRefused(FloorCode.NO_BUY_IN, variant="used_up", times=rules.buy_ins, table=table)

    async def since_us(self, token: str) -> int:
        """When a visitor came in: what happened under the name before that may have been somebody else's."""
        return _began_us(await self._visit(token))

    # ---- boxes

    async def command(self, by: Actor, table: str, command_id: str, body: dict[str, Any]) -> Answer:
        """A visitor's command: as anybody's, but they sit at no more boxes than the floor allows."""
        if body.get("command") != _SIT:
            return await self._floor.submit(by, table, command_id, body)
        rules = await self.rules()

        def may(state: Table) -> None:
            if not rules.has_room(state, by.name):
                raise FloorRefused(FloorCode.NO_MORE_BOXES, boxes=rules.boxes)

        return await self._floor.submit(by, table, command_id, body, may)

    async def free_boxes(self) -> None:
        """Free the boxes of visitors who have given no command for a while; they keep their chips and their visit."""
        sql = "SELECT name FROM sessions WHERE kind = ?"
        rows = await self._floor.database.read(lambda transaction: transaction.rows(sql, (SessionKind.VISITOR,)))
        visitors = {name for (name,) in rows}
        for live in [live for live in self._floor.tables.values() if live.held]:
            await self._free_boxes(live, visitors & set(live.state.seats.values()))

    async def _free_boxes(self, live: LiveTable, seated: set[str]) -> None:
        head = live.head
        if head is None or not seated:
            return
        acted = await self._floor.database.read(lambda transaction: lately(transaction, head, IDLE_ROUNDS), long=True)
        for who in sorted(seated - acted if acted is not None else ()):
            if not has_stakes(live.state, who):
                command_id = f"{HOUSE_ID}idle:{head.stream}:{head.version}:{who}"
                await self._floor.give(live, command_id, Leave(THE_HOUSE.name, THE_HOUSE.position, who))

    async def _visit(self, token: str) -> Session:
        session = await self._floor.database.read(lambda transaction: find_session(transaction, token))
        if (
            session is None
            or session.kind is not SessionKind.VISITOR
            or session.expires_us <= self._floor.clock.now_us()
        ):
            raise FloorRefused(FloorCode.NOT_SIGNED_IN, variant="visit_over")
        return session


def lately(transaction: Transaction, head: Head, rounds: int) -> set[str] | None:
    """Who has given a command within the last ``rounds`` calls for bets; None while there were fewer."""
    acted: set[str] = set()
    called = 0
    for entry in streams.read_back(transaction, head):
        acted.add(entry.actor)
        called += tag_of(entry) == _CALLED
        if called == rounds:
            return acted
    return None


def _began_us(session: Session) -> int:
    return session.expires_us - VISIT_S * SECOND_US


def _play_money_id(session: Session, number: int, live: LiveTable) -> str:
    """By name and day: a visit that is over and begun again gives no further play money."""
    name = sha256(fold(session.name).encode()).hexdigest()
    day = _began_us(session) // DAY_US
    return f"{HOUSE_ID}play:{name}:{day}:{number}:{live.setup.name}"


def people_of(live: LiveTable) -> frozenset[str]:
    """Who has a place or chips at a table, or chips that its next opening carries over."""
    if live.state.phase is not Phase.CLOSED:
        return live.state.people
    return frozenset(who for account in live.closing if (who := player_of(account)) is not None)


async def _caught_up(live: LiveTable) -> None:
    if live.database.shared:
        async with live.lock:
            await live.catch_up()


def _name_taken(name: str) -> FloorRefused:
    return FloorRefused(FloorCode.NAME_TAKEN, name=name)
