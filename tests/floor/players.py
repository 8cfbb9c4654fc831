"""Players in the house's register, for tests."""

from punto.floor.house.house_log import HouseLog
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.players import Players


async def register(log: HouseLog, name: str) -> str:
    """Register a player and return their id."""
    return (await Players(log).register(THE_CONSOLE, name)).id


async def register_and_erase(log: HouseLog, name: str) -> str:
    """The id of a player who was erased from the register."""
    player = await register(log, name)
    await Players(log).erase(THE_CONSOLE, player)
    return player
