"""``punto count``: find the best card count for a bet, and what a counter gains with it."""

import sys

import click
from msgspec import UNSET, Struct, UnsetType

from punto.catalogue.sentence import phrase
from punto.catalogue.values import write_count
from punto.cli._shared.counted_tables import print_machine, print_shoes
from punto.cli._shared.odds_tables import bet_name, cell_name, effect, merged, percent, print_title, rank_range
from punto.cli._shared.procedure_options import procedure_options, read_back_after
from punto.cli._shared.progress import INTERRUPTED, interruptible, progress_bar, stopping
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.library import game as read_game
from punto.odds.counting.advantage import Advantage, Counted
from punto.odds.counting.count_tags import Count, Tags, best_count, turns_at
from punto.odds.exact.removal import Removal, removal
from punto.odds.figures import require_bet
from punto.odds.procedure import procedure_of
from punto.odds.shoe import full_shoe
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import RANKS
from punto.rules.refusals import Code, Refused, needing
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic

_SHOES, _ROUNDS = 1000, 100_000
_MAX_ROUNDS = 10**9


class TagsOut(Struct, omit_defaults=True):
    tags: dict[str, str]
    correlation: float
    turns_at: float
    simulated: Advantage | UnsetType = UNSET


class CountOut(Struct, omit_defaults=True):
    game: str
    bet: str
    decks: int
    edge: str
    edge_float: float
    effects: dict[str, str]
    effects_float: dict[str, float]
    best: TagsOut | None
    levels: dict[str, TagsOut]
    cut: int | UnsetType = UNSET
    shoes: int | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    rounds: int | UnsetType = UNSET
    exact: Advantage | UnsetType = UNSET
    least_edge: float | UnsetType = UNSET
    most_edge: float | UnsetType = UNSET
    continuous: bool = False
    back_after: int | None = None
    interrupted: bool = False


@click.command("count")
@click.argument("game")
@click.argument("bet")
@click.option("--decks", type=int, help="Decks in the shoe. Default: the most the book allows.")
@procedure_options("--cut-card", "--cut")
@click.option("--shoes", type=int, help=f"Shoes to deal; 0 for the count alone. Default: {_SHOES:,}.")
@click.option(
    "--rounds", type=int, help=f"With --continuous: rounds to deal; 0 for the count alone. Default: {_ROUNDS:,}."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals the same shoes.")
@json_option
def command(  # noqa: PLR0913 - click hands over each option
    *,
    game: str,
    bet: str,
    decks: int | None,
    cut_card: int | None,
    continuous: bool,
    back_after: int | None,
    shoes: int | None,
    rounds: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Find the best card count for BET in GAME, and its gain.

    The counter bets only when the count predicts a gain. BET is a bet of the game, or an insurance cell such as
    four:0-6 or third:9-3 (stage, Player's points, Banker's points). For a cell only the count is shown.

    With --continuous, shows what is left to count if a shuffler takes cards back during the game: only the cards that
    are out of it.

    \b
    Example:
      punto count tiger-buffalo small_tiger --cut-card 30
    """
    with refusing(as_json=as_json):
        rules = read_game(game)
        machine = read_back_after(back_after, continuous=continuous)
        number = _number(shoes, rounds, machine)
        decks = rules.require_decks(decks)
        shoe = full_shoe(rules, decks)
        procedure = procedure_of(cut_card, machine)
        if machine is not None:
            procedure.require_for(rules, shoe.cards)
        name, count = _count(rules, bet, removal(rules, shoe, _wanted(rules, bet)))
        counted = None
        if number and bet in rules.bets and machine != 1:  # with 1, every round is the same
            with needing("odds"):
                from punto.odds.counting.counter import count_shoes  # noqa: PLC0415 - the count alone needs no extra

            with interruptible(), stopping() as stop, progress_bar("Counting", number) as show:
                counted = count_shoes(
                    rules,
                    bet,
                    count,
                    decks=decks,
                    cut_card=cut_card,
                    back_after=machine,
                    seed=seed,
                    progress=show and (lambda dealt, of_them: show(of_them if continuous else dealt, of_them)),
                    stop=stop,
                    **{"rounds" if continuous else "shoes": number},
                )
        done = number if counted is None else counted.rounds if continuous else counted.shoes
        if as_json:
            out = _out(rules, bet, decks, count, counted)
            out.continuous, out.back_after = continuous, machine
            if machine == 1:
                out.least_edge = out.most_edge = out.edge_float
            if counted is not None:
                out.shoes, out.seed, out.rounds = counted.shoes, seed, counted.rounds
                out.cut = UNSET if continuous else procedure.cut_card
                out.interrupted = done < number
            print_json(out)
        else:
            print_title(rules, decks, shoe.cards)
            _print_count(name, count, shoe.cards, machine)
            if machine is not None:
                print_machine(counted, count, machine)
            elif counted is not None:
                print_shoes(counted, procedure.cut_card)
    if done < number:
        click.echo(f"Stopped after {done:,} of {write_count(number, 'round' if continuous else 'shoe')}.", err=True)
        sys.exit(INTERRUPTED)


def _number(shoes: int | None, rounds: int | None, back_after: int | None) -> int:
    """How much to deal: shoes, or rounds of a shuffler that takes cards back."""
    if back_after is None:
        if rounds is not None:
            raise Refused(Code.OPTIONS_CONTRADICT, variant="only_continuous", option="--rounds")
        number = _SHOES if shoes is None else shoes
        if number < 0:
            raise Refused(Code.OUT_OF_RANGE, variant="shoes_from_0", shoes=number)
        return number
    if shoes is not None:
        raise Refused(Code.OPTIONS_CONTRADICT, variant="continuous_shoes")
    number = _ROUNDS if rounds is None else rounds
    if not 0 <= number <= _MAX_ROUNDS:
        what = phrase("phrase.count_of_rounds")
        raise Refused(Code.OUT_OF_RANGE, variant="number", what=what, least=0, most=_MAX_ROUNDS, number=number)
    return number


def _wanted(rules: Rulebook, bet: str) -> list[str]:
    """The bet to count, or nothing for an insurance cell."""
    if ":" in bet:
        return []
    require_bet(rules, bet)
    return [bet]


def _count(rules: Rulebook, bet: str, changes: Removal) -> tuple[str, Count]:
    """Name of the bet or cell, and its best counts."""
    if bet in rules.bets:
        return bet_name(rules.bets[bet]), best_count(changes.bets[bet])
    for cell, effects in changes.insurance.items():
        if bet == f"{cell.stage}:{cell.player}-{cell.banker}":
            return cell_name(cell), best_count(effects)
    if rules.insurance is None:
        raise Refused(Code.INSURANCE_NOT_OFFERED, variant="no_insurance", book=rules.id)
    raise Refused(
        Code.INSURANCE_NOT_OFFERED,
        variant="never",
        topic=Topic.INSURANCE,
        clauses=rules.topics[Topic.INSURANCE],
        book=rules.id,
        bet=bet[:40],
        stages=tuple(Stage),
    )


def _out(rules: Rulebook, bet: str, decks: int, count: Count, counted: Counted | None) -> CountOut:
    by_rank, cards = count.effects.by_rank, decks * 52
    out = CountOut(
        game=rules.id,
        bet=bet,
        decks=decks,
        edge=str(count.effects.edge),
        edge_float=float(count.effects.edge),
        effects={rank: str(effect) for rank, effect in by_rank.items()},
        effects_float={rank: float(effect) for rank, effect in by_rank.items()},
        best=None if count.best is None else _tags_out(count.best, count, cards),
        levels={str(level): _tags_out(tags, count, cards) for level, tags in count.levels.items()},
    )
    if counted is not None:
        out.exact = counted.exact
        out.least_edge, out.most_edge = counted.least_edge, counted.most_edge
        if out.best is not None and counted.best is not None:
            out.best.simulated = counted.best
        for level, advantage in counted.levels.items():
            out.levels[str(level)].simulated = advantage
    return out


def _tags_out(tags: Tags, count: Count, cards: int) -> TagsOut:
    by_rank = {rank: str(tag) for rank, tag in zip(RANKS, tags.tags, strict=True)}
    return TagsOut(by_rank, tags.correlation, turns_at(tags, count.effects.edge, cards))


def _print_count(name: str, count: Count, cards: int, back_after: int | None) -> None:
    start = "on a full shoe" if back_after is None else "from the whole set"
    click.secho(f"{name}: the house's edge is {percent(count.effects.edge).strip()} {start}", bold=True)
    if count.best is None:
        click.echo("No card that leaves the shoe changes this edge, so there is nothing to count.\n")
        return
    if back_after == 1:
        return
    counts = {"best tags": count.best, **{f"level {level}": tags for level, tags in count.levels.items()}}
    effects = count.effects.by_rank
    groups = merged(
        {rank: (effects[rank], *(each.tags[at] for each in counts.values())) for at, rank in enumerate(RANKS)}
    )
    rows = [
        [rank_range(ranks), f"{effect(effects[ranks[0]]):>17}", *(_tag(each, ranks[0]) for each in counts.values())]
        for ranks in groups
    ]
    rows.append(["correlation", "", *(f"{each.correlation:9.4f}" for each in counts.values())])
    turns = (turns_at(each, count.effects.edge, cards) for each in counts.values())
    rows.append(["turns at", "", *(f"{turn:+9.2f}" for turn in turns)])
    print_table(rows, ["card", "effect in 1/100 %", *(f"{name:>9}" for name in counts)])
    seen, unseen = ("shown", "not yet seen") if back_after is None else ("out", "in the shuffler")
    click.echo(f"Add the tag of each card {seen}, and divide by the number of decks {unseen}. The bet favours the")
    click.echo("bettor if the result is above the last line.\n")


def _tag(tags: Tags, rank: str) -> str:
    tag = tags.tags[RANKS.index(rank)]
    if not tag:
        return f"{'0':>9}"
    whole = all(each.denominator == 1 for each in tags.tags)
    return f"{int(tag):+9d}" if whole else f"{float(tag):+9.3f}"
