"""Searches everything the server sends for what the receiver may not see."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.sealed import SealedShoe, commitment
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import write_cards
from punto.table import evolve
from punto.table.records.positions import STAFF, Position
from punto.table.records.state import Table
from tests.floor.nights import SUE, Night, night, small, troubled
from tests.floor.playing import betting_table
from tests.golden.evening import read_asked
from tests.golden.recordings import DECIDED, golden
from tests.marks import rest_at_night
from tests.table.tables import json_limits
from tests.web.all_shown import pages_told
from tests.web.serving import NAMES, Server, server

pytestmark = pytest.mark.sweep

WHO_SEE_ALL = (*STAFF, Position.AUDITOR)
PLAYERS = ("ann", "ben")
STAFF_NAMES = ("dora", "sue", "max", "sid")
REASONS = ("lights went out", "joker", "sleeve", "not hers", "goodwill", "asked for it", "seven cards")
DISTINCTIVE = 1_000_000
"""In these sessions balances are above this amount; stakes and payments are below."""


def still(url: str) -> None:
    """A short session with sealed shoes; at its end the table is no longer automatic."""
    small(url)

    async def play(floor: Night) -> None:
        rules = floor.live("t1").rules
        held = {"layout": next(iter(rules.layouts)), "boxes": 7, "automations": [], **json_limits(rules)}
        await floor.do(SUE, "t1", "change_settings.1", settings=held)

    night(url, play)


@contextmanager
def after(db: Path, played: Callable[[str], None]) -> Iterator[Server]:
    """A server on the database of a finished session."""
    played(str(db))
    with server(str(db)) as running:
        running.taken_over()
        yield running


@pytest.fixture(scope="module")
def troubled_night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A session in which everything that moves money went wrong once, with reasons and rulings."""
    with after(tmp_path_factory.mktemp("night") / "troubled.db", troubled) as running:
        ruling = {"command": "rule.1", "reason": "goodwill for both", "effect": "adjust", "amounts": {"ann": 1_00}}
        proposed = running.by(Position.DEALER).post(
            "/api/tables/t1/proposals", json={"id": "ruling", "command": ruling}
        )
        assert proposed.status_code == 201, proposed.text
        yield running


@pytest.fixture(scope="module")
def small_night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A session with two openings and sealed shoes, the last of them still in use."""
    with after(tmp_path_factory.mktemp("night") / "small.db", still) as running:
        yield running


def everything(served: Server, client: httpx2.Client, table: str = "t1") -> dict[str, bytes]:
    """Every answer that a person can get about a table, by request."""
    base = f"/api/tables/{table}"
    told = {path: client.get(path).content for path in ("/api/tables", base, f"{base}/legal", f"{base}/shoes")}
    after, page = "1/0", 0
    while True:
        answer = client.get(f"{base}/events?after={after}&most=200")
        told[f"events {page}"] = answer.content
        if answer.status_code != 200 or not answer.json()["more"]:
            break
        after, page = answer.json()["next"], page + 1
    told["rounds"] = client.get(f"{base}/rounds?most=100").content
    told |= {f"round {name}": client.get(f"{base}/rounds/{name}").content for name in ("1-0", "1-1", "1-3")}
    for tag in ("close_betting.1", "place_bet.1", "settle.1", "rule.1", "nothing.1"):
        fields = {"who": "ann", "box": 1, "bet": "player", "stake_minor": 1} if tag == "place_bet.1" else {}
        body = {"id": f"look {tag} {client.headers.get('authorization')}"[:60], "command": {"command": tag, **fields}}
        if b"dealer" not in client.get("/api/session").content:
            told[f"refused {tag}"] = client.post(f"{base}/commands", json=body).content
    return told | pages_told(served, client, table)


def entries_of(served: Server, table: str = "t1") -> list[Entry]:
    """All entries of a table, from all openings."""

    async def work() -> list[Entry]:
        live = served.floor.table(table)
        streams = [live.stream_of(opening) for opening in range(1, live.openings + 1)]
        return await live.database.read(lambda tx: [one for name in streams for one in _stream(tx, name)])

    return served.run(work())


def _stream(transaction: Transaction, name: StreamName) -> list[Entry]:
    return streams.read(transaction, streams.head(transaction, name), 0)


def balances_ever(entries: list[Entry]) -> set[int]:
    """Every balance anybody ever had, except amounts that could be something else."""
    found: set[int] = set()
    state = Table()
    for entry in entries:
        state = evolve(Table() if entry.version == 1 else state, read_event(entry.event))
        found |= {abs(balance) for balance in state.balances.values()}
    return {balance for balance in found if balance >= DISTINCTIVE}


def numbers_in(told: bytes) -> set[int]:
    """All numbers, except those in strings."""
    return {int(one) for one in re.findall(rb"(?<![\w\".])-?(\d+)(?![\w\".])", told)}


def keys_in(value: Any) -> set[str]:
    """All keys, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*(keys_in(inner) for inner in value.values()))
    return set().union(*(keys_in(inner) for inner in value)) if isinstance(value, list) else set()


def onlookers(served: Server) -> dict[str, httpx2.Client]:
    """Clients who may not see everything."""
    return {
        "anonymous": served.client(),
        "visitor": served.by(Position.PLAYER),
        "administrator": served.by(Position.ADMINISTRATOR),
    }


@pytest.fixture(scope="module")
def told_to_onlookers(troubled_night: Server) -> dict[str, dict[str, bytes]]:
    """Every answer that each of them can get."""
    return {who: everything(troubled_night, client) for who, client in onlookers(troubled_night).items()}


def test_no_balance_of_anybody_is_told_to_who_is_not_of_the_staff(
    troubled_night: Server, told_to_onlookers: dict[str, dict[str, bytes]]
) -> None:
    ever = balances_ever(entries_of(troubled_night))
    assert len(ever) > 20
    for who, answers in told_to_onlookers.items():
        for asked, told in answers.items():
            if asked != "page /pit/settings":  # has round numbers of its own, and nothing of any table
                assert not numbers_in(told) & ever, (who, asked)
            assert b"balances" not in told, (who, asked)
            assert b"postings" not in told.replace(b'"postings":[]', b""), (who, asked)


def test_no_name_of_the_staff_and_no_reason_is_told_either(told_to_onlookers: dict[str, dict[str, bytes]]) -> None:
    for who, answers in told_to_onlookers.items():
        for asked, told in answers.items():
            for name in STAFF_NAMES:
                assert f'"{name}"'.encode() not in told, (who, asked, name)
            for reason in REASONS:
                assert reason.encode() not in told, (who, asked, reason)
            assert not re.search(rb'"command_id":"', told), (who, asked)
            assert not re.search(rb'"by":"', told), (who, asked)


def test_who_is_nobody_in_particular_learns_no_players_name(told_to_onlookers: dict[str, dict[str, bytes]]) -> None:
    for who in ("anonymous", "administrator"):
        for asked, told in told_to_onlookers[who].items():
            for name in PLAYERS:
                assert f'"{name}"'.encode() not in told, (who, asked)
    assert b'"ann"' in told_to_onlookers["visitor"]["events 0"]  # who is at the tables knows who else is


@pytest.mark.parametrize("position", WHO_SEE_ALL)
def test_the_staff_and_auditors_see_who_and_why_and_what_anybody_has(
    troubled_night: Server, position: Position
) -> None:
    told = b"".join(everything(troubled_night, troubled_night.by(position)).values())
    ever = balances_ever(entries_of(troubled_night))
    assert ever & numbers_in(told)
    for name in STAFF_NAMES:
        assert f'"{name}"'.encode() in told
    for reason in REASONS:
        assert reason.encode() in told


def test_a_player_sees_his_own_chips_and_nobody_elses(troubled_night: Server) -> None:
    served, dora = troubled_night, troubled_night.by(Position.DEALER)
    people = {"vic": 123_456_78, "wim": 876_543_21}
    clients = {name: served.client(served.visitor(name)) for name in people}
    for name, chips in people.items():
        served.chips("t1", name, chips)
    for name, client in clients.items():
        assert client.get("/api/tables/t1").json()["me"]["chips_minor"] == people[name]
        others = {chips for other, chips in people.items() if other != name}
        for asked, told in everything(troubled_night, client).items():
            assert not others & numbers_in(told), (name, asked)
        assert chips_on_page(served, client) & set(people.values()) == {people[name]}
    assert set(people.values()) <= numbers_in(dora.get("/api/tables/t1").content)


def chips_on_page(served: Server, client: httpx2.Client) -> set[int]:
    """Every amount on the table's page and in its WebSocket's messages."""
    told = pages_told(served, client)
    return set().union(*(numbers_in(said) for asked, said in told.items() if asked.startswith("page /tables/t1")))


# ---- while people sit there


def test_pages_of_a_table_where_people_sit_tell_no_more_than_one_may_know(served: Server) -> None:
    served.run(betting_table(served.floor))
    chips = {"ann": 123_456_78, "ben": 876_543_21}
    before = {name: served.floor.table("t1").state.chips_minor(name) for name in chips}
    for name, amount in chips.items():
        served.chips("t1", name, amount - before[name])
    names = {f'"{name}"'.encode() for name in chips}
    told = {who: pages_told(served, client) for who, client in onlookers(served).items()}
    for who, pages in told.items():
        for asked, said in pages.items():
            assert not numbers_in(said) & set(chips.values()), (who, asked)
            assert who == "visitor" or not any(name in said for name in names), (who, asked)
    table = {asked: said for asked, said in told["visitor"].items() if asked.startswith("page /tables/t1")}
    assert names == {name for name in names if any(name in said for said in table.values())}
    assert any(" live " in asked for asked in table)


def test_rounds_tell_a_player_of_his_own_bets_alone(troubled_night: Server) -> None:
    for position in (Position.PLAYER, Position.ADMINISTRATOR):
        rounds = troubled_night.by(position).get("/api/tables/t1/rounds?most=100").json()["rounds"]
        assert rounds
        assert not any(one["results"] for one in rounds)
    staff = troubled_night.by(Position.AUDITOR).get("/api/tables/t1/rounds?most=100").json()["rounds"]
    assert {result["who"] for one in staff for result in one["results"]} == set(PLAYERS)


# ---- sealed shoes


def shoes_of(served: Server) -> list[dict[str, Any]]:
    shoes: list[dict[str, Any]] = served.client().get("/api/tables/t1/shoes").json()["shoes"]
    return shoes


def sealed(served: Server, shoe: str) -> SealedShoe:
    found = served.run(served.floor.sealed_shoe(shoe))
    assert found is not None
    return found


BETWEEN_CARDS = ' ",'
"""Cards are written with spaces between them, as JSON, or without anything."""


def test_the_order_of_a_shoe_in_play_is_told_to_nobody(small_night: Server) -> None:
    state = small_night.floor.table("t1").state
    assert state.shoe is not None
    shoe = sealed(small_night, state.shoe.id)
    unseen = shoe.cards[state.shoe.drawn :]
    assert len(unseen) > 300
    orders = [write_cards(unseen[at : at + 6]).replace(" ", "") for at in range(len(unseen) - 6)]
    seekers = onlookers(small_night)
    seekers |= {str(position): small_night.by(position) for position in WHO_SEE_ALL}
    seekers["machine"] = small_night.client(small_night.machine("looker", Position.SHIFT_MANAGER))
    over = [one["cards"] for one in shoes_of(small_night) if one["cards"] is not None]
    assert over
    sought = orders[-200:] + orders[:200:7]
    for who, client in seekers.items():
        for asked, told in everything(small_night, client).items():
            text = _without_revealed(asked, told)
            for one in over:
                text = text.replace(one, "")  # a page has them in full too
            assert shoe.nonce not in text, (who, asked)
            for between in BETWEEN_CARDS:
                text = text.replace(between, "")
            assert not any(order in text for order in sought), (who, asked)
    (now,) = [one for one in shoes_of(small_night) if one["shoe"] == shoe.id]
    assert now == {
        "shoe": shoe.id, "decks": 8, "kind": "virtual", "commitment": shoe.commitment, "nonce": None, "cards": None,
        "orders": 0, "block": 0,
    }  # fmt: skip


def _without_revealed(asked: str, told: bytes) -> str:
    """Finished shoes are shown in full, and may by chance contain the same cards."""
    if asked.startswith("page ") or not asked.endswith("/shoes"):
        return told.decode()
    shoes = msgspec.json.decode(told)["shoes"]
    return msgspec.json.encode([one for one in shoes if one["cards"] is None]).decode()


def test_a_shoe_that_is_over_is_told_in_full_and_keeps_its_promise(small_night: Server) -> None:
    over = [one for one in shoes_of(small_night) if one["cards"] is not None]
    assert len(over) >= 2
    for one in over:
        assert commitment(one["nonce"], one["cards"]) == one["commitment"]
        shoe = sealed(small_night, one["shoe"])
        assert (one["nonce"], one["cards"]) == (shoe.nonce, write_cards(shoe.cards))


# ---- at every moment of a session

STAFF_KEYS = {"balances", "postings", "placed_by", "withdrawn_by", "chosen_by", "found_by", "ruled_by", "reason"}


@pytest.mark.parametrize("name", rest_at_night(DECIDED[::2], DECIDED[::4]))
def test_at_every_moment_of_an_evening(served: Server, name: str) -> None:
    evening = golden(name)
    served.run(served.floor.create_table(SUE, TableSetup("t1", evening.book, ShoeKind.MANUAL)))
    live = served.floor.table("t1")
    vera, nobody = served.by(Position.PLAYER), served.client()
    people, staff = set[str](), set(evening.staff) - {"house"}  # which the settings name as well
    for number, step in enumerate(evening.steps):
        answer = served.run(served.floor.give(live, f"golden {number}", read_asked(step.asked)))
        if not answer.entries:
            continue
        people |= live.state.people
        seen, public = vera.get("/api/tables/t1"), nobody.get("/api/tables/t1")
        assert (seen.status_code, public.status_code) == (200, 200), seen.text
        assert seen.json()["state"]["version"] == live.head.version if live.head else False
        assert not keys_in(seen.json()) & STAFF_KEYS
        assert not keys_in(public.json()) & STAFF_KEYS
        for who in people | staff:
            assert f'"{who}"' not in public.text, who
        for who in staff - people:
            assert f'"{who}"' not in seen.text, who
    assert people
    told = vera.get("/api/tables/t1/events?after=1/0&most=500").json()
    assert not keys_in(told) & STAFF_KEYS


def test_everybody_of_these_tests_has_a_name_of_his_own() -> None:
    assert not set(PLAYERS) & set(NAMES.values())
