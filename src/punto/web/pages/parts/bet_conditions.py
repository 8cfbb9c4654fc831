"""When each bet wins, in a sentence, and what it pays then."""

from msgspec import Struct

from punto.catalogue.values import Odds
from punto.rules.bets.condition import Condition
from punto.rules.bets.conditions import merge, when_phrase
from punto.rules.bets.pay_lines import BetRule, Result, When, WhenPairs
from punto.rules.refusals import Clause
from punto.web.pages.base.i18n import Translator


class PaysWhen(Struct, frozen=True):
    odds: str
    when: str


def condition(rule: BetRule, t: Translator) -> str:
    """When a bet wins, and when it goes back, in one sentence."""
    wins = tuple(map(when_phrase, merge(_conditions(rule, Result.WIN))))
    back = tuple(map(when_phrase, merge(_conditions(rule, Result.PUSH))))
    return t("condition.wins_or_back", when=wins, back=back) if back else t("condition.wins", when=wins)


def _conditions(rule: BetRule, result: Result) -> tuple[When | WhenPairs | Condition, ...]:
    return tuple(line.when for line in rule.pays if line.verdict.result is result)


def pay_table(rule: BetRule, t: Translator) -> tuple[PaysWhen, ...]:
    """What a bet pays on which condition; empty if it always pays the same."""
    wins = [line for line in rule.pays if line.verdict.odds is not None]
    if len({line.verdict.odds for line in wins}) == 1:
        return ()
    return tuple(PaysWhen(t.write(Odds(line.verdict.odds)), t.write(when_phrase(line.when))) for line in wins)


def clauses_of(rule: BetRule) -> tuple[Clause, ...]:
    """The clause that defines a bet, and those by which it is paid or goes back."""
    return tuple(dict.fromkeys((rule.clause, *(clause for line in rule.pays for clause in line.verdict.clauses))))
