"""What a counter gained, as ``punto count`` prints it: at a shoe, or at a shuffler that takes cards back."""

import click

from punto.catalogue.values import write_count
from punto.cli._shared.odds_tables import percent
from punto.cli._shared.terminal import print_table
from punto.odds.counting.advantage import Advantage, Counted
from punto.odds.counting.count_tags import Count

_PER = 100  # rounds


def print_shoes(counted: Counted, cut_card: int) -> None:
    rounds = counted.rounds / counted.shoes
    click.secho(
        f"Dealt: {write_count(counted.shoes, 'shoe')}, {rounds:.1f} rounds each, the cut card {cut_card} from the end",
        bold=True,
    )
    _print_gains(counted, "units per shoe")


def print_machine(counted: Counted | None, count: Count, back_after: int) -> None:
    """Say what counting is worth if cards go back into the shuffler after ``back_after`` rounds."""
    if back_after == 1:
        edge = percent(count.effects.edge).strip()
        click.secho("Cards go back after each round: counting is worth exactly nothing.", bold=True)
        click.echo(f"Every round starts from the whole set, and the house's edge before it is always {edge}.")
        return
    out = "the last round" if back_after == 2 else f"the last {back_after - 1:,} rounds"
    if counted is None:
        click.echo(f"Cards go back after {back_after:,} rounds: only those of {out} can be counted.")
        return
    click.secho(f"Dealt: {write_count(counted.rounds, 'round')}; cards go back after {back_after:,} rounds", bold=True)
    _print_gains(counted, f"units per {_PER} rounds")
    least, most = (percent(edge).strip() for edge in (counted.least_edge, counted.most_edge))
    click.echo(f"Only the cards of {out} can be counted. The house's edge was {least} to {most}.")
    click.echo(_worth(counted, back_after))


def _worth(counted: Counted, back_after: int) -> str:
    """What counting is worth at a shuffler, in words.

    What does not happen in N independent trials has, with 95% confidence, a chance of less than 3 / N. Rounds count as
    independent if they are so far apart that no card is out in both.
    """
    if not counted.exact.bets:
        most = min(3 * (back_after - 1) / counted.rounds, 1)
        return (
            f"The bet favoured the bettor in none of {write_count(counted.rounds, 'round')}: counting gained nothing.\n"
            f"With 95% confidence, it does so in fewer than {most:.4%} of rounds."
        )
    gain, error = _PER * counted.exact.gain_per_round, counted.exact.gain_per_round_error
    interval = "" if error is None else f" ± {2 * _PER * error:.5f}"
    return f"At best, counting gains {gain:.5f}{interval} units in {_PER} rounds, one unit staked at a time."


def _print_gains(counted: Counted, per: str) -> None:
    rows = [_row("exact odds", counted.exact, per)]
    if counted.best is not None:
        rows.append(_row("best tags", counted.best, per))
    for level, advantage in counted.levels.items():
        rows.append(_row(f"level {level}", advantage, per))
    print_table(rows, ["judged by", "   bets in", "gain per bet", per, "", "betting correlation"])
    click.echo("Gains are expectations of one unit staked; ± is two standard errors.")


def _row(name: str, advantage: Advantage, per: str) -> list[str]:
    gain, error, correlation = advantage.gain_per_shoe, advantage.gain_per_shoe_error, advantage.correlation
    if gain is None:  # a shuffler has no shoes
        each = advantage.gain_per_round_error
        gain, error = _PER * advantage.gain_per_round, None if each is None else _PER * each
    return [
        name,
        percent(advantage.frequency),
        f"{percent(advantage.gain_per_bet):>12}",
        f"{gain:{len(per)}.5f}",
        "" if error is None else f"± {2 * error:.5f}",
        f"{'-':>19}" if correlation is None else f"{correlation:19.4f}",
    ]
