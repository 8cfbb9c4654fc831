"""Explains why a bet won, lost or went back."""

from collections.abc import Iterable, Iterator

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.rules.bets.pay_lines import BetRule, PayLine, Result, When, WhenPairs, covers
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import ENDS, Pairs, Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.web.messages import Settled
from punto.web.pages.base.i18n import Translator

PAIR_PATTERNS = {
    frozenset({Pairs.PLAYER, Pairs.BOTH, Pairs.TWIN}): "player",
    frozenset({Pairs.BANKER, Pairs.BOTH, Pairs.TWIN}): "banker",
    frozenset({Pairs.PLAYER, Pairs.BANKER, Pairs.BOTH, Pairs.TWIN}): "any",
    frozenset({Pairs.PLAYER, Pairs.BANKER}): "one",
    frozenset({Pairs.BOTH}): "both",
    frozenset({Pairs.TWIN}): "twin",
}
"""Names of the pair patterns that pay lines require, alone or together."""
_WINNING_POINTS = frozenset(range(1, 10))
_POINTS = frozenset(range(10))


def when_phrase(when: When | WhenPairs) -> Phrase:
    """The condition of a pay line."""
    if isinstance(when, WhenPairs):
        return phrase(f"pairs.{PAIR_PATTERNS[when.patterns]}")
    if when.points is None:
        return phrase("when.tie") if when.winner is Winner.TIE else phrase("when.wins", side=when.winner.value)
    points = tuple(sorted(when.points))
    if when.winner is Winner.TIE:
        return phrase("when.tie_on", points=points)
    return _wins_on(when, when.winner.value, points)


def _wins_on(when: When, side: str, points: tuple[int, ...]) -> Phrase:
    others = tuple(sorted(_WINNING_POINTS - set(points)))
    hand_cards = when.player_cards or when.banker_cards
    if when.margin is not None:
        if when.cards is None:
            return phrase("when.wins_by", side=side, points=points, margin=when.margin)
        return phrase("when.wins_by_with", side=side, points=points, margin=when.margin, cards=when.cards)
    if hand_cards is not None:
        return phrase("when.wins_with", side=side, points=points, cards=hand_cards)
    if len(others) < len(points):
        return phrase("when.wins_not_on", side=side, points=others)
    return phrase("when.wins_on", side=side, points=points)


def merge(whens: Iterable[When | WhenPairs]) -> list[When | WhenPairs]:
    """The same conditions, those of one winner as one where a single condition covers exactly the same ends."""
    pairs = [when for when in whens if isinstance(when, WhenPairs)]
    patterns = frozenset[Pairs]().union(*(when.patterns for when in pairs))
    by_winner: dict[Winner, list[When]] = {}
    for when in whens:
        if not isinstance(when, WhenPairs):
            by_winner.setdefault(when.winner, []).append(when)
    merged: list[When | WhenPairs] = [WhenPairs(patterns)] if patterns in PAIR_PATTERNS else list(pairs)
    for group in by_winner.values():
        merged += _as_one(group) or group
    return merged


def _as_one(group: list[When]) -> list[When]:
    """The simplest single condition for all of them; empty if there is none."""
    winner = group[0].winner
    points = frozenset[int]().union(*(when.points or _POINTS for when in group))
    covered = [any(when.matches(end) for when in group) for end in ENDS]
    simpler = (When(winner), When(winner, points), When(winner, points, group[0].margin))
    return [when for when in simpler if [when.matches(end) for end in ENDS] == covered][:1]


def why(rules: Rulebook, coup: Coup | None, settled: Settled, t: Translator) -> str:
    """The reason for the result of a bet; empty if there is no finished coup."""
    if settled.went_back is not None:
        return t(f"went_back.{settled.went_back}")
    if coup is None or not coup.finished:
        return ""
    if settled.stage is not None:
        return t.paragraph(_why_insurance(coup, settled, t))
    return t.paragraph(_why_bet(rules.bets[settled.bet], coup, settled, t))


def _why_bet(rule: BetRule, coup: Coup, settled: Settled, t: Translator) -> Iterator[str]:
    yield _score(coup, t)
    line = _line(rule, coup)
    if settled.result is Result.WIN and line is not None:
        yield t("why.pays_when", when=when_phrase(line.when))
    elif settled.result is Result.PUSH:
        yield t("why.tie_returns")
    else:
        wins = [each.when for each in rule.pays if each.verdict.result is Result.WIN]
        first, *others = map(when_phrase, merge(wins))
        yield t("why.pays_when", when=first)
        yield from (t("why.also_pays_when", when=each) for each in others)
    if settled.commission_minor:
        yield t("why.commission", amount=Money(settled.commission_minor))
    if settled.played_minor is not None:
        yield t("why.played", amount=Money(settled.played_minor))


def _score(coup: Coup, t: Translator) -> str:
    player, banker = coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points
    return t("why.score", player=player, banker=banker)


def _line(rule: BetRule, coup: Coup) -> PayLine | None:
    """The pay line that the coup satisfies."""
    outcome = coup.outcome
    cell = outcome.pairs if rule.over_pairs else outcome.end
    return next((line for line in rule.pays if covers(line, cell)), None)


def _why_insurance(coup: Coup, settled: Settled, t: Translator) -> Iterator[str]:
    """Depends on the result, because on a tie some insurance pays and some returns the stake."""
    yield _score(coup, t)
    yield t(f"insurance_taken.{settled.stage}")
    side = "banker" if settled.bet.startswith("banker") else "player"
    won = settled.result is Result.WIN
    if coup.winner is Winner.TIE:
        yield t("why.insured_tie_pays" if won else "why.insured_tie_returns")
    else:
        yield t("why.insured_loses" if won else "why.insured_wins", side=side)
