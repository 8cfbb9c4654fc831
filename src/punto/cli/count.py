"""``punto count``: find the best card count for a bet, and what a counter gains with it."""

import sys

import click
from msgspec import UNSET, Struct, UnsetType

from punto.cli._shared.odds_tables import bet_name, cell_name, effect, merged, percent, print_title, rank_range
from punto.cli._shared.progress import INTERRUPTED, interruptible, progress_bar, stopping
from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.library import book
from punto.odds.counting.advantage import Advantage, Counted
from punto.odds.counting.count_tags import Count, Tags, best_count, turns_at
from punto.odds.exact.removal import Removal, removal
from punto.odds.figures import require_bet
from punto.odds.shoe import full_shoe
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import RANKS
from punto.rules.refusals import Code, Refused, needing
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic


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
    interrupted: bool = False


@click.command("count")
@click.argument("game")
@click.argument("bet")
@click.option("--decks", type=int, help="Decks in the shoe. Default: the most the book allows.")
@click.option(
    "--cut-card", "--cut", type=int, default=14, show_default=True, help="Number of cards behind the cut card."
)
@click.option("--shoes", type=int, default=1000, show_default=True, help="Shoes to deal; 0 for the count alone.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals the same shoes.")
@json_option
def command(*, game: str, bet: str, decks: int | None, cut_card: int, shoes: int, seed: int, as_json: bool) -> None:
    """Find the best card count for BET in GAME, and its gain.

    The counter bets only when the count predicts a gain. BET is a bet of the game, or an insurance cell such as
    four:0-6 or third:9-3 (stage, Player's points, Banker's points). For a cell only the count is shown.

    \b
    Example:
      punto count tiger-buffalo small_tiger --cut-card 30
    """
    with refusing(as_json=as_json):
        rules = book(game)
        if shoes < 0:
            raise Refused(Code.OUT_OF_RANGE, variant="shoes_from_0", shoes=shoes)
        decks = rules.require_decks(decks)
        shoe = full_shoe(rules, decks)
        name, count = _count(rules, bet, removal(rules, shoe, _wanted(rules, bet)))
        counted = None
        if shoes and bet in rules.bets:
            with needing("odds"):
                from punto.odds.counting.counter import count_shoes  # noqa: PLC0415 - the count alone needs no extra

            with interruptible(), stopping() as stop, progress_bar("Counting", shoes) as progress:
                counted = count_shoes(
                    rules,
                    bet,
                    count,
                    decks=decks,
                    cut_card=cut_card,
                    shoes=shoes,
                    seed=seed,
                    progress=progress,
                    stop=stop,
                )
        interrupted = counted is not None and counted.shoes < shoes
        if as_json:
            out = _out(rules, bet, decks, count, counted)
            if counted is not None:
                out.cut, out.shoes, out.seed, out.rounds = cut_card, counted.shoes, seed, counted.rounds
                out.interrupted = interrupted
            print_json(out)
        else:
            print_title(rules, decks, shoe.cards)
            _print_count(name, count, shoe.cards)
            if counted is not None:
                _print_counted(counted, cut_card)
    if counted is not None and interrupted:
        click.echo(f"Stopped after {counted.shoes:,} of {shoes:,} shoes.", err=True)
        sys.exit(INTERRUPTED)


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
        if out.best is not None and counted.best is not None:
            out.best.simulated = counted.best
        for level, advantage in counted.levels.items():
            out.levels[str(level)].simulated = advantage
    return out


def _tags_out(tags: Tags, count: Count, cards: int) -> TagsOut:
    by_rank = {rank: str(tag) for rank, tag in zip(RANKS, tags.tags, strict=True)}
    return TagsOut(by_rank, tags.correlation, turns_at(tags, count.effects.edge, cards))


def _print_count(name: str, count: Count, cards: int) -> None:
    click.secho(f"{name}: the house's edge is {percent(count.effects.edge).strip()} on a full shoe", bold=True)
    if count.best is None:
        click.echo("No card that leaves the shoe changes this edge, so there is nothing to count.\n")
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
    click.echo("Add the tag of each card shown, and divide by the number of decks not yet seen. The bet favours the")
    click.echo("bettor if the result is above the last line.\n")


def _tag(tags: Tags, rank: str) -> str:
    tag = tags.tags[RANKS.index(rank)]
    if not tag:
        return f"{'0':>9}"
    whole = all(each.denominator == 1 for each in tags.tags)
    return f"{int(tag):+9d}" if whole else f"{float(tag):+9.3f}"


def _print_counted(counted: Counted, cut_card: int) -> None:
    rounds = counted.rounds / counted.shoes
    click.secho(
        f"Dealt: {counted.shoes:,} shoes, {rounds:.1f} rounds each, the cut card {cut_card} from the end", bold=True
    )
    rows = [_advantage_row("exact odds", counted.exact)]
    if counted.best is not None:
        rows.append(_advantage_row("best tags", counted.best))
    for level, advantage in counted.levels.items():
        rows.append(_advantage_row(f"level {level}", advantage))
    print_table(rows, ["judged by", "   bets in", "gain per bet", "units per shoe", "", "betting correlation"])
    click.echo("Gains are expectations of one unit staked; ± is two standard errors.")


def _advantage_row(name: str, advantage: Advantage) -> list[str]:
    error, correlation = advantage.gain_per_shoe_error, advantage.correlation
    return [
        name,
        percent(advantage.frequency),
        f"{percent(advantage.gain_per_bet):>12}",
        f"{advantage.gain_per_shoe:14.5f}",
        "" if error is None else f"± {2 * error:.5f}",
        f"{'-':>19}" if correlation is None else f"{correlation:19.4f}",
    ]
