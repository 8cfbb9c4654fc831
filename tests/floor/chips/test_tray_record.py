"""The record of a tray: every figure by hand, and over random histories cut anywhere."""

from collections.abc import Iterator

import msgspec
import pytest

from punto import book
from punto.floor.chips.tray_record import SlipStep, TrayRecord, tray_record
from punto.floor.journal.entry import NO_CONTEXT, Entry, EntryContext, write
from punto.floor.reports.days.tray_sums import slip_lines
from punto.floor.settings.gaming_day import Period
from punto.rules.coup.cards import Card
from punto.rules.money import Rounding
from punto.table import handle
from punto.table.records import commands as c
from punto.table.records.chips import (
    ChipPile,
    CountPurpose,
    CountTray,
    ReceiveSlip,
    RequestSlip,
    SendSlip,
    SlipKind,
    VoidSlip,
)
from punto.table.records.commands import Command
from punto.table.records.corrections import CorrectPayment
from punto.table.records.events import Event, TableOpened
from punto.table.records.kinds import BuyInKind, CashOutKind, Effect
from punto.table.records.ledger import UNEXPLAINED, tray_minor
from punto.table.records.reports import Rule
from punto.table.records.state import Table
from tests.model.test_corrected_house import corrected_house
from tests.table.tables import DEALER, MANAGER, SHIFT, SUPERVISOR, settings

RULES = book("commission")
PILES = (ChipPile(1_000_00, 10),)
FLOAT_MINOR = 50_000_00


def _entry(version: int, at_us: int, event: Event, command: Command | None, context: EntryContext) -> Entry:
    by = command.by if command else "dora"
    told = write(command) if command else None
    return Entry("T/1", version, at_us, by, "dealer", f"c{version}", 0, "", told, write(event), write(context), "")


class Shift:
    """A felt table whose entries are a second apart."""

    def __init__(self) -> None:
        self.table = Table()
        self.entries: list[Entry] = []

    @property
    def now_us(self) -> int:
        return len(self.entries)

    @property
    def tray_minor(self) -> int:
        return tray_minor(self.table.balances)

    def do(self, *given: Command, context: EntryContext = NO_CONTEXT) -> "Shift":
        for command in given:
            self.table, decision = handle(RULES, self.table, command)
            assert isinstance(decision, tuple), decision
            for event in decision:
                first = command if event is decision[0] else None
                self.entries.append(_entry(self.now_us + 1, self.now_us, event, first, context))
        return self

    def open(self, float_minor: int = FLOAT_MINOR, carried: dict[str, int] | None = None) -> "Shift":
        rules = settings(RULES, observing=True, smallest_chip_minor=1_00, chip_rounding=Rounding.UP)
        self.do(c.OpenTable(*SUPERVISOR, rules, float_minor, carried or {}))
        return self.do(c.LoadShoe(*SUPERVISOR, f"s{self.now_us}", 8))

    def close(self) -> dict[str, int]:
        left = dict(self.table.balances)
        self.do(c.CloseTable(*SUPERVISOR))
        return left

    def count(self, purpose: CountPurpose, minor: int | None = None, context: EntryContext = NO_CONTEXT) -> "Shift":
        counted = self.tray_minor if minor is None else minor
        return self.do(CountTray(*SUPERVISOR, purpose, (ChipPile(counted, 1),)), context=context)

    def play(self, stake_minor: int, on: str = "banker", box: int = 1) -> "Shift":
        """A round that Banker wins."""
        self.do(
            c.OpenBetting(*DEALER), c.PlaceBet(*DEALER, f"box {box}", box, on, stake_minor), c.CloseBetting(*DEALER)
        )
        cards = ("2s", "9d", "Kh", "Kc")
        return self.do(*(c.DealCard(*DEALER, Card(card)) for card in cards), c.Settle(*DEALER))

    def record(self, since_us: int | None = None, until_us: int | None = None) -> TrayRecord:
        return tray_record(self.entries, Period(since_us, until_us))


def check(record: TrayRecord) -> None:
    assert record.difference_minor == record.explained_minor + record.unexplained_minor


def test_every_figure_of_a_shift() -> None:
    shift = Shift().open()
    shift.count(CountPurpose.OPENER, FLOAT_MINOR - 1_00, EntryContext(proposed_by="dora"))
    shift.do(c.BuyIn(*DEALER, "box 1", 3_000_00), c.BuyIn(*DEALER, "box 1", 500_00, BuyInKind.VOUCHER))
    shift.do(c.BuyIn(*DEALER, "box 1", 70_00, BuyInKind.CHIPS))
    shift.play(110_00)  # 104.50 is paid with 105.00
    shift.do(CorrectPayment(*SUPERVISOR, "box 1", 1, "banker", 225_00, "one chip too many"))
    shift.play(500_00, "player")
    shift.do(Rule(*SHIFT, "as a courtesy", Effect.ADJUST, amounts={"box 1": 20_00}))
    shift.do(RequestSlip(*DEALER, SlipKind.FILL, PILES), SendSlip(*SUPERVISOR, 1))
    shift.do(ReceiveSlip(*SUPERVISOR, 1), context=EntryContext(proposed_by="dora"))
    shift.do(RequestSlip(*DEALER, SlipKind.CREDIT, (ChipPile(500_00, 4),)))
    shift.do(SendSlip(*SUPERVISOR, 2), context=EntryContext(proposed_by="dora"))
    shift.do(RequestSlip(*DEALER, SlipKind.FILL, PILES), VoidSlip(*SUPERVISOR, 3, "twice"))
    shift.do(c.CashOut(*DEALER, "box 1", 800_00), c.CashOut(*DEALER, "box 1", 100_00, CashOutKind.VOUCHER))
    shift.do(ReceiveSlip(*SUPERVISOR, 2))
    shift.count(CountPurpose.CLOSER, shift.tray_minor - 25_00, EntryContext(alone=True))
    shift.close()
    record = shift.record()
    check(record)
    assert (record.opening_minor, record.opener_difference_minor, record.floats_minor) == (FLOAT_MINOR - 1_00, -1_00, 0)
    assert (record.fills_minor, record.credits_minor) == (10_000_00, 2_000_00)
    assert (record.cash_in_minor, record.cash_out_minor, record.drop_minor) == (3_000_00, 800_00, 2_200_00)
    assert (record.vouchers_in_minor, record.vouchers_out_minor, record.vouchers_minor) == (500_00, 100_00, 400_00)
    assert record.changed_minor == 70_00
    assert record.win_by_rounds_minor == -105_00 + 500_00
    assert (record.commission_minor, record.rounding_minor) == (5_50, -50)
    assert (record.mispaid_minor, record.rulings_minor, record.owed_minor) == (-10_00, -20_00, 0)
    assert record.win_minor == 395_00 - 10_00 - 20_00
    assert record.box_drop_minor == 3_000_00 + 500_00 + 70_00
    assert record.unexplained_minor == -25_00
    assert record.win_by_count_minor == 395_00 - 10_00 - 20_00 - 25_00
    hand = FLOAT_MINOR - 1_00 - 3_000_00 - 500_00 - 105_00 - 10_00 + 500_00 - 20_00 + 10_000_00 - 2_000_00 + 900_00
    assert record.closing_minor == hand - 25_00
    assert record.counted
    assert record.opener is not None
    assert record.opener.signed_by == ("dora", "sue")
    assert [(count.purpose, count.difference_minor, count.alone) for count in record.counts] == [
        (CountPurpose.OPENER, -1_00, False),
        (CountPurpose.CLOSER, -25_00, True),
    ]
    assert [(each.slip, each.step) for each in record.slips] == [
        (1, SlipStep.REQUESTED),
        (1, SlipStep.SENT),
        (1, SlipStep.RECEIVED),
        (2, SlipStep.REQUESTED),
        (2, SlipStep.SENT),
        (3, SlipStep.REQUESTED),
        (3, SlipStep.VOID),
        (2, SlipStep.RECEIVED),
    ]
    assert (record.slips[2].signed_by, record.slips[6].reason) == (("dora", "sue"), "twice")
    lines = [(line.number, line.state, line.signed_by) for line in slip_lines("T", record)]
    assert lines == [
        ("T-000001", SlipStep.RECEIVED, ("dora", "sue")),
        ("T-000002", SlipStep.RECEIVED, ("dora", "sue")),  # who saw the chips leave
        ("T-000003", SlipStep.VOID, ("sue",)),
    ]


def test_without_counts_the_figures_are_those_on_record() -> None:
    record = Shift().open().play(100_00).record()
    check(record)
    assert (record.opener, record.closer, record.counted) == (None, None, False)
    assert (record.opening_minor, record.floats_minor) == (0, FLOAT_MINOR)
    assert record.win_by_count_minor == record.win_by_rounds_minor == -95_00


def test_the_count_at_the_end_of_a_shift_opens_the_next_one() -> None:
    shift = Shift().open().count(CountPurpose.OPENER).play(100_00).count(CountPurpose.CLOSER)
    change_us = shift.now_us
    shift.play(200_00, "player").count(CountPurpose.CLOSER)
    early, late = shift.record(until_us=change_us), shift.record(since_us=change_us)
    assert (early.counted, late.counted) == (True, True)
    assert early.closer == late.opener
    assert (early.win_by_count_minor, late.win_by_count_minor) == (-95_00, 200_00)
    assert shift.record().win_by_count_minor == 105_00


def test_chips_that_moved_after_the_last_count_are_not_counted() -> None:
    shift = Shift().open().count(CountPurpose.OPENER).play(100_00).count(CountPurpose.CLOSER).play(100_00)
    assert shift.record().closer is None
    later = shift.record(since_us=shift.now_us)
    assert (later.opener, later.opening_minor) == (None, shift.tray_minor)


def test_a_table_that_closes_and_opens_again_adds_its_new_float() -> None:
    shift = Shift().open().count(CountPurpose.OPENER).play(100_00)
    left = shift.close()
    shift.open(1_000_00, left).play(300_00, "player", box=2).count(CountPurpose.CLOSER)
    record = shift.record()
    check(record)
    assert (record.floats_minor, record.win_by_rounds_minor) == (1_000_00, 205_00)
    assert record.win_by_count_minor == 205_00
    opened = next(entry.version - 1 for entry in shift.entries[1:] if '"event":"table_opened.1"' in entry.event)
    second = tray_record(shift.entries[opened:], Period())  # one opening alone: its command says what was put there
    check(second)
    assert (second.opening_minor, second.floats_minor) == (FLOAT_MINOR - 95_00, 1_000_00)


@pytest.mark.sweep
@pytest.mark.parametrize("rules", ["commission", "tiger-buffalo"])
def test_the_two_wins_differ_by_what_is_named_whenever_a_shift_ends(rules: str) -> None:
    entries = list(_random_entries(rules))
    cuts = range(0, len(entries) + 1, max(len(entries) // 12, 1))
    whole = tray_record(entries, Period())
    check(whole)
    assert whole.counts
    assert whole.slips
    found_minor = 0
    for since_us, until_us in zip(cuts, [*cuts[1:], len(entries)], strict=True):
        record = tray_record(entries, Period(since_us, until_us))
        check(record)
        if until_us < len(entries):
            follows = tray_record(entries, Period(until_us, None))
            assert follows.opening_minor - follows.opener_difference_minor == record.closing_minor
        found_minor += record.unexplained_minor + record.opener_difference_minor
    assert found_minor == whole.unexplained_minor + whole.opener_difference_minor
    unexplained = sum(
        amount
        for entry in entries
        for account, amount in _postings(entry)
        if account == UNEXPLAINED and '"event":"table_opened.1"' not in entry.event
    )
    assert found_minor == -unexplained


def _postings(entry: Entry) -> list[tuple[str, int]]:
    postings: list[tuple[str, int]] = msgspec.json.decode(entry.event).get("postings", [])
    return postings


def _random_entries(rules: str) -> Iterator[Entry]:
    evening = corrected_house(book(rules), seed=5, rounds=12)
    opened = c.OpenTable(*MANAGER, settings(book(rules)))
    for at, event in enumerate(evening.events):
        command = opened if isinstance(event, TableOpened) else None
        yield _entry(at + 1, at, event, command, NO_CONTEXT)
