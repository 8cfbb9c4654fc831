"""Searching rounds: a floor of a million rounds, every kind of search, and combinations of them.

A generator writes rows of ``rounds`` through the floor's own encoding: thirty tables that open every day, a few hundred
players, settled rounds with their marks. Each search is timed beside one that goes through the records of all rounds,
and beside the aim of 200 ms. ``--postgres`` measures a PostgreSQL server that it starts, and ``--rounds 1000000`` a
million rounds.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.database import open_database
from punto.floor.database.base import Database, Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import NO_PREVIOUS_HASH
from punto.floor.journal.round_index import RoundRow, row_of, store_rows
from punto.floor.journal.round_marks import RoundFacts, rebuild_marks
from punto.floor.journal.round_record import BetRecord, Conditions, RoundEnd, RoundRecord
from punto.floor.reports.rounds.round_filter import AmountOf, RoundFilter
from punto.floor.reports.rounds.round_search import Search
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Card
from punto.rules.coup.space import Winner
from punto.rules.refusals import Clause

sys.path.append(str(Path(__file__).parents[1]))
from tests.floor.servers import PostgresServer, new_database

AIM_S = 0.2
TABLES = 30
ROUNDS_A_DAY = 1_000
"""Of one table."""
ROUND_US = 51 * SECOND_US
START_US = 1_700_000_000 * SECOND_US
PLAYERS = 600
BETS = ("player", "banker", "tie", "player_pair", "banker_pair", "tiger", "small_tiger", "big_tiger")
BET_WEIGHTS = (30, 30, 8, 6, 6, 3, 1, 1)
CLAUSES = tuple(map(Clause, ("3.3", "3.8", "3.10", "3.13", "3.15", "3.16", "4.1.1", "4.1.2", "4.2.1")))
RARE_CLAUSES = tuple(map(Clause, ("5.5", "5.9", "5.13", "5.18")))
SEARCHED_KINDS = ("face_up_card", "late_bet", "ruling", "card_corrected", "bet_corrected", "entered_later")
CARDS = tuple(Card)
PAGE = 50
TURNS = 5
SIZES = "SELECT avg(length(marks)), avg(length(record)), (SELECT count(*) FROM round_marks) FROM rounds"


# ---- rows


def record_of(stream: str, number: int, opened_us: int, random: Random, crowd: Sequence[str]) -> RoundRecord:
    """A settled round of about seven boxes."""
    winner = random.choices((Winner.PLAYER, Winner.BANKER, Winner.TIE), (45, 46, 9))[0]
    count = random.choices((4, 5, 6), (38, 30, 32))[0]
    bets = tuple(
        _bet(random, who, box, winner) for box, who in enumerate(crowd, 1) if random.random() < 0.8 for _ in range(2)
    )
    return RoundRecord(
        stream=stream,
        version=number * 40,
        number=number,
        conditions=Conditions(book="tiger-buffalo", currency="SGD", shoe=f"shoe {number // 80}", decks=8),
        opened_us=opened_us,
        opened_by="dealer",
        end=RoundEnd(
            at_us=opened_us + ROUND_US - SECOND_US,
            clauses=CLAUSES[5:6],
            winner=winner,
            player=random.randrange(10) if count > 4 else 9,
            banker=random.randrange(10),
        ),
        cards=tuple(random.choices(CARDS, k=count)),
        bets=bets,
        adjustments=(),
    )


def _bet(random: Random, who: str, box: int, winner: Winner) -> BetRecord:
    bet = random.choices(BETS, BET_WEIGHTS)[0]
    stake_minor = 25_00 * min(int(random.paretovariate(1.1)), 4_000)
    won = bet == winner.value
    return BetRecord(
        who=who,
        box=box,
        bet=bet,
        stage=None,
        cell=None,
        stake_minor=stake_minor,
        played_minor=None,
        result=Result.WIN if won else Result.LOSE,
        went_back=None,
        odds="1" if won else None,
        commission_minor=None,
        returned_minor=2 * stake_minor if won else 0,
        clauses=(random.choice(CLAUSES[6:]),),
        placed_by="dealer",
    )


def rows_of_day(stream: str, opened_us: int, rounds: int, random: Random, dealers: Sequence[str]) -> Iterator[RoundRow]:
    """One opening of a table: players come and go, dealers change every forty rounds."""
    crowd = [_somebody(random) for _ in range(7)]
    for number in range(1, rounds + 1):
        if random.random() < 0.1:
            crowd[random.randrange(7)] = _somebody(random)
        record = record_of(stream, number, opened_us + number * ROUND_US, random, crowd)
        facts = RoundFacts({dealers[number // 40 % len(dealers)]}, clauses=set(CLAUSES[:6]))
        if random.random() < 0.004:
            facts.kinds.add(random.choice(SEARCHED_KINDS))
            facts.clauses.add(random.choice(RARE_CLAUSES))
        row = row_of(record, facts)
        if row is not None:
            yield row


def _somebody(random: Random) -> str:
    """Most are registered; the first ones come more often."""
    number = min(int(random.paretovariate(0.7)), PLAYERS)
    return f"P{number:06}" if random.random() < 0.8 else f"box {random.randrange(1, 8)}"


def fill(database: Database, rounds: int) -> None:
    """Write the rows, without their marks."""
    random, written, day = Random(23), 0, 0
    while written < rounds:
        for table in range(TABLES):
            name, left = f"t{table:02}/{day + 1}", min(ROUNDS_A_DAY, rounds - written)
            dealers = [f"dealer {table} {day % 7} {each}" for each in range(4)]
            opened_us = START_US + day * DAY_US + table * SECOND_US
            rows = list(rows_of_day(name, opened_us, left, random, dealers))
            database.writing(partial(_write, stream=name, rows=rows)).result()
            written += len(rows)
        day += 1


def _write(transaction: Transaction, stream: str, rows: Sequence[RoundRow]) -> None:
    sql = "INSERT INTO streams (name, version, hash) VALUES (?, ?, ?)"
    transaction.change(sql, (stream, 1, NO_PREVIOUS_HASH))
    store_rows(transaction, streams.head(transaction, stream).key, rows)


# ---- searches


def searches(rounds: int) -> dict[str, RoundFilter]:
    days = max(rounds // (TABLES * ROUNDS_A_DAY), 1)
    early_us = START_US + days // 4 * DAY_US
    day: dict[str, Any] = {"from_us": early_us, "until_us": early_us + DAY_US}
    return {
        "nothing: the newest": RoundFilter(),
        "a gaming day": RoundFilter(**day),
        "table": RoundFilter(table="t07"),
        "table, gaming day": RoundFilter(table="t07", **day),
        "dealer": RoundFilter(dealer="dealer 7 3 2"),
        "regular player": RoundFilter(players=("P000001",)),
        "rare player": RoundFilter(players=(f"P{PLAYERS - 1:06}",)),
        "unknown player": RoundFilter(players=("P999999",)),
        "twenty players": RoundFilter(players=tuple(f"P{number:06}" for number in range(300, 320))),
        "place": RoundFilter(players=("box 3",)),
        "box": RoundFilter(box="7"),
        "side bet": RoundFilter(bet="big_tiger"),
        "clause of every round": RoundFilter(clause="3.16"),
        "rare clause": RoundFilter(clause="5.13"),
        "kind": RoundFilter(kind="card_corrected"),
        "outcome": RoundFilter(outcome="tie"),
        "natural": RoundFilter(natural=True, outcome="player"),
        "void, which none is": RoundFilter(outcome="void"),
        "stake of 50,000": RoundFilter(least_minor=50_000_00),
        "stake of 99,975 to 99,990": RoundFilter(least_minor=99_975_00, most_minor=99_990_00),
        "payout of 150,000": RoundFilter(amount=AmountOf.PAYOUT, least_minor=150_000_00),
        "total of 150,000": RoundFilter(amount=AmountOf.TOTAL, least_minor=150_000_00),
        "player, bet, box": RoundFilter(players=("P000004",), bet="tiger", box="2"),
        "player, table, stake": RoundFilter(players=("P000009",), table="t07", least_minor=5_000_00),
        "dealer, kind, gaming day": RoundFilter(dealer="dealer 7 3 2", kind="ruling", **day),
        "tie, natural, box, side bet": RoundFilter(outcome="tie", natural=True, box="7", bet="small_tiger"),
        "rare clause, rare player": RoundFilter(clause="5.18", players=(f"P{PLAYERS - 2:06}",)),
        "the last page": RoundFilter(before=(START_US + 3_600 * SECOND_US, 0), bet="tie"),
    }


def timed(database: Database, wanted: RoundFilter) -> tuple[float, int, bool]:
    """Median seconds, how many rounds the page has, and whether it stopped before it was full."""
    took = []
    for _ in range(TURNS):
        start = time.perf_counter()
        found = database.reading(lambda tx: Search(tx, wanted, {}).run(PAGE)).result()
        took.append(time.perf_counter() - start)
    return median(took), len(found.rounds), found.unfinished


def scan(database: Database) -> float:
    """Seconds to go through the records of all rounds with a pattern that none has."""
    start = time.perf_counter()
    sql = "SELECT count(*) FROM rounds WHERE record LIKE ?"
    database.reading(lambda tx: tx.rows(sql, ('%"who":"P999999"%',))).result()
    return time.perf_counter() - start


def disk_bytes(database: Database, url: str) -> int:
    sql = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    if url.startswith("postgresql"):
        sql = "SELECT pg_database_size(current_database())"
    return int(database.reading(lambda tx: tx.rows(sql)).result()[0][0])


def measure(url: str, rounds: int) -> None:
    database = open_database(url)
    start, empty = time.perf_counter(), disk_bytes(database, url)
    fill(database, rounds)
    rows_s, rows = time.perf_counter() - start, disk_bytes(database, url)
    database.writing(rebuild_marks).result()
    if url.startswith("postgresql"):  # as the server does by itself a minute later; it plans badly before
        database.writing(lambda tx: tx.change("ANALYZE")).result()
    marks_s, marks = time.perf_counter() - start - rows_s, disk_bytes(database, url)
    ((lengths, text, number),) = database.reading(lambda tx: tx.rows(SIZES)).result()
    print(f"{rounds:,} rounds in {rows_s:,.0f} s, what they are searched by in {marks_s:,.0f} s")
    print(
        f"a record has {text:,.0f} characters, its marks {lengths:,.0f};"
        f" the search has {number / rounds:.2f} rows for each round"
    )
    print(f"on disk {(rows - empty) / rounds:,.0f} bytes a round, and {(marks - rows) / rounds:,.0f} for the search")
    full_s = scan(database)
    print(f"going through all records: {full_s * 1_000:,.0f} ms")
    print(f"{'search':30} {'rounds':>6} {'ms':>7} {'of the aim':>11} {'of going through all':>21}")
    slowest_s = 0.0
    for name, wanted in searches(rounds).items():
        took_s, found, unfinished = timed(database, wanted)
        slowest_s = max(slowest_s, took_s)
        shown = f"{found}+" if unfinished else str(found)
        print(f"{name:30} {shown:>6} {took_s * 1_000:7.1f} {took_s / AIM_S:11.2f} {took_s / full_s:21.4f}", flush=True)
    print(f"the slowest takes {slowest_s / AIM_S:.2f} of the aim of {AIM_S * 1_000:.0f} ms")
    database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL server of its own")
    options = parser.parse_args()
    if options.postgres:
        server = PostgresServer()
        try:
            measure(new_database(server.url), options.rounds)
        finally:
            server.stop()
    else:
        with tempfile.TemporaryDirectory() as folder:
            measure(str(Path(folder) / "floor.db"), options.rounds)


if __name__ == "__main__":
    main()
