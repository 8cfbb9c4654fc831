"""Commands over HTTP: accepted once, and always answered the same."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2

from punto.floor.journal.house_events import LateAttempt
from punto.table.records.commands import RESERVED_FIELDS
from punto.table.records.positions import Position
from tests.floor.journal.test_recorded_refusals import written
from tests.floor.playing import betting_table
from tests.waiting import DEADLINE_S
from tests.web.serving import Server, server
from tests.web.wire import problem

PATH = "/api/tables/t1/commands"


def bet(command_id: str, stake_minor: int = 100_00, who: str = "vera", box: int = 3) -> dict[str, Any]:
    command = {"command": "place_bet.1", "who": who, "box": box, "bet": "player", "stake_minor": stake_minor}
    return {"id": command_id, "command": command}


def seated(served: Server) -> httpx2.Client:
    """Vera sits at box 3 with chips, and betting is open."""
    served.run(betting_table(served.floor))
    vera = served.by(Position.PLAYER)
    served.chips("t1", "vera", 1_000_00)
    assert served.command(vera, "t1", "sit", who="vera", box=3).status_code == 200
    return vera


def chips(client: httpx2.Client) -> int:
    held: int = client.get("/api/tables/t1").json()["me"]["chips_minor"]
    return held


def test_what_a_command_brought_about_is_told_and_seen(served: Server) -> None:
    vera = seated(served)
    answer = vera.post(PATH, json=bet("b1"))
    assert answer.status_code == 200, answer.text
    told = answer.json()
    (event,) = told["events"]
    assert event["cursor"] == told["cursor"]
    assert (event["event"]["event"], event["event"]["stake_minor"]) == ("bet_placed.1", 100_00)
    assert chips(vera) == 900_00
    state = vera.get("/api/tables/t1").json()["state"]
    assert [(one["who"], one["box"], one["stake_minor"]) for one in state["round"]["bets"]] == [("vera", 3, 100_00)]
    assert f"{state['opening']}/{state['version']}" == told["cursor"]


def test_a_refusal_says_which_clause_and_what_would_be_accepted(served: Server) -> None:
    vera = seated(served)
    error = problem(vera.post(PATH, json=bet("b1", stake_minor=5_000_00)), 409, "not_enough_chips")
    assert error["legal"] == vera.get("/api/tables/t1/legal").json()["legal"]
    tags = {option["command"]["command"] for option in error["legal"]}
    assert "place_bet.1" in tags
    for option in error["legal"]:
        assert not RESERVED_FIELDS & option["command"].keys()
    first = next(option["command"] for option in error["legal"] if option["command"]["command"] == "place_bet.1")
    assert vera.post(PATH, json={"id": "b2", "command": first}).status_code == 200
    served.command(served.by(Position.DEALER), "t1", "close_betting")
    closed = problem(vera.post(PATH, json=bet("b3")), 409, "betting_not_open")
    assert closed["clauses"]


def test_a_bet_after_the_close_is_on_record(served: Server) -> None:
    vera = seated(served)
    served.command(served.by(Position.DEALER), "t1", "close_betting")
    for number in range(3):
        closed = problem(vera.post(PATH, json=bet(f"b{number}")), 409, "betting_not_open")
    (attempt,) = [event for event in served.run(written(served.floor, "vera")) if isinstance(event, LateAttempt)]
    assert attempt == LateAttempt("t1", "t1/1", 1, "vera", "place_bet.1", tuple(closed["clauses"]))


def test_one_id_is_one_effect_and_one_answer(served: Server) -> None:
    vera = seated(served)
    first = vera.post(PATH, json=bet("b1"))
    assert [vera.post(PATH, json=bet("b1")).content for _ in range(3)] == [first.content] * 3
    assert chips(vera) == 900_00


def test_one_id_for_another_command_is_refused(served: Server) -> None:
    vera = seated(served)
    assert vera.post(PATH, json=bet("b1")).status_code == 200
    problem(vera.post(PATH, json=bet("b1", stake_minor=200_00)), 409, "command_id_taken")
    problem(
        vera.post(PATH, json={"id": "b1", "command": {"command": "leave.1", "who": "vera"}}), 409, "command_id_taken"
    )
    ben = served.client(served.visitor("bea"))
    served.chips("t1", "bea", 1_000_00)
    served.command(ben, "t1", "sit", who="bea", box=4)
    problem(ben.post(PATH, json=bet("b1", who="bea", box=4)), 409, "command_id_taken")
    assert chips(vera) == 900_00


def test_one_id_at_another_table_is_refused(served: Server) -> None:
    vera = seated(served)
    dora = served.by(Position.DEALER)
    served.run(betting_table(served.floor, "t2"))
    bought = {"id": "once", "command": {"command": "cash_out.1", "who": "ann", "amount_minor": 5_00}}
    assert dora.post(PATH, json=bought).status_code == 200
    problem(dora.post("/api/tables/t2/commands", json=bought), 409, "command_id_taken")
    assert chips(vera) == 1_000_00


def test_a_refused_command_is_judged_afresh(served: Server) -> None:
    vera = seated(served)
    problem(vera.post(PATH, json=bet("b1", stake_minor=1_500_00)), 409, "not_enough_chips")
    served.chips("t1", "vera", 1_000_00)
    assert vera.post(PATH, json=bet("b1", stake_minor=1_500_00)).status_code == 200
    assert chips(vera) == 500_00


def test_fifty_at_once_with_one_id_are_one_bet(served: Server) -> None:
    vera = seated(served)
    token = served.token(Position.PLAYER)

    async def all_at_once() -> list[httpx2.Response]:
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(
            base_url=served.url, headers=headers, trust_env=False, timeout=DEADLINE_S
        ) as client:
            return await asyncio.gather(*(client.post(PATH, json=bet("b1")) for _ in range(50)))

    answers = asyncio.run(all_at_once())
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert chips(vera) == 900_00


def test_many_bettors_at_once_lose_nothing(served: Server) -> None:
    vera = seated(served)
    before = chips(vera)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: vera.post(PATH, json=bet(f"n{n}", stake_minor=1_00)), range(60)))
    assert chips(vera) == before - 60_00
    state = vera.get("/api/tables/t1").json()["state"]
    assert state["round"]["bets"][0]["stake_minor"] == 60_00


def test_an_answer_is_the_same_after_a_restart(tmp_path: Path) -> None:
    db = str(tmp_path / "floor.db")
    with server(db) as before:
        vera = seated(before)
        token = before.token(Position.PLAYER)
        first = vera.post(PATH, json=bet("b1"))
        assert first.status_code == 200
    with server(db) as after:
        vera = after.client(token)
        assert vera.post(PATH, json=bet("b1")).content == first.content
        problem(vera.post(PATH, json=bet("b1", stake_minor=1_00)), 409, "command_id_taken")
        assert chips(vera) == 900_00  # and bets are still open


def test_play_money_is_given_once_however_often_it_is_asked_for(served: Server) -> None:
    seated(served)
    admin, wim = served.by(Position.ADMINISTRATOR), served.client(served.visitor("wim"))
    problem(wim.post("/api/tables/t1/play-money"), 403, "no_buy_in")
    rules = {"visitors": True, "buy_in_minor": 500_00, "buy_ins": 2, "tables": ["t1"], "boxes": 1}
    secured = {**rules, "totp_required": False, "four_eyes": True}
    assert admin.put("/api/floor-rules", json=secured).json() == secured
    assert wim.get("/api/floor-rules").json() == rules
    answers = [wim.post("/api/tables/t1/play-money") for _ in range(3)]
    assert {answer.content for answer in answers} == {answers[0].content}
    assert chips(wim) == 500_00
    lobby = {table["table"]: table["play_money_minor"] for table in wim.get("/api/tables").json()["tables"]}
    assert lobby == {"t1": 500_00}
    problem(served.by(Position.DEALER).post("/api/tables/t1/play-money"), 401, "not_signed_in")
    assert admin.put("/api/floor-rules", json={**rules, "buy_in_minor": 0}).status_code == 200
    assert [table["play_money_minor"] for table in admin.get("/api/tables").json()["tables"]] == [None]
    problem(admin.put("/api/floor-rules", json={**rules, "tables": ["t2"]}), 404, "unknown_table")
    problem(admin.put("/api/floor-rules", json={**rules, "buy_in_minor": -1}), 400, "bad_floor_rules")
    assert wim.delete("/api/session").status_code == 204  # and it goes back
    assert "chips:wim" not in served.by(Position.DEALER).get("/api/tables/t1").json()["state"]["balances"]
    assert admin.put("/api/floor-rules", json={**rules, "visitors": False}).status_code == 200
    assert [table["play_money_minor"] for table in admin.get("/api/tables").json()["tables"]] == [None]


def test_whom_the_register_does_not_know_is_refused_like_by_the_table_with_what_is_legal(served: Server) -> None:
    served.run(betting_table(served.floor))
    dora, sid = served.by(Position.DEALER), served.by(Position.SHIFT_MANAGER)
    assert sid.post("/api/players", json={"name": "Ann"}).json()["id"] == "P000001"
    assert served.command(dora, "t1", "buy_in", who="P000001", amount_minor=5_00).status_code == 200
    assert sid.delete("/api/players/P000001").status_code == 204
    for who in ("P000001", "P000009", "zoe"):
        refused = problem(served.command(dora, "t1", "buy_in", who=who, amount_minor=5), 409, "unknown_person")
        assert refused["legal"] == dora.get("/api/tables/t1/legal").json()["legal"]
        assert f"'{who}'" in refused["message"]


def test_listed_commands_name_the_round_and_leave_the_id_of_a_player_to_the_sender(served: Server) -> None:
    served.run(betting_table(served.floor))
    dora, sue = served.by(Position.DEALER), served.by(Position.PIT_SUPERVISOR)
    assert sue.post("/api/players", json={"name": "Ann"}).json()["id"] == "P000001"
    assert served.command(dora, "t1", "buy_in", who="box 3", amount_minor=5_00).status_code == 200
    number = dora.get("/api/tables/t1").json()["state"]["round"]["number"]
    listed = [option["command"] for option in dora.get("/api/tables/t1/legal").json()["legal"]]
    assert {command["round"] for command in listed if command["command"] != "report_later_error.1"} == {number}
    identify = {"command": "identify_player.1", "who": "box 3", "player_id": "", "round": number}
    assert identify in listed
    problem(dora.post(PATH, json={"id": "i1", "command": identify}), 400, "not_a_player_id")
    answer = dora.post(PATH, json={"id": "i1", "command": {**identify, "player_id": "P000001"}})
    assert answer.status_code == 200, answer.text
    (first,) = [command for command in listed if command["command"] == "close_betting.1"]
    assert dora.post(PATH, json={"id": "close", "command": first}).status_code == 200


def offered(client: httpx2.Client) -> set[str]:
    return {option["command"]["command"] for option in client.get("/api/tables/t1/legal").json()["legal"]}


def test_nobody_is_identified_at_a_play_money_table_and_it_is_not_offered(served: Server) -> None:
    served.run(betting_table(served.floor))
    dora = served.by(Position.DEALER)
    assert "identify_player.1" in offered(dora)
    served.visitor("vera")  # from now on the table is for play money
    assert {"identify_player.1", "buy_in.1"}.isdisjoint(offered(dora))
    assert "cash_out.1" in offered(dora)
    refused = served.command(dora, "t1", "identify_player", who="ann", player_id="P000001")
    assert "keep their names" in problem(refused, 403, "play_money_only")["message"]
