"""Wrong passwords count per name and address: knowing a name is not enough to lock somebody out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from punto.floor.database import open_database
from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode
from punto.floor.journal.house_events import LockedOut
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.sessions.known_devices import MARK_DAYS, new_mark
from punto.floor.runtime.sign_in_locks import (
    MAX_FAILURES,
    MAX_FAILURES_BY_NAME,
    PAUSE_S,
    count_failure,
    forget_failures,
)
from punto.table.records.positions import Position
from tests.floor.staff_floor import PASSWORD, READER, Staffed, refused, run

WRONG = "not the password"
HERE, THERE = "192.0.2.1", "198.51.100.7"


async def wrong(house: Staffed, times: int, address: str, name: str = "dora") -> None:
    for _ in range(times):
        await refused(house.sessions.sign_in(name, WRONG, address), FloorCode.WRONG_PASSWORD)


def test_a_lock_holds_at_the_address_that_has_earned_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        await wrong(house, MAX_FAILURES, THERE)
        await refused(house.sessions.sign_in("dora", PASSWORD, THERE), FloorCode.LOCKED_OUT)
        assert len(await house.told(LockedOut)) == 1
        assert (await house.sessions.sign_in("dora", PASSWORD, HERE)).name == "dora"
        await house.sessions.sign_in("dora", PASSWORD)  # nor is somebody on the machine itself

    run(database_url, test)


def test_from_everywhere_at_once_a_name_is_locked_everywhere(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        for number in range(MAX_FAILURES_BY_NAME // 2):
            await wrong(house, 2, f"203.0.113.{number}")
        await refused(house.sessions.sign_in("dora", PASSWORD, HERE), FloorCode.LOCKED_OUT)
        await house.accounts.reset_password(THE_CONSOLE, "dora")
        await wrong(house, 1, HERE)  # and every lock with it

    run(database_url, test)


def test_few_failures_from_everywhere_are_forgotten_after_an_hour(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        for number in range(MAX_FAILURES_BY_NAME):
            if number == MAX_FAILURES_BY_NAME - 1:
                house.clock.go_on(PAUSE_S / 60)
            await wrong(house, 1, f"203.0.113.{number}")
        await house.sessions.sign_in("dora", PASSWORD, HERE)

    run(database_url, test)


def test_a_name_without_an_account_is_locked_in_the_same_way(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await wrong(house, MAX_FAILURES, THERE, "nobody")
        await refused(house.sessions.sign_in("nobody", WRONG, THERE), FloorCode.LOCKED_OUT)
        await wrong(house, 1, HERE, "nobody")
        assert await house.told(LockedOut) == []

    run(database_url, test)


def test_the_list_of_accounts_tells_of_a_lock_at_some_address_and_a_new_password_ends_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        await house.hired("dor", Position.DEALER)
        await wrong(house, MAX_FAILURES, THERE)
        locked = {line.name: bool(line.locked_until_us) for line in await house.accounts.list(THE_CONSOLE)}
        assert (locked["dora"], locked["dor"]) == (True, False)
        once = await house.accounts.reset_password(THE_CONSOLE, "dora")
        assert not any(line.locked_until_us for line in await house.accounts.list(THE_CONSOLE))
        assert (await house.sessions.sign_in("dora", once, THERE)).to_change

    run(database_url, test)


def test_whoever_is_signed_in_changes_their_password_also_while_the_name_is_locked(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        await wrong(house, MAX_FAILURES, "")
        await refused(house.sessions.sign_in("dora", PASSWORD), FloorCode.LOCKED_OUT)
        await house.sessions.change_password(token, PASSWORD, "another long one")

    run(database_url, test)


def test_a_known_device_is_locked_by_its_own_failures_only(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        marks = [(await house.sessions.sign_in("dora", PASSWORD, HERE)).mark for _ in range(2)]
        first, second = [await house.sessions.known_device("dora", mark) for mark in marks]
        assert first
        assert second
        assert first != second
        for _ in range(MAX_FAILURES):
            await refused(house.sessions.sign_in("dora", WRONG, HERE, first), FloorCode.WRONG_PASSWORD)
        await refused(house.sessions.sign_in("dora", PASSWORD, HERE, first), FloorCode.LOCKED_OUT)
        await wrong(house, MAX_FAILURES, HERE)  # the address has its own count
        await refused(house.sessions.sign_in("dora", PASSWORD, HERE), FloorCode.LOCKED_OUT)
        assert (await house.sessions.sign_in("dora", PASSWORD, HERE, second)).name == "dora"

    run(database_url, test)


def test_a_mark_is_for_one_account_one_password_and_half_a_year(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        await house.hired("eve", Position.DEALER)
        mark = (await house.sessions.sign_in("dora", PASSWORD, HERE)).mark
        known = house.sessions.known_device
        assert await known("dora", mark)
        assert await known("Dora", f"nonsense.{mark}")
        day, device, signature = mark.split("-")
        later = f"{int(day) + 1}-{device}-{signature}"
        for forged in ("", "-", "--", ".", later, mark[:-1], f"{day}-0-{signature}", "\ud800", "1-2-\u00e9"):
            assert not await known("dora", forged)
        assert not await known("eve", mark)
        assert not await known("nobody", mark)
        await house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER)
        assert not await known("scanner", new_mark("scanner", "", house.clock.us))  # machines have no password
        house.clock.go_on(MARK_DAYS * 24 * 60)
        assert await known("dora", mark)
        house.clock.go_on(24 * 60)
        assert not await known("dora", mark)
        mark = (await house.sessions.sign_in("dora", PASSWORD, HERE)).mark
        assert await known("dora", mark)
        await house.accounts.reset_password(THE_CONSOLE, "dora")
        assert not await known("dora", mark)
        assert token

    run(database_url, test)


class Explained:
    """A transaction of SQLite that collects how each statement finds its rows."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self.plans: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def _explain(self, sql: str, values: Sequence[object]) -> None:
        self.plans += [row[3] for row in self._transaction.rows(f"EXPLAIN QUERY PLAN {sql}", values)]

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        self._explain(sql, values)
        return self._transaction.rows(sql, values)

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        self._explain(sql, values)
        return self._transaction.change(sql, values)


def test_a_try_reads_a_few_rows_however_many_there_are(tmp_path: Path) -> None:
    def work(transaction: Transaction) -> list[str]:
        explained = Explained(transaction)
        count_failure(explained, "dora", HERE, 1)
        count_failure(explained, "dora", "", 1)
        forget_failures(explained, "dora")
        return explained.plans

    database = open_database(str(tmp_path / "floor.db"))
    try:
        plans = database.writing(work).result()
    finally:
        database.close()
    assert len(plans) > 4
    assert not [plan for plan in plans if plan.startswith("SCAN")]
