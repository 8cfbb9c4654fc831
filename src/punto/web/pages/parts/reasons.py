"""Explains why a bet won, lost or went back."""

from collections.abc import Iterator

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.floor.journal.round_record import WentBack
from punto.floor.reports.ruling_mark import mark_ruling
from punto.rules.bets.conditions import merge, when_phrase
from punto.rules.bets.insurance import insured_side
from punto.rules.bets.pay_lines import BetRule, PayLine, Result, covers
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.web.messages import Settled
from punto.web.pages.base.i18n import Translator
from punto.web.words.bet_notes import paid_on_a_tie, played_part


def why(rules: Rulebook, coup: Coup | None, settled: Settled, t: Translator) -> str:
    """The reason for the result of a bet; empty without a finished coup, or if the book lacks the bet."""
    if settled.went_back is not None:
        words = phrase(f"went_back.{settled.went_back}")
        return t.write(mark_ruling(words, settled.clauses) if settled.went_back is WentBack.RULING else words)
    if coup is None or not coup.finished or not (settled.stage or settled.bet in rules.bets):
        return ""
    if settled.stage is not None:
        reasons = _why_insurance(rules, coup, settled, t)
    else:
        reasons = _why_bet(rules.bets[settled.bet], coup, settled, t)
    return t.paragraph((*reasons, *_rounded(settled, t)))


def played(rules: Rulebook, settled: Settled, t: Translator) -> str:
    """Which part of a bet played and why; empty if all of it did, or if it went back."""
    part = None if settled.went_back is not None else played_part(rules, settled)
    return "" if part is None else t.write(part)


def _why_bet(rule: BetRule, coup: Coup, settled: Settled, t: Translator) -> Iterator[str]:
    yield _score(coup, t)
    line = _line(rule, coup)
    if settled.result is Result.WIN and line is not None:
        yield t("why.pays_when", when=when_phrase(line.when))
    elif settled.result is Result.PUSH:
        yield t("why.tie_returns")
    else:
        wins = tuple(each.when for each in rule.pays if each.verdict.result is Result.WIN)
        first, *others = map(when_phrase, merge(wins))
        yield t("why.pays_when", when=first)
        yield from (t("why.also_pays_when", when=each) for each in others)
    if settled.commission_minor:
        yield t("why.commission", amount=Money(settled.commission_minor))


def _rounded(settled: Settled, t: Translator) -> Iterator[str]:
    if settled.rounded_minor:
        more = settled.rounded_minor > 0
        yield t("why.rounded_up" if more else "why.rounded_down", amount=Money(abs(settled.rounded_minor)))


def _score(coup: Coup, t: Translator) -> str:
    losing, winning = sorted((coup.hand(Side.PLAYER).points or 0, coup.hand(Side.BANKER).points or 0))
    return t("why.result", outcome=coup.winner.value, winning=winning, losing=losing)


def _line(rule: BetRule, coup: Coup) -> PayLine | None:
    """The pay line that the coup satisfies."""
    outcome = coup.outcome
    cell = outcome.pairs if rule.over_pairs else outcome.end
    return next((line for line in rule.pays if covers(line, cell)), None)


def _why_insurance(rules: Rulebook, coup: Coup, settled: Settled, t: Translator) -> Iterator[str]:
    """Depends on the result, because on a tie some insurance pays and some returns the stake."""
    yield _score(coup, t)
    yield t(f"insurance_taken.{settled.stage}")
    side = insured_side(settled.bet)
    won = settled.result is Result.WIN
    if paid := paid_on_a_tie(rules, settled, coup.winner):
        yield t.write(paid)
    elif coup.winner is Winner.TIE:
        yield t("why.insured_tie_returns")
    else:
        yield t("why.insured_loses" if won else "why.insured_wins", side=side)
