"""The figures of a memo on a game, as ``punto memo --json`` prints them."""

from collections.abc import Callable
from fractions import Fraction

from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.cli._shared.figures_json import BetFiguresOut, CellFiguresOut, bet_out, cell_out
from punto.cli._shared.readings_page import Adoptions
from punto.library import readings
from punto.odds.counting.advantage import Turning
from punto.odds.distribution import Distribution
from punto.odds.exact.full_shoe import full_shoe_figures
from punto.odds.exact.known_cards import solve_known
from punto.odds.exact.solver import solve
from punto.odds.figures import edge_of
from punto.odds.shoe import full_shoe
from punto.rules.coup.cards import RANKS, Face
from punto.rules.coup.space import ENDS, End, Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.interpretations import Reading, SettingValue
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic

_CHAR_SIU = ("player_char_siu", "banker_char_siu")


class KnownFirstOut(Struct):
    """A bet, given the rank of the first card."""

    edge: str
    edge_float: float


class OtherEdgeOut(Struct):
    """The house edge of a bet if the reading were the other one."""

    bet: str
    edge: str
    edge_float: float


class ReadingChangeOut(Struct):
    """A reading that has an alternative, and what that would change."""

    id: str
    title: str
    clauses: tuple[Clause, ...]
    alternative: str
    effect: str
    setting: str | None
    ours: SettingValue | None
    in_force: SettingValue | None
    adopted: bool
    """Whether the house has adopted a value, ours or another."""
    edges: tuple[OtherEdgeOut, ...]


class Memo(Struct):
    game: str
    law: str
    decks: int
    cards: int
    bets: dict[str, BetFiguresOut]
    insurance_cells: int
    """Cells of the book that a fresh shoe can reach."""
    insurance_favours_bettor: list[CellFiguresOut]
    known_first: dict[str, dict[str, KnownFirstOut]]
    """By the rank of Player's first card, every bet."""
    turning: Turning | None
    """None if no shoes were dealt."""
    readings: list[ReadingChangeOut]


def memo_of(rules: Rulebook, decks: int, turning: Turning | None, adoptions: Adoptions, language: Language) -> Memo:
    """``language`` is that of the readings' sentences."""
    worth = full_shoe_figures(rules, decks)
    fresh = solve(rules, full_shoe(rules, decks))
    return Memo(
        game=rules.id,
        law=rules.law_hash,
        decks=decks,
        cards=decks * 52,
        bets={bet: bet_out(each, lines=False) for bet, each in worth.bets.items()},
        insurance_cells=len(worth.insurance),
        insurance_favours_bettor=[cell_out(cell) for cell in worth.insurance if cell.favours_bettor],
        known_first={rank: _known_first(rules, decks, rank) for rank in RANKS},
        turning=turning,
        readings=[
            _change(rules, fresh, reading, adoptions, language)
            for reading in readings()
            if reading.has_alternative and reading.clauses(rules) and _ONLY_IN.get(reading.id, _everywhere)(rules)
        ],
    )


def _known_first(rules: Rulebook, decks: int, rank: str) -> dict[str, KnownFirstOut]:
    dealt = solve_known(rules, [Face(rank)], full_shoe(rules, decks).less(rank))
    assert dealt is not None  # noqa: S101 - a fresh shoe
    edges = {bet: edge_of(rule, dealt) for bet, rule in rules.bets.items()}
    return {bet: KnownFirstOut(str(edge), float(edge)) for bet, edge in edges.items()}


def _change(
    rules: Rulebook, fresh: Distribution, reading: Reading, adoptions: Adoptions, language: Language
) -> ReadingChangeOut:
    setting, adoption = reading.setting, adoptions.get(reading.id)
    ours = None if setting is None else setting.ours
    others = {bet: edge for bet in rules.bets if (edge := _otherwise(rules, fresh, reading.id, bet)) is not None}
    return ReadingChangeOut(
        id=reading.id,
        title=reading.title_in(language),
        clauses=reading.clauses(rules),
        alternative=reading.alternative_in(language) or "",
        effect=reading.effect_in(language) or "",
        setting=None if setting is None else setting.name,
        ours=ours,
        in_force=ours if adoption is None else adoption.value,
        adopted=adoption is not None,
        edges=tuple(OtherEdgeOut(bet, str(edge), float(edge)) for bet, edge in others.items()),
    )


def _everywhere(_: Rulebook) -> bool:
    return True


def _has_char_siu(rules: Rulebook) -> bool:
    return any(bet in rules.bets for bet in _CHAR_SIU)


def _pays_banker_on_ties(rules: Rulebook) -> bool:
    lines = () if rules.insurance is None else rules.insurance.lines
    return any(line.tie_pays and line.side is Side.BANKER for line in lines)


def _offers_late(rules: Rulebook) -> bool:
    return rules.has(Topic.LATE_INSURANCE)


_ONLY_IN: dict[str, Callable[[Rulebook], bool]] = {
    "side_bets_lose_on_a_tie": _has_char_siu,
    "ties_that_pay_insurance": _pays_banker_on_ties,
    "insurance_not_offered": _offers_late,
}
"""Readings whose alternative changes something in some of their books only."""


def _otherwise(rules: Rulebook, fresh: Distribution, reading: str, bet: str) -> Fraction | None:
    """The edge of a bet under the other reading; None if that does not change it."""
    if reading == "wu_dalang_wins_the_round" and bet == "wu_dalang":
        return 1 - _chance(fresh, lambda end: end.player == 1) * (1 + _best_odds(rules, bet))
    if reading == "side_bets_lose_on_a_tie" and bet in _CHAR_SIU:
        return edge_of(rules.bets[bet], fresh) - _chance(fresh, lambda end: end.winner is Winner.TIE)
    return None


def _chance(fresh: Distribution, of: Callable[[End], bool]) -> Fraction:
    return Fraction(sum(weight for end, weight in zip(ENDS, fresh.ends, strict=True) if of(end)), fresh.total)


def _best_odds(rules: Rulebook, bet: str) -> Fraction:
    return max(line.verdict.odds or Fraction() for line in rules.bets[bet].pays)
