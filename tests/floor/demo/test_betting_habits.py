"""House players: no command of theirs is refused, and they leave room for people."""

from collections import Counter
from functools import cache

import pytest

from punto.floor.demo import betting_habits
from punto.floor.demo.betting_habits import Body, RoundMemory
from punto.floor.demo.opening_tables import TABLES, PlannedTable
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import command_of
from punto.floor.names.names import HOUSE_PLAYER, new_name
from punto.floor.shoes import card_lookup, sealed
from punto.floor.shoes.sealed import SealedShoe
from punto.library import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table import handle, next_step
from punto.table.decision import this_round
from punto.table.play.limits import box_total
from punto.table.records.commands import (
    BuyIn,
    Command,
    LoadShoe,
    OpenTable,
    PassInsurance,
    PlaceBet,
    Sit,
    StandBehind,
    TakeInsurance,
)
from punto.table.records.positions import Position
from punto.table.records.reports import ReportWrongNumber, ReturnUninsuredBets
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Table
from tests.lanes import examples
from tests.table.tables import BANKER_ON_FIVE, HOUSE, MANAGER, NATURAL, SUPERVISOR, betting

pytestmark = pytest.mark.sweep

ROUNDS = examples(1_000)
GIVEN_MINOR = 1_000_00
"""A small amount, so they sometimes go broke."""
IN_A_ROW = 40
"""Far more than any player does between two steps of the dealer."""


class Night:
    """A demo table and its house players, on seeded shoes, as fast as possible."""

    def __init__(self, planned: PlannedTable, each: int = 5) -> None:
        self.rules, self.planned = book(planned.book), planned
        self.table, self.marks = Table(), RoundMemory()
        self.company = betting_habits.players_of(planned.name, each)
        self.given: Counter[tuple[str, str]] = Counter()
        """How often each player gave each command."""
        self.bets: list[PlaceBet] = []
        self._shoe: SealedShoe | None = None
        self.do(OpenTable(*SUPERVISOR, planned.settings, 1_000_000_00))

    def do(self, command: Command) -> None:
        """Give a command that must be accepted."""
        before = self.table
        self.table, decision = handle(self.rules, before, command)
        assert not isinstance(decision, Refusal), (command, decision)

    def play(self, rounds: int) -> None:
        """Play this many more rounds, to the settlement of the last."""
        last = rounds + (self.table.round.number if self.table.round else 0)
        while self.table.round is None or self.table.round.number < last or not self.table.round.over:
            self.step()

    def step(self) -> None:
        """Let the house players do everything they want, then let the dealer take a step."""
        self.marks = betting_habits.remember(self.marks, self.rules, self.table)
        self.company_acts()
        step = next_step(self.rules, self.table)
        if step is None:
            name = f"shoe {self.table.round.number if self.table.round else 0}"
            self._shoe = sealed.seeded_shoe(name, 8, self.planned.name)
            self.do(LoadShoe(*HOUSE, name, 8))
            return
        card: Card | None = None
        if step.needs_card and (where := card_lookup.place_for_step(self.table, step)) and self._shoe is not None:
            assert where[0] == self._shoe.id
            card = self._shoe.cards[where[1]]
        self.do(step.command(card))

    def company_acts(self) -> None:
        """Let them act in turn until nobody wants anything."""
        for _ in range(IN_A_ROW):
            acted = [name for name in self.company if self.acts(name)]
            if not acted:
                return
        raise AssertionError(f"{acted} do not come to an end")

    def acts(self, name: str) -> bool:
        """Let one house player act; return whether they wanted anything."""
        if betting_habits.is_short(self.table, name):
            body: Body | None = betting_habits.buy_in(self.table, name, GIVEN_MINOR)
        else:
            body = betting_habits.next_command(self.rules, self.table, self.company, name, self.marks)
        if body is None:
            return False
        by = HOUSE if body["command"] == "buy_in.1" else (name, Position.PLAYER)
        command = command_of({**body, "by": by[0], "position": by[1]})
        self.do(command)
        self.given[name, body["command"]] += 1
        if isinstance(command, PlaceBet):
            self.bets.append(command)
        return True

    def times(self, kind: type[Command]) -> int:
        """How often a command was given."""
        tag = kind.__struct_config__.tag
        return sum(count for (_, given), count in self.given.items() if given == tag)


@cache
def a_night(planned: PlannedTable) -> Night:
    """A long night, played once and shared by all tests."""
    night = Night(planned)
    night.play(ROUNDS)
    return night


def named(planned: PlannedTable) -> str:
    return planned.book


every_table = pytest.mark.parametrize("planned", TABLES, ids=named)


@every_table
def test_nothing_a_habit_asks_for_is_refused(planned: PlannedTable) -> None:
    night = a_night(planned)
    assert night.times(PlaceBet) > 4 * ROUNDS
    assert sum(night.table.balances.values()) == 0


@every_table
def test_every_bet_of_the_menu_is_made_and_from_seats_and_from_behind(planned: PlannedTable) -> None:
    night = a_night(planned)
    assert {bet.bet for bet in night.bets} == set(night.rules.layouts[planned.layout].menu)
    sitting = set(night.table.seats.values())
    assert {bet.by for bet in night.bets if bet.bet in MAIN_BETS} == set(night.company) > sitting
    assert set(night.table.behind) == set(night.company) - sitting
    assert night.times(BuyIn) > len(night.company)  # somebody went broke and continued


@every_table
def test_insurance_is_taken_where_the_book_has_it(planned: PlannedTable) -> None:
    night = a_night(planned)
    insured = night.rules.insurance is not None
    assert (night.times(TakeInsurance) > ROUNDS // 20) == insured
    assert (night.times(PassInsurance) > ROUNDS // 20) == insured  # nobody waits for a house player


def test_all_habits_are_seen_and_kept() -> None:
    nights = [a_night(planned) for planned in TABLES]
    assert {
        betting_habits.HABITS.index(betting_habits.habit_of(name)) for night in nights for name in night.company
    } == set(range(5))
    always_banker = [name for name in betting_habits.NAMES if betting_habits.habit_of(name) is betting_habits.HABITS[0]]
    sides = {bet.bet for night in nights for bet in night.bets if bet.by in always_banker}
    assert sides == {"banker"}
    doubling = [name for name in betting_habits.NAMES if betting_habits.habit_of(name).doubles]
    units = {bet.stake_minor // 25_00 for night in nights for bet in night.bets if bet.by in doubling}
    assert {1, 2, 4, 8, 16} <= units
    assert max(units) == 16


def test_who_follows_bets_on_the_side_that_won_last() -> None:
    planned = TABLES[0]
    night = Night(planned, len(betting_habits.NAMES))
    follower = next(name for name in night.company if betting_habits.habit_of(name) is betting_habits.HABITS[1])
    seen = set()
    for _ in range(30):
        night.play(1)
        night.bets.clear()
        marks = betting_habits.remember(night.marks, night.rules, night.table)
        while night.table.phase is not Phase.DEALING:
            night.step()
        assert marks.winner is not None
        assert [bet.bet for bet in night.bets if bet.by == follower and bet.bet in MAIN_BETS] == [marks.winner]
        seen.add(marks.winner)
    assert len(seen) == 2


def test_the_same_again() -> None:
    first, again = Night(TABLES[1]), Night(TABLES[1])
    first.play(100)
    again.play(100)
    assert first.bets == again.bets
    assert first.table == again.table


WON = f"{BANKER_ON_FIVE} 7c 2h"
"""Player 9, Banker 7: insurance on Banker, which was not offered, would have won."""


def test_a_bet_that_went_back_is_no_loss_whenever_it_is_looked_at() -> None:
    """Whether they look between the settlement and the return, only afterwards, or both."""
    name, box = betting_habits.NAMES[3], 5
    evening = betting(book("commission-insurance"), observing=True)
    evening.do(BuyIn(*HOUSE, name, 1_000_00))
    evening.do(Sit(name, Position.PLAYER, name, box))
    evening.bet(name, "banker", 100_00, box)
    evening.close_betting().deal(WON).settle()
    lost = betting_habits.remember(RoundMemory(), evening.rules, evening.table)
    assert lost.lost == {name: 1}
    evening.do(ReturnUninsuredBets(*MANAGER, name, box, Side.BANKER, "they had asked the dealer"))
    for before in (lost, RoundMemory()):
        assert betting_habits.remember(before, evening.rules, evening.table).lost == {}


def test_a_settlement_that_is_reversed_is_forgotten() -> None:
    name, box = betting_habits.NAMES[3], 5
    evening = betting(book("commission-insurance"))
    evening.do(BuyIn(*HOUSE, name, 1_000_00))
    evening.do(Sit(name, Position.PLAYER, name, box))
    evening.bet(name, "banker", 100_00, box)
    evening.close_betting().deal(NATURAL).settle()
    marks = betting_habits.remember(RoundMemory(), evening.rules, evening.table)
    assert (marks.winner, marks.lost) == (Side.PLAYER, {name: 1})
    evening.do(ReportWrongNumber(*SUPERVISOR, reason="a card too many, nobody knows which"))
    assert betting_habits.remember(marks, evening.rules, evening.table) == RoundMemory()


# ---- people first


@every_table
@pytest.mark.parametrize("each", [0, 1, 3, 5, 20])
def test_most_seats_are_left_for_people(planned: PlannedTable, each: int) -> None:
    night = Night(planned, each)
    night.play(2)
    assert len(night.table.seats) == min(each, planned.boxes // 3)
    assert night.table.people == set(night.company)


@every_table
def test_who_sits_at_a_full_table_gets_up_for_people(planned: PlannedTable) -> None:
    night = Night(planned)
    night.play(1)
    free = [box for box in range(1, planned.boxes + 1) if box not in night.table.seats]
    for number, box in enumerate(free):
        person = f"person {number}"
        night.do(BuyIn(*HOUSE, person, 100_00))
        night.do(Sit(person, Position.PLAYER, person, box))
    night.play(2)
    assert len(night.table.seats) == planned.boxes - 1  # one left, so one more may sit
    last = next(box for box in range(1, planned.boxes + 1) if box not in night.table.seats)
    night.do(BuyIn(*HOUSE, "ann", 100_00))
    night.do(Sit("ann", Position.PLAYER, "ann", last))
    night.play(2)
    people = {who for who in night.table.seats.values() if not who.endswith(HOUSE_PLAYER)}
    assert len(people) == len(free) + 1
    sitting = set(night.table.seats.values()) - people
    behind = {box for boxes in night.table.behind.values() for box in boxes}
    assert {night.table.seats[box] for box in behind} <= sitting  # and none stands behind people
    night.play(20)
    assert set(night.marks.lost) <= set(night.company)


def test_a_box_that_people_fill_leaves_house_players_what_room_there_is() -> None:
    """A person behind their box uses nearly all of its limit."""
    planned = TABLES[0]
    night = Night(planned, 3)
    night.do(BuyIn(*HOUSE, "ann", 100_000_00))
    for _ in range(30):
        while night.table.phase is not Phase.BETTING:
            night.step()
        night.company_acts()
        for box, who in night.table.seats.items():
            if box not in night.table.behind.get("ann", ()):
                night.do(StandBehind("ann", Position.PLAYER, "ann", box))
            assert who.endswith(HOUSE_PLAYER)
            for side in sorted(MAIN_BETS):
                lies_minor = box_total(this_round(night.table).bets, box, side)
                night.do(PlaceBet("ann", Position.PLAYER, "ann", box, side, 5_000_00 - lies_minor))
        night.play(1)


@every_table
def test_an_unwanted_house_player_leaves_with_all_chips(planned: PlannedTable) -> None:
    night = Night(planned)
    while night.table.phase is not Phase.DEALING:
        night.step()
    # not while they have bets
    assert all(betting_habits.leaving_command(night.table, name) is None for name in night.company)
    while not (night.table.round and night.table.round.over):
        night.step()
    for name in night.company:
        while body := betting_habits.leaving_command(night.table, name):
            by = HOUSE if body["command"] == "cash_out.1" else (name, Position.PLAYER)
            night.do(command_of({**body, "by": by[0], "position": by[1]}))
    assert (night.table.people, night.table.seats, night.table.behind) == (frozenset(), {}, {})


def test_nothing_is_wanted_of_a_closed_table() -> None:
    assert (
        betting_habits.next_command(
            book("commission"), Table(), betting_habits.NAMES, betting_habits.NAMES[0], RoundMemory()
        )
        is None
    )
    assert not betting_habits.is_short(Table(), betting_habits.NAMES[0])
    assert betting_habits.leaving_command(Table(), betting_habits.NAMES[0]) is None


# ---- names and time


def test_nobody_else_is_called_like_a_house_player() -> None:
    for name in (*betting_habits.NAMES, "Mei (HOUSE)", "somebody \uff08house\uff09", "(house)"):
        with pytest.raises(FloorRefused) as refused:
            new_name(name)
        assert refused.value.code is FloorCode.NAME_TAKEN
    assert new_name("Mei") == "mei"


def test_the_tables_of_the_opening_night_have_different_company() -> None:
    names = [name for planned in TABLES for name in betting_habits.players_of(planned.name, 3)]
    assert len(set(names)) == len(names) == 15


@every_table
def test_what_they_do_falls_into_the_first_part_of_the_time(planned: PlannedTable) -> None:
    night, pace = Night(planned, 3), planned.setup.pace
    when = set()
    for _ in range(40):
        while night.table.phase is not Phase.BETTING:
            night.step()
        for name in night.company:
            bets = 0
            while True:
                due_s = betting_habits.due_s(night.table, pace, night.company, name)
                assert pace.close_betting_s / 10 <= due_s <= pace.close_betting_s * 3 / 4
                when.add(due_s)
                if not night.acts(name):
                    break
                bets += 1
        night.play(1)
    assert len(when) > 50


def test_settings_without_limits_have_habits_too() -> None:
    planned = TABLES[0]
    night = Night(planned)
    night.table = Table()
    settings = planned.settings
    bare = type(settings)(layout=settings.layout, boxes=settings.boxes, automations=tuple(Automation))
    night.do(OpenTable(*SUPERVISOR, bare, 1_000_000_00))
    night.play(20)
    assert {bet.stake_minor % betting_habits.DEFAULT_UNIT_MINOR for bet in night.bets} == {0}
