"""``punto odds``: compute the exact odds of a game from any shoe."""

import re
from collections.abc import Iterable

import click
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from punto.catalogue.values import write_count
from punto.cli._shared.figures_json import BetFiguresOut, CellFiguresOut, bet_out, cell_out
from punto.cli._shared.odds_tables import print_comparison, print_odds, print_removal
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.library import book, book_ids
from punto.library import game as read_game
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.odds.exact.removal import Effects, Removal, removal
from punto.odds.exact.solver import solve
from punto.odds.figures import Figures, figures
from punto.odds.shoe import Composition, read_known_cards, shoe_of, shoe_without
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

GAMES, DECKS = "games", "decks"


class EffectsOut(Struct):
    """By rank: change of the bettor's expectation when one card of the rank is removed."""

    effects: dict[str, str]
    effects_float: dict[str, float]


class CellEffectsOut(EffectsOut):
    stage: str
    side: str
    player: int
    banker: int


class RemovalOut(Struct):
    bets: dict[str, EffectsOut]
    insurance: list[CellEffectsOut]


class OddsOut(Struct, omit_defaults=True):
    game: str
    decks: int
    cards: int
    bets: dict[str, BetFiguresOut]
    insurance: list[CellFiguresOut]
    cards_per_round: dict[str, str]
    removal: RemovalOut | UnsetType = UNSET


class ShoeOdds(Struct, frozen=True):
    """One game and shoe, and its figures."""

    rules: Rulebook
    decks: int
    shoe: Composition
    bets: tuple[str, ...]
    worth: Figures


@click.command("odds")
@click.argument("game")
@click.option("--decks", type=int, help="Decks in the shoe. Default: the most the book allows.")
@click.option("--without", metavar="CARDS", help='Cards removed from the shoe, such as "As Kd".')
@click.option("--left", metavar="CARDS", help="The only cards left in the shoe, at least six.")
@click.option("--layout", help="Show only the bets of this layout.")
@click.option("--lines", is_flag=True, help="Show every pay line with its chance (variance with --json).")
@click.option(
    "--removal",
    "effects",
    is_flag=True,
    help="Show how removing one card of each rank changes the bettor's expectation.",
)
@click.option(
    "--compare",
    metavar="WHAT",
    help='Compare side by side: "games", "decks" (all that the book allows), or a range of decks such as 4-8.',
)
@json_option
def command(  # noqa: PLR0913 - as many as there are options
    *,
    game: str,
    decks: int | None,
    without: str | None,
    left: str | None,
    layout: str | None,
    lines: bool,
    effects: bool,
    compare: str | None,
    as_json: bool,
) -> None:
    """Compute the exact odds of every bet of GAME.

    Shows the house edge and the chances of each bet and each insurance cell. Nothing is sampled: every ordered deal of
    six cards is counted, from a full shoe or from what is left of one. Bets that favour the bettor are marked.

    \b
    Examples:
      punto odds commission --decks 6
      punto odds commission --without "As Kd 5h"
      punto odds tiger-buffalo --compare 6-8
    """
    with refusing(as_json=as_json):
        if compare is not None:
            if effects or lines:
                raise Refused(Code.OPTIONS_CONTRADICT, variant="removal_compare" if effects else "lines_compare")
            if left is not None and compare != GAMES:
                raise Refused(Code.OPTIONS_CONTRADICT, variant="left_compare")
            shoes = _compared(read_game(game), compare, decks, layout)
            columns = [_shoe_odds(rules, count, without, left, layout) for rules, count in shoes]
            if as_json:
                print_json([_out(each, lines=False) for each in columns])
            else:
                subtitle = write_count(columns[0].decks, "deck") if compare == GAMES else columns[0].rules.title
                print_comparison(subtitle, [(_title(each, compare), each.rules, each.worth) for each in columns])
            return
        odds = _shoe_odds(read_game(game), decks, without, left, layout)
        changes = removal(odds.rules, odds.shoe, odds.bets) if effects else None
        if as_json:
            out = _out(odds, lines=lines)
            out.removal = UNSET if changes is None else _removal_out(changes)
            print_json(out)
        elif changes is None:
            print_odds(odds.rules, odds.decks, odds.shoe.cards, odds.worth, lines=lines)
        else:
            print_removal(odds.rules, odds.decks, odds.shoe.cards, changes)


def _shoe_odds(
    rules: Rulebook, decks: int | None, without: str | None, left: str | None, layout: str | None
) -> ShoeOdds:
    if without is not None and left is not None:
        raise Refused(Code.OPTIONS_CONTRADICT, variant="without_left")
    decks = rules.require_decks(decks)
    if left is not None:
        shoe = shoe_of(rules, decks, read_known_cards(left))
    else:
        shoe = shoe_without(rules, decks, read_known_cards(without or ""))
    bets = tuple(rules.bets) if layout is None else rules.layout(layout).menu
    if without is None and left is None:
        full = full_shoe_figures(rules, decks)
        worth = replace(full, bets={bet: full.bets[bet] for bet in bets})
    else:
        worth = figures(rules, solve(rules, shoe, bets), bets)
    return ShoeOdds(rules, decks, shoe, bets, worth)


def _compared(
    rules: Rulebook, what: str, decks: int | None, layout: str | None
) -> Iterable[tuple[Rulebook, int | None]]:
    """The games and numbers of decks to compare."""
    if what == GAMES:
        if layout is not None:
            raise Refused(Code.OPTIONS_CONTRADICT, variant="layout_games")
        books = [book(each) for each in book_ids()]
        common = min(each.decks.most for each in books) if decks is None else decks
        return [(each, common) for each in books]
    if decks is not None:
        raise Refused(Code.OPTIONS_CONTRADICT, variant="decks_compare", decks=decks, compare=what[:40])
    if what == DECKS:
        return [(rules, count) for count in range(rules.decks.least, rules.decks.most + 1)]
    match = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", what)
    if match is None or int(match[1]) > int(match[2]):
        raise Refused(Code.WRONG_TYPE, variant="compare", text=what[:40])
    first, last = rules.require_decks(int(match[1])), rules.require_decks(int(match[2]))
    return [(rules, count) for count in range(first, last + 1)]


def _title(odds: ShoeOdds, compare: str) -> str:
    return odds.rules.id if compare == GAMES else write_count(odds.decks, "deck")


def _out(odds: ShoeOdds, *, lines: bool) -> OddsOut:
    return OddsOut(
        game=odds.rules.id,
        decks=odds.decks,
        cards=odds.shoe.cards,
        bets={bet: bet_out(each, lines=lines) for bet, each in odds.worth.bets.items()},
        insurance=[cell_out(cell) for cell in odds.worth.insurance],
        cards_per_round={str(cards): str(chance) for cards, chance in odds.worth.cards_per_round.items()},
    )


def _removal_out(changes: Removal) -> RemovalOut:
    bets = {bet: EffectsOut(*_effects(each)) for bet, each in changes.bets.items()}
    cells = [
        CellEffectsOut(*_effects(each), cell.stage, cell.side, cell.player, cell.banker)
        for cell, each in changes.insurance.items()
    ]
    return RemovalOut(bets, cells)


def _effects(effects: Effects) -> tuple[dict[str, str], dict[str, float]]:
    by_rank = effects.by_rank
    return {rank: str(each) for rank, each in by_rank.items()}, {rank: float(each) for rank, each in by_rank.items()}
