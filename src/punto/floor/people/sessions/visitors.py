"""Visitors: people with a name, a player's session and, if the floor allows it, play money."""

from hashlib import sha256

from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.sessions import (
    VISIT_LEFT,
    VISIT_S,
    Session,
    SessionKind,
    find_session,
    find_visit,
    forget_visit,
    key_of,
    new_token,
    visit_started_us,
    visitor_names,
)
from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.command_ids import HOUSE_ID, IDLE_ID
from punto.floor.journal.entry import tag, tag_of
from punto.floor.journal.house_events import HouseEvent, SignedOut, VisitorEntered
from punto.floor.journal.streams import Head
from punto.floor.names.names import fold, house_player_name, new_visitor, same_looking
from punto.floor.people.approvals.four_eyes import BY_CONSOLE, Mandate
from punto.floor.people.floor_rules import (
    FloorRules,
    change_floor_rules,
    check_floor_rules,
    find_floor_rules,
    people_of,
    read_floor_rules,
    require_kind,
)
from punto.floor.people.sessions.sessions import SignIn
from punto.floor.people.stopped_people import require_may_enter
from punto.floor.running.commands import Answer
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.table.play.seating import has_stakes
from punto.table.records.commands import BuyIn, CashOut, Command, Leave
from punto.table.records.events import BettingOpened
from punto.table.records.positions import Position
from punto.table.records.state import Table

IDLE_ROUNDS = 10
"""Rounds without a command after which a visitor loses their boxes."""

_BETTING_OPENED = tag(BettingOpened)


class Visitors:
    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._log = floor.house_log

    # ---- the rules

    async def rules(self) -> FloorRules:
        return await read_floor_rules(self._floor.database)

    async def change_rules(self, by: Actor, rules: FloorRules, mandate: Mandate = BY_CONSOLE) -> None:
        """Replace the rules. The house first cashes out everybody at play-money tables that become ordinary ones."""
        await check_floor_rules(self._log, by, rules, mandate.may)
        for table in sorted({*(await self.rules()).tables} - {*rules.tables}):
            await self._empty(await self._floor.find_table(table))
        await change_floor_rules(self._log, by, rules, mandate.may, mandate.judge)
        if not rules.visitors:
            await self.clear()

    async def _empty(self, live: LiveTable) -> None:
        """Cash out everybody at a table if they are all visitors and house players and none has a bet."""
        await _catch_up(live)
        visitors = await self._floor.database.read(visitor_names)
        people = people_of(live.state, live.closing.balances)
        if any(has_stakes(live.state, who) for who in people):
            return
        if all(who in visitors or house_player_name(who) is not None for who in people):
            at = live.head.version if live.head else 0
            for who in sorted(people):
                await self._cash_out(live, who, f"kind:{at}:{who}")

    # ---- entering and leaving

    async def enter(self, name: str) -> SignIn:
        """Open a visit. Refused if another visitor or somebody with chips at any table has the name."""
        new_visitor(name)
        if not (await self.rules()).visitors:
            raise FloorRefused(FloorCode.NO_VISITORS)
        await self.clear()
        await self._require_unknown(name)
        token, expires_us = new_token(), self._floor.clock.now_us() + VISIT_S * SECOND_US

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            if not find_floor_rules(transaction).visitors:
                raise FloorRefused(FloorCode.NO_VISITORS)
            require_may_enter(transaction, name)
            if same_looking(name, visitor_names(transaction)) is not None:
                raise _name_taken(name)
            return None, [VisitorEntered(name, key_of(token), expires_us)]

        await self._log.change(Actor(name, Position.PLAYER), change)
        return SignIn(token, name, Position.PLAYER, to_change=False, expires_us=expires_us)

    async def leave(self, token: str) -> None:
        """End the visit and cash out, after the round if chips are still on the felt."""
        await self._end_visit(await self._visit(token))

    async def clear(self) -> None:
        """End expired visits, and cash out visitors who left while a bet was in play."""
        now_us = self._floor.clock.now_us()

        def over(transaction: Transaction) -> list[Session]:
            sql = "SELECT token, name, kind, expires_us FROM sessions WHERE kind = ? AND expires_us <= ?"
            return [
                Session(key, name, SessionKind(kind), at)
                for key, name, kind, at in transaction.rows(sql, (SessionKind.VISITOR, now_us))
            ]

        for session in await self._floor.database.read(over):
            await self._end_visit(session)

    async def _end_visit(self, session: Session) -> None:
        """End the session, then cash out at the play-money tables. Only then is the name free again.

        Chips under the name at any other table are a customer's.
        """

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            visit = find_visit(transaction, session.name)
            ends = visit is not None and visit.key == session.key and visit.expires_us != VISIT_LEFT
            return None, [SignedOut(session.name, session.key)] if ends else []

        if session.expires_us != VISIT_LEFT:
            await self._log.change(Actor(session.name, Position.PLAYER), change)
        gone, rules = True, await self.rules()
        await self._floor.load_tables()
        for live in list(self._floor.tables.values()):  # a copy: the tables may change during an await
            if rules.for_play_money(live.setup.name):
                gone &= await self._cash_out(live, session.name, f"leave:{session.key}")
        if gone:
            await self._floor.database.write(lambda transaction: forget_visit(transaction, session))

    async def _cash_out(self, live: LiveTable, who: str, why: str) -> bool:
        """Cash out as the house. Return whether they have nothing left at the table.

        ``why`` is part of the command ids: each is given once for an opening of the table.
        """
        await _catch_up(live)
        state = live.state
        if not has_stakes(state, who):
            commands: list[Command] = []
            if who in state.seats.values() or who in state.behind:
                commands.append(Leave(THE_HOUSE.name, THE_HOUSE.position, who))
            if state.chips_minor(who):
                commands.append(CashOut(THE_HOUSE.name, THE_HOUSE.position, who, state.chips_minor(who)))
            for command in commands:
                command_id = f"{HOUSE_ID}{why}:{live.stream}:{tag(type(command))}"
                await self._floor.give(live, command_id, command)
        return who not in people_of(live.state, live.closing.balances)

    async def _require_unknown(self, name: str) -> None:
        """Refuse a name with chips at an open table or carried over from a closing, and one that looks like it."""
        await self._floor.load_tables()
        for live in list(self._floor.tables.values()):
            await _catch_up(live)
            if same_looking(name, people_of(live.state, live.closing.balances)) is not None:
                raise _name_taken(name)

    # ---- play money

    async def buy_in(self, token: str, table: str) -> Answer:
        """Give a visitor play money. A repeated request has no effect.

        When it is used up they get more, as often as the floor's rules allow for one name in a day. A new visit under
        the same name does not count as new.
        """
        session, rules = await self._visit(token), await self.rules()
        live = await self._floor.find_table(table)
        amount_minor = rules.play_money_minor(table)
        if not amount_minor:
            raise FloorRefused(FloorCode.NO_BUY_IN, variant="none", table=table)
        await _catch_up(live)
        answer = Answer()
        for number in range(1, rules.buy_ins + 1):
            command_id = _play_money_id(session, number, live)
            before = await self._floor.answer_to(command_id)
            if before is None:
                if number > 1 and not is_out_of_chips(live.state, session.name):
                    return answer
                bought = BuyIn(THE_HOUSE.name, THE_HOUSE.position, session.name, amount_minor)
                return await self._floor.give(live, command_id, bought, extra=require_kind(table, for_play_money=True))
            answer = before
        if not is_out_of_chips(live.state, session.name):
            return answer
        raise FloorRefused(FloorCode.NO_BUY_IN, variant="used_up", times=rules.buy_ins, table=table)

    # ---- boxes

    async def free_boxes(self) -> None:
        """Free the boxes of idle visitors at play-money tables. They keep their chips and their visit."""
        rules = await self.rules()
        visitors = await self._floor.database.read(visitor_names)
        for live in [live for live in self._floor.tables.values() if live.held]:
            if rules.for_play_money(live.setup.name):
                await self._free_boxes(live, visitors & set(live.state.seats.values()))

    async def _free_boxes(self, live: LiveTable, seated: set[str]) -> None:
        head = live.head
        if head is None or not seated:
            return
        active = await self._floor.database.read(
            lambda transaction: recently_active(transaction, head, IDLE_ROUNDS), long=True
        )
        for who in sorted(seated - active if active is not None else ()):
            if not has_stakes(live.state, who):
                command_id = f"{IDLE_ID}{head.stream}:{head.version}:{who}"
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


def is_out_of_chips(state: Table, who: str) -> bool:
    """Whether a player has no bet, and fewer chips than the smallest bet takes."""
    limits = (state.settings.main, state.settings.side) if state.settings is not None else ()
    least_minor = min((each.min_minor or 1 for each in limits), default=1)
    return state.chips_minor(who) < least_minor and not has_stakes(state, who)


def recently_active(transaction: Transaction, head: Head, rounds: int) -> set[str] | None:
    """The players who gave a command within the last ``rounds`` rounds; None if there were fewer rounds."""
    active: set[str] = set()
    rounds_seen = 0
    for entry in streams.read_back(transaction, head):
        if entry.position == Position.PLAYER:
            active.add(entry.actor)
        rounds_seen += tag_of(entry) == _BETTING_OPENED
        if rounds_seen == rounds:
            return active
    return None


def _play_money_id(session: Session, number: int, live: LiveTable) -> str:
    """Depends on name and day, so a new visit gives no extra play money."""
    name = sha256(fold(session.name).encode()).hexdigest()
    day = visit_started_us(session.expires_us) // DAY_US
    return f"{HOUSE_ID}play:{name}:{day}:{number}:{live.setup.name}"


async def _catch_up(live: LiveTable) -> None:
    if live.database.shared:
        async with live.lock:
            await live.catch_up()


def _name_taken(name: str) -> FloorRefused:
    return FloorRefused(FloorCode.NAME_TAKEN, name=name)
