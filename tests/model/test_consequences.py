"""At random tables: what is foreseen of a command is what then comes, to the cent, and has no card that is not seen."""

from collections import Counter

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from punto import book, book_ids
from punto.rules.coup.cards import Face
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, handle
from punto.table.consequences import Consequences, Finished, PossibleOrder, consequences
from punto.table.decision import Decision
from punto.table.moves.waiting import Then
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice
from punto.table.records.positions import STAFF, Position
from punto.table.records.state import Phase as TablePhase
from punto.table.records.state import Table, cards_in_order, stakes
from tests.lanes import examples, same_each_time
from tests.marks import books
from tests.model import walk
from tests.model.choices import Choices, Seeded
from tests.model.evening import Evening
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
    Then.SETTLE: (commands.Settle(*HOUSE),),
    Then.INSURE: (commands.OpenInsurance(*HOUSE), commands.CloseInsurance(*HOUSE)),
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
    )
    for _ in range(20):
        if table.phase is TablePhase.READY:
            return table
        decisions = ((after, decision) for after, decision in (handle(rules, table, each) for each in going_on))
        table = next(after for after, decision in decisions if not isinstance(decision, Refusal))
    raise AssertionError("the round does not end")


class Foreseen(Evening):
    """Looks at what would follow from each command of staff before it is given."""

    def __init__(self, rules: Rulebook) -> None:
        super().__init__(rules)
        self.seen = Counter[str]()

    def do(self, command: Command) -> Decision:
        if command.position not in STAFF:
            return super().do(command)
        before, foreseen = self.table, consequences(self.rules, self.table, command)
        decision = super().do(command)
        if isinstance(foreseen, Refusal) or isinstance(decision, Refusal):
            return decision
        first = decide(self.rules, before, replace(command, position=foreseen.positions[0]))
        assert foreseen.events == first
        self._check_money(before, foreseen)
        self._check_choices(foreseen)
        self._check_cards(before, command, foreseen)
        self._check_then(foreseen)
        self._check_end(self.table, foreseen.finished)
        for possible in foreseen.orders:
            self._check_order(possible)
        self.seen.update(name for name in FORESEEN if getattr(foreseen, name))
        return decision

    def _check_money(self, before: Table, foreseen: Consequences) -> None:
        people = {who for table in (before, self.table) for who in table.people | table.gone}
        people |= {moved.who for moved in foreseen.money} | {balance.who for balance in foreseen.balances}
        balances = {balance.who: (balance.before_minor, balance.after_minor) for balance in foreseen.balances}
        for who in people:
            chips = (before.chips_minor(who), self.table.chips_minor(who))
            assert balances.get(who, chips) == chips
            assert (who in balances) == (chips[0] != chips[1])
            assert sum(moved.amount_minor for moved in foreseen.money if moved.who == who) == chips[1] - chips[0]

    def _check_choices(self, foreseen: Consequences) -> None:
        now = self.table.round
        options = now.irregularities.options if now is not None else None
        assert [each.who for each in foreseen.choosing] == list(options.waiting_for if options else ())
        for each in foreseen.choosing:
            after, decision = handle(self.rules, self.table, reports.ChooseOption(*BOSS, each.who, Choice.RETURN))
            if isinstance(decision, Refusal):  # by nobody above a pit manager, or in no such book
                take = reports.ChooseOption(each.who, Position.PLAYER, each.who, Choice.RETURN)
                after, decision = handle(self.rules, self.table, take)
            assert not isinstance(decision, Refusal), decision
            assert after.chips_minor(each.who) - self.table.chips_minor(each.who) == each.back_minor

    def _check_cards(self, before: Table, command: Command, foreseen: Consequences) -> None:
        known = {*_faces(before), *_faces(self.table), *getattr(command, "cards", ()), getattr(command, "card", None)}
        raised = before.round.irregularities.raised if before.round else None
        known |= {raised.card if raised else None, None}
        hands = [foreseen.as_dealt, foreseen.should_be, *(each.hands for each in foreseen.orders)]
        assert {card for each in hands if each for card in (*each.player, *each.banker)} <= known
        named = msgspec.json.encode(replace(foreseen, events=()))
        for face in {str(each) for each in Face if each.suit} - {str(each) for each in known}:
            assert f'"{face}"'.encode() not in named

    def _check_then(self, foreseen: Consequences) -> None:
        table = self.table
        for command in ASKS.get(foreseen.then, ())[:1]:
            given = [handle(self.rules, table, each) for each in ASKS[foreseen.then]]
            assert any(not isinstance(decision, Refusal) for _, decision in given), (foreseen.then, command)
        if foreseen.then is Then.RULE_ORDER:
            assert foreseen.orders
        if foreseen.then is Then.NOTHING:
            assert table.phase is TablePhase.CLOSED

    def _check_end(self, table: Table, finished: Finished | None) -> None:
        if finished is None:
            return
        assert table.round is not None
        staked = {who: 0 for who, _ in stakes(table.round)}
        end = play_on(self.rules, table)
        assert {ending.who for ending in finished.endings} == set(staked)
        for ending in finished.endings:
            assert end.chips_minor(ending.who) == ending.balance_minor
            assert ending.balance_minor - table.chips_minor(ending.who) == ending.back_minor
            assert ending.staked_minor == sum(stake for who, stake in stakes(table.round) if who == ending.who)

    def _check_order(self, possible: PossibleOrder) -> None:
        table = self.table
        for command in (reports.ResumeRound(*BOSS), reports.CallTime(*BOSS)):
            table, _ = handle(self.rules, table, command)
        table, decision = handle(self.rules, table, reports.RuleCardOrder(*BOSS, possible.order))
        assert not isinstance(decision, Refusal), decision
        self._check_end(table, possible.finished)


def _faces(table: Table) -> set[Face | None]:
    burned = table.shoe.burned_card if table.shoe else None
    return {burned, *(card.card for card in cards_in_order(table))}


def _play(rules: Rulebook, seed: int, moves: int = 40) -> Foreseen:
    evening, some = Foreseen(rules), Choices(rules, Seeded(seed))
    walk.open_with_people(evening, some)
    for _ in range(moves):
        some.pick(MOVES)(evening, some)
    return evening


@pytest.mark.parametrize("rules", books())
def test_what_comes_was_foreseen(rules: Rulebook) -> None:
    @settings(
        max_examples=examples(3),
        derandomize=same_each_time(),
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(seed=st.integers(0, 10**6))
    def check(seed: int) -> None:
        _play(rules, seed)

    check()


def test_trouble_is_foreseen() -> None:
    """Under each book, rounds in which everything goes wrong."""
    seen = Counter[str]()
    for rules in map(book, book_ids()):
        evening = Foreseen(rules)
        troubled_house(evening, seed=11, rounds=range(QUIET_ROUNDS, QUIET_ROUNDS + 50))
        seen += evening.seen
    assert min(seen[name] for name in FORESEEN) >= 5, seen
