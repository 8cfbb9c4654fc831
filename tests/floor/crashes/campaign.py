"""A crash campaign: a floor under load is killed again and again, and each time everything it answered must hold."""

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.database.base import Database, Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.house_events import HOUSE, TableRecovered, read_house_event
from punto.floor.journal.replay import rebuild
from punto.floor.journal.streams import Head
from punto.floor.running.table_setup import Pace, TableSetup
from punto.library import book, book_ids
from punto.rules.topics import Topic
from punto.table.decision import established_bets
from punto.table.records.events import ChipsBought, ChipsCashed
from punto.table.records.findings import IrregularityReported, RoundVoided
from punto.table.records.ledger import BANK, FLOAT
from punto.table.records.state import Phase, Table
from tests.floor.crashes.load import PLAYERS, table_settings
from tests.floor.playing import CHIPS_MINOR, FLOAT_MINOR, MANAGER, SUPERVISOR, At, running
from tests.floor.processes import Worker
from tests.waiting import wait_until

PACE = Pace(**{**dict.fromkeys(Pace.__struct_fields__, 0.0), "close_betting_s": 0.02, "close_insurance_s": 0.01})


class Standing(Struct):
    """A table in the journal when the floor was killed."""

    head: Head
    state: Table


class Campaign:
    """Kills the floor and checks what it answered so far."""

    def __init__(self, url: str, seed: int = 0, told: Callable[[str], None] = lambda _: None) -> None:
        self.url = url
        self._draw = random.Random(seed)  # noqa: S311 - no cards are drawn here
        self._told = told
        self._asked: dict[str, Any] = {}
        self._answered: dict[str, Any] = {}
        self.kills = self.interrupted = 0
        self.asked_meanwhile = self.unrecovered = 0
        """Commands given during recovery; tables that were killed before their recovery."""
        self._next = self._spare()

    def __enter__(self) -> "Campaign":
        return self

    def __exit__(self, *_: object) -> None:
        self._next.close()

    def _spare(self) -> Worker:
        """A process that is ready to start."""
        return Worker(self.url, module="tests.floor.crashes.load")

    async def set_up(self) -> None:
        """One table of each game, with two players each."""
        async with running(self.url) as floor:
            for rules in book_ids():
                await floor.create_table(MANAGER, TableSetup(rules, rules, pace=PACE))
                at = At(floor, rules, f"set up {rules}")
                await at.do(SUPERVISOR, "open_table", settings=table_settings(rules), float_minor=FLOAT_MINOR)
                await at.seat(*PLAYERS)

    # ---- one life of the floor

    def live_and_die(self, within_lines: int, meanwhile: Callable[[], None] | None = None) -> None:
        """Start, recover, play until it has printed this many lines, kill it, then check."""
        standing = self._standing()
        with self._begun(play=True) as worker:
            worker.hear_until("recovered")
            self._check_recovery(standing)
            worker.hear_more(self._draw.randrange(within_lines))
            if meanwhile is not None:
                meanwhile()
                worker.hear_more(self._draw.randrange(within_lines))
            self._kill(worker)

    def die_early(self, within_lines: int) -> None:
        """Start and kill, perhaps before everything is recovered, then check."""
        standing = self._standing()
        with self._begun(play=True, lines=self._draw.randrange(within_lines)) as worker:
            worker.hear_until("begun")
            self._kill(worker, by_itself=True)
        self._wait_until_alone()
        self._check_recovery(standing, whole=False)

    def _kill(self, worker: Worker, *, by_itself: bool = False) -> None:
        if not by_itself:
            worker.kill()
        self._heard(worker)
        self.kills += 1
        self._told(f"{self.kills} kills, {len(self._answered)} answers, {self.interrupted} rounds interrupted")

    def come_to_rest(self) -> None:
        """Start once more, wait for all answers, and check everything."""
        standing = self._standing()
        with self._begun(play=False) as worker:
            worker.hear_until("asked_again")
            self._check_recovery(standing)
            worker.wait()
            self._heard(worker)
        self.check()

    def _begun(self, *, play: bool, lines: int | None = None) -> Worker:
        worker, self._next = self._next, self._spare()
        assert worker.hear() == {"ready": True}
        again = [wish for name, wish in self._asked.items() if name not in self._answered]
        worker.tell(json.dumps({"run": f"run {self.kills}", "again": again, "play": play, "lines": lines}))
        return worker

    def _heard(self, worker: Worker) -> None:
        """Record what it printed. Accepted commands must stay accepted."""
        recovered = False
        for line in worker.heard_all():
            recovered |= "recovered" in line
            self.asked_meanwhile += "asks" in line and not recovered
            if "asks" in line:
                self._asked[line["asks"]["id"]] = line["asks"]
            elif "id" in line:
                assert self._answered.setdefault(line["id"], line) == line

    # ---- checks

    def _database(self) -> Database:
        return open_database(self.url, create=False)

    def _standing(self) -> dict[str, Standing]:
        """Every table in the journal, while nobody writes."""
        self._wait_until_alone()
        database = self._database()
        try:
            return database.reading(_stand).result()
        finally:
            database.close()

    def _wait_until_alone(self) -> None:
        """PostgreSQL may still be working on the last request of a dead client."""
        database = self._database()
        ours = 2  # one writes, one reads
        connected = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'punto'"
        )
        if database.shared:
            wait_until(lambda: database.reading(lambda tx: tx.rows(connected)).result() == [(ours,)])
        database.close()

    def _check_recovery(self, standing: dict[str, Standing], *, whole: bool = True) -> None:
        """Each open round was continued or voided as its book says, and recorded, before anything else.

        If the kill came before that, nothing has happened at the table.
        """
        database = self._database()
        try:
            house = database.reading(lambda tx: streams.read(tx, streams.head(tx, HOUSE), 0, 10_000_000)).result()
            recovered = [event for event in map(_house_event, house) if isinstance(event, TableRecovered)]
            for stood in standing.values():
                if stood.state.phase is Phase.CLOSED:
                    continue
                after = database.reading(
                    lambda tx, at=stood.head: streams.read(tx, at, at.version, 2)  # type: ignore[misc]
                ).result()
                is_open = stood.state.phase in (Phase.BETTING, Phase.DEALING)
                taken = (stood.head.stream, stood.head.version, is_open, stood.head.hash)
                if taken not in [(each.stream, each.version, each.round_open, each.hash) for each in recovered]:
                    assert not whole
                    assert not after
                    self.unrecovered += 1
                elif is_open:
                    self.interrupted += 1
                    _check_interruption(stood, after)
        finally:
            database.close()

    def check(self) -> None:
        """No answer is lost or changed, nothing is doubled, and no money appeared or vanished."""
        database = self._database()
        try:
            found = verify(database)
            assert found.faults == [], found.faults
            accepted = {name: line for name, line in self._answered.items() if "hash" in line}
            written = database.reading(_written).result()
            for name, line in accepted.items():
                assert written.get(name) == (line["stream"], line["version"], line["hash"]), name
            for name in written:
                ours = name.startswith(("house:", "auto:", "recovery:", "set up"))
                assert ours or name in accepted, f"{name} was written and is not answered so"
            self._check_money(database, accepted)
            self._told(f"{found.entries} entries, {len(accepted)} accepted, {found.shoes} shoes: all sound")
        finally:
            database.close()

    def _check_money(self, database: Database, accepted: dict[str, Any]) -> None:
        """Chips bought and cashed agree between answers and ledger, and no table creates or loses money."""
        by_answers = Counter({table: CHIPS_MINOR * len(PLAYERS) for table in book_ids()})
        for name in accepted:
            body = self._asked[name]["body"]
            sign = {"buy_in.1": 1, "cash_out.1": -1}.get(body["command"], 0)
            by_answers[self._asked[name]["table"]] += sign * body.get("amount_minor", 0)
        assert by_answers == database.reading(_brought).result()
        for stood in database.reading(_stand).result().values():
            if stood.state.phase is not Phase.CLOSED:
                assert sum(stood.state.balances.values()) == 0
                assert stood.state.balances[BANK] == -FLOAT_MINOR


def _house_event(entry: Entry) -> object:
    return read_house_event(entry.event)


def _stand(transaction: Transaction) -> dict[str, Standing]:
    standing = {}
    for table, opening in streams.openings(transaction).items():
        head = streams.head(transaction, f"{table}/{opening}")
        standing[table] = Standing(head, rebuild(transaction, head).state)
    return standing


def _written(transaction: Transaction) -> dict[str, tuple[str, int, str]]:
    """The last entry of every command."""
    rows = transaction.rows(
        "SELECT e.command_id, s.name, e.version, e.hash FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " ORDER BY e.stream, e.version"
    )
    found: dict[str, tuple[str, int, str]] = {}
    for name, stream, version, hashed in rows:
        assert name not in found or (stream, version) == (found[name][0], found[name][1] + 1), f"{name} twice"
        found[name] = (stream, version, hashed)
    return found


def _brought(transaction: Transaction) -> Counter[str]:
    """What players bought less what they cashed at each table, from the ledger."""
    brought: Counter[str] = Counter()
    for stream, end in streams.heads(transaction).items():
        for entry in streams.read(transaction, end, 0, end.version) if stream != HOUSE else ():
            event = read_event(entry.event)
            if isinstance(event, ChipsBought | ChipsCashed):
                brought[stream.rpartition("/")[0]] -= dict(map(astuple, event.postings))[FLOAT]
    return brought


def _check_interruption(stood: Standing, after: list[Entry]) -> None:
    """Expects the outcome from the number of cards, without using the table's own code."""
    rules, now = book(stood.state.book), stood.state.round
    assert now is not None
    if rules.id == "commission":
        assert not after or not after[0].command_id.startswith("recovery:")
        return
    first = read_event(after[0].event)
    assert after[0].command_id == f"recovery:{stood.head.stream}:{stood.head.version}"
    assert isinstance(first, IrregularityReported)
    certain = len(now.cards) > 3 and None not in now.cards and not now.irregularities.order_lost
    void = len(now.cards) < 3 or (not certain and not established_bets(rules, stood.state))
    follows = read_event(after[1].event) if len(after) > 1 else None
    if void:
        assert isinstance(follows, RoundVoided)
        assert follows.clauses[: len(rules.topics[Topic.INTERRUPTION_VOIDS])] == rules.topics[Topic.INTERRUPTION_VOIDS]
    else:
        assert not isinstance(follows, RoundVoided) or after[1].command_id != after[0].command_id
        assert first.clauses == rules.topics[Topic.INTERRUPTION] + rules.topics[Topic.INTERRUPTION_GOES_ON]
