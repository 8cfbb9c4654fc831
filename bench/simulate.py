"""The simulator beside a plain compiled loop that deals as it goes, on one core, by turns, in this run.

The plain loop is what one would write first, and write well: a fast generator, an unbiased draw for each card from what
is left of the shoe, the Table of Play by branches, burn and cut card, and the same histogram over runs and pairs. Once
more it runs with the generator's state forced into registers, which is as far as it goes. Then the growth: with
workers, with decks, with bets.

With ``--intervals`` something else: how far rounds of one shoe are from independent ones, bet by bet.
"""

import sys
from math import sqrt
from time import perf_counter
from typing import Any

import numpy as np
from numba import njit

from punto import book, book_ids
from punto.cli._shared.progress import cores
from punto.odds import figures, full_shoe, solve
from punto.odds.distribution import Distribution
from punto.odds.procedure import Procedure
from punto.odds.sessions.session_simulator import simulate_sessions
from punto.odds.sessions.wagers import gains
from punto.odds.simulation.estimates import estimates
from punto.odds.simulation.shuffle import RUNS
from punto.odds.simulation.simulation_kernel import felt
from punto.odds.simulation.simulator import Amount, job_of, simulate
from punto.rules.coup.space import ENDS, PAIRS, Winner
from punto.rules.rulebook import Rulebook

GAME = "tiger-buffalo"
SHOES = 16_384
TURNS = 40  # many and short: the best of them is one in which nothing else was running
AIM = 2.5

_LEFT_17, _LEFT_23, _LEFT_45 = np.uint64(17), np.uint64(23), np.uint64(45)
_RIGHT_41, _RIGHT_19 = np.uint64(41), np.uint64(19)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def xoshiro(state: Any) -> tuple[Any, Any]:
    """A word of xoshiro256++, as fast as good generators of this kind are, and the state after it."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    total = a + d
    word = ((total << _LEFT_23) | (total >> _RIGHT_41)) + a
    moved = b << _LEFT_17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= moved
    d = (d << _LEFT_45) | (d >> _RIGHT_19)
    return word, (a, b, c, d)


_xoshiro: Any = njit(xoshiro)
_xoshiro_in_place: Any = njit(forceinline=True)(xoshiro)


@njit
def in_memory(kept: Any, state: Any) -> Any:
    """The next word, the state being kept in an array, as one keeps it."""
    word, (a, b, c, d) = _xoshiro(kept)
    kept[0], kept[1], kept[2], kept[3] = a, b, c, d
    return word, state


@njit(forceinline=True)
def in_registers(kept: Any, state: Any) -> Any:  # noqa: ARG001 - as above
    """The next word, the state being handed on from draw to draw and never stored."""
    return _xoshiro_in_place(state)


def dealing_by(next_word: Any) -> Any:  # noqa: PLR0915 - the loop is to be seen whole
    """The plain loop, with either generator."""

    @njit
    def draw(cards: Any, at: Any, kept: Any, state: Any) -> Any:
        """The next card: any of those that are left, equally likely, by Lemire's method."""
        left = np.uint64(len(cards) - at)
        word, state = next_word(kept, state)
        product = (word >> _HALF) * left
        if (product & _LOW) < left:
            least = (np.uint64(1) << _HALF) % left
            while (product & _LOW) < least:
                word, state = next_word(kept, state)
                product = (word >> _HALF) * left
        place = np.uint64(at) + (product >> _HALF)
        card = cards[place]
        cards[place] = cards[at]
        cards[at] = card
        return np.int64(card), state

    @njit(nogil=True)
    def deal_as_you_go(  # noqa: PLR0912
        runs: Any, pairs: Any, cards: Any, kept: Any, cut_card: int, shoes: int
    ) -> int:
        """Deal so many shoes, card by card; the number of rounds."""
        rounds, state = 0, (kept[0], kept[1], kept[2], kept[3])
        for _ in range(shoes):
            first, state = draw(cards, 0, kept, state)
            value = first & 15
            at = 1 + (value or 10)
            for burned in range(1, at):  # they are gone, and nobody looks at them
                _, state = draw(cards, burned, kept, state)
            out = False
            while True:
                last = out
                one, state = draw(cards, at, kept, state)
                two, state = draw(cards, at + 1, kept, state)
                three, state = draw(cards, at + 2, kept, state)
                four, state = draw(cards, at + 3, kept, state)
                at += 4
                player = ((one & 15) + (three & 15)) % 10
                banker = ((two & 15) + (four & 15)) % 10
                fifth, sixth = 0, 0
                if player < 8 and banker < 8:
                    if player <= 5:
                        card, state = draw(cards, at, kept, state)
                        at += 1
                        fifth = card & 15
                        if (
                            banker <= 2
                            or (banker == 3 and fifth != 8)
                            or (banker == 4 and 2 <= fifth <= 7)
                            or (banker == 5 and 4 <= fifth <= 7)
                            or (banker == 6 and 6 <= fifth <= 7)
                        ):
                            card, state = draw(cards, at, kept, state)
                            at += 1
                            sixth = card & 15
                    elif banker <= 5:
                        card, state = draw(cards, at, kept, state)
                        at += 1
                        fifth = card & 15
                runs[player * 1000 + banker * 100 + fifth * 10 + sixth] += 1
                if one >> 4 == three >> 4:
                    if two >> 4 == four >> 4:
                        pairs[4 if one >> 4 == two >> 4 else 3] += 1
                    else:
                        pairs[1] += 1
                elif two >> 4 == four >> 4:
                    pairs[2] += 1
                else:
                    pairs[0] += 1
                rounds += 1
                if last:
                    break
                out = len(cards) - at <= cut_card
        return rounds

    return deal_as_you_go


class Plain:
    """The plain loop with one of the two generators."""

    def __init__(self, next_word: Any) -> None:
        self._deal = dealing_by(next_word)

    def dealt(self, rules: Rulebook, decks: int, shoes: int, seed: int) -> tuple[float, Distribution]:
        """Rounds a second, and the tally."""
        job = job_of(rules, decks, seed, Procedure())
        cards = felt(job).fresh.copy()
        runs, pairs = np.zeros(RUNS, np.int64), np.zeros(len(PAIRS), np.int64)
        kept = np.random.default_rng(seed).integers(2**63, size=4).astype(np.uint64)
        begun = perf_counter()
        rounds = self._deal(runs, pairs, cards, kept, job.cut_card, shoes)
        seconds = perf_counter() - begun
        return rounds / seconds, Distribution.of_runs(rules.space, runs.tolist(), pairs.tolist())


def rate(rules: Rulebook, decks: int, shoes: int, workers: int = 1, turns: int = TURNS) -> float:
    """The best rounds a second of the simulator."""
    best = 0.0
    for _ in range(turns):
        found = simulate(rules, Amount(shoes=shoes), decks=decks, workers=workers)
        best = max(best, found.rounds / found.seconds)
    return best


def tie_share(found: Distribution) -> float:
    """The share of ties, to see that all deal the same game."""
    return sum(weight for end, weight in zip(ENDS, found.ends, strict=True) if end.winner is Winner.TIE) / found.total


def main() -> None:
    """Measure by turns, print the best of each and their ratio."""
    rules, decks = book(GAME), 8
    plain, tuned = Plain(in_memory), Plain(in_registers)
    for loop in (plain, tuned):  # compiled, before the clock runs
        loop.dealt(rules, decks, 8, 1)
    speeds: dict[str, list[float]] = {"plain": [], "tuned": [], "ours": []}
    ties: dict[str, float] = {}
    for turn in range(1, TURNS + 1):
        for name, loop in (("plain", plain), ("tuned", tuned)):
            speed, dealt = loop.dealt(rules, decks, SHOES, turn)
            speeds[name].append(speed)
            ties[name] = tie_share(dealt)
        found = simulate(rules, Amount(shoes=SHOES), decks=decks, seed=turn)
        speeds["ours"].append(found.rounds / found.seconds)
        ties["ours"] = tie_share(found.distribution)
        noise = sqrt(2 * ties["ours"] * (1 - ties["ours"]) / found.rounds)
    best = {name: max(measured) for name, measured in speeds.items()}
    print(f"one core, {decks} decks, millions of rounds a second: the best of {TURNS} turns of {SHOES:,} shoes")
    print(f"  plain loop               {best['plain'] / 1e6:7.1f}   ties {ties['plain']:.4f}")
    print(f"  its state in registers   {best['tuned'] / 1e6:7.1f}   ties {ties['tuned']:.4f}")
    print(f"  simulator                {best['ours'] / 1e6:7.1f}   ties {ties['ours']:.4f}, give or take {noise:.4f}")
    print(f"  ratio to the plain loop  {best['ours'] / best['plain']:7.2f}   (aim: at least {AIM:g})")
    print(f"  to the second            {best['ours'] / best['tuned']:7.2f}")
    _growth(rules, decks)


def _growth(rules: Rulebook, decks: int) -> None:
    print("\nwith workers")
    alone = rate(rules, decks, 4 * SHOES)
    for workers in sorted({1, 2, cores(), 2 * cores()}):
        many = alone if workers == 1 else rate(rules, decks, 4 * SHOES, workers)
        print(f"  {workers:2} {many / 1e6:7.1f}   {many / alone:5.2f} times one ({cores()} cores here)")
    print("\nwith decks")
    for each in range(rules.decks.least, rules.decks.most + 1, 2):
        print(f"  {each:2} {rate(rules, each, SHOES) / 1e6:7.1f}")
    print("\nwith bets and insurance cells: dealing, and then what all of them are worth")
    for game in book_ids():
        one = book(game)
        found = simulate(one, Amount(shoes=SHOES), decks=decks)
        speed = rate(one, decks, SHOES)
        begun = perf_counter()
        said = estimates(one, found.distribution)
        took = perf_counter() - begun
        bets, cells = len(said.bets), len(figures(one, found.distribution).insurance)
        print(f"  {game:22} {bets:2} bets {cells:3} cells {speed / 1e6:7.1f}   {took * 1e3:5.1f} ms")


def intervals(shoes: int = 400_000, rounds: int = 60, decks: int = 8) -> None:
    """The variance of what a shoe brings, beside that of as many independent rounds, for every bet of every game."""
    print(f"variance over {shoes:,} shoes of {decks} decks, {rounds} rounds each, to that of independent rounds")
    stake, ratios = 1000_00, []
    fixed = Procedure(shoe_rounds=rounds)
    for game in book_ids():
        rules = book(game)
        exact = figures(rules, solve(rules, full_shoe(rules, decks)))
        for bet, each in exact.bets.items():
            layout = next(name for name, laid in rules.layouts.items() if bet in laid.menu)
            gain = gains(rules, {bet: stake}, layout=layout)
            found = simulate_sessions(
                rules, gain, rounds=rounds, sessions=shoes, decks=decks, procedure=fixed, workers=cores()
            )
            ratios.append((found.std_minor or 0) ** 2 / (rounds * float(each.variance) * stake**2))
            print(f"  {game:22} {bet:22} {ratios[-1]:.3f}", flush=True)
    print(f"  from {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    if "--intervals" in sys.argv[1:]:
        intervals()
    else:
        main()
