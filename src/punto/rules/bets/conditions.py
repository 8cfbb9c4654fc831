"""The conditions of pay lines as phrases."""

from functools import cache

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.bets.condition import Condition
from punto.rules.bets.features import WORDS, word_parts
from punto.rules.bets.pay_lines import When, WhenPairs
from punto.rules.coup.space import ENDS, Pairs, Winner

PAIR_PATTERNS = {
    frozenset({Pairs.PLAYER, Pairs.BOTH, Pairs.TWIN}): "player",
    frozenset({Pairs.BANKER, Pairs.BOTH, Pairs.TWIN}): "banker",
    frozenset({Pairs.PLAYER, Pairs.BANKER, Pairs.BOTH, Pairs.TWIN}): "any",
    frozenset({Pairs.PLAYER, Pairs.BANKER}): "one",
    frozenset({Pairs.BOTH}): "both",
    frozenset({Pairs.TWIN}): "twin",
    frozenset({Pairs.PLAYER}): "player_only",
    frozenset({Pairs.BANKER}): "banker_only",
    frozenset({Pairs.NONE}): "none",
}
"""Names of the pair patterns that pay lines require, alone or together."""
_WINNING_POINTS = frozenset(range(1, 10))
_POINTS = frozenset(range(10))


def when_phrase(when: When | WhenPairs | Condition) -> Phrase:
    """The condition of a pay line."""
    if isinstance(when, WhenPairs):
        return _pairs_phrase(when.patterns)
    if isinstance(when, Condition) or not _has_short_form(when):
        return condition_phrase(when if isinstance(when, Condition) else when.condition)
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


def _has_short_form(when: When) -> bool:
    """Whether one of the sentences about a winner says all of it."""
    hand_cards = (when.player_cards is not None) + (when.banker_cards is not None)
    if when.points is None or when.winner is Winner.TIE:
        return when == When(when.winner, when.points)
    if when.margin is None:
        return hand_cards + (2 * (when.cards is not None)) <= 1
    return not hand_cards


def _pairs_phrase(patterns: frozenset[Pairs]) -> Phrase:
    if patterns in PAIR_PATTERNS:
        return phrase(f"pairs.{PAIR_PATTERNS[patterns]}")
    single = tuple(phrase(f"pairs.{PAIR_PATTERNS[frozenset({pattern})]}") for pattern in Pairs if pattern in patterns)
    return phrase("when.any", parts=single)


def condition_phrase(condition: Condition) -> Phrase:
    """A condition in all its parts."""
    parts = []
    if condition.winners:
        won = (
            phrase("when.tie") if each is Winner.TIE else phrase("when.wins", side=each) for each in condition.winners
        )
        parts.append(phrase("when.any", parts=tuple(won)))
    parts += [phrase(f"fact.{fact}", numbers=numbers) for fact, numbers in condition.numbers]
    if condition.natural is not None:
        parts.append(phrase(f"natural.{condition.natural}"))
    if condition.pairs:
        parts.append(_pairs_phrase(frozenset(condition.pairs)))
    for group, words in condition.features:
        parts += [phrase("when.feature", cards=group, feature=_word_phrase(word)) for word in words]
    return phrase("when.all", parts=tuple(parts))


def _word_phrase(word: str) -> Phrase:
    if word in WORDS:
        return phrase(f"feature.{word}")
    kind, values = word_parts(word)
    return phrase(f"ranked.{kind}", **values)


def merge(whens: tuple[When | WhenPairs | Condition, ...]) -> tuple[When | WhenPairs | Condition, ...]:
    """The same conditions, those of one winner as one where a single condition covers exactly the same ends."""
    pairs = [when for when in whens if isinstance(when, WhenPairs)]
    patterns = frozenset[Pairs]().union(*(when.patterns for when in pairs))
    by_winner: dict[Winner, list[When]] = {}
    for when in whens:
        if isinstance(when, When):
            by_winner.setdefault(when.winner, []).append(when)
    merged: list[When | WhenPairs | Condition] = [WhenPairs(patterns)] if patterns in PAIR_PATTERNS else list(pairs)
    for group in by_winner.values():
        merged += _as_one(tuple(group)) or group
    return (*merged, *(when for when in whens if isinstance(when, Condition)))


@cache
def _as_one(group: tuple[When, ...]) -> tuple[When, ...]:
    """The simplest single condition for all of them; empty if there is none. Tries all 400 ends, hence the cache."""
    winner = group[0].winner
    points = frozenset[int]().union(*(when.points or _POINTS for when in group))
    covered = [any(when.matches(end) for when in group) for end in ENDS]
    simpler = (When(winner), When(winner, points), When(winner, points, group[0].margin))
    return tuple(when for when in simpler if [when.matches(end) for end in ENDS] == covered)[:1]
