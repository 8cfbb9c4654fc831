"""Reports agree with the ledger to the cent, whatever went wrong at the table."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from punto.floor.audit.verify import verify
from punto.floor.chips.day_ledger import PaymentKind
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.streams import heads, read_all
from punto.floor.reports.export import all_records
from punto.floor.reports.identities import Identities
from punto.floor.reports.player_report import ReportLine, by_player, by_table
from punto.floor.reports.records import Payment, Record, Ruling
from punto.floor.reports.theoretical_win import Edges
from punto.floor.settings.gaming_day import Period
from punto.library import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.table import evolve
from punto.table.records import correction_events, findings
from punto.table.records.events import (
    BetFlagged,
    InsuranceFlagged,
    InsuranceMissed,
    LimitFlagged,
    MinimumAdvised,
    MoneyEvent,
    TableClosed,
    TableOpened,
)
from punto.table.records.ledger import CAGE, COMMISSION, FLOAT, MISPAID, ROUNDING, UNEXPLAINED, VOUCHERS, chips
from punto.table.records.state import Table
from tests.floor.goldens import TABLE, play_golden
from tests.floor.ledger import carried_in, settled_again
from tests.floor.nights import DORA, SID, SUE, Night, night, opened, small, troubled
from tests.golden.recordings import DECIDED

pytestmark = pytest.mark.sweep
VOID, RETURNED = "void", "returned"
POINTED_OUT = (BetFlagged, InsuranceFlagged, InsuranceMissed, LimitFlagged, MinimumAdvised)
"""Findings that do not stop the round."""


@pytest.fixture(scope="module", params=[*DECIDED, "troubled"])
def golden(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A floor with a golden journal, or one where everything went wrong."""
    path = str(tmp_path_factory.mktemp("golden") / "floor.db")
    if request.param == "troubled":
        troubled(path)
    else:
        play_golden(path, request.param)
    return path


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A floor with a virtual and a manual table, with two openings."""
    path = tmp_path_factory.mktemp("plain") / "floor.db"
    small(str(path))
    return str(path)


def flat(_: str, __: int) -> Edges:
    """An edge of 1% on everything: not a real game, but easy to add up."""
    hundredth = Fraction(1, 100)
    cells = {(stage, side, p, b): hundredth for stage in Stage for side in Side for p in range(10) for b in range(10)}
    return Edges({bet: hundredth for game in _BOOKS for bet in book(game).bets}, cells)


_BOOKS = ("commission", "commission-insurance", "super-six-plus", "da-hu-ying-xiong", "tiger-buffalo")


def _records(url: str) -> list[Record]:
    with opened(url) as database:
        return list(all_records(database, Period()))


class _Opening:
    """One opening of a table, from its events alone."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self.events = [read_event(entry.event) for entry in entries]
        self.state = Table()
        for event in self.events:
            if not isinstance(event, TableClosed):
                self.state = evolve(self.state, event)

    @property
    def began(self) -> dict[str, int]:
        first = self.events[0]
        assert isinstance(first, TableOpened)
        return {posting.account: posting.amount_minor for posting in first.postings}

    @property
    def on_the_felt(self) -> dict[str, int]:
        held: dict[str, int] = defaultdict(int)
        now = self.state.round
        if now is not None and not now.over:
            stakes = [(placed.who, placed.stake_minor) for placed in now.bets.values()]
            stakes += [(covered.who, covered.stake_minor) for covered in now.insurance.cover]
            for who, stake_minor in stakes:
                held[who] += stake_minor
        return held

    @property
    def carried_in(self) -> Counter[str]:
        """What each player brought to a felt table less what they took away."""
        identities, carried = Identities(partial(iter, self.entries)), Counter[str]()
        for entry, event in zip(self.entries, self.events, strict=True):
            if isinstance(event, MoneyEvent) and not isinstance(event, TableOpened) and (minor := carried_in(event)):
                carried[identities.find(getattr(event, "who", ""), entry.version)] += minor
        return carried

    def posted_minor(self, *accounts: str) -> int:
        """The sum of all postings to these accounts."""
        return sum(
            posting.amount_minor
            for event in self.events
            if isinstance(event, MoneyEvent) and not isinstance(event, TableOpened)
            for posting in event.postings
            if posting.account in accounts
        )


def _openings(url: str) -> Iterator[tuple[str, _Opening]]:
    with opened(url) as database:
        for name, head in database.reading(heads).result().items():
            if name != HOUSE:
                yield name, _Opening(list(read_all(database, head)))


def _agree(url: str) -> int:
    """Every account of every opening equals its start plus the records. Return the number of players."""
    records, players = _records(url), 0
    for stream, opening in _openings(url):
        mine = [record for record in records if record.stream == stream]
        lines, carried = {line.name: line for line in by_player(mine, flat)}, opening.carried_in
        people = {
            account.removeprefix(chips("")) for account in opening.state.balances if account.startswith(chips(""))
        }
        for who in people | lines.keys():
            line = lines.get(who, ReportLine(who, ""))
            paid_minor = line.bought_minor + line.vouchers_minor - line.cashed_minor - line.actual_minor
            held_minor = opening.began.get(chips(who), 0) + paid_minor + carried[who] - opening.on_the_felt[who]
            assert opening.state.chips_minor(who) == held_minor, (stream, who)
            players += 1
        (table,) = by_table(mine, flat) or [ReportLine("", "")]
        house_minor = table.actual_minor - table.bought_minor + table.cashed_minor
        from_outside = (CAGE, UNEXPLAINED)  # what came from there or went there is no win
        won_minor = opening.posted_minor(FLOAT, COMMISSION, ROUNDING, MISPAID, *from_outside)
        assert won_minor == house_minor, stream
        ends = {COMMISSION: table.commission_minor, ROUNDING: -table.rounded_minor, VOUCHERS: -table.vouchers_minor}
        for account, minor in ends.items():
            kept = opening.state.balances.get(account, 0) - opening.began.get(account, 0)
            assert minor == kept, (stream, account)
    return players


def test_reports_agree_with_the_ledger_after_everything_that_can_happen(golden: str) -> None:
    assert _agree(golden) > 0


def test_reports_agree_with_the_ledger_of_a_floor(plain: str) -> None:
    assert _agree(plain) == 6


def test_what_was_played_at_a_golden_evening_is_sound(golden: str) -> None:
    """Every command is decided again."""
    with opened(golden) as database:
        seen = verify(database)
    assert seen.faults == []
    assert seen.judged_again == seen.commands > 0


def test_players_and_tables_add_up_to_the_same(golden: str) -> None:
    records = _records(golden)
    players, tables = by_player(records, flat), by_table(records, flat)
    for name in ("bets", "turnover_minor", "theoretical", "win_minor", "actual_minor", "bought_minor", "cashed_minor"):
        assert sum(getattr(line, name) for line in players) == sum(getattr(line, name) for line in tables), name


def test_every_round_is_written_down_once_and_void_ones_win_nothing(golden: str) -> None:
    rounds = [record for record in _records(golden) if isinstance(record, RoundRecord)]
    assert len({(record.stream, record.number) for record in rounds}) == len(rounds) > 0
    for record in rounds:
        assert record.opened_us <= record.ended_us
        if record.outcome == VOID:
            assert record.void
            assert record.void.ground
            assert record.void.clauses == record.clauses
            assert all(bet.win_minor == 0 and bet.played_minor == 0 for bet in record.bets)
        for bet in record.bets:
            assert bet.outcome not in (VOID, RETURNED) or bet.returned_minor == bet.stake_minor


def test_every_finding_of_every_kind_is_a_ruling_on_record(golden: str) -> None:
    rulings = [record for record in _records(golden) if isinstance(record, Ruling)]
    openings = [opening for _, opening in _openings(golden)]
    expected = [
        event
        for opening in openings
        for entry, event in zip(opening.entries, opening.events, strict=True)
        if isinstance(event, POINTED_OUT)
        or type(event).__module__ in (findings.__name__, correction_events.__name__)
        or (entry.stream, entry.version) in settled_again(opening.entries)
    ]
    assert len(rulings) == len(expected)
    assert all(ruling.kind and ruling.actor and ruling.position for ruling in rulings)
    for ruling, event in zip(rulings, expected, strict=True):
        assert ruling.kind == str(type(event).__struct_config__.tag).removesuffix(".1").replace("_", " ")
        assert ruling.clauses == getattr(event, "clauses", ())


def test_the_theoretical_win_is_the_turnover_by_the_edges_and_stays_a_fraction(plain: str) -> None:
    lines = by_player(_records(plain), flat)
    assert [line.name for line in lines] == ["ann", "ben"]
    for line in lines:
        assert line.theoretical == Fraction(line.turnover_minor, 100)
        assert line.turnover_minor > 0


def test_each_bet_has_its_own_edge_and_insurance_that_of_its_points(tmp_path: Path) -> None:
    """Ann bets 100.00 on Banker, 5.00 on Tie and insures 10.00 at Player 2, Banker 5; each has its own edge."""
    url = str(tmp_path / "floor.db")
    night(url, _insured)
    cell = (Stage.FOUR, Side.BANKER, 2, 5)
    edges = Edges({"banker": Fraction(1, 3), "tie": Fraction(1, 7)}, {cell: Fraction(-1, 11)})
    asked: list[tuple[str, int]] = []

    def edges_of(game: str, decks: int) -> Edges:
        asked.append((game, decks))
        return edges

    (line,) = [line for line in by_player(_records(url), edges_of) if line.name == "ann"]
    assert line.theoretical == Fraction(100_00, 3) + Fraction(5_00, 7) - Fraction(10_00, 11)
    assert (line.bets, line.rounds, line.turnover_minor) == (3, 1, 115_00)
    assert set(asked) == {("commission-insurance", 6)}


async def _insured(floor: Night) -> None:
    """Player 2, Banker 5: insurance on Banker is taken; Player draws a five, Banker a nine; Player wins 7 to 4."""
    await floor.table(TABLE, shoes="manual", decks=6, burn=False, automations=[])
    await floor.do(DORA, TABLE, "cash_out.1", who="ben", amount_minor=1_00)
    await floor.do(SUE, TABLE, "load_shoe.1", shoe="one", decks=6)
    await floor.do(DORA, TABLE, "open_betting.1")
    await floor.bet(TABLE, "ann", 1, "banker", 100_00)
    await floor.bet(TABLE, "ann", 1, "tie", 5_00)
    await floor.do(DORA, TABLE, "close_betting.1")
    for card in ("As", "2s", "Ad", "3d"):
        await floor.do(DORA, TABLE, "deal_card.1", card=card)
    await floor.do(DORA, TABLE, "open_insurance.1")
    await floor.do(DORA, TABLE, "take_insurance.1", who="ann", box=1, stake_minor=10_00)
    await floor.do(DORA, TABLE, "close_insurance.1")
    await floor.do(DORA, TABLE, "deal_card.1", card="5h")
    await floor.do(DORA, TABLE, "deal_card.1", card="9h")
    await floor.do(DORA, TABLE, "settle.1")
    await floor.do(SID, TABLE, "rule.1", reason="goodwill", effect="adjust", amounts={"ann": 7_00, "ben": -1_00})


def test_what_went_wrong_is_told_of_each_round(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    troubled(url)
    rounds = [record for record in _records(url) if isinstance(record, RoundRecord)]
    told = [(record.number, record.outcome, record.void.ground.value if record.void else "") for record in rounds]
    assert told == [
        (1, VOID, "interruption"),
        (2, VOID, "foreign_card"),
        (3, "player", ""),
        (4, "player", ""),
        (5, "player", ""),
        (6, "player", ""),
        (7, VOID, "wrong_number"),
        (8, "player", ""),
        (9, VOID, "ruling"),
        (10, "player", ""),
    ]
    results = [{(bet.who, bet.bet): bet.outcome for bet in record.bets} for record in rounds]
    lost = {("ann", "banker"): "lose", ("ann", "tie"): "lose", ("ben", "player"): "win"}
    assert results[9] == lost
    assert results[0] == results[1] == dict.fromkeys(lost, VOID)
    insured = {("ben", "player_insurance"): "lose"}
    assert results[6] == dict.fromkeys([*lost, *insured], VOID)
    assert results[2] == {**lost, ("ann", "banker"): RETURNED, ("ann", "tie"): RETURNED}
    assert results[3] == {**lost, ("ann", "tie"): RETURNED}
    assert results[4] == results[5] == {**lost, **insured, ("ann", "banker"): RETURNED}
    assert results[7] == {**lost, ("ben", "player"): RETURNED, ("ben", "player_insurance"): RETURNED}
    assert results[8] == {**dict.fromkeys([*lost, *insured], VOID), ("ben", "player"): RETURNED}
    assert [len(record.bets) for record in rounds] == [3, 3, 3, 3, 4, 4, 4, 4, 4, 3]


def test_what_a_ruling_pays_is_part_of_the_actual_win_and_shown_by_itself(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    night(url, _insured)
    records = _records(url)
    lines = {line.name: line for line in by_player(records, flat)}
    assert (lines["ann"].adjusted_minor, lines["ben"].adjusted_minor) == (7_00, -1_00)
    assert lines["ben"].actual_minor == 1_00
    assert lines["ann"].actual_minor == lines["ann"].win_minor - 7_00
    assert [record.kind for record in records if isinstance(record, Payment)].count(PaymentKind.ADJUSTED) == 2
    assert _agree(url) == 2
