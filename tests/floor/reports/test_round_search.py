"""Searching rounds finds what going through all of them finds, on both databases, page by page."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.database.base import Transaction
from punto.floor.journal import round_marks
from punto.floor.journal.entry import EntryContext
from punto.floor.journal.round_marks import (
    DONE_ALONE,
    ENTERED_LATER,
    ROUND_KINDS,
    MarkKind,
    rebuild_marks,
    values_of,
)
from punto.floor.journal.round_record import BetRecord, RoundRecord
from punto.floor.reports.rounds import round_search
from punto.floor.reports.rounds.round_filter import AmountOf, RoundFilter
from punto.floor.reports.rounds.round_search import FoundRounds, Search
from punto.floor.upkeep.rebuild import rebuild
from punto.table.records.settings import box_label
from tests.floor.audit.forging import tamper
from tests.floor.audit_day import AuditedNight
from tests.floor.identified_places import ANN, BEN, FIRST, SECOND, SIXTH, identified
from tests.floor.journals import JOURNALS
from tests.floor.nights import SUE, opened, troubled

SELECT = "SELECT id, number, opened_us, staked_minor, marks, record FROM rounds ORDER BY opened_us DESC, id DESC"
Stored = tuple[int, int, int, int, list[str], RoundRecord]


def find(transaction: Transaction, wanted: RoundFilter, limit: int = 1_000) -> FoundRounds:
    return Search(transaction, wanted, {}).run(limit)


def stored(transaction: Transaction) -> list[Stored]:
    return [
        (*row[:4], msgspec.json.decode(row[4]), msgspec.json.decode(row[5], type=RoundRecord))
        for row in transaction.rows(SELECT)
    ]


def fits(row: Stored, wanted: RoundFilter) -> bool:
    """Whether a round fits, by going through all it has."""
    _, _, opened_us, staked_minor, marks, record = row

    def has(kind: MarkKind, value: object) -> bool:
        return not value or str(value) in values_of(marks, kind)

    def in_range(minor: int) -> bool:
        return wanted.least_minor <= minor and (wanted.most_minor is None or minor <= wanted.most_minor)

    def fits_bet(bet: BetRecord) -> bool:
        amount = {AmountOf.STAKE: bet.stake_minor, AmountOf.PAYOUT: bet.returned_minor}.get(wanted.amount)
        here = wanted.box in ("", box_label(record.conditions.box_labels, bet.box)) and wanted.bet in ("", bet.bet)
        return here and bet.who in (wanted.players or (bet.who,)) and (amount is None or in_range(amount))

    amounts = wanted.least_minor > 0 or wanted.most_minor is not None
    about_a_bet = wanted.box or wanted.bet or (amounts and wanted.amount is not AmountOf.TOTAL)
    return (
        wanted.from_us <= opened_us < wanted.until_us
        and record.stream.startswith(f"{wanted.table}/" if wanted.table else "")
        and all(
            (
                has(MarkKind.DEALER, wanted.dealer),
                has(MarkKind.KIND, wanted.kind),
                has(MarkKind.CLAUSE, wanted.clause),
                wanted.outcome in ("", record.outcome),
            )
        )
        and (not wanted.natural or "outcome:natural" in marks)
        and (not wanted.players or any(has(MarkKind.PLAYER, who) for who in wanted.players))
        and (not about_a_bet or any(map(fits_bet, record.bets)))
        and (wanted.amount is not AmountOf.TOTAL or in_range(staked_minor))
    )


def filters(rows: list[Stored], random: Random) -> Iterator[dict[str, Any]]:
    """One field each, with values that occur and some that do not."""
    marks = {mark for row in rows for mark in row[4]}
    bets = [bet for row in rows for bet in row[5].bets]
    fields = {
        "dealer": MarkKind.DEALER,
        "bet": MarkKind.BET,
        "clause": MarkKind.CLAUSE,
        "kind": MarkKind.KIND,
        "box": MarkKind.BOX,
    }
    for field, kind in fields.items():
        found = sorted(values_of(marks, kind))
        for value in random.sample(found, min(3, len(found))):
            yield {field: value}
    yield from ({"table": table} for table in ("t1", "none"))
    yield from ({"outcome": outcome} for outcome in ("player", "banker", "tie", "void", "cancelled"))
    yield {"natural": True}
    times = [row[2] for row in rows]
    yield {"from_us": random.choice(times), "until_us": max(times)}
    plain = sorted({bet.who for bet in bets if not bet.who.startswith("P0")})
    yield from ({"players": (who,)} for who in random.sample(plain, min(3, len(plain))))
    for amount in AmountOf:
        for bet in random.sample(bets, min(2, len(bets))):
            minor = bet.stake_minor if amount is not AmountOf.PAYOUT else bet.returned_minor
            yield {"amount": amount, "least_minor": minor}
            yield {"amount": amount, "least_minor": minor + 1, "most_minor": 3 * minor}
            yield {"amount": amount, "most_minor": minor}


@pytest.mark.parametrize("name", ["troubled", "corrected", "random commission-insurance"])
def test_every_search_finds_what_going_through_all_rounds_finds(database_url: str, name: str) -> None:
    JOURNALS[name](database_url)

    def work(transaction: Transaction) -> None:
        rows, random = stored(transaction), Random(23)  # noqa: S311 - for tests
        single = list(filters(rows, random))
        pairs = [one | other for one, other in combinations(single, 2) if not one.keys() & other.keys()]
        for fields in [{}, *single, *random.sample(pairs, min(150, len(pairs)))]:
            wanted = msgspec.convert(fields, RoundFilter, strict=False)
            found = find(transaction, wanted)
            assert [each.key for each in found.rounds] == [row[0] for row in rows if fits(row, wanted)], fields
            assert found.next is None
            for each in found.rounds:
                if wanted.box or wanted.bet:
                    assert each.fitting
                boxes = {box_label(each.record.conditions.box_labels, bet.box) for bet in each.fitting}
                assert not wanted.box or boxes == {wanted.box}

    with opened(database_url) as database:
        database.reading(work).result()


def test_pages_follow_each_other_without_gap_or_overlap(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    troubled(database_url)

    def pages(transaction: Transaction, limit: int, **fields: object) -> list[int]:
        found, keys = find(transaction, msgspec.convert(fields, RoundFilter), limit), list[int]()
        while True:
            assert len(found.rounds) == limit or found.next is None or found.unfinished
            keys += [each.key for each in found.rounds]
            if found.next is None:
                return keys
            found = find(transaction, msgspec.convert(fields | {"before": found.next}, RoundFilter), limit)

    def work(transaction: Transaction) -> None:
        whole = [row[0] for row in stored(transaction)]
        bankers = [row[0] for row in stored(transaction) if any(bet.bet == "banker" for bet in row[5].bets)]
        for limit in (1, 3, 100):
            assert pages(transaction, limit) == whole
            assert pages(transaction, limit, bet="banker") == bankers
        monkeypatch.setattr(round_search, "MAX_EXAMINED", 2)  # it says how far it came, and goes on from there
        assert find(transaction, RoundFilter(least_minor=1, most_minor=2), 5).unfinished
        assert pages(transaction, 3, bet="banker", least_minor=1) == bankers

    with opened(database_url) as database:
        database.reading(work).result()


def test_a_player_is_found_under_the_places_of_before(database_url: str) -> None:
    identified(database_url)

    def numbers(transaction: Transaction, who: str, **fields: object) -> list[str]:
        wanted = msgspec.convert(fields | {"players": (who,)}, RoundFilter)
        return [f"{each.opening}-{each.record.number}" for each in find(transaction, wanted).rounds]

    def work(transaction: Transaction) -> None:
        assert numbers(transaction, FIRST) == ["1-2", "1-1", "1-0"]  # a ruling before the first round
        assert numbers(transaction, FIRST, bet="banker") == ["1-1"]
        assert numbers(transaction, FIRST, box="2") == []
        assert numbers(transaction, SECOND) == ["1-4"]  # not the unknown person who had the box before them
        assert numbers(transaction, ANN) == ["1-6", "1-5"]
        assert numbers(transaction, SIXTH) == ["1-8", "1-7"]  # from box 4 to box 6, and behind it
        assert numbers(transaction, BEN)[0].startswith("2-")
        assert "1-3" in numbers(transaction, "box 3")

    with opened(database_url) as database:
        database.reading(work).result()


def test_a_player_is_found_in_the_rounds_before_the_page_or_period_that_identifies_them(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (round_marks, round_search):
        monkeypatch.setattr(module, "ROUNDS_A_BLOCK", 1)
    identified(database_url)

    def work(transaction: Transaction) -> None:
        def keys(player: str, **fields: object) -> list[int]:
            wanted = msgspec.convert(fields | {"players": (player,)}, RoundFilter)
            return [each.key for each in find(transaction, wanted).rounds]

        for player in (FIRST, ANN, SIXTH):
            found = find(transaction, RoundFilter(players=(player,))).rounds
            assert len(found) > 1
            for at, each in enumerate(found):
                opened_us = each.record.opened_us
                assert keys(player, before=(opened_us, each.key)) == [later.key for later in found[at + 1 :]]
                earlier = [later.key for later in found if later.record.opened_us < opened_us]
                assert keys(player, until_us=opened_us) == earlier

    with opened(database_url) as database:
        database.reading(work).result()


def test_a_search_replays_few_openings_and_goes_on_from_there(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    identified(database_url)

    def work(transaction: Transaction) -> None:
        wanted, stays = RoundFilter(players=(FIRST, ANN, SIXTH, BEN)), dict[Any, Any]()
        whole = [each.key for each in Search(transaction, wanted, {}).run(100).rounds]
        monkeypatch.setattr(round_search, "MAX_REPLAYED", 1)
        found = Search(transaction, wanted, stays).run(100)
        assert found.unfinished
        pages = [found]
        while found.next is not None:
            found = Search(transaction, replace(wanted, before=found.next), stays).run(100)
            pages.append(found)
        assert [each.key for page in pages for each in page.rounds] == whole

    with opened(database_url) as database:
        database.reading(work).result()


def test_incidents_and_kinds_lead_to_their_rounds(database_url: str) -> None:
    troubled(database_url)

    def work(transaction: Transaction) -> None:
        for number, round_ in transaction.rows("SELECT number, round FROM incidents WHERE round > 0"):
            (found,) = find(transaction, RoundFilter(incident=number)).rounds
            assert found.record.number == round_
            assert number in found.incidents
        assert not find(transaction, RoundFilter(incident=999)).rounds
        kinds = {kind for each in find(transaction, RoundFilter()).rounds for kind in each.kinds}
        assert len(kinds) == 8
        assert kinds <= set(ROUND_KINDS)

    with opened(database_url) as database:
        database.reading(work).result()


def test_rounds_are_found_by_what_was_entered_later_or_done_alone(database_url: str) -> None:
    async def play() -> None:
        with closing(open_database(database_url)) as database:
            floor = await AuditedNight.start(database)
            await floor.play_day()
            paid: dict[str, Any] = {"who": "ben", "box": 2, "bet": "player", "paid_minor": 150_00, "recovered_minor": 0}
            await floor.given(SUE, "correct_payment", EntryContext(alone=True), reason="seen on film", **paid)

    asyncio.run(play())
    with opened(database_url) as database:
        for kind, number in ((ENTERED_LATER, 6), (DONE_ALONE, 7)):
            (found,) = database.reading(partial(find, wanted=RoundFilter(kind=kind))).result().rounds
            assert found.record.number == number


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM round_marks WHERE mark = 'bet:banker'",
        "UPDATE round_marks SET bits = bits + 1 WHERE mark = 'table:t1'",
        "UPDATE round_blocks SET to_us = 1",
        "INSERT INTO round_blocks (stream, block, from_us, to_us) VALUES (999, 0, 1, 1)",
        "UPDATE rounds SET marks = '[]' WHERE number = 2",
        "UPDATE rounds SET marks = 'x' WHERE number = 2",
    ],
)
def test_verify_finds_other_marks_and_rebuild_makes_them_right(database_url: str, sql: str) -> None:
    troubled(database_url)
    tamper(database_url, (sql, ()))
    with opened(database_url) as database:
        assert {fault.code for fault in verify(database).faults} == {FaultCode.ROUNDS_DIFFER}
    assert rebuild(database_url).differed > 0
    with opened(database_url) as database:
        assert verify(database).faults == []
        assert database.writing(rebuild_marks).result() == 0
