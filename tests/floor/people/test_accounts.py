"""Staff accounts: an administrator creates, assigns, resets and revokes, and everything is recorded."""

import asyncio
from collections.abc import Awaitable

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters

from punto.floor.database import open_database
from punto.floor.database.signatures import Signer
from punto.floor.errors import FloorCode
from punto.floor.house.house_log import HouseLog
from punto.floor.house.positions import ASSIGNABLE
from punto.floor.house.projections.accounts import Holder
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.house_events import (
    AccountCreated,
    AuthorityRefused,
    PasswordChanged,
    PositionAssigned,
    SessionsRevoked,
    TokenIssued,
)
from punto.floor.names.names import fold
from punto.floor.people.accounts.accounts import THE_CONSOLE, Accounts
from punto.floor.people.accounts.passwords import PARAMETERS, Passwords, one_time_password
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.staff_floor import ADMINISTRATOR, CHEAP, DEALER, PASSWORD, READER, Staffed, refused, run, staffed
from tests.keys import TEST_KEY


def test_the_first_start_creates_an_administrator_with_a_one_time_password(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        once = await house.accounts.first_start()
        assert once is not None
        assert await house.accounts.first_start() is None
        signed_in = await house.sessions.sign_in("administrator", once)
        assert (signed_in.position, signed_in.to_change) == (Position.ADMINISTRATOR, True)
        await refused(house.sessions.actor(signed_in.token), FloorCode.PASSWORD_TO_CHANGE)
        await house.sessions.change_password(signed_in.token, once, PASSWORD)
        assert await house.sessions.actor(signed_in.token) == Actor("administrator", Position.ADMINISTRATOR)
        await refused(house.sessions.sign_in("administrator", once), FloorCode.WRONG_PASSWORD)
        assert (await house.told(AccountCreated)) == [
            ("house", "house", AccountCreated("administrator", "administrator", "person"))
        ]

    run(database_url, test)


def test_a_floor_of_machines_alone_has_yet_to_be_started(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER)
        once = await house.accounts.first_start()
        assert once is not None
        assert (await house.sessions.sign_in("administrator", once)).position is Position.ADMINISTRATOR
        assert await house.accounts.first_start() is None

    run(database_url, test)


def test_of_many_first_starts_at_once_one_creates_the_administrator(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        others = [open_database(database_url) for _ in range(3)]
        for database in others:
            database.signer = Signer(TEST_KEY)
        try:
            starts = [Accounts(HouseLog(database, house.clock), Passwords(CHEAP)).first_start() for database in others]
            passwords = await asyncio.gather(*starts, house.accounts.first_start())
        finally:
            for database in others:
                await asyncio.to_thread(database.close)
        (once,) = [password for password in passwords if password is not None]
        assert (await house.sessions.sign_in("administrator", once)).to_change
        assert len(await house.told(AccountCreated)) == 1

    run(database_url, test)


def test_every_change_is_on_record_by_the_one_who_did_it(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("root", Position.ADMINISTRATOR)
        root = await house.sessions.actor(token)
        before = len(await house.told())
        await house.accounts.create(root, "dora", Position.DEALER)
        await house.accounts.assign(root, "dora", Position.PIT_MANAGER)
        await house.accounts.assign(root, "dora", None)
        await house.accounts.reset_password(root, "dora")
        await house.accounts.revoke(root, "dora")
        await house.accounts.issue_token(root, "scanner", Position.DEALER, READER)
        await house.accounts.issue_token(root, "scanner", Position.AUDITOR, READER)
        told = (await house.told())[before:]
        assert {(by, position) for by, position, _ in told} == {("root", "administrator")}
        assert [event for _, _, event in told] == [
            AccountCreated("dora", "dealer", "person"),
            PositionAssigned("dora", "pit_manager"),
            PositionAssigned("dora", "off"),
            PasswordChanged("dora", one_time=True),
            SessionsRevoked("dora"),
            AccountCreated("scanner", "dealer", "machine"),
            TokenIssued("scanner", "dealer", "read"),
            PositionAssigned("scanner", "auditor"),
            TokenIssued("scanner", "auditor", "read"),
        ]
        lines = {line.name: line for line in await house.accounts.list(root)}
        assert {name: line.position for name, line in lines.items()} == {
            "root": "administrator",
            "dora": "off",
            "scanner": "auditor",
        }
        assert (lines["scanner"].holder, lines["scanner"].sessions, lines["root"].sessions) == (Holder.MACHINE, 2, 1)
        events = [event for _, _, event in await house.told()]
        held = {event.name: event.position for event in events if isinstance(event, AccountCreated | PositionAssigned)}
        assert held == {name: line.position for name, line in lines.items()}

    run(database_url, test)


def test_nobody_but_an_administrator_touches_accounts_and_each_try_is_on_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("ben", Position.DEALER)
        for position in Position:
            if position is not Position.ADMINISTRATOR:
                await tried(house, position)

    async def tried(house: Staffed, position: Position) -> None:
        by = Actor(f"ann {position}", position)
        asked: dict[str, Awaitable[object]] = {
            "create_account": house.accounts.create(by, "cat", Position.DEALER),
            "assign_position": house.accounts.assign(by, "ben", Position.SHIFT_MANAGER),
            "reset_password": house.accounts.reset_password(by, "ben"),
            "revoke_sessions": house.accounts.revoke(by, "ben"),
            "issue_token": house.accounts.issue_token(by, "scanner", Position.DEALER, READER),
        }
        if position is not Position.AUDITOR:
            asked["list_accounts"] = house.accounts.list(by)
        before = await house.accounts.list(THE_CONSOLE)
        for action in asked.values():
            await refused(action, TableCode.NOT_AUTHORISED)
        assert await house.accounts.list(THE_CONSOLE) == before
        assert [one for one in await house.told(AuthorityRefused) if one[0] == by.name] == [
            (by.name, position, AuthorityRefused("", by.name, position, what, "not_authorised")) for what in asked
        ]

    run(database_url, test)


def test_nobody_assigns_their_own_position(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("root", Position.ADMINISTRATOR)
        for name in ("root", "ROOT", "\uff52oot"):
            await refused(house.accounts.assign(ADMINISTRATOR, name, Position.SHIFT_MANAGER), TableCode.NOT_AUTHORISED)
        assert len(await house.told(AuthorityRefused)) == 3
        (line,) = await house.accounts.list(ADMINISTRATOR)
        assert line.position == "administrator"

    run(database_url, test)


def test_player_and_house_are_assigned_to_nobody_and_accounts_to_no_machine(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        await house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER)
        before = len(await house.told())
        for position in (Position.PLAYER, Position.HOUSE):
            await refused(house.accounts.create(THE_CONSOLE, "eve", position), FloorCode.BAD_POSITION)
            await refused(house.accounts.assign(THE_CONSOLE, "dora", position), FloorCode.BAD_POSITION)
        for position in (Position.PLAYER, Position.HOUSE, Position.ADMINISTRATOR):
            await refused(house.accounts.issue_token(THE_CONSOLE, "s2", position, READER), FloorCode.BAD_POSITION)
            await refused(house.accounts.assign(THE_CONSOLE, "scanner", position), FloorCode.BAD_POSITION)
        assert len(await house.told()) == before
        assert set(ASSIGNABLE) == set(Position) - {Position.PLAYER, Position.HOUSE}

    run(database_url, test)


HOSTILE = ("", " ", " ann", "ann ", "a\nb", "a\x00b", "\u202eann", "\u200b", "\u3164", "\ufe0f", "\ud800", "a" * 41)


def test_hostile_names_are_refused_and_nothing_is_written(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for name in HOSTILE:
            await tried(house, name)

    async def tried(house: Staffed, name: str) -> None:
        before = await house.entries()
        await refused(house.accounts.create(THE_CONSOLE, name, Position.DEALER), TableCode.BAD_NAME)
        await refused(house.accounts.issue_token(THE_CONSOLE, name, Position.DEALER, READER), TableCode.BAD_NAME)
        await refused(house.accounts.assign(THE_CONSOLE, name, Position.DEALER), FloorCode.UNKNOWN_ACCOUNT)
        await refused(house.accounts.reset_password(THE_CONSOLE, name), FloorCode.UNKNOWN_ACCOUNT)
        await refused(house.accounts.revoke(THE_CONSOLE, name), FloorCode.UNKNOWN_ACCOUNT)
        await refused(house.sessions.sign_in(name, PASSWORD), FloorCode.WRONG_PASSWORD)
        assert await house.entries() == before

    run(database_url, test)


ALIKE = ("dora", "DORA", "\uff44ora", "dora\ufe0f", "do\u034fra", "\u3164dora", "dora\u2800")


def test_no_two_names_look_alike(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("Dora", Position.DEALER)
        for name in ALIKE:
            await refused(house.accounts.create(THE_CONSOLE, name, Position.DEALER), FloorCode.ACCOUNT_EXISTS)
            await refused(
                house.accounts.issue_token(THE_CONSOLE, name, Position.DEALER, READER), FloorCode.ACCOUNT_EXISTS
            )
            signed_in = await house.sessions.sign_in(name, PASSWORD)
            assert signed_in.name == "Dora", ascii(name)

    run(database_url, test)


def test_the_houses_own_names_are_nobodys(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        for name in ("house", "House", "\uff28ouse", "console", "Console\ufe0f"):
            await refused(house.accounts.create(THE_CONSOLE, name, Position.DEALER), FloorCode.NAME_TAKEN)
            await refused(house.accounts.issue_token(THE_CONSOLE, name, Position.DEALER, READER), FloorCode.NAME_TAKEN)

    run(database_url, test)


def test_folding_twice_is_folding_once_and_the_names_people_have_stay_apart() -> None:
    names = ["Ann", "Änn", "José", "Jose", "किरण", "कुरण", "李", "❤️", "ßa", "ﬁ", "İ"]
    assert all(fold(fold(name)) == fold(name) for name in names)
    assert len({fold(name) for name in names}) == len(names)
    assert fold("e\u034f\u0301") == fold("\u00c9")


def test_two_who_create_the_same_account_at_once(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        async with staffed(database_url, running=False) as other:
            tries = [each.accounts.create(THE_CONSOLE, "dora", Position.DEALER) for each in (house, other) * 5]
            answers = await asyncio.gather(*tries, return_exceptions=True)
        assert sum(isinstance(answer, str) for answer in answers) == 1
        codes = {getattr(answer, "code", None) for answer in answers if not isinstance(answer, str)}
        assert codes == {FloorCode.ACCOUNT_EXISTS}
        assert len(await house.told(AccountCreated)) == 1

    run(database_url, test)


def test_a_change_and_its_event_are_written_together_or_not_at_all(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: Staffed) -> None:
        await house.hired("dora", Position.DEALER)
        rows = await house.database.read(lambda tx: tx.rows("SELECT * FROM accounts ORDER BY folded"))
        entries = await house.entries()

        def broken(*_: object) -> None:
            raise RuntimeError("between the change and its event")

        with monkeypatch.context() as patch:
            patch.setattr("punto.floor.house.house_log.append_house", broken)
            for action in (
                house.accounts.create(THE_CONSOLE, "eve", Position.DEALER),
                house.accounts.assign(THE_CONSOLE, "dora", Position.PIT_MANAGER),
                house.accounts.reset_password(THE_CONSOLE, "dora"),
                house.accounts.revoke(THE_CONSOLE, "dora"),
                house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER),
            ):
                with pytest.raises(RuntimeError):
                    await action
        assert await house.database.read(lambda tx: tx.rows("SELECT * FROM accounts ORDER BY folded")) == rows
        assert await house.entries() == entries
        (line,) = await house.accounts.list(THE_CONSOLE)
        assert line.sessions == 1

    run(database_url, test)


def test_no_password_and_no_token_is_in_the_database(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        once = await house.accounts.create(THE_CONSOLE, "dora", Position.DEALER)
        token = (await house.sessions.sign_in("dora", once)).token
        machine = await house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER)
        kept = ""
        for table in ("meta", "streams", "entries", "accounts", "sign_ins", "sessions"):
            kept += str(await house.database.read(lambda tx, name=table: tx.rows(f"SELECT * FROM {name}")))  # type: ignore[misc]  # noqa: S608
        assert "$argon2id$" in kept
        assert not [secret for secret in (once, token, machine) if secret in kept]

    run(database_url, test)


def test_a_machine_has_no_password_and_a_person_no_token(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER)
        assert await house.sessions.actor(token) == Actor("scanner", Position.DEALER, bounds=READER)
        for password in ("", "scanner", token):
            await refused(house.sessions.sign_in("scanner", password), FloorCode.WRONG_PASSWORD)
        await refused(house.accounts.reset_password(THE_CONSOLE, "scanner"), FloorCode.UNKNOWN_ACCOUNT)
        await refused(house.sessions.change_password(token, "", PASSWORD), FloorCode.UNKNOWN_ACCOUNT)
        await house.hired("dora", Position.DEALER)
        await refused(
            house.accounts.issue_token(THE_CONSOLE, "dora", Position.SHIFT_MANAGER, READER), FloorCode.ACCOUNT_EXISTS
        )
        for days in (0, -1, 3_651):
            asked = house.accounts.issue_token(THE_CONSOLE, "scanner", Position.DEALER, READER, days)
            await refused(asked, FloorCode.BAD_TOKEN)
        await house.accounts.revoke(THE_CONSOLE, "scanner")
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)

    run(database_url, test)


def test_a_reset_password_signs_out_and_lets_in_who_was_locked_out(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        token = await house.hired("dora", Position.DEALER)
        for _ in range(5):
            await refused(house.sessions.sign_in("dora", "wrong"), FloorCode.WRONG_PASSWORD)
        await refused(house.sessions.sign_in("dora", PASSWORD), FloorCode.LOCKED_OUT)
        (line,) = await house.accounts.list(THE_CONSOLE)
        assert line.locked_until_us == house.clock.us + 15 * 60_000_000
        once = await house.accounts.reset_password(THE_CONSOLE, "dora")
        await refused(house.sessions.actor(token), FloorCode.NOT_SIGNED_IN)
        await refused(house.sessions.sign_in("dora", PASSWORD), FloorCode.WRONG_PASSWORD)
        assert (await house.sessions.sign_in("dora", once)).to_change

    run(database_url, test)


def test_the_house_itself_is_no_administrator(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await refused(house.accounts.create(THE_HOUSE, "dora", Position.DEALER), TableCode.NOT_AUTHORISED)
        await refused(house.accounts.create(DEALER, "dora", Position.DEALER), TableCode.NOT_AUTHORISED)

    run(database_url, test)


def test_one_time_passwords_are_long_plain_and_never_the_same() -> None:
    made = {one_time_password() for _ in range(1_000)}
    assert len(made) == 1_000
    assert all(len(password) == 23 and not set(password) & set("01ilo") for password in made)


def test_passwords_are_kept_by_argon2id_with_64_mib_and_the_loop_goes_on_meanwhile() -> None:
    async def test() -> None:
        passwords, ticks = Passwords(), 0
        hashing = asyncio.ensure_future(passwords.hash(PASSWORD))
        while not hashing.done():
            await asyncio.sleep(0)
            ticks += 1
        kept = await hashing
        assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
        assert ticks > 5
        assert await passwords.verify(kept, PASSWORD)
        assert not await passwords.verify(kept, PASSWORD + "!")
        assert not passwords.outdated(kept)

    asyncio.run(test())


def test_a_name_without_an_account_is_as_much_work_as_a_wrong_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of an answer must not reveal which names exist."""
    checked: list[Parameters] = []
    verify = PasswordHasher.verify

    def counted(self: PasswordHasher, kept: str | bytes, password: str | bytes) -> bool:
        checked.append(extract_parameters(str(kept)))
        return verify(self, kept, password)

    monkeypatch.setattr(PasswordHasher, "verify", counted)

    async def test() -> None:
        passwords = Passwords()
        kept = await passwords.hash(PASSWORD)
        for against in (kept, None):
            assert not await passwords.verify(against, "wrong")
        assert checked == [PARAMETERS, PARAMETERS]
        assert PARAMETERS.memory_cost == 65_536

    asyncio.run(test())


def test_the_same_password_is_the_same_however_it_is_typed() -> None:
    async def test() -> None:
        passwords = Passwords(CHEAP)
        kept = await passwords.hash("cafe\u0301 au lait")
        assert await passwords.verify(kept, "café au lait")
        for wrong in ("", "\ud800", "a" * 1_000_000, "cafe au lait", "\x00"):
            assert not await passwords.verify(kept, wrong)

    asyncio.run(test())
