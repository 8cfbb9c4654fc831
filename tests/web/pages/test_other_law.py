"""A table whose book has changed too much to judge the round: its pages still show, and people can end it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from punto.catalogue.sentence import LANGUAGES
from punto.floor.running.live_table import LiveTable
from punto.table.law import LawScope, scope_of
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.web.pages.table.screen import TableScreen
from punto.web.views.table_cache import TableCache
from tests.floor.playing import DEALER, At, betting_table, player
from tests.web.page_tree import read_page
from tests.web.serving import server

OTHER_LAW = "f" * 64


def _without_layout(live: LiveTable) -> None:
    assert live.state.settings is not None
    live.state = replace(live.state, law_hash=OTHER_LAW, settings=replace(live.state.settings, layout="Z"))


def _without_insurance(live: LiveTable) -> None:
    live.rules = replace(live.rules, law_hash=OTHER_LAW, insurance=None)


def _without_lines(live: LiveTable) -> None:
    assert live.rules.insurance is not None
    live.rules = replace(live.rules, law_hash=OTHER_LAW, insurance=replace(live.rules.insurance, lines=()))


def _without_tie(live: LiveTable) -> None:
    layouts = {
        name: replace(layout, menu=tuple(bet for bet in layout.menu if bet != "tie"))
        for name, layout in live.rules.layouts.items()
    }
    bets = {name: rule for name, rule in live.rules.bets.items() if name != "tie"}
    live.rules = replace(live.rules, law_hash=OTHER_LAW, layouts=layouts, bets=bets)


async def _play(at: At) -> None:
    """Insurance is taken and still open."""
    assert (await at.bet("ann", 100_00, bet="banker")).refusal is None
    assert (await at.bet("ann", 5_00, bet="tie")).refusal is None
    await at.do(DEALER, "close_betting")
    for card in ("As", "2s", "Ad", "3d"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "open_insurance")
    await at.do(player("ann"), "take_insurance", who="ann", box=1, stake_minor=10_00)


@pytest.mark.parametrize("change", [_without_layout, _without_insurance, _without_lines, _without_tie])
def test_pages_show_the_round_and_a_shift_manager_ends_it(tmp_path: Path, change: Callable[[LiveTable], None]) -> None:
    with server(str(tmp_path / "floor.db")) as running:
        at = running.run(betting_table(running.floor, rules="commission-insurance"))
        running.run(_play(at))
        live = running.floor.table("t1")
        change(live)
        assert scope_of(live.rules, live.state) is LawScope.RULINGS
        screen = TableScreen(running.service, TableCache(running.floor, live, running.service.player_names))
        shift = running.by(Position.SHIFT_MANAGER)
        for _ in range(2):  # while the round is open, and when it is void
            for language in LANGUAGES:
                pieces = running.run(screen.pieces(player("ann"), {"box": "1"}, language))
                assert "box" in pieces
                read_page(running.client(), "/tables/t1", language)
                read_page(running.client(), "/tables/t1/board", language)
            state = shift.get("/api/tables/t1").json()["state"]
            assert [covered["who"] for covered in state["round"]["cover"]] == ["ann"]
            if live.state.phase is Phase.DEALING:
                refused = running.command(running.by(Position.DEALER), "t1", "deal_card", card="5h")
                assert refused.json()["error"]["code"] == "wrong_book", refused.text
                ruled = running.command(shift, "t1", "rule", reason="other rules", effect="void")
                assert ruled.status_code == 200
        assert live.state.chips_minor("ann") == 10_000_00
        assert running.command(shift, "t1", "close_table").status_code == 200
