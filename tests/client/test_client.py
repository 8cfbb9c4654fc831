"""The client's methods on a real server. Each test has a table of its own."""

import asyncio
from base64 import b32decode
from datetime import UTC, datetime
from pathlib import Path

import pytest

from punto.client import ClientRefused, order
from punto.floor.people.accounts.totp import STEP_S, code_at
from punto.floor.running.late_entry import read_moment
from punto.table.records.commands import OpenBetting
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.table.referee.question import BetLaid, RefereeQuestion
from punto.web.messages import Moved, TableRequest
from tests.client.conftest import Served
from tests.client.served import BUY_IN_MINOR, async_client_at, client_at
from tests.web.serving import PASSWORD, server

pytestmark = pytest.mark.slow


def test_a_visitor_plays_a_round(hall: Served, salon: str) -> None:
    with client_at(hall.url) as nina, client_at(hall.url, hall.token) as sam:
        session = nina.enter("nina")
        assert (session.name, session.position, session.token) == ("nina", Position.PLAYER, nina.token)
        lobby = nina.tables()
        assert (salon, BUY_IN_MINOR) in [(table.table, table.play_money_minor) for table in lobby.tables]
        nina.play_money(salon)
        assert nina.play_money(salon).events == nina.play_money(salon).events
        nina.sit(salon, 4)
        nina.stand_behind(salon, 1)
        sam.give(salon, order(OpenBetting))
        nina.bet(salon, 4, "player", 100_00)
        sam.bet(salon, 1, "tie", 5_00, who="ann")  # betting behind a box needs a bet of the seated player
        nina.bet(salon, 1, "tie", 5_00)
        nina.withdraw(salon, 1, "tie", 5_00)
        seen = nina.table(salon)
        assert seen.me is not None
        assert (seen.me.chips_minor, seen.me.boxes, seen.me.behind) == (BUY_IN_MINOR - 100_00, (4,), (1,))
        assert seen.state.phase is Phase.BETTING
        told = [one.command for one in sam.legal(salon)]
        assert {"command": "close_betting.1", "round": seen.state.round.number if seen.state.round else 0} in told
        sam.give(salon, {"command": "close_betting.1"})
        for card in ("5s", "4s", "Kd", "3d"):  # Player 5, Banker 7
            sam.give(salon, {"command": "deal_card.1", "card": card})
        sam.give(salon, {"command": "deal_card.1", "card": "4h"})  # Player 9
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        settled = sam.give(salon, {"command": "settle.1"}, happened_at=now)
        assert settled.events[0].happened_at_us == read_moment(now)
        (last,) = nina.rounds(salon).rounds
        replay = nina.replay(salon, "1-1")
        assert (replay.outcome, replay.steps[0].cursor) == (last.winner, last.cursor)
        assert [(one.bet, one.returned_minor) for one in last.results] == [("player", 200_00)]
        page = nina.events(salon, most=3)
        assert (len(page.events), page.more) == (3, True)
        assert nina.events(salon, after=page.next).events[0].cursor == "1/4"
        assert nina.shoes(salon).shoes == ()
        nina.leave(salon)
        nina.sign_out()
        assert nina.token is None
        with pytest.raises(ClientRefused) as refused:
            nina.session()
        assert (refused.value.code, refused.value.status) == ("not_signed_in", 401)


def test_insurance_is_taken(hall: Served, salon: str) -> None:
    with client_at(hall.url) as olga, client_at(hall.url, hall.token) as sam:
        olga.enter("olga")
        olga.play_money(salon)
        olga.sit(salon, 4)
        sam.give(salon, order(OpenBetting))
        olga.bet(salon, 4, "banker", 100_00)
        sam.give(salon, {"command": "close_betting.1"})
        for card in ("As", "2s", "Ad", "3d"):  # Player 2, Banker 5
            sam.give(salon, {"command": "deal_card.1", "card": card})
        sam.give(salon, {"command": "open_insurance.1"})
        (most,) = [one.most for one in olga.legal(salon) if one.command["command"] == "take_insurance.1"]
        assert most is not None
        with pytest.raises(ClientRefused) as refused:
            olga.insure(salon, 4, most + 1)
        assert refused.value.code == "insurance_above_cap"
        assert refused.value.clauses
        taken = olga.insure(salon, 4, most)
        assert [view.event["event"] for view in taken.events] == ["insurance_taken.1"]


def test_a_bet_for_another_round_is_refused(hall: Served, salon: str) -> None:
    with client_at(hall.url) as nora, client_at(hall.url, hall.token) as sam:
        nora.enter("nora")
        nora.play_money(salon)
        nora.sit(salon, 4)
        sam.give(salon, order(OpenBetting, round=0))
        with pytest.raises(ClientRefused) as refused:
            nora.bet(salon, 4, "banker", 100_00, round=2)
        assert (refused.value.code, refused.value.status) == ("other_round", 409)
        nora.bet(salon, 4, "banker", 100_00, round=1)
        with pytest.raises(ClientRefused) as refused:
            nora.withdraw(salon, 4, "banker", 100_00, round=0)
        assert refused.value.code == "other_round"
        nora.withdraw(salon, 4, "banker", 100_00, round=1)
        with pytest.raises(ClientRefused) as refused:
            nora.insure(salon, 4, 1_00, round=2)
        assert refused.value.code == "other_round"


def test_a_refusal_says_all_there_is_to_say(hall: Served, salon: str) -> None:
    with client_at(hall.url) as rosa:
        rosa.enter("rosa")
        rosa.play_money(salon)
        rosa.sit(salon, 4)
        with pytest.raises(ClientRefused) as trouble:
            rosa.bet(salon, 4, "player", 100_00)
        now = rosa.table(salon).state.round
    number = now.number if now else 0
    refused = trouble.value
    assert (refused.code, refused.status, str(refused)) == ("betting_not_open", 409, refused.message)
    assert refused.clauses
    assert {"command": "leave.1", "who": "rosa", "round": number} in [one.command for one in refused.legal]


def test_one_of_the_staff_acts_for_a_player(hall: Served, salon: str) -> None:
    with client_at(hall.url).with_token(hall.token) as sam:
        assert sam.session().name == "sam"
        sam.give(salon, order(OpenBetting))
        accepted = sam.bet(salon, 1, "player", 100_00, who="ann")
        assert accepted.events[0].event["placed_by"] == "sam"
        with pytest.raises(ClientRefused) as refused:
            sam.bet(salon, 1, "player", 100_00)  # staff cannot play
        assert (refused.value.code, refused.value.status) == ("not_authorised", 403)
        made = sam.create_table(TableRequest(name="another", book="tiger-buffalo"))
        assert (made.table, made.phase) == ("another", Phase.CLOSED)


def test_the_same_in_an_event_loop(hall: Served, salon: str) -> None:
    async def play() -> list[Moved]:
        async with async_client_at(hall.url) as lena, async_client_at(hall.url, hall.token) as sam:
            await lena.enter("lena")
            await asyncio.gather(lena.play_money(salon), sam.give(salon, order(OpenBetting)))
            moves = lena.watch(salon)
            told = [await anext(moves)]
            await lena.sit(salon, 4)
            await lena.bet(salon, 4, "player", 100_00)
            while not told[-1].me or not told[-1].me.chips_minor < BUY_IN_MINOR:
                told.append(await anext(moves))
            await moves.aclose()
            return told

    told = asyncio.run(play())
    assert told[0].events == ()
    names = [view.event["event"] for moved in told for view in moved.events]
    assert names == ["player_sat.1", "bet_placed.1"]
    state = told[-1].state
    assert state is not None
    assert state.round is not None
    assert [(bet.who, bet.stake_minor) for bet in state.round.bets] == [("lena", 100_00)]


def test_what_is_not_there_is_refused_and_not_asked_for_ever(hall: Served, salon: str) -> None:
    with client_at(hall.url) as client:
        for asked in (lambda: client.table("salon 99"), lambda: next(client.watch("salon 99"))):
            with pytest.raises(ClientRefused) as refused:
                asked()
            assert refused.value.code == "unknown_table"
        client.with_token("nobody's")
        for waiting in (lambda: client.legal(salon), lambda: next(client.watch(salon))):
            with pytest.raises(ClientRefused) as refused:
                waiting()
            assert (refused.value.code, refused.value.status) == ("not_signed_in", 401)
        with pytest.raises(ClientRefused) as refused:
            next(client.with_token(hall.token).watch(salon, "no cursor"))
        assert refused.value.code == "bad_request"


def test_a_name_with_every_kind_of_character_finds_its_table(hall: Served) -> None:
    with client_at(hall.url, hall.token) as sam:
        for name in ("庄 閒 和", "a?b#c%d", "salon + 1"):
            sam.create_table(TableRequest(name=name, book="commission"))
            assert sam.table(name).state.table == name
            assert next(sam.watch(name)).table == name


def test_a_person_signs_in_with_a_code_and_goes_on_after_a_lock(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        sid = served.by(Position.SHIFT_MANAGER)
        secret = b32decode(sid.post("/api/session/totp", json={"password": PASSWORD}).json()["secret"])
        step = served.floor.clock.now_us() // 1_000_000 // STEP_S
        assert sid.put("/api/session/totp", json={"code": code_at(secret, step)}).status_code == 204
        with client_at(served.url) as client:
            with pytest.raises(ClientRefused) as refused:
                client.sign_in("sid", PASSWORD)
            assert refused.value.code == "code_needed"
            assert client.sign_in("sid", PASSWORD, code_at(secret, step + 1)).position is Position.SHIFT_MANAGER
            served.floor.database.writing(lambda tx: tx.change("UPDATE sessions SET seen_us = 1")).result()
            with pytest.raises(ClientRefused) as refused:
                client.legal("t1")
            assert (refused.value.code, refused.value.status) == ("session_locked", 423)
            assert client.session().locked
            client.unlock(PASSWORD)
            assert not client.session().locked


def test_anybody_asks_the_referee(hall: Served) -> None:
    question = RefereeQuestion(book="commission", bets=(BetLaid(1, "banker", "100"),), happened=("9 2 K 3",))
    with client_at(hall.url) as nobody:
        ruling = nobody.referee(question)
    assert [end.change_minor for outcome in ruling.outcomes for end in outcome.ends] == [-100_00]
