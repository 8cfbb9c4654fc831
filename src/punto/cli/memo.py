"""``punto memo``: what a director should know about a game, as one printable page."""

import sys
from pathlib import Path
from typing import cast

import click

from punto.catalogue.sentence import LANGUAGES, Language
from punto.catalogue.values import write_count
from punto.cli._shared.memo_figures import memo_of
from punto.cli._shared.memo_page import memo_page
from punto.cli._shared.output_file import output_file
from punto.cli._shared.progress import INTERRUPTED, interruptible, progress_bar, stopping
from punto.cli._shared.readings_page import read_adoptions
from punto.cli._shared.terminal import json_option, print_json, refusing
from punto.library import game as read_game
from punto.odds.counting.advantage import Turning
from punto.rules.refusals import Code, Refused, needing
from punto.rules.rulebook import Rulebook
from punto.web.words.translator import TRANSLATORS

CUT_CARDS = (14, 26, 52, 104, 156)


@click.command("memo")
@click.argument("game")
@click.option("--decks", type=int, help="Decks in the shoe. Default: the most the book allows.")
@click.option(
    "--cut-card",
    "cut_cards",
    type=int,
    multiple=True,
    help="Number of cards behind the cut card. Repeatable. Default: 14, 26, 52, 104 and 156, up to half a shoe.",
)
@click.option("--shoes", type=int, default=2000, show_default=True, help="Shoes to deal; 0 leaves that part out.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals the same shoes.")
@click.option("--db", "url", help="The floor whose adopted readings are shown, as for `punto verify`.")
@click.option("--language", type=click.Choice(tuple(LANGUAGES)), default="en", help="Of the page.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the page to this HTML file.")
@json_option
def command(  # noqa: PLR0913 - click hands over each option
    *,
    game: str,
    decks: int | None,
    cut_cards: tuple[int, ...],
    shoes: int,
    seed: int,
    url: str | None,
    language: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print a memo on GAME for a director, as a page for A4.

    It has the edge of every bet, the insurance that favours the bettor on a fresh shoe, what a known first card is
    worth, how often each bet turns by the place of the cut card, and what each reading of the book changes. All figures
    are exact except how often bets turn, for which shoes are dealt.

    \b
    Examples:
      punto memo commission-insurance --output memo.html
      punto memo tiger-buffalo --language zh --cut-card 14 --cut-card 60 > memo.html
    """
    with refusing(as_json=as_json), interruptible(), output_file(output) as save:
        rules, t = read_game(game), TRANSLATORS[cast("Language", language)]
        if shoes < 0:
            raise Refused(Code.OUT_OF_RANGE, variant="shoes_from_0", shoes=shoes)
        decks = rules.require_decks(decks)
        adoptions = {} if url is None else read_adoptions(url, as_json=as_json)
        turned = _turning(rules, decks, cut_cards, shoes, seed) if shoes else None
        memo = memo_of(rules, decks, turned, adoptions, t.language)
        if save is not None:
            save(memo_page(memo, rules, t))
        if as_json:
            print_json(memo)
        elif save is None:
            click.echo(memo_page(memo, rules, t), nl=False)
    if turned is not None and turned.shoes < shoes:
        click.echo(f"Stopped after {turned.shoes:,} of {write_count(shoes, 'shoe')}.", err=True)
        sys.exit(INTERRUPTED)


def _turning(rules: Rulebook, decks: int, cut_cards: tuple[int, ...], shoes: int, seed: int) -> Turning:
    with needing("odds"):
        from punto.odds.counting.turning import turning  # noqa: PLC0415 - the rest needs no extra
    half = decks * 52 // 2
    chosen = cut_cards or [cut for cut in CUT_CARDS if cut <= half]
    with stopping() as stop, progress_bar("Dealing", shoes) as progress:
        return turning(rules, chosen, decks=decks, shoes=shoes, seed=seed, progress=progress, stop=stop)
