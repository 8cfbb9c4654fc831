"""Books of one's own are played, settled and verified like the shipped ones."""

from pathlib import Path

import pytest

from punto import library
from punto.floor.audit.verify import verify
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.state import Phase
from tests.floor.nights import DORA, SUE, Night, night, opened

FOLDER = Path(__file__).parents[2] / "examples" / "books"
OWN_BETS = {
    "macau": ("six_tie", "small_six", "big_six"),
    "seven-returned": ("dragon_7", "panda_8"),
    "dragon-bonus": ("player_bonus", "banker_bonus"),
    "perfect-pair": ("perfect_pair", "all_red"),
}
DEALT = ("7h", "2d", "7h", "5d", "6h")
"""Player starts with a pair of one suit, all cards are red: Player 0, Banker 7."""


@pytest.fixture(autouse=True)
def _on_the_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_OWN", {})
    library.put_on_shelf(FOLDER)


@pytest.mark.parametrize("game", OWN_BETS)
def test_a_book_of_ones_own_is_dealt_settled_and_verified(game: str, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", game)
        await floor.rounds("t1", 1)
        await floor.until("t1", Phase.BETTING)
        for bet in OWN_BETS[game]:
            await floor.bet("t1", "ann", 1, bet, 25_00)
        await floor.until("t1", Phase.READY)
        await floor.table("m1", game, shoes=ShoeKind.MANUAL, burn=False, automations=[])
        await floor.do(SUE, "m1", "load_shoe.1", shoe="real", decks=8)
        await floor.do(DORA, "m1", "open_betting.1")
        for bet in ("banker", *OWN_BETS[game]):
            await floor.bet("m1", "ann", 1, bet, 25_00)
        await floor.do(DORA, "m1", "close_betting.1")
        for card in DEALT:
            await floor.do(DORA, "m1", "deal_card.1", card=card)
        await floor.do(DORA, "m1", "settle.1")

    night(url, play)
    with opened(url) as database:
        assert verify(database).faults == []


def test_a_table_whose_book_is_gone_stands_still_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = str(tmp_path / "floor.db")

    async def first(floor: Night) -> None:
        await floor.table("m1", "macau")
        await floor.table("t1", "commission")
        await floor.rounds("m1", 1)

    async def without_it(floor: Night) -> None:
        assert floor.floor.faulty == ("m1",)
        assert [*floor.floor.tables] == ["t1"]
        await floor.rounds("t1", 1)

    async def with_it_again(floor: Night) -> None:
        assert floor.floor.faulty == ()
        await floor.rounds("m1", 1)

    night(url, first)
    on_the_shelf = dict(library._OWN)
    monkeypatch.setattr(library, "_OWN", {})
    night(url, without_it)
    monkeypatch.setattr(library, "_OWN", on_the_shelf)
    night(url, with_it_again)
