"""The simulator, compared with a plain compiled loop that deals card by card, on one core, in alternation.

The plain loop is a good first version: a fast generator, an unbiased draw for each card from the rest of the shoe, the
Table of Play by branches, burn and cut card, and the same histogram over runs and pairs. It is measured a second time
with the generator's state forced into registers, which is about the best it can do. A continuous shuffler is measured
in the same turns. After that: speed by number of workers, decks and bets.

``--intervals`` measures instead how far the rounds of one shoe are from independent ones, for each bet.
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
from punto.odds.procedure import Procedure, continuous
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
TURNS = 40  # many and short: in the best one nothing else was running
AIM = 2.5
BACK_AFTER = (1, 10)

_LEFT_17, _LEFT_23, _LEFT_45 = np.uint64(17), np.uint64(23), np.uint64(45)
_RIGHT_41, _RIGHT_19 = np.uint64(41), np.uint64(19)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def xoshiro(state: Any) -> tuple[Any, Any]:
    """The next word of xoshiro256++, and the next state."""
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
def in_memory(stored: Any, state: Any) -> Any:
    """The next word, with the state stored in an array, as usual."""
    word, (a, b, c, d) = _xoshiro(stored)
    stored[0], stored[1], stored[2], stored[3] = a, b, c, d
    return word, state


@njit(forceinline=True)
def in_registers(stored: Any, state: Any) -> Any:  # noqa: ARG001 - same signature as in_memory
    """The next word, with the state passed from draw to draw and never stored."""
    return _xoshiro_in_place(state)


def make_plain_loop(next_word: Any) -> Any:  # noqa: PLR0915 - one loop, kept in one place
    """The plain loop, with either generator."""

    @njit
    def draw(cards: Any, at: Any, stored: Any, state: Any) -> Any:
        """Draw one of the cards left, all equally likely, by Lemire's method."""
        left = np.uint64(len(cards) - at)
        word, state = next_word(stored, state)
        product = (word >> _HALF) * left
        if (product & _LOW) < left:
            least = (np.uint64(1) << _HALF) % left
            while (product & _LOW) < least:
                word, state = next_word(stored, state)
                product = (word >> _HALF) * left
        place = np.uint64(at) + (product >> _HALF)
        card = cards[place]
        cards[place] = cards[at]
        cards[at] = card
        return np.int64(card), state

    @njit(nogil=True)
    def deal_as_you_go(  # noqa: PLR0912
        runs: Any, pairs: Any, cards: Any, stored: Any, cut_card: int, shoes: int
    ) -> int:
        """Deal shoes card by card. Returns the number of rounds."""
        rounds, state = 0, (stored[0], stored[1], stored[2], stored[3])
        for _ in range(shoes):
            first, state = draw(cards, 0, stored, state)
            value = first & 15
            at = 1 + (value or 10)
            for burned in range(1, at):  # burned unseen
                _, state = draw(cards, burned, stored, state)
            out = False
            while True:
                last = out
                one, state = draw(cards, at, stored, state)
                two, state = draw(cards, at + 1, stored, state)
                three, state = draw(cards, at + 2, stored, state)
                four, state = draw(cards, at + 3, stored, state)
                at += 4
                player = ((one & 15) + (three & 15)) % 10
                banker = ((two & 15) + (four & 15)) % 10
                fifth, sixth = 0, 0
                if player < 8 and banker < 8:
                    if player <= 5:
                        card, state = draw(cards, at, stored, state)
                        at += 1
                        fifth = card & 15
                        if (
                            banker <= 2
                            or (banker == 3 and fifth != 8)
                            or (banker == 4 and 2 <= fifth <= 7)
                            or (banker == 5 and 4 <= fifth <= 7)
                            or (banker == 6 and 6 <= fifth <= 7)
                        ):
                            card, state = draw(cards, at, stored, state)
                            at += 1
                            sixth = card & 15
                    elif banker <= 5:
                        card, state = draw(cards, at, stored, state)
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
        self._deal = make_plain_loop(next_word)

    def deal(self, rules: Rulebook, decks: int, shoes: int, seed: int) -> tuple[float, Distribution]:
        """Deal shoes. Returns rounds per second, and the distribution."""
        job = job_of(rules, decks, seed, Procedure())
        cards = felt(job).fresh.copy()
        runs, pairs = np.zeros(RUNS, np.int64), np.zeros(len(PAIRS), np.int64)
        stored = np.random.default_rng(seed).integers(2**63, size=4).astype(np.uint64)
        started = perf_counter()
        rounds = self._deal(runs, pairs, cards, stored, job.cut_card, shoes)
        seconds = perf_counter() - started
        return rounds / seconds, Distribution.of_runs(rules.space, runs.tolist(), pairs.tolist())


def rate(rules: Rulebook, decks: int, shoes: int, workers: int = 1, turns: int = TURNS) -> float:
    """The simulator's best rounds per second."""
    best = 0.0
    for _ in range(turns):
        result = simulate(rules, Amount(shoes=shoes), decks=decks, workers=workers)
        best = max(best, result.rounds / result.seconds)
    return best


def tie_share(dealt: Distribution) -> float:
    """The share of ties, to check that all loops deal the same game."""
    return sum(weight for end, weight in zip(ENDS, dealt.ends, strict=True) if end.winner is Winner.TIE) / dealt.total


def main() -> None:
    rules, decks = book(GAME), 8
    plain, tuned = Plain(in_memory), Plain(in_registers)
    for loop in (plain, tuned):  # compile before measuring
        loop.deal(rules, decks, 8, 1)
    speeds: dict[str, list[float]] = {"plain": [], "tuned": [], "punto": [], **{str(each): [] for each in BACK_AFTER}}
    ties: dict[str, float] = {}
    for turn in range(1, TURNS + 1):
        for name, loop in (("plain", plain), ("tuned", tuned)):
            speed, dealt = loop.deal(rules, decks, SHOES, turn)
            speeds[name].append(speed)
            ties[name] = tie_share(dealt)
        result = simulate(rules, Amount(shoes=SHOES), decks=decks, seed=turn)
        speeds["punto"].append(result.rounds / result.seconds)
        ties["punto"] = tie_share(result.distribution)
        for each in BACK_AFTER:
            machine = simulate(rules, Amount(rounds=result.rounds), decks=decks, seed=turn, procedure=continuous(each))
            speeds[str(each)].append(machine.rounds / machine.seconds)
            ties[str(each)] = tie_share(machine.distribution)
        noise = sqrt(2 * ties["punto"] * (1 - ties["punto"]) / result.rounds)
    best = {name: max(measured) for name, measured in speeds.items()}
    print(f"one core, {decks} decks, millions of rounds per second: the best of {TURNS} turns of {SHOES:,} shoes")
    print(f"  plain loop               {best['plain'] / 1e6:7.1f}   ties {ties['plain']:.4f}")
    print(f"  with state in registers  {best['tuned'] / 1e6:7.1f}   ties {ties['tuned']:.4f}")
    print(f"  simulator                {best['punto'] / 1e6:7.1f}   ties {ties['punto']:.4f} ± {noise:.4f}")
    print(f"  ratio to the plain loop  {best['punto'] / best['plain']:7.2f}   (aim: at least {AIM:g})")
    print(f"  ratio to the tuned loop  {best['punto'] / best['tuned']:7.2f}")
    for each in BACK_AFTER:
        speed = best[str(each)]
        print(f"  continuous, back after {each:2} {speed / 1e6:6.1f}   ties {ties[str(each)]:.4f} ± {noise:.4f}")
        print(f"  ratio to the plain loop  {speed / best['plain']:7.2f}")
        print(f"  ratio to the simulator   {speed / best['punto']:7.2f}")
    _growth(rules, decks)


def _growth(rules: Rulebook, decks: int) -> None:
    print("\nby workers")
    alone = rate(rules, decks, 4 * SHOES)
    for workers in sorted({1, 2, cores(), 2 * cores()}):
        many = alone if workers == 1 else rate(rules, decks, 4 * SHOES, workers)
        print(f"  {workers:2} {many / 1e6:7.1f}   {many / alone:5.2f} times one worker ({cores()} cores here)")
    print("\nby decks")
    for each in range(rules.decks.least, rules.decks.most + 1, 2):
        print(f"  {each:2} {rate(rules, each, SHOES) / 1e6:7.1f}")
    print("\nby game: dealing, then the time to estimate all bets and insurance cells")
    for game in book_ids():
        game_rules = book(game)
        result = simulate(game_rules, Amount(shoes=SHOES), decks=decks)
        speed = rate(game_rules, decks, SHOES)
        started = perf_counter()
        estimated = estimates(game_rules, result.distribution)
        took = perf_counter() - started
        bets, cells = len(estimated.bets), len(figures(game_rules, result.distribution).insurance)
        print(f"  {game:22} {bets:2} bets {cells:3} cells {speed / 1e6:7.1f}   {took * 1e3:5.1f} ms")


def intervals(shoes: int = 400_000, rounds: int = 60, decks: int = 8) -> None:
    """For every bet of every game, the variance of a shoe's total relative to that of independent rounds."""
    print(f"variance over {shoes:,} shoes of {decks} decks, {rounds} rounds each, relative to independent rounds")
    stake, ratios = 1000_00, []
    fixed = Procedure(shoe_rounds=rounds)
    for game in book_ids():
        rules = book(game)
        exact = figures(rules, solve(rules, full_shoe(rules, decks)))
        for bet, each in exact.bets.items():
            layout = next(name for name, each_layout in rules.layouts.items() if bet in each_layout.menu)
            gain = gains(rules, {bet: stake}, layout=layout)
            results = simulate_sessions(
                rules, gain, rounds=rounds, sessions=shoes, decks=decks, procedure=fixed, workers=cores()
            )
            ratios.append((results.std_minor or 0) ** 2 / (rounds * float(each.variance) * stake**2))
            print(f"  {game:22} {bet:22} {ratios[-1]:.3f}", flush=True)
    print(f"  from {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    if "--intervals" in sys.argv[1:]:
        intervals()
    else:
        main()
