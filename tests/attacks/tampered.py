"""A floor with everything in it that somebody with the disk can change."""

import asyncio
from datetime import timedelta

from msgspec.structs import replace

from punto.floor.alarms.alarms import Alarms
from punto.floor.audit.faults import FaultCode
from punto.floor.audit.jobs.job_events import event_of
from punto.floor.audit.jobs.job_store import AuditJob, JobKind, JobResult, JobState, VerifySummary, add_job
from punto.floor.audit.verify import verify
from punto.floor.chips.floor_chips import change_chip_set
from punto.floor.clock import SECOND_US
from punto.floor.database import open_database
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode
from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.floor.house.projections.proposals import Proposal
from punto.floor.house.projections.sessions import key_of
from punto.floor.house.projections.stops import StopScope
from punto.floor.journal.actor import Actor
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.token_bounds import TokenBounds, TokenWork
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.own_account import OwnAccount
from punto.floor.people.accounts.terminals import Terminals
from punto.floor.people.accounts.totp import STEP_S, code_at
from punto.floor.people.approvals.blind_counts import BlindCounts
from punto.floor.people.approvals.proposals import Proposals
from punto.floor.people.duty import Duty
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.looks import LookKind, Looks
from punto.floor.people.stops import Stops
from punto.floor.people.table_titles import change_title
from punto.floor.reports.days.shift_report import Reports
from punto.floor.reports.days.sign_offs import AuditedDays
from punto.floor.running.adopted_readings import adopt_reading
from punto.floor.running.floor import Floor
from punto.floor.running.scanner import take
from punto.floor.settings.floor_settings import change_settings
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.scan_store import Scan
from punto.rules.coup.cards import Card
from punto.table.procedure.chip_set import Chip, ChipColour, ChipSet
from punto.table.records.chips import ChipPile, CountPurpose
from punto.table.records.positions import Position
from tests.floor.nights import opened
from tests.floor.people.test_terminals import pins_of
from tests.floor.playing import DEALER, SUPERVISOR, At, manual_table, sealed_table
from tests.floor.reading import NATURAL, Read
from tests.floor.staff_floor import PASSWORD, SetClock, Staffed, refused

SID = Actor("sid", Position.SHIFT_MANAGER)
AUDE = Actor("aude", Position.AUDITOR)
LATER_US = 4_000_000_000_000_000
REVOKED = "a token that was revoked"
"""Its place in a statement is taken by the key of such a session."""


_SOUND = VerifySummary(
    sound=True,
    streams=2,
    entries=9,
    commands=3,
    judged_again=3,
    earlier_revision=0,
    shoes=0,
    seeded=0,
    unchecked_shoes=0,
    head_copies=0,
    backwards=0,
    longest_backwards_us=0,
    fault_count=0,
    faults=(),
)


async def _first_evening(house: Staffed) -> str:
    """Return the key of a session that was revoked."""
    await house.hired("dora", Position.DEALER)
    await house.accounts.create(THE_CONSOLE, "sue", None)
    await _credentials(house)
    revoked = await house.accounts.issue_token(THE_CONSOLE, "lost", Position.DEALER, TokenBounds(TokenWork.CARDS, "m1"))
    await house.accounts.revoke(THE_CONSOLE, "lost")
    for name in ("Ann Li", "Bo", "Cy"):
        await house.players.register(THE_CONSOLE, name, notes="tall")
    await house.players.change(THE_CONSOLE, "P000002", card="7002")
    await house.players.erase(THE_CONSOLE, "P000003")
    await house.table("p1")
    await house.visitors.change_rules(THE_CONSOLE, FloorRules(visitors=True, buy_in_minor=5_00, tables=("p1",)))
    await adopt_reading(house.floor.house_log, SID, "cut_card", 20, "the shift agreed")
    await house.visitors.enter("vera")
    closed = await manual_table(house.floor, "c1")
    proposals = Proposals(house.floor, house.acting)
    for name in ("p0", "p1"):
        proposed = await proposals.propose(DEALER, "c1", name, {"command": "close_table.1"})
        assert isinstance(proposed, Proposal)
    await proposals.decline(DEALER, "c1", "p0", "not yet")
    await closed.do(SUPERVISOR, "close_table")
    await _read_face_down(house)
    await _count_once(house, proposals)
    await Duty(house.floor.house_log).assign(SID, "dora", "c1")
    await change_chip_set(
        house.floor.house_log, SID, ChipSet((Chip(5_00, ChipColour.RED), Chip(25_00, ChipColour.GREEN)))
    )
    await change_title(house.floor, SID, "c1", "Lotus")
    alarms = Alarms(house.floor.house_log)
    await alarms.ring(
        [
            DueAlarm(AlarmKind.DEALER_ON, "1", "c1", subject="dora", values={"minutes": 60}),
            DueAlarm(AlarmKind.RESTART, "2"),
        ]
    )
    await alarms.acknowledge(SUPERVISOR, 1, "relieved")
    await change_settings(house.floor.house_log, SID, lambda settings: replace(settings, tray_chips=500))
    await _audit(house)
    at = await sealed_table(house.floor, name="v1", rules="commission-insurance")
    await at.do(DEALER, "open_betting")
    assert (await at.bet("ann", 100_00)).refusal is None
    await at.do(DEALER, "close_betting")
    await at.do(DEALER, "deal_card")
    await at.do(DEALER, "deal_card")
    return key_of(revoked)


async def _audit(house: Staffed) -> None:
    """One stop in force and one released, a day that is signed off, a look, and a verification."""
    log, stops = house.floor.house_log, Stops(house.floor)
    await stops.stop(SID, StopScope.GAME, "tiger-buffalo", "smoke")
    await stops.stop(SID, StopScope.PLAYER, "P000001", "asked for it")
    await stops.release(SID, 2, "a mistake")
    yesterday = GamingDay().day_of(house.clock.us) - timedelta(days=1)
    await AuditedDays(log, Reports(log)).sign(AUDE, GamingDay(), yesterday, "seen on film")
    await Looks(log).saw(AUDE, LookKind.RATING, "P000001")
    job = AuditJob(
        id="5e0c1f60a8d3b274",
        kind=JobKind.VERIFY,
        export=None,
        by=AUDE.name,
        position=AUDE.position,
        server="s",
        at_us=house.clock.us,
        ended_us=house.clock.us,
        state=JobState.DONE,
        done=9,
        total=9,
        result=JobResult(_SOUND),
        file_until_us=0,
    )

    def verified(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
        add_job(transaction, job)
        return None, list(filter(None, [event_of(job)]))

    await log.change(AUDE, verified)


async def _credentials(house: Staffed) -> None:
    """Max enrols two terminals, one of them in place of the other, and has a PIN and TOTP."""
    token = await house.hired("max", Position.PIT_MANAGER)
    by, terminals, pins = Actor("max", Position.PIT_MANAGER), Terminals(house.floor.house_log), pins_of(house)
    first = await terminals.enrol(by, token, None, "pit, left")
    token = (await house.sessions.sign_in("max", PASSWORD)).token
    await terminals.enrol(by, token, None, "pit", first.terminal.id)
    await pins.set(token, PASSWORD, "482913")
    own = OwnAccount(house.sessions, pins)
    secret = await own.set_up_totp(token, PASSWORD)
    await own.confirm_totp(token, code_at(secret, house.clock.us // SECOND_US // STEP_S))


async def _count_once(house: Staffed, proposals: Proposals) -> None:
    """The tray of m1 was counted by one of two people."""
    piles = (ChipPile(25_00, 4),)
    taken = await BlindCounts(house.floor, house.acting, proposals).count(
        DEALER, "m1", "first", CountPurpose.CHECK, piles
    )
    assert taken.waiting is not None


async def _read_face_down(house: Staffed) -> None:
    """Four cards face down, the first of them turned, and a bridge that is stopped."""
    bounds = TokenBounds(TokenWork.CARDS, "m1")
    token = await house.accounts.issue_token(THE_CONSOLE, "shoe 1", Position.DEALER, bounds)
    read = Read(await manual_table(house.floor, "m1", face_down=True), "m1 1")
    await read.closed()
    await read.taken(1, *NATURAL)
    await read.at.do(DEALER, "turn_card", place=1)
    bridge = Actor("shoe 1", Position.DEALER, bounds=bounds)
    again = take(house.floor, bridge, "m1", Scan("m1 1", 2, Card.EIGHT_SPADES), key_of(token))
    await refused(again, FloorCode.CARD_DIFFERS)


async def _second_evening(house: Staffed) -> None:
    """The interrupted round is void, and the next one is dealt from another shoe."""
    at = At(house.floor, "v1", "second")
    await at.do(SUPERVISOR, "load_shoe", shoe="v1 2", decks=8)
    await at.do(DEALER, "open_betting")
    await at.do(DEALER, "close_betting")
    await at.do(DEALER, "deal_card")


def set_up(url: str) -> str:
    """Two evenings, with a stop between them during a round. Return the key of a session that was revoked."""

    async def whole() -> str:
        keys = []
        for evening in (_first_evening, _second_evening):
            database = open_database(url)
            clock = SetClock()
            house = Staffed(await Floor.start(database, clock), clock)
            keys.append(await evening(house))
            await asyncio.to_thread(database.close)
        return str(keys[0])

    return asyncio.run(whole())


def found(url: str) -> list[FaultCode]:
    with opened(url) as database:
        return [fault.code for fault in verify(database).faults]
