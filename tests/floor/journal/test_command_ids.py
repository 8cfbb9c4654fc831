"""An accepted command id gets the same answer for ever, and no other command may use it."""

from typing import Any

import pytest

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.running.commands import Answer
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.nights import DORA, SID, SUE, Night, night
from tests.table.tables import json_limits

ANN = Actor("ann", Position.PLAYER)
DEAL = {"command": "deal_card.1"}


async def _dealing(floor: Night, **changes: Any) -> None:
    await floor.table("t1", burn=False, automations=[], **changes)
    await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
    await floor.do(DORA, "t1", "open_betting.1")
    await floor.do(DORA, "t1", "close_betting.1")


async def _ask(floor: Night, command_id: str, body: dict[str, Any], by: Actor = DORA, table: str = "t1") -> Answer:
    return await floor.floor.submit(by, table, command_id, body)


async def _code(floor: Night, command_id: str, body: dict[str, Any], by: Actor = DORA, table: str = "t1") -> str:
    with pytest.raises(FloorRefused) as refused:
        await _ask(floor, command_id, body, by, table)
    return refused.value.code


def test_a_card_that_could_be_dealt_again_is_not(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor)
        first = await _ask(floor, "deal", DEAL)
        for body in (DEAL, {**DEAL, "card": None}):
            assert await _ask(floor, "deal", body) == first
        await floor.do(DORA, "t1", "deal_card.1")
        assert await _ask(floor, "deal", DEAL) == first
        now = floor.live("t1").state.round
        assert now is not None
        assert len(now.cards) == 2

    night(database_url, play)


def test_the_position_may_change_between_two_tries_and_the_person_may_not(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor)
        first = await _ask(floor, "deal", DEAL)
        assert await _ask(floor, "deal", DEAL, Actor(DORA.name, Position.PIT_SUPERVISOR)) == first
        assert await _code(floor, "deal", DEAL, Actor("dan", Position.DEALER)) is FloorCode.COMMAND_ID_TAKEN

    night(database_url, play)


def test_another_command_or_another_table_may_not_use_the_id(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor)
        await floor.table("t2", automations=[])
        await _ask(floor, "deal", DEAL)
        taken = FloorCode.COMMAND_ID_TAKEN
        assert await _code(floor, "deal", {"command": "close_betting.1"}) is taken
        assert await _code(floor, "deal", {"command": "buy_in.1", "who": "ann", "amount_minor": 100_00}) is taken
        assert await _code(floor, "deal", DEAL, table="t2") is taken
        assert await _code(floor, "deal", {"command": "no_such.1"}) is FloorCode.BAD_COMMAND
        assert await _code(floor, "deal", {**DEAL, "card": "As"}) is FloorCode.NOT_THE_SEALED_CARD

    night(database_url, play)


def test_a_card_named_at_a_real_shoe_belongs_to_the_command(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, shoes=ShoeKind.MANUAL)
        first = await _ask(floor, "deal", {**DEAL, "card": "As"})
        assert await _ask(floor, "deal", {**DEAL, "card": "As"}) == first
        assert await _code(floor, "deal", {**DEAL, "card": "Ks"}) is FloorCode.COMMAND_ID_TAKEN

    night(database_url, play)


def test_an_opening_answers_the_same_although_a_closing_has_left_other_balances(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1", automations=[])
        settings = {"layout": "A", "boxes": 7, **json_limits(book("commission-insurance"))}
        opening = {"command": "open_table.1", "settings": settings, "float_minor": 5_00}
        await floor.close("t1")
        first = await _ask(floor, "open", opening, SUE)
        assert first.refusal is None
        await floor.do(DORA, "t1", "buy_in.1", who="cat", amount_minor=100_00)
        assert await _ask(floor, "open", opening, SUE) == first
        await floor.close("t1")
        assert await _ask(floor, "open", opening, SUE) == first
        assert floor.live("t1").openings == 2
        assert await _code(floor, "open", {**opening, "float_minor": 6_00}, SUE) is FloorCode.COMMAND_ID_TAKEN

    night(database_url, play)


def test_what_a_repetition_leaves_out_is_taken_from_the_record(database_url: str) -> None:
    """So a default that has changed since then makes no difference; a field with another value does."""

    async def play(floor: Night) -> None:
        await floor.floor.create_table(SUE, TableSetup("t1", "commission-insurance"))
        settings = {
            "layout": "A",
            "boxes": 7,
            "cut_card": 20,
            "main": {"min_minor": 5_00},
            "differential_minor": 500_00,
            "side": {"min_minor": 500, "max_minor": 9_00},
        }
        body = {"command": "open_table.1", "settings": settings, "float_minor": 5}
        first = await _ask(floor, "open", body, SUE)
        assert first.entries
        for same in (
            {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7}},
            {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7, "side": {"max_minor": 9_00}}},
            {"command": "open_table.1"},
        ):
            assert await _ask(floor, "open", same, SUE) == first
        for other in (
            {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7, "cut_card": 14}},
            {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7, "side": {"min_minor": 5_01}}},
            {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7, "differential_minor": None}},
            {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7, "side": {"max_minor": None}}},
            {"command": "open_table.1", "float_minor": 6},
            {"command": "close_table.1"},
        ):
            assert await _code(floor, "open", other, SUE) is FloorCode.COMMAND_ID_TAKEN

    night(database_url, play)


def test_a_mapping_is_one_value_not_fields_to_be_left_out(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1")
        body = {"command": "rule.1", "reason": "goodwill", "effect": "adjust", "amounts": {"ann": 5, "ben": 7}}
        first = await _ask(floor, "ruled", body, SID)
        assert await _ask(floor, "ruled", body, SID) == first
        assert await _code(floor, "ruled", {**body, "amounts": {"ann": 5}}, SID) is FloorCode.COMMAND_ID_TAKEN

    night(database_url, play)


def test_a_command_that_names_its_round_answers_the_same_when_that_round_is_over(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1", burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="first", decks=8)
        await floor.do(DORA, "t1", "open_betting.1", round=0)
        bet = {"command": "place_bet.1", "who": "ann", "box": 1, "bet": "tie", "stake_minor": 100_00, "round": 1}
        first = await _ask(floor, "bet", bet, ANN)
        assert first.refusal is None
        await floor.do(SUE, "t1", "report_interruption.1", reason="no light")
        await floor.do(DORA, "t1", "open_betting.1", round=1)
        assert await _ask(floor, "bet", bet, ANN) == first
        late = (await _ask(floor, "late bet", bet, ANN)).refusal
        assert late is not None
        assert late.code is TableCode.OTHER_ROUND
        assert await _code(floor, "bet", {**bet, "round": 2}, ANN) is FloorCode.COMMAND_ID_TAKEN
        now = floor.live("t1").state.round
        assert now is not None
        assert (now.number, now.bets) == (2, {})

    night(database_url, play)


def test_a_visitor_and_a_dealer_of_the_same_name_are_two_people(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1", automations=[])
        sat = {"command": "stand_behind.1", "who": "ann", "box": 3}
        assert (await _ask(floor, "stood", sat, ANN)).refusal is None
        own = (await _ask(floor, "stood", sat, Actor("ann", Position.DEALER))).refusal
        bought = {"command": "buy_in.1", "who": "box 3", "amount_minor": 5}
        assert (await _ask(floor, "bought", bought)).refusal is None
        visitors = (await _ask(floor, "bought", bought, Actor(DORA.name, Position.PLAYER))).refusal
        assert own is not None
        assert visitors is not None
        assert own.code is visitors.code is TableCode.NOT_AUTHORISED

    night(database_url, play)
