"""The projection of rounds and every report are compared with the ledger, amount by amount."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from punto.floor.database.base import Database
from punto.floor.journal.entry import Entry, read_event, tag_of
from punto.floor.journal.round_record import AdjustmentRecord, BetRecord, Conditions, RoundRecord, WentBack
from punto.floor.journal.rounds import RoundFold, conditions_after, read_round, restored_by
from punto.floor.reports.export import What, all_records, export_rows
from punto.floor.reports.player_report import by_player
from punto.floor.reports.rounds.replay_round import replay_round
from punto.floor.settings.gaming_day import Period
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.bets.pay_lines import Result
from punto.rules.money import write_amount
from punto.table import evolve
from punto.table.records import correction_events, findings
from punto.table.records.events import (
    BetFlagged,
    BettingOpened,
    InsuranceFlagged,
    InsuranceMissed,
    LimitFlagged,
    MinimumAdvised,
    MoneyEvent,
    RoundSettled,
)
from punto.table.records.kinds import Effect
from punto.table.records.state import Table
from punto.table.vocabulary import AnyEvent
from tests.floor.journals import EVERY_JOURNAL, JOURNALS, all_entries
from tests.floor.ledger import Amounts, LedgerRound, chips_in, ledger_by_id, ledger_of, settled_again, written_off
from tests.floor.nights import DORA, MAX, NATURAL, SID, SUE, Night, night, opened, uninsured
from tests.floor.reports.test_player_report import flat
from tests.golden.recordings import recordings

CALLED = "betting_opened.1"


@pytest.fixture(scope="module", params=EVERY_JOURNAL)
def floor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A floor with played rounds."""
    url = str(tmp_path_factory.mktemp("rounds") / "floor.db")
    JOURNALS[request.param](url)
    with opened(url) as database:
        yield database


@pytest.fixture(scope="module")
def entries(floor: Database) -> list[Entry]:
    """All entries of its tables."""
    return all_entries(floor)


@pytest.fixture(scope="module")
def ledger(entries: list[Entry]) -> dict[tuple[str, int], LedgerRound]:
    """Finished rounds by stream and number, from the postings."""
    return {(each.stream, each.number): each for each in ledger_of(entries) if each.over}


@pytest.fixture(scope="module")
def by_id(entries: list[Entry]) -> dict[tuple[str, int], LedgerRound]:
    """The same, with the ids of people who were identified later."""
    return {(each.stream, each.number): each for each in ledger_by_id(entries) if each.over}


def amounts(bets: Iterable[BetRecord]) -> Amounts:
    """Amounts of bets in the form of the ledger."""
    found: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for bet in bets:
        found[bet.who, bet.box, bet.bet][0] += bet.stake_minor
        found[bet.who, bet.box, bet.bet][1] += bet.returned_minor
    return {key: (staked, returned) for key, (staked, returned) in found.items()}


def adjusted(moved: Iterable[AdjustmentRecord]) -> dict[str, int]:
    """Adjustments by player."""
    totals = Counter[str]()
    for each in moved:
        totals[each.who] += each.amount_minor
    return {who: amount for who, amount in totals.items() if amount}


def each_round(entries: list[Entry]) -> Iterator[list[Entry]]:
    """The entries of each round, from its start until just before the next; round 0 from version 1."""
    part: list[Entry] = []
    for entry in entries:
        if part and (tag_of(entry) == CALLED or entry.version == 1):
            yield part
            part = []
        part.append(entry)
    yield part


# ---- the projection


def test_a_round_is_told_from_its_own_entries_alone(
    entries: list[Entry], ledger: dict[tuple[str, int], LedgerRound]
) -> None:
    over = {}
    for part in each_round(entries):
        record = read_round(part)
        assert (record.opened_us, record.version) == (part[0].at_us, part[0].version)
        if record.over:
            assert record.opened_us <= record.ended_us
        else:
            assert record.outcome in ("", "cancelled")
            assert (record.ended_us == 0) is (record.outcome == "")
        if record.over if record.number else record.adjustments:
            over[record.stream, record.number] = record
    assert over.keys() == ledger.keys()
    assert len(over) > 5
    for key, record in over.items():
        assert amounts(record.bets) == ledger[key].bets, key
        assert adjusted(record.adjustments) == ledger[key].adjusted, key


def test_a_record_can_be_kept_and_read_again(entries: list[Entry]) -> None:
    for part in each_round(entries):
        record = read_round(part, Conditions(book="commission", currency="SGD", shoe="one", decks=8))
        assert msgspec.json.decode(msgspec.json.encode(record), type=RoundRecord) == record


def test_at_every_moment_the_round_is_that_of_the_table(entries: list[Entry]) -> None:
    """Cards, stakes, conditions and outcome are compared with the table's state, which does not use the projection."""
    state, conditions = Table(), Conditions()
    fold: RoundFold | None = None
    before: RoundFold | None = None
    for entry in entries:
        event = read_event(entry.event)
        if entry.version == 1:
            state, fold, before, conditions = Table(), None, None, Conditions()
        conditions = conditions_after(conditions, event)
        if isinstance(event, BettingOpened):
            shoe, settings = state.shoe, state.settings
            assert shoe is not None
            assert settings is not None
            there = Conditions(
                book=state.book,
                currency=settings.currency,
                shoe=shoe.id,
                decks=shoe.decks,
                box_labels=settings.box_labels,
            )
            assert conditions == there
            before, fold = fold, RoundFold(entry, conditions)
        elif fold is not None:
            fold.take(entry, event)
            if (restores := restored_by(event)) is not None:
                assert (fold.record.outcome, fold.record.cards, fold.record.bets) == ("cancelled", (), ())
                assert before is not None
                assert before.record.number == restores
                before, fold = None, before
        state = evolve(state, event)
        now = state.round
        if fold is None or now is None:
            continue
        record = fold.record
        assert (record.number, record.cards) == (now.number, now.cards)
        void = record.void.ground if record.void else None
        assert (record.winner is not None, void) == (now.settled, now.irregularities.void)
        assert (record.over, record.outcome == "cancelled") == (now.over and not now.cancelled, now.cancelled)
        if not record.over:
            assert all(bet.went_back for bet in record.bets)


def reasons_noted(entries: list[Entry]) -> dict[WentBack | None, set[str]]:
    """The notes of bets that were returned one by one."""
    noted: dict[WentBack | None, set[str]] = {WentBack.RULING: set(), WentBack.UNINSURED: set()}
    for entry in entries:
        match read_event(entry.event):
            case findings.Ruled(effect=Effect.RETURN, reason=reason):
                noted[WentBack.RULING].add(reason)
            case findings.UninsuredBetReturned(reason=reason):
                noted[WentBack.UNINSURED].add(reason)
    return noted


def test_a_bet_that_went_back_is_whole_and_says_why(entries: list[Entry]) -> None:
    for part in each_round(entries):
        record, noted = read_round(part), reasons_noted(part)
        for bet in record.bets:
            assert bet.reason in noted.get(bet.went_back, {""})
            assert bet.clauses or bet.went_back is WentBack.RULING or record.void
            if bet.went_back is None:
                assert record.void is None
                assert bet.outcome == bet.result.value
            else:
                assert (bet.decided_minor, bet.win_minor, bet.result) == (0, 0, Result.PUSH)
                assert bet.outcome == ("void" if bet.went_back is WentBack.VOID else "returned")
        if record.void is not None:
            assert {bet.went_back for bet in record.bets} <= set(WentBack)
            assert record.clauses == record.void.clauses


@pytest.mark.sweep
def test_the_histories_have_every_way_for_a_bet_to_go_back(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("ways")
    ways = set()
    for name in ("troubled", "rejudged", "random tiger-buffalo"):
        url = str(folder / f"{name}.db")
        JOURNALS[name](url)
        with opened(url) as database:
            rounds = [read_round(part) for part in each_round(all_entries(database))]
        ways |= {bet.went_back for record in rounds for bet in record.bets}
    assert ways == {None, *WentBack}


# ---- the audit


def test_what_an_auditor_counts_is_the_ledger(floor: Database, by_id: dict[tuple[str, int], LedgerRound]) -> None:
    rounds = [record for record in all_records(floor, Period()) if isinstance(record, RoundRecord)]
    assert [(record.stream, record.number) for record in rounds] == [key for key in by_id if key[1]]
    for record in rounds:
        assert amounts(record.bets) == by_id[record.stream, record.number].bets


def rows_of(floor: Database, what: What) -> list[dict[str, Any]]:
    """An export as rows of a spreadsheet."""
    columns, rows = export_rows(floor, what, Period(), flat)
    names = [name for name, _ in columns]
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_exported_bets_and_rounds_are_the_ledger(floor: Database, by_id: dict[tuple[str, int], LedgerRound]) -> None:
    bets: dict[tuple[str, int], dict[Any, Sequence[int]]] = {key: {} for key in by_id}  # none in round 0
    for row in rows_of(floor, What.BETS):
        mine, key = bets[row["stream"], row["round"]], (row["who"], row["box"], row["bet"])
        staked, returned = mine.get(key, (0, 0))
        mine[key] = (staked + row["stake"], returned + row["returned"])
        assert row["win"] == row["stake"] - row["returned"]
    assert bets == {key: each.bets for key, each in by_id.items()}
    for row in rows_of(floor, What.ROUNDS):
        each = by_id[row["stream"], row["round"]]
        assert row["staked"] == sum(staked for staked, _ in each.bets.values())
        assert row["returned"] == sum(returned for _, returned in each.bets.values())


def test_a_void_round_is_exported_with_ground_clauses_and_reason(floor: Database, entries: list[Entry]) -> None:
    voids = [read_event(entry.event) for entry in entries if tag_of(entry) == "round_voided.1"]
    rows = [row for row in rows_of(floor, What.ROUNDS) if row["outcome"] == "void"]
    for row, event in zip(rows, voids, strict=True):
        assert isinstance(event, findings.RoundVoided)
        assert (row["ground"], row["reason"], row["clauses"]) == (event.ground, event.reason, " ".join(event.clauses))


POINTED_OUT = (BetFlagged, InsuranceMissed, LimitFlagged, MinimumAdvised)
FOUND_OR_CORRECTED = {findings.__name__, correction_events.__name__}
FINDINGS = (
    *POINTED_OUT,
    InsuranceFlagged,
    *(kind for kind in get_args(AnyEvent) if kind.__module__ in FOUND_OR_CORRECTED),
)


def test_exported_rulings_name_every_amount_that_they_moved(floor: Database, entries: list[Entry]) -> None:
    rows = {(row["stream"], row["version"]): row for row in rows_of(floor, What.RULINGS)}
    events = {(entry.stream, entry.version): read_event(entry.event) for entry in entries}
    found = {key for key, event in events.items() if isinstance(event, FINDINGS)}
    assert rows.keys() == found | settled_again(entries)
    for key, row in rows.items():
        event = events[key]
        moved = chips_in(event) if isinstance(event, MoneyEvent) else {}
        paid_to = msgspec.json.decode(row["paid_to"]) if row["paid_to"] else {}
        assert {who: Decimal(text) for who, text in paid_to.items()} == {
            who: Decimal(amount).scaleb(-2) for who, amount in moved.items()
        }
        assert (row["paid"] or 0) == sum(moved.values())


def test_what_the_table_points_out_is_among_the_rulings_with_its_clauses(floor: Database, entries: list[Entry]) -> None:
    rows = {(row["stream"], row["version"]): row for row in rows_of(floor, What.RULINGS)}
    for entry in entries:
        event = read_event(entry.event)
        if isinstance(event, POINTED_OUT):
            row = rows[entry.stream, entry.version]
            assert row["clauses"] == " ".join(event.clauses)
            assert row["kind"] == tag_of(entry).removesuffix(".1").replace("_", " ")


def test_the_golden_evenings_have_everything_that_a_table_points_out() -> None:
    written = "".join(recordings().values())
    assert all(f'"{kind.__struct_config__.tag}"' in written for kind in POINTED_OUT)


def test_the_players_report_is_the_ledger(floor: Database, entries: list[Entry]) -> None:
    gains = Counter[str]()
    for each in ledger_by_id(entries):
        for who, amount in each.gains.items() if each.over else each.adjusted.items():
            gains[who] += amount
    gains.update(written_off(entries))
    lines = by_player(all_records(floor, Period()), flat)
    assert {line.name: -line.actual_minor for line in lines if line.actual_minor} == {
        who: amount for who, amount in gains.items() if amount
    }


def test_replay_tells_what_became_of_each_bet(floor: Database, ledger: dict[tuple[str, int], LedgerRound]) -> None:
    """Every eleventh round, because a replay reads from the first entry, and some rounds with rulings."""
    ruled = [key for key, each in ledger.items() if each.adjusted]
    before_the_first = [key for key in ledger if key[1] == 0]
    for stream, number in dict.fromkeys([*list(ledger)[::11], *ruled[:5], *before_the_first]):
        replay, each = replay_round(floor, stream, number), ledger[stream, number]
        assert amounts(replay.record.bets) == each.bets
        assert adjusted(replay.record.adjustments) == each.adjusted
        settled = False
        for step in replay.steps:
            event = read_event(bytes(step.event).decode())
            if isinstance(event, findings.Ruled) and event.effect is Effect.ADJUST:
                paid = [f"{who}: {_paid(amount)}" for who, amount in chips_in(event).items()]
                assert [line.partition(" (")[0] for line in step.details] == paid
            elif isinstance(event, _MOVES_STAKES):
                differences = event.differences if isinstance(event, RoundSettled) else ()
                told = step.details[: len(step.details) - len(differences)]
                back = [re.findall(r", ([0-9.]+) back", line) for line in told]
                assert all(len(amount) == 1 for amount in back)
                if settled and isinstance(event, findings.Ruled):  # only the difference moved
                    assert len(back) >= len(event.bets)
                else:
                    assert sum(Decimal(amount[0]) for amount in back) * 100 == sum(chips_in(event).values())
            settled = settled or isinstance(event, RoundSettled)
            if isinstance(event, findings.RoundVoided):
                assert event.ground in step.words
                assert event.reason in step.words
                assert step.clauses == event.clauses


_MOVES_STAKES = (RoundSettled, findings.RoundVoided, findings.OptionChosen, findings.Ruled)


def _paid(amount: int) -> str:
    return f"{write_amount(abs(amount))} {'paid' if amount > 0 else 'taken'}"


# ---- single cases


def test_a_bet_made_good_before_a_settlement_that_is_reversed_is_not_forgotten(tmp_path: Path) -> None:
    """It was returned before the settlement, so the void after it does not return it again."""

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="one", decks=8)
        await uninsured(floor)
        missed: dict[str, Any] = {"who": "ann", "box": 1, "side": "banker", "reason": "she had asked for it"}
        await floor.do(MAX, "t1", "return_uninsured_bets.1", **missed)
        await floor.do(DORA, "t1", "settle.1")
        await floor.do(SUE, "t1", "report_wrong_number.1", reason="seven cards lay there")

    night(str(tmp_path / "floor.db"), play)
    with opened(str(tmp_path / "floor.db")) as database:
        (record,) = [each for each in all_records(database, Period()) if isinstance(each, RoundRecord)]
    assert record.void is not None
    assert {(bet.who, bet.bet): (bet.went_back, bet.reason) for bet in record.bets} == {
        ("ann", "banker"): (WentBack.UNINSURED, "she had asked for it"),
        ("ann", "tie"): (WentBack.VOID, ""),
        ("ben", "player"): (WentBack.VOID, ""),
        ("ben", "player_insurance"): (WentBack.VOID, ""),
    }


def test_a_bet_returned_by_a_ruling_and_placed_again_is_two_bets(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="one", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.bet("t1", "ann", 1, "player", 10_00)
        back = [{"who": "ann", "box": 1, "bet": "player"}]
        await floor.do(SID, "t1", "rule.1", reason="it was not hers", effect="return", bets=back)
        await floor.bet("t1", "ann", 1, "player", 30_00)
        await floor.do(DORA, "t1", "close_betting.1")
        for card in NATURAL:
            await floor.do(DORA, "t1", "deal_card.1", card=card)
        await floor.do(DORA, "t1", "settle.1")

    night(str(tmp_path / "floor.db"), play)
    with opened(str(tmp_path / "floor.db")) as database:
        (record,) = [each for each in all_records(database, Period()) if isinstance(each, RoundRecord)]
        before, each = ledger_of(all_entries(database))
    assert (before.number, before.gains) == (0, {})
    assert [(bet.went_back, bet.stake_minor, bet.returned_minor, bet.reason) for bet in record.bets] == [
        (None, 30_00, 60_00, ""),
        (WentBack.RULING, 10_00, 10_00, "it was not hers"),
    ]
    assert amounts(record.bets) == each.bets


def test_insurance_that_went_back_and_plays_after_all_is_one_bet(tmp_path: Path) -> None:
    """Ann is said to have passed on the first offer, so her second insurance goes back; then not to have passed."""

    async def correct(floor: Night, stake_minor: int) -> None:
        await floor.do(SUE, "t1", "correct_insurance.1", stage="four", who="ann", box=1, stake_minor=stake_minor)

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[], observing=True)
        await floor.do(SUE, "t1", "load_shoe.1", shoe="one", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.bet("t1", "ann", 1, "banker", 100_00)
        await floor.do(DORA, "t1", "close_betting.1")
        for cards, stake_minor in ((("2s", "2h", "3d", "4d"), 10_00), (("6c",), 5_00)):
            for card in cards:
                await floor.do(DORA, "t1", "deal_card.1", card=card)
            await floor.do(DORA, "t1", "open_insurance.1")
            await floor.do(DORA, "t1", "take_insurance.1", who="ann", box=1, stake_minor=stake_minor)
        await correct(floor, 0)
        await correct(floor, 30_00)
        await floor.do(DORA, "t1", "deal_card.1", card="Kc")
        await floor.do(DORA, "t1", "settle.1")

    night(str(tmp_path / "floor.db"), play)
    with opened(str(tmp_path / "floor.db")) as database:
        (record,) = [each for each in all_records(database, Period()) if isinstance(each, RoundRecord)]
        (*_, each) = ledger_of(all_entries(database))
        exported = list(export_rows(database, What.BETS, Period(), flat)[1])
    assert [(bet.bet, bet.stage, bet.stake_minor, bet.went_back) for bet in record.bets] == [
        ("banker", None, 100_00, None),
        ("banker_insurance", "four", 30_00, None),
        ("banker_insurance", "third", 1_42, None),  # at 7 to 1, as far as the cap allows beside the 90.00 of the other
        ("banker_insurance", "third", 3_58, WentBack.REJUDGED),
    ]
    assert len(exported) == len(record.bets)
    assert amounts(record.bets) == each.bets
