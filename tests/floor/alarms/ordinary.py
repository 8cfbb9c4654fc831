"""An ordinary hour of a pit of ten felt tables: real stakes, buy-ins, a few slips, nothing that a pit has to see."""

from random import Random
from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace

from punto.floor.alarms.alarm_facts import AlarmFacts, TableTimes
from punto.floor.alarms.bet_rules import edge_money
from punto.floor.alarms.rules import CHANGES, reported_later, table_alarms, time_alarms
from punto.floor.alarms.tallies import TableCommand, Tallies
from punto.floor.clock import SECOND_US
from punto.floor.edges.round_start import round_start
from punto.floor.edges.table_edges import TableEdges, solve_starts
from punto.floor.house.alarm import DueAlarm
from punto.floor.settings.floor_settings import FloorSettings
from punto.library import book
from punto.rules.coup.cards import Card, Face
from punto.table.records import commands, corrections
from punto.table.records.commands import Command
from punto.table.records.identity import player_id
from punto.table.records.positions import Position
from punto.table.records.settings import Automation, BetLimits
from punto.table.situation import situation
from tests.floor.alarms.facts import NOW_US
from tests.table.tables import SUPERVISOR, Evening, opened

TABLES = 10
GAMES = ("commission-insurance", "tiger-buffalo", "commission")
ROUND_S = 51
ROUNDS_AN_HOUR = 70
PLAYERS = 5
MEDIAN_MINOR = 400_00
MAX_MINOR = 50_000_00
PAR_MINOR = 2_000_000_00


class OrdinaryPit:
    """All alarms that ring, each once."""

    def __init__(self, seed: int, settings: FloorSettings) -> None:
        self.random = Random(seed)  # noqa: S311 - for a test
        self.tallies, self.settings = Tallies(), settings
        self.rung: dict[str, DueAlarm] = {}
        self.tables = [OrdinaryTable(self, f"t{at}", GAMES[at % len(GAMES)], at) for at in range(TABLES)]

    def play_hour(self) -> None:
        self.play(ROUNDS_AN_HOUR)

    def play(self, rounds: int) -> None:
        for number in range(rounds):
            for table in self.tables:
                table.play_round(NOW_US + number * ROUND_S * SECOND_US)

    def ring(self, due: list[DueAlarm]) -> None:
        for each in due:
            self.rung.setdefault(each.once, each)


class OrdinaryTable:
    def __init__(self, pit: OrdinaryPit, name: str, game: str, at: int) -> None:
        self.pit, self.name, self.random = pit, name, pit.random
        self.dealer = (f"dealer {at}", Position.DEALER)
        self.at_us, self.times = NOW_US, TableTimes()
        self.players = {box: player_id(at * PLAYERS + box) for box in range(1, PLAYERS + 1)}
        rules = book(game)
        limits: dict[str, Any] = {"main": BetLimits(100_00, MAX_MINOR), "side": BetLimits(25_00, 5_000_00)}
        if rules.topics and game != "commission":
            limits["differential_minor"] = MAX_MINOR
        self.evening = opened(rules, observing=True, tray_par_minor=PAR_MINOR, **limits)
        self.evening.table = replace(
            self.evening.table, balances={"bank": -PAR_MINOR, "float": PAR_MINOR}
        )  # a tray that was filled to its par
        self.cards: list[Card] = []
        for who in self.players.values():
            self.buy_in(who)

    def give(self, command: Command) -> None:
        before = self.evening.table
        events = self.evening.do(command)
        self.times = self.times.entered(events, self.at_us).after(
            self.evening.rules, before, self.evening.table, self.at_us
        )
        number = self.evening.table.round.number if self.evening.table.round is not None else 0
        self.pit.ring(
            self.pit.tallies.take(TableCommand(self.name, 1, number, self.at_us, command.by, events), self.pit.settings)
        )
        self.pit.ring(list(reported_later(self.facts(), events)))
        if any(isinstance(event, CHANGES) for event in events):
            self.pit.ring(table_alarms(self.facts()))

    def facts(self, edges: TableEdges | None = None) -> AlarmFacts:
        evening = self.evening
        at = (self.name, 1, evening.rules, evening.table, self.at_us, self.pit.settings)
        return AlarmFacts(*at, self.times, edges=edges)

    def later(self, seconds: int) -> None:
        self.at_us += seconds * SECOND_US
        self.pit.ring(time_alarms(self.facts()))

    def buy_in(self, who: str) -> None:
        self.give(commands.BuyIn(*SUPERVISOR, who, self.random.randint(1, 6) * 500_00))

    def stake_minor(self, median_minor: int = MEDIAN_MINOR) -> int:
        units = round(median_minor * self.random.lognormvariate(0, 1) / 25_00)
        return min(max(units * 25_00, 100_00), MAX_MINOR)

    def play_round(self, start_us: int) -> None:
        self.at_us = start_us
        if len(self.cards) < 60:
            self.load()
        edges = self.edges()
        self.give(commands.OpenBetting(*self.dealer))
        for box, who in self.players.items():
            if self.random.random() < 0.8:
                self.bet(box, who)
        self.pit.ring([*table_alarms(self.facts()), *edge_money(self.facts(edges))])
        self.later(20)
        self.give(commands.CloseBetting(*self.dealer))
        if self.random.random() < 0.01:
            self.correct()
        self.deal()
        self.give(commands.Settle(*self.dealer))
        for who in self.players.values():
            if self.evening.table.chips_minor(who) < MEDIAN_MINOR:
                self.buy_in(who)

    def load(self) -> None:
        decks = self.evening.rules.decks.most
        self.cards = [*Card] * decks
        self.random.shuffle(self.cards)
        self.give(commands.LoadShoe(*SUPERVISOR, f"s{self.at_us}", decks))

    def edges(self) -> TableEdges | None:
        live = SimpleNamespace(state=self.evening.table, rules=self.evening.rules)
        start = round_start(cast("Any", live))
        if start is None:
            return None
        (edges,) = solve_starts([start], compiled=False)
        return TableEdges(self.name, start.round, start.shoe, start.drawn, edges, start.first_known)

    def bet(self, box: int, who: str) -> None:
        bet = self.random.choice(("player", "banker", "banker"))
        self.give(commands.PlaceBet(*self.dealer, who, box, bet, self.stake_minor()))
        if self.random.random() < 0.3:
            menu = self.evening.rules.layouts[cast("Any", self.evening.table.settings).layout].menu
            side = self.random.choice([each for each in menu if each not in ("player", "banker")])
            self.give(commands.PlaceBet(*self.dealer, who, box, side, min(self.stake_minor(100_00), 1_000_00)))

    def correct(self) -> None:
        now = self.evening.table.round
        placed = next(iter(now.bets.values()), None) if now is not None else None
        if placed is not None:
            self.give(
                corrections.CorrectBet(*self.dealer, placed.who, placed.box, placed.bet, placed.stake_minor + 25_00)
            )

    def deal(self) -> None:
        evening: Evening = self.evening
        while not evening.rules.coup(" ".join(map(str, cast("Any", evening.table.round).cards))).finished:
            self.later(3)
            step = situation(evening.rules, evening.table).step
            if step is not None and step.automation is Automation.OPEN_INSURANCE:
                self.give(commands.OpenInsurance(*self.dealer))
            self.give(commands.DealCard(*self.dealer, Face(str(self.cards.pop()))))
