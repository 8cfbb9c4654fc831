"""Whole rounds at a table: commands decided and applied, compared with an empty call of the same shape.

Seven boxes with three bets each, insurance where it is offered, and settlement. As the history grows, the cost of a
command and the size of the table must not.
"""

import random
import time
from collections.abc import Callable

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import handle, next_step
from punto.table.decision import Decision
from punto.table.records import commands
from punto.table.records.commands import Command
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, BetLimits, Settings
from punto.table.records.state import Table

BOXES = 7
ROUNDS = 2_000
AIM = 3_000

Handle = Callable[[Rulebook, Table, Command], tuple[Table, Decision]]


def opened(rules: Rulebook) -> Table:
    """An open table with seven players who never run out of chips."""
    supervisor = ("sue", Position.PIT_SUPERVISOR)
    settings = Settings(
        layout="D",
        boxes=BOXES,
        main=BetLimits(10_00, 5_000_00),
        side=BetLimits(5_00, 500_00),
        differential_minor=5_000_00,
        automations=tuple(Automation),
        burn=False,
    )
    table = Table()
    for command in (
        commands.OpenTable(*supervisor, settings),
        *(commands.BuyIn(*supervisor, f"p{box}", 10**12) for box in range(1, BOXES + 1)),
        *(commands.Sit(*supervisor, f"p{box}", box) for box in range(1, BOXES + 1)),
    ):
        table, decision = handle(rules, table, command)
        if isinstance(decision, Refusal):
            raise SystemExit(decision.message)
    return table


def commands_of(rules: Rulebook, rounds: int, seed: int) -> list[Command]:
    """The commands of this many rounds, with a new shoe whenever the old one ends."""
    draw = random.Random(seed)
    bets = (("banker", 100_00), ("tie", 10_00), ("player_pair", 10_00))
    table = opened(rules)
    given: list[Command] = []
    shoe: list[Card] = []
    shoes = 0

    def give(command: Command) -> None:
        nonlocal table
        table, decision = handle(rules, table, command)
        if isinstance(decision, Refusal):
            raise SystemExit(f"{command}: {decision.message}")
        given.append(command)

    for _ in range(rounds):
        if len(shoe) < 20:
            shoes += 1
            shoe = list(Card) * 8
            draw.shuffle(shoe)
            give(commands.LoadShoe("sue", Position.PIT_SUPERVISOR, f"shoe {shoes}", 8))
        give(commands.OpenBetting("dee", Position.DEALER))
        for box in range(1, BOXES + 1):
            for bet, stake in bets:
                give(commands.PlaceBet(f"p{box}", Position.PLAYER, f"p{box}", box, bet, stake))
        while step := next_step(rules, table):
            if step.automation is Automation.NEXT_ROUND:
                break
            if step.automation is Automation.CLOSE_INSURANCE:
                for box in range(1, BOXES + 1):
                    give(commands.TakeInsurance(f"p{box}", Position.PLAYER, f"p{box}", box, 1_00))
            give(step.command(shoe.pop() if step.needs_card else None))
    return given


def seconds(run: Handle, rules: Rulebook, given: list[Command], table: Table) -> tuple[float, Table]:
    """Time for the commands, and the table after them."""
    start = time.perf_counter()
    for command in given:
        table, _ = run(rules, table, command)
    return time.perf_counter() - start, table


def empty(_: Rulebook, table: Table, __: Command) -> tuple[Table, Decision]:
    """Does nothing."""
    return table, ()


def main() -> None:
    rules = book("commission-insurance")
    given = commands_of(rules, ROUNDS, seed=1)
    start = opened(rules)
    best = nothing = float("inf")
    for _ in range(3):
        nothing = min(nothing, seconds(empty, rules, given, start)[0])
        best = min(best, seconds(handle, rules, given, start)[0])
    each, call = best / len(given) * 1e6, nothing / len(given) * 1e6
    print(f"commands per round {len(given) / ROUNDS:8.1f}")
    print(f"rounds per second  {ROUNDS / best:8,.0f}  (aim: {AIM:,})")
    print(f"time per command   {each:8.2f} us, {each / call:.0f} times an empty call of {call:.2f} us")
    tenth = len(given) // 10
    first, _ = seconds(handle, rules, given[:tenth], start)
    _, late = seconds(handle, rules, given[:-tenth], start)
    last, _ = seconds(handle, rules, given[-tenth:], late)
    print(f"growth             {last / first:8.2f}  cost of the last tenth relative to the first")
    _, few = seconds(handle, rules, commands_of(rules, 10, seed=2), start)
    _, many = seconds(handle, rules, commands_of(rules, 10_000, seed=2), start)
    print(f"size of the table  {len(repr(many)) / len(repr(few)):8.2f}  as text, after 10,000 rounds relative to 10")


if __name__ == "__main__":
    main()
