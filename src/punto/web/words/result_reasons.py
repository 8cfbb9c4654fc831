"""Why a bet won, lost or went back: for every page that shows results."""

from collections.abc import Iterator

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.journal.round_record import WentBack
from punto.rules.bets.deciding_facts import deciding_facts, result_fact
from punto.rules.bets.insurance import insured_side
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Winner
from punto.rules.rulebook import Rulebook
from punto.table.procedure.ruling_mark import mark_ruling
from punto.web.messages import Settled
from punto.web.words.bet_notes import paid_on_a_tie, played_part
from punto.web.words.translator import Translator


def why(rules: Rulebook, coup: Coup | None, settled: Settled, t: Translator) -> str:
    """The reason for the result of a bet; empty without a finished coup, or if the book lacks the bet."""
    if settled.went_back is not None:
        words = phrase(f"went_back.{settled.went_back}")
        return t.write(mark_ruling(words, settled.clauses) if settled.went_back is WentBack.RULING else words)
    if coup is None or not coup.finished or not (settled.stage or settled.bet in rules.bets):
        return ""
    if settled.stage is not None:
        reasons = _why_insurance(rules, coup, settled)
    else:
        reasons = deciding_facts(rules.bets[settled.bet], coup)
    return t.paragraph(map(t.write, (*reasons, *_kept_back(settled))))


def played(rules: Rulebook, settled: Settled, t: Translator) -> str:
    """Which part of a bet played and why; empty if all of it did, or if it went back."""
    part = None if settled.went_back is not None else played_part(rules, settled)
    return "" if part is None else t.write(part)


def _kept_back(settled: Settled) -> Iterator[Phrase]:
    if settled.stage is None and settled.commission_minor:
        yield phrase("why.commission", amount=Money(settled.commission_minor))
    if settled.rounded_minor:
        more = settled.rounded_minor > 0
        yield phrase("why.rounded_up" if more else "why.rounded_down", amount=Money(abs(settled.rounded_minor)))


def _why_insurance(rules: Rulebook, coup: Coup, settled: Settled) -> Iterator[Phrase]:
    """Depends on the result, because on a tie some insurance pays and some returns the stake."""
    yield result_fact(coup)
    yield phrase(f"insurance_taken.{settled.stage}")
    won = settled.result is Result.WIN
    if paid := paid_on_a_tie(rules, settled, coup.winner):
        yield paid
    elif coup.winner is Winner.TIE:
        yield phrase("why.insured_tie_returns")
    else:
        yield phrase("why.insured_loses" if won else "why.insured_wins", side=insured_side(settled.bet))
