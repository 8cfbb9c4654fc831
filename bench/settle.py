"""``punto settle``, compared with only decoding the same lines into typed records and encoding them again.

The ratio matters: both are measured in one run on the same machine, in alternation. Memory is measured by settling ten
times as many lines in a new process.
"""

import gc
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from punto import book, book_ids
from punto.cli.settle import RoundIn, settle_lines

ROUNDS = 100_000
BETS = 5
TURNS = 5
AIM = 6.0


def generated(rounds: int, seed: int = 1) -> list[bytes]:
    """Random lines of all games, with five bets each."""
    draw = random.Random(seed)
    deck = [rank + suit for rank in "A23456789TJQK" for suit in "shdc"]
    menus = []
    for game in book_ids():
        rules = book(game)
        menus += [(game, layout.id, layout.menu) for layout in rules.layouts.values()]
    lines = []
    for _ in range(rounds):
        game, layout, menu = draw.choice(menus)
        bets = [
            {"who": f"p{at}", "bet": draw.choice(menu), "stake": f"{draw.randrange(5, 2001) * 5}.00"}
            for at in range(BETS)
        ]
        cards = draw.choices(deck, k=6)
        lines.append(msgspec.json.encode({"game": game, "layout": layout, "cards": cards, "bets": bets}) + b"\n")
    return lines


def settled(lines: list[bytes]) -> float:
    """Seconds to settle the lines, as the command does."""
    start = time.perf_counter()
    settle_lines(lines, len)
    return time.perf_counter() - start


def echoed(lines: list[bytes]) -> float:
    """Seconds to decode the lines into typed records and encode them again."""
    decode = msgspec.json.Decoder(RoundIn).decode
    encode = msgspec.json.Encoder().encode
    gc.disable()  # as settling does
    start = time.perf_counter()
    for line in lines:
        encode(decode(line))
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds


PEAK = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "punto", "settle", sys.argv[1]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_kib(lines: list[bytes], times: int) -> int:
    """Peak memory of a ``punto settle`` process with the lines repeated ``times`` times.

    A small process starts it, because a child's peak includes its parent's memory at the fork.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rounds.jsonl"
        with path.open("wb") as file:
            for _ in range(times):
                file.writelines(lines)
        command = [sys.executable, "-c", PEAK, str(path)]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    lines = generated(ROUNDS)
    first_echoed, first_settled = echoed(lines), settled(lines)  # as in a new process
    best_settled = best_echoed = float("inf")
    for _ in range(TURNS):
        best_echoed = min(best_echoed, echoed(lines))
        best_settled = min(best_settled, settled(lines))
    per_round = 1e6 / ROUNDS
    print(f"decode and encode  {best_echoed * per_round:6.2f} us per round")
    speed = ROUNDS / best_settled
    print(f"settle             {best_settled * per_round:6.2f} us per round, {speed:,.0f} rounds per second")
    print(f"ratio              {best_settled / best_echoed:6.2f}  (aim: at most {AIM:g})")
    print(f"first run          {first_settled / first_echoed:6.2f}  including building all tables")
    small, large = peak_kib(lines[:10_000], 1), peak_kib(lines[:10_000], 10)
    print(f"memory             {large / small:6.2f}  times the peak with a tenth of the lines ({large:,} KiB)")


if __name__ == "__main__":
    main()
