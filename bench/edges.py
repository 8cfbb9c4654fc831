"""The edges before every round of a floor of 1,000 tables at 70 rounds an hour, beside one core.

The tables are of all five games, with shoes dealt to any depth, and one round in 200 starts with a known card. Rounds
are solved in batches as they come: one or a few at a time, or all tables at once as after a start. The ratio matters:
the rounds that one core solves in a second, over the rounds that the floor plays in a second. Then how long the event
loop waits while a thread solves all tables.
"""

import asyncio
import random
from collections.abc import Sequence
from time import perf_counter

from punto.floor.edges.round_start import RoundStart
from punto.floor.edges.table_edges import solve_starts
from punto.library import book, book_ids
from punto.odds.shoe import Composition
from punto.rules.coup.cards import RANKS, Face

TABLES = 1_000
ROUNDS_AN_HOUR = 70
ROUNDS_A_SECOND = TABLES * ROUNDS_AN_HOUR / 3600
KNOWN_EVERY = 200
TURNS = 3
AIM = 50.0


def any_start(draw: random.Random, number: int) -> RoundStart:
    """A round of some game, from a shoe of eight decks that has been dealt to any depth."""
    rules = book(book_ids()[number % len(book_ids())])
    left = draw.sample(RANKS * 32, draw.randint(20, 416))
    layout = max(rules.layouts, key=lambda each: len(rules.layouts[each].menu))
    first = (Face(draw.choice(RANKS)),) if number % KNOWN_EVERY == KNOWN_EVERY // 2 else ()
    return RoundStart(rules, layout, number, "shoe", 0, first, Composition(tuple(map(left.count, RANKS))))


def seconds_a_round(starts: Sequence[RoundStart], batch: int, *, compiled: bool) -> float:
    """The shortest time."""
    times = []
    for _ in range(TURNS):
        began = perf_counter()
        for at in range(0, len(starts), batch):
            solve_starts(starts[at : at + batch], compiled=compiled)
        times.append((perf_counter() - began) / len(starts))
    return min(times)


async def longest_wait_s(starts: Sequence[RoundStart], *, compiled: bool) -> float:
    """How long the event loop waits at most for its next turn while a thread solves all of them."""
    solving = asyncio.create_task(asyncio.to_thread(solve_starts, starts, compiled=compiled))
    longest, before = 0.0, perf_counter()
    while not solving.done():
        await asyncio.sleep(0)
        now = perf_counter()
        longest, before = max(longest, now - before), now
    await solving
    return longest


def main() -> None:
    draw = random.Random(1)
    starts = [any_start(draw, number) for number in range(TABLES)]
    began = perf_counter()
    solve_starts(starts[:1], compiled=True)
    print(f"compiled, or loaded from the cache, in {perf_counter() - began:.2f} s")
    print(f"{TABLES:,} tables at {ROUNDS_AN_HOUR} rounds an hour: {ROUNDS_A_SECOND:.1f} rounds a second")
    print("                       ms a round   of one core     ratio")
    for compiled, sizes in ((True, (1, 4, TABLES)), (False, (1,))):
        for size in sizes:
            each = seconds_a_round(starts, size, compiled=compiled)
            name = "compiled" if compiled else "plain Python"
            share = each * ROUNDS_A_SECOND
            print(f"  {name:12}, {size:5} at once {each * 1e3:6.3f}      {share:7.3%}  {1 / share:8.1f}", end="")
            print(f"  (aim: at least {AIM:g})" if compiled else "")
    for compiled in (True, False):
        wait = asyncio.run(longest_wait_s(starts, compiled=compiled))
        print(f"the event loop waits {wait * 1e3:.1f} ms at most, {'compiled' if compiled else 'plain Python'}")


if __name__ == "__main__":
    main()
