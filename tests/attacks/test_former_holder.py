"""A visitor takes a name that has just become free. The last round of its former holder is not shown as theirs."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from msgspec.structs import replace

from punto.floor.journal.actor import Actor
from punto.floor.journal.round_record import WentBack
from punto.table.records.positions import Position
from punto.web.messages import HandView
from punto.web.views.table_view import without_former
from punto.web.views.visibility import Sight
from tests.floor.playing import DEALER, SUPERVISOR, At, betting_table
from tests.web.serving import Server, server

TABLE = "t1"
STAKE_MINOR = 123_45
RESULT = '<details class="won">'


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    """A play-money table with betting open."""
    with server(str(tmp_path / "floor.db")) as served:
        served.run(betting_table(served.floor, TABLE, "commission-insurance"))
        yield served


def come(served: Server, box: int) -> tuple[str, httpx2.Client]:
    """The visitor vera, seated with chips: the token and a client."""
    token = served.visitor("vera")
    vera = served.client(token)
    served.chips(TABLE, "vera", 1_000_00)
    assert served.command(vera, TABLE, "sit", who="vera", box=box).status_code == 200
    return token, vera


def bet(served: Server, vera: httpx2.Client, box: int) -> None:
    placed = served.command(vera, TABLE, "place_bet", who="vera", box=box, bet="player", stake_minor=STAKE_MINOR)
    assert placed.status_code == 200, placed.text


def play(served: Server) -> None:
    """Deal a natural for Player and settle."""
    at = At(served.floor, TABLE, served.next_id())
    served.run(at.do(DEALER, "close_betting"))
    for card in ("9s", "2d", "Kh", "Kc"):
        served.run(at.do(DEALER, "deal_card", card=card))
    served.run(at.do(DEALER, "settle"))


def page(vera: httpx2.Client) -> str:
    return vera.get(f"/tables/{TABLE}").text


def test_bets_and_results_of_a_former_holder_are_not_shown_as_ones_own(floor: Server) -> None:
    _, former = come(floor, 3)
    bet(floor, former, 3)
    play(floor)
    assert page(former).count(RESULT) == 1
    assert f'data-stake="{STAKE_MINOR}"' in page(former)
    assert former.delete("/api/session").status_code == 204
    _, vera = come(floor, 3)
    assert RESULT not in page(vera)
    assert f'data-stake="{STAKE_MINOR}"' not in page(vera)
    floor.run(At(floor.floor, TABLE, "next").do(DEALER, "open_betting"))
    bet(floor, vera, 3)
    assert f'data-stake="{STAKE_MINOR}"' in page(vera)
    play(floor)
    assert page(vera).count(RESULT) == 1


def test_somebody_who_entered_during_the_round_sees_their_own_result(floor: Server) -> None:
    _, vera = come(floor, 3)  # betting was open before
    bet(floor, vera, 3)
    assert f'data-stake="{STAKE_MINOR}"' in page(vera)
    play(floor)
    assert page(vera).count(RESULT) == 1


def test_a_bet_that_went_back_to_a_former_holder_in_the_same_round_is_not_shown(floor: Server) -> None:
    at = At(floor.floor, TABLE, "error")
    _, former = come(floor, 3)
    bet(floor, former, 3)
    floor.run(at.do(DEALER, "close_betting"))
    floor.run(at.do(DEALER, "deal_card", card="9s"))
    floor.run(at.do(SUPERVISOR, "report_dealing_error", reason="a card fell"))
    chosen = floor.command(former, TABLE, "choose_option", who="vera", choice="return")
    assert chosen.status_code == 200, chosen.text
    assert former.delete("/api/session").status_code == 204
    token, _ = come(floor, 3)
    cache = floor.run(floor.service.table_caches.of(TABLE))
    view = floor.run(cache.view(Sight.PLAYER))
    assert view.round is not None
    assert [(each.who, each.went_back) for each in view.round.results] == [("vera", WentBack.OPTION)]
    by = floor.run(floor.service.sessions.actor(token))
    shown = without_former(view, cache.results.record, by)
    assert shown.round is not None
    assert [each.who for each in shown.round.results] == [""]
    assert without_former(view, cache.results.record, Actor("vera", Position.PLAYER)) == view


def test_what_a_former_holder_asked_to_squeeze_is_not_shown(floor: Server) -> None:
    _, former = come(floor, 3)
    bet(floor, former, 3)
    play(floor)
    assert former.delete("/api/session").status_code == 204
    token, _ = come(floor, 3)
    cache = floor.run(floor.service.table_caches.of(TABLE))
    view = floor.run(cache.view(Sight.PLAYER))
    assert view.round is not None
    hand = HandView(accepted_by="vera", asked_by="ann", lapsed_by="vera")
    view = replace(view, round=replace(view.round, banker=hand))
    shown = without_former(view, cache.results.record, floor.run(floor.service.sessions.actor(token)))
    assert shown.round is not None
    assert shown.round.banker == HandView(accepted_by="", asked_by="ann", lapsed_by="")


def test_an_adjustment_of_a_former_holder_is_not_shown(floor: Server) -> None:
    _, former = come(floor, 3)
    sid = floor.by(Position.SHIFT_MANAGER)
    ruling = {"reason": "an error", "effect": "adjust", "amounts": {"vera": 5_00}}
    assert floor.command(sid, TABLE, "rule", **ruling).status_code == 200
    assert len(former.get(f"/api/tables/{TABLE}").json()["me"]["adjustments"]) == 1
    assert former.delete("/api/session").status_code == 204
    _, vera = come(floor, 3)
    assert vera.get(f"/api/tables/{TABLE}").json()["me"]["adjustments"] == []
