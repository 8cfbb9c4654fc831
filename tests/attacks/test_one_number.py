"""One number in a setup or a setting that puts everything down. Every number is bounded, and one table is only one."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import fields, replace

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorRefused
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.auto_dealer import MAX_BURST_STEPS, MAX_STEPS_PER_S, Dealer
from punto.floor.running.table_setup import MAX_PACE_S, Pace, TableSetup
from punto.library import book
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from punto.web.config import Config, read_config
from tests.floor.nights import opened as database_at
from tests.floor.playing import AT_ONCE, MANAGER, automatic_table, betting_table, running
from tests.floor.staff_floor import SetClock, Staffed, run
from tests.table.tables import settings
from tests.web.serving import Server, server

NUMBERS = (int, float)
HUGE: tuple[float, ...] = (1e308, -1e308, 1e19, -1, -0.5, 0, 2**31, 2**63, 2**64, 10**30, -(10**30))
NOT_FINITE = (float("nan"), float("inf"), float("-inf"))


def numeric(kind: type[msgspec.Struct], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every number in a struct and the structs inside it."""
    for field in fields(kind):
        here = (*path, field.name)
        for each in get_args(field.type) or (field.type,):
            if isinstance(each, type) and issubclass(each, msgspec.Struct):
                yield from numeric(each, here)
            elif each in NUMBERS:
                yield here


def changed(value: dict[str, Any], path: tuple[str, ...], number: float) -> dict[str, Any]:
    first, *rest = path
    return {**value, first: changed(value[first] or {}, tuple(rest), number) if rest else number}


def test_the_walk_finds_the_numbers() -> None:
    assert {("decks",), ("pace", "close_betting_s"), ("pace", "load_shoe_s")} <= {*numeric(TableSetup)}
    assert {("boxes",), ("main", "min_minor"), ("cut_card",), ("rounds_after_cut_card",)} <= {*numeric(Settings)}
    assert {("port",), ("asks_per_s",), ("house_players",)} <= {*numeric(Config)}


# ---- over HTTP


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("attack") / "floor.db"), lines=100_000, lines_each=100_000) as served:
        served.run(betting_table(served.floor, "good"))
        yield served


def everything_is_shown(served: Server, *tables: str) -> None:
    client = served.client()
    assert client.get("/").status_code == 200
    listed = client.get("/api/tables")
    assert listed.status_code == 200
    assert {table["table"] for table in listed.json()["tables"]} >= {*tables}
    for name in tables:
        assert client.get(f"/tables/{name}").status_code == 200
        assert client.get(f"/api/tables/{name}").status_code == 200
        assert client.get(f"/board/{name}").status_code in (200, 404)
    assert client.get("/readyz").json() == {"status": "ready", "faulty": []}


@pytest.mark.parametrize("path", [*numeric(TableSetup)], ids=".".join)
def test_every_number_of_a_setup(floor: Server, path: tuple[str, ...]) -> None:
    sue = floor.by(Position.PIT_SUPERVISOR)
    whole = msgspec.to_builtins(TableSetup("", "commission"))
    for number in HUGE:
        name = f"t {floor.next_id()}"
        body = changed({**whole, "name": name}, path, number)
        body["pace"] = {key: value for key, value in body["pace"].items() if key == path[-1]}
        answer = sue.post("/api/tables", json=body)
        assert answer.status_code in (201, 400, 409), (number, answer.text)
        if answer.status_code == 201:
            assert 0 <= number <= MAX_PACE_S
            opening = {**msgspec.to_builtins(settings(book("commission"))), "automations": ["close_betting"]}
            assert floor.command(sue, name, "open_table", settings=opening).status_code == 200
            everything_is_shown(floor, "good", name)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400])
def test_what_is_no_number_is_refused_before_it_is_read(floor: Server, number: str) -> None:
    sue = floor.by(Position.PIT_SUPERVISOR)
    text = f'{{"name": "n", "book": "commission", "pace": {{"close_betting_s": {number}}}}}'
    answer = sue.post("/api/tables", content=text, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    everything_is_shown(floor, "good")


@pytest.mark.parametrize("path", [*numeric(Settings), ("float_minor",)], ids=".".join)
def test_every_number_of_the_settings(floor: Server, path: tuple[str, ...]) -> None:
    sue, name = floor.by(Position.PIT_SUPERVISOR), f"t {floor.next_id()}"
    assert sue.post("/api/tables", json={"name": name, "book": "tiger-buffalo"}).status_code == 201
    whole = msgspec.to_builtins(settings(book("tiger-buffalo"), automations=("close_betting",)))
    for number in HUGE:
        if path == ("float_minor",):
            answer = floor.command(sue, name, "open_table", settings=whole, float_minor=number)
        else:
            answer = floor.command(sue, name, "open_table", settings=changed(whole, path, number))
        assert answer.status_code in (200, 400, 409), (number, answer.text)
        everything_is_shown(floor, "good", name)
        if answer.status_code == 200:
            assert 0 <= number <= 1e12
            assert floor.command(sue, name, "close_table").status_code == 200


@pytest.mark.parametrize("path", [*numeric(FloorRules)], ids=".".join)
def test_every_number_of_the_rules_for_visitors(floor: Server, path: tuple[str, ...]) -> None:
    adam = floor.by(Position.ADMINISTRATOR)
    for number in HUGE:
        body = changed(msgspec.to_builtins(FloorRules()), path, number)
        assert adam.put("/api/floor-rules", json=body).status_code in (200, 400)
        everything_is_shown(floor, "good")


# ---- without HTTP, where any float arrives


def test_the_floor_itself_takes_no_such_pace(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        for name in Pace.__struct_fields__:
            for number in (1e308, -1.0, MAX_PACE_S + 1, *NOT_FINITE):
                setup = TableSetup("t1", "commission", pace=replace(Pace(), **{name: number}))
                with pytest.raises(FloorRefused) as refused:
                    await house.floor.create_table(MANAGER, setup)
                assert refused.value.code == "bad_setup"
        assert house.floor.tables == {}

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize("path", [*numeric(Config)], ids=".".join)
def test_every_number_of_the_servers_settings(tmp_path: Path, path: tuple[str]) -> None:
    (name,) = path
    file = tmp_path / "punto.toml"
    for number in (*HUGE, *NOT_FINITE):
        file.write_text(f"{name} = {number}\n")
        assert in_force(file, name) is None or 0 <= number <= 1_000_000


def in_force(file: Path, name: str) -> float | None:
    """The number as a server takes it; None if it is refused."""
    try:
        config, _ = read_config({}, {}, file)
    except FloorRefused as refused:
        return None if refused.code == "bad_config" else float("nan")
    number: float = getattr(config, name)
    return number


# ---- a floor that has such a table from an earlier release


def test_a_table_of_an_earlier_release_with_such_a_pace_is_shown(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    with server(url) as served:
        served.run(betting_table(served.floor, "good"))
        served.run(betting_table(served.floor, "bad", automations=("close_betting",)))
    setup = msgspec.json.decode(stored_setup(url, "bad"))
    for number in (1e308, -1e308, 10**30):
        setup["pace"]["close_betting_s"] = number
        write_setup(url, "bad", msgspec.json.encode(setup).decode())
        with server(url) as served:
            served.taken_over()
            everything_is_shown(served, "good", "bad")


def stored_setup(url: str, table: str) -> str:
    with database_at(url) as database:
        rows = database.reading(
            lambda transaction: transaction.rows("SELECT setup FROM tables WHERE name = ?", (table,))
        ).result()
    return str(rows[0][0])


def write_setup(url: str, table: str, setup: str) -> None:
    def work(transaction: Transaction) -> int:
        return transaction.change("UPDATE tables SET setup = ? WHERE name = ?", (setup, table))

    with database_at(url) as database:
        assert database.writing(work).result() == 1


# ---- a table that cannot be shown


def test_a_table_that_cannot_be_shown_takes_nothing_with_it(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        served.run(betting_table(served.floor, "good"))
        served.run(betting_table(served.floor, "bad"))
        served.run(spoil(served, "bad"))
        client = served.client()
        listed = client.get("/api/tables").json()
        assert ([table["table"] for table in listed["tables"]], listed["not_shown"]) == (["good"], ["bad"])
        lobby = client.get("/")
        assert lobby.status_code == 200
        assert "good" in lobby.text
        assert "cannot be shown" in lobby.text
        assert "暂时无法显示" in client.get("/", headers={"accept-language": "zh"}).text
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"status": "degraded", "faulty": ["bad"]})
        served.run(spoil(served, "good"))
        fresh = served.service.table_caches
        fresh._caches.clear()  # as after a restart: nothing is in memory
        assert client.get("/api/tables").json()["not_shown"] == ["bad", "good"]
        assert client.get("/readyz").status_code == 503


async def spoil(served: Server, table: str) -> None:
    """Make the entries of a table unreadable behind the server's back."""
    stream = str(StreamName(table, 1))
    sql = "UPDATE entries SET event = '{' WHERE stream = (SELECT id FROM streams WHERE name = ?)"
    assert await served.floor.database.write(lambda transaction: transaction.change(sql, (stream,)))
    served.floor.table(table).tail.clear()


# ---- a table without a pace


class RoundedUp(SetClock):
    """Sleeps whole microseconds, and at least one."""

    async def sleep(self, seconds: float) -> None:
        self.us += int(seconds * 1_000_000) + 1
        await asyncio.sleep(0)


def test_a_table_without_a_pace_does_not_fill_the_journal(tmp_path: Path) -> None:
    """By the clock of the floor: how fast the machine is makes no difference."""

    async def test() -> None:
        clock = RoundedUp()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            at = await automatic_table(floor, pace=AT_ONCE)
            live, start_s = floor.table(at.name), clock.steady_s()
            dealer = asyncio.create_task(Dealer(floor, live).run())
            while live.head is None or live.head.version < 300:
                await asyncio.sleep(0)
            dealer.cancel()
            await asyncio.gather(dealer, return_exceptions=True)
            steps = await floor.database.read(count_steps)
            assert MAX_BURST_STEPS < steps <= MAX_BURST_STEPS + 2 + MAX_STEPS_PER_S * (clock.steady_s() - start_s)

    asyncio.run(test())


def count_steps(transaction: Transaction) -> int:
    return int(transaction.rows("SELECT count(DISTINCT command_id) FROM entries WHERE command_id LIKE 'auto:%'")[0][0])
