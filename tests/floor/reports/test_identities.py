"""Reports count what a player did before they were identified for their id, and nobody else's."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from punto.floor.audit.verify import verify
from punto.floor.journal.entry import Entry, event_of
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.streams import heads, read_all
from punto.floor.reports.export import What, all_records, export_rows
from punto.floor.reports.identities import Identities
from punto.floor.reports.player_report import ReportLine, by_player
from punto.floor.reports.records import Ruling, records
from punto.floor.reports.rounds.replay_round import replay_round
from punto.floor.settings.gaming_day import Period
from punto.library import book_ids
from punto.table import evolve
from punto.table.records.events import MoneyEvent, PlayerIdentified, TableClosed, TableOpened
from punto.table.records.ledger import chip_changes
from punto.table.records.state import Table, stakes
from tests.floor.goldens import TABLE
from tests.floor.identified_places import ANN, BEN, FIRST, FOURTH, SECOND, SEVENTH, SIXTH, identified
from tests.floor.journals import random_history
from tests.floor.ledger import carried_in
from tests.floor.nights import opened
from tests.floor.reports.test_player_report import flat

pytestmark = pytest.mark.sweep


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = str(tmp_path_factory.mktemp("identified") / "floor.db")
    identified(url)
    return url


def _lines(url: str, opening: int | None = None) -> dict[str, ReportLine]:
    with opened(url) as database:
        selected = [
            record
            for record in all_records(database, Period())
            if opening is None or record.stream == f"{TABLE}/{opening}"
        ]
    return {line.name: line for line in by_player(selected, flat)}


def _played(line: ReportLine) -> tuple[int, int, int, int]:
    return line.rounds, line.bets, line.turnover_minor, line.win_minor


def test_three_people_at_one_place_have_a_line_each(floor: str) -> None:
    lines = _lines(floor)
    assert _played(lines[FIRST]) == (2, 2, 90_00, 10_00)  # 50.00 lost at the place, 40.00 won under the id
    assert (lines[FIRST].adjusted_minor, lines[FIRST].bought_minor, lines[FIRST].cashed_minor) == (
        7_00,
        1_000_00,
        997_00,
    )
    assert _played(lines["box 3"]) == (1, 1, 5_00, 5_00)  # the one whom nobody identified
    assert (lines["box 3"].bought_minor, lines["box 3"].cashed_minor) == (500_00, 495_00)
    assert _played(lines[SECOND]) == (1, 1, 60_00, 60_00)
    assert (lines[SECOND].bought_minor, lines[SECOND].cashed_minor) == (800_00, 0)


def test_a_name_and_a_place_of_one_player_add_up(floor: str) -> None:
    lines = _lines(floor, opening=1)
    assert _played(lines[ANN]) == (1, 2, 95_00, 95_00)  # a void round and a settled one
    assert lines[ANN].bought_minor == 100_300_00
    assert {"ann", "behind box 1", "behind box 2"}.isdisjoint(lines)
    assert lines[FOURTH].adjusted_minor == 3


def test_other_openings_keep_the_name(floor: str) -> None:
    first, second = _lines(floor, opening=1), _lines(floor, opening=2)
    assert (_played(first["ben"]), BEN in first) == ((1, 1, 10_00, -10_00), False)
    assert (_played(second[BEN]), "ben" in second) == ((1, 1, 20_00, -20_00), False)
    assert (second[BEN].adjusted_minor, second[BEN].bought_minor) == (1_02, 100_000_00)
    assert (second["ann"].bought_minor, ANN in second) == (100_000_00, False)


def test_somebody_who_changed_places_has_one_line(floor: str) -> None:
    lines = _lines(floor, opening=1)
    assert _played(lines[SIXTH]) == (2, 2, 50_00, 10_00)  # 30.00 lost at box 4, 20.00 won at box 6
    assert lines[SIXTH].bought_minor == 400_00
    assert {"box 6", "behind box 6"}.isdisjoint(lines)


def test_what_somebody_left_is_theirs_in_the_next_opening(floor: str) -> None:
    first, second = _lines(floor, opening=1), _lines(floor, opening=2)
    assert _played(first["box 4"]) == (1, 1, 80_00, -80_00)
    assert (first["box 4"].bought_minor, SEVENTH in first) == (600_00, False)
    assert second["box 4"].bought_minor == 70_00  # the next one there
    with opened(floor) as database:
        entries = [event_of(entry) for entry in read_all(database, database.reading(heads).result()[f"{TABLE}/2"])]
    state = Table()
    for event in entries:
        state = evolve(state, event)
    assert (state.chips_minor(SEVENTH), state.chips_minor("box 4")) == (680_00, 70_00)


def test_a_floor_with_identified_players_is_sound(floor: str) -> None:
    with opened(floor) as database:
        seen = verify(database)
    assert seen.faults == []
    assert seen.judged_again == seen.commands > 0


def test_bets_are_exported_under_the_id_and_rulings_under_the_name(floor: str) -> None:
    with opened(floor) as database:
        columns, rows = export_rows(database, What.BETS, Period(), flat)
        at = [name for name, _ in columns].index("who")
        who = [row[at] for row in rows]
        rulings = [record for record in all_records(database, Period()) if isinstance(record, Ruling)]
    assert who == [FIRST, "ben", FIRST, "box 3", SECOND, ANN, ANN, ANN, ANN, SIXTH, SIXTH, SIXTH, "box 4", BEN]
    assert rulings[0].moved_minor == {"box 3": 7_00}


def test_a_replay_shows_the_identification_and_the_names_of_the_time(floor: str) -> None:
    with opened(floor) as database:
        first, second = (replay_round(database, f"{TABLE}/1", number) for number in (1, 2))
    assert {bet.who for bet in first.record.bets} == {"box 3", "ben"}
    assert {bet.who for bet in second.record.bets} == {FIRST}
    words = [step.words for step in second.steps]
    assert f"player identified: who box 3, player id {FIRST}" in words


# ---- whatever happens


@pytest.fixture(params=["identified", *(pytest.param(game, marks=pytest.mark.sweep) for game in book_ids())])
def histories(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    url = str(tmp_path / "floor.db")
    if request.param == "identified":
        identified(url)
    else:
        random_history(url, request.param)
    return url


def test_every_account_is_what_it_was_and_what_the_report_says(histories: str) -> None:
    identifications = 0
    with opened(histories) as database:
        for name, head in database.reading(heads).result().items():
            if name == HOUSE:
                continue
            read = partial(read_all, database, head)
            lines = {line.name: line for line in by_player(records(read), flat)}
            expected, held, found = _accounts(read(), Identities(read), lines)
            identifications += found
            assert expected == held, name
    assert identifications > 0


def _accounts(
    entries: Iterator[Entry], identities: Identities, lines: dict[str, ReportLine]
) -> tuple[dict[str, int], dict[str, int], int]:
    """Chips and stakes at the end by the report, the same by the table, and how many were identified."""
    state, identified_now = Table(), 0
    expected = dict.fromkeys(lines, 0)
    for entry in entries:
        event = event_of(entry)
        if isinstance(event, TableOpened):
            for who, amount in chip_changes(event.postings).items():
                player = identities.find(who, 1)
                expected[player] = expected.get(player, 0) + amount
        elif isinstance(event, MoneyEvent) and (carried := carried_in(event)):
            player = identities.find(getattr(event, "who", ""), entry.version)
            expected[player] = expected.get(player, 0) + carried
        identified_now += isinstance(event, PlayerIdentified)
        if not isinstance(event, TableClosed):
            state = evolve(state, event)
    for who, line in lines.items():
        expected[who] += line.bought_minor - line.cashed_minor - line.actual_minor
    held = {who: state.chips_minor(who) for who in state.people}
    for who, stake in stakes(state.round) if state.round is not None and not state.round.over else ():
        held[who] = held.get(who, 0) + stake
    return _without_zero(expected), _without_zero(held), identified_now


def _without_zero(amounts: dict[str, int]) -> dict[str, int]:
    return {who: amount for who, amount in amounts.items() if amount}
