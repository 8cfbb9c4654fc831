"""What a player reads of their last round, and that it is nobody else's."""

from pathlib import Path

from punto.floor.journal.actor import Actor
from punto.table.records.positions import Position
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.table.own_result import OwnResult, own_result
from punto.web.views.table_cache import TableCache
from punto.web.views.table_view import me_at
from punto.web.views.visibility import Sight
from tests.floor.playing import DEALER, At, betting_table, player
from tests.web.serving import Server, server

NATURAL = ("2s", "9d", "Kh", "Kc")


async def settled(at: At) -> None:
    await at.do(DEALER, "close_betting")
    for card in NATURAL:
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")


def read(served: Server, cache: TableCache, name: str, since_us: int = 0) -> OwnResult | None:
    view = served.run(cache.view(Sight.PLAYER))
    by = Actor(name, Position.PLAYER, since_us)
    own = me_at(cache.live.state, cache.results.record, by, plays=True)
    return own_result(cache.live, view, by, own, cache.results.last_of.get(name), TRANSLATORS["en"])


def test_a_result_is_read_until_the_next_own_one_by_the_player_whose_it_is(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        at = served.run(betting_table(served.floor))
        cache = served.run(served.service.table_caches.of("t1"))
        served.run(at.bet("ann", 100_00, bet="banker"))
        assert read(served, cache, "ann") is None
        served.run(settled(at))
        fresh = read(served, cache, "ann")
        assert fresh is not None
        assert (fresh.round, fresh.fresh, fresh.gain_minor) == (1, True, 95_00)
        assert read(served, cache, "ben") is None
        served.run(at.do(DEALER, "open_betting"))
        last = read(served, cache, "ann")
        assert last is not None
        assert (last.round, last.fresh, last.gain_minor, last.outcomes) == (1, False, 95_00, fresh.outcomes)
        entered_after_us = cache.results.last_of["ann"].ended_us + 1
        assert read(served, cache, "ann", entered_after_us) is None
        served.run(at.do(player("ann"), "place_bet", who="ann", box=1, bet="tie", stake_minor=25_00))
        assert read(served, cache, "ann") == last
        served.run(at.do(DEALER, "close_betting"))
        served.run(at.do(DEALER, "deal_card", card="9s"))
        assert read(served, cache, "ann") == last
        for card in ("2d", "Kh", "Kc"):
            served.run(at.do(DEALER, "deal_card", card=card))
        served.run(at.do(DEALER, "settle"))
        lost = read(served, cache, "ann")
        assert lost is not None
        assert (lost.round, lost.fresh, lost.gain_minor) == (2, True, -25_00)
        served.run(at.do(DEALER, "open_betting"))
        served.run(settled(at))  # without a bet of hers
        served.run(at.do(DEALER, "open_betting"))
        later = read(served, cache, "ann")
        assert later is not None
        assert (later.round, later.fresh, later.outcomes) == (2, False, lost.outcomes)
