"""WebSocket messages: every event once and in order, with the state after it."""

import random
import threading
from itertools import pairwise

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage, WebSocketException

from punto.table.records.positions import Position
from tests.client.cutting import CuttingProxy
from tests.floor.playing import DEALER, SUPERVISOR, manual_table
from tests.waiting import DEADLINE_S
from tests.web.serving import Server
from tests.web.watching import Told, bets, betting, end, events, history, line


def test_watching_from_now_tells_the_state_and_then_each_event_with_the_state_after_it(served: Server) -> None:
    at = betting(served)
    with line(served) as one:
        one.watch()
        first = one.next()
        assert (first["message"], first["events"], first["me"]) == ("moved", [], None)
        assert first["cursor"] == end(served.floor)
        told = [first, *one.until(bets(served, at, 20))]
    for before, after in pairwise(told):
        assert after["events"][0]["cursor"] == f"1/{int(before['cursor'][2:]) + 1}"
        assert after["events"][-1]["cursor"] == after["cursor"]
    for one_told in told:
        if one_told["state"] is not None:
            assert f"{one_told['state']['opening']}/{one_told['state']['version']}" == one_told["cursor"]
    assert told[-1]["state"]["round"]["bets"][0]["stake_minor"] == 20_00
    assert events(told) == history(served)[-20:]


def test_watching_from_a_cursor_tells_all_that_followed_it(served: Server) -> None:
    at = betting(served)
    stands = bets(served, at, 200)  # more than is kept in memory
    every = history(served)
    for after in (0, 1, 57, len(every) - 1):
        with line(served) as one:
            one.watch(after=f"1/{after}")
            assert events(one.until(stands)) == every[after:]


def test_who_has_missed_nothing_is_told_that_and_the_state(served: Server) -> None:
    at = betting(served)
    with line(served) as one:
        one.watch(after=end(served.floor))
        told = one.next()
        assert (told["cursor"], told["events"]) == (end(served.floor), [])
        assert told["state"]["phase"] == "betting"
        assert events(one.until(bets(served, at, 1))) == history(served)[-1:]


def test_without_the_state_there_are_events_alone(served: Server) -> None:
    at = betting(served)
    with line(served, served.token(Position.DEALER)) as one:
        one.watch(after="1/0", state=False)
        told = one.until(bets(served, at, 3))
    assert all(each["state"] is None and each["me"] is None for each in told)
    assert len(events(told)) == int(end(served.floor)[2:])


def test_a_watch_goes_on_over_openings(served: Server) -> None:
    at = served.run(manual_table(served.floor))
    with line(served) as one:
        one.watch()
        one.next()
        before = len(history(served))

        async def evening() -> None:
            for _ in range(3):
                await at.do(SUPERVISOR, "close_table")
                await at.open()

        served.run(evening())
        assert end(served.floor).startswith("4/")
        told = one.until(end(served.floor))
        assert events(told) == history(served)[before:]
    with line(served) as again:
        again.watch(after="1/0")
        assert events(again.until(end(served.floor))) == history(served)


def test_one_socket_watches_several_tables_until_it_has_enough_of_one(served: Server) -> None:
    tables = {name: betting(served, name) for name in ("t1", "t2", "t3")}
    with line(served) as one:
        for name in tables:
            one.watch(name)
        assert {one.next()["table"] for _ in tables} == set(tables)
        stands = {name: bets(served, at, 2) for name, at in tables.items()}
        told: list[Told] = []
        while {each["table"]: each["cursor"] for each in told} != stands:
            told.append(one.next())
        for name in tables:
            assert events([each for each in told if each["table"] == name]) == history(served, table=name)[-2:]
        one.say(ask="unwatch", table="t2")
        one.watch("nowhere")  # answered after the unwatch
        assert one.next()["message"] == "stopped"
        bets(served, tables["t2"], 3)
        after = one.until(bets(served, tables["t3"], 1), "t3")
        assert {each["table"] for each in after} == {"t3"}


def test_watching_again_and_again_leaves_one_watch(served: Server) -> None:
    at = betting(served)
    with line(served) as one:
        for _ in range(20):
            one.watch()
            one.say(ask="unwatch", table="t1")
            one.watch()
        one.watch("nowhere")
        while one.next()["message"] != "stopped":
            pass
        stands = bets(served, at, 3)
        told = one.until(stands)
        one.watch("nowhere")
        while (last := one.next())["message"] != "stopped":
            told.append(last)
    assert events(told) == history(served)[-3:]


def test_what_is_ones_own_comes_with_the_state(served: Server) -> None:
    at = betting(served)
    token = served.token(Position.PLAYER)
    with line(served, token) as mine, line(served, served.visitor("victor")) as other:
        for one in (mine, other):
            one.watch()
            assert one.next()["me"]["chips_minor"] == 0
        served.run(at.do(DEALER, "buy_in", who="vera", amount_minor=5_00))
        told = mine.until(end(served.floor))[-1]
        assert (told["me"]["name"], told["me"]["position"], told["me"]["chips_minor"]) == ("vera", "player", 5_00)
        assert other.until(end(served.floor))[-1]["me"]["chips_minor"] == 0


def test_what_cannot_be_watched_is_said_and_the_rest_goes_on(served: Server) -> None:
    at = betting(served)
    later = f"1/{int(end(served.floor)[2:]) + 1}"
    with line(served) as one:
        for table, after, code in (
            ("nowhere", None, "unknown_table"),
            ("t1", later, "bad_request"),
            ("t1", "", "bad_request"),
            ("t1", "1", "bad_request"),
            ("t1", "1/-1", "bad_request"),
            ("t1", "1/" + "9" * 27, "bad_request"),
            ("x" * 3_000, None, "unknown_table"),
        ):
            one.watch(table, after)
            told = one.next()
            assert (told["message"], told["error"]["code"]) == ("stopped", code)
            assert told["table"] == table[:100]
            assert told["error"]["message"]
        one.watch()
        one.next()
        assert len(events(one.until(bets(served, at, 1)))) == 1


def test_a_cursor_far_beyond_an_earlier_opening_does_no_harm(served: Server) -> None:
    at = served.run(manual_table(served.floor))

    async def again() -> None:
        await at.do(SUPERVISOR, "close_table")
        await at.open()

    served.run(again())
    with line(served) as one:
        one.watch(after="1/" + "9" * 27)
        told = one.next()
        assert told["message"] == "stopped"
        assert told["error"]["code"] == "bad_request"


# ---- sight


def test_each_is_told_what_his_position_lets_him_see_and_no_more(served: Server) -> None:
    at = betting(served)
    chips_minor = 9_876_543_21
    public, player, staff = (None, served.token(Position.PLAYER), served.token(Position.AUDITOR))
    raw: dict[str | None, str] = {}
    for token in (public, player, staff):
        with line(served, token) as one:
            one.watch(after="1/0")
            served.run(at.do(DEALER, "buy_in", who="ann", amount_minor=chips_minor))
            one.until(bets(served, at, 1))
            raw[token] = "".join(one.raw)
    assert '"ann"' not in raw[public]
    assert '"ann"' in raw[player]
    for token in (public, player):
        assert "dora" not in raw[token]
        assert "balances" not in raw[token]
        assert "postings" not in raw[token]
        assert 'command_id":"' not in raw[token]
    assert "dora" in raw[staff]
    assert '"balances":{' in raw[staff]


# ---- lines that are cut


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_any_loss_of_the_line_nothing_is_missed_and_nothing_doubled(served: Server, seed: int) -> None:
    at = betting(served)
    drawn = random.Random(seed)  # noqa: S311 - to be the same again
    counts = [drawn.randint(1, 30) for _ in range(20)]
    playing = threading.Thread(target=lambda: [bets(served, at, count) for count in counts])
    last, stands = "1/0", f"1/{len(history(served)) + sum(counts)}"
    got: list[Told] = []
    # what the first three connections carry is less than the events alone, even if many come in one message
    with CuttingProxy(int(served.url.rpartition(":")[2]), seed, 1_000, 40_000) as proxy:
        playing.start()
        while last != stands:
            try:
                with line(served, url=proxy.url, close_timeout=0) as one:
                    one.watch(after=last)
                    while last != stands:
                        told = one.next()
                        got += told["events"]
                        last = told["cursor"]
            except (ConnectionClosed, InvalidMessage, WebSocketException, OSError, EOFError):
                continue
        playing.join(DEADLINE_S)
        assert proxy.cuts > 2
    assert got == history(served)
