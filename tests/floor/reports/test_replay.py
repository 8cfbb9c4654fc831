"""A replay has every step of a round, in order, each with actor, time and clauses."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.streams import heads, read_all
from punto.floor.reports.event_words import describe
from punto.floor.reports.moments import iso_utc
from punto.floor.reports.rounds.replay_round import Replay, find_stream, replay_round
from punto.library import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.space import Winner
from punto.table.records.events import CardSqueezed, Difference, RoundSettled, SettingsChanged, TableOpened
from punto.table.records.findings import InsuranceRejudged
from punto.table.records.settings import Settings
from punto.table.records.state import Table
from tests.floor.goldens import play_golden
from tests.floor.nights import opened, small, troubled
from tests.golden.recordings import DECIDED, golden

pytestmark = pytest.mark.sweep


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A floor with some rounds played."""
    path = tmp_path_factory.mktemp("replay") / "floor.db"
    small(str(path))
    with opened(str(path)) as database:
        yield database


def test_a_round_goes_from_its_call_for_bets_to_the_next(floor: Database) -> None:
    first, second = (replay_round(floor, "t1/1", number) for number in (1, 2))
    assert [step.version for step in first.steps] == list(range(first.steps[0].version, second.steps[0].version))
    for replay in (first, second):
        events = [msgspec.json.decode(step.event)["event"] for step in replay.steps]
        assert events[0] == "betting_opened.1"
        assert events.count("betting_opened.1") == events.count("round_settled.1") == 1
    assert (first.stream, first.book, first.round) == ("t1/1", "commission-insurance", 1)
    assert second.cards_drawn > first.cards_drawn > 0


def test_round_0_is_what_happened_before_the_first_call_for_bets(floor: Database) -> None:
    before, first = (replay_round(floor, "t1/2", number) for number in (0, 1))
    assert [step.version for step in before.steps] == list(range(1, first.steps[0].version))
    assert before.steps[0].words.startswith("table opened")
    assert (before.book, before.round, before.shoe, before.cards_drawn) == ("commission-insurance", 0, None, 0)
    assert (before.record.over, before.record.cards, before.record.bets, before.record.adjustments) == (
        False,
        (),
        (),
        (),
    )


def test_each_step_says_who_when_what_and_by_which_clause(floor: Database) -> None:
    steps = replay_round(floor, "t1/1", 1).steps
    opening, bet = steps[0], steps[1]
    assert (opening.actor, opening.position, opening.words) == ("house", "house", "betting opened: round 1")
    assert opening.clauses == ("3.3",)
    assert (bet.actor, bet.position) == ("ann", "player")
    assert bet.words == "bet placed: who ann, box 1, bet banker, stake 100.01, seated yes, placed by ann"
    assert all(datetime.fromisoformat(step.at).tzinfo for step in steps)
    settled = next(step for step in steps if step.words.startswith("round settled"))
    result = re.fullmatch(r"round settled: (Player wins|Banker wins|Tie) (\d) to (\d)", settled.words)
    assert result is not None
    assert (result[2] == result[3]) == (result[1] == "Tie")
    assert result[2] >= result[3]  # the winner's points come first
    assert len(settled.details) >= 3
    assert all("back" in detail and "(" in detail for detail in settled.details)


def test_cards_come_with_the_hands_and_the_reason_for_each_third(floor: Database) -> None:
    for number in (1, 2, 3):
        for step in replay_round(floor, "t1/1", number).steps:
            if step.words.startswith("card ") and " goes to " in step.words:
                late = int(step.words.split()[1]) > 4
                assert bool(step.details) is late
                assert not late or "draws" in step.details[0]
            elif step.words.startswith("card "):
                assert step.details[0].startswith("Player ")


def test_it_says_who_opened_a_card_and_who_recorded_it() -> None:
    assert describe(Table(), CardSqueezed("ann", 3), ()) == ("ann opens card 3", ())
    assert describe(Table(), CardSqueezed("ann", 3, "dora"), ()) == ("ann opens card 3, recorded by dora", ())


def test_a_settlement_that_is_made_again_says_what_the_dealer_pays_and_collects() -> None:
    differences = (Difference("ann", 1, "banker", 95_00), Difference("ben", 2, "banker_insurance", -20_00, Stage.FOUR))
    settled = RoundSettled(Winner.TIE, 8, 8, (), (), differences=differences, postings=())
    words, details = describe(Table(), settled, ())
    assert words == "round settled: Tie 8 to 8"
    assert details == (
        "ann, box 1, banker: pay 95.00",
        "ben, box 2, banker_insurance (four): collect 20.00",
    )


def test_what_was_rejudged_is_told_in_words() -> None:
    event = InsuranceRejudged((), (Stage.FOUR,), (), ("ben",), (), postings=(), passed={"box 3": Stage.FOUR})
    assert describe(Table(), event, ())[0] == "insurance rejudged: offered four, forgone ben, passed box 3: four"


@pytest.mark.parametrize("changed", [False, True])
def test_a_setting_that_leaves_the_book_says_so(*, changed: bool) -> None:
    def words(settings: Settings) -> str:
        event = SettingsChanged(settings) if changed else TableOpened("tiger-buffalo", settings, "law", postings=())
        return describe(Table(), event, ())[0]

    by_the_book = Settings(layout="A", boxes=7, squeeze_granted=True)
    assert "squeeze granted yes," in words(by_the_book)
    assert "not by the book" not in words(by_the_book)
    left = words(Settings(layout="A", boxes=7, squeeze_granted=True, established_by_staked_bets=True))
    assert "established by staked bets yes (not by the book)," in left
    assert left.count("not by the book") == 1


def test_the_last_opening_is_meant_unless_another_is_named(floor: Database) -> None:
    assert find_stream(floor, "t1").stream == "t1/2"
    assert find_stream(floor, "t1/1").stream == "t1/1"
    assert replay_round(floor, "t1", 1).stream == "t1/2"


@pytest.mark.parametrize(
    ("table", "number", "code"),
    [
        ("t1", 99, FloorCode.UNKNOWN_ROUND),
        ("t1/9", 1, FloorCode.UNKNOWN_TABLE),
        ("none", 1, FloorCode.UNKNOWN_TABLE),
        ("house", 1, FloorCode.UNKNOWN_TABLE),
        ("", 1, FloorCode.UNKNOWN_TABLE),
    ],
)
def test_a_round_that_never_was_is_refused(floor: Database, table: str, number: int, code: FloorCode) -> None:
    with pytest.raises(FloorRefused) as refused:
        replay_round(floor, table, number)
    assert refused.value.code is code


@pytest.mark.parametrize("name", [*DECIDED, "troubled"])
def test_every_kind_of_event_can_be_told(name: str, tmp_path: Path) -> None:
    """Every round of a journal: each entry has a description and only clauses of the book."""
    url = str(tmp_path / "floor.db")
    if name == "troubled":
        troubled(url)
    else:
        play_golden(url, name)
    rules, told = book("commission-insurance" if name == "troubled" else golden(name).book), 0
    with opened(url) as database:
        for replay in _all(database):
            for step in replay.steps:
                assert step.words
                assert "=" not in step.words
                assert "None" not in step.words
                assert set(step.clauses) <= rules.clauses.keys()
                told += 1
    assert told > 50


def _all(database: Database) -> Iterator[Replay]:
    for opening in database.reading(heads).result().values():
        if opening.stream != HOUSE:
            called = [entry for entry in read_all(database, opening) if '"betting_opened.1"' in entry.event]
            yield from (replay_round(database, opening.stream, number) for number in range(1, len(called) + 1))


def test_moments_are_exact_to_the_microsecond() -> None:
    assert iso_utc(1_700_000_000_000_001) == "2023-11-14T22:13:20.000001+00:00"
    assert iso_utc(1_700_000_000_000_000) == "2023-11-14T22:13:20.000000+00:00"
