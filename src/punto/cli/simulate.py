"""``punto simulate``: deal shoes by the million, and estimate every bet and insurance cell of a game."""

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from punto.catalogue.sentence import write
from punto.catalogue.values import Odds, write_count
from punto.cli._shared.insurance_cells import CellOut
from punto.cli._shared.procedure_options import dealt_from_machine, procedure_options, read_back_after
from punto.cli._shared.progress import INTERRUPTED, cores, interruptible, progress_bar, stopping
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing, right_aligned
from punto.cli._shared.wording import FAVOURS
from punto.library import game as read_game
from punto.odds.procedure import Procedure, procedure_of
from punto.rules.refusals import needing
from punto.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from punto.odds.simulation.estimates import Estimate, Estimates
    from punto.odds.simulation.simulator import Amount, Simulated

_INTERVAL = ("95% from", "to")
_CELL = ("stage", "insured", "P-B")


class SimulatedBetOut(Struct):
    """House edge and chance to win, each with its 95% interval."""

    edge: float
    low: float
    high: float
    hit: float
    hit_low: float
    hit_high: float


class CellEstimatesOut(CellOut):
    """Insurance in one cell of points. All but ``offered`` are given that insurance was offered."""

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
    game: str
    decks: int
    rounds: int
    shoes: int
    seconds: float
    bets: dict[str, SimulatedBetOut]
    insurance: list[CellEstimatesOut]
    continuous: bool = False
    back_after: int | None = None
    interrupted: bool = False


@click.command("simulate")
@click.argument("game")
@click.option("--rounds", type=int, help="Number of rounds to deal.")
@click.option("--shoes", type=int, help="Number of shoes to deal, each to its end.")
@click.option("--decks", type=int, help="Decks in a shoe. Default: the most the book allows.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals the same shoes.")
@click.option("--workers", type=int, help="Number of threads. Default: one per core.")
@procedure_options("--cut-card")
@click.option(
    "--cluster",
    "address",
    metavar="ADDRESS",
    help="Deal on a Dask cluster; ADDRESS is its scheduler's, such as tcp://10.0.0.5:8786.",
)
@json_option
def command(  # noqa: PLR0913 - click hands over each option
    *,
    game: str,
    rounds: int | None,
    shoes: int | None,
    decks: int | None,
    seed: int,
    workers: int | None,
    cut_card: int | None,
    continuous: bool,
    back_after: int | None,
    address: str | None,
    as_json: bool,
) -> None:
    """Simulate whole shoes of GAME and estimate its odds.

    Estimates every bet and insurance cell. Give --rounds or --shoes. Shoes are burned and cut as at a table. Each
    figure has its 95% confidence interval. Ctrl-C stops the simulation and shows the results so far. With --continuous
    give --rounds: every card that is in the shuffler is equally likely to come next.

    \b
    Example:
      punto simulate commission --rounds 1000000
    """
    with refusing(as_json=as_json), interruptible():
        rules = read_game(game)
        with needing("odds"):
            from punto.odds.simulation.estimates import estimates  # noqa: PLC0415 - numba is slow to import
            from punto.odds.simulation.simulator import Amount  # noqa: PLC0415
        amount = Amount(rounds, shoes)
        procedure = procedure_of(cut_card, read_back_after(back_after, continuous=continuous))
        simulated = _deal(rules, amount, decks, seed, workers, procedure, address)
        estimated = estimates(rules, simulated.distribution)
        if as_json:
            print_json(_as_json(rules, simulated, estimated, procedure.back_after))
        else:
            _print(rules, simulated, estimated, procedure.back_after)
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
            executor, cluster_threads = stack.enter_context(cluster.cluster(address, job))
            threads = cluster_threads if workers is None else workers
        stop = stack.enter_context(stopping())
        show = stack.enter_context(progress_bar("Dealing", amount.rounds or amount.shoes or 0))
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
            progress=show and (lambda rounds, shoes: show(rounds if by_rounds else shoes, rounds)),
            stop=stop,
        )


def _as_json(rules: Rulebook, simulated: "Simulated", estimated: "Estimates", back_after: int | None) -> SimulatedOut:
    bets = {
        bet: SimulatedBetOut(
            each.edge.value, each.edge.low, each.edge.high, each.hit.value, each.hit.low, each.hit.high
        )
        for bet, each in estimated.bets.items()
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
        for cell in estimated.insurance
    ]
    return SimulatedOut(
        game=rules.id,
        decks=simulated.decks,
        rounds=simulated.rounds,
        shoes=simulated.shoes,
        seconds=simulated.seconds,
        bets=bets,
        insurance=cells,
        continuous=back_after is not None,
        back_after=back_after,
        interrupted=not simulated.complete,
    )


def _print(rules: Rulebook, simulated: "Simulated", estimated: "Estimates", back_after: int | None) -> None:
    click.secho(f"{rules.title}, {write_count(simulated.decks, 'deck')}", bold=True)
    rate = simulated.rounds / simulated.seconds / 1e6
    dealt_from = f"of {write_count(simulated.shoes, 'shoe')}" if back_after is None else dealt_from_machine(back_after)
    click.echo(
        f"{write_count(simulated.rounds, 'round')} {dealt_from}, seed {simulated.seed}, "
        f"in {simulated.seconds:,.2f} s: {rate:,.1f} million rounds a second"
    )
    if not simulated.complete:
        click.secho("Stopped before all was dealt.", fg="yellow")
    click.secho("\nBets", bold=True)
    rows = [
        [rules.bets[bet].name, *_cells(each.edge), *_cells(each.hit), _favours(each.edge)]
        for bet, each in estimated.bets.items()
    ]
    _print_right(rows, ["", "house edge", *_INTERVAL, "hit", *_INTERVAL, ""], 1)
    if estimated.insurance:
        click.secho("\nInsurance, where it was offered", bold=True)
        cells = [
            ([str(cell.stage), str(cell.side), f"{cell.player}-{cell.banker}"], cell) for cell in estimated.insurance
        ]
        rows = [
            [*name, write(Odds(cell.odds)), *_cells(cell.edge), *_cells(cell.win), _favours(cell.edge)]
            for name, cell in cells
        ]
        _print_right(rows, [*_CELL, "odds", "house edge", *_INTERVAL, "win", *_INTERVAL, ""], 4)
        click.echo()
        rows = [[*name, *_cells(cell.push), *_cells(cell.lose), *_cells(cell.offered)] for name, cell in cells]
        _print_right(rows, [*_CELL, "push", *_INTERVAL, "lose", *_INTERVAL, "offered", *_INTERVAL], 3)


def _print_right(rows: list[list[str]], head: list[str], left_columns: int) -> None:
    head, *rows = right_aligned([head, *rows], left_columns)
    print_table(rows, head)


def _cells(estimate: "Estimate") -> list[str]:
    return [f"{each:.4%}" for each in (estimate.value, estimate.low, estimate.high)]


def _favours(edge: "Estimate") -> str:
    """Marked only if the whole interval favours the bettor."""
    return click.style(FAVOURS, fg="yellow") if edge.high < 0 else ""
