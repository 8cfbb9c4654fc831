"""What a preview takes, whose authority it needs, and what it leaves out."""

from typing import get_args, get_type_hints

import pytest
from msgspec.structs import replace

from punto import book
from punto.floor.journal.entry import read_event
from punto.rules.coup.cards import Face
from punto.rules.refusals import Refusal
from punto.table import decide, evolve
from punto.table.engine import decide_for_staff
from punto.table.preview import GIVER_FIELDS, SHOW_CARDS, Preview, check_preview, preview, shown
from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.findings import RoundVoided
from punto.table.records.kinds import Effect
from punto.table.records.positions import STAFF, Position, at_least
from punto.table.records.state import Table
from punto.table.refusals import TableCode
from punto.table.vocabulary import AnyEvent
from tests.golden.evening import read_asked
from tests.golden.recordings import DECIDED, golden
from tests.table.open_rounds import Reach, dealt, irregularity_raised, order_lost, settled
from tests.table.samples import commands_by
from tests.table.tables import settings

RULES = book("commission-insurance")
DORA = ("dora", Position.DEALER)


@pytest.mark.parametrize(
    ("reach", "command", "least"),
    [
        (dealt(2), reports.ReportDealingError(*DORA, "it fell"), Position.PIT_SUPERVISOR),
        (irregularity_raised, reports.DismissIrregularity(*DORA, "misread"), Position.PIT_SUPERVISOR),
        (order_lost, reports.RuleCardOrder(*DORA, (2, 1)), Position.PIT_SUPERVISOR),
        (dealt(2), reports.Rule(*DORA, "a bird", Effect.CONTINUE), Position.SHIFT_MANAGER),
        (settled, commands.CloseTable(*DORA), Position.PIT_SUPERVISOR),
    ],
)
def test_it_is_judged_in_the_least_position_that_may_give_it(reach: Reach, command: Command, least: Position) -> None:
    table = reach(RULES).table
    previewed = preview(RULES, table, command)
    assert isinstance(previewed, Preview), previewed
    assert set(previewed.positions) == at_least(least)
    assert previewed.events == decide(RULES, table, replace(command, position=least))


@pytest.mark.parametrize(
    ("reach", "back", "least"),
    [
        (dealt(2), 1, Position.DEALER),
        (dealt(2), 2, Position.PIT_SUPERVISOR),
        (settled, 1, Position.PIT_MANAGER),
    ],
)
def test_a_correction_needs_more_the_further_the_round_is(reach: Reach, back: int, least: Position) -> None:
    table = reach(RULES).table
    assert table.shoe is not None
    command = corrections.CorrectCard(*DORA, table.shoe.id, table.shoe.drawn - back, Face("9c"), reason="misread")
    previewed = preview(RULES, table, command)
    assert isinstance(previewed, Preview), previewed
    assert set(previewed.positions) == at_least(least)


@pytest.mark.parametrize("kind", SHOW_CARDS)
def test_it_never_draws_or_turns_a_card(kind: type[Command]) -> None:
    (command,) = [each for each in commands_by(RULES, *DORA, "ann") if type(each) is kind]
    for reach in (dealt(0), dealt(4, face_down=True), settled):
        refused = preview(RULES, reach(RULES).table, command)
        assert isinstance(refused, Refusal)
        assert refused.code is TableCode.NO_PREVIEW


def test_a_shoe_that_runs_out_shows_no_card() -> None:
    table = dealt(2)(RULES).table
    assert table.shoe is not None
    deal = commands.DealCard(*DORA)
    all_drawn = table.shoe.drawn + table.shoe.left
    empty = replace(table, shoe=replace(table.shoe, drawn=all_drawn))
    previewed = preview(RULES, empty, reports.ReportShoeRunOut(*DORA))
    assert isinstance(previewed, Preview), previewed
    assert RoundVoided in map(type, previewed.events)
    assert previewed.positions[0] is Position.PIT_SUPERVISOR
    nothing = preview(RULES, empty, deal)
    assert isinstance(nothing, Refusal)
    assert nothing.code is TableCode.SHOE_EMPTY
    refused = preview(RULES, replace(table, shoe=replace(table.shoe, drawn=all_drawn - 1)), deal)
    assert isinstance(refused, Refusal)
    assert refused.code is TableCode.NO_PREVIEW


def test_a_card_face_up_has_a_preview_where_people_name_it() -> None:
    table = dealt(2, face_down=True)(RULES).table
    report = reports.ReportFaceUpCard(*DORA, 1, Face("9c"))
    previewed = preview(RULES, table, report)
    assert isinstance(previewed, Preview), previewed
    assert previewed.events == decide(RULES, table, report)
    assert check_preview(RULES, table, type(report), card_named=True) is None
    refused = check_preview(RULES, table, type(report), card_named=False)
    assert refused is not None
    assert refused.code is TableCode.NO_PREVIEW


def test_a_refusal_about_the_table_says_more_than_one_about_the_position() -> None:
    table = dealt(2)(RULES).table
    held = settings(RULES, least=10_00, most=500_00)
    refused = preview(RULES, table, commands.OpenTable(*DORA, held))
    assert isinstance(refused, Refusal)
    assert refused.code is TableCode.TABLE_OPEN
    own = preview(RULES, table, reports.Rule("ann", Position.SHIFT_MANAGER, "x", Effect.ADJUST, amounts={"ann": 5}))
    assert isinstance(own, Refusal)
    assert (own.code, own.variant) == (TableCode.NOT_AUTHORISED, "own")


def test_it_does_not_say_who_gave_the_command() -> None:
    """The approver gives it. A new field that names them must be left out too."""
    naming = {
        name
        for kind in get_args(AnyEvent)
        for name, hint in get_type_hints(kind).items()
        if name.endswith("_by") or hint is Position
    }
    assert naming - GIVER_FIELDS == {"no_insurance_asked_by", "inspected_by"}  # these are in the command itself
    assert naming >= GIVER_FIELDS
    table = dealt(2)(RULES).table
    ruled = [
        shown(decision)
        for position in STAFF[3:]
        if not isinstance(
            decision := decide(RULES, table, reports.Rule(position, position, "a bird", Effect.CONTINUE)), Refusal
        )
    ]
    assert len(ruled) == 2
    assert ruled[0] == ruled[1]


def test_judging_once_finds_what_judging_in_every_position_finds() -> None:
    """Over all commands of some golden sessions: authority is always "or above"."""
    several = 0
    for name in DECIDED[::4]:
        evening, table = golden(name), Table()
        rules = book(evening.book)
        for step in evening.steps:
            command = read_asked(step.asked)
            found, positions = decide_for_staff(rules, table, command)
            each = {position: decide(rules, table, replace(command, position=position)) for position in STAFF}
            accepted = {position: events for position, events in each.items() if not isinstance(events, Refusal)}
            assert positions == tuple(accepted), step.asked
            assert found == accepted[positions[0]] if positions else isinstance(found, Refusal), step.asked
            several += 0 < len(positions) < len(STAFF)
            for text in step.events:
                table = evolve(table, read_event(text))
    assert several > 20
