"""At random tables: what is foreseen of a command is what then comes, to the cent, and has no card that is not seen."""

from collections import Counter
from functools import partial

import msgspec
import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Face
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, handle
from punto.table.consequences import Consequences, Finished, PossibleOrder, consequences
from punto.table.decision import Decision
from punto.table.moves.sensible import sensible
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice
from punto.table.records.positions import STAFF, Position
from punto.table.records.state import Phase as TablePhase
from punto.table.records.state import Table, cards_in_order, stakes
from punto.table.situation import Then
from tests.cases.irregularity_files import all_irregularities
from tests.cases.playing import STAFF as POSITIONS
from tests.cases.playing import opening, steps
from tests.golden.script import lines_of
from tests.golden.words import read_command
from tests.marks import books
from tests.model import walk
from tests.model.evening import Evening
from tests.model.seeds import for_some_seeds, play_moves
from tests.model.test_troubled_house import QUIET_ROUNDS, troubled_house

pytestmark = pytest.mark.sweep

HOUSE = ("house", Position.HOUSE)
BOSS = ("cas", Position.CASINO_MANAGER)
FORESEEN = ("established", "should_be", "orders", "choosing", "void", "money", "finished")
MOVES = (*walk.MOVES, *(walk.something_goes_wrong,) * 2)
ASKS: dict[Then, tuple[Command, ...]] = {
    Then.REPORT: (reports.DismissIrregularity(*BOSS, "nothing was wrong"),),
    Then.RESUME: (reports.ResumeRound(*BOSS),),
    Then.CHOOSE: (reports.CallTime(*BOSS),),
    Then.ASK: (reports.CallTime(*BOSS),),
    Then.UNINSURED: (commands.Settle(*BOSS),),
    Then.SETTLE: (commands.Settle(*HOUSE),),
    Then.INSURE: (commands.OpenInsurance(*HOUSE),),
    Then.CLOSE_INSURANCE: (commands.CloseInsurance(*HOUSE),),
}
"""What a table takes that waits for this, whatever its cards are."""


def play_on(rules: Rulebook, table: Table) -> Table:
    """The round settled, with everybody playing on and the cards that have been drawn too early."""
    going_on: tuple[Command, ...] = (
        reports.ResumeRound(*BOSS),
        reports.CallTime(*BOSS),
        commands.Settle(*HOUSE),
        commands.OpenInsurance(*BOSS),
        commands.CloseInsurance(*BOSS),
        commands.DealCard(*BOSS),
        commands.DealCard(*BOSS, not_offered=True),
        reports.ReportShoeRunOut(*BOSS),
    )
    for _ in range(20):
        if table.phase is TablePhase.READY:
            return table
        decisions = ((after, decision) for after, decision in (handle(rules, table, each) for each in going_on))
        table = next(after for after, decision in decisions if not isinstance(decision, Refusal))
    raise AssertionError("the round does not end")


def check_foreseen(rules: Rulebook, before: Table, command: Command) -> set[str]:
    """Compare what is foreseen of a command with what then comes; the fields that had something to compare."""
    foreseen = consequences(rules, before, command)
    after, decision = handle(rules, before, command)
    if isinstance(foreseen, Refusal) or isinstance(decision, Refusal):
        return set()
    assert foreseen.events == decide(rules, before, replace(command, position=foreseen.positions[0]))
    _check_money(before, after, foreseen)
    _check_choices(rules, after, foreseen)
    _check_cards(before, after, command, foreseen)
    _check_then(rules, after, foreseen)
    _check_end(rules, after, foreseen.finished)
    for possible in foreseen.orders:
        _check_order(rules, after, possible)
    return {name for name in FORESEEN if getattr(foreseen, name)}


def _check_money(before: Table, after: Table, foreseen: Consequences) -> None:
    people = {who for table in (before, after) for who in table.people | table.gone}
    people |= {moved.who for moved in foreseen.money} | {balance.who for balance in foreseen.balances}
    balances = {balance.who: (balance.before_minor, balance.after_minor) for balance in foreseen.balances}
    if after.phase is TablePhase.CLOSED:
        assert not foreseen.money
        assert not balances, "all chips are carried over"
        return
    for who in people:
        chips = (before.chips_minor(who), after.chips_minor(who))
        assert balances.get(who, chips) == chips
        assert (who in balances) == (chips[0] != chips[1])
        assert sum(moved.amount_minor for moved in foreseen.money if moved.who == who) == chips[1] - chips[0]


def _check_choices(rules: Rulebook, table: Table, foreseen: Consequences) -> None:
    options = table.round.irregularities.options if table.round is not None else None
    assert [each.who for each in foreseen.choosing] == list(options.waiting_for if options else ())
    for each in foreseen.choosing:
        choice = reports.ChooseOption(each.who, Position.PLAYER, each.who, Choice.RETURN)
        after, decision = handle(rules, table, choice)
        assert not isinstance(decision, Refusal), decision
        assert after.chips_minor(each.who) - table.chips_minor(each.who) == each.back_minor


def _check_cards(before: Table, after: Table, command: Command, foreseen: Consequences) -> None:
    known = {*_faces(before), *_faces(after), *getattr(command, "cards", ()), getattr(command, "card", None)}
    raised = before.round.irregularities.raised if before.round else None
    known |= {raised.card if raised else None, None}
    hands = [foreseen.as_dealt, foreseen.should_be, *(each.hands for each in foreseen.orders)]
    assert {card for each in hands if each for card in (*each.player, *each.banker)} <= known
    named = msgspec.json.encode(replace(foreseen, events=()))
    for face in {str(each) for each in Face if each.suit} - {str(each) for each in known}:
        assert f'"{face}"'.encode() not in named


def _check_then(rules: Rulebook, table: Table, foreseen: Consequences) -> None:
    if foreseen.then is Then.NOTHING:
        assert table.phase is TablePhase.CLOSED
        return
    assert sensible(rules, table), "people always know what to do next"
    if foreseen.then in ASKS:
        given = [decide(rules, table, each) for each in ASKS[foreseen.then]]
        assert any(not isinstance(decision, Refusal) for decision in given), foreseen.then
    if foreseen.then is Then.RULE_ORDER:
        assert foreseen.orders


def _check_end(rules: Rulebook, table: Table, finished: Finished | None) -> None:
    if finished is None:
        return
    assert table.round is not None
    staked: dict[str, int] = {}
    for who, stake_minor in stakes(table.round):
        staked[who] = staked.get(who, 0) + stake_minor
    end = play_on(rules, table)
    assert {ending.who: ending.staked_minor for ending in finished.endings} == staked
    for ending in finished.endings:
        assert end.chips_minor(ending.who) == ending.balance_minor
        assert ending.balance_minor - table.chips_minor(ending.who) == ending.back_minor


def _check_order(rules: Rulebook, table: Table, possible: PossibleOrder) -> None:
    for command in (reports.ResumeRound(*BOSS), reports.CallTime(*BOSS)):
        table, _ = handle(rules, table, command)
    table, decision = handle(rules, table, reports.RuleCardOrder(*BOSS, possible.order))
    assert not isinstance(decision, Refusal), decision
    _check_end(rules, table, possible.finished)


class Foreseen(Evening):
    """Looks at what would follow from each command of staff before it is given."""

    def do(self, command: Command) -> Decision:
        if command.position in STAFF:
            check_foreseen(self.rules, self.table, command)
        return super().do(command)


def _faces(table: Table) -> set[Face | None]:
    burned = table.shoe.burned_card if table.shoe else None
    return {burned, *(card.card for card in cards_in_order(table))}


def _play(rules: Rulebook, seed: int) -> Foreseen:
    return play_moves(Foreseen(rules), seed, MOVES)


@pytest.mark.parametrize("rules", books())
def test_what_comes_was_foreseen(rules: Rulebook) -> None:
    for_some_seeds(partial(_play, rules))


@pytest.mark.parametrize("rules", books())
def test_trouble_is_foreseen(rules: Rulebook) -> None:
    """Rounds in which everything goes wrong."""
    troubled_house(Foreseen(rules), seed=11, rounds=range(QUIET_ROUNDS, QUIET_ROUNDS + 20))


def test_every_case_is_foreseen() -> None:
    """All cases of irregularities: there is something to compare in each of the fields."""
    seen = Counter[str]()
    for filed in all_irregularities():
        rules, table = book(filed.book), Table()
        for line in lines_of("\n".join(opening(filed))):
            table, _ = handle(rules, table, read_command(line.partition(" -- ")[0], POSITIONS))
        for line in lines_of("\n".join(steps(filed.case))):
            command = read_command(line.partition(" -- ")[0], POSITIONS)
            if command.position in STAFF:
                seen.update(check_foreseen(rules, table, command))
            table, _ = handle(rules, table, command)
    assert min(seen[name] for name in FORESEEN) > 10, seen
