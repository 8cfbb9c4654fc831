"""A round that is corrected after cancelled calls for bets reads everywhere as if there had been no such call."""

from functools import partial
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import astuple

from punto.floor.audit.packs.check_pack import check_pack
from punto.floor.audit.packs.pack import make_pack
from punto.floor.audit.packs.pack_file import encode_pack
from punto.floor.audit.verify import verify
from punto.floor.database.base import Database, Row, Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import tag_of
from punto.floor.journal.round_index import rebuild_rounds
from punto.floor.journal.stream_name import StreamName
from punto.floor.reports.days.day_exceptions import exceptions_after, table_exceptions
from punto.floor.reports.days.opening_facts import openings_in
from punto.floor.reports.days.shift_report import make_report
from punto.floor.reports.export import What, export_rows
from punto.floor.reports.incidents import read_incident
from punto.floor.reports.rounds.replay_round import replay_round
from punto.floor.settings.gaming_day import Period
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from punto.web.pages.dealer.last_bets import last_bets
from punto.web.views.shoe_results import ShoeResults, entries_of_board
from tests.floor.nights import DORA, MAX, NATURAL, SID, SUE, Night, opened
from tests.floor.reports.test_player_report import flat
from tests.web.serving import server

TABLE, FIRST = "felt", StreamName("felt", 1)
NOW_US = 2_000_000_000 * 1_000_000
EMPTY = (2, 3)
"""The rounds that were called by a slip."""
SLIP_WORDS = ("betting opened", "betting closed", "round cancelled")
ELSEWHERE = frozenset({"version", "cursor", "at", "at_us", "opened", "opened_us", "ended", "ended_us"})
"""Differs between two evenings anyway."""


async def _round(night: Night) -> None:
    await night.do(DORA, TABLE, "open_betting.1")
    for who, box, bet, stake in (("ann", 1, "banker", 900_00), ("ben", 2, "player", 50_00)):
        await night.do(DORA, TABLE, "place_bet.1", who=who, box=box, bet=bet, stake_minor=stake)
    await night.do(DORA, TABLE, "close_betting.1")
    for card in NATURAL:
        await night.do(DORA, TABLE, "deal_card.1", card=card)
    await night.do(DORA, TABLE, "settle.1")


async def _evening(night: Night, *, slips: bool) -> None:
    limits: dict[str, Any] = {"main": {"min_minor": 10_00, "max_minor": 10_000_00}, "differential_minor": 500_00}
    await night.table(TABLE, shoes=ShoeKind.MANUAL, burn=False, automations=[], observing=True, **limits)
    await night.do(SUE, TABLE, "load_shoe.1", shoe="one", decks=8)
    await _round(night)
    wrong = {"who": "ben", "box": 2, "bet": "player", "paid_minor": 150_00, "reason": "seen on film"}
    await night.do(SUE, TABLE, "correct_payment.1", **wrong)
    for command in ("open", "cancel", "open", "close", "cancel") if slips else ():
        await night.do(DORA, TABLE, "cancel_round.1" if command == "cancel" else f"{command}_betting.1")
    await night.do(MAX, TABLE, "correct_card.1", shoe="one", draw=3, card="7c", reason="misread")
    await night.do(SUE, TABLE, "correct_bet.1", who="ann", box=1, bet="banker", stake_minor=700_00)
    await night.do(SID, TABLE, "rule.1", reason="as the film shows", effect="adjust", amounts={"ann": 7_01})


def _told(path: Path, *, slips: bool) -> dict[str, Any]:
    """What there is to read of the evening, while its last round can still be corrected and after one more."""
    last = 1 + len(EMPTY) + 1 if slips else 2
    with server(str(path)) as running:
        running.run(_evening(Night(running.floor), slips=slips))
        sue = running.by(Position.PIT_SUPERVISOR)
        with opened(str(path)) as database:
            found = {"last round": database.reading(_of_last_round).result()}
        running.run(_round(Night(running.floor)))
        listed = f"/api/tables/{TABLE}/rounds"
        found["replay"] = sue.get(f"{listed}/1-1").json()
        found["list"] = sue.get(listed).json()["rounds"]
        first = sue.get(listed, params={"most": 1}).json()
        second = sue.get(listed, params={"most": 1, "before": first["next"]}).json()
        assert [*first["rounds"], *second["rounds"]] == found["list"]
        assert "7c" in sue.get(f"/tables/{TABLE}/rounds/1-1").text
    with opened(str(path)) as database:
        assert not verify(database).faults
        assert not database.writing(rebuild_rounds).result().differed
        found |= {what: _exported(database, what) for what in (What.BETS, What.ROUNDS, What.RULINGS)}
        found["rows"] = database.reading(_rows).result()
        found["replays"] = [replay_round(database, TABLE, number).record for number in (1, last)]
        (sums,) = make_report(database, Period(), NOW_US).tables.values()
        found["report"] = [sums.ledger, sums.tray, sums.play.rounds, [*map(astuple, sums.play.bets.values())]]
        found["exceptions"] = database.reading(_exceptions).result()
        incident = database.reading(lambda tx: read_incident(tx, 1)).result()
        found["incident"] = [incident.row.round, incident.before, incident.after]
        for number in range(1, last + 1):
            pack = database.reading(partial(make_pack, stream=FIRST, number=number, kept=(), now_us=NOW_US)).result()
            assert not check_pack(encode_pack(pack)).faults
            if number in EMPTY and slips:
                steps = replay_round(database, TABLE, number).steps
                assert {step.words.split(":")[0] for step in steps} <= {*SLIP_WORDS}
                assert [entry.version for entry in pack.entries] == [step.version for step in steps]
    return {key: _plain(value, last) for key, value in found.items()}


def _rows(transaction: Transaction) -> list[Row]:
    return transaction.rows(
        "SELECT outcome, staked_minor, win_minor, marks FROM rounds WHERE outcome <> 'cancelled' ORDER BY number"
    )


def _of_last_round(transaction: Transaction) -> list[Any]:
    """What pages know of the last round: fed as it happens, and read back later."""
    head = streams.head(transaction, str(FIRST))
    known: list[Any] = [last_bets(transaction, head)]
    for entries in (streams.read(transaction, head, 0, 1_000), entries_of_board(transaction, head)):
        results = ShoeResults()
        results.feed(entries)
        known += [results.marks, results.naturals, results.record, results.last_of]
    return known


def _exceptions(transaction: Transaction) -> list[Any]:
    """Those of all time, and what was done to a day that was signed off just before the corrections."""
    (opening,) = openings_in(transaction, Period())
    entries = streams.read(transaction, opening.head, 0, 1_000)
    signed = next(entry.version for entry in entries if tag_of(entry) == "card_corrected.1") - 2
    found = table_exceptions(transaction, opening, Period())
    found += exceptions_after(transaction, opening, Period(until_us=NOW_US), signed, NOW_US)
    return [
        {
            "kinds": each.kinds,
            "round": each.round,
            "events": list(map(str, map(type, each.events))),
            "bets": each.played,
        }
        for each in found
    ]


def _exported(database: Database, what: What) -> list[dict[str, Any]]:
    columns, rows = export_rows(database, what, Period(), flat)
    found = [dict(zip([name for name, _ in columns], row, strict=True)) for row in rows]
    return [row for row in found if row.get("kind") != "round cancelled"]


def _plain(value: Any, last: int) -> Any:
    """Without what differs between two evenings anyway, and with 2 as the number of the last round."""

    def scrubbed(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: 2 if key in ("round", "number") and each == last else scrubbed(each)
                for key, each in value.items()
                if key not in ELSEWHERE
            }
        return [*map(scrubbed, value)] if isinstance(value, list | tuple) else value

    return scrubbed(to_builtins(value))


def test_the_corrected_round_reads_as_if_there_had_been_no_call(tmp_path: Path) -> None:
    without, told = (_told(tmp_path / f"{slips}.db", slips=slips) for slips in (False, True))
    assert told.keys() == without.keys()
    for name, found in told.items():
        assert found == without[name], name
    assert [bet["result"] for bet in told[What.BETS]] == ["push", "push", "lose", "win"]
    assert [each["outcome"] for each in told[What.ROUNDS]] == ["tie", "player"]
