"""From any state, simple rules for people finish a round, and so does the table if nothing waits for people."""

from collections.abc import Callable

from msgspec.structs import replace

from punto.rules.coup.cards import Face
from punto.rules.refusals import Refusal
from punto.table import decide, handle, next_step
from punto.table.play.claims import claimed_sides
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from tests.model.evening import Evening

Pick = Callable[[tuple[Face, ...]], Face]
MOST_COMMANDS = 30
"""Enough to close, resolve a problem, deal and turn six cards, offer insurance twice, burn a new shoe and settle."""


def forward(evening: Evening, pick: Pick) -> Command:
    """A simple next command in an open round, whatever has happened so far."""
    dealer, manager = ("del", Position.DEALER), ("cas", Position.CASINO_MANAGER)
    table, now = evening.table, evening.table.round
    assert now is not None
    tries: list[Command] = [
        reports.ResumeRound(*dealer),
        commands.CloseBetting(*dealer),
        reports.DismissIrregularity(*manager, "nothing was wrong"),
        reports.RuleCardOrder(*manager, now.irregularities.order_lost),
        reports.CallTime(*manager),
        commands.Settle(*manager),
        commands.OpenInsurance(*dealer),
    ]
    cards = evening.lawful_cards()
    if cards:
        tries.append(commands.BurnCards(*dealer, pick(cards)))
    known = evening.face_down or (table.carried[0].card if table.carried else not (table.shoe and table.shoe.left))
    tries.append(commands.DealCard(*dealer, None if known or not cards else pick(cards)))
    down = [place for place, card in enumerate(now.cards, 1) if card is None]
    tries += [commands.TurnCard(*dealer, place, pick(evening.lawful_cards(place))) for place in down]
    tries.append(reports.ReportShoeRunOut(*manager))
    for command in tries:
        if evening.accepts(command) and not evening.goes_wrong(command):
            return command
    raise AssertionError(f"the round stands still: {decide(evening.rules, table, tries[-1])}")


def by_itself(evening: Evening, pick: Pick) -> Command:
    if claimed_sides(evening.rules, evening.table):  # a pit manager decides that no bet goes back
        return commands.Settle("max", Position.PIT_MANAGER)
    step = next_step(evening.rules, evening.table)
    assert step is not None, "the table stands still"
    return step.command(pick(evening.lawful_cards(step.place)) if step.needs_card else None)


def check_round_can_be_finished(evening: Evening, pick: Pick) -> None:
    """People can finish it from every state, and automations can if nothing waits for people."""
    table = evening.table
    if table.phase not in (Phase.BETTING, Phase.DEALING):
        return
    trial = Evening(evening.rules)
    trial.table = table
    _finish(trial, lambda: forward(trial, pick))
    now, settings = table.round, table.settings
    assert now is not None
    assert settings is not None
    for_people = (now.irregularities.raised, now.irregularities.order_lost, now.accepted, table.restart)
    if not any(for_people):
        trial.table = replace(table, settings=replace(settings, automations=tuple(Automation)))
        _finish(trial, lambda: by_itself(trial, pick))


def _finish(trial: Evening, go_on: Callable[[], Command]) -> None:
    for _ in range(MOST_COMMANDS):
        command = go_on()
        trial.table, decision = handle(trial.rules, trial.table, command)
        assert not isinstance(decision, Refusal), command
        if trial.table.phase is Phase.READY:
            return
    raise AssertionError("the round does not end")
