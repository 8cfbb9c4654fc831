"""An insider who has the floor's key and the disk appends what nobody had the authority for.

Everything fits: Punto's own code writes it, with hashes, rows and signatures. It is held against the house as it stood.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.clock import DAY_US, HOUR_US
from punto.floor.database import open_database
from punto.floor.house.projection import Stored
from punto.floor.journal import house_events as house
from punto.floor.journal.actor import TERMINAL, THE_HOUSE, Actor
from punto.floor.journal.audit_events import DaySignedOff, GamingStopped
from punto.floor.journal.entry import EntryContext
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.terminals import Terminals
from punto.floor.people.approvals.proposals import Proposals
from punto.floor.people.duty import Duty
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.floor import Floor
from punto.floor.running.gaming_stops import StopsInForce
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from tests.floor.audit.forging import entries
from tests.floor.nights import opened
from tests.floor.playing import AT_ONCE
from tests.floor.staff_floor import SetClock, Staffed
from tests.table.tables import settings

pytestmark = pytest.mark.slow

STAFF = {
    "root": Position.ADMINISTRATOR,
    "sid": Position.SHIFT_MANAGER,
    "mac": Position.CASINO_MANAGER,
    "max": Position.PIT_MANAGER,
    "sue": Position.PIT_SUPERVISOR,
    "dora": Position.DEALER,
    "dan": Position.DEALER,
}
ROOT, SID, MAC, MAX, SUE, DORA, DAN = (Actor(name, position) for name, position in STAFF.items())
OUT = Actor("olga", Position.PIT_MANAGER)
"""She has signed out."""
EVE = Actor("eve", Position.CASINO_MANAGER)
"""Nobody."""
BRIDGE = Actor("bridge", Position.DEALER, bounds=TokenBounds(TokenWork.CARDS, "t1"))
P1, STRANGER = "P000001", "P000099"
_SETTINGS = msgspec.to_builtins(settings(book("commission")))
MILLION: dict[str, Any] = {"reason": "as agreed", "effect": "adjust", "amounts": {P1: 1_000_000_00}}


class Insider:
    """The floor, some time later, through code that asks nobody for leave."""

    def __init__(self, floor: Floor, clock: SetClock) -> None:
        self.floor, self.clock = floor, clock

    async def write(self, by: Actor, *events: house.HouseEvent | Stored, context: EntryContext | None = None) -> None:
        if context is None:
            await self.floor.house_log.write(by, *events)
        else:
            given = context
            await self.floor.house_log.change(by, lambda _: (None, events), lambda _: given)

    async def give(
        self,
        by: Actor,
        command: str,
        table: str = "t1",
        command_id: str = "forged",
        context: EntryContext | None = None,
        **fields: Any,
    ) -> None:
        body = {"command": f"{command}.1", **fields}
        ways = {} if context is None else {"context": context}
        answer = await self.floor.submit(by, table, command_id, body, **ways)  # type: ignore[arg-type]
        assert answer.refusal is None, answer.refusal


async def _honest(at: Staffed) -> None:
    """A floor on which everybody acts as they may: a table for money, a player, a bridge, a terminal."""
    at.clock.go_on(10)
    for name, position in STAFF.items():
        await at.hired(name, position)
    await at.hired("nina", None)
    olga = await at.hired(OUT.name, OUT.position)
    await at.visitors.change_rules(THE_CONSOLE, FloorRules(four_eyes=False))
    for table in ("t1", "t2"):
        await at.floor.create_table(MAX, TableSetup(table, "commission", ShoeKind.MANUAL, pace=AT_ONCE))
        await Duty(at.floor.house_log).assign(MAX, "dora", table)
        wanted = msgspec.to_builtins(settings(book("commission")))
        opening = {"command": "open_table.1", "settings": wanted, "float_minor": 9_000_000_00}
        if table == "t1":
            assert (await at.floor.submit(SUE, table, "open", opening)).refusal is None
            load = {"command": "load_shoe.1", "shoe": "t1 1", "decks": book("commission").decks.most}
            assert (await at.floor.submit(SUE, table, "load", load)).refusal is None
    await Duty(at.floor.house_log).assign(MAX, "dora", "t1")
    await at.players.register(SUE, "Ann Li")
    for name, table in (("bridge", "t1"), ("bridge 2", "t2")):
        await at.accounts.issue_token(THE_CONSOLE, name, Position.DEALER, TokenBounds(TokenWork.CARDS, table))
    token = (await at.sessions.sign_in("max", "twelve cards in a row")).token
    await Terminals(at.floor.house_log).enrol(MAX, token, "t2", "left")
    bought = {"command": "buy_in.1", "who": P1, "amount_minor": 5_000_00}
    assert (await at.floor.submit(DORA, "t1", "chips", bought)).refusal is None
    at.clock.go_on(10)
    await at.sessions.sign_out(olga)
    await at.visitors.change_rules(THE_CONSOLE, FloorRules())
    at.clock.go_on(10)
    await Proposals(at.floor, at.acting).propose(SUE, "t1", "p1", {"command": "close_table.1"})


def _start(url: str, work: Callable[[Staffed], Awaitable[None]], later_us: int = 0) -> None:
    async def run() -> None:
        database, clock = open_database(url), SetClock()
        clock.us += later_us
        try:
            floor = await Floor.start(database, clock, by_account=True)
            await work(Staffed(floor, clock))
        finally:
            await asyncio.to_thread(database.close)

    asyncio.run(run())


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("authority") / "floor.db"
    _start(str(path), _honest)
    return path


@pytest.fixture
def url(honest: Path, tmp_path: Path) -> str:
    return str(shutil.copyfile(honest, tmp_path / "floor.db"))


@contextmanager
def _at_terminal(name: str) -> Iterator[None]:
    token = TERMINAL.set(name)
    try:
        yield
    finally:
        TERMINAL.reset(token)


async def _unknown_terminal(insider: Insider) -> None:
    with _at_terminal("terminal-9"):
        await insider.write(MAX, GamingStopped(1, "all", "", "smoke", insider.clock.us))


async def _other_terminal(insider: Insider) -> None:
    with _at_terminal("terminal-1"):
        await insider.give(DORA, "open_betting")


async def _a_year_ago(insider: Insider) -> None:
    insider.clock.us -= 365 * DAY_US
    await insider.write(MAX, GamingStopped(1, "all", "", "smoke", insider.clock.us))


async def _a_round_a_year_ago(insider: Insider) -> None:
    insider.clock.us -= 365 * DAY_US
    await insider.give(DORA, "open_betting")


async def _played_on(insider: Insider) -> None:
    await insider.write(MAX, GamingStopped(1, "all", "", "smoke", insider.clock.us))
    insider.clock.us += HOUR_US
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StopsInForce, "require_allowed", lambda *_: None)
        patch.setattr(StopsInForce, "work_for", lambda *_: None)
        await insider.give(DORA, "open_betting")


async def _own_proposal(insider: Insider) -> None:
    await insider.write(SUE, house.ProposalApproved("p1", "t1", "close_table.1"))


async def _approved_without_command(insider: Insider) -> None:
    await insider.write(MAX, house.ProposalApproved("p1", "t1", "close_table.1"))


def _signed_in(name: str, position: str, us: int) -> house.SignedIn:
    return house.SignedIn(name, position, "cd" * 32, us + HOUR_US)


def _day(us: int) -> DaySignedOff:
    return DaySignedOff("2023-11-01", us - 2 * DAY_US, us - DAY_US, 0, {}, us)


Forgery = Callable[[Insider], Awaitable[None]]

HOUSE: dict[str, tuple[FaultCode, Forgery]] = {
    "a manager who does not exist": (
        FaultCode.ACTOR_UNKNOWN,
        lambda at: at.write(EVE, GamingStopped(1, "all", "", "smoke", at.clock.us)),
    ),
    "a dealer who promotes herself": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(DORA, house.PositionAssigned("dora", "casino_manager")),
    ),
    "an administrator who takes another position": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(ROOT, house.PositionAssigned("root", "shift_manager")),
    ),
    "the house that promotes a dealer": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(THE_HOUSE, house.PositionAssigned("dora", "casino_manager")),
    ),
    "the house that creates an account": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(
            THE_HOUSE, Stored(house.AccountCreated("eve", "administrator", "person"), {"password": ""})
        ),
    ),
    "somebody else who is the house": (
        FaultCode.ACTOR_UNKNOWN,
        lambda at: at.write(Actor("eve", Position.HOUSE), house.LockedOut("dora", 1)),
    ),
    "a planted session of the administrator": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(DORA, _signed_in("root", "administrator", at.clock.us)),
    ),
    "a session in another position": (
        FaultCode.POSITION_DIFFERS,
        lambda at: at.write(DORA, _signed_in("dora", "administrator", at.clock.us)),
    ),
    "a session for ten years": (
        FaultCode.SESSION_DIFFERS,
        lambda at: at.write(ROOT, house.SignedIn("root", "administrator", "cd" * 32, at.clock.us + 3_650 * DAY_US)),
    ),
    "somebody off duty": (
        FaultCode.POSITION_DIFFERS,
        lambda at: at.write(Actor("nina", Position.PIT_MANAGER), GamingStopped(1, "all", "", "smoke", at.clock.us)),
    ),
    "a dealer who stops gaming": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(DORA, GamingStopped(1, "all", "", "smoke", at.clock.us)),
    ),
    "a dealer as a pit manager": (
        FaultCode.POSITION_DIFFERS,
        lambda at: at.write(Actor("dora", Position.PIT_MANAGER), GamingStopped(1, "all", "", "smoke", at.clock.us)),
    ),
    "somebody who had signed out": (
        FaultCode.NO_SESSION,
        lambda at: at.write(OUT, GamingStopped(1, "all", "", "smoke", at.clock.us)),
    ),
    "a PIN of somebody else": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(SUE, Stored(house.PinSet("max", "ab" * 32), {"hash": "x"})),
    ),
    "a machine that gives out a token": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(BRIDGE, house.TokenIssued("bridge", "dealer", "commands", "t1", "ef" * 32, at.clock.us)),
    ),
    "a supervisor who signs a day off": (FaultCode.NOT_ALLOWED, lambda at: at.write(SUE, _day(at.clock.us))),
    "a dealer who changes the chips": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(DORA, Stored(house.ChipSetChanged(((5_00, "red"),)), {"value": "{}"})),
    ),
    "a dealer who sends another one on duty": (
        FaultCode.NO_SESSION,
        lambda at: at.write(OUT, house.DutyStarted("dan", "t1", "dealer", at.clock.us)),
    ),
    "an act with an approver who does not exist": (
        FaultCode.ACTOR_UNKNOWN,
        lambda at: at.write(
            SID,
            house.PositionAssigned("dan", "pit_supervisor"),
            context=EntryContext(proposed_by="eve", approved_by="sid"),
        ),
    ),
    "an act that one proposed and approved": (
        FaultCode.APPROVAL_DIFFERS,
        lambda at: at.write(
            SID,
            house.PositionAssigned("dan", "pit_supervisor"),
            context=EntryContext(proposed_by="sid", approved_by="sid"),
        ),
    ),
    "a proposal that its proposer approved": (FaultCode.APPROVAL_DIFFERS, _own_proposal),
    "a proposal that was approved and not given": (FaultCode.APPROVAL_DIFFERS, _approved_without_command),
    "an entry from a terminal never enrolled": (FaultCode.TERMINAL_UNKNOWN, _unknown_terminal),
    "an entry of a year ago": (FaultCode.TIME_DIFFERS, _a_year_ago),
    "a start that lets anybody act": (
        FaultCode.NOT_ALLOWED,
        lambda at: at.write(THE_HOUSE, msgspec.structs.replace(at.floor.started, by_account=False)),
    ),
    "a dealer who starts the server": (FaultCode.NOT_ALLOWED, lambda at: at.write(DORA, at.floor.started)),
}

TABLE: dict[str, tuple[FaultCode, Forgery]] = {
    "a ruling of a million by a casino manager who does not exist": (
        FaultCode.ACTOR_UNKNOWN,
        lambda at: at.give(EVE, "rule", **MILLION),
    ),
    "a ruling of a million by one person": (FaultCode.NOT_BY_TWO, lambda at: at.give(MAC, "rule", **MILLION)),
    "a closing by one person": (FaultCode.NOT_BY_TWO, lambda at: at.give(SUE, "close_table")),
    "a dealer as a casino manager": (
        FaultCode.POSITION_DIFFERS,
        lambda at: at.give(Actor("dora", Position.CASINO_MANAGER), "rule", **MILLION),
    ),
    "a dealer of another table": (FaultCode.NOT_ON_DUTY, lambda at: at.give(DAN, "open_betting")),
    "somebody who had signed out": (FaultCode.NO_SESSION, lambda at: at.give(OUT, "open_betting")),
    "a machine of another table": (
        FaultCode.TOKEN_EXCEEDED,
        lambda at: at.give(Actor("bridge 2", Position.DEALER), "open_betting"),
    ),
    "a terminal of another table": (FaultCode.TERMINAL_UNKNOWN, _other_terminal),
    "a proposal that nobody made": (
        FaultCode.APPROVAL_DIFFERS,
        lambda at: at.give(
            SUE, "close_table", command_id="proposal:x", context=EntryContext(proposed_by="dora", approved_by="sue")
        ),
    ),
    "a proposal that one person made and approved": (
        FaultCode.APPROVAL_DIFFERS,
        lambda at: at.give(SUE, "close_table", context=EntryContext(proposed_by="sue", approved_by="sue")),
    ),
    "a proposer who does not exist": (
        FaultCode.ACTOR_UNKNOWN,
        lambda at: at.give(SUE, "close_table", context=EntryContext(proposed_by="eve", approved_by="sue")),
    ),
    "a round of a year ago": (FaultCode.TIME_DIFFERS, _a_round_a_year_ago),
    "a round while gaming was stopped": (FaultCode.PLAYED_STOPPED, _played_on),
    "chips of a player whom nobody registered": (
        FaultCode.PLAYER_UNKNOWN,
        lambda at: at.give(DORA, "buy_in", who=STRANGER, amount_minor=100_00),
    ),
    "a visitor who never entered": (
        FaultCode.NO_SESSION,
        lambda at: at.give(Actor(P1, Position.PLAYER), "sit", who=P1, box=1),
    ),
    "the console that opens betting": (
        FaultCode.ACTOR_UNKNOWN,
        lambda at: at.give(Actor("console", Position.PIT_SUPERVISOR), "open_betting"),
    ),
}


def test_they_are_more_than_38() -> None:
    assert len(HOUSE) + len(TABLE) >= 38


def test_the_floor_is_sound(url: str) -> None:
    with opened(url) as database:
        assert verify(database).faults == []


def _forge(url: str, forgery: Forgery) -> None:
    async def work(at: Staffed) -> None:
        await forgery(Insider(at.floor, at.clock))

    _start(url, work, HOUR_US)


@pytest.mark.parametrize("name", HOUSE)
def test_what_the_house_never_did_is_named(url: str, name: str) -> None:
    code, forgery = HOUSE[name]
    _forge(url, forgery)
    with opened(url) as database:
        faults = verify(database).faults
    own = {(fault.stream, fault.version, fault.code) for fault in faults if fault.code is code}
    assert own == {("house", len(entries(url, "house")), code)}, faults
    assert all(fault.code in (code, FaultCode.ACCOUNT_DIFFERS, FaultCode.CHIP_SET_DIFFERS) for fault in faults)


@pytest.mark.parametrize("name", TABLE)
def test_what_nobody_may_have_done_at_a_table_is_named(url: str, name: str) -> None:
    code, forgery = TABLE[name]
    before = {stream: len(entries(url, stream)) for stream in ("house", "t1/1")}
    _forge(url, forgery)
    with opened(url) as database:
        faults = verify(database).faults
    assert {fault.code for fault in faults} == {code}, faults
    assert all((fault.version or 0) > before[fault.stream] for fault in faults), faults
    assert any(fault.stream == "t1/1" for fault in faults)
