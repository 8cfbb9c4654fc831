"""Pages with many viewers are drawn once: the lobby, odds and books."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from punto.floor.people import floor_facts
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.web.pages import lobby, odds, rules
from punto.web.pages.live.floor_signal import FloorChanged
from punto.web.pages.table.contexts import Look
from punto.web.views import offer_worth
from punto.web.views.visibility import Sight
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, MANAGER, At, betting_table, player, running
from tests.waiting import DEADLINE_S, turns
from tests.web.page_tree import read_html, read_page
from tests.web.pages.test_pages_live import live, told
from tests.web.serving import Server

WATCHERS = 5
OFFERED = ("As", "2s", "Ad", "3d")
"""Player 2, Banker 5: insurance on Banker is due."""


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[tuple[Any, ...]]:
    """Records the calls of a function from now on; it is still called."""
    done: Callable[..., Any] = getattr(owner, name)
    calls: list[tuple[Any, ...]] = []

    @wraps(done)
    def also(*said: Any, **fields: Any) -> Any:
        calls.append(said)
        return done(*said, **fields)

    monkeypatch.setattr(owner, name, also)
    return calls


# ---- the lobby


def test_the_lobby_is_drawn_once_for_all_who_watch_it(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [served.run(betting_table(served.floor, name)) for name in ("a", "b", "c")]
    monkeypatch.setattr(floor_facts, "REFRESH_S", DEADLINE_S)
    with ExitStack() as stack:
        sockets = [stack.enter_context(live(served, "/")) for _ in range(WATCHERS)]
        for socket in sockets:
            told(socket)
        calls = counted(monkeypatch, lobby.LobbyScreen, "cards")
        for number, table in enumerate(tables, 1):
            served.run(table.do(DEALER, "close_betting"))
            news = [told(socket) for socket in sockets]
            assert news == [news[0]] * WATCHERS
            assert set(news[0]) == {f"table-{number}"}
        assert len(calls) == len(tables)


def test_who_watches_the_lobby_costs_no_more_than_who_watches_a_board(
    served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For any number of tables."""
    monkeypatch.setattr(floor_facts, "REFRESH_S", 3_600.0)  # a look is a task of its own while it lasts

    async def tasks() -> int:
        return len(asyncio.all_tasks())

    for name in "abcdefgh":
        served.run(betting_table(served.floor, name))
    with live(served, "/") as first, live(served, "/tables/a/board") as board:
        told(first)
        told(board)
        before = served.run(tasks())
        with live(served, "/tables/a/board") as another:
            told(another)
            of_a_board = served.run(tasks()) - before
            before += of_a_board
            with live(served, "/") as second:
                told(second)
                # the tasks of requests that were just answered end soon
                served.until(lambda: served.run(tasks()) - before <= of_a_board)


def test_who_sits_somewhere_sees_his_own_lobby(served: Server) -> None:
    served.run(betting_table(served.floor, "a"))
    second = served.run(betting_table(served.floor, "b"))
    vera = served.visitor("vera")
    with live(served, "/") as anybodys, live(served, "/", token=vera) as veras:
        assert told(anybodys) | {"sum": ""} == told(veras)
        served.run(second.do(DEALER, "buy_in", who="vera", amount_minor=100_00))
        served.run(second.do(player("vera"), "sit", who="vera", box=3))
        while "Back to your table" not in (own := told(veras)).get("table-2", ""):
            pass
        assert set(own) <= {"table-2", "sum"}
        assert read_html(own["table-2"]).one("dd", "mine").words == "100 SGD"
        served.run(second.do(DEALER, "buy_in", who="vera", amount_minor=50_00))
        while "150 SGD" not in told(veras).get("sum", ""):
            pass
        shown = told(anybodys)["table-2"]
        assert "Go to the table" in read_html(shown).words
        assert "Back to your table" not in shown


def test_another_rule_of_the_floor_is_told_whoever_has_asked_meanwhile(
    served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon_s, visitors = 0.2, served.service.visitors
    monkeypatch.setattr(floor_facts, "REFRESH_S", soon_s)
    served.run(betting_table(served.floor, "a"))

    def change(amount_minor: int) -> str:
        rules = FloorRules(visitors=True, buy_in_minor=amount_minor, tables=("a",))
        served.run(set_rules(visitors, rules))
        return f"{amount_minor // 100}"

    with live(served, "/") as socket:
        amount = change(700_00)
        while amount not in told(socket).get("table-1", ""):
            pass
        # the next check is a while away, but a requested page checks for itself
        monkeypatch.setattr(floor_facts, "REFRESH_S", 0.0)
        amount = change(800_00)
        assert amount in read_page(served.client(), "/").words
        monkeypatch.setattr(floor_facts, "REFRESH_S", soon_s)
        while amount not in told(socket).get("table-1", ""):
            pass


# ---- one signal for the floor


async def _nothing() -> bool:
    return False


def test_nothing_that_happens_after_a_look_is_missed(tmp_path: Path) -> None:
    async def whole() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            first = await betting_table(floor, "a")
            signal = FloorChanged(floor.tables, _nothing, lambda: DEADLINE_S)
            waits = [signal.changed() for _ in range(WATCHERS)]
            await first.do(DEALER, "close_betting")  # before anybody waits
            async with asyncio.timeout(DEADLINE_S):
                await asyncio.gather(*(wait() for wait in waits))
            times, wait = signal.times, signal.changed()
            waiting = asyncio.ensure_future(wait())
            await turns()
            assert not waiting.done()
            waiting.cancel()
            assert signal.times == times

    asyncio.run(whole())


def test_a_table_that_one_has_found_all_are_told_of(tmp_path: Path) -> None:
    async def whole() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            signal = FloorChanged(floor.tables, _nothing, lambda: DEADLINE_S)
            waiting = signal.changed()
            times = signal.times
            await floor.create_table(MANAGER, TableSetup("a", "commission", ShoeKind.VIRTUAL))
            signal.changed()  # somebody else looks
            assert signal.times > times
            async with asyncio.timeout(DEADLINE_S):
                await waiting()

    asyncio.run(whole())


# ---- the odds


def test_an_offer_is_counted_once_for_all_who_look_at_it(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    at = served.run(betting_table(served.floor, "t1", "commission-insurance"))
    served.run(at.bet("ann", 100_00, bet="banker"))
    served.run(at.bet("ben", 100_00, box=2, bet="banker"))
    served.run(at.do(DEALER, "close_betting"))
    for card in OFFERED:
        served.run(at.do(DEALER, "deal_card", card=card))
    calls = counted(monkeypatch, offer_worth, "offer_figures")
    moments = counted(monkeypatch, odds, "moment_of")
    with ExitStack() as stack:
        languages = ["en", "zh"] * 2
        sockets = [stack.enter_context(live(served, "/tables/t1/odds", language)) for language in languages]
        for socket in sockets:
            told(socket)
        before = len(moments)
        served.run(at.do(DEALER, "open_insurance"))
        shown = [told(socket)["moment"] for socket in sockets]
        assert shown[:2] == shown[2:]
        assert shown[0] != shown[1]
        assert len(moments) - before == 2, "once a language"
        assert all(piece in read for piece, read in zip(shown, _odds_pages(served), strict=False))
    assert len(calls) == 1


def _odds_pages(served: Server) -> list[str]:
    client = served.client()
    return [client.get("/tables/t1/odds", headers={"accept-language": language}).text for language in ("en", "zh")]


def test_odds_are_kept_by_all_that_they_follow_from(served: Server) -> None:
    for name, layout, decks in (("a", "A", 8), ("b", "B", 8), ("c", "A", 6)):
        setup = TableSetup(name, "tiger-buffalo", ShoeKind.VIRTUAL, decks)
        served.run(served.floor.create_table(MANAGER, setup))
        served.run(At(served.floor, name, name).open("tiger-buffalo", layout=layout))

    def table(name: str) -> str:
        return next(read_page(served.client(), f"/tables/{name}/odds").all("table", "odds")).words

    shown = [table(name) for name in "abcabc"]
    assert shown[:3] == shown[3:]
    assert len(set(shown)) == 3


def test_pages_that_never_change_are_drawn_once_a_language(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    served.run(betting_table(served.floor, "t1", "commission-insurance"))
    odds.draw_bets.cache_clear()
    odds.draw_cells.cache_clear()
    rules.draw_book.cache_clear()
    drawn = [counted(monkeypatch, rules, "chapters"), counted(monkeypatch, odds, "show_insurance")]
    drawn.append(counted(monkeypatch, odds, "bet_odds"))
    for path in ("/rules/commission-insurance", "/tables/t1/odds"):
        english, chinese = (read_page(served.client(), path, language).words for language in ("en", "zh"))
        assert english != chinese
        for language, words in (("en", english), ("zh", chinese)):
            assert read_page(served.client(), path, language).words == words
    assert [len(calls) for calls in drawn] == [2, 2, 2]


def test_no_two_sights_share_a_page_of_a_table() -> None:
    """A page for staff contains their notes."""
    fields: dict[str, Any] = {"name": "", "player": False, "box": 0, "language": "en", "staff": True}
    looks = {Look(**fields, for_play_money=False, play_money_minor=0, sight=sight) for sight in Sight}
    assert len(looks) == len(Sight)
    assert {look.sight for look in looks if look.named} == set(Sight) - {Sight.PUBLIC, Sight.OWN}
