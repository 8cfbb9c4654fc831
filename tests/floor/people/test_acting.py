"""Commands through a session: where they may be given, and whom they may name."""

from typing import Any

import msgspec
import pytest

from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import COMMANDS_BY_TAG, tag
from punto.floor.journal.house_events import AuthorityRefused
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.acting import NEW_PEOPLE, TAKEN_IN, second_needed
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.commands import Answer
from punto.library import book
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.records.commands import BuyIn, OpenInsurance
from punto.table.records.identity import player_id
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.people.test_visitors import SUPERVISOR, opened
from tests.floor.players import register, register_and_erase
from tests.floor.staff_floor import DEALER, Staffed, refused, run
from tests.table.samples import RULES, commands_by
from tests.table.tables import dealing, json_limits, ready

SID = Actor("sid", Position.SHIFT_MANAGER)


async def give(
    house: Staffed, by: Actor, command: str, table: str = "t2", command_id: str = "", **fields: Any
) -> Answer:
    command_id = command_id or f"{command} {len(await house.entries())} {house.floor.table(table).head}"[:100]
    return await house.acting.submit(by, table, command_id, {"command": f"{command}.1", **fields})


async def accepted(answer: Any) -> None:
    given: Answer = await answer
    assert given.refusal is None, given.refusal


async def visitor(house: Staffed, name: str) -> Actor:
    return await house.sessions.actor((await house.visitors.enter(name)).token)


def test_a_visitor_acts_only_at_play_money_tables_and_each_try_elsewhere_is_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        ann = await visitor(house, "ann")
        for kind in (*COMMANDS_BY_TAG, "nonsense"):
            body = {"command": kind, "who": "ann", "box": 1}
            known = COMMANDS_BY_TAG.get(kind)
            if known is not None and Position.PLAYER not in known.may:
                answer = await house.acting.submit(ann, "t2", "c", body)
                assert answer.refusal is not None
                assert answer.refusal.code is TableCode.NOT_AUTHORISED
                continue
            await refused(house.acting.submit(ann, "t2", "c", body), FloorCode.VISITOR_ELSEWHERE)
        events = [event for _, _, event in await house.told(AuthorityRefused)]
        assert len(events) == len(COMMANDS_BY_TAG) + 1
        assert AuthorityRefused("t2", "ann", Position.PLAYER, "sit.1", FloorCode.VISITOR_ELSEWHERE) in events
        assert not house.floor.table("t2").state.people
        answer = await give(house, ann, "buy_in", "t1", who="ann", amount_minor=5)
        assert answer.refusal is not None
        assert answer.refusal.code is TableCode.NOT_AUTHORISED

    run(database_url, test)


def test_an_accepted_command_answers_the_same_after_the_table_is_no_longer_for_play_money(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        entered = await house.visitors.enter("ann")
        ann = await house.sessions.actor(entered.token)
        await house.visitors.buy_in(entered.token, "t1")
        first = await give(house, ann, "sit", "t1", "sat", who="ann", box=1)
        await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True))
        assert await give(house, ann, "sit", "t1", "sat", who="ann", box=1) == first
        await refused(give(house, ann, "leave", "t1", who="ann"), FloorCode.VISITOR_ELSEWHERE)
        assert len(await house.told(AuthorityRefused)) == 1

    run(database_url, test)


def test_at_a_play_money_table_only_the_house_gives_chips(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        cleo = await register(house.floor.house_log, "Cleo")
        token = (await house.visitors.enter("ann")).token
        await house.visitors.buy_in(token, "t1")
        for who in ("ann", "bob", "box 3", cleo):
            await refused(give(house, DEALER, "buy_in", "t1", who=who, amount_minor=5), FloorCode.PLAY_MONEY_ONLY)
            if who != "ann":
                ruling: dict[str, Any] = {"reason": "an error", "effect": "adjust", "amounts": {who: 5}}
                await refused(give(house, SID, "rule", "t1", **ruling), TableCode.UNKNOWN_PERSON)
        await accepted(give(house, SID, "rule", "t1", reason="an error", effect="adjust", amounts={"ann": 5}))
        await accepted(give(house, DEALER, "cash_out", "t1", who="ann", amount_minor=5))
        assert house.floor.table("t1").state.people == {"ann"}

    run(database_url, test)


def test_elsewhere_a_new_person_is_a_registered_player_or_a_place(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        cleo = await register(house.floor.house_log, "Cleo")
        erased = await register_and_erase(house.floor.house_log, "Dan")
        for who in ("bob", erased, player_id(99), "Box 3", cleo.lower()):
            await refused(give(house, DEALER, "buy_in", who=who, amount_minor=5), TableCode.UNKNOWN_PERSON)
            ruling: dict[str, Any] = {"reason": "an error", "effect": "adjust", "amounts": {who: 5}}
            await refused(give(house, SID, "rule", **ruling), TableCode.UNKNOWN_PERSON)
        assert not house.floor.table("t2").state.people
        for who in (cleo, "box 3", "behind box 3", "behind box 3/2"):
            await accepted(give(house, DEALER, "buy_in", who=who, amount_minor=5))
        await accepted(give(house, SID, "rule", reason="an error", effect="adjust", amounts={"box 1": 5}))
        assert len(house.floor.table("t2").state.people) == 5

    run(database_url, test)


def test_a_felt_table_takes_in_ids_of_the_register_only(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        cleo = await register(house.floor.house_log, "Cleo")
        erased, unknown = await register_and_erase(house.floor.house_log, "Dan"), player_id(99)
        live = house.floor.table("t2")
        observing = msgspec.to_builtins(live.state.settings) | {"observing": True, "burn": False}
        await accepted(give(house, SID, "change_settings", settings=observing))
        await accepted(give(house, SID, "load_shoe", shoe="a", decks=8))
        await accepted(give(house, DEALER, "open_betting"))
        taken_in: list[tuple[str, dict[str, Any]]] = [
            ("sit", {"box": 1}),
            ("stand_behind", {"box": 1}),
            ("cash_out", {"amount_minor": 5}),
            ("place_bet", {"box": 1, "bet": "banker", "stake_minor": 50_00}),
            ("take_insurance", {"box": 1, "stake_minor": 5}),
            ("call_insurance", {"box": 1}),
            ("correct_bet", {"box": 1, "bet": "banker", "stake_minor": 50_00}),
            ("correct_insurance", {"stage": "four", "box": 1, "stake_minor": 5}),
        ]
        assert {f"{command}.1" for command, _ in taken_in} == TAKEN_IN
        for command, fields in taken_in:
            for who in (erased, unknown):
                await refused(give(house, DEALER, command, who=who, **fields), TableCode.UNKNOWN_PERSON)
        assert not live.state.people
        for who in (cleo, "box 1"):
            await accepted(give(house, DEALER, "place_bet", who=who, box=1, bet="banker", stake_minor=50_00))

    run(database_url, test)


def test_a_person_who_asks_for_no_insurance_is_known(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await visitor(house, "ann")
        cleo, unknown = await register(house.floor.house_log, "Cleo"), player_id(99)
        allowed = {"t1": ["ann"], "t2": [cleo, "box 3"]}
        refusing = {"t1": ["bob", "Ann", cleo, "box 3"], "t2": ["ann", "bob", unknown, "Box 3"]}
        for table, known in allowed.items():
            settings = house.floor.table(table).state.settings
            with_insurance = msgspec.to_builtins(settings)
            without = with_insurance | {"private": True, "no_insurance": True}
            for who in refusing[table]:
                changing = give(house, SID, "change_settings", table, settings=without, no_insurance_asked_by=who)
                await refused(changing, TableCode.UNKNOWN_PERSON)
            assert house.floor.table(table).state.settings == settings
            for who in known:
                await accepted(give(house, SID, "change_settings", table, settings=without, no_insurance_asked_by=who))
                await accepted(give(house, SID, "change_settings", table, settings=with_insurance))
            await accepted(give(house, SID, "close_table", table))
            for who in refusing[table]:
                opening = give(house, SID, "open_table", table, settings=without, no_insurance_asked_by=who)
                await refused(opening, TableCode.UNKNOWN_PERSON)
            await accepted(give(house, SID, "open_table", table, settings=without, no_insurance_asked_by=known[0]))

    run(database_url, test)


@pytest.mark.parametrize(
    ("who", "form"),
    [
        ("Box 3", "box 3"),
        ("BOX 03", "box 3"),
        ("box3", "box 3"),
        ("behind box 3/1", "behind box 3"),
        ("Behind  Box 3 / 2", "behind box 3/2"),
        ("p000001", "P000001"),
        ("\uff30000001", "P000001"),
    ],
)
def test_a_place_or_id_in_another_form_is_refused_with_the_right_one(database_url: str, who: str, form: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await register(house.floor.house_log, "Cleo")
        trouble = await refused(give(house, DEALER, "buy_in", who=who, amount_minor=5), TableCode.UNKNOWN_PERSON)
        assert str(trouble).endswith(f"Write '{form}'.")
        await accepted(give(house, DEALER, "buy_in", who=form, amount_minor=5))

    run(database_url, test)


def test_a_player_is_identified_by_an_exact_id_or_a_place(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await register(house.floor.house_log, "Cleo")
        await accepted(give(house, DEALER, "buy_in", who="box 3", amount_minor=5))
        for player in ("p000001", "Cleo"):
            answer = await give(house, DEALER, "identify_player", who="box 3", player_id=player)
            assert answer.refusal is not None
            assert answer.refusal.code is TableCode.NOT_A_PLAYER_ID
        await refused(
            give(house, DEALER, "identify_player", who="box 3", player_id="P000777"), TableCode.UNKNOWN_PERSON
        )
        await accepted(give(house, DEALER, "identify_player", who="box 3", player_id="box 4"))

    run(database_url, test)


def test_an_erased_player_gets_no_more_chips_and_is_cashed_out(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        cleo = await register(house.floor.house_log, "Cleo")
        for who in (cleo, "box 3"):
            await accepted(give(house, DEALER, "buy_in", who=who, amount_minor=5))
        await house.players.erase(THE_CONSOLE, cleo)
        trouble = await refused(give(house, DEALER, "buy_in", who=cleo, amount_minor=5), TableCode.UNKNOWN_PERSON)
        assert str(trouble) == f"'{cleo}' was erased from the register."
        identified = {"who": "box 3", "player_id": cleo}
        await refused(give(house, DEALER, "identify_player", **identified), TableCode.UNKNOWN_PERSON)
        await accepted(give(house, SID, "rule", reason="an error", effect="adjust", amounts={cleo: 5}))
        await accepted(give(house, DEALER, "cash_out", who=cleo, amount_minor=10))
        assert house.floor.table("t2").state.people == {"box 3"}

    run(database_url, test)


def test_a_name_of_an_earlier_release_stays_valid_while_it_is_at_the_table(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        live = house.floor.table("t2")
        assert (await house.floor.give(live, "old", BuyIn(*SUPERVISOR, "ann", 5_00))).refusal is None
        await accepted(give(house, DEALER, "buy_in", who="ann", amount_minor=1_00))
        supervisor = Actor(*SUPERVISOR)
        await accepted(give(house, supervisor, "close_table"))
        settings = {"layout": "E", "boxes": 7, **json_limits(book("commission-insurance"))}
        await accepted(give(house, supervisor, "open_table", settings=settings))
        await accepted(give(house, DEALER, "buy_in", who="ann", amount_minor=1_00))
        await accepted(give(house, DEALER, "cash_out", who="ann", amount_minor=7_00))
        await refused(give(house, DEALER, "buy_in", who="ann", amount_minor=1_00), TableCode.UNKNOWN_PERSON)

    run(database_url, test)


def test_nobody_is_sold_chips_under_the_name_of_a_visitor(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await house.visitors.enter("ann")
        for who in ("ann", "ANN", "\uff41nn"):
            await refused(give(house, DEALER, "buy_in", who=who, amount_minor=5), FloorCode.NAME_TAKEN)
        live = house.floor.table("t2")
        await house.floor.give(live, "old", BuyIn(*SUPERVISOR, "Ann", 5_00))  # as a floor of 0.3.0 may have it
        await refused(give(house, DEALER, "buy_in", who="Ann", amount_minor=5), FloorCode.NAME_TAKEN)
        await accepted(give(house, DEALER, "cash_out", who="Ann", amount_minor=5_00))
        assert not live.state.people

    run(database_url, test)


def test_staff_never_play(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        await house.hired("Max", Position.PIT_MANAGER)
        for who in ("Max", "max", "MAX"):
            await refused(give(house, DEALER, "buy_in", who=who, amount_minor=5), FloorCode.STAFF_NEVER_PLAY)
        ruling: dict[str, Any] = {"reason": "an error", "effect": "adjust", "amounts": {"max": 5}}
        await refused(give(house, SID, "rule", **ruling), FloorCode.STAFF_NEVER_PLAY)
        assert len(await house.told(AuthorityRefused)) == 4
        assert not house.floor.table("t2").state.people

    run(database_url, test)


def test_authority_comes_first_and_what_cannot_be_read_is_left_to_the_table(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        answer = await give(house, Actor("aude", Position.AUDITOR), "buy_in", who="bob", amount_minor=5)
        assert answer.refusal is not None
        assert answer.refusal.code is TableCode.NOT_AUTHORISED
        for who in (5, None, ["bob"], {"bob": 5}):
            await refused(give(house, DEALER, "buy_in", who=who, amount_minor=5), FloorCode.BAD_COMMAND)
        for amounts in (["bob"], "bob", 5):
            fields: dict[str, Any] = {"reason": "an error", "effect": "adjust", "amounts": amounts}
            await refused(give(house, SID, "rule", **fields), FloorCode.BAD_COMMAND)

    run(database_url, test)


def test_a_table_refuses_strangers_in_every_other_command() -> None:
    tables = (ready(RULES).table, ready(RULES).open_betting().table, dealing(RULES).table)
    for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER, Position.SHIFT_MANAGER):
        for command in commands_by(RULES, "sid", position, "stranger"):
            if tag(type(command)) in NEW_PEOPLE:
                continue
            for table in tables:
                decision = decide(RULES, table, command)
                assert isinstance(decision, Refusal) or "stranger" not in str(decision), command


def test_a_late_bet_is_recorded_for_people_the_house_knows_only(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await opened(house)
        late: dict[str, Any] = {"who": "stranger", "box": 3, "bet": "banker", "tried": "placed", "amount_minor": 5}
        trouble = await refused(give(house, DEALER, "report_late_bet", **late), TableCode.UNKNOWN_PERSON)
        assert "stranger" in str(trouble)

    run(database_url, test)


RETURNED = {"effect": "return", "bets": [{"who": "ann", "box": 1, "bet": "banker"}]}
INSURANCE = {"effect": "return", "bets": [{"who": "ann", "box": 1, "bet": "banker_insurance"}]}


@pytest.mark.parametrize(
    ("cards", "ruling", "moved_minor"),
    [
        ("2s 4d Ks 2h", {"effect": "void"}, 120_00),  # the bet and its insurance
        ("2s 4d Ks 2h", INSURANCE, 20_00),
        ("2s 4d Ks 2h", RETURNED, 100_00),
        ("2s 4d Ks 2h", {"effect": "adjust", "amounts": {"ann": 30_00, "ben": -30_00}}, 60_00),
        ("2s 4d Ks 2h", {"effect": "continue"}, 0),
        ("2s 4d Ks 2h", {"effect": "return", "bets": []}, 0),  # the table refuses it
    ],
)
def test_a_ruling_moves_what_players_get_and_lose(cards: str, ruling: dict[str, Any], moved_minor: int) -> None:
    rules = book("commission-insurance")
    evening = dealing(rules).deal(cards)
    evening.do(OpenInsurance("del", Position.DEALER))
    evening.do(evening.insuring("ann", 20_00))
    body = {"command": "rule.1", "reason": "as seen on camera", **ruling}
    if moved_minor:
        assert second_needed("t1", evening.table, body, moved_minor) is not None
    assert second_needed("t1", evening.table, body, moved_minor + 1) is None


def test_a_ruling_after_the_settlement_moves_the_winnings_too() -> None:
    evening = dealing(book("commission"), ("ann", "tie", 20_00)).deal("9s 9d Ks Kh").settle()
    body = {"command": "rule.1", "reason": "as seen on camera", "effect": "void"}
    assert second_needed("t1", evening.table, body, 160_00) is not None
    assert second_needed("t1", evening.table, body, 160_01) is None
