"""Tables that an earlier release opened: under the same law they play on, under another they finish and close."""

import pytest
from msgspec.structs import replace

from punto.floor.audit.verify import verify
from punto.floor.demo.house_players import HousePlayers
from punto.floor.journal.entry import Entry
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.reports.rounds.replay_round import replay_round
from punto.floor.running.auto_dealer import Dealer
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.library import book
from punto.rules.earlier_laws import EARLIER_HASHES
from punto.table.records.state import Phase
from tests.floor.audit.forging import forget_laws, retold, rewrite, sign_again
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, SUPERVISOR, At, automatic_table, running
from tests.floor.running.test_floor import all_entries
from tests.waiting import run

RULES = book("commission")  # a round goes on after an interruption: the book has no clause on it
(EARLIER,) = EARLIER_HASHES[RULES.law_hash]
OTHER = "f" * 64


def _opened_under(url: str, law: str) -> None:
    """Write the first opening of a table as if it had been opened under another law."""

    def forge(entries: list[Entry]) -> list[Entry]:
        first, *others = (replace(entry, law=law) for entry in entries)
        return [retold(first, law_hash=law), *others]

    forget_laws(url)
    rewrite(url, "t1/1", forge)
    sign_again(url)


def _stop_floor(url: str, law: str, cards: int | None = None) -> None:
    """Stop a floor whose table was opened under this law; with ``cards``, while a round has that many."""

    async def before() -> None:
        async with running(url) as floor:
            await automatic_table(floor, burn=cards is not None)
            if cards is not None:
                await _play_until(floor, floor.table("t1"), cards)

    run(before())
    _opened_under(url, law)


async def _steps(floor: Floor, live: LiveTable, count: int) -> int:
    """How many of the next steps the automatic dealer takes."""
    dealer, taken = Dealer(floor, live), 0
    while taken < count and await dealer.step():
        taken += 1
    return taken


async def _taken_over(floor: Floor) -> LiveTable:
    live = floor.table("t1")
    await floor.take_over(live)
    return live


async def _play_until(floor: Floor, live: LiveTable, cards: int) -> None:
    at = At(floor, "t1", "playing")
    while live.state.phase is not Phase.BETTING:
        assert await _steps(floor, live, 1) == 1
    assert (await at.bet("ann", 100_00)).refusal is None
    while live.state.round is None or len(live.state.round.cards) < cards:
        assert await _steps(floor, live, 1) == 1


def _hands_shown(floor: Floor) -> bool:
    """Whether the replay of the first round shows hands, which depend on the Table of Play."""
    steps = replay_round(floor.database, "t1/1", 1).steps
    return any("Banker" in detail for step in steps if step.words.startswith("card") for detail in step.details)


def _laws(entries: list[Entry]) -> set[str]:
    return {entry.law for entry in entries}


@pytest.mark.parametrize("cards", range(5))
def test_a_table_of_an_earlier_release_plays_on_and_every_entry_names_its_law(database_url: str, cards: int) -> None:
    async def after() -> None:
        async with running(database_url) as floor:
            written = len(await all_entries(floor, "t1/1"))
            live = await _taken_over(floor)
            assert await _steps(floor, live, 30) == 30
            assert live.state.round is not None
            assert live.state.round.number > 1
            while live.state.phase is not Phase.READY:
                await _steps(floor, live, 1)
            at = At(floor, "t1", "after")
            await at.do(SUPERVISOR, "close_table")
            await at.open()
            assert _laws(await all_entries(floor, "t1/1")) == {EARLIER}
            assert _laws(await all_entries(floor, "t1/2")) == {RULES.law_hash}
            report = verify(floor.database)
            assert report.faults == []
            added = [entry for entry in (await all_entries(floor, "t1/1"))[written:] if entry.command]
            assert report.judged_again > len(added) > 30
            assert _hands_shown(floor)

    _stop_floor(database_url, EARLIER, cards)
    run(after())


@pytest.mark.parametrize("cards", range(5))
def test_a_table_under_another_law_finishes_its_round_and_closes(database_url: str, cards: int) -> None:
    async def after() -> None:
        async with running(database_url) as floor:
            live = await _taken_over(floor)
            taken = await _steps(floor, live, 30)
            assert 0 < taken < 30
            assert (live.state.phase, live.state.round and live.state.round.settled) == (Phase.READY, True)
            at = At(floor, "t1", "after")
            answer = await at.ask(DEALER, "open_betting")
            assert answer.refusal is not None
            assert answer.refusal.key == "wrong_book.this_round"
            for who in ("ann", "ben"):
                await at.do(DEALER, "leave", who=who)
                await at.do(DEALER, "cash_out", who=who, amount_minor=live.state.chips_minor(who))
            await at.do(SUPERVISOR, "close_table")
            assert _laws(await all_entries(floor, "t1/1")) == {OTHER}
            await at.open()
            report = verify(floor.database)
            assert report.faults == []
            assert report.judged_again == 1 < report.commands  # the new opening
            assert not _hands_shown(floor)

    _stop_floor(database_url, OTHER, cards)
    run(after())


@pytest.mark.parametrize(("law", "loads"), [(EARLIER, True), (OTHER, False)], ids=["earlier", "other"])
def test_a_shoe_is_loaded_only_under_the_same_law(tmp_path: object, law: str, loads: bool) -> None:  # noqa: FBT001
    url = f"{tmp_path}/floor.db"

    async def after() -> None:
        async with running(url) as floor:
            live = await _taken_over(floor)
            assert await _steps(floor, live, 1) == loads
            assert (live.state.shoe is not None) == loads

    _stop_floor(url, law)
    run(after())


@pytest.mark.parametrize(("law", "come"), [(EARLIER, True), (OTHER, False)], ids=["earlier", "other"])
def test_house_players_come_only_under_the_same_law(tmp_path: object, law: str, come: bool) -> None:  # noqa: FBT001
    url = f"{tmp_path}/floor.db"

    async def after() -> None:
        async with running(url) as floor:
            visitors = Visitors(floor)
            await set_rules(visitors, FloorRules(visitors=True, buy_in_minor=1_000_00, tables=("t1",)))
            live = await _taken_over(floor)
            people = live.state.people
            await HousePlayers(floor, visitors, 3).run_once()
            assert (live.state.people > people) == come

    _stop_floor(url, law)
    run(after())
