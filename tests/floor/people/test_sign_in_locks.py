"""Wrong passwords count per name and address: knowing a name is not enough to lock somebody out."""

from punto.floor.errors import FloorCode
from punto.floor.journal.house_events import LockedOut
from punto.floor.people.accounts import THE_CONSOLE
from punto.floor.people.sign_in_locks import MAX_FAILURES, MAX_FAILURES_BY_NAME, PAUSE_S
from punto.table.records.positions import Position
from tests.floor.staffed import PASSWORD, Staffed, refused, run

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
