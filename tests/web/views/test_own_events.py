"""Which events of a round somebody may know of: those about the table, and those about them."""

import pytest
from msgspec import to_builtins

from punto.rules.refusals import Clause
from punto.table.records.chips import SlipKind, SlipVoided
from punto.table.records.events import (
    BetsConfirmed,
    BettingClosed,
    ConfirmedBet,
    Event,
    Limit,
    LimitFlagged,
    PaymentsMarked,
    Payout,
    PayoutsVerified,
    ThirdCardInsuranceWaived,
)
from punto.table.records.findings import PayoutsNotVerified, Ruled, ShoeInspected
from punto.table.records.kinds import Effect
from punto.table.records.ledger import FLOAT, Posting, chips
from punto.table.records.positions import Position
from punto.web.views.own_events import concerns, own_fields

CITED = (Clause("3.4"),)
PAYOUTS = (Payout("ann", 1, "tie", 80_00), Payout("ben", 2, "tie", 160_00))
PAID = (Posting(chips("ann"), 5_00), Posting(FLOAT, -5_00))
ANN, ANN_AND_BEN, NOBODY, ALL = {"ann"}, {"ann", "ben"}, set[str](), {"ann", "ben", "cat", ""}


def ruled(effect: Effect, *postings: Posting) -> Ruled:
    return Ruled(effect, "as the film shows", "sid", Position.SHIFT_MANAGER, CITED, postings=postings)


@pytest.mark.parametrize(
    ("event", "who"),
    [
        (BettingClosed(CITED), ALL),
        (ThirdCardInsuranceWaived("ann", CITED), ALL),
        (LimitFlagged(1, "banker", Limit.MAXIMUM, "ann", CITED), ANN),
        (LimitFlagged(1, "banker", Limit.DIFFERENTIAL, None, CITED), NOBODY),
        (BetsConfirmed((ConfirmedBet("ann", 1, "banker"),)), ANN),
        (PaymentsMarked(1, PAYOUTS), ANN_AND_BEN),
        (PayoutsVerified(1, PAYOUTS, CITED), ANN_AND_BEN),
        (PayoutsNotVerified(1, PAYOUTS, CITED), ANN_AND_BEN),
        (ruled(Effect.ADJUST, *PAID), ANN),
        (ruled(Effect.RETURN, *PAID), ANN),
        (ruled(Effect.CONTINUE), ALL),
        (ShoeInspected("red", "a marked card"), NOBODY),
        (SlipVoided(1, SlipKind.FILL, 100_00, "not needed"), NOBODY),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Event) else "",
)
def test_an_event_is_for_those_whom_it_concerns(event: Event, who: set[str]) -> None:
    whole = to_builtins(event)
    assert {name for name in ALL if concerns(type(event), whole, name)} == who


def test_of_payouts_to_several_each_reads_their_own() -> None:
    whole = to_builtins(PayoutsVerified(1, PAYOUTS, CITED))
    assert own_fields(whole, "ben")["payouts"] == [to_builtins(PAYOUTS[1])]
    assert own_fields(whole, "")["payouts"] == []
