"""What the law of two books says differently."""

from collections.abc import Iterator

from punto.catalogue.sentence import write
from punto.catalogue.values import Odds
from punto.rules.bets.conditions import when_phrase
from punto.rules.bets.pay_lines import BetRule, PayLine, Result
from punto.rules.coup.table_of_play import POINTS, PlayRow
from punto.rules.rulebook import Rulebook
from punto.rules.topics import RULE_SWITCHES

Difference = tuple[str, str | None, str | None]
"""What differs, and what each book says; None where it says nothing."""


def differences(one: Rulebook, other: Rulebook) -> list[Difference]:
    """In the order: decks, layouts, cards and draws, bets, insurance, rules that are on."""
    sides = [dict(_facts(each)) for each in (one, other)]
    names = dict.fromkeys([*sides[0], *sides[1]])
    found = ((name, sides[0].get(name), sides[1].get(name)) for name in names)
    return [each for each in found if each[1] != each[2]]


def _facts(rules: Rulebook) -> Iterator[tuple[str, str]]:
    yield "decks", f"{rules.decks.least} to {rules.decks.most}"
    for layout in rules.layouts.values():
        boxes = "unstated" if layout.least_boxes is None else f"{layout.least_boxes} to {layout.most_boxes}"
        yield f"layout {layout.id}", f"boxes {boxes}; {', '.join(sorted(layout.menu))}"
    play = rules.table_of_play
    yield "card values", ", ".join(f"{rank} {value}" for rank, value in play.values.items())
    for points in POINTS:
        yield f"Player on {points}", _does(play.player[points])
        yield f"Banker on {points}, Player standing", _does(play.banker_alone[points])
        drawn = [str(third) for third in POINTS if play.banker_after[points][third].action == "draws"]
        yield f"Banker on {points}, Player drawing", f"draws on {', '.join(drawn) or 'nothing'}"
    for rule in rules.bets.values():
        yield f"bet {rule.id}", _bet(rule)
    for line in rules.insurance.lines if rules.insurance else ():
        cells = f"{sorted(line.player)}-{sorted(line.banker)}"
        yield f"insurance of {line.side} after {line.stage}, {cells}", write(Odds(line.odds_text))
    for topic in sorted(RULE_SWITCHES):
        yield f"rule {topic}", "yes" if rules.has(topic) else "no"


def _does(row: PlayRow) -> str:
    return str(row.action)


def _bet(rule: BetRule) -> str:
    lines = "; ".join(map(_line, rule.pays))
    return f"{lines}; otherwise {'returned' if rule.otherwise is Result.PUSH else 'loses'}"


def _line(line: PayLine) -> str:
    verdict = line.verdict
    said = write(Odds(verdict.odds_text)) if verdict.odds_text else str(verdict.result)
    kept = f" less {verdict.commission}" if verdict.commission else ""
    return f"{said}{kept} when {write(when_phrase(line.when))}"
