"""The exact count, compared with a plain compiled loop over the values of all six cards that gives the same numbers.

The ratio matters: both are measured in one run on the same machine, in alternation. The plain loop is a fair opponent:
it takes a hand's two cards in one order only, draws a card only where the Table of Play does, adds into a histogram of
runs without branches, and reduces that to ends and insurance cells by lookup tables, as a simulator does.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from punto import book
from punto.odds import Composition, figures, full_shoe, removal, solve, solve_many
from punto.odds.compiling import compiled
from punto.odds.distribution import cell
from punto.odds.exact.batch import Integers, count_many
from punto.odds.exact.exact_kernel import COUNTS, FIFTH_TO_BANKER, FIFTH_TO_NOBODY, FOUR, SIXTH, THIRD, WORK
from punto.odds.exact.solver import written_play
from punto.rules.coup.table_of_play import To
from punto.rules.rulebook import Rulebook

SOLVED = 100
TURNS = 30
AIM = 4.0


@compiled
def plain_loop(left: Integers, play: Integers, runs: Integers, tables: Integers, counts: Integers) -> None:
    """Fill ``counts`` with ends, fours and thirds of one composition, one deal of values after the other."""
    runs[:] = 0
    counts[:] = 0
    cards = left.sum()
    last = cards - 5
    for one in range(10):
        ways_one = left[one]
        left[one] -= 1
        for three in range(one, 10):
            ways_two = ways_one * left[three] * (1 if one == three else 2)
            left[three] -= 1
            player = (one + three) % 10
            for two in range(10):
                ways_three = ways_two * left[two]
                left[two] -= 1
                for four in range(two, 10):
                    ways = ways_three * left[four] * (1 if two == four else 2)
                    left[four] -= 1
                    banker = (two + four) % 10
                    run = player * 1000 + banker * 100
                    to = play[player * 10 + banker]
                    if to == FIFTH_TO_NOBODY:
                        runs[run] += ways * (cards - 4) * last
                    else:
                        for fifth in range(10):
                            ways_five = ways * left[fifth]
                            if to == FIFTH_TO_BANKER or not play[SIXTH + banker * 10 + fifth]:
                                runs[run + fifth * 10] += ways_five * last
                            else:
                                left[fifth] -= 1
                                for sixth in range(10):
                                    runs[run + fifth * 10 + sixth] += ways_five * left[sixth]
                                left[fifth] += 1
                    left[four] += 1
                left[two] += 1
            left[three] += 1
        left[one] += 1
    for run in range(10000):
        ways = runs[run]
        if ways:
            counts[tables[0, run]] += ways
            counts[tables[1, run]] += ways
            counts[tables[2, run]] += ways


def run_tables(rules: Rulebook) -> Integers:
    """By run: the indexes of its end, its four and its third. The extra index ``COUNTS`` means not counted."""
    tables = np.full((3, 10000), COUNTS)
    for run, (player, banker, fifth, _) in enumerate(product(range(10), repeat=4)):
        end = rules.space.ends[run]
        tables[0, run] = end.index
        to = rules.table_of_play.fifth(player, banker).to
        if to is not To.NOBODY:
            tables[1, run] = FOUR + cell(player, banker, end.winner)
        if to is To.PLAYER and rules.table_of_play.sixth(banker, fifth).to is To.BANKER:
            tables[2, run] = THIRD + cell(end.player, banker, end.winner)
    return tables


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(work: Callable[[], Any], turns: int = TURNS) -> float:
    """The shortest time in seconds."""
    return min(seconds(work) for _ in range(turns))


def kernels(rules: Rulebook) -> None:
    """Compare the count with the plain loop, on full and on partly dealt shoes."""
    play, tables = np.array(written_play(rules.table_of_play)), run_tables(rules)
    draw = np.random.default_rng(1)
    full = np.array([full_shoe(rules, 8).values(rules.table_of_play)] * SOLVED)
    depleted = np.array([draw.multivariate_hypergeometric(full[0], size) for size in draw.integers(20, 416, SOLVED)])
    for name, lefts in (("full shoes", full), ("partly dealt shoes", depleted)):
        runs, looped = np.zeros(10000, np.int64), np.zeros((SOLVED, COUNTS + 1), np.int64)
        work, counted = np.zeros(WORK, np.int64), np.zeros((SOLVED, COUNTS), np.int64)

        def loop(lefts: Integers = lefts, runs: Integers = runs, looped: Integers = looped) -> None:
            for left, counts in zip(lefts, looped, strict=True):
                plain_loop(left, play, runs, tables, counts)

        def count(lefts: Integers = lefts, work: Integers = work, counted: Integers = counted) -> None:
            count_many(lefts, play, work, counted)

        loop()  # compile both, and check that they agree
        count()
        if not (looped[:, :COUNTS] == counted).all():
            raise SystemExit("the count and the plain loop do not agree")
        loops, counts = [], []
        for _ in range(TURNS):
            loops.append(seconds(loop))
            counts.append(seconds(count))
        slow, quick = min(loops) / SOLVED * 1e6, min(counts) / SOLVED * 1e6
        print(f"{name}: all ends and insurance cells, exactly")
        print(f"  plain compiled loop  {slow:8.2f} us per shoe")
        print(f"  Punto                {quick:8.2f} us per shoe")
        print(f"  ratio                {slow / quick:8.2f}  (aim: at least {AIM:g})")


def growth(rules: Rulebook) -> None:
    """Print the time by number of decks and of bets."""
    print("by decks: one answer in plain Python, and one of many compiled, pairs and arrays included")
    for decks in range(rules.decks.least, rules.decks.most + 1, 2):
        shoe = full_shoe(rules, decks)
        ranks = np.array([shoe.ranks] * SOLVED)
        single = best(partial(solve, rules, shoe)) * 1e3
        many = best(partial(solve_many, rules, ranks)) / SOLVED * 1e6
        print(f"  {decks:2} decks  {single:6.2f} ms  {many:6.2f} us")
    counted = solve(rules, full_shoe(rules))
    print(f"by bets: exact fractions of the bets and of all {len(figures(rules, counted).insurance)} insurance cells")
    for bets in (1, 4, 8, len(rules.bets)):
        chosen = list(rules.bets)[:bets]
        print(f"  {bets:2} bets   {best(partial(figures, rules, counted, chosen)) * 1e3:6.2f} ms")
    print(f"effects of removal, all bets and cells: {best(partial(removal, rules, full_shoe(rules)), 3) * 1e3:.0f} ms")


def main() -> None:
    rules = book("tiger-buffalo")
    first = seconds(partial(solve_many, rules, [Composition((4,) * 13)]))
    print(f"compiled, or loaded from the cache, in {first:.2f} s")
    kernels(rules)
    growth(rules)


if __name__ == "__main__":
    main()
