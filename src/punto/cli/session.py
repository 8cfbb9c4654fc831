"""``punto session``: simulate playing sessions, and show the results in numbers and as a chart."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from punto.catalogue.values import write_count
from punto.cli._shared.output_file import output_file
from punto.cli._shared.procedure_options import dealt_from_machine, procedure_options, read_back_after
from punto.cli._shared.progress import INTERRUPTED, cores, interruptible, progress_bar, stopping
from punto.cli._shared.terminal import coloured, json_option, print_json, print_table, refusing, right_aligned
from punto.library import game as read_game
from punto.odds.procedure import procedure_of
from punto.odds.sessions.wagers import WHO, Insure, gains
from punto.rules.money import read_amount, write_amount
from punto.rules.refusals import Code, Refused, needing
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import bad_stake

if TYPE_CHECKING:
    from punto.odds.sessions.session_simulator import SimulatedSessions
    from punto.odds.simulation.estimates import Estimate

_INSURED = {
    Insure.NEVER: "",
    Insure.ALWAYS: "; insured whenever insurance is offered",
    Insure.FAVOURABLE: "; insured where insurance favours the bettor",
}


class BinOut(Struct, rename={"from_": "from"}):
    """Number of sessions that ended at ``from`` or above, and below ``to``."""

    from_: str
    to: str
    sessions: int


class SessionOut(Struct, omit_defaults=True):
    game: str
    decks: int
    bets: dict[str, str]
    insure: str
    rounds: int
    sessions: int
    bankroll: str | None
    mean: str
    low: str | None
    high: str | None
    std: str | None
    quantiles: dict[str, str]
    least: str
    most: str
    ahead: float
    even: float
    behind: float
    ruin: float | None
    histogram: list[BinOut]
    continuous: bool = False
    back_after: int | None = None
    interrupted: bool = False


@click.command("session")
@click.argument("game")
@click.option("--bet", "bets_text", multiple=True, metavar="BET=STAKE", help="Bet placed every round. Repeatable.")
@click.option(
    "--insure",
    type=click.Choice([each.value for each in Insure]),
    default="never",
    show_default=True,
    help="When to take insurance, each time the most the book allows.",
)
@click.option("--rounds", type=int, default=80, show_default=True, help="Rounds in a session.")
@click.option("--sessions", type=int, default=20_000, show_default=True, help="Sessions to play.")
@click.option("--bankroll", metavar="AMOUNT", help="The player's money at the start. Default: no limit.")
@click.option("--layout", help="Layout of the table, if its layouts have different bets.")
@click.option("--decks", type=int, help="Decks in a shoe. Default: the most the book allows.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed plays the same sessions.")
@click.option("--workers", type=int, help="Number of threads. Default: one per core.")
@procedure_options("--cut-card")
@click.option("--plot", type=click.Path(path_type=Path), help="Write a chart to this SVG file.")
@json_option
def command(  # noqa: PLR0913 - click hands over each option
    *,
    game: str,
    bets_text: tuple[str, ...],
    insure: str,
    rounds: int,
    sessions: int,
    bankroll: str | None,
    layout: str | None,
    decks: int | None,
    seed: int,
    workers: int | None,
    cut_card: int | None,
    continuous: bool,
    back_after: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Simulate many sessions of GAME with the same bets every round.

    Insurance is taken never, always, or where it favours the bettor on a full shoe. With a bankroll, a player stops
    once it no longer covers the bets and the insurance of a round. Ctrl-C stops the simulation and shows the sessions
    played so far.

    \b
    Example:
      punto session commission --bet banker=100 --bet tie=10 --plot session.svg
    """
    with refusing(as_json=as_json), interruptible():
        rules = read_game(game)
        machine = read_back_after(back_after, continuous=continuous)
        bets, choice = _read_bets(bets_text), Insure(insure)
        start = None if bankroll is None else read_amount(bankroll)
        gain = gains(rules, bets, choice, decks=decks, layout=layout)
        with needing("odds"):
            from punto.odds.sessions.picture import sessions_svg  # noqa: PLC0415 - numba is slow to import
            from punto.odds.sessions.session_simulator import simulate_sessions  # noqa: PLC0415
        with output_file(plot) as draw:
            with stopping() as stop, progress_bar("Playing", sessions) as progress:
                results = simulate_sessions(
                    rules,
                    gain,
                    rounds=rounds,
                    sessions=sessions,
                    bankroll_minor=start,
                    decks=decks,
                    seed=seed,
                    procedure=procedure_of(cut_card, machine),
                    workers=cores() if workers is None else workers,
                    progress=progress,
                    stop=stop,
                )
            if draw is not None:
                draw(sessions_svg(results, rules.title, _bets_line(rules, bets, choice, start)))
        if as_json:
            print_json(_as_json(rules, bets, choice, results, machine))
        else:
            _print(rules, _bets_line(rules, bets, choice, start), results, machine)
    if not results.complete:
        sys.exit(INTERRUPTED)


def _read_bets(texts: tuple[str, ...]) -> dict[str, int]:
    bets: dict[str, int] = {}
    for each in texts:
        bet, equals, amount = each.partition("=")
        if not equals:
            raise Refused(Code.NOT_AN_AMOUNT, variant="bet", text=each[:40])
        stake = read_amount(amount)
        if stake <= 0:
            raise bad_stake(WHO, bet, stake)
        bets[bet] = bets.get(bet, 0) + stake
    return bets


def _bets_line(rules: Rulebook, bets: dict[str, int], insure: Insure, bankroll_minor: int | None) -> str:
    stakes = ", ".join(f"{write_amount(stake)} on {rules.bets[bet].name}" for bet, stake in bets.items())
    bankroll = "" if bankroll_minor is None else f"; bankroll {write_amount(bankroll_minor)}"
    return stakes + _INSURED[insure] + bankroll


def _as_json(
    rules: Rulebook, bets: dict[str, int], insure: Insure, results: "SimulatedSessions", back_after: int | None
) -> SessionOut:
    return SessionOut(
        game=rules.id,
        decks=results.decks,
        bets={bet: write_amount(stake) for bet, stake in bets.items()},
        insure=insure,
        rounds=results.rounds,
        sessions=results.sessions,
        bankroll=None if results.bankroll_minor is None else write_amount(results.bankroll_minor),
        mean=write_amount(round(results.mean_minor.value)),
        low=_rounded(results.mean_minor.low),
        high=_rounded(results.mean_minor.high),
        std=_rounded(results.std_minor),
        quantiles={str(each): write_amount(amount) for each, amount in results.quantiles_minor.items()},
        least=write_amount(results.least_minor),
        most=write_amount(results.most_minor),
        ahead=results.ahead.value,
        even=results.even.value,
        behind=results.behind.value,
        ruin=None if results.ruin is None else results.ruin.value,
        histogram=[
            BinOut(write_amount(each.from_minor), write_amount(each.to_minor), each.sessions)
            for each in results.histogram
        ],
        continuous=back_after is not None,
        back_after=back_after,
        interrupted=not results.complete,
    )


def _rounded(amount_minor: float | None) -> str | None:
    return None if amount_minor is None else write_amount(round(amount_minor))


def _print(rules: Rulebook, bets_line: str, results: "SimulatedSessions", back_after: int | None) -> None:
    click.secho(f"{rules.title}, {write_count(results.decks, 'deck')}", bold=True)
    sessions, rounds = write_count(results.sessions, "session"), write_count(results.rounds, "round")
    dealt_from = "" if back_after is None else f" {dealt_from_machine(back_after)}"
    click.echo(f"{bets_line}\n{sessions} of {rounds}{dealt_from}, seed {results.seed}")
    if not results.complete:
        click.secho("Stopped before all sessions were played.", fg="yellow")
    click.echo()
    rows = [["ahead", *_chance(results.ahead)], ["even", *_chance(results.even)], ["behind", *_chance(results.behind)]]
    if results.ruin is not None:
        rows.append(["ruined", *_chance(results.ruin)])
    head, *rows = right_aligned([["session ends", "", "95% from", "to"], *rows], 1)
    print_table(rows, head)
    click.echo()
    value, low, high = (
        _rounded(each) for each in (results.mean_minor.value, results.mean_minor.low, results.mean_minor.high)
    )
    if low is None or high is None:
        why = "there is only one session" if results.sessions == 1 else "all sessions ended alike"
        click.echo(f"  average result {value}; no interval, because {why}")
    else:
        head, row = right_aligned([["result", "", "95% from", "to"], ["average", str(value), low, high]], 1)
        print_table([row], head)
    spread = [[f"{each}% end at or below", _amount(amount)] for each, amount in results.quantiles_minor.items()]
    ends = [["worst", _amount(results.least_minor)], ["best", _amount(results.most_minor)]]
    click.echo()
    print_table([ends[0], *spread, ends[1]])


def _chance(chance: "Estimate") -> list[str]:
    return [f"{chance.value:7.2%}", f"{chance.low:7.2%}", f"{chance.high:7.2%}"]


def _amount(amount_minor: int) -> str:
    text = f"{write_amount(amount_minor):>14}"
    return coloured(text, "lose" if amount_minor < 0 else "win") if amount_minor else text
