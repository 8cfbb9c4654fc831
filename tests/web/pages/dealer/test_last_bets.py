"""The bets that a dealer may enter again."""

import asyncio
from functools import partial
from pathlib import Path

from punto.table.procedure.scene import LastBet
from punto.web.pages.dealer.last_bets import last_bets
from tests.floor.playing import DEALER, SUPERVISOR, At, manual_table, running

NATURAL = ("9s", "2d", "Kh", "3c")


async def play(at: At, *bets: tuple[int, str, int]) -> None:
    await at.do(DEALER, "open_betting")
    for box, bet, stake_minor in bets:
        await at.do(DEALER, "place_bet", who=f"box {box}", box=box, bet=bet, stake_minor=stake_minor)
    await at.do(DEALER, "close_betting")
    for card in NATURAL:
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")


async def found(at: At) -> tuple[LastBet, ...]:
    live = at.floor.table(at.name)
    assert live.head is not None
    return await live.database.read(partial(last_bets, head=live.head))


def test_they_are_those_of_the_last_round_that_had_any(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            at = await manual_table(floor, rules="commission-insurance", observing=True)
            assert await found(at) == ()
            await play(at, (4, "player", 100_00), (5, "banker", 200_00))
            await play(at)
            await at.do(DEALER, "open_betting")
            assert await found(at) == (LastBet("box 4", 4, "player", 100_00), LastBet("box 5", 5, "banker", 200_00))

    asyncio.run(evening())


def test_a_void_round_counts_and_what_a_player_took_back_does_not(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            at = await manual_table(floor, rules="commission-insurance", observing=True)
            await play(at, (4, "player", 100_00))
            await at.do(DEALER, "open_betting")
            await at.do(DEALER, "place_bet", who="box 5", box=5, bet="tie", stake_minor=5_00)
            await at.do(DEALER, "place_bet", who="box 6", box=6, bet="tie", stake_minor=5_00)
            await at.do(DEALER, "withdraw_bet", who="box 6", box=6, bet="tie", amount_minor=5_00)
            await at.do(DEALER, "close_betting")
            await at.do(SUPERVISOR, "report_foreign_card", reason="a joker")
            assert await found(at) == (LastBet("box 5", 5, "tie", 5_00),)

    asyncio.run(evening())


def test_those_who_have_left_since_are_left_out_until_they_bet_again(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            at = await manual_table(floor, rules="commission-insurance", observing=True)
            await play(at, (4, "player", 100_00), (5, "banker", 200_00))
            await at.do(DEALER, "leave", who="box 5")
            assert await found(at) == (LastBet("box 4", 4, "player", 100_00),)
            await play(at, (4, "player", 100_00), (5, "tie", 50_00))
            assert await found(at) == (LastBet("box 4", 4, "player", 100_00), LastBet("box 5", 5, "tie", 50_00))

    asyncio.run(evening())


def test_those_of_somebody_whose_place_has_somebody_new_are_left_out(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            at = await manual_table(floor, rules="commission-insurance", observing=True)
            await play(at, (4, "player", 100_00), (5, "banker", 200_00))
            await at.do(DEALER, "leave", who="box 5")
            await at.do(DEALER, "sit", who="box 5", box=5)
            assert await found(at) == (LastBet("box 4", 4, "player", 100_00),)

    asyncio.run(evening())
