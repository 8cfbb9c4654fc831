"""What is said to be possible beside the next step is what the table accepts."""

from typing import Any

import pytest

from punto import book
from punto.floor.journal.entry import read_event
from punto.rules.refusals import Refusal
from punto.table import evolve
from punto.table.engine import decide_for_staff
from punto.table.play.squeezing import highest_bettor
from punto.table.procedure.side_steps import SIDE_STEPS, is_possible
from punto.table.records.commands import WaiveThirdCardInsurance
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from tests.golden.recordings import golden

SESSIONS = (
    *("commission/evening-12", "commission-insurance/evening-16", "commission-insurance/evening-20"),
    *("da-hu-ying-xiong/evening-11", "tiger-buffalo/evening-7"),
)
"""Golden sessions in which each of these steps was taken."""


@pytest.mark.sweep
def test_a_step_is_possible_whenever_somebody_of_the_staff_may_take_it() -> None:
    """From the first round on, between all commands."""
    seen = set()
    for name in SESSIONS:
        evening, table = golden(name), Table()
        rules = book(evening.book)
        for step in evening.steps:
            for text in step.events:
                table = evolve(table, read_event(text))
            if not step.events or table.round is None or table.phase is Phase.CLOSED:
                continue
            for kind in SIDE_STEPS:
                waives: dict[str, Any] = {"who": highest_bettor(table) or "nobody"}
                command = kind("dora", Position.DEALER, **(waives if kind is WaiveThirdCardInsurance else {}))
                decision, _ = decide_for_staff(rules, table, command)
                possible = is_possible(rules, table, kind)
                assert possible is not isinstance(decision, Refusal), (name, step.asked, kind)
                seen.add((kind, possible))
    assert seen == {(kind, possible) for kind in SIDE_STEPS for possible in (True, False)}
