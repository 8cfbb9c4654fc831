"""What people read and say after every step of every irregularity case, in both languages."""

from collections.abc import Iterator
from functools import cache, reduce
from typing import TypeVar

import pytest
from msgspec import Struct, to_builtins

from punto import book as read_book
from punto.catalogue.sentence import Language, say
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import handle
from punto.table.consequences import consequences
from punto.table.decision import coup_with_exposed
from punto.table.evolution import evolve
from punto.table.preview import shown
from punto.table.records import corrections
from punto.table.records.commands import Command
from punto.table.records.events import Event, InsuranceFlag, InsuranceFlagged, Limit, LimitFlagged, MinimumAdvised
from punto.table.records.findings import (
    CardsDrawnOutOfTurn,
    IrregularityReported,
    LateBetRefused,
    RoundVoided,
    Ruled,
)
from punto.table.records.kinds import CardUse, Irregularity, Late
from punto.table.records.state import Phase, Table
from punto.web.messages.previews import Told
from punto.web.words.consequence_words import tell
from punto.web.words.event_words import Writer
from punto.web.words.translator import TRANSLATORS, translator
from tests.cases.irregularity_files import Filed, all_irregularities
from tests.cases.playing import STAFF, opening, steps
from tests.catalogue.test_counts import ONE_OF_MANY
from tests.golden.script import lines_of
from tests.golden.words import read_command

pytestmark = pytest.mark.sweep


Happened = TypeVar("Happened", bound=Event)
PULLED: dict[Language, str] = {"en": "stays and plays", "zh": "照常计输赢"}
BY_RULING: dict[Language, str] = {"en": "ruling", "zh": "裁决"}


class Step(Struct, frozen=True):
    """A step of a case that the table accepted, and its words."""

    case: str
    book: Rulebook
    before: Table
    command: Command
    events: tuple[Event, ...]
    lines: dict[Language, tuple[str, ...]]
    """What goes on record, as guide, referee, round page, incident and audit show it."""
    told: dict[Language, Told]
    """What a preview says; empty for a command without one."""

    @property
    def after(self) -> Table:
        return reduce(evolve, self.events, self.before)

    def texts(self, language: Language) -> Iterator[str]:
        yield from self.lines[language]
        if self.told:
            yield from _texts(to_builtins(self.told[language]))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([each for key, each in value.items() if key != "say_in"])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


@cache
def all_steps() -> tuple[Step, ...]:
    return tuple(step for filed in all_irregularities() for step in _steps_of(filed))


def _steps_of(filed: Filed) -> Iterator[Step]:
    rules, table = read_book(filed.book), Table()
    for line in lines_of("\n".join(opening(filed))):
        table, _ = handle(rules, table, read_command(line.partition(" -- ")[0], STAFF))
    for line in lines_of("\n".join(steps(filed.case))):
        command, before = read_command(line.partition(" -- ")[0], STAFF), table
        table, decision = handle(rules, before, command)
        if isinstance(decision, Refusal):
            continue
        found = consequences(rules, before, command)
        events = shown(decision)
        speakers = {language: translator(language, at_shuffler=before.at_shuffler) for language in TRANSLATORS}
        yield Step(
            f"{filed.book}: {filed.case.name}: {line}",
            rules,
            before,
            command,
            tuple(decision),
            {language: Writer(t, {}).lines(events) for language, t in speakers.items()},
            {}
            if isinstance(found, Refusal)
            else {language: tell(found, command, t, {}) for language, t in speakers.items()},
        )


def steps_with(kind: type[Happened]) -> list[tuple[Step, Happened]]:
    found = [(step, event) for step in all_steps() for event in step.events if isinstance(event, kind)]
    assert found, f"no case has {kind.__name__}"
    return found


def test_nothing_says_one_of_many() -> None:
    assert [(each.case, text) for each in all_steps() for text in each.texts("en") if ONE_OF_MANY.search(text)] == []


def test_no_step_is_titled_by_a_card_that_nobody_has_seen() -> None:
    assert [each.case for each in all_steps() for told in each.told.values() if set(told.title) <= set("? ")] == []


NEXT: dict[Language, str] = {"en": "dealt next", "zh": "接着先发"}
DISCARDED: dict[Language, str] = {"en": "discarded", "zh": "弃牌"}
PUT_BACK: dict[Language, str] = {"en": "back into the shuffler", "zh": "放回洗牌机"}
NEXT_ROUND: dict[Language, str] = {"en": "the next round", "zh": "下一局"}


def test_a_void_discards_cards_or_puts_them_back_into_the_shuffler_and_deals_none() -> None:
    machines = set[bool]()
    for step, _ in steps_with(RoundVoided):
        machines.add(step.before.at_shuffler)
        for language, lines in step.lines.items():
            words = " ".join(lines)
            assert NEXT[language] not in words, step.case
            assert (DISCARDED[language] in words) is not step.before.at_shuffler, step.case
            assert (PUT_BACK[language] in words) is step.before.at_shuffler, step.case
    assert machines == {True, False}


def test_cards_drawn_too_early_open_the_next_round_once_the_coup_is_finished() -> None:
    uses = set[CardUse | None]()
    for step, event in steps_with(CardsDrawnOutOfTurn):
        before, uses = step.before, uses | {event.use}
        void = any(isinstance(each, RoundVoided) for each in step.events)
        over = before.phase is not Phase.BETTING and (
            before.phase is Phase.READY or coup_with_exposed(step.book, before).finished
        )
        assert event.use is (CardUse.DISCARDED if void else CardUse.NEXT_ROUND if over else CardUse.THIS_ROUND)
        for language, lines in step.lines.items():
            words = " ".join(lines)
            assert (NEXT[language] in words) is (event.use is CardUse.THIS_ROUND), step.case
            assert (NEXT_ROUND[language] in words) is (event.use is CardUse.NEXT_ROUND), step.case
    assert uses == set(CardUse)


def test_a_corrected_payment_is_announced_after_corrections_only() -> None:
    corrected = {say("aloud.corrected", language) for language in TRANSLATORS}
    said = [step for step in all_steps() for told in step.told.values() if told.say in corrected]
    assert all(type(step.command).__module__ == corrections.__name__ for step in said), [step.case for step in said]


def test_a_bet_pulled_late_stays_and_plays() -> None:
    for step, event in steps_with(LateBetRefused):
        pulled = event.tried is Late.WITHDRAWN
        for language, words in PULLED.items():
            assert (words in step.told[language].say) is pulled, step.case
            assert any(words in line for line in step.lines[language]) is pulled, step.case
    assert {step.book.id for step, event in steps_with(LateBetRefused) if event.tried is Late.WITHDRAWN} >= {
        "commission",
        "commission-insurance",
    }


def test_whoever_bets_below_the_minimum_may_raise_or_withdraw() -> None:
    for step, _ in steps_with(MinimumAdvised):
        assert any("may raise or withdraw it" in line for line in step.lines["en"]), step.case
        assert any("加注或撤回" in line for line in step.lines["zh"]), step.case
        assert "raise it or take it back" in step.told["en"].say
        assert "加注或撤回" in step.told["zh"].say


BACK = {
    InsuranceFlag.ABOVE_CAP: "above the cap",
    InsuranceFlag.FORGONE: "given up insurance for this round",
    InsuranceFlag.NO_OFFER: "none on offer",
    InsuranceFlag.NO_ORIGINAL_BET: "no bet in this box",
}


def test_insurance_that_goes_back_says_why() -> None:
    for step, event in steps_with(InsuranceFlagged):
        said = {why for why, words in BACK.items() if any(words in line for line in step.lines["en"])}
        assert said == {event.why}, step.case


def test_a_bet_is_below_the_minimum_and_above_other_limits() -> None:
    for step, event in steps_with(LimitFlagged):
        below = any("below the minimum" in line for line in step.lines["en"])
        assert below or event.limit is not Limit.MINIMUM, step.case
        assert not any("above the minimum" in line for line in step.lines["en"]), step.case


def test_a_ruling_is_marked_where_it_rests_on_no_clause() -> None:
    marks = {language: say("ruling.no_clause", language, words="") for language in TRANSLATORS}
    found = steps_with(Ruled)
    for step, _ in found:
        for language, lines in step.lines.items():
            assert any(marks[language] in line for line in lines) is (step.book.id == "commission"), step.case
    assert "commission" in {step.book.id for step, _ in found}


def test_an_error_of_an_earlier_round_leaves_a_payment_to_a_ruling() -> None:
    for step, event in steps_with(IrregularityReported):
        if event.kind is Irregularity.LATER_ERROR:
            for language, words in BY_RULING.items():
                assert any(words in line for line in step.lines[language]), step.case
                assert words in step.told[language].say, step.case


def test_insurance_is_not_next_while_it_is_open() -> None:
    openings = 0
    for step in all_steps():
        now = step.after.round
        if step.told and now is not None and not now.over and now.insurance.offer_open:
            openings += 1
            assert step.told["en"].then != say("then.insure"), step.case
            assert step.told["zh"].then != say("then.insure", "zh"), step.case
    assert openings
