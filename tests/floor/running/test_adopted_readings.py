"""A house adopts a reading by name and date, and tables that it opens from then on follow it."""

from pathlib import Path
from typing import Any

import pytest

from punto import book
from punto.floor.demo.opening_tables import set_up
from punto.floor.errors import FloorCode
from punto.floor.house.projections.settings import ADOPTED_KEY
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import read_command, read_event
from punto.floor.journal.house_events import AuthorityRefused, ReadingAdopted
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.running import adopted_readings
from punto.floor.running.adopted_readings import Adoption, adopt_reading, lost_adoptions, read_adoptions
from punto.library import readings
from punto.rules.interpretations import SettingValue
from punto.rules.money import Rounding
from punto.rules.refusals import Clause
from punto.rules.topics import Topic
from punto.table.decision import MAX_REASON_LENGTH
from punto.table.records.commands import OpenTable
from punto.table.records.events import SettingsChanged, TableOpened
from punto.table.records.positions import SHIFT_MANAGER_UP, Position
from punto.table.records.settings import Settings, chosen_settings
from punto.table.refusals import TableCode
from tests.floor.staff_floor import SUPERVISOR, Staffed, refused, run
from tests.marks import BOOKS, reading

MANAGER = Actor("sid", Position.SHIFT_MANAGER)
REASON = "agreed with the regulator"
INSURANCE_RULINGS: dict[str, tuple[Clause, ...]] = {
    game: (Clause("5.18"),) for game in ("commission-insurance", "da-hu-ying-xiong", "tiger-buffalo")
}
RULINGS: dict[str, tuple[Clause, ...]] = {**INSURANCE_RULINGS, "super-six-plus": (Clause("5.17"),)}
"""The clauses that leave readings to the house; ``commission`` has none."""
LIMITS = {"main": {"min_minor": 10_00}, "differential_minor": 1_000_00}


async def _adopt(house: Staffed, reading_id: str, value: SettingValue, by: Actor = MANAGER) -> None:
    await adopt_reading(house.floor.house_log, by, reading_id, value, REASON)


async def _adopted(house: Staffed) -> list[ReadingAdopted]:
    return [event for _, _, event in await house.told(ReadingAdopted) if isinstance(event, ReadingAdopted)]


def _opening(game: str, **settings: Any) -> dict[str, Any]:
    layout = next(iter(book(game).layouts.values()))
    limits = LIMITS if book(game).has(Topic.DIFFERENTIAL) else {}
    given = {"layout": layout.id, "boxes": layout.most_boxes or 7, **limits, **settings}
    return {"command": "open_table.1", "settings": given, "float_minor": 100_000_00}


async def _opened(house: Staffed, name: str, game: str = "commission-insurance", **settings: Any) -> Settings:
    """The settings in the event of a new table's opening."""
    await house.table(name, game)
    answer = await house.floor.submit(SUPERVISOR, name, f"open {name}", _opening(game, **settings))
    assert answer.refusal is None, answer.refusal
    event = read_event(answer.entries[0].event)
    assert isinstance(event, TableOpened)
    command = read_command(answer.entries[0].command or "")
    assert isinstance(command, OpenTable)
    assert command.settings == event.settings
    return event.settings


@reading("interpretation_belongs_to_the_house")
def test_who_when_and_why_are_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        assert await read_adoptions(house.database) == {}
        await _adopt(house, "forgoing_insurance", value=False)
        first_us = house.clock.us
        house.clock.go_on(5)
        casino = Actor("cat", Position.CASINO_MANAGER)
        await _adopt(house, "cut_card", 20, casino)
        assert await read_adoptions(house.database) == {
            "forgoing_insurance": Adoption(
                "forgone_for_the_round", value=False, reason=REASON, by="sid", position="shift_manager", at_us=first_us
            ),
            "cut_card": Adoption("cut_card", 20, REASON, "cat", "casino_manager", house.clock.us),
        }
        assert await house.told(ReadingAdopted) == [
            (
                "sid",
                "shift_manager",
                ReadingAdopted(
                    "forgoing_insurance", "forgone_for_the_round", value=False, reason=REASON, clauses=INSURANCE_RULINGS
                ),
            ),
            ("cat", "casino_manager", ReadingAdopted("cut_card", "cut_card", 20, REASON, RULINGS)),
        ]

    run(database_url, test)


def test_adopting_the_value_in_force_again_changes_nothing(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await _adopt(house, "cut_card", 14)  # the first adoption is on record, also of our own value
        first = await read_adoptions(house.database)
        assert first["cut_card"].value == 14
        house.clock.go_on(5)
        await adopt_reading(house.floor.house_log, Actor("cat", Position.CASINO_MANAGER), "cut_card", 14, "again")
        assert await read_adoptions(house.database) == first
        assert len(await house.told(ReadingAdopted)) == 1
        await _adopt(house, "cut_card", 20)
        await _adopt(house, "cut_card", 14)
        assert [event.value for event in await _adopted(house)] == [14, 20, 14]
        assert (await read_adoptions(house.database))["cut_card"].at_us == house.clock.us

    run(database_url, test)


def test_an_adoption_of_a_reading_that_no_longer_exists_is_lost_for_tables_and_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: Staffed) -> None:
        await _adopt(house, "cut_card", 20)
        await _adopt(house, "burn_cards", value=False)
        adoptions = await read_adoptions(house.database)
        assert lost_adoptions(adoptions) == {}
        left = tuple(each for each in readings() if each.id != "cut_card")
        monkeypatch.setattr(adopted_readings, "readings", lambda: left)
        assert lost_adoptions(adoptions) == {"cut_card": adoptions["cut_card"]}
        opened = await _opened(house, "t1")
        assert (opened.cut_card, opened.burn) == (14, False)

    run(str(tmp_path / "floor.db"), test)


@reading("interpretation_belongs_to_the_house")
def test_what_is_adopted_is_the_default_when_a_table_opens_and_open_tables_keep_theirs(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        assert (await _opened(house, "t1")).forgone_for_the_round
        await _adopt(house, "forgoing_insurance", value=False)
        await _adopt(house, "round_down_bet_by_bet", "up")
        before = house.floor.table("t1").state.settings
        assert before is not None
        assert (before.forgone_for_the_round, before.rounding) == (True, Rounding.DOWN)
        opened = await _opened(house, "t2")
        assert (opened.forgone_for_the_round, opened.rounding) == (False, Rounding.UP)
        await _adopt(house, "forgoing_insurance", value=True)  # ours again
        assert (await _opened(house, "t3")).forgone_for_the_round
        assert (await read_adoptions(house.database))["forgoing_insurance"].value is True

    run(database_url, test)


@reading("interpretation_belongs_to_the_house")
def test_a_setting_that_the_opening_states_wins(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await _adopt(house, "forgoing_insurance", value=False)
        await _adopt(house, "cut_card", 20)
        opened = await _opened(house, "t1", forgone_for_the_round=True)
        assert (opened.forgone_for_the_round, opened.cut_card) == (True, 20)

    run(database_url, test)


def test_the_clauses_of_the_books_that_a_reading_is_about_are_cited(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for reading_id in ("forgoing_insurance", "who_may_squeeze", "round_down_bet_by_bet"):
            await _adopt(house, reading_id, {"round_down_bet_by_bet": "up"}.get(reading_id, reading_id[0] == "w"))
        cited = {event.reading: event.clauses for event in await _adopted(house)}
        assert cited == {
            "forgoing_insurance": INSURANCE_RULINGS,
            "who_may_squeeze": RULINGS,
            "round_down_bet_by_bet": RULINGS,
        }

    run(database_url, test)


def test_a_reading_changes_no_table_whose_book_has_no_clause_on_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await _adopt(house, "established", value=True)
        await _adopt(house, "who_may_squeeze", value=True)
        await _adopt(house, "cut_card", 20)
        settings = await _opened(house, "old", "commission")
        assert (settings.established_by_staked_bets, settings.squeeze_by_hand, settings.cut_card) == (False, False, 20)
        settings = await _opened(house, "new", "super-six-plus")
        assert (settings.established_by_staked_bets, settings.squeeze_by_hand) == (True, True)

    run(database_url, test)


def test_a_supervisor_opens_a_table_where_a_manager_speaks_for_the_house_and_grants_all_squeezes(
    tmp_path: Path,
) -> None:
    async def test(house: Staffed) -> None:
        await _adopt(house, "squeeze_needs_permission", value=True)
        await _adopt(house, "who_the_house_is", "pit_manager")
        opened = await _opened(house, "t1")
        assert (opened.squeeze_granted, opened.house) == (True, Position.PIT_MANAGER)

    run(str(tmp_path / "floor.db"), test)


def test_an_opening_that_is_sent_again_is_answered_the_same_after_an_adoption(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        body = _opening("commission-insurance")
        await house.table("t1")
        first = await house.floor.submit(SUPERVISOR, "t1", "open", body)
        await _adopt(house, "forgoing_insurance", value=False)
        again = await house.floor.submit(SUPERVISOR, "t1", "open", body)
        assert again.entries == first.entries
        stated = _opening("commission-insurance", forgone_for_the_round=False)
        await refused(house.floor.submit(SUPERVISOR, "t1", "open", stated), FloorCode.COMMAND_ID_TAKEN)

    run(database_url, test)


def test_a_change_of_settings_that_leaves_a_reading_out_keeps_the_tables_own(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        own = await _opened(house, "t1", forgone_for_the_round=False, rounding="up", cut_card=20)
        await _adopt(house, "burn_cards", value=False)
        given = {"layout": own.layout, "boxes": own.boxes, **LIMITS, "cut_card": 30}
        body = {"command": "change_settings.1", "settings": given}
        answer = await house.floor.submit(SUPERVISOR, "t1", "change", body)
        assert answer.refusal is None, answer.refusal
        event = read_event(answer.entries[0].event)
        assert isinstance(event, SettingsChanged)
        changed = event.settings
        assert (changed.forgone_for_the_round, changed.rounding, changed.cut_card) == (False, Rounding.UP, 30)
        assert changed.burn
        again = await house.floor.submit(SUPERVISOR, "t1", "change", body)
        assert again.entries == answer.entries

    run(database_url, test)


def test_settings_that_are_no_table_are_left_to_the_table_to_refuse(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.table("t1")
        await _adopt(house, "cut_card", 20)
        for wrong in (None, 5, "settings"):
            body = {"command": "open_table.1", "settings": wrong}
            await refused(house.floor.submit(SUPERVISOR, "t1", f"{wrong}", body), FloorCode.BAD_COMMAND)

    run(database_url, test)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_settings_made_in_python_leave_to_the_house_what_they_do_not_choose(rules: Any) -> None:
    layout = next(iter(rules.layouts))
    assert chosen_settings(Settings(layout=layout, boxes=7)) == {"layout": layout, "boxes": 7}
    chosen = chosen_settings(Settings(layout=layout, boxes=7, rounding=Rounding.UP, burn=False, cut_card=14))
    assert chosen == {"layout": layout, "boxes": 7, "rounding": "up", "burn": False}


def test_the_demo_tables_follow_the_house_too(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        await _adopt(house, "cut_card", 20)
        await _adopt(house, "established", value=True)
        await set_up(house.floor, house.visitors)
        for live in house.floor.tables.values():
            settings = live.state.settings
            assert settings is not None
            assert settings.cut_card == 20
            assert settings.established_by_staked_bets is (live.rules.id != "commission")

    run(str(tmp_path / "floor.db"), test)


# ---- refusals


@reading("interpretation_belongs_to_the_house")
def test_a_shift_manager_or_above_adopts_and_each_try_of_others_is_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        others = [position for position in Position if position not in SHIFT_MANAGER_UP]
        for position in others:
            asked = _adopt(house, "cut_card", 20, Actor("ann", position))
            trouble = await refused(asked, TableCode.NOT_AUTHORISED)
            assert trouble.clauses == ("5.18",)
        await refused(_adopt(house, "cut_card", 20, THE_CONSOLE), TableCode.NOT_AUTHORISED)
        assert await read_adoptions(house.database) == {}
        assert [event for name, _, event in await house.told(AuthorityRefused) if name == "ann"] == [
            AuthorityRefused("", "ann", position, "adopt_reading", "not_authorised") for position in others
        ]

    run(database_url, test)


@pytest.mark.parametrize(
    ("reading_id", "value", "code", "variant"),
    [
        ("nonesuch", True, FloorCode.UNKNOWN_READING, ""),
        ("pairs_by_rank", True, FloorCode.BAD_READING, "fixed"),
        ("forgoing_insurance", 0, FloorCode.BAD_READING, "values"),
        ("forgoing_insurance", "false", FloorCode.BAD_READING, "values"),
        ("round_down_bet_by_bet", "sideways", FloorCode.BAD_READING, "values"),
        ("who_the_house_is", "dealer", FloorCode.BAD_READING, "values"),
        ("cut_card", 52, FloorCode.BAD_READING, "number"),
        ("cut_card", -1, FloorCode.BAD_READING, "number"),
        ("cut_card", True, FloorCode.BAD_READING, "number"),
        ("cut_card", "14", FloorCode.BAD_READING, "number"),
        ("rounds_after_cut_card", 100, FloorCode.BAD_READING, "number"),
    ],
)
def test_what_is_not_a_reading_or_not_one_of_its_values_is_refused(
    tmp_path: Path, reading_id: str, value: SettingValue, code: FloorCode, variant: str
) -> None:
    async def test(house: Staffed) -> None:
        trouble = await refused(_adopt(house, reading_id, value), code)
        assert (trouble.refusal.variant, trouble.clauses) == (variant, ("5.18",))
        assert trouble.refusal.values["book"] == "commission-insurance"
        assert not await house.told(ReadingAdopted)

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize("reason", ["", "  ", "x" * (MAX_REASON_LENGTH + 1), "a\nb"])
def test_a_reason_is_needed(tmp_path: Path, reason: str) -> None:
    async def test(house: Staffed) -> None:
        asked = adopt_reading(house.floor.house_log, MANAGER, "cut_card", 20, reason)
        trouble = await refused(asked, TableCode.REASON_NEEDED)
        assert (trouble.clauses, trouble.refusal.values["book"]) == (("5.18",), "commission-insurance")
        assert trouble.refusal.values["most"] == MAX_REASON_LENGTH
        await adopt_reading(house.floor.house_log, MANAGER, "cut_card", 20, "x" * MAX_REASON_LENGTH)

    run(str(tmp_path / "floor.db"), test)


def test_every_value_that_a_reading_takes_opens_a_table(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        for each in readings():
            if each.setting is None:
                continue
            for value in each.setting.values or (each.setting.least, each.setting.most):
                await _adopt(house, each.id, value)
                opened = await _opened(house, f"{each.id} {value}", "tiger-buffalo")
                assert getattr(opened, each.setting.name) == value
            await _adopt(house, each.id, each.setting.ours)

    run(str(tmp_path / "floor.db"), test)


@pytest.mark.parametrize("wrong", ['{"cut_card":1}', '{"cut_card":99}', '{"burn_cards":2}'])
def test_a_row_that_points_to_another_entry_is_not_used(tmp_path: Path, wrong: str) -> None:
    async def test(house: Staffed) -> None:
        await _adopt(house, "cut_card", 20)
        sql = "UPDATE meta SET value = ? WHERE name = ?"
        await house.database.write(lambda transaction: transaction.change(sql, (wrong, ADOPTED_KEY)))
        await refused(read_adoptions(house.database), FloorCode.BAD_DATABASE)

    run(str(tmp_path / "floor.db"), test)
