"""What bets pay, and which side of the felt they are on."""

from fractions import Fraction

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Odds, Rate
from punto.rules.bets.conditions import when_phrase
from punto.rules.bets.features import Group
from punto.rules.bets.pay_lines import BetRule, PayLine, When
from punto.rules.coup.space import Pairs, Winner
from punto.web.pages.base.i18n import Translator

_PAIR_OF = {Pairs.PLAYER: "player", Pairs.BANKER: "banker"}
_SIDE_OF = {
    Group.PLAYER_TWO: "player",
    Group.PLAYER_HAND: "player",
    Group.BANKER_TWO: "banker",
    Group.BANKER_HAND: "banker",
}


def side_of_felt(rule: BetRule) -> str:
    """``player`` or ``banker`` for bets on that side only, else ``centre``."""
    sides: set[str] = set()
    for line in rule.pays:
        condition = line.condition
        if condition.pairs:
            single = {_PAIR_OF[pattern] for pattern in condition.pairs if pattern in _PAIR_OF}
            sides |= single or {"centre"}
        elif line.verdict.odds is not None:
            winners = {"centre" if winner is Winner.TIE else winner.value for winner in condition.winners}
            sides |= winners or {_SIDE_OF.get(group, "centre") for group, _ in condition.features} or {"centre"}
    return sides.pop() if len(sides) == 1 else "centre"


def pays(rule: BetRule, t: Translator) -> str:
    """What a bet pays, as a short text."""
    lines = {line.verdict.odds: line for line in rule.pays if line.verdict.odds is not None}
    commission = next((line.verdict.commission for line in lines.values() if line.verdict.commission), None)
    odds = _odds(lines)
    return t("pays.less", odds=odds, commission=Rate(commission)) if commission else t.write(odds)


def _odds(lines: dict[Fraction, PayLine]) -> Phrase | Odds:
    """The odds; all of them if they depend on how the bet wins; or the usual ones and where it pays less."""
    several = sorted(lines)
    if len(several) == 1:
        return Odds(several[0])
    if all(odds.denominator == 1 for odds in several):
        return phrase("pays.several", odds=tuple(several))
    less, usual = several[0], several[-1]
    when = lines[less].when
    if len(several) > 2 or not isinstance(when, When) or when != When(when.winner, when.points or frozenset()):
        each = (phrase("pays.when", odds=Odds(odds), when=when_phrase(lines[odds].when)) for odds in reversed(several))
        return phrase("pays.each", lines=tuple(each))
    points = tuple(sorted(when.points or ()))
    return phrase("pays.less_on", odds=Odds(usual), less=Odds(less), side=when.winner.value, points=points)
