"""Sessions: signing in, locks, changing the password, and tokens that are no longer valid."""

import asyncio

from argon2 import Parameters
from msgspec.structs import astuple

from punto.floor.errors import FloorCode
from punto.floor.house.projections.sessions import key_of
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import (
    AuthorityRefused,
    LockedOut,
    PasswordChanged,
    SessionsRevoked,
    SignedIn,
    SignedOut,
)
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.sessions.sessions import SESSION_S, Sessions
from punto.floor.runtime.sign_in_locks import LOCKED_S, MAX_FAILURES
from punto.table.records.positions import Position
from tests.floor.staff_floor import CHEAP, MINUTE_US, PASSWORD, READER, Staffed, refused, run, staffed

WRONG = "not the password"


def test_signing_in_and_out_is_on_record_by_whoever_does_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        before = len(await house.told())
        signed_in = await house.sessions.sign_in("dora", PASSWORD)
        assert astuple(signed_in)[1:5] == ("dora", Position.DEALER, False, house.clock.us + SESSION_S * 1_000_000)
        assert await house.sessions.actor(signed_in.token) == Actor("dora", Position.DEALER)
        await house.sessions.sign_out(signed_in.token)
        await refused(house.sessions.actor(signed_in.token), FloorCode.NOT_SIGNED_IN)
        await refused(house.sessions.sign_out(signed_in.token), FloorCode.NOT_SIGNED_IN)
        told = (await house.told())[before:]
        assert told == [
            ("dora", "dealer", SignedIn("dora", "dealer")),
            ("dora", "dealer", SignedOut("dora")),
        ]

    run(database_url, test)


def test_five_wrong_passwords_lock_a_name_for_a_quarter_of_an_hour(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        open_token = await house.hired("dora", Position.DEALER)
        await house.hired("eve", Position.DEALER)
        for _ in range(MAX_FAILURES):
            await refused(house.sessions.sign_in("dora", WRONG), FloorCode.WRONG_PASSWORD)
        until_us = house.clock.us + LOCKED_S * 1_000_000
        told = await refused(house.sessions.sign_in("dora", PASSWORD), FloorCode.LOCKED_OUT)
        assert "15 minutes" in told.message
        assert await house.told(LockedOut) == [("house", "house", LockedOut("dora", until_us))]
        assert (await house.sessions.actor(open_token)).name == "dora"  # open sessions keep working
        await house.sessions.sign_in("eve", PASSWORD)  # and nobody else is affected
        house.clock.us = until_us - 1
        assert "in 1 min" in (await refused(house.sessions.sign_in("dora", PASSWORD), FloorCode.LOCKED_OUT)).message
        house.clock.us = until_us
        await house.sessions.sign_in("dora", PASSWORD)

    run(database_url, test)


def test_a_lock_that_is_over_starts_counting_anew_and_tries_while_locked_do_not_prolong_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        for locks in (1, 2):
            for _ in range(MAX_FAILURES):
                await refused(house.sessions.sign_in("dora", WRONG), FloorCode.WRONG_PASSWORD)
            for _ in range(10):
                await refused(house.sessions.sign_in("dora", WRONG), FloorCode.LOCKED_OUT)
            assert len(await house.told(LockedOut)) == locks
            house.clock.go_on(15)
        for _ in range(MAX_FAILURES - 1):
            await refused(house.sessions.sign_in("dora", WRONG), FloorCode.WRONG_PASSWORD)
        await house.sessions.sign_in("dora", PASSWORD)
        for _ in range(MAX_FAILURES - 1):  # a right password in between resets the count
            await refused(house.sessions.sign_in("dora", WRONG), FloorCode.WRONG_PASSWORD)
        await house.sessions.sign_in("dora", PASSWORD)

    run(database_url, test)


def test_many_tries_at_once_are_no_more_than_one_by_one(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        async with staffed(database_url, running=False) as other:  # also with two processes
            other.clock.us = house.clock.us
            tries = [each.sessions.sign_in("dora", f"{WRONG} {n}") for n in range(20) for each in (house, other)]
            answers = await asyncio.gather(*tries, return_exceptions=True)
        codes = [getattr(answer, "code", None) for answer in answers]
        assert codes.count(FloorCode.WRONG_PASSWORD) == MAX_FAILURES
        assert set(codes) == {FloorCode.WRONG_PASSWORD, FloorCode.LOCKED_OUT, FloorCode.BUSY}
        assert len(await house.told(LockedOut)) == 1

    run(database_url, test)


def test_a_name_without_an_account_is_answered_word_for_word_like_one_with(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        answers: dict[str, list[tuple[str, str]]] = {"dora": [], "nobody": []}
        for _ in range(MAX_FAILURES + 2):
            for name, heard in answers.items():
                code = FloorCode.WRONG_PASSWORD if len(heard) < MAX_FAILURES else FloorCode.LOCKED_OUT
                trouble = await refused(house.sessions.sign_in(name, WRONG), code)
                heard.append((trouble.code, trouble.message))
        assert answers["dora"] == answers["nobody"]
        assert [event.name for _, _, event in await house.told(LockedOut) if isinstance(event, LockedOut)] == ["dora"]

    run(database_url, test)


def test_tries_of_names_that_nobody_has_do_not_pile_up(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for number in range(20):
            await refused(house.sessions.sign_in(f"nobody {number}", WRONG), FloorCode.WRONG_PASSWORD)
        house.clock.go_on(24 * 60 + 1)
        await refused(house.sessions.sign_in("nobody", WRONG), FloorCode.WRONG_PASSWORD)
        assert await house.database.read(lambda tx: tx.rows("SELECT folded FROM sign_ins")) == [("nobody",)]

    run(database_url, test)


def test_ones_own_password_needs_the_one_before_and_ends_every_other_session(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        others = [(await house.sessions.sign_in("dora", PASSWORD)).token for _ in range(2)]
        before = len(await house.told())
        await refused(house.sessions.change_password(token, WRONG, "quite another one"), FloorCode.WRONG_PASSWORD)
        await house.sessions.change_password(token, PASSWORD, "quite another one")
        assert (await house.sessions.actor(token)).name == "dora"
        for other in others:
            await refused(house.sessions.actor(other), FloorCode.NOT_SIGNED_IN)
        await refused(house.sessions.sign_in("dora", PASSWORD), FloorCode.WRONG_PASSWORD)
        await house.sessions.sign_in("dora", "quite another one")
        assert [event for _, _, event in (await house.told())[before:]] == [
            PasswordChanged("dora"),
            SessionsRevoked("dora"),
            SignedIn("dora", "dealer"),
        ]

    run(database_url, test)


def test_guessing_the_password_with_a_stolen_session_locks_too(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        for _ in range(MAX_FAILURES):
            asked = house.sessions.change_password(token, WRONG, "quite another one")
            await refused(asked, FloorCode.WRONG_PASSWORD)
        asked = house.sessions.change_password(token, PASSWORD, "quite another one")
        await refused(asked, FloorCode.LOCKED_OUT)

    run(database_url, test)


BAD = (
    "",
    "short",
    "eleven char",
    "a" * 201,
    "aaaaaaaaaaaaa",
    "abcabcabcabc",
    "line\nbreaks here",
    "x\x00" * 8,
    "doradoradora",
    PASSWORD,
)


GOOD = ("a" * 11 + "bcd", "café crème brûlée", "密码密码一二三四五六七八九十", "dora likes baccarat")


def test_what_is_easily_guessed_is_no_password_and_what_is_long_enough_will_do(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        for password in BAD:
            await refused(house.sessions.change_password(token, PASSWORD, password), FloorCode.BAD_PASSWORD)
        before = PASSWORD
        for password in GOOD:
            await house.sessions.change_password(token, before, password)
            await house.sessions.sign_in("dora", password)
            before = password

    run(database_url, test)


def test_nothing_can_be_done_before_the_one_time_password_is_changed(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        once = await house.accounts.create(THE_CONSOLE, "dora", Position.DEALER)
        first = await house.sessions.sign_in("dora", once)
        second = await house.sessions.sign_in("dora", once)
        for session in (first, second):
            assert session.to_change
            await refused(house.sessions.actor(session.token, "sit.1"), FloorCode.PASSWORD_TO_CHANGE)
        told = AuthorityRefused("", "dora", "dealer", "sit.1", "password_to_change")
        assert await house.told(AuthorityRefused) == [("dora", "dealer", told)] * 2
        await refused(house.sessions.change_password(first.token, once, once), FloorCode.BAD_PASSWORD)
        await house.sessions.change_password(first.token, once, PASSWORD)
        assert (await house.sessions.actor(first.token)).position is Position.DEALER
        await refused(house.sessions.actor(second.token), FloorCode.NOT_SIGNED_IN)

    run(database_url, test)


def test_a_session_ends_with_its_time_to_the_microsecond(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        machine = await house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER, days=1)
        began_us = house.clock.us
        house.clock.us = began_us + SESSION_S * 1_000_000 - 1
        assert (await house.sessions.standing(token)).name == "dora"
        house.clock.us += 1
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await refused(house.sessions.change_password(token, PASSWORD, "another long one"), FloorCode.NOT_SIGNED_IN)
        await refused(house.sessions.sign_out(token), FloorCode.NOT_SIGNED_IN)
        house.clock.us = began_us + 24 * 60 * MINUTE_US - 1
        assert (await house.sessions.actor(machine)).name == "scanner"
        house.clock.us += 1
        await refused(house.sessions.actor(machine), FloorCode.NOT_SIGNED_IN)
        await house.sessions.sign_in("dora", PASSWORD)  # expired sessions are deleted
        assert await house.database.read(lambda tx: tx.rows("SELECT count(*) FROM sessions")) == [(1,)]

    run(database_url, test)


def test_no_token_but_the_real_one_is_a_session(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        forged = ["", " ", token + "a", token[:-1], token.swapcase(), f" {token}", key_of(token), "a" * 10_000]
        forged += ["\x00", f"{token}\x00", "\ud800", "' OR 1 = 1 --", "%", "?"]
        before = len(await house.told())
        for one in forged:
            for asked in (
                house.sessions.actor(one),
                house.sessions.sign_out(one),
                house.sessions.change_password(one, PASSWORD, "another long one"),
                house.visitors.leave(one),
                house.visitors.buy_in(one, "t1"),
            ):
                await refused(asked, FloorCode.NOT_SIGNED_IN)
        assert len(await house.told()) == before  # unknown names leave no trace, so nobody can fill the disk
        assert (await house.sessions.actor(token)).name == "dora"

    run(database_url, test)


def test_somebody_off_duty_can_sign_in_but_do_nothing_without_a_position(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        once = await house.accounts.create(THE_CONSOLE, "dora", None)
        signed_in = await house.sessions.sign_in("dora", once)
        await house.sessions.change_password(signed_in.token, once, PASSWORD)
        await refused(house.sessions.actor(signed_in.token), FloorCode.NO_POSITION)
        told = AuthorityRefused("", "dora", "off", "", "no_position")
        assert await house.told(AuthorityRefused) == [("dora", "off", told)]
        assert ("dora", "off", SignedIn("dora", "off")) in await house.told()
        await house.accounts.assign(THE_CONSOLE, "dora", Position.DEALER)
        assert (await house.sessions.actor(signed_in.token)).position is Position.DEALER

    run(database_url, test)


class Slow(Passwords):
    """Stops between checking a password and using the result."""

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self.checked, self.go_on = asyncio.Event(), asyncio.Event()

    async def verify(self, kept: str | None, password: str) -> bool:
        right = await super().verify(kept, password)
        self.checked.set()
        await self.go_on.wait()
        return right


def test_a_password_set_anew_while_the_old_one_is_being_checked_lets_nobody_in(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        slow = Slow(CHEAP)
        signing_in = asyncio.ensure_future(
            Sessions(house.floor.house_log, house.floor.key, slow).sign_in("dora", PASSWORD)
        )
        await slow.checked.wait()
        await house.accounts.reset_password(THE_CONSOLE, "dora")
        slow.go_on.set()
        await refused(signing_in, FloorCode.WRONG_PASSWORD)
        (line,) = await house.accounts.list(THE_CONSOLE)
        assert line.sessions == 0

    run(database_url, test)


def test_a_session_revoked_while_a_password_is_being_checked_changes_none(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        slow = Slow(CHEAP)
        sessions = Sessions(house.floor.house_log, house.floor.key, slow)
        changing = asyncio.ensure_future(sessions.change_password(token, PASSWORD, "quite another one"))
        await slow.checked.wait()
        await house.accounts.revoke(THE_CONSOLE, "dora")
        slow.go_on.set()
        await refused(changing, FloorCode.NOT_SIGNED_IN)
        await house.sessions.sign_in("dora", PASSWORD)

    run(database_url, test)


def test_dearer_parameters_take_hold_when_a_password_is_next_used(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        dearer = Parameters(CHEAP.type, CHEAP.version, CHEAP.salt_len, CHEAP.hash_len, 2, 8, 1)
        await Sessions(house.floor.house_log, house.floor.key, Passwords(dearer)).sign_in("dora", PASSWORD)
        ((kept,),) = await house.database.read(lambda tx: tx.rows("SELECT password FROM accounts"))
        assert "t=2" in kept
        await house.sessions.sign_in("dora", PASSWORD)

    run(database_url, test)


def test_what_somebody_has_done_to_a_kept_password_is_said_in_words(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        await house.database.write(lambda tx: tx.change("UPDATE accounts SET password = 'plain'"))
        await refused(house.sessions.sign_in("dora", "plain"), FloorCode.BAD_DATABASE)

    run(database_url, test)
