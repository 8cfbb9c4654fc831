"""At random tables: whoever may give a command leads to the events that its preview showed, and nobody else may."""

from collections import Counter
from functools import partial

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.decision import Decision
from punto.table.preview import SHOW_CARDS, preview, shown
from punto.table.records.chips import CountTray
from punto.table.records.commands import Command, DealCard
from punto.table.records.events import CardsBurned, CardTurned
from punto.table.records.positions import STAFF
from punto.table.records.reports import ReportFaceUpCard
from punto.table.refusals import TableCode
from tests.marks import books
from tests.model import walk
from tests.model.evening import Evening
from tests.model.seeds import for_some_seeds, play_moves

pytestmark = pytest.mark.sweep

APPROVER = "zoe"
MOVES = (*walk.MOVES, walk.something_goes_wrong, *(walk.a_slip_is_corrected,) * 3)


class Previewed(Evening):
    """Looks at the preview of each command of staff before it is given."""

    def __init__(self, rules: Rulebook) -> None:
        super().__init__(rules)
        self.compared = Counter[str]()

    def do(self, command: Command) -> Decision:
        if command.position in STAFF:
            self._compare(command)
        return super().do(command)

    def _compare(self, command: Command) -> None:
        rules, table = self.rules, self.table
        previewed = preview(rules, table, command)
        runs_out = isinstance(command, DealCard) and table.shoe is not None and not (table.shoe.left or table.carried)
        if isinstance(command, (*SHOW_CARDS, CountTray)) and not runs_out:
            assert isinstance(previewed, Refusal)
            assert previewed.code is TableCode.NO_PREVIEW
            return
        for position in STAFF:
            decision = decide(rules, table, replace(command, by=APPROVER, position=position))
            if isinstance(previewed, Refusal):
                refused = isinstance(decision, Refusal)
                assert refused or previewed.variant == "own", (command, previewed, decision)
            elif position in previewed.positions:
                assert not isinstance(decision, Refusal), (command, decision)
                assert shown(decision) == shown(previewed.events), command
                shown_cards = [event.card for event in decision if isinstance(event, CardsBurned | CardTurned)]
                named = [command.card] if isinstance(command, ReportFaceUpCard) else []
                assert shown_cards in ([], named), command
                self.compared[type(command).__name__] += 1
            else:
                assert isinstance(decision, Refusal), (command, position)
                assert decision.code is TableCode.NOT_AUTHORISED, (command, decision)


def _play(rules: Rulebook, seed: int) -> Previewed:
    return play_moves(Previewed(rules), seed, MOVES)


@pytest.mark.parametrize("rules", books())
def test_approval_leads_to_the_events_of_the_preview(rules: Rulebook) -> None:
    for_some_seeds(partial(_play, rules))


def test_the_runs_compare_reports() -> None:
    compared = sum((_play(book("commission-insurance"), seed).compared for seed in range(1, 9)), Counter[str]())
    assert len([kind for kind in compared if kind.startswith("Report")]) >= 3, compared
