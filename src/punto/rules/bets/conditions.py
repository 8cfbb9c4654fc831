"""The conditions of pay lines as phrases."""

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.bets.pay_lines import When, WhenPairs
from punto.rules.coup.space import Pairs, Winner

PAIR_PATTERNS = {
    frozenset({Pairs.PLAYER, Pairs.BOTH, Pairs.TWIN}): "player",
    frozenset({Pairs.BANKER, Pairs.BOTH, Pairs.TWIN}): "banker",
    frozenset({Pairs.PLAYER, Pairs.BANKER}): "one",
    frozenset({Pairs.BOTH}): "both",
    frozenset({Pairs.TWIN}): "twin",
}
"""Names of the pair patterns that pay lines require."""
_WINNING_POINTS = frozenset(range(1, 10))


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
        return phrase("when.wins_by", side=side, points=points, margin=when.margin, cards=when.cards)
    if hand_cards is not None:
        return phrase("when.wins_with", side=side, points=points, cards=hand_cards)
    if len(others) < len(points):
        return phrase("when.wins_not_on", side=side, points=others)
    return phrase("when.wins_on", side=side, points=points)
