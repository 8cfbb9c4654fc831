"""Bets in words: their names, what they pay, and on which side of the felt they lie."""

from punto.rules.bets.pay_lines import BetRule, WhenPairs
from punto.rules.coup.space import Pairs, Winner
from punto.rules.rulebook import Rulebook
from punto.web.pages.base.i18n import Tongue

_PAIR_OF = {Pairs.PLAYER: "player", Pairs.BANKER: "banker"}


def bet_name(rules: Rulebook, bet: str, t: Tongue) -> str:
    """A bet or an insurance by its name."""
    if bet in rules.bets:
        return t(rules.bets[bet].name)
    return t("Banker Insurance") if bet.startswith("banker") else t("Player Insurance")


def side_of_felt(rule: BetRule) -> str:
    """Banker's bets lie on Banker's side, Player's on Player's, and those of both or neither between them."""
    sides: set[str] = set()
    for line in rule.pays:
        if isinstance(line.when, WhenPairs):
            single = {_PAIR_OF[pattern] for pattern in line.when.patterns if pattern in _PAIR_OF}
            sides |= single or {"centre"}
        elif line.verdict.odds is not None:
            sides.add("centre" if line.when.winner is Winner.TIE else line.when.winner.value)
    return sides.pop() if len(sides) == 1 else "centre"


def pays(rule: BetRule, t: Tongue) -> str:
    """What a bet pays, in short: the ordinary case first."""
    lines = [line.verdict for line in rule.pays if line.verdict.odds is not None]
    odds = sorted({verdict.odds for verdict in lines if verdict.odds is not None})
    if all(each.denominator == 1 for each in odds) and len(odds) > 1:
        several = t(" or ").join((", ".join(str(each) for each in odds[:-1]), str(odds[-1])))
        said = t("{several} to 1", several=several)
    else:
        said = t(" or ").join(t("{a} to {b}", a=each.numerator, b=each.denominator) for each in reversed(odds))
    commission = next((verdict.commission for verdict in lines if verdict.commission), None)
    return t("{odds} less {percent}%", odds=said, percent=f"{float(commission * 100):g}") if commission else said
