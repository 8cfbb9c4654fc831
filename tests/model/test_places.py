"""People come to places, leave them and change them at random. Chips and bets stay with the person."""

from collections import Counter
from functools import partial
from itertools import count

import pytest

from punto import book
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import evolve
from punto.table.decision import Decision
from punto.table.records import commands, correction_events, events, findings
from punto.table.records.commands import Command
from punto.table.records.events import Event, MoneyEvent
from punto.table.records.identity import Place, player_number
from punto.table.records.kinds import Effect
from punto.table.records.ledger import chip_changes
from punto.table.records.state import Table
from punto.table.refusals import TableCode
from tests.marks import books
from tests.model import choices, walk
from tests.model.choices import IDS, Choices, Seeded
from tests.model.evening import Evening
from tests.model.seeds import for_some_seeds
from tests.model.walk import DEALER, SUPERVISOR

pytestmark = pytest.mark.sweep

PLACES = ("box 1", "box 2", "behind box 1", "behind box 1/2")

OF_A_ROUND = (
    events.BetWithdrawn,
    events.BetRejected,
    events.RoundSettled,
    findings.OptionChosen,
    findings.RoundVoided,
    findings.SettlementReversed,
    findings.UninsuredBetReturned,
)
"""Events that pay or take what belongs to the bets of the round."""


class Persons:
    """Who is behind each name, by number, and what each of them has: worked out from the events alone."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.person: dict[str, int] = {}
        """The last person who went by a name."""
        self.here: set[str] = set()
        """Names whose person has not left."""
        self.bettor: dict[str, int] = {}
        """By name, who bet in the round."""
        self.has: Counter[int] = Counter()

    def record(self, before: Table, event: Event) -> None:
        match event:
            case events.TableOpened():
                self.__init__()  # type: ignore[misc]
                for who in chip_changes(event.postings):
                    self.person[who] = next(self._numbers)
                    if Place.find(who) is None:
                        self.here.add(who)
            case events.BettingOpened():
                self.bettor = {}
            case events.ChipsBought() | events.PlayerSat() | events.PlayerStood():
                self._arrive(before, event.who)
            case correction_events.BetCorrected() if event.who in self.bettor:
                pass  # of somebody who may have left since
            case events.BetPlaced() | correction_events.BetCorrected():
                self._arrive(before, event.who)
                assert self.bettor.setdefault(event.who, self.person[event.who]) == self.person[event.who]
            case events.PlayerIdentified():
                self._rename(event.who, event.player_id)
                if event.left:
                    self.here.discard(event.player_id)
                return  # the chips are the same person's
            case _:
                pass
        if isinstance(event, MoneyEvent):
            self._pay(event)
        if isinstance(event, events.PlayerLeft) and Place.find(event.who):
            self.here.discard(event.who)

    def _arrive(self, before: Table, who: str) -> None:
        """Somebody new finds nothing at the place, neither chips nor a debt."""
        gone = Place.find(who) is not None and who not in before.people
        if who not in self.here or gone:
            assert Place.find(who) is None or before.chips_minor(who) == 0
            self.person[who] = next(self._numbers)
            self.here.add(who)

    def _pay(self, event: MoneyEvent) -> None:
        for who, amount_minor in chip_changes(event.postings).items():
            if isinstance(event, OF_A_ROUND) or (isinstance(event, findings.Ruled) and event.effect is Effect.RETURN):
                assert self.bettor[who] == self.person[who], "the one who bet"
            self.has[self.person.setdefault(who, next(self._numbers))] += amount_minor

    def _rename(self, who: str, name: str) -> None:
        """Somebody who is already here under the id is the same person."""
        old = self.person.pop(who)  # what comes to the old place later is nobody's yet
        self.person[name] = self.person.get(name, 0) if name in self.here else old
        self.here.discard(who)
        self.here.add(name)
        if old != self.person[name]:
            self.has[self.person[name]] += self.has.pop(old, 0)
        if self.bettor.pop(who, None) is not None:
            self.bettor[name] = self.person[name]


class Observed(Evening):
    def __init__(self, rules: Rulebook) -> None:
        super().__init__(rules)
        self.persons = Persons()
        self.not_free = Counter[str]()
        """How often a place was not free, by reason."""
        self.made_way = 0
        """How often somebody who had left made way for somebody new."""

    def do(self, command: Command) -> Decision:
        before = self.table
        decision = super().do(command)
        if isinstance(decision, Refusal):
            self.not_free[decision.variant] += decision.code is TableCode.CHIPS_LEFT_HERE
            return decision
        for event in decision:
            self.made_way += isinstance(event, events.PlayerIdentified) and event.left
            self.persons.record(before, event)
            before = evolve(before, event)
        for who in self.table.people:
            assert self.table.chips_minor(who) == self.persons.has[self.persons.person[who]], who
        return decision


def _comes(evening: Evening, some: Choices) -> None:
    who = some.pick(PLACES)
    place = Place.find(who)
    assert place is not None
    evening.do(commands.BuyIn(*DEALER, who, some.pick((100, 1000, 20_000))))
    evening.do((commands.StandBehind if place.behind else commands.Sit)(*DEALER, who, place.box))


def _goes(evening: Evening, some: Choices) -> None:
    """Leave, and sometimes cash out."""
    who = some.pick(PLACES)
    evening.do(commands.Leave(*DEALER, who))
    if some.chance(2):
        evening.do(commands.CashOut(*SUPERVISOR, who, max(evening.table.chips_minor(who), 1)))


def _is_somebody(evening: Evening, some: Choices) -> None:
    people = sorted(who for who in evening.table.people if player_number(who) is None)
    if people:
        evening.do(commands.IdentifyPlayer(*DEALER, some.pick(people), some.pick((*IDS, *PLACES, *PLACES))))


MOVES = (*walk.MOVES, _comes, _comes, _comes, _goes, _goes, _is_somebody)


def _play(rules: Rulebook, seed: int, moves: int = 60) -> Observed:
    evening, some = Observed(rules), Choices(rules, Seeded(seed))
    walk.open_with_people(evening, some)
    for _ in range(moves):
        some.pick(MOVES)(evening, some)
        evening.check()
    return evening


@pytest.fixture(autouse=True)
def _places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody goes by a place."""
    for module in (choices, walk):
        monkeypatch.setattr(module, "PEOPLE", PLACES)


@pytest.mark.parametrize("rules", books())
def test_nobody_gets_what_somebody_else_left(rules: Rulebook) -> None:
    for_some_seeds(partial(_play, rules))


def test_the_runs_leave_chips_behind() -> None:
    refused, made_way = Counter[str](), 0
    for seed in range(23, 33):
        evening = _play(book("commission-insurance"), seed)
        refused += evening.not_free
        made_way += evening.made_way
    assert refused["chips"] + refused["held"] > 20
    assert made_way > 0
