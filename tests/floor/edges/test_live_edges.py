"""The edges of a running table: from what is known there, kept while the round is dealt, computed in a thread."""

import asyncio
import threading
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from punto.floor.edges import live_edges
from punto.floor.edges.live_edges import LiveEdges
from punto.floor.edges.round_start import RoundStart, unseen
from punto.floor.edges.table_edges import solve_starts
from punto.floor.running.floor import Floor
from punto.library import book
from punto.odds import figures, shoe_without, solve
from punto.odds.exact.known_cards import solve_known
from punto.odds.figures import edge_of
from punto.rules.coup.cards import RANKS, read_cards
from punto.table.records.state import Shoe
from tests.floor.playing import DEALER, SUPERVISOR, At, betting_table, manual_table, running
from tests.waiting import run, until

GAME = "commission-insurance"
NATURAL, LONGER = "9s 2d Kh 3c", "2s 3d 2h Kc 5d 4s"
LIMITS: dict[str, Any] = {"burn": False, "differential_minor": 50_000_00}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return str(tmp_path / "floor.db")


def exactly(without: str, first: str = "") -> dict[str, Fraction]:
    """The edges of the next round if these cards have left the shoe, or lie on the table to be dealt first."""
    rules = book(GAME)
    left = shoe_without(rules, rules.decks.most, [card for card in read_cards(f"{without} {first}") if card])
    if not first:
        return {bet: each.edge for bet, each in figures(rules, solve(rules, left)).bets.items()}
    dealt = solve_known(rules, read_cards(first), left)
    assert dealt is not None
    return {bet: edge_of(rule, dealt) for bet, rule in rules.bets.items()}


async def deal(at: At, cards: str, *, open_first: bool = False) -> None:
    if open_first:
        await at.do(DEALER, "open_betting")
    await at.do(DEALER, "close_betting")
    for card in cards.split():
        await at.do(DEALER, "deal_card", card=card)


async def edges_of(edges: LiveEdges, table: str = "t1") -> dict[str, Fraction]:
    known = await edges.of(table)
    assert known is not None
    return known.edges


def test_they_follow_the_cards_and_stay_while_a_round_is_dealt(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            at, edges = await betting_table(floor, "t1", GAME, **LIMITS), LiveEdges(floor)
            fresh = await edges.of("t1")
            assert fresh is not None
            assert (fresh.table, fresh.round_next, fresh.shoe, fresh.drawn) == ("t1", 1, "t1 1", 0)
            assert (fresh.edges, fresh.first_card_known) == (exactly(""), False)
            await deal(at, NATURAL)
            assert await edges.of("t1") is fresh
            await at.do(DEALER, "settle")
            second = await edges.of("t1")
            assert second is not None
            assert (second.round_next, second.drawn, second.edges) == (2, 4, exactly(NATURAL))
            await at.do(DEALER, "open_betting")
            assert await edges.of("t1") is second

    run(play())


def test_a_card_carried_over_is_dealt_first(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            at, edges = await betting_table(floor, "t1", GAME, **LIMITS), LiveEdges(floor)
            await deal(at, NATURAL)
            await at.do(SUPERVISOR, "report_excess_card", cards=[None, "8h"])
            await at.do(DEALER, "settle")
            known = await edges.of("t1")
            assert known is not None
            assert (known.first_card_known, known.drawn, known.edges) == (True, 6, exactly(NATURAL, "?? 8h"))
            await at.do(DEALER, "open_betting")
            assert await edges.of("t1") is known

    run(play())


@pytest.mark.parametrize(("rounds", "out"), [(1, ""), (2, LONGER)])
def test_at_a_continuous_shuffler_they_are_those_of_the_cards_in_it_at_the_call(
    url: str, rounds: int, out: str
) -> None:
    machine = {"continuous": {"back_after_rounds": rounds}}

    async def play() -> None:
        async with running(url) as floor:
            at, edges = await betting_table(floor, "t1", GAME, **LIMITS, **machine), LiveEdges(floor)
            await deal(at, NATURAL)
            await at.do(DEALER, "settle")
            await at.do(DEALER, "open_betting")
            await deal(at, LONGER)
            await at.do(DEALER, "settle")
            between = await edges.of("t1")
            assert between is not None
            assert (between.round_next, between.edges) == (3, exactly(out))
            await at.do(DEALER, "open_betting")
            assert await edges_of(edges) == exactly(out)

    run(play())


def test_a_card_that_comes_out_while_bets_are_placed_is_known_from_then_on(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            at, edges = await betting_table(floor, "t1", GAME, **LIMITS), LiveEdges(floor)
            assert await edges_of(edges) == exactly("")
            await at.do(SUPERVISOR, "report_excess_card", cards=["9s"])
            known = await edges.of("t1")
            assert known is not None
            assert (known.round_next, known.first_card_known, known.edges) == (1, True, exactly("", "9s"))
            assert known.below_zero["player"] == known.edges["player"] < Fraction(-21, 100)

    run(play())


def test_cards_face_down_and_burned_cards_stay_unknown(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            changes = {**LIMITS, "burn": True}
            at, edges = await manual_table(floor, "t1", GAME, **changes), LiveEdges(floor)
            assert await edges_of(edges) == exactly("")
            await at.do(DEALER, "burn_cards", card="5h")
            known = await edges.of("t1")
            assert known is not None
            assert (known.drawn, known.edges) == (6, exactly("5h"))
            await deal(at, NATURAL, open_first=True)
            await at.do(SUPERVISOR, "report_excess_card", cards=[None])
            await at.do(DEALER, "settle")
            known = await edges.of("t1")
            assert known is not None
            assert (known.first_card_known, known.edges) == (False, exactly(f"5h {NATURAL}"))

    run(play())


def test_cards_entered_by_rank_count_as_any_suit(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            changes = {**LIMITS, "faces_by_rank": True}
            at, edges = await betting_table(floor, "t1", GAME, **changes), LiveEdges(floor)
            await deal(at, "9 2d K 3")
            await at.do(DEALER, "settle")
            assert await edges_of(edges) == exactly(NATURAL)

    run(play())


def test_there_are_none_without_a_round_to_come(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            at, edges = await betting_table(floor, "t1", GAME, **LIMITS), LiveEdges(floor)
            await deal(at, LONGER)
            assert await edges.of("t1") is None  # nobody looked before the first card was dealt
            await at.do(DEALER, "settle")
            assert await edges_of(edges) == exactly(LONGER)
            await at.do(SUPERVISOR, "close_table")
            assert await edges.of("t1") is None
            await at.open(GAME, **LIMITS)
            assert await edges.of("t1") is None  # no shoe yet
            await at.do(SUPERVISOR, "load_shoe", shoe="another", decks=8)
            fresh = await edges.of("t1")
            assert fresh is not None
            assert (fresh.round_next, fresh.shoe, fresh.edges) == (1, "another", exactly(""))

    run(play())


def test_none_for_a_shoe_that_has_ended(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            changes = {**LIMITS, "rounds_after_cut_card": 0}
            at, edges = await betting_table(floor, "t1", GAME, **changes), LiveEdges(floor)
            await at.do(DEALER, "cut_card_out")
            await deal(at, NATURAL)
            await at.do(DEALER, "settle")
            assert await edges.of("t1") is None

    run(play())


def test_more_copies_than_a_shoe_has_are_no_composition() -> None:
    aces = bytes(5 if rank == "A" else 0 for rank in RANKS)
    assert unseen(Shoe("s", 1, seen_ranks=aces)) is None
    whole = unseen(Shoe("s", 1, seen_ranks=bytes(4 if rank == "A" else 0 for rank in RANKS)))
    assert whole is not None
    assert whole.ranks == (0, *[4] * 12)


class Solver:
    """Stands in for the solver, and notes what it is asked to solve and where. It can be held up."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.compiled: list[bool] = []
        self.threads: set[str] = set()
        self.free = threading.Event()

    def __call__(self, starts: Sequence[RoundStart], *, compiled: bool) -> list[dict[str, Fraction]]:
        self.batches.append(len(starts))
        self.compiled.append(compiled)
        self.threads.add(threading.current_thread().name)
        assert self.free.wait(60)
        return solve_starts(starts, compiled=compiled)


async def three_tables(floor: Floor) -> list[At]:
    return [await betting_table(floor, name, GAME, **LIMITS) for name in ("t1", "t2", "t3")]


@pytest.mark.parametrize(
    ("from_tables", "installed", "compiled"), [(4, True, False), (3, False, False), (3, True, True)]
)
def test_tables_that_wait_are_solved_together_and_the_event_loop_goes_on(
    url: str, monkeypatch: pytest.MonkeyPatch, from_tables: int, *, installed: bool, compiled: bool
) -> None:
    solver = Solver()
    monkeypatch.setattr(live_edges, "solve_starts", solver)
    monkeypatch.setattr(live_edges, "COMPILED_FROM_TABLES", from_tables)
    monkeypatch.setattr(live_edges, "find_spec", lambda _: installed or None)

    async def play() -> None:
        async with running(url) as floor:
            tables, edges = await three_tables(floor), LiveEdges(floor)
            first = asyncio.create_task(edges.of("t1"))
            await until(lambda: solver.batches == [1])
            asked = [asyncio.create_task(edges.of(name)) for name in ("t1", "t2", "t3", "t3")]
            await deal(tables[1], NATURAL)  # the floor works on while the solver is busy
            asked[2].cancel()  # who stops waiting does not stop the others
            solver.free.set()
            results = [(await each) for each in (first, asked[0], asked[1], asked[3])]
            assert [each and each.table for each in results] == ["t1", "t1", "t2", "t3"]
            assert all(each and each.edges == exactly("") for each in results)
            assert (solver.batches, set(solver.compiled)) == ([1, 2], {compiled})
            assert threading.current_thread().name not in solver.threads

    run(play())


def test_many_tables_are_solved_in_turns(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Solver()
    solver.free.set()
    monkeypatch.setattr(live_edges, "solve_starts", solver)
    monkeypatch.setattr(live_edges, "MAX_TABLES_AT_ONCE", 2)

    async def play() -> None:
        async with running(url) as floor:
            await three_tables(floor)
            edges = LiveEdges(floor)
            results = await asyncio.gather(*map(edges.of, ("t1", "t2", "t3")))
            assert [each and each.table for each in results] == ["t1", "t2", "t3"]
            assert solver.batches == [2, 1]

    run(play())


def test_every_table_is_followed_so_they_are_known_when_a_round_is_dealt(url: str) -> None:
    async def play() -> None:
        async with running(url) as floor:
            at, edges = await betting_table(floor, "t1", GAME, **LIMITS), LiveEdges(floor)
            following = asyncio.create_task(edges.run())
            await until(lambda: edges._kept, "the first table")
            await deal(at, NATURAL)
            assert await edges_of(edges) == exactly("")
            late = await betting_table(floor, "t2", GAME, **LIMITS)
            await until(lambda: "t2" in edges._kept, "the table added later")
            await deal(late, NATURAL)
            assert await edges_of(edges, "t2") == exactly("")
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    run(play())


def test_a_failure_is_logged_and_the_next_change_tries_again(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Sequence[RoundStart], *, compiled: bool) -> list[dict[str, Fraction]]:
        raise MemoryError(compiled)

    async def play() -> None:
        async with running(url) as floor:
            at, edges = await betting_table(floor, "t1", GAME, **LIMITS), LiveEdges(floor)
            with monkeypatch.context() as patched:
                patched.setattr(live_edges, "solve_starts", fail)
                assert await edges.of("t1") is None
            (record,) = caplog.records
            assert record.getMessage() == "cannot compute the edges of t1"
            assert record.exc_info
            await deal(at, NATURAL)
            assert await edges.of("t1") is None
            await at.do(DEALER, "settle")
            assert await edges_of(edges) == exactly(NATURAL)

    run(play())
