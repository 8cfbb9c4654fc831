"""The tables that ``punto odds`` and ``punto count`` print. Bets that favour the bettor are marked."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from textwrap import wrap

import click

from punto.catalogue.sentence import write
from punto.catalogue.values import Odds, write_count
from punto.cli._shared.terminal import coloured, print_table, right_aligned
from punto.cli._shared.wording import FAVOURS, STAGES
from punto.odds.exact.removal import Cell, Removal
from punto.odds.figures import BetFigures, CellFigures, Figures, LineFigures
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import BetRule
from punto.rules.coup.cards import RANKS
from punto.rules.rulebook import Rulebook

STAGES_LEGEND = f"{', '.join(f'{stage}: {words}' for stage, words in STAGES.items())}; Player's points first"
MARK = "*"
_WIDEST_TITLE = 11


def percent(part: Fraction | float) -> str:
    """A percentage padded to a fixed width, for columns."""
    return f"{float(part) * 100:9.4f}%"


def _percent_head(head: str) -> str:
    return f"{head:>10}"


def print_title(rules: Rulebook, decks: int, cards: int) -> None:
    version = f", version {rules.version}" if rules.version else ""
    left = "" if cards == decks * 52 else f" of {decks * 52}"
    click.secho(f"{rules.title}{version}", bold=True)
    click.echo(f"{write_count(decks, 'deck')}, {cards}{left} cards\n")


def bet_name(rule: BetRule) -> str:
    """The bet's names as printed on the felt, English and Chinese."""
    return f"{rule.name} {rule.chinese}" if rule.chinese else rule.name


def _marked(*, favours: bool) -> str:
    return click.style(FAVOURS, fg="green", bold=True) if favours else ""


def print_odds(rules: Rulebook, decks: int, cards: int, worth: Figures, *, lines: bool) -> None:
    print_title(rules, decks, cards)
    click.secho("Bets", bold=True)
    rows = [[bet_name(rules.bets[bet]), *_bet_row(each)] for bet, each in worth.bets.items()]
    print_table(rows, ["", *map(_percent_head, ("edge", "win", "push", "lose")), "    std", ""])
    if lines:
        click.secho("\nPay lines", bold=True)
        print_table([row for bet, each in worth.bets.items() for row in _line_rows(bet_name(rules.bets[bet]), each)])
    for stage in Stage:
        cells = [cell for cell in worth.insurance if cell.stage is stage]
        if cells:
            click.secho(f"\nInsurance {STAGES[stage]}", bold=True)
            chances = map(_percent_head, ("offered", "win", "push", "lose", "edge"))
            head = ["insured", "Player", "Banker", "pays", *chances, ""]
            print_table([_cell_row(cell) for cell in cells], head)
    sizes = worth.cards_per_round.items()
    chances_by_size = ", ".join(f"{size} in {percent(chance).strip()}" for size, chance in sizes)
    click.echo(f"\nCards in a round: {chances_by_size} of rounds.")
    click.echo(_summary(worth))


def _bet_row(bet: BetFigures) -> list[str]:
    chances = [percent(part) for part in (bet.edge, bet.win, bet.push, bet.lose)]
    return [*chances, f"{bet.std:7.4f}", _marked(favours=bet.favours_bettor)]


def _line_rows(name: str, bet: BetFigures) -> list[list[str]]:
    names = [name, *[""] * (len(bet.lines) - 1)]
    return [
        [
            first_column,
            coloured(line.result),
            _pays(line),
            percent(line.chance),
            click.style(", ".join(line.clauses), dim=True),
        ]
        for first_column, line in zip(names, bet.lines, strict=True)
    ]


def _pays(line: LineFigures) -> str:
    if line.odds is None:
        return ""
    return write(Odds(line.odds)) + (f" less {line.commission}" if line.commission is not None else "")


def _cell_row(cell: CellFigures) -> list[str]:
    insured = coloured(cell.side.capitalize(), cell.side)
    chances = [percent(part) for part in (cell.offered, cell.win, cell.push, cell.lose, cell.edge)]
    points = [f"{cell.player:>6}", f"{cell.banker:>6}"]
    return [insured, *points, write(Odds(cell.odds)), *chances, _marked(favours=cell.favours_bettor)]


def _summary(worth: Figures) -> str:
    bets = sum(bet.favours_bettor for bet in worth.bets.values())
    cells = sum(cell.favours_bettor for cell in worth.insurance)
    insurance = f" and {cells} of {len(worth.insurance)} insurance cells" if worth.insurance else ""
    verb = "favours" if bets + cells == 1 else "favour"
    return f"{bets} of {len(worth.bets)} bets{insurance} {verb} the bettor."


def print_comparison(subtitle: str, columns: Sequence[tuple[str, Rulebook, Figures]]) -> None:
    """Print the edge of every bet side by side, then of each insurance cell that favours the bettor in some column."""
    titles = [title for title, _, _ in columns]
    marked = any(_any_favours(worth) for _, _, worth in columns)
    click.secho(f"The house's edge, {subtitle}" + (f"; {MARK} {FAVOURS}" if marked else ""), bold=True)
    names = {bet: bet_name(rules.bets[bet]) for _, rules, worth in columns for bet in worth.bets}
    _print_edges(
        titles, [[name, *(_edge(worth.bets.get(bet)) for _, _, worth in columns)] for bet, name in names.items()]
    )
    by_cell = [{_cell(cell): cell for cell in worth.insurance} for _, _, worth in columns]
    favoured = {cell for cells in by_cell for cell, each in cells.items() if each.favours_bettor}
    if favoured:
        click.secho(f"\nInsurance cells, where one {FAVOURS}", bold=True)
        rows = [[cell_code(cell), *(_edge(cells.get(cell)) for cells in by_cell)] for cell in sorted(favoured)]
        counts = [str(sum(each.favours_bettor for each in cells.values())) if cells else "-" for cells in by_cell]
        _print_edges(titles, [*rows, [f"marked {MARK}", *(f"{count} " for count in counts)]])
        click.echo(f"  {STAGES_LEGEND}.")


def _any_favours(worth: Figures) -> bool:
    in_bets = any(bet.favours_bettor for bet in worth.bets.values())
    return in_bets or any(cell.favours_bettor for cell in worth.insurance)


def _print_edges(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print edges right-aligned under their titles. Long titles, such as a game's id, are wrapped."""
    lines = [wrap(title, _WIDEST_TITLE) for title in titles]
    deep = max(map(len, lines))
    heads = [["", *map(_head, row)] for row in zip(*([""] * (deep - len(each)) + each for each in lines), strict=True)]
    print_table(right_aligned([*heads, *rows], 1))


def _head(line: str) -> str:
    """One line of a title. The trailing space is as wide as the mark after a figure, which keeps both aligned."""
    return f"{click.style(line, bold=True)} " if line else ""


def _edge(worth: BetFigures | CellFigures | None) -> str:
    if worth is None:
        return "- "
    edge = f"{float(worth.edge) * 100:.4f}%"
    return click.style(f"{edge}{MARK}", fg="green", bold=True) if worth.favours_bettor else f"{edge} "


def _cell(cell: CellFigures) -> Cell:
    return Cell(cell.stage, cell.side, cell.player, cell.banker)


def cell_name(cell: Cell) -> str:
    """An insurance cell in words, Player's points first."""
    return f"{cell.side.capitalize()} insured {STAGES[cell.stage]}, {cell.player}-{cell.banker}"


def cell_code(cell: Cell) -> str:
    """An insurance cell as ``punto count`` takes it, and the insured side."""
    return f"{cell.stage}:{cell.player}-{cell.banker} {cell.side.capitalize()}"


def print_removal(rules: Rulebook, decks: int, cards: int, changes: Removal) -> None:
    print_title(rules, decks, cards)
    click.echo("How removing one card changes the bettor's expectation, in hundredths of a percent of the stake:")
    click.echo("+ is better for the bettor, - is worse.\n")
    bets = [(bet_name(rules.bets[bet]), each) for bet, each in changes.bets.items()]
    cells = [(cell_code(cell), each) for cell, each in changes.insurance.items()]
    columns = merged({rank: [each.by_rank.get(rank) for _, each in bets + cells] for rank in RANKS})
    for title, rows in (("Bets", bets), ("Insurance", cells)):
        if rows:
            table = [[name, *(effect(each.by_rank.get(ranks[0])) for ranks in columns)] for name, each in rows]
            print_table(table, [title, *(f"{rank_range(ranks):>6}" for ranks in columns)], indent="")
            click.echo()
    if cells:
        click.echo(f"Insurance once it is offered; {STAGES_LEGEND}.")


def merged(by_rank: Mapping[str, object]) -> list[str]:
    """Group adjacent ranks that have the same value."""
    columns: list[str] = []
    for rank, value in by_rank.items():
        if columns and by_rank[columns[-1][0]] == value:
            columns[-1] += rank
        else:
            columns.append(rank)
    return columns


def rank_range(ranks: str) -> str:
    """Adjacent ranks as first to last: "789T" is "7-T"."""
    return ranks if len(ranks) == 1 else f"{ranks[0]}-{ranks[-1]}"


def effect(part: Fraction | None) -> str:
    """An effect of removal in hundredths of a percent, six characters wide. Large effects have fewer decimals."""
    if not part:
        return f"{'-' if part is None else '0':>6}"
    hundredths = float(part) * 1e4
    decimals = 2 if abs(hundredths) < 99.995 else 1 if abs(hundredths) < 999.95 else 0
    return f"{hundredths:+6.{decimals}f}"
