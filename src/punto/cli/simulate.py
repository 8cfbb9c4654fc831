"""``punto simulate``: shoes dealt by the million, every bet and every insurance cell of a game with its interval."""

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from punto.catalogue.sentence import to_one
from punto.cli._shared.insurance_cells import CellOut
from punto.cli._shared.progress import INTERRUPTED, cores, interruptible, progress_bar, stopping
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing, right_aligned
from punto.cli._shared.wording import FAVOURS
from punto.library import book
from punto.odds.procedure import Procedure
from punto.rules.refusals import needing
from punto.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from punto.odds.simulation.estimates import Estimate, Estimates
    from punto.odds.simulation.simulator import Amount, Simulated

_BETWEEN = ("95% from", "to")
_CELL = ("stage", "insured", "P-B")


class SimulatedBetOut(Struct):
    """A bet as programs read it: the edge, between what it is to be expected, and the chance to win."""

    edge: float
    low: float
    high: float
    hit: float
    hit_low: float
    hit_high: float


class CellEstimatesOut(CellOut):
    """Insurance in one cell of points; all but ``offered`` where it was offered."""

    odds: str
    offered: float
    win: float
    push: float
    lose: float
    edge: float
    low: float
    high: float
    offered_low: float
    offered_high: float
    win_low: float
    win_high: float
    push_low: float
    push_high: float
    lose_low: float
    lose_high: float


class SimulatedOut(Struct, omit_defaults=True):
    """A simulation as programs read it."""

    game: str
    decks: int
    rounds: int
    shoes: int
    seconds: float
    bets: dict[str, SimulatedBetOut]
    insurance: list[CellEstimatesOut]
    interrupted: bool = False


@click.command("simulate")
@click.argument("game")
@click.option("--rounds", type=int, help="Deal exactly so many rounds.")
@click.option("--shoes", type=int, help="Deal so many shoes to their end.")
@click.option("--decks", type=int, help="How many decks a shoe has; the book's most if not said.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals the same shoes.")
@click.option("--workers", type=int, help="How many threads deal; as many as there are cores if not said.")
@click.option("--cut-card", type=int, default=14, show_default=True, help="How many cards from the end it lies.")
@click.option("--cluster", "address", help="Deal on the Dask cluster whose scheduler listens here.")
@json_option
def command(  # noqa: PLR0913 - click hands over each option
    *,
    game: str,
    rounds: int | None,
    shoes: int | None,
    decks: int | None,
    seed: int,
    workers: int | None,
    cut_card: int,
    address: str | None,
    as_json: bool,
) -> None:
    """Deal whole shoes of GAME, with burn and cut card, and tally every bet and insurance cell.

    Beside each figure stands the interval in which the true one is to be expected, 19 times in 20. Ctrl-C stops
    it and shows what has been dealt so far.
    """
    with refusing(as_json=as_json), interruptible():
        rules = book(game)
        with needing("odds"):
            from punto.odds.simulation.estimates import estimates  # noqa: PLC0415 - numba takes its time
            from punto.odds.simulation.simulator import Amount  # noqa: PLC0415
        amount = Amount(rounds, shoes)
        simulated = _deal(rules, amount, decks, seed, workers, Procedure(cut_card=cut_card), address)
        found = estimates(rules, simulated.distribution)
        if as_json:
            print_json(_as_json(rules, simulated, found))
        else:
            _print(rules, simulated, found)
    if not simulated.complete:
        sys.exit(INTERRUPTED)


def _deal(
    rules: Rulebook,
    amount: "Amount",
    decks: int | None,
    seed: int,
    workers: int | None,
    procedure: Procedure,
    address: str | None,
) -> "Simulated":
    from punto.odds.simulation.simulator import CHUNK_SHOES, job_of, simulate  # noqa: PLC0415

    amount.require()
    executor, chunk_shoes, threads = None, CHUNK_SHOES, cores() if workers is None else workers
    with ExitStack() as stack:
        if address is not None:
            with needing("cluster"):
                from punto.odds.simulation import cluster  # noqa: PLC0415
            chunk_shoes = cluster.CLUSTER_CHUNK_SHOES
            job = job_of(rules, decks, seed, procedure)
            executor, at_once = stack.enter_context(cluster.cluster(address, job))
            threads = at_once if workers is None else workers
        stop = stack.enter_context(stopping())
        told = stack.enter_context(progress_bar("Dealing", amount.rounds or amount.shoes or 0))
        by_rounds = amount.rounds is not None
        return simulate(
            rules,
            amount,
            decks=decks,
            seed=seed,
            procedure=procedure,
            workers=threads,
            executor=executor,
            chunk_shoes=chunk_shoes,
            progress=told and (lambda dealt, begun: told(dealt if by_rounds else begun, dealt)),
            stop=stop,
        )


def _as_json(rules: Rulebook, simulated: "Simulated", found: "Estimates") -> SimulatedOut:
    bets = {
        bet: SimulatedBetOut(
            each.edge.value, each.edge.low, each.edge.high, each.hit.value, each.hit.low, each.hit.high
        )
        for bet, each in found.bets.items()
    }
    cells = [
        CellEstimatesOut(
            stage=cell.stage,
            side=cell.side,
            player=cell.player,
            banker=cell.banker,
            odds=cell.odds,
            offered=cell.offered.value,
            win=cell.win.value,
            push=cell.push.value,
            lose=cell.lose.value,
            edge=cell.edge.value,
            low=cell.edge.low,
            high=cell.edge.high,
            offered_low=cell.offered.low,
            offered_high=cell.offered.high,
            win_low=cell.win.low,
            win_high=cell.win.high,
            push_low=cell.push.low,
            push_high=cell.push.high,
            lose_low=cell.lose.low,
            lose_high=cell.lose.high,
        )
        for cell in found.insurance
    ]
    return SimulatedOut(
        game=rules.id,
        decks=simulated.decks,
        rounds=simulated.rounds,
        shoes=simulated.shoes,
        seconds=simulated.seconds,
        bets=bets,
        insurance=cells,
        interrupted=not simulated.complete,
    )


def _print(rules: Rulebook, simulated: "Simulated", found: "Estimates") -> None:
    click.secho(f"{rules.title}, {simulated.decks} decks", bold=True)
    rate = simulated.rounds / simulated.seconds / 1e6
    click.echo(
        f"{simulated.rounds:,} rounds of {simulated.shoes:,} shoes, seed {simulated.seed}, "
        f"in {simulated.seconds:,.2f} s: {rate:,.1f} million rounds a second"
    )
    if not simulated.complete:
        click.secho("Stopped before all was dealt that was asked for.", fg="yellow")
    click.secho("\nBets", bold=True)
    rows = [
        [rules.bets[bet].name, *_cells(each.edge), *_cells(each.hit), _favours(each.edge)]
        for bet, each in found.bets.items()
    ]
    _print_right(rows, ["", "house edge", *_BETWEEN, "hit", *_BETWEEN, ""], 1)
    if found.insurance:
        click.secho("\nInsurance, where it was offered", bold=True)
        named = [([str(cell.stage), str(cell.side), f"{cell.player}-{cell.banker}"], cell) for cell in found.insurance]
        rows = [
            [*name, to_one(cell.odds), *_cells(cell.edge), *_cells(cell.win), _favours(cell.edge)]
            for name, cell in named
        ]
        _print_right(rows, [*_CELL, "odds", "house edge", *_BETWEEN, "win", *_BETWEEN, ""], 4)
        click.echo()
        rows = [[*name, *_cells(cell.push), *_cells(cell.lose), *_cells(cell.offered)] for name, cell in named]
        _print_right(rows, [*_CELL, "push", *_BETWEEN, "lose", *_BETWEEN, "offered", *_BETWEEN], 3)


def _print_right(rows: list[list[str]], head: list[str], words: int) -> None:
    head, *rows = right_aligned([head, *rows], words)
    print_table(rows, head)


def _cells(estimate: "Estimate") -> list[str]:
    return [f"{each:.4%}" for each in (estimate.value, estimate.low, estimate.high)]


def _favours(edge: "Estimate") -> str:
    """Said where it is certain, as far as it goes."""
    return click.style(FAVOURS, fg="yellow") if edge.high < 0 else ""
