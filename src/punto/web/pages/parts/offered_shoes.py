"""The shoes to choose from where one is put on a table."""

from collections.abc import Sequence
from itertools import count

from punto.catalogue.sentence import phrase
from punto.floor.shoes.shoe_register import ShoeLife, problem_at
from punto.rules.rulebook import Rulebook
from punto.table.play.opening import shoes_in_use
from punto.table.procedure.trouble.felt import OfferedShoe
from punto.table.records.kinds import ShoeCheck
from punto.table.records.state import Table
from punto.web.http.endpoint import HttpRequest


async def fit_shoes(call: HttpRequest, table: str) -> list[ShoeLife]:
    """The shoes of the register that are fit for use at a table, and not in use there already."""
    tables = {name: live.state for name, live in call.service.floor.tables.items()}
    lives, here = await call.service.shoe_register.list(call.by), shoes_in_use(tables[table])
    return [life for life in lives if life.shoe not in here and problem_at(life, life.shoe, table, tables) is None]


def offered_shoes(book: Rulebook, table: Table, fit: Sequence[ShoeLife]) -> tuple[OfferedShoe, ...]:
    """The shoes of the register, then those that were taken off here and inspected: they get another name."""
    decks, taken_off = book.decks, table.taken_off
    offered = [
        OfferedShoe(
            phrase("dialog.shoe_of", shoe=each.shoe, decks=each.decks), {"shoe": each.shoe, "decks": each.decks}
        )
        for each in fit
        if decks.least <= each.decks <= decks.most and each.shoe not in taken_off
    ]
    for shoe in (each for each, check in taken_off.items() if check is ShoeCheck.INSPECTED):
        names = (f"{shoe}-{number}" for number in count(2))
        new = next(name for name in names if name not in taken_off)
        offered.append(OfferedShoe(phrase("dialog.shoe_back", shoe=shoe, name=new), {"formerly": shoe, "shoe": new}))
    return tuple(offered)
