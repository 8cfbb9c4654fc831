"""Every golden session, played again command by command and event by event."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from punto import book as read_book
from punto import book_ids
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, evolve, next_step
from punto.table.records.chips import SlipReceived, SlipSent, TrayCounted
from punto.table.records.commands import BurnCards, Command, DealCard, LoadShoe, OpenTable, TurnCard
from punto.table.records.correction_events import PaymentCorrected
from punto.table.records.events import (
    BettingOpened,
    ChipsBought,
    ChipsCashed,
    Event,
    MoneyEvent,
    OrderRevealed,
    PlayerIdentified,
    PlayerLeft,
    RoundSettled,
    TableClosed,
    TableOpened,
)
from punto.table.records.findings import RoundVoided, Ruled, SettlementReversed, UninsuredBetReturned
from punto.table.records.ledger import BANK, BROUGHT, CAGE, FELT, FLOAT, MISPAID, ROUNDING, UNEXPLAINED, VOUCHERS, chips
from punto.table.records.positions import Position
from punto.table.records.reports import ExchangeShoe, ReportInterruption, ReportRestart
from punto.table.records.state import Phase, Table
from punto.table.vocabulary import AnyCommand, AnyEvent
from tests.golden import write
from tests.golden.evening import (
    FOLDER,
    FORMAT,
    Evening,
    Step,
    encode,
    read_asked,
    read_evening,
    read_event,
    tell_refusal,
    tell_state,
    told_of,
)
from tests.golden.recordings import ALL, DECIDED, DECIDED_OTHERWISE, LIST, NEWEST, golden, list_line, recordings
from tests.golden.script import STATE_AFTER, ScriptFails, annotated, play, words_of
from tests.golden.words import NotUnderstood, read_command

IRREGULAR = tuple(kind for kind in get_args(AnyCommand) if kind.__module__ == ReportInterruption.__module__)

EVENINGS = pytest.mark.parametrize("name", ALL)
AS_DECIDED = pytest.mark.parametrize("name", DECIDED)

Replayed = Iterator[tuple[Step, Table, tuple[Event, ...], Table]]
"""A step, the table before it, its events, the table after it."""
EITHER_WAY = (BANK, BROUGHT, CAGE, FLOAT, MISPAID, ROUNDING, UNEXPLAINED, VOUCHERS)


def _by_events(book: Rulebook, evening: Evening) -> Replayed:
    """The events of the file alone: nothing is judged."""
    table = Table()
    for step in evening.steps:
        before, events = table, tuple(read_event(book, text) for text in step.events)
        for event in events:
            table = evolve(table, event)
        yield step, before, events, table


@AS_DECIDED
def test_commands_are_decided_as_they_were(name: str) -> None:
    """Event by event, and the table stands as the file has it; an event may have gained fields since."""
    _require_decided_alike(name)


@pytest.mark.parametrize("name", sorted(DECIDED_OTHERWISE))
def test_only_files_that_are_decided_otherwise_are_named_so(name: str) -> None:
    with pytest.raises(AssertionError):
        _require_decided_alike(name)


def _require_decided_alike(name: str) -> None:
    evening = golden(name)
    book = read_book(evening.book)
    for step, before, events, after in _by_events(book, evening):
        command = read_asked(step.asked)
        assert read_command(step.words, evening.staff) == command
        table, decision = before, decide(book, before, command)
        if isinstance(decision, Refusal):
            assert (tell_refusal(decision), step.events) == (step.refused, ()), step.words
            continue
        assert step.refused is None, step.words
        assert [type(event) for event in decision] == [type(event) for event in events], step.words
        for event, text in zip(decision, step.events, strict=True):
            _require_within(text, encode(event))
            table = evolve(table, event)
        assert (table.balances, tell_state(table)) == (after.balances, tell_state(after)), step.words
        if decision == events:
            assert table == after


@EVENINGS
def test_events_alone_give_the_states(name: str) -> None:
    evening = golden(name)
    table = Table()
    for step, _, events, table in _by_events(read_book(evening.book), evening):
        assert step.told == told_of(events)
        if any(isinstance(event, STATE_AFTER) for event in events):
            assert step.state, f"{step.words}: the file does not say how the table stands"
        if step.state:
            assert step.state == tell_state(table), step.words
    assert table.phase is Phase.CLOSED


@EVENINGS
def test_what_is_written_is_still_encoded_so(name: str) -> None:
    """Records may gain fields; those that the file has keep their names and values."""
    evening = golden(name)
    book = read_book(evening.book)
    for step in evening.steps:
        _require_within(step.asked, encode(read_asked(step.asked)))
        for text in step.events:
            _require_within(text, encode(read_event(book, text)))


def _require_within(written: str, encoded: str) -> None:
    def within(old: Any, new: Any) -> bool:
        if isinstance(old, dict) and isinstance(new, dict):
            return all(key in new and within(value, new[key]) for key, value in old.items())
        if isinstance(old, list) and isinstance(new, list):
            return len(old) == len(new) and all(map(within, old, new))
        return type(old) is type(new) and bool(old == new)

    assert within(msgspec.json.decode(written), msgspec.json.decode(encoded)), written


@EVENINGS
def test_money_is_conserved(name: str) -> None:
    evening = golden(name)
    for step, before, events, after in _by_events(read_book(evening.book), evening):
        assert sum(after.balances.values()) == 0
        for event in events:
            if isinstance(event, MoneyEvent):
                assert sum(posting.amount_minor for posting in event.postings) == 0
            if isinstance(event, TableClosed):
                assert event.balances == before.balances
        may_owe = any(isinstance(event, SettlementReversed | TableOpened) for event in events)
        for account, minor in after.balances.items():
            if account not in EITHER_WAY and not may_owe:
                assert minor > 0 or minor >= before.balances.get(account, 0), step.words
        now = after.round
        on_felt = 0
        if now is not None and not now.over:
            on_felt = sum(placed.stake_minor for placed in now.bets.values())
            on_felt += sum(covered.stake_minor for covered in now.insurance.cover)
        assert after.balances.get(FELT, 0) == on_felt


_NOT_OF_THE_ROUND = (ChipsBought, ChipsCashed, PlayerLeft, SlipSent, SlipReceived, TrayCounted)
_WORKED_OUT = (RoundSettled, RoundVoided, UninsuredBetReturned, Ruled, PaymentCorrected)
"""After these the file may say what the round has changed."""


@EVENINGS
def test_rounds_come_out_as_worked_out_by_hand(name: str) -> None:
    evening = golden(name)
    changed: Counter[str] = Counter()
    checked = rounds = 0
    for step, _, events, _ in _by_events(read_book(evening.book), evening):
        for event in events:
            if isinstance(event, BettingOpened):
                changed.clear()
                rounds += 1
            if isinstance(event, PlayerIdentified):
                changed[chips(event.player_id)] += changed.pop(chips(event.who), 0)
            elif isinstance(event, MoneyEvent) and not isinstance(event, _NOT_OF_THE_ROUND):
                for posting in event.postings:
                    changed[posting.account] += posting.amount_minor
        if step.by_hand is not None:
            assert any(isinstance(event, _WORKED_OUT) for event in events), "when a round is over only"
            by_hand = {**step.by_hand, FLOAT: -sum(step.by_hand.values())}
            assert +changed == +Counter(by_hand), step.words
            assert -changed == -Counter(by_hand), step.words
            checked += 1
    assert rounds >= 8
    assert checked >= 3


@EVENINGS
def test_balances_are_carried_over(name: str) -> None:
    evening = golden(name)
    closed: dict[str, int] | None = None
    reopened = 0
    for step, _, events, after in _by_events(read_book(evening.book), evening):
        command = read_asked(step.asked)
        for event in events:
            if isinstance(event, TableClosed):
                closed = event.balances
        if isinstance(command, OpenTable) and events and closed is not None:
            more = {FLOAT: command.float_minor, BANK: -command.float_minor}
            expected = {account: minor + more.get(account, 0) for account, minor in closed.items()}
            assert after.balances == expected
            reopened += 1
    assert reopened


_NO_STEPS = (ReportInterruption, ReportRestart, ExchangeShoe, LoadShoe)
"""The house gives these when a floor starts again or was restored, not as a step of the game."""


@AS_DECIDED
def test_the_house_takes_the_steps_that_the_table_names(name: str) -> None:
    evening = golden(name)
    book = read_book(evening.book)
    for step, before, _, _ in _by_events(book, evening):
        command = read_asked(step.asked)
        given = command.position is Position.HOUSE and step.refused is None
        if given and not isinstance(command, _NO_STEPS):
            named = next_step(book, before)
            assert named is not None, step.words
            card = command.card if isinstance(command, DealCard | TurnCard | BurnCards) else None
            assert named.needs_card == (card is not None)
            assert named.command(card) == msgspec.structs.replace(command, by="house")


@AS_DECIDED
def test_the_script_makes_the_evening(name: str) -> None:
    script = (FOLDER / f"{name}.script").read_text(encoding="utf-8")
    assert words_of(script) == [step.words for step in golden(name).steps]
    made = read_evening(play(script))
    for old, new in zip(golden(name).steps, made.steps, strict=True):
        assert (old.told, old.refused, old.state, old.by_hand) == (new.told, new.refused, new.state, new.by_hand)


def test_every_book_has_an_evening() -> None:
    assert {name.partition("/")[0]: golden(name).book for name in ALL} == {each: each for each in book_ids()}


def test_every_bet_of_every_layout_used_is_won_and_lost_and_tied() -> None:
    """Insurance too, where the book has it."""
    for game in book_ids():
        results: set[tuple[str, str]] = set()
        menus: set[str] = set()
        book = read_book(game)
        for evening in (evening for evening in map(golden, NEWEST) if evening.book == game):
            for step, _, events, table in _by_events(book, evening):
                del step
                if table.settings is not None:
                    menus |= set(book.layouts[table.settings.layout].menu)
                for event in events:
                    if isinstance(event, RoundSettled):
                        results |= {(result.bet, str(result.result)) for result in event.results}
        wanted = {(bet, result) for bet in menus for result in ("win", "lose")}
        wanted |= {(bet, "push") for bet in ("player", "banker")}
        if book.insurance is not None:
            wanted |= {(f"{side}_insurance", str(result)) for side in Side for result in Result}
        assert not wanted - results, f"{game}: {sorted(wanted - results)}"


def test_every_kind_of_command_and_event_is_in_some_evening() -> None:
    """And every kind of command is refused in some session, except those named here.

    The floor itself writes what it reveals of a virtual machine: no command leads to it.
    """
    accepted, refused, happened = set[type[Command]](), set[type[Command]](), set[type[Event]]()
    for evening in map(golden, NEWEST):
        for step, _, events, _ in _by_events(read_book(evening.book), evening):
            (refused if step.refused else accepted).add(type(read_asked(step.asked)))
            happened |= {type(event) for event in events}
    assert set(get_args(AnyCommand)) - accepted == set()
    assert set(get_args(AnyEvent)) - happened == {OrderRevealed}
    never_refused = {kind.__name__ for kind in set(get_args(AnyCommand)) - refused}
    assert never_refused <= {"BuyIn", "StandBehind", "RefuseSqueeze", "CloseInsurance"}


def test_all_that_a_book_provides_for_goes_wrong_in_some_evening_of_it() -> None:
    """Every report, choice and ruling that the book has a clause on, or that needs none."""
    for game in book_ids():
        book = read_book(game)
        evenings = [evening for evening in map(golden, NEWEST) if evening.book == game]
        given = {type(read_asked(step.asked)) for evening in evenings for step in evening.steps if not step.refused}
        provided = {kind for kind in IRREGULAR if kind.topic is None or book.topics[kind.topic]}
        assert provided - given == set(), game


@pytest.mark.parametrize(
    "line",
    [
        "ann sings",
        "ann bets 100 on player",
        "ann bets 100 at player on 1",
        "ann bets ten on player at 1",
        "ann bets 100 on player at 1 please",
        "dan deals 5x",
        "dan opens the table layout=A boxes=7 colour=red",
        "dan opens the table boxes=7",
        "dan opens the table layout=A boxes=seven",
        "sue reports 5x in excess",
        "sue reports 5h in excess to ann",
        "sue reports cards on the wrong side",
        "sue reports place three face up as 5h",
        "sue dismisses it because",
        "sue takes the bets back for",
        "sue rules ann 50 because it is hers",
        "sue rules back banker of ann because it is hers",
        "dan refuses a late withdrawal of 50 on banker at 1 by ann",
        "dan opens the table layout=A boxes=7 taken_off.red=lost",
        "dan corrects draw 3 of red to 5x",
        "dan corrects draw three of red to 5h",
        "dan corrects banker at 1 of ann to nothing",
        "dan corrects insurance after five cards of ann at 1 to 50",
        "dan corrects the choice of ann to sing",
        "house reports a restart from 100 s",
        "house exchanges the shoe for blue",
        "dan confirms the bets of ann",
        "dan bets as before on banker at 1 for ann",
    ],
)
def test_words_are_read_strictly(line: str) -> None:
    with pytest.raises(NotUnderstood):
        read_command(line, {})


@pytest.mark.parametrize("line", ["  evnt {}", "hello", "  = ready\nbye"])
def test_a_golden_file_is_read_strictly(line: str) -> None:
    with pytest.raises(ValueError, match="no known kind"):
        read_evening(f"{FORMAT}\nbook: commission\nstaff: dan dealer\n> dan settles\n{line}\n")


def test_what_was_recorded_stays() -> None:
    """The list names every recording with the hash of its events: lines are added to it, and none is changed."""
    listed = (FOLDER / LIST).read_text(encoding="utf-8").splitlines()
    assert sorted(listed) == sorted(list_line(name, golden(name)) for name in recordings())
    assert set(ALL) == set(recordings())


def _texts(ending: str) -> dict[str, str]:
    files = FOLDER.glob(f"*/*.{ending}")
    return {f"{path.parent.name}/{path.stem}": path.read_text(encoding="utf-8") for path in files}


def test_what_people_read_is_what_was_recorded() -> None:
    """A whole recording of each book, and every script with the figures of its recording."""
    shown, scripts = _texts("golden"), _texts("script")
    assert {golden(name).book for name in shown} == set(book_ids())
    assert shown == {name: recordings()[name] for name in shown}
    assert set(scripts) == set(NEWEST)
    assert scripts == {name: annotated(script, golden(name)) for name, script in scripts.items()}


def test_a_recording_is_made_once_and_its_figures_are_written_into_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "FOLDER", tmp_path)
    script = "book: commission\nstaff: sue pit_supervisor\nsue opens the table layout=A boxes=9\nsue closes the table\n"
    (tmp_path / "short.script").write_text(script)
    write.main("short")
    made = read_evening(recordings(tmp_path)["short"])
    assert [step.words for step in made.steps] == words_of(script)
    assert (tmp_path / LIST).read_text() == f"{list_line('short', made)}\n"
    assert (tmp_path / "short.script").read_text() == script.replace("boxes=9\n", "boxes=9\n  money: none\n")
    with pytest.raises(SystemExit, match="never edited"):
        write.main("short")
    (tmp_path / "longer.script").write_text(script)
    write.main("longer")
    assert recordings(tmp_path).keys() == {"short", "longer"}


def test_the_writer_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "FOLDER", tmp_path)
    with pytest.raises(SystemExit, match="there is no"):
        write.main("none")
    (tmp_path / "odd.script").write_text("book: commission\nstaff: sue pit_supervisor\nsue sings\n")
    with pytest.raises(SystemExit, match="'sue sings': expected somebody"):
        write.main("odd")
    assert recordings(tmp_path) == {}


def test_a_script_that_comes_out_otherwise_fails() -> None:
    start = "book: commission\nstaff: sue pit_supervisor\n"
    with pytest.raises(ScriptFails, match="was refused: table_closed"):
        play(f"{start}sue closes the table\n")
    with pytest.raises(ScriptFails, match="was accepted"):
        play(f"{start}sue opens the table layout=A boxes=9 -- table_open\n")
    with pytest.raises(ScriptFails, match="ends with the table closed"):
        play(f"{start}sue opens the table layout=A boxes=9\n")
