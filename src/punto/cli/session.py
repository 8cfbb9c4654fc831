"""``punto session``: what a player's evening looks like, in numbers and as a picture."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from punto.cli._shared.progress import INTERRUPTED, cores, interruptible, progress_bar, stopping
from punto.cli._shared.terminal import coloured, json_option, print_json, print_table, refusing, right_aligned
from punto.library import book
from punto.odds.evenings.wagers import WHO, Insure, gains
from punto.odds.procedure import Procedure
from punto.rules.money import read_amount, write_amount
from punto.rules.refusals import Code, Refused, needing
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import bad_stake

if TYPE_CHECKING:
    from punto.odds.evenings.evenings import Evenings
    from punto.odds.simulation.estimates import Estimate

_INSURED = {
    Insure.NEVER: "",
    Insure.ALWAYS: "; insured whenever it is offered",
    Insure.FAVOURABLE: "; insured where that favours the bettor",
}


class BinOut(Struct, rename={"from_": "from"}):
    """How many evenings ended from this much on and below that much."""

    from_: str
    to: str
    sessions: int


class SessionOut(Struct, omit_defaults=True):
    """Many evenings as programs read them."""

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
    interrupted: bool = False


@click.command("session")
@click.argument("game")
@click.option("--bet", "laid", multiple=True, metavar="BET=STAKE", help="Laid every round; say it for each bet.")
@click.option(
    "--insure",
    type=click.Choice([each.value for each in Insure]),
    default="never",
    show_default=True,
    help="When insurance is taken, each time for as much as the book allows.",
)
@click.option("--rounds", type=int, default=80, show_default=True, help="How many rounds an evening has.")
@click.option("--sessions", type=int, default=20_000, show_default=True, help="How many evenings to play.")
@click.option("--bankroll", help="What the player begins with; without it there is no limit.")
@click.option("--layout", help="The layout, where layouts have different bets.")
@click.option("--decks", type=int, help="How many decks a shoe has; the book's most if not said.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed plays the same evenings.")
@click.option("--workers", type=int, help="How many threads play; as many as there are cores if not said.")
@click.option("--cut-card", type=int, default=14, show_default=True, help="How many cards from the end it lies.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw it, as an SVG, into this file.")
@json_option
def command(  # noqa: PLR0913 - click hands over each option
    *,
    game: str,
    laid: tuple[str, ...],
    insure: str,
    rounds: int,
    sessions: int,
    bankroll: str | None,
    layout: str | None,
    decks: int | None,
    seed: int,
    workers: int | None,
    cut_card: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """What an evening at GAME looks like with the same bets every round.

    Insurance is taken for as much as the book allows: never, always, or where it favours the bettor on a full
    shoe. With a bankroll the player goes home once it no longer covers the bets and the insurance of a round.
    Ctrl-C stops it and shows the evenings played so far.
    """
    with refusing(as_json=as_json), interruptible():
        rules = book(game)
        bets, choice = _bets(laid), Insure(insure)
        start = None if bankroll is None else read_amount(bankroll)
        gain = gains(rules, bets, choice, decks=decks, layout=layout)
        with needing("odds"):
            from punto.odds.evenings.evenings import play_evenings  # noqa: PLC0415
            from punto.odds.evenings.picture import evening_svg  # noqa: PLC0415 - numba takes its time
        with _picture(plot) as draw:
            with stopping() as stop, progress_bar("Playing", sessions) as told:
                found = play_evenings(
                    rules,
                    gain,
                    rounds=rounds,
                    sessions=sessions,
                    bankroll_minor=start,
                    decks=decks,
                    seed=seed,
                    procedure=Procedure(cut_card=cut_card),
                    workers=cores() if workers is None else workers,
                    progress=told,
                    stop=stop,
                )
            if draw is not None:
                draw(evening_svg(found, rules.title, _played(rules, bets, choice, start)))
        if as_json:
            print_json(_as_json(rules, bets, choice, found))
        else:
            _print(rules, _played(rules, bets, choice, start), found)
    if not found.complete:
        sys.exit(INTERRUPTED)


@contextmanager
def _picture(path: Path | None) -> Iterator[Callable[[str], None] | None]:
    """What draws into a file: made at once beside the one that is wanted, which it becomes once it is drawn."""
    if path is None:
        yield None
        return
    try:
        wanted = path.resolve()
        if wanted.exists() and not (wanted.is_file() and os.access(wanted, os.W_OK)):
            raise Refused(Code.NOT_WRITABLE, variant="not_a_file", path=str(path)[:200])
        drawn = wanted.with_name(f".{wanted.name[:100]}.{os.getpid()}")
        drawn.touch(exist_ok=False)
    except (OSError, RuntimeError) as error:  # the second is a circle of links
        raise _unwritable(path, getattr(error, "strerror", None) or str(error)) from None

    def draw(svg: str) -> None:
        try:
            drawn.write_text(svg, encoding="utf-8")
            drawn.replace(wanted)
        except OSError as error:
            raise _unwritable(path, error.strerror or str(error)) from None

    try:
        yield draw
    finally:
        drawn.unlink(missing_ok=True)


def _unwritable(path: Path, why: str) -> Refused:
    return Refused(Code.NOT_WRITABLE, path=str(path)[:200], reason=why)


def _bets(laid: tuple[str, ...]) -> dict[str, int]:
    bets: dict[str, int] = {}
    for each in laid:
        bet, equals, amount = each.partition("=")
        if not equals:
            raise Refused(Code.NOT_AN_AMOUNT, variant="bet", text=each[:40])
        stake = read_amount(amount)
        if stake <= 0:
            raise bad_stake(WHO, bet, stake)
        bets[bet] = bets.get(bet, 0) + stake
    return bets


def _played(rules: Rulebook, bets: dict[str, int], insure: Insure, bankroll_minor: int | None) -> str:
    on = ", ".join(f"{write_amount(stake)} on {rules.bets[bet].name}" for bet, stake in bets.items())
    begun = "" if bankroll_minor is None else f"; {write_amount(bankroll_minor)} to begin with"
    return on + _INSURED[insure] + begun


def _as_json(rules: Rulebook, bets: dict[str, int], insure: Insure, found: "Evenings") -> SessionOut:
    return SessionOut(
        game=rules.id,
        decks=found.decks,
        bets={bet: write_amount(stake) for bet, stake in bets.items()},
        insure=insure,
        rounds=found.rounds,
        sessions=found.sessions,
        bankroll=None if found.bankroll_minor is None else write_amount(found.bankroll_minor),
        mean=write_amount(round(found.mean_minor.value)),
        low=_rounded(found.mean_minor.low),
        high=_rounded(found.mean_minor.high),
        std=_rounded(found.std_minor),
        quantiles={str(each): write_amount(amount) for each, amount in found.quantiles_minor.items()},
        least=write_amount(found.least_minor),
        most=write_amount(found.most_minor),
        ahead=found.ahead.value,
        even=found.even.value,
        behind=found.behind.value,
        ruin=None if found.ruin is None else found.ruin.value,
        histogram=[
            BinOut(write_amount(each.from_minor), write_amount(each.to_minor), each.sessions)
            for each in found.histogram
        ],
        interrupted=not found.complete,
    )


def _rounded(amount_minor: float | None) -> str | None:
    return None if amount_minor is None else write_amount(round(amount_minor))


def _print(rules: Rulebook, played: str, found: "Evenings") -> None:
    click.secho(f"{rules.title}, {found.decks} decks", bold=True)
    click.echo(f"{played}\n{found.sessions:,} evenings of {found.rounds:,} rounds, seed {found.seed}")
    if not found.complete:
        click.secho("Stopped before all were played that were asked for.", fg="yellow")
    click.echo()
    rows = [["ahead", *_chance(found.ahead)], ["even", *_chance(found.even)], ["behind", *_chance(found.behind)]]
    if found.ruin is not None:
        rows.append(["in ruin", *_chance(found.ruin)])
    head, *rows = right_aligned([["an evening ends", "", "95% from", "to"], *rows], 1)
    print_table(rows, head)
    click.echo()
    value, low, high = (
        _rounded(each) for each in (found.mean_minor.value, found.mean_minor.low, found.mean_minor.high)
    )
    if low is None or high is None:
        why = "one evening says" if found.sessions == 1 else "evenings that all end alike say"
        click.echo(f"  on average it brings {value}; {why} nothing of how far that is from the truth")
    else:
        head, row = right_aligned([["it brings", "", "95% from", "to"], ["on average", str(value), low, high]], 1)
        print_table([row], head)
    spread = [[f"{each}% end at or below", _amount(amount)] for each, amount in found.quantiles_minor.items()]
    ends = [["the worst", _amount(found.least_minor)], ["the best", _amount(found.most_minor)]]
    click.echo()
    print_table([ends[0], *spread, ends[1]])


def _chance(chance: "Estimate") -> list[str]:
    return [f"{chance.value:7.2%}", f"{chance.low:7.2%}", f"{chance.high:7.2%}"]


def _amount(amount_minor: int) -> str:
    text = f"{write_amount(amount_minor):>14}"
    return coloured(text, "lose" if amount_minor < 0 else "win") if amount_minor else text
