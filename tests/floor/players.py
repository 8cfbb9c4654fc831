"""Players in the house's register, for tests."""

from punto.floor.database.base import Database, Transaction


async def register(database: Database, name: str | None) -> int:
    """Add a player to the register and return their number; without a name, one who was erased."""

    def work(transaction: Transaction) -> int:
        number = int(transaction.rows("SELECT coalesce(max(number), 0) + 1 FROM players")[0][0])
        folded = None if name is None else name.casefold()
        sql = "INSERT INTO players (number, name, folded, card, notes, registered_us) VALUES (?, ?, ?, NULL, '', 0)"
        transaction.change(sql, (number, name, folded))
        return number

    return await database.write(work)
