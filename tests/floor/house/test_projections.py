"""After every act the tables that follow from the house's stream are those that the stream gives from empty."""

import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from punto.floor.alarms.alarms import Alarms
from punto.floor.chips.floor_chips import change_chip_set
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorRefused
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.floor.house.projections.stops import StopScope
from punto.floor.house.rebuild import DERIVED, rebuild_tables
from punto.floor.house.registry import PROJECTIONS, projections_of
from punto.floor.house.replica import Replica
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HOUSE, HOUSE_KINDS, read_house_event
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.terminals import Terminals
from punto.floor.people.duty import Duty
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.looks import LookKind, Looks
from punto.floor.people.stops import Stops
from punto.floor.people.table_titles import change_title
from punto.floor.running.adopted_readings import adopt_reading
from punto.floor.settings.floor_settings import SettingsChange, change_settings
from punto.floor.shoes.shoe_register import ShoeRegister, ShoeStep
from punto.table.procedure.chip_set import Chip, ChipColour, ChipSet
from punto.table.records.positions import STAFF, Position
from tests.floor.goldens import play_golden
from tests.floor.nights import opened, small, troubled
from tests.floor.people.test_terminals import pins_of
from tests.floor.staff_floor import PASSWORD, Staffed, run
from tests.golden.recordings import DECIDED
from tests.lanes import examples

SID = Actor("sid", Position.SHIFT_MANAGER)
NAMES = ("ann", "bob", "cyd")
RUNS, ACTS_A_RUN = 4, 60


def differences(transaction: Transaction) -> list[str]:
    """What the tables have otherwise than the stream gives from its first entry."""
    replica, head, after = Replica(), streams.find(transaction, HOUSE), 0
    while head is not None and (entries := streams.read(transaction, head, after)):
        for entry in entries:
            replica.apply(read_house_event(entry.event), entry)
        after = entries[-1].version
    replica.load(transaction)
    found = [words for _, words in replica.differences()]
    replica.close()
    return found


class Chance:
    """Acts of the house, drawn at random. Many are refused, as they would be in life."""

    def __init__(self, at: Staffed, seed: int) -> None:
        self.at, self.log, self.random = at, at.floor.house_log, random.Random(seed)  # noqa: S311 - for tests
        self.tokens: list[str] = []

    def one(self) -> Callable[[], Awaitable[object]]:
        acts: list[Callable[[], Awaitable[object]]] = [
            getattr(self, name) for name in dir(self) if name.startswith("act_")
        ]
        return self.random.choice(acts)

    @property
    def name(self) -> str:
        return self.random.choice(NAMES)

    @property
    def player(self) -> str:
        return f"P{self.random.randint(1, 4):06}"

    async def act_create(self) -> None:
        await self.at.accounts.create(THE_CONSOLE, self.name, self.random.choice([None, *STAFF]))

    async def act_hire(self) -> None:
        self.tokens.append(await self.at.hired(self.name, self.random.choice(STAFF)))

    async def act_assign(self) -> None:
        await self.at.accounts.assign(THE_CONSOLE, self.name, self.random.choice([None, *STAFF]))

    async def act_reset(self) -> None:
        await self.at.accounts.reset_password(THE_CONSOLE, self.name)

    async def act_revoke(self) -> None:
        await self.at.accounts.revoke(THE_CONSOLE, self.name)

    async def act_token(self) -> None:
        bounds = TokenBounds(TokenWork.CARDS, "t1")
        await self.at.accounts.issue_token(THE_CONSOLE, f"bridge {self.name}", Position.DEALER, bounds)

    async def act_sign_in(self) -> None:
        self.tokens.append((await self.at.sessions.sign_in(self.name, PASSWORD)).token)

    async def act_sign_out(self) -> None:
        if self.tokens:
            await self.at.sessions.sign_out(self.tokens.pop(self.random.randrange(len(self.tokens))))

    async def act_enrol(self) -> None:
        if self.tokens:
            before = self.random.choice(["", "terminal-1"])
            await Terminals(self.log).enrol(SID, self.random.choice(self.tokens), None, "pit", before)

    async def act_revoke_terminal(self) -> None:
        await Terminals(self.log).revoke(SID, f"terminal-{self.random.randint(1, 3)}")

    async def act_pin(self) -> None:
        if self.tokens:
            await pins_of(self.at).set(self.random.choice(self.tokens), PASSWORD, "482913")

    async def act_duty(self) -> None:
        await Duty(self.log).assign(SID, self.name, self.random.choice(["t1", "t2"]))

    async def act_end_duty(self) -> None:
        await Duty(self.log).end(SID, self.name)

    async def act_relieve(self) -> None:
        await Duty(self.log).relieve(SID, "t1", self.name)

    async def act_register(self) -> None:
        await self.at.players.register(THE_CONSOLE, "Ann Li", self.random.choice([None, "7001"]))

    async def act_change_player(self) -> None:
        await self.at.players.change(THE_CONSOLE, self.player, notes=self.random.choice(["", "tall"]))

    async def act_erase(self) -> None:
        await self.at.players.erase(THE_CONSOLE, self.player)

    async def act_enter(self) -> None:
        await self.at.visitors.enter(f"vera {self.random.randint(1, 3)}")

    async def act_rules(self) -> None:
        await self.at.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=self.random.random() < 0.7))

    async def act_ring(self) -> None:
        await self.at.accounts.list(THE_CONSOLE)
        once = str(self.random.randint(1, 5))
        await _alarms(self.at).ring([DueAlarm(AlarmKind.RESTART, once, values={"minutes": 3})])

    async def act_acknowledge(self) -> None:
        await _alarms(self.at).acknowledge(SID, self.random.randint(1, 4), "seen")

    async def act_end_alarm(self) -> None:
        await _alarms(self.at).end([self.random.randint(1, 4)])

    async def act_escalate(self) -> None:
        await _alarms(self.at).escalate(60)

    async def act_stop(self) -> None:
        scope = self.random.choice([StopScope.ALL, StopScope.GAME, StopScope.STAFF])
        of = {StopScope.ALL: "", StopScope.GAME: "commission", StopScope.STAFF: self.name}[scope]
        await Stops(self.at.floor).stop(SID, scope, of, "smoke")

    async def act_release(self) -> None:
        await Stops(self.at.floor).release(SID, self.random.randint(1, 3), "over")

    async def act_look(self) -> None:
        await Looks(self.log).saw(SID, LookKind.RATING, self.player)

    async def act_title(self) -> None:
        await change_title(self.at.floor, SID, "t1", self.random.choice(["Lotus", "Orchid", "t1"]))

    async def act_chips(self) -> None:
        value = self.random.choice([5_00, 25_00])
        await change_chip_set(self.log, SID, ChipSet((Chip(value, ChipColour.RED),)))

    async def act_settings(self) -> None:
        change = SettingsChange(tray_chips=self.random.randint(1, 9))
        await change_settings(self.log, SID, change.applied_to)

    async def act_reading(self) -> None:
        await adopt_reading(self.log, SID, "cut_card", self.random.choice([20, 30]), "the shift agreed")

    async def act_receive_shoe(self) -> None:
        await ShoeRegister(self.log).receive(SID, f"shoe {self.random.randint(1, 3)}", 8, "maker", "b1")

    async def act_inspect_shoe(self) -> None:
        await ShoeRegister(self.log).take(SID, f"shoe {self.random.randint(1, 3)}", ShoeStep.INSPECTED)


def _alarms(at: Staffed) -> Alarms:
    return Alarms(at.floor.house_log)


@pytest.mark.parametrize("seed", range(examples(RUNS)))
def test_after_every_act_the_tables_are_what_the_stream_gives(database_url: str, seed: int) -> None:
    async def test(at: Staffed) -> None:
        for name in ("t1", "t2"):
            await at.table(name)
        chance, done = Chance(at, seed), 0
        for _ in range(ACTS_A_RUN):
            at.clock.go_on(1)
            act = chance.one()
            before = len(await at.entries())
            try:
                await act()
            except FloorRefused:
                assert len(await at.entries()) == before or act.__name__ == "act_hire", "a refusal leaves nothing"
            done += len(await at.entries()) > before
            assert await at.database.read(differences) == [], act.__name__
        assert done > ACTS_A_RUN / 4
        assert await at.database.write(rebuild_tables) == 0

    run(database_url, test)


@pytest.mark.parametrize("play", [small, troubled])
def test_a_night_leaves_the_tables_as_the_stream_gives_them(tmp_path: Path, play: Callable[[str], object]) -> None:
    url = str(tmp_path / "floor.db")
    play(url)
    with opened(url) as database:
        assert database.reading(differences).result() == []


@pytest.mark.parametrize("golden", DECIDED[:2])
def test_a_golden_session_does_too(tmp_path: Path, golden: str) -> None:
    url = str(tmp_path / "floor.db")
    play_golden(url, golden)
    with opened(url) as database:
        assert database.reading(differences).result() == []


def test_derived_tables_are_made_again_whatever_was_done_to_them(database_url: str) -> None:
    async def test(at: Staffed) -> None:
        await at.table("t1")
        chance = Chance(at, 1)
        for _ in range(ACTS_A_RUN):
            at.clock.go_on(1)
            try:
                await chance.one()()
            except FloorRefused:
                continue
        for projection in DERIVED:
            before = await at.database.read(lambda tx, of=projection: rows_of(tx, of.table))  # type: ignore[misc]
            sql = f"DELETE FROM {projection.table}"  # noqa: S608 - our own names
            await at.database.write(lambda tx, sql=sql: tx.change(sql))  # type: ignore[misc]
            assert await at.database.write(rebuild_tables) == len(before)
            assert len(await at.database.read(lambda tx, of=projection: rows_of(tx, of.table))) == len(before)  # type: ignore[misc]
        assert await at.database.read(differences) == []

    run(database_url, test)


def rows_of(transaction: Transaction, table: str) -> list[tuple[object, ...]]:
    return transaction.rows(f"SELECT * FROM {table}")  # noqa: S608 - our own names


def test_every_column_of_a_projection_is_of_one_kind() -> None:
    for projection in PROJECTIONS:
        kinds = (*projection.key, *projection.derived, *projection.committed)
        assert len({*kinds}) == len(kinds), projection.table
        assert not {*projection.stored} & {*projection.volatile}, projection.table
        assert projection.kinds, projection.table
        assert {*projection.kinds} <= {*HOUSE_KINDS}
        assert all(projection in projections_of(kind) for kind in projection.kinds)
