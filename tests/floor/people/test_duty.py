"""Who is on duty where, and what that means for a dealer's commands."""

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import AuthorityRefused, DutyEnded, DutyStarted
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.duty import Duty
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.audit.forging import tamper
from tests.floor.nights import opened
from tests.floor.staff_floor import DEALER, MINUTE_US, READER, SUPERVISOR, Staffed, refused, run

MANAGER = Actor("max", Position.PIT_MANAGER)
DAN = Actor("dan", Position.DEALER)
AUDITOR = Actor("ada", Position.AUDITOR)
OPENING = {"command": "open_table.1", "settings": {"layout": "A", "boxes": 7}}


async def staff(house: Staffed) -> Duty:
    for actor in (DEALER, DAN, SUPERVISOR, MANAGER):
        await house.accounts.create(THE_CONSOLE, actor.name, actor.position)
    for table in ("t1", "t2"):
        await house.table(table, "commission")
        await house.floor.submit(SUPERVISOR, table, f"open {table}", OPENING)
    return Duty(house.floor.house_log)


async def gives(house: Staffed, by: Actor, table: str) -> None:
    """Somebody buys in: a command that every dealer may give."""
    body = {"command": "buy_in.1", "who": "box 1", "amount_minor": 100}
    answer = await house.acting.submit(by, table, f"buy {by.name} {table} {house.clock.us}", body)
    assert answer.refusal is None
    house.clock.us += 1


def test_until_the_first_assignment_every_dealer_acts_everywhere(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        await gives(house, DEALER, "t1")
        await gives(house, DAN, "t1")
        await duty.assign(MANAGER, "dan", "t2")
        await refused(gives(house, DEALER, "t1"), FloorCode.NOT_ON_DUTY_HERE)
        await duty.end(MANAGER, "dan")
        await refused(gives(house, DEALER, "t1"), FloorCode.NOT_ON_DUTY_HERE)

    run(database_url, test)


def test_a_dealer_acts_at_their_table_and_supervisors_and_machines_everywhere(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        await house.accounts.issue_token(THE_CONSOLE, "bridge", Position.DEALER, READER)
        await duty.assign(MANAGER, "DORA", "t1")
        await gives(house, DEALER, "t1")
        refusal = await refused(gives(house, DEALER, "t2"), FloorCode.NOT_ON_DUTY_HERE)
        assert refusal.refusal.key == "not_on_duty_here.elsewhere"
        refusals = [event for _, _, event in await house.told(AuthorityRefused)]
        assert refusals == [AuthorityRefused("t2", "dora", "dealer", "buy_in.1", "not_on_duty_here")]
        await gives(house, SUPERVISOR, "t2")
        await gives(house, Actor("bridge", Position.DEALER, bounds=READER), "t2")
        assert (await duty.table_of("dora"), await duty.table_of("dan")) == ("t1", None)

    run(database_url, test)


def test_a_dealer_proposes_nothing_at_another_table(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        await duty.assign(MANAGER, "dora", "t1")
        body = {"command": "rule.1", "reason": "miscounted", "effect": "adjust", "amounts": {"box 1": 100}}
        await refused(house.acting.preview(DEALER, "t2", body), FloorCode.NOT_ON_DUTY_HERE)

    run(database_url, test)


def test_a_repeated_command_is_answered_after_a_relief(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        await duty.assign(MANAGER, "dora", "t1")
        body = {"command": "buy_in.1", "who": "box 1", "amount_minor": 100}
        first = await house.acting.submit(DEALER, "t1", "once", body)
        await duty.relieve(SUPERVISOR, "t1", "dan")
        assert await house.acting.submit(DEALER, "t1", "once", body) == first
        await refused(gives(house, DEALER, "t1"), FloorCode.NOT_ON_DUTY_HERE)

    run(database_url, test)


def test_a_relief_is_on_record_with_both_dealers(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty, start_us = await staff(house), house.clock.us
        await duty.assign(MANAGER, "dora", "t1")
        house.clock.go_on(40)
        await duty.relieve(DEALER, "t1", "dan")
        relieved_us = start_us + 40 * MINUTE_US
        assert [(who, event) for who, _, event in (await house.told())[-3:]] == [
            ("max", DutyStarted("dora", "t1", "dealer", start_us)),
            ("dora", DutyEnded("dora", "t1", relieved_us)),
            ("dora", DutyStarted("dan", "t1", "dealer", relieved_us, "dora")),
        ]
        await gives(house, DAN, "t1")
        house.clock.go_on(10)
        await duty.end(MANAGER, "dan")

        async def names(from_us: int, to_us: int) -> list[str]:
            return [line.name for line in await duty.lines(AUDITOR, from_us, to_us)]

        assert await names(start_us, start_us) == ["dora"]
        assert await names(relieved_us, relieved_us) == ["dan"]
        assert await names(start_us, relieved_us) == ["dora", "dan"]
        assert await names(start_us - 1, start_us - 1) == await names(house.clock.us, house.clock.us) == []

    run(database_url, test)


def test_a_dealer_hands_over_only_their_own_table_to_somebody_free(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        await duty.assign(MANAGER, "dora", "t1")
        await refused(duty.relieve(DAN, "t1", "dan"), FloorCode.NOT_ON_DUTY_HERE)
        await refused(duty.relieve(DEALER, "t1", "sam"), FloorCode.BAD_DUTY)
        await refused(duty.relieve(DEALER, "t1", "dora"), FloorCode.BAD_DUTY)
        await refused(duty.relieve(SUPERVISOR, "t2", "dan"), FloorCode.BAD_DUTY)
        await duty.assign(MANAGER, "dan", "t2")
        await refused(duty.relieve(DEALER, "t1", "dan"), FloorCode.BAD_DUTY)
        await duty.relieve(SUPERVISOR, "t1", "dan")
        assert (await duty.now()).tables_of("dan") == ("t1",)
        assert (await duty.now()).tables_of("dora") == ()

    run(database_url, test)


def test_supervisors_have_several_tables_and_dealers_one(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        for table in ("t1", "t2"):
            await duty.assign(MANAGER, "sam", table)
            await duty.assign(MANAGER, "dora", table)
        on_duty = await duty.now()
        assert (on_duty.tables_of("sam"), on_duty.tables_of("dora")) == (("t1", "t2"), ("t2",))
        assert on_duty.at_table("t2", {Position.DEALER}) == ("dora",)
        await house.accounts.assign(THE_CONSOLE, "sam", Position.PIT_SUPERVISOR)
        assert (await duty.now()).tables_of("sam") == ("t1", "t2")
        await house.accounts.assign(THE_CONSOLE, "sam", None)
        assert (await duty.now()).tables_of("sam") == ()

    run(database_url, test)


def test_what_makes_no_sense_is_refused(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        await house.accounts.create(THE_CONSOLE, "ada", Position.AUDITOR)
        await house.accounts.issue_token(THE_CONSOLE, "bridge", Position.DEALER, READER)
        await refused(duty.assign(SUPERVISOR, "dora", "t1"), TableCode.NOT_AUTHORISED)
        await refused(duty.end(DEALER, "dora"), TableCode.NOT_AUTHORISED)
        await refused(duty.lines(Actor("eve", Position.PLAYER), 0, 1), TableCode.NOT_AUTHORISED)
        await refused(duty.assign(MANAGER, "nobody", "t1"), FloorCode.UNKNOWN_ACCOUNT)
        await refused(duty.assign(MANAGER, "dora", "t9"), FloorCode.UNKNOWN_TABLE)
        await refused(duty.assign(MANAGER, "ada", "t1"), FloorCode.BAD_DUTY)
        await refused(duty.assign(MANAGER, "bridge", "t1"), FloorCode.BAD_DUTY)
        await refused(duty.end(MANAGER, "dora"), FloorCode.BAD_DUTY)
        await duty.assign(MANAGER, "dora", "t1")
        await refused(duty.assign(MANAGER, "dora", "t1"), FloorCode.BAD_DUTY)

    run(database_url, test)


def test_verify_finds_duty_that_the_house_did_not_record(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        duty = await staff(house)
        await duty.assign(MANAGER, "dora", "t1")
        await duty.relieve(SUPERVISOR, "t1", "dan")

    run(database_url, test)
    with opened(database_url) as database:
        assert verify(database).faults == []
    tamper(database_url, ("UPDATE duty SET at_table = 't2' WHERE name = 'dan'", ()))
    with opened(database_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.DUTY_DIFFERS]
