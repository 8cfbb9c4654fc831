"""What the console says that the last key did, and what the dealer says to it."""

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec import json

from punto.catalogue.sentence import write
from punto.floor.journal.entry import Entry
from punto.library import book
from punto.table.procedure.moment import moments_of
from punto.table.records import commands, reports
from punto.table.records.events import BetPlaced, Event, PlayerSat
from punto.table.records.kinds import BuyInKind, Late
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.dealer.last_key import last_key, what_it_did, with_words
from tests.table.tables import BANKER_ON_FIVE, DEALER, SUPERVISOR, Evening, betting, dealing, ready
from tests.web.pages.dealer.at_console import scene_of
from tests.web.pages.dealer.test_boxes import view_of

RULES = book("commission-insurance")
FELT: dict[str, Any] = {"observing": True, "least": 25_00}


def entry(command_id: str, event: Event) -> Entry:
    text = json.encode(event).decode()
    return Entry("t1", 1, 0, "dora", "dealer", command_id, 0, "", None, text, "", "")


def done(evening: Evening, command: commands.Command) -> tuple[Event, ...]:
    before = len(evening.events)
    evening.do(command)
    return tuple(evening.events[before:])


def says(evening: Evening, events: Iterable[Event], language: Any = "en") -> str:
    scene = scene_of(evening)
    (*_, moment) = with_words(scene, moments_of(scene), tuple(events))
    assert moment.say is not None
    return write(moment.say, language)


def test_the_commands_of_one_key_belong_together() -> None:
    evening = betting(RULES, **FELT)
    first, second, third = (
        done(evening, commands.PlaceBet(*DEALER, f"box {box}", box, "player", 100_00))[-1] for box in (4, 5, 6)
    )
    tail = [entry("aa-0", first), entry("bb-0", second), entry("bb-1", third)]
    assert last_key(tail) == (second, third)
    assert last_key(tail[:1]) == (first,)
    assert last_key([]) == ()
    assert isinstance(first, BetPlaced)
    sat = PlayerSat("box 4", 4)
    assert what_it_did((sat, first), view_of(evening), TRANSLATORS["en"]) == ("Box 4: 100 on Player.",)
    assert what_it_did((sat,), view_of(evening), TRANSLATORS["en"]) == ("Box 4 sits at box 4.",)
    assert what_it_did((second, third), view_of(evening), TRANSLATORS["en"]) == (
        "Box 5: 100 on Player.",
        "Box 6: 100 on Player.",
    )
    many = what_it_did((first,) * 5, view_of(evening), TRANSLATORS["en"])
    assert many == ("Box 4: 100 on Player.", "Box 4: 100 on Player.", "And 3 more.")


def test_the_minimum_is_advised_in_words() -> None:
    evening = betting(RULES, **FELT)
    evening.do(commands.PlaceBet(*DEALER, "box 6", 6, "player", 10_00))
    events = done(evening, commands.AdviseMinimum(*DEALER, "box 6", 6, "player"))
    assert says(evening, events) == "Box 6, the minimum is twenty-five"
    assert says(evening, events, "zh") == "6号位\N{FULLWIDTH COMMA}最低投注二十五"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (BuyInKind.CASH, "Changing fifteen thousand"),
        (BuyInKind.CHIPS, "Changing fifteen thousand"),
        (BuyInKind.VOUCHER, "Voucher, fifteen thousand"),
    ],
)
def test_a_buy_in_is_said(kind: BuyInKind, words: str) -> None:
    evening = ready(RULES, **FELT)
    events = done(evening, commands.BuyIn(*SUPERVISOR, "box 6", 15_000_00, kind))
    assert says(evening, events) == words
    out = done(evening, commands.CashOut(*SUPERVISOR, "box 6", 2_500_00)) if kind is BuyInKind.CASH else ()
    assert not out or says(evening, out) == "Paying out two thousand five hundred"


def test_excess_and_late_bets_are_said_with_the_place() -> None:
    evening = betting(RULES, most=500_00, **FELT)
    evening.do(commands.PlaceBet(*DEALER, "behind box 6/2", 6, "player", 700_00))
    events = done(evening, commands.RejectExcess(*DEALER, 6, "player"))
    assert says(evening, events) == "Person 2 behind box 6, two hundred over the limit goes back"
    evening.close_betting()
    late = done(evening, reports.ReportLateBet(*DEALER, "box 4", 4, "player", Late.PLACED, 50_00))
    assert says(evening, late) == "Box 4, no more bets. Your bet goes back"


def test_called_insurance_is_said_and_other_steps_keep_the_words_of_their_moment() -> None:
    evening = dealing(RULES, ("ann", "banker", 1_000_00), observing=True)
    evening.deal(BANKER_ON_FIVE)
    offered = done(evening, commands.OpenInsurance(*DEALER))
    before = says(evening, offered)
    assert before.startswith("Insurance on Banker")
    called = done(evening, commands.CallInsurance(*DEALER, "ann", 1))
    assert says(evening, called) == "Box 1, insurance called, chips to follow"
    did = what_it_did(called, view_of(evening), TRANSLATORS["en"])
    assert did[-1].endswith("the chips follow.")
