"""``evolve`` applies an event to a table. It never judges."""

from msgspec.structs import replace

from punto.table.decision import Evolvers
from punto.table.irregularities import extra_cards, ordering, rulings, uninsured
from punto.table.play import (
    betting,
    dealing,
    identifying,
    insurance_stakes,
    insuring,
    opening,
    options,
    raising,
    rejudging,
    round_correction,
    seating,
    settling,
    squeezing,
    stake_correction,
    voiding,
)
from punto.table.records.events import Event, MoneyEvent
from punto.table.records.ledger import post
from punto.table.records.state import Table

EVOLVERS: Evolvers = {
    **opening.EVOLVERS,
    **seating.EVOLVERS,
    **identifying.EVOLVERS,
    **betting.EVOLVERS,
    **dealing.EVOLVERS,
    **squeezing.EVOLVERS,
    **insuring.EVOLVERS,
    **insurance_stakes.EVOLVERS,
    **rejudging.EVOLVERS,
    **settling.EVOLVERS,
    **voiding.EVOLVERS,
    **extra_cards.EVOLVERS,
    **ordering.EVOLVERS,
    **raising.EVOLVERS,
    **options.EVOLVERS,
    **uninsured.EVOLVERS,
    **rulings.EVOLVERS,
    **stake_correction.EVOLVERS,
    **round_correction.EVOLVERS,
}


def evolve(table: Table, event: Event) -> Table:
    """The table after an event. Postings are applied first, so evolvers see the new balances."""
    if isinstance(event, MoneyEvent):
        table = replace(table, balances=post(table.balances, event.postings))
    return EVOLVERS[type(event)](table, event)
