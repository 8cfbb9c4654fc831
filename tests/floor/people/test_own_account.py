"""A person's own account: idle sessions lock, PIN or password unlocks, sessions are listed and ended, TOTP is set."""

from contextvars import copy_context

import pytest

from punto.floor.errors import FloorCode
from punto.floor.house.projections.accounts import Account
from punto.floor.house.projections.sessions import IDLE_S, SEEN_EVERY_S, Session
from punto.floor.journal.actor import TERMINAL, Actor
from punto.floor.journal.house_events import LockedOut, PasswordChanged, SessionUnlocked, SignedOut, TotpSetUp
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.own_account import OwnAccount
from punto.floor.people.accounts.passwords import ONE_TIME_S, Passwords
from punto.floor.people.accounts.pins import Pins
from punto.floor.people.accounts.terminals import Terminals
from punto.floor.people.accounts.totp import DIGITS, STEP_S, address_of, code_at, matching_step
from punto.floor.people.floor_rules import FloorRules, change_floor_rules
from punto.floor.people.sessions.sessions import Sessions
from punto.floor.runtime.sign_in_locks import MAX_FAILURES
from punto.floor.secret_key import SecretKey
from punto.table.records.positions import Position
from tests.floor.staff_floor import CHEAP, PASSWORD, READER, SetClock, Staffed, refused, run

DORA = Actor("dora", Position.DEALER)
PIN = "482913"
SECOND_US = 1_000_000


async def old_terminal(house: Staffed) -> str:
    """A terminal that was enrolled more than an hour ago."""
    row = ("terminal-1", "key", "", "left", "max", 1, 0)
    sql = (
        "INSERT INTO terminals (id, key_hash, at_table, title, enrolled_by, enrolled_us, revoked_us)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    await house.floor.database.write(lambda transaction: transaction.many(sql, [row]))
    return row[0]


def own_account(house: Staffed) -> tuple[OwnAccount, Pins]:
    pins = Pins(house.sessions, Passwords(CHEAP))
    return OwnAccount(house.sessions, pins), pins


# ---- locking


def test_a_session_locks_after_a_quarter_of_an_hour_without_activity(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, began_us = await house.hired("dora", Position.DEALER), house.clock.us
        own, _ = own_account(house)
        house.clock.us = began_us + IDLE_S * SECOND_US - 1
        assert await house.sessions.actor(token) == DORA  # a page that reads on its own is no activity
        house.clock.us += 1
        before = len(await house.entries())
        await refused(house.sessions.actor(token, active=True), FloorCode.SESSION_LOCKED)
        standing = await house.sessions.standing(token)
        assert (standing.name, standing.locked, standing.locks_us) == ("dora", True, house.clock.us)
        for refusing in (
            own.sessions(token),
            own.end_session(token, "0" * 16),
            own.set_up_totp(token, PASSWORD),
            own.confirm_totp(token, "000000"),
            own.lock(token),
            house.sessions.change_password(token, PASSWORD, "another long evening"),
        ):
            await refused(refusing, FloorCode.SESSION_LOCKED)
        assert len(await house.entries()) == before
        await house.sessions.sign_out(token)  # that is always possible

    run(database_url, test)


def test_activity_keeps_a_session_open_and_is_not_written_for_every_command(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        for _ in range(5):
            house.clock.go_on(14)
            assert await house.sessions.actor(token, active=True) == DORA
        seen = "SELECT seen_us FROM sessions"
        (noted_us,) = (await house.database.read(lambda tx: tx.rows(seen)))[0]
        assert noted_us == house.clock.us
        house.clock.us += SEEN_EVERY_S * SECOND_US - 1
        await house.sessions.actor(token, active=True)
        assert await house.database.read(lambda tx: tx.rows(seen)) == [(noted_us,)]
        house.clock.us += 1
        await house.sessions.actor(token, active=True)
        assert await house.database.read(lambda tx: tx.rows(seen)) == [(house.clock.us,)]

    run(database_url, test)


def test_machines_and_visitors_do_not_lock(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        robot = await house.accounts.issue_token(THE_CONSOLE, "robot", Position.DEALER, READER)
        await change_floor_rules(house.floor.house_log, THE_CONSOLE, FloorRules(visitors=True))
        vera = (await house.visitors.enter("vera")).token
        house.clock.go_on(60 * 23)
        for token in (robot, vera):
            standing = await house.sessions.standing(token)
            assert (standing.locked, standing.locks_us) == (False, None)
            assert (await house.sessions.actor(token)).name == standing.name

    run(database_url, test)


def test_the_password_unlocks_and_wrong_ones_lock_that_session_only(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        own, _ = own_account(house)
        await own.lock(token)
        await refused(house.sessions.actor(token, active=True), FloorCode.SESSION_LOCKED)
        for _ in range(MAX_FAILURES):
            await refused(own.unlock_by_password(token, "not the password"), FloorCode.WRONG_PASSWORD)
        await refused(own.unlock_by_password(token, PASSWORD), FloorCode.LOCKED_OUT)
        other = (await house.sessions.sign_in("dora", PASSWORD)).token
        assert await house.sessions.actor(other) == DORA
        await own.unlock_by_password(token, PASSWORD)  # signing in elsewhere has ended the lock
        assert await house.sessions.actor(token) == DORA
        assert [event for _, _, event in await house.told(SessionUnlocked)] == [SessionUnlocked("dora", pin=False)]

    run(database_url, test)


def test_a_pin_unlocks_at_the_terminal_where_the_session_was_opened_and_nowhere_else(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        TERMINAL.set("terminal-1")
        token = (await house.sessions.sign_in("dora", PASSWORD)).token
        own, pins = own_account(house)
        await pins.set(token, PASSWORD, PIN)
        await own.lock(token)
        await refused(own.unlock_by_pin(token, PIN, ""), FloorCode.NOT_A_TERMINAL)
        told = await refused(own.unlock_by_pin(token, PIN, "terminal-2"), FloorCode.NOT_A_TERMINAL)
        assert "elsewhere" in told.message
        await refused(own.unlock_by_pin(token, "482914", "terminal-1"), FloorCode.WRONG_PIN)
        await refused(house.sessions.actor(token), FloorCode.SESSION_LOCKED)
        await own.unlock_by_pin(token, PIN, "terminal-1")
        assert await house.sessions.actor(token) == DORA
        assert [event for _, _, event in await house.told(SessionUnlocked)] == [SessionUnlocked("dora", pin=True)]

    copy_context().run(run, database_url, test)


def test_the_session_that_enrols_a_browser_is_at_that_terminal(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("max", Position.PIT_MANAGER)
        own, pins = own_account(house)
        enrolled = await Terminals(house.floor.house_log).enrol(Actor("max", Position.PIT_MANAGER), token, None, "pit")
        await pins.set(token, PASSWORD, PIN)
        await own.lock(token)
        told = await refused(own.unlock_by_pin(token, PIN, enrolled.terminal.id), FloorCode.NOT_A_TERMINAL)
        assert told.refusal.key == "not_a_terminal.new"  # so far only the person who enrolled it stood there
        await own.unlock_by_password(token, PASSWORD)
        assert [each.terminal for each in await own.sessions(token)] == [enrolled.terminal.id]

    run(database_url, test)


def test_a_late_note_of_activity_does_not_undo_a_lock(database_url: str) -> None:
    """A command that was on its way when the owner locked the session leaves it locked."""

    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        own, _ = own_account(house)
        house.clock.go_on(1)
        locking, acting = own.lock(token), house.sessions.actor(token, active=True)
        await locking
        await refused(acting, FloorCode.SESSION_LOCKED)
        await refused(house.sessions.actor(token, active=True), FloorCode.SESSION_LOCKED)

    run(database_url, test)


# ---- the list of sessions


def test_one_sees_and_ends_ones_own_sessions_only(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        first, eve = await house.hired("dora", Position.DEALER), await house.hired("eve", Position.DEALER)
        house.clock.go_on(1)
        second = (await house.sessions.sign_in("dora", PASSWORD)).token
        own, _ = own_account(house)
        of_eve = (await own.sessions(eve))[0]
        listed = await own.sessions(second)
        assert [each.here for each in listed] == [False, True]
        assert listed[1].started_us == listed[1].seen_us == house.clock.us
        assert not {first, second} & {each.id for each in listed}
        await refused(own.end_session(second, of_eve.id), FloorCode.UNKNOWN_SESSION)
        await refused(own.end_session(second, ""), FloorCode.UNKNOWN_SESSION)
        await own.end_session(second, listed[0].id)
        await refused(house.sessions.actor(first), FloorCode.NOT_SIGNED_IN)
        assert await house.sessions.actor(second) == DORA
        assert await house.told(SignedOut) == [("dora", "dealer", SignedOut("dora"))]

    run(database_url, test)


# ---- one-time passwords


def test_a_one_time_password_expires_to_the_microsecond(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        once = await house.accounts.create(THE_CONSOLE, "dora", Position.DEALER)
        house.clock.us += ONE_TIME_S * SECOND_US
        await refused(house.sessions.sign_in("dora", "not the password"), FloorCode.WRONG_PASSWORD)
        await refused(house.sessions.sign_in("dora", once), FloorCode.ONE_TIME_EXPIRED)
        again = await house.accounts.reset_password(THE_CONSOLE, "dora")
        house.clock.us += ONE_TIME_S * SECOND_US - 1
        token = (await house.sessions.sign_in("dora", again)).token
        await house.sessions.change_password(token, again, PASSWORD)
        house.clock.us += ONE_TIME_S * SECOND_US
        assert (await house.sessions.sign_in("dora", PASSWORD)).to_change is False  # their own does not expire

    run(database_url, test)


def test_a_reset_removes_pin_and_totp(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        own, pins = own_account(house)
        await pins.set(token, PASSWORD, PIN)
        secret = await own.set_up_totp(token, PASSWORD)
        await own.confirm_totp(token, now_code(secret, house.clock))
        once = await house.accounts.reset_password(THE_CONSOLE, "dora")
        assert (await house.sessions.sign_in("dora", once)).to_change
        await refused(pins.check("dora", PIN, await old_terminal(house)), FloorCode.NO_PIN)
        assert await house.told(PasswordChanged)

    run(database_url, test)


def test_right_passwords_never_lock_however_often_something_is_changed(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        own, pins = own_account(house)
        for _ in range(MAX_FAILURES + 1):
            await pins.set(token, PASSWORD, PIN)
        for _ in range(MAX_FAILURES + 1):
            await own.set_up_totp(token, PASSWORD)
        for _ in range(MAX_FAILURES + 1):
            await own.unlock_by_password(token, PASSWORD)

    run(database_url, test)


def test_a_pin_is_not_set_after_a_reset_that_came_in_between(database_url: str) -> None:
    """Otherwise somebody with the old password would keep a way to approve."""

    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        sessions = house.sessions
        own, pins = own_account(house)

        async def checked_then_reset(session: Session, password: str) -> Account:
            account = await Sessions.check_password_of(sessions, session, password)
            await house.accounts.reset_password(THE_CONSOLE, "dora")
            return account

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sessions, "check_password_of", checked_then_reset)
            await refused(pins.set(token, PASSWORD, PIN), FloorCode.NOT_SIGNED_IN)
        await refused(pins.check("dora", PIN, await old_terminal(house)), FloorCode.NO_PIN)
        once = await house.accounts.reset_password(THE_CONSOLE, "dora")
        with_it = (await sessions.sign_in("dora", once)).token
        await refused(pins.set(with_it, once, PIN), FloorCode.PASSWORD_TO_CHANGE)
        await refused(own.set_up_totp(with_it, once), FloorCode.PASSWORD_TO_CHANGE)

    run(database_url, test)


# ---- TOTP


@pytest.mark.parametrize(
    ("at_s", "code"),
    [
        (59, "94287082"),
        (1_111_111_109, "07081804"),
        (1_111_111_111, "14050471"),
        (1_234_567_890, "89005924"),
        (2_000_000_000, "69279037"),
        (20_000_000_000, "65353130"),
    ],
)
def test_codes_are_those_of_rfc_6238(at_s: int, code: str) -> None:
    assert code_at(b"12345678901234567890", at_s // STEP_S, digits=8) == code


def test_a_code_counts_in_its_own_step_and_the_one_before_and_after() -> None:
    secret, step = b"12345678901234567890", 50_000_000
    start_us = step * STEP_S * SECOND_US
    code = code_at(secret, step)
    assert matching_step(secret, code, start_us - STEP_S * SECOND_US, 0) == step
    assert matching_step(secret, code, start_us + 2 * STEP_S * SECOND_US - 1, 0) == step
    assert matching_step(secret, code, start_us - STEP_S * SECOND_US - 1, 0) is None
    assert matching_step(secret, code, start_us + 2 * STEP_S * SECOND_US, 0) is None
    assert matching_step(secret, code, start_us, step) is None
    assert matching_step(secret, "", start_us, 0) is None
    assert matching_step(secret, "\ud800é", start_us, 0) is None


def test_the_address_for_apps_names_the_person() -> None:
    address = address_of(b"12345678901234567890", "dora: 1/2")
    assert address == "otpauth://totp/Punto:dora%3A%201%2F2?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Punto"


def now_code(secret: bytes, clock: SetClock) -> str:
    return code_at(secret, clock.us // SECOND_US // STEP_S)


def test_once_confirmed_a_code_is_asked_at_each_sign_in_and_counts_once(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("adam", Position.ADMINISTRATOR)
        own, _ = own_account(house)
        await refused(own.confirm_totp(token, "123456"), FloorCode.WRONG_CODE)
        await refused(own.set_up_totp(token, "not the password"), FloorCode.WRONG_PASSWORD)
        secret = await own.set_up_totp(token, PASSWORD)
        await house.sessions.sign_in("adam", PASSWORD)  # nothing is asked before it is confirmed
        await refused(own.confirm_totp(token, "12345"), FloorCode.WRONG_CODE)
        code = now_code(secret, house.clock)
        await own.confirm_totp(token, code)
        assert [event.name for _, _, event in await house.told(TotpSetUp) if isinstance(event, TotpSetUp)] == ["adam"]
        await refused(house.sessions.sign_in("adam", PASSWORD), FloorCode.CODE_NEEDED)
        await refused(house.sessions.sign_in("adam", PASSWORD, code=code), FloorCode.WRONG_CODE)  # used to confirm
        house.clock.us += STEP_S * SECOND_US
        code = now_code(secret, house.clock)
        spaced = f"{code[:3]} {code[3:]}"
        assert (await house.sessions.sign_in("adam", PASSWORD, code=spaced)).name == "adam"
        await refused(house.sessions.sign_in("adam", PASSWORD, code=code), FloorCode.WRONG_CODE)
        await refused(house.sessions.sign_in("adam", "not the password", code="0" * DIGITS), FloorCode.WRONG_PASSWORD)

    run(database_url, test)


def test_wrong_codes_lock_like_wrong_passwords(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("adam", Position.ADMINISTRATOR)
        own, _ = own_account(house)
        secret = await own.set_up_totp(token, PASSWORD)
        await own.confirm_totp(token, now_code(secret, house.clock))
        for _ in range(MAX_FAILURES):
            assert await house.told(LockedOut) == []
            await refused(house.sessions.sign_in("adam", PASSWORD, code="nope"), FloorCode.WRONG_CODE)
        assert [event.name for _, _, event in await house.told(LockedOut) if isinstance(event, LockedOut)] == ["adam"]
        house.clock.us += STEP_S * SECOND_US
        code = now_code(secret, house.clock)
        await refused(house.sessions.sign_in("adam", PASSWORD, code=code), FloorCode.LOCKED_OUT)

    run(database_url, test)


def test_right_passwords_never_lock_and_wrong_codes_for_another_device_do(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("adam", Position.ADMINISTRATOR)
        own, pins = own_account(house)
        for _ in range(MAX_FAILURES + 1):
            await pins.set(token, PASSWORD, PIN)
        for _ in range(MAX_FAILURES + 1):
            secret = await own.set_up_totp(token, PASSWORD)
        await own.confirm_totp(token, now_code(secret, house.clock))
        for _ in range(MAX_FAILURES):
            await refused(own.set_up_totp(token, PASSWORD, "nope"), FloorCode.WRONG_CODE)
        await refused(own.set_up_totp(token, PASSWORD, "nope"), FloorCode.LOCKED_OUT)

    run(database_url, test)


def test_another_device_needs_a_code_of_the_one_before(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("adam", Position.ADMINISTRATOR)
        own, _ = own_account(house)
        first = await own.set_up_totp(token, PASSWORD)
        await own.confirm_totp(token, now_code(first, house.clock))
        house.clock.us += STEP_S * SECOND_US
        await refused(own.set_up_totp(token, PASSWORD), FloorCode.CODE_NEEDED)
        second = await own.set_up_totp(token, PASSWORD, now_code(first, house.clock))
        house.clock.us += STEP_S * SECOND_US
        await house.sessions.sign_in("adam", PASSWORD, code=now_code(first, house.clock))  # until it is confirmed
        await own.confirm_totp(token, now_code(second, house.clock))
        house.clock.us += STEP_S * SECOND_US
        old, new = now_code(first, house.clock), now_code(second, house.clock)
        await refused(house.sessions.sign_in("adam", PASSWORD, code=old), FloorCode.WRONG_CODE)
        await house.sessions.sign_in("adam", PASSWORD, code=new)

    run(database_url, test)


def test_no_secret_is_in_the_database_in_clear_and_another_key_opens_none(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("adam", Position.ADMINISTRATOR)
        own, _ = own_account(house)
        secret = await own.set_up_totp(token, PASSWORD)
        await own.confirm_totp(token, now_code(secret, house.clock))
        ((stored,),) = await house.database.read(lambda tx: tx.rows("SELECT secret FROM totp"))
        assert secret not in bytes(stored)
        house.clock.us += STEP_S * SECOND_US
        elsewhere = Sessions(house.floor.house_log, SecretKey(bytes(32)), Passwords(CHEAP))
        signing_in = elsewhere.sign_in("adam", PASSWORD, code=now_code(secret, house.clock))
        assert "another key" in (await refused(signing_in, FloorCode.WRONG_CODE)).message

    run(database_url, test)


def test_where_totp_is_required_those_positions_act_only_with_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        adam, sid = await house.hired("adam", Position.ADMINISTRATOR), await house.hired("sid", Position.SHIFT_MANAGER)
        dora = await house.hired("dora", Position.DEALER)
        own, pins = own_account(house)
        await pins.set(sid, PASSWORD, PIN)
        await change_floor_rules(house.floor.house_log, THE_CONSOLE, FloorRules(totp_required=True))
        for token in (adam, sid):
            await refused(house.sessions.actor(token), FloorCode.TOTP_TO_SET_UP)
            assert (await house.sessions.standing(token)).totp_to_set_up
        await refused(pins.approver("sid", PIN, await old_terminal(house)), FloorCode.TOTP_TO_SET_UP)
        assert await house.sessions.actor(dora) == DORA
        secret = await own.set_up_totp(sid, PASSWORD)
        await refused(house.sessions.actor(sid), FloorCode.TOTP_TO_SET_UP)
        await own.confirm_totp(sid, now_code(secret, house.clock))
        assert (await house.sessions.actor(sid)).name == "sid"
        assert (await pins.approver("sid", PIN, "terminal-1")).name == "sid"
        await refused(house.sessions.actor(adam), FloorCode.TOTP_TO_SET_UP)

    run(database_url, test)
