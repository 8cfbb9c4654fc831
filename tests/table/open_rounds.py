"""Automatic tables at every point of a round. Ann has 100.00 on Banker, Ben 50.00 on Player, Cat 5.00 on the tie."""

from collections.abc import Callable
from typing import Any

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.positions import Position
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    DEALER,
    NATURAL,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
)

SIX_CARDS = "As 2s Ad 3d 4c 2h"
BETS = (("ann", "banker", 100_00), ("ben", "player", 50_00), ("cat", "tie", 5_00))
AUTOMATIC: dict[str, Any] = {"automations": ALL_AUTOMATIONS}

Reach = Callable[[Rulebook], Evening]
"""Brings a table of a book to a certain point."""


def bets_placed(rules: Rulebook) -> Evening:
    evening = betting(rules, **AUTOMATIC)
    for bet in BETS:
        evening.bet(*bet)
    return evening


def dealt(cards: int, *, face_down: bool = False) -> Reach:
    def reach(rules: Rulebook) -> Evening:
        evening = dealing(rules, *BETS, face_down=face_down, **AUTOMATIC)
        if face_down:
            return evening.deal_unseen(min(cards, 4))
        return evening.deal(" ".join(SIX_CARDS.split()[:cards]))

    return reach


def insurance_offered(rules: Rulebook) -> Evening:
    evening = dealing(rules, *BETS, **AUTOMATIC).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    return evening


def insurance_taken(rules: Rulebook) -> Evening:
    evening = insurance_offered(rules)
    evening.do(evening.insuring("ann", 10_00))
    evening.do(commands.CloseInsurance(*DEALER))
    return evening


def options_open(rules: Rulebook) -> Evening:
    evening = dealing(rules, *BETS, **AUTOMATIC).deal("As 2s")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "it fell"))
    return evening


def irregularity_raised(rules: Rulebook) -> Evening:
    evening = dealing(rules, *BETS, **AUTOMATIC).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, Card("5h")))
    return evening


def order_lost(rules: Rulebook) -> Evening:
    evening = dealing(rules, *BETS, **AUTOMATIC)
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("5h"), Card("6h"))))
    return evening


def squeezing(rules: Rulebook) -> Evening:
    evening = dealing(rules, *BETS, face_down=True, **AUTOMATIC)
    evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", Side.BANKER))
    evening.do(commands.GrantSqueeze(*SUPERVISOR, Side.BANKER))
    return evening.deal_unseen(4)


def insurance_missed(rules: Rulebook) -> Evening:
    return dealing(rules, *BETS, observing=True, **AUTOMATIC).deal(BANKER_ON_FIVE).deal("7c 2h")


def settled(rules: Rulebook) -> Evening:
    return dealing(rules, *BETS, **AUTOMATIC).deal(NATURAL).settle()
