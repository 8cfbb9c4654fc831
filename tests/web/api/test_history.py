"""The pages of the history together equal the journal, for any page size."""

from collections.abc import Iterator
from typing import Any

import httpx2
import msgspec
import pytest

from punto.floor.journal.entry import Entry, read_event
from punto.library import book
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import evolve
from punto.table.decision import coup_of
from punto.table.records.findings import RoundVoided
from punto.table.records.positions import Position
from punto.table.records.state import Table
from tests.floor.ledger import Amounts, ledger_of
from tests.floor.nights import troubled
from tests.floor.playing import DEALER, At, manual_table
from tests.floor.reading import NATURAL
from tests.web.serving import Server, server
from tests.web.views.test_visibility import after, entries_of, still


@pytest.fixture(scope="module", params=[still, troubled], ids=["small", "troubled"])
def night(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on the database of a finished session."""
    with after(tmp_path_factory.mktemp("night") / "floor.db", request.param) as running:
        yield running


def pages(client: httpx2.Client, most: int, start: str | None = "1/0") -> list[dict[str, Any]]:
    """All events, from all pages."""
    found: list[dict[str, Any]] = []
    cursor, more = start, True
    while more:
        query = f"most={most}" + (f"&after={cursor}" if cursor else "")
        page = client.get(f"/api/tables/t1/events?{query}").json()
        assert len(page["events"]) <= most
        found += page["events"]
        cursor, more = page["next"], page["more"]
        assert not more or len(page["events"]) == most
    return found


def whole(entry: Entry) -> dict[str, Any]:
    return {
        "cursor": f"{entry.stream.rpartition('/')[2]}/{entry.version}",
        "at_us": entry.at_us,
        "position": entry.position,
        "event": msgspec.json.decode(entry.event),
        "by": entry.actor,
        "command_id": entry.command_id,
    }


@pytest.mark.parametrize("most", [1, 2, 3, 7, 50, 99, 500])
def test_pages_of_every_size_are_the_journal(night: Server, most: int) -> None:
    entries = entries_of(night)
    assert pages(night.by(Position.AUDITOR), most) == [whole(entry) for entry in entries]
    cut = pages(night.by(Position.PLAYER), most)
    assert [one["cursor"] for one in cut] == [whole(entry)["cursor"] for entry in entries]
    assert {(one["by"], one["command_id"]) for one in cut} == {(None, None)}


def test_without_a_cursor_the_present_opening_is_told_and_from_any_cursor_the_rest(night: Server) -> None:
    auditor, entries = night.by(Position.AUDITOR), [whole(entry) for entry in entries_of(night)]
    present = entries[-1]["cursor"].partition("/")[0]
    assert pages(auditor, 100, None) == [one for one in entries if one["cursor"].startswith(f"{present}/")]
    for at in range(0, len(entries), 9):
        assert pages(auditor, 500, entries[at]["cursor"]) == entries[at + 1 :]


def test_at_the_end_the_next_page_begins_where_something_may_still_happen(night: Server) -> None:
    auditor = night.by(Position.AUDITOR)
    last = whole(entries_of(night)[-1])["cursor"]
    page = auditor.get(f"/api/tables/t1/events?after={last}").json()
    assert page == {"events": [], "next": last, "more": False}
    night.chips("t1", "zoe", 1_00)
    page = auditor.get(f"/api/tables/t1/events?after={last}").json()
    assert [one["event"]["event"] for one in page["events"]] == ["chips_bought.1"]
    assert page["next"] == whole(entries_of(night)[-1])["cursor"]


def test_a_table_that_was_never_opened_has_no_history(served: Server) -> None:
    sue = served.by(Position.PIT_SUPERVISOR)
    assert sue.post("/api/tables", json={"name": "t1", "book": "commission"}).status_code == 201
    page = sue.get("/api/tables/t1/events").json()
    assert page == {"events": [], "next": "1/0", "more": False}
    assert sue.get("/api/tables/t1/rounds").json() == {"rounds": [], "next": None}
    opened = served.command(sue, "t1", "open_table", settings={"layout": "C", "boxes": 7}, float_minor=1_00)
    assert opened.status_code == 200, opened.text
    assert [one["cursor"] for one in sue.get("/api/tables/t1/events?after=1/0").json()["events"]] == ["1/1"]


# ---- rounds


def rounds_of(rules: Rulebook, entries: list[Entry]) -> list[dict[str, Any]]:
    """Finished rounds, newest first, from the states of the table and the ledger alone."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    ledger = {(each.stream, each.number): each for each in ledger_of(entries)}
    state = Table()
    for entry in entries:
        event = read_event(entry.event)
        state = evolve(Table() if entry.version == 1 else state, event)
        now = state.round
        if now is None or not now.over or now.cancelled:
            continue
        coup = coup_of(rules, state)
        told = found.setdefault((entry.stream, now.number), {"round": now.number})
        told |= {
            "winner": str(coup.winner) if now.settled else None,
            "player": coup.hand(Side.PLAYER).points if now.settled else None,
            "banker": coup.hand(Side.BANKER).points if now.settled else None,
            "cards": [str(card) for card in now.cards if card is not None],
            "bets": ledger[entry.stream, now.number].bets,
            "adjusted": ledger[entry.stream, now.number].adjusted,
        }
        if isinstance(event, RoundVoided):
            told["voided"] = {"ground": event.ground, "clauses": list(event.clauses), "reason": event.reason}
        told.setdefault("voided", None)
    return list(found.values())[::-1]


def bets_in(results: list[dict[str, Any]]) -> Amounts:
    """Totals of results over HTTP, as the ledger counts them."""
    found: Amounts = {}
    for result in results:
        key = (result["who"], result["box"], result["bet"])
        staked, returned = found.get(key, (0, 0))
        found[key] = (staked + result["stake_minor"], returned + result["returned_minor"])
    return found


def told_rounds(client: httpx2.Client, most: int) -> list[dict[str, Any]]:
    """Finished rounds over HTTP, from all pages."""
    found: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        query = f"most={most}" + (f"&before={cursor}" if cursor else "")
        page = client.get(f"/api/tables/t1/rounds?{query}").json()
        found += page["rounds"]
        cursor = page["next"]
    assert len({one["cursor"] for one in found}) == len(found)
    return [
        {
            **{name: one[name] for name in ("round", "winner", "player", "banker", "cards", "voided")},
            "bets": bets_in(one["results"]),
            "adjusted": {moved["who"]: moved["amount_minor"] for moved in one["adjustments"]},
        }
        for one in found
    ]


@pytest.mark.parametrize("most", [1, 2, 3, 100])
def test_rounds_are_those_of_the_table_newest_first(night: Server, most: int) -> None:
    expected = rounds_of(night.floor.table("t1").rules, entries_of(night))
    assert len(expected) >= 6
    assert told_rounds(night.by(Position.AUDITOR), most) == expected


def play(served: Server, at: At, number: int) -> None:
    """Play a round in which vera bets, and settle it."""

    async def whole() -> None:
        await at.do(DEALER, "open_betting")
        assert (await at.bet("vera", 100_00, box=3)).refusal is None
        await at.do(DEALER, "close_betting")
        for draw, card in enumerate(NATURAL, 10 * number):
            await at.do(DEALER, "deal_card", card=card, command_id=f"card {draw}")
        await at.do(DEALER, "settle")

    served.run(whole())


def test_who_takes_a_name_that_was_anothers_does_not_see_how_he_played(served: Server) -> None:
    at = served.run(manual_table(served.floor))
    for number in (1, 2):  # two people, one after the other
        vera = served.client(served.visitor("vera"))
        assert [one["results"] for one in vera.get("/api/tables/t1/rounds").json()["rounds"]] == [[]] * (number - 1)
        served.run(at.do(DEALER, "buy_in", who="vera", amount_minor=1_000_00))
        assert served.command(vera, "t1", "sit", who="vera", box=3).status_code == 200
        play(served, at, number)
        told = [bets_in(one["results"]) for one in vera.get("/api/tables/t1/rounds").json()["rounds"]]
        won = {("vera", 3, "player"): (100_00, 200_00)}
        assert told == [won, {}][:number]
        assert vera.delete("/api/session").status_code == 204
    staff = served.by(Position.AUDITOR).get("/api/tables/t1/rounds").json()["rounds"]
    assert [bets_in(one["results"]) for one in staff] == [won, won]


@pytest.mark.sweep
def test_rounds_of_the_golden_evenings(golden_db: str) -> None:
    with server(golden_db) as running:
        running.taken_over()
        live = running.floor.table("t1")
        expected = rounds_of(book(live.setup.book), entries_of(running))
        assert told_rounds(running.by(Position.AUDITOR), 100) == expected
        assert told_rounds(running.by(Position.AUDITOR), 1) == expected
