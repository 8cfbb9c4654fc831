"""Why a bet won, lost or went back: the fact of the coup that decided it, and the line of the book it met or missed."""

from collections.abc import Iterator

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Odds
from punto.rules.bets.condition import Condition
from punto.rules.bets.conditions import PAIR_PATTERNS, merge, when_phrase
from punto.rules.bets.pay_lines import BetRule, PayLine, Result, When, WhenPairs, line_of
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import End, Pairs, Winner
from punto.rules.coup.table_of_play import Side

_HANDS = {"player": (Side.PLAYER,), "banker": (Side.BANKER,)}
"""By the name of a pair pattern, the hands that it is about. All other patterns are about both."""
_FACT_SAYS_ALL = frozenset({"player", "banker", "any"})


def deciding_facts(rule: BetRule, coup: Coup) -> Iterator[Phrase]:
    """Sentences on the result of a bet of a finished coup; the fact comes first.

    The line of the book follows only where the fact does not already say it.
    """
    outcome = coup.outcome
    line = line_of(rule, coup)
    wins = [each for each in rule.pays if each.verdict.result is Result.WIN]
    asked = merge(tuple(each.when for each in wins))
    if rule.over_pairs:
        yield from _pair_facts(wins, coup)
    elif rule.automaton is not None:
        yield _cards_fact(coup)
    else:
        yield _end_fact(outcome.end, line, asked)
    if line is None:
        yield from _missed(asked)
    elif line.verdict.result is Result.PUSH and line.when == When(Winner.TIE):
        yield phrase("why.tie_returns")
    elif line.verdict.result is Result.PUSH:
        yield phrase("why.push_when", when=when_phrase(line.when))
    elif line.verdict.result is Result.LOSE:
        yield phrase("why.lose_when", when=when_phrase(line.when))
    elif len({each.verdict.odds for each in wins}) > 1:
        yield phrase("why.pays_odds_when", odds=Odds(line.verdict.odds_text), when=when_phrase(line.when))


def result_fact(coup: Coup) -> Phrase:
    """Who won, and the points of both hands."""
    return phrase("why.result", **_score(coup.outcome.end))


# ---- single cards


def _cards_fact(coup: Coup) -> Phrase:
    """The cards of both hands."""
    return phrase("why.cards", player=_written(coup, Side.PLAYER), banker=_written(coup, Side.BANKER))


def _written(coup: Coup, side: Side) -> tuple[str, ...]:
    return tuple(card.replace("T", "10") for card in coup.hand(side).cards if card is not None)


# ---- pairs


def _pair_facts(wins: list[PayLine], coup: Coup) -> Iterator[Phrase]:
    patterns = frozenset[Pairs]().union(*(each.when.patterns for each in wins if isinstance(each.when, WhenPairs)))
    for side in _HANDS.get(PAIR_PATTERNS.get(patterns, ""), tuple(Side)):
        ranks = [card.rank for card in coup.hand(side).cards[:2] if card is not None]
        cards = tuple("10" if rank == "T" else rank for rank in ranks)
        yield phrase("why.pair" if len(set(ranks)) == 1 else "why.no_pair", side=side, cards=cards)


# ---- points and cards


def _end_fact(end: End, line: PayLine | None, asked: tuple[When | WhenPairs | Condition, ...]) -> Phrase:
    conditions = [when for when in asked if isinstance(when, When)]
    only_ties = len(conditions) == len(asked) and all(when.winner is Winner.TIE for when in conditions)
    if line is None and end.winner is not Winner.TIE and only_ties:
        return phrase("why.no_tie", **_score(end))
    if line is None:
        near = [_missed_details(when, end) for when in conditions if when.winner is end.winner]
        details = min(near, key=len, default=())
    else:
        details = tuple(has for has, _ in _details(line.when, end)) if isinstance(line.when, When) else ()
    return phrase("why.result_with", details=details, **_score(end)) if details else phrase("why.result", **_score(end))


def _score(end: End) -> dict[str, object]:
    losing, winning = sorted((end.player, end.banker))
    return {"outcome": end.winner, "winning": winning, "losing": losing}


def _missed_details(when: When, end: End) -> tuple[Phrase, ...]:
    """What the end has otherwise than a condition on the same winner asks. Points are in the score."""
    return tuple(has for has, met in _details(when, end) if not met)


def _details(when: When, end: End) -> Iterator[tuple[Phrase, bool]]:
    """What the end has of all that a condition asks besides winner and points, and whether it is as asked."""
    if when.margin is not None:
        margin = abs(end.player - end.banker)
        yield phrase("why.by", margin=margin), margin == when.margin
    for asked, has in ((when.player_cards, end.player_cards), (when.banker_cards, end.banker_cards)):
        if asked is not None:
            yield phrase("why.with_cards", cards=has), has == asked
    if when.cards is not None:
        yield phrase("why.cards_in_all", cards=end.cards), end.cards == when.cards


def _missed(asked: tuple[When | WhenPairs | Condition, ...]) -> Iterator[Phrase]:
    if len(asked) == 1 and _fact_says_all(asked[0]):
        return
    first, *others = map(when_phrase, asked)
    yield phrase("why.pays_when", when=first)
    yield from (phrase("why.also_pays_when", when=each) for each in others)


def _fact_says_all(when: When | WhenPairs | Condition) -> bool:
    if isinstance(when, WhenPairs):
        return PAIR_PATTERNS.get(when.patterns) in _FACT_SAYS_ALL
    return isinstance(when, When) and when == When(when.winner)
