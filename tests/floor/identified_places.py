"""A journal in which places and names become players' ids at every moment, and places change hands."""

from punto.floor.journal.actor import Actor
from punto.floor.shoes.shoe_kind import ShoeKind
from tests.floor.goldens import TABLE
from tests.floor.nights import DORA, NATURAL, SID, SUE, Night, night

FIRST, SECOND, ANN, FOURTH, BEN, SIXTH, SEVENTH = (f"P00000{number}" for number in range(1, 8))
"""Two people at box 3, Ann, somebody whom only a ruling names, Ben, and two people at box 4."""


def identified(url: str) -> None:
    night(url, _play)


async def _do(floor: Night, command: str, *, by: Actor = DORA, **fields: object) -> None:
    await floor.do(by, TABLE, f"{command}.1", **fields)


async def _arrives(floor: Night, who: str, amount_minor: int, box: int, place: str = "sit") -> None:
    await _do(floor, "buy_in", who=who, amount_minor=amount_minor)
    await _do(floor, place, who=who, box=box)


async def _goes(floor: Night, who: str) -> None:
    await _do(floor, "leave", who=who)
    await _do(floor, "cash_out", who=who, amount_minor=floor.live(TABLE).state.chips_minor(who))


async def _bets(floor: Night, *bets: tuple[str, int, str, int]) -> None:
    await _do(floor, "open_betting")
    for who, box, bet, stake_minor in bets:
        await _do(floor, "place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor)


async def _settled(floor: Night) -> None:
    """Player wins."""
    await _do(floor, "close_betting")
    for card in NATURAL:
        await _do(floor, "deal_card", card=card)
    await _do(floor, "settle")


async def _identify(floor: Night, who: str, player_id: str) -> None:
    await _do(floor, "identify_player", who=who, player_id=player_id)


async def _adjust(floor: Night, **amounts: int) -> None:
    named = {who.replace("_", " "): amount for who, amount in amounts.items()}
    await _do(floor, "rule", by=SID, reason="as the film shows", effect="adjust", amounts=named)


async def _play(floor: Night) -> None:
    await floor.table(TABLE, shoes=ShoeKind.MANUAL, burn=False, automations=[])
    await _do(floor, "load_shoe", by=SUE, shoe="one", decks=8)
    await _box_three(floor)
    await _ann(floor)
    await _adjust(floor, behind_box_2=3)
    await _identify(floor, "behind box 2", FOURTH)
    await _changes_places(floor)
    await _do(floor, "close_table", by=SUE)

    await floor.open(TABLE, burn=False, automations=[])
    await _do(floor, "load_shoe", by=SUE, shoe="two", decks=8)
    await _adjust(floor, ben=1_00)
    await _identify(floor, "ben", BEN)
    await _bets(floor, (BEN, 2, "player", 20_00))
    await _settled(floor)
    await _adjust(floor, P000005=2)
    await _identify(floor, "box 4", SEVENTH)
    await _do(floor, "open_betting")
    await _arrives(floor, "box 4", 70_00, 4)


async def _box_three(floor: Night) -> None:
    """Three people sit there, one after the other. The second one is never identified."""
    await _arrives(floor, "box 3", 1_000_00, 3)
    await _adjust(floor, box_3=7_00)
    await _bets(floor, ("box 3", 3, "banker", 50_00), ("ben", 2, "player", 10_00))
    await _settled(floor)
    await _bets(floor, ("box 3", 3, "player", 40_00))
    await _identify(floor, "box 3", FIRST)
    await _settled(floor)
    await _goes(floor, FIRST)

    await _arrives(floor, "box 3", 500_00, 3)
    await _bets(floor, ("box 3", 3, "tie", 5_00))
    await _settled(floor)
    await _goes(floor, "box 3")

    await _do(floor, "open_betting")
    await _arrives(floor, "box 3", 800_00, 3)
    await _do(floor, "place_bet", who="box 3", box=3, bet="banker", stake_minor=60_00)
    await _do(floor, "close_betting")
    for card in NATURAL[:2]:
        await _do(floor, "deal_card", card=card)
    await _do(floor, "leave", who="box 3")
    await _identify(floor, "box 3", SECOND)
    for card in NATURAL[2:]:
        await _do(floor, "deal_card", card=card)
    await _do(floor, "settle")


async def _changes_places(floor: Night) -> None:
    """Somebody unknown goes from box 4 to box 6 after a settlement, then behind it, and is identified.

    At box 6 they get a settled bet back.

    Somebody else walks away from box 4 with a bet that wins, and is known only when the table is open again.
    """
    await _arrives(floor, "box 4", 400_00, 4)
    await _bets(floor, ("box 4", 4, "banker", 30_00), ("box 4", 4, "tie", 5_00))
    await _settled(floor)
    await _identify(floor, "box 4", "box 6")
    back = [{"who": "box 6", "box": 4, "bet": "tie"}]
    await _do(floor, "rule", by=SID, reason="the chip had rolled", effect="return", bets=back)
    await _bets(floor, ("box 6", 6, "player", 20_00))
    await _identify(floor, "box 6", "behind box 6")
    await _arrives(floor, "box 4", 600_00, 4)
    await _do(floor, "place_bet", who="box 4", box=4, bet="player", stake_minor=80_00)
    await _do(floor, "leave", who="box 4")
    await _settled(floor)
    await _identify(floor, "behind box 6", SIXTH)


async def _ann(floor: Night) -> None:
    """Ann is identified after a settlement that is reversed later, and is joined by what she bet behind her box."""
    await _arrives(floor, "behind box 1", 300_00, 1, "stand_behind")
    await _bets(floor, ("ann", 1, "banker", 100_00), ("behind box 1", 1, "player", 30_00))
    await _settled(floor)
    await _identify(floor, "ann", ANN)
    await _do(floor, "report_wrong_number", by=SUE, reason="a card between the hands")
    await _bets(floor, (ANN, 1, "banker", 90_00), ("behind box 1", 1, "tie", 5_00))
    await _identify(floor, "behind box 1", ANN)
    await _settled(floor)
