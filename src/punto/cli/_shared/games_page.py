"""The text of ``docs/games.md``: the games, their layouts, bets and insurance."""

from collections.abc import Iterator, Sequence

from punto.catalogue.sentence import say, write
from punto.catalogue.values import Odds
from punto.rules.bets.conditions import when_phrase
from punto.rules.bets.insurance import Insurance, Stage
from punto.rules.bets.pay_lines import BetRule, PayLine
from punto.rules.rulebook import Layout, Rulebook

_INTRODUCTION = """# The games and their bets

Each game is one [rulebook](books.md). This page lists its layouts, its bets and its insurance. The id of a bet is what
commands, JSON and `--bet` take. `make register` writes this page from the books; `punto rules --games` prints it.

A bet loses if none of its lines matches. A tie returns bets on Player and Banker."""
_STAGES = {Stage.FOUR: "four cards", Stage.THIRD: "Player's third card"}


def games_page(books: Sequence[Rulebook]) -> str:
    return "\n".join(_lines(books)) + "\n"


def _lines(books: Sequence[Rulebook]) -> Iterator[str]:
    yield _INTRODUCTION
    for rules in books:
        yield f"\n## {rules.title}\n"
        yield f"Book id `{rules.id}`, {rules.decks.least} to {rules.decks.most} decks.\n"
        yield "| id | bet | Chinese | wins when | pays | clauses | layouts |"
        yield "|---|---|---|---|---|---|---|"
        yield from (_bet_row(rules, rule) for rule in rules.bets.values())
        yield "\n| layouts | size | boxes |\n|---|---|---|"
        yield from _layout_rows(rules)
        if rules.insurance is not None:
            yield from _insurance_lines(rules.insurance)


def _bet_row(rules: Rulebook, rule: BetRule) -> str:
    winning = [line for line in rule.pays if line.verdict.odds is not None]
    cells = [
        f"`{rule.id}`",
        rule.name,
        say(f"bet.{rule.id}", "zh"),
        "<br>".join(write(when_phrase(line.when)) for line in winning),
        "<br>".join(map(_pays, winning)),
        ", ".join(dict.fromkeys([rule.clause, *(clause for line in winning for clause in line.verdict.clauses)])),
        _letters([layout for layout in rules.layouts.values() if rule.id in layout.menu], rules),
    ]
    return f"| {' | '.join(cells)} |"


def _pays(line: PayLine) -> str:
    odds, commission = write(Odds(line.verdict.odds_text or "")), line.verdict.commission
    return f"{odds}, less {commission.numerator * 100 // commission.denominator}% commission" if commission else odds


def _letters(layouts: Sequence[Layout], rules: Rulebook) -> str:
    return "all" if len(layouts) == len(rules.layouts) else ", ".join(layout.id for layout in layouts)


def _layout_rows(rules: Rulebook) -> Iterator[str]:
    alike: dict[tuple[str, str], list[Layout]] = {}
    for layout in rules.layouts.values():
        alike.setdefault((layout.kind or "-", _boxes(layout)), []).append(layout)
    for (kind, boxes), layouts in alike.items():
        yield f"| {', '.join(layout.id for layout in layouts)} | {kind} | {boxes} |"


def _boxes(layout: Layout) -> str:
    if layout.least_boxes is None:
        return "chosen when the table is opened"
    same = layout.least_boxes == layout.most_boxes
    return str(layout.most_boxes) if same else f"{layout.least_boxes} to {layout.most_boxes}"


def _insurance_lines(insurance: Insurance) -> Iterator[str]:
    yield "\nInsurance is offered on these points:\n"
    yield "| after | insures | Player has | Banker has | pays | on a tie |"
    yield "|---|---|---|---|---|---|"
    for line in insurance.lines:
        cells = [
            _STAGES[line.stage],
            line.side.value.capitalize(),
            _points(line.player),
            _points(line.banker),
            write(Odds(str(line.odds))),
            "pays" if line.tie_pays else "returned",
        ]
        yield f"| {' | '.join(cells)} |"


def _points(points: frozenset[int]) -> str:
    least, most = min(points), max(points)
    if points != frozenset(range(least, most + 1)):
        return ", ".join(map(str, sorted(points)))
    return str(least) if least == most else f"{least} to {most}"
