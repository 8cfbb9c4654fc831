"""A floor with something in every part of a report: three games, fills, credits, counts, vouchers, voids, rulings."""

from punto.floor.journal.actor import Actor
from punto.table.records.ledger import tray_minor
from punto.table.records.state import Phase
from tests.floor.nights import DORA, SUE, Night, night, play_troubled

CHIPS = (10_000_00, 100_00, 1_00, 1)


def reported(url: str) -> None:
    night(url, _play)


async def _play(floor: Night) -> None:
    await _orchid(floor)
    await floor.table("Jade", "tiger-buffalo", boxes=6)
    await _rounds(floor, "Jade", 12, ("banker", "small_tiger", "big_buffalo", "player_pair"))
    await floor.table("Lotus", "super-six-plus", boxes=5)
    await _rounds(floor, "Lotus", 8, ("banker", "super_six_plus"))
    await count_tray(floor, "Lotus", "closer")
    await floor.close("Lotus")
    await play_troubled(floor)


async def _orchid(floor: Night) -> None:
    """Opened again after a short closer, with a float; one slip of every kind and state."""
    await floor.table("Orchid")
    await floor.rounds("Orchid", 8)
    await count_tray(floor, "Orchid", "closer", short_minor=100_00)
    await floor.close("Orchid")
    await floor.open("Orchid")
    await count_tray(floor, "Orchid", "opener", short_minor=5_00)
    await floor.rounds("Orchid", 8)
    for number, (kind, value, count) in enumerate(
        (("fill", 1_000_00, 50), ("credit", 100_00, 50), ("fill", 5_00, 3)), 1
    ):
        piles = [{"value_minor": value, "count": count}]
        await floor.do(DORA, "Orchid", "request_slip.1", kind=kind, piles=piles)
        if number < 3:
            await floor.do(SUE, "Orchid", "send_slip.1", slip=number)
            await floor.do(SUE, "Orchid", "receive_slip.1", slip=number)
    await floor.do(SUE, "Orchid", "void_slip.1", slip=3, reason="not needed")
    await floor.do(DORA, "Orchid", "cash_out.1", who="ann", amount_minor=20_000_00)
    await floor.do(DORA, "Orchid", "cash_out.1", who="ann", amount_minor=1_000_00, kind="voucher")
    await floor.do(DORA, "Orchid", "buy_in.1", who="ben", amount_minor=5_000_00, kind="voucher")
    await floor.do(DORA, "Orchid", "buy_in.1", who="ben", amount_minor=700_00, kind="chips")
    await count_tray(floor, "Orchid", "check", short_minor=-2_50)
    await floor.rounds("Orchid", 2)


async def count_tray(floor: Night, table: str, purpose: str, *, short_minor: int = 0, by: Actor = SUE) -> None:
    """Count what is on record, or less."""
    left_minor = tray_minor(floor.live(table).state.balances) - short_minor
    piles = []
    for value_minor in CHIPS:
        count, left_minor = divmod(left_minor, value_minor)
        if count:
            piles.append({"value_minor": value_minor, "count": count})
    await floor.do(by, table, "count_tray.1", purpose=purpose, piles=piles)


async def _rounds(floor: Night, table: str, rounds: int, bets: tuple[str, ...]) -> None:
    for _ in range(rounds):
        await floor.until(table, Phase.BETTING)
        for bet in bets:
            await floor.bet(table, "ann", 1, bet, 100_00)
        await floor.bet(table, "ben", 2, "player", 250_05)
        while floor.live(table).state.phase is not Phase.READY:
            await floor.step(table)
