"""Terminals and PINs: who enrols a browser, what an entry from it carries, and what a PIN proves there."""

from contextvars import copy_context

import pytest

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import TERMINAL, THE_HOUSE, Actor
from punto.floor.journal.entry import context_of
from punto.floor.journal.house_events import PinLocked, PinSet, SignedOut, TerminalEnrolled, TerminalRevoked
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.people.accounts.pins import Pins, require_good_pin
from punto.floor.people.accounts.terminals import Terminal, Terminals
from punto.floor.runtime.sign_in_locks import LOCKED_S, MAX_FAILURES
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.playing import At
from tests.floor.staff_floor import CHEAP, DEALER, PASSWORD, READER, Staffed, refused, run

MAX = Actor("max", Position.PIT_MANAGER)
PIN = "482913"
WRONG = "482914"


def fullwidth(text: str) -> str:
    """As a Chinese keyboard may write it."""
    return "".join(chr(ord(sign) + 0xFEE0) for sign in text)


def pins_of(house: Staffed) -> Pins:
    return Pins(house.sessions, Passwords(CHEAP))


async def enrolled(house: Staffed, title: str = "table 1, left") -> str:
    """The id of a new terminal of the pit, enrolled by max, who then signs out."""
    token = (await house.sessions.sign_in("max", PASSWORD)).token
    enrolment = await Terminals(house.floor.house_log).enrol(MAX, token, None, title)
    await house.sessions.sign_out(token)
    an_hour_ago = "UPDATE terminals SET enrolled_us = 1"  # so that PINs count, whoever has signed in there
    await house.floor.database.write(lambda transaction: transaction.change(an_hour_ago))
    return enrolment.terminal.id


def test_a_pit_manager_enrols_and_revokes_the_browser_they_are_signed_in_at(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.table("felt")
        token, terminals = await house.hired("max", Position.PIT_MANAGER), Terminals(house.floor.house_log)
        pit, felt = await terminals.enrol(MAX, token, None, "pit"), await terminals.enrol(MAX, token, "felt", "left")
        assert pit.key != felt.key
        assert await terminals.find(pit.key) == "terminal-1"
        assert await terminals.find(felt.key) == "terminal-2"
        assert await terminals.find(felt.key[:-1]) == ""
        assert await terminals.find("") == ""
        at_us = house.clock.us
        listed = [
            Terminal("terminal-1", None, "pit", "max", at_us),
            Terminal("terminal-2", "felt", "left", "max", at_us),
        ]
        assert await terminals.list(MAX) == listed
        await terminals.revoke(MAX, "terminal-1")
        assert await terminals.find(pit.key) == ""
        await refused(terminals.revoke(MAX, "terminal-1"), FloorCode.UNKNOWN_TERMINAL)
        assert await terminals.list(Actor("aude", Position.AUDITOR)) == listed[1:]
        events = [event for _, _, event in await house.told() if isinstance(event, TerminalEnrolled | TerminalRevoked)]
        assert events == [
            TerminalEnrolled("terminal-1", "", "pit", "", "", at_us),
            TerminalEnrolled("terminal-2", "felt", "left", "", "", at_us),
            TerminalRevoked("terminal-1", at_us),
        ]

    run(database_url, test)


def test_an_id_is_never_used_again_and_a_browser_is_one_terminal(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token, terminals = await house.hired("max", Position.PIT_MANAGER), Terminals(house.floor.house_log)
        first = await terminals.enrol(MAX, token, None, "pit")
        second = await terminals.enrol(MAX, token, None, "pit again", first.terminal.id)
        assert (await terminals.find(first.key), await terminals.find(second.key)) == ("", "terminal-2")
        assert (await house.sessions.actor(token)).name == "max"  # the session has moved with the browser
        await terminals.revoke(MAX, "terminal-2")
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        assert [event for _, _, event in await house.told(SignedOut)] == [SignedOut("max")]

    run(database_url, test)


def test_below_a_pit_manager_nobody_enrols_and_no_machine_does(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        terminals, token = Terminals(house.floor.house_log), await house.hired("sue", Position.PIT_SUPERVISOR)
        for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.ADMINISTRATOR, Position.AUDITOR):
            by = Actor("sue", position)
            await refused(terminals.enrol(by, token, None, "pit"), TableCode.NOT_AUTHORISED)
            await refused(terminals.revoke(by, "terminal-1"), TableCode.NOT_AUTHORISED)
        machine = await house.accounts.issue_token(THE_CONSOLE, "robot", Position.PIT_MANAGER, READER)
        robot = Actor("robot", Position.PIT_MANAGER)
        assert (
            "Only a person"
            in (await refused(terminals.enrol(robot, machine, None, "x"), TableCode.NOT_AUTHORISED)).message
        )
        await refused(terminals.enrol(MAX, token, "no such table", "x"), FloorCode.UNKNOWN_TABLE)
        await refused(terminals.enrol(MAX, token, None, " x"), TableCode.BAD_NAME)
        assert await terminals.list(MAX) == []

    run(database_url, test)


def test_every_entry_of_a_request_carries_its_terminal_except_those_of_the_house(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.table("felt")
        await house.hired("dora", Position.DEALER)
        TERMINAL.set("terminal-7")
        signed_in = await house.sessions.sign_in("dora", PASSWORD)
        await At(house.floor, "felt").open("commission-insurance")
        await house.floor.house_log.write(THE_HOUSE, SignedOut("dora"))
        await refused(house.accounts.create(DEALER, "eve", None), TableCode.NOT_AUTHORISED)
        TERMINAL.set("")
        await house.sessions.sign_out(signed_in.token)
        at = [(entry.actor, context_of(entry).terminal) for entry in await house.entries()]
        assert at[-5:] == [
            ("dora", "terminal-7"),
            ("sue", "terminal-7"),
            ("house", ""),
            ("dora", "terminal-7"),
            ("dora", ""),
        ]
        opened = await anext(house.floor.watch("felt"))
        assert (opened.actor, context_of(opened).terminal) == ("sue", "terminal-7")

    copy_context().run(run, database_url, test)


def test_a_pin_approves_at_a_terminal_in_the_position_held_now(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("max", Position.PIT_MANAGER)
        token, pins = await house.hired("sue", Position.PIT_SUPERVISOR), pins_of(house)
        terminal = await enrolled(house)
        await refused(pins.approver("sue", PIN, terminal), FloorCode.NO_PIN)
        await refused(pins.set(token, "not the password", PIN), FloorCode.WRONG_PASSWORD)
        await pins.set(token, PASSWORD, PIN)
        assert [event.name for _, _, event in await house.told(PinSet) if isinstance(event, PinSet)] == ["sue"]
        assert await pins.approver("sue", PIN, terminal) == Actor("sue", Position.PIT_SUPERVISOR)
        await house.accounts.assign(THE_CONSOLE, "sue", Position.PIT_MANAGER)
        assert await pins.approver("SUE", PIN, terminal) == Actor("sue", Position.PIT_MANAGER)
        await house.accounts.assign(THE_CONSOLE, "sue", None)
        await refused(pins.approver("sue", PIN, terminal), FloorCode.NO_POSITION)
        await refused(pins.approver("sue", PIN, ""), FloorCode.NOT_A_TERMINAL)
        await refused(pins.approver("sue", WRONG, terminal), FloorCode.WRONG_PIN)
        await refused(pins.approver("nobody", PIN, terminal), FloorCode.WRONG_PIN)
        await refused(pins.approver("\n", PIN, terminal), FloorCode.WRONG_PIN)

    run(database_url, test)


def test_wrong_pins_lock_a_name_at_one_terminal_only(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("max", Position.PIT_MANAGER)
        token, pins = await house.hired("sue", Position.PIT_SUPERVISOR), pins_of(house)
        await pins.set(token, PASSWORD, PIN)
        here, there = await enrolled(house), await enrolled(house, "right")
        for _ in range(MAX_FAILURES):
            await refused(pins.approver("sue", WRONG, here), FloorCode.WRONG_PIN)
        until_us = house.clock.us + LOCKED_S * 1_000_000
        assert await house.told(PinLocked) == [("house", "house", PinLocked("sue", here, until_us))]
        await house.sessions.sign_in("sue", PASSWORD)  # neither locked, nor a way to more tries
        assert "15 minutes" in (await refused(pins.approver("sue", PIN, here), FloorCode.PIN_LOCKED)).message
        assert [line.locked_until_us for line in await house.accounts.list(THE_CONSOLE)] == [0, 0]
        assert (await pins.approver("sue", PIN, there)).name == "sue"
        await refused(pins.approver("sue", PIN, here), FloorCode.PIN_LOCKED)  # right ones elsewhere change nothing here
        house.clock.us = until_us
        assert (await pins.approver("sue", PIN, here)).name == "sue"
        for _ in range(MAX_FAILURES - 1):
            await refused(pins.approver("sue", WRONG, here), FloorCode.WRONG_PIN)
        assert (await pins.approver("sue", PIN, here)).name == "sue"  # a right one resets the count

    run(database_url, test)


@pytest.mark.parametrize("pin", ["", "12345", "1234567", "12345a", fullwidth("123456"), "-12345", " 48291"])
def test_a_pin_has_six_digits(pin: str) -> None:
    with pytest.raises(FloorRefused) as trouble:
        require_good_pin(pin)
    assert trouble.value.refusal.key == "bad_pin.form"


@pytest.mark.parametrize(
    "pin",
    ["123456", "654321", "000000", "901234", "246802", "121212", "482482", "112233", "889988", "159753", "147258"],
)
def test_a_pin_is_none_of_those_that_are_tried_first(pin: str) -> None:
    with pytest.raises(FloorRefused) as trouble:
        require_good_pin(pin)
    assert trouble.value.refusal.key == "bad_pin.easy"


@pytest.mark.parametrize("pin", [PIN, "907158", "300127"])
def test_other_pins_are_good(pin: str) -> None:
    require_good_pin(pin)
