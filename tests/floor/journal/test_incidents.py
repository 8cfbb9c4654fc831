"""Every irregularity gets a number of the floor, which all of its entries carry."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import groupby
from pathlib import Path

import msgspec
import pytest

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry, context_of, tag_of
from punto.floor.journal.incident_index import SELECT_INCIDENTS, IncidentFilter, IncidentRow
from punto.floor.journal.incidents import IncidentWait, OtherKind
from punto.floor.reports.incidents import IncidentReport, Incidents
from punto.floor.running.floor import Floor
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.upkeep.rebuild import rebuild
from punto.rules.coup.cards import Face
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from tests.floor.audit.forging import rewrite, tamper
from tests.floor.clocks import ManualClock
from tests.floor.journals import all_entries
from tests.floor.nights import DORA, INSURED, MAX, NATURAL, SID, SUE, Night, night, opened, troubled
from tests.floor.playing import At, manual_table, running, sealed_table

RULES = "commission-insurance"
AUDITOR = Actor("ada", Position.AUDITOR)
Play = Callable[[Night], Awaitable[None]]


async def _betting(floor: Night, table: str = "t1") -> None:
    await floor.do(DORA, table, "open_betting.1")
    await floor.bet(table, "ann", 1, "banker", 100_00)
    await floor.bet(table, "ben", 2, "player", 50_00)


async def _dealing(floor: Night, table: str = "t1", cards: tuple[str, ...] = ()) -> None:
    await _betting(floor, table)
    await floor.do(DORA, table, "close_betting.1")
    for card in cards:
        await floor.do(DORA, table, "deal_card.1", card=card)


async def _table(floor: Night, name: str = "t1", game: str = RULES) -> None:
    await floor.table(name, game, shoes=ShoeKind.MANUAL, burn=False, automations=[])
    await floor.do(SUE, name, "load_shoe.1", shoe=f"{name} 1", decks=8)


def _played(url: str, play: Play, game: str = RULES) -> list[IncidentReport]:
    """What happens at the table t1, as the incidents of the floor that it leaves, all of them sound."""

    async def evening(floor: Night) -> list[IncidentReport]:
        await _table(floor, game=game)
        await play(floor)
        incidents = Incidents(floor.floor.house_log)
        rows = await incidents.list(AUDITOR, IncidentFilter(), 100)
        return [await incidents.find(SUE, row.number) for row in reversed(rows)]

    found = night(url, evening)
    with opened(url) as database:
        assert verify(database).faults == []
    assert rebuild(url).differed == 0
    return found


def _rows(url: str) -> list[IncidentRow]:
    with opened(url) as database:
        rows = database.reading(lambda transaction: transaction.rows(f"{SELECT_INCIDENTS} ORDER BY number")).result()
        return [IncidentRow(*row) for row in rows]


def _commands(report: IncidentReport) -> list[str]:
    return [step.command.removesuffix(".1") for step in report.steps]


# ---- what belongs to one incident


def test_from_the_report_to_the_last_choice_it_is_one_incident(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=("4s",))
        await floor.do(SUE, "t1", "report_excess_card.1", cards=["8c", None])
        await floor.do(DORA, "t1", "choose_option.1", who="ann", choice="return")
        (open_row,) = await Incidents(floor.floor.house_log).list(SUE, IncidentFilter(), 10)
        assert (open_row.open, open_row.waits) == (True, IncidentWait.CHOICES)
        await floor.do(DORA, "t1", "choose_option.1", who="ben", choice="continue")

    (report,) = _played(database_url, play)
    assert (report.row.number, report.row.round, report.row.kind) == (1, 1, Irregularity.EXCESS_CARD)
    assert not report.row.open
    assert _commands(report) == ["report_excess_card", "choose_option", "choose_option"]
    assert report.moved_minor == {"ann": 100_00}
    assert report.before is not None
    assert report.after is not None
    assert report.before.cards == (Face("4s"),)
    assert report.before.drawn_early == ()
    assert report.after.drawn_early == (Face("8c"), None)
    assert [stake.who for stake in report.before.stakes] == ["ann", "ben"]
    assert [stake.who for stake in report.after.stakes] == ["ben"]
    assert report.clauses
    assert report.same_round == ()


def test_what_the_table_raises_and_the_report_of_it_are_one_incident(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=(*NATURAL, "5h"))
        await floor.do(SUE, "t1", "report_excess_card.1", cards=["5h"])
        await floor.do(DORA, "t1", "settle.1")
        await _betting(floor)
        await floor.do(DORA, "t1", "close_betting.1")
        await floor.do(DORA, "t1", "deal_card.1")
        for card in ("9d", "3h", "Kd", "7c"):
            await floor.do(DORA, "t1", "deal_card.1", card=card)
        await floor.do(SUE, "t1", "dismiss_irregularity.1", reason="read twice")

    first, second = _played(database_url, play)
    assert _commands(first) == ["deal_card", "report_excess_card"]
    assert first.moved_minor == {}
    assert _commands(second) == ["deal_card", "dismiss_irregularity"]
    assert (second.row.number, second.row.round, second.row.open) == (2, 2, False)


def test_a_lost_order_its_ruling_the_choices_and_the_new_shoe_are_one_incident(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=("4s", "2d"))
        await floor.do(DORA, "t1", "report_simultaneous_cards.1", cards=["Kh", "9c"])
        await floor.do(SUE, "t1", "rule_card_order.1", order=[4, 3])
        await floor.do(SUE, "t1", "call_time.1")
        await floor.do(SUE, "t1", "replace_shoe.1", shoe="t1 2", decks=8)

    (report,) = _played(database_url, play)
    assert _commands(report) == ["report_simultaneous_cards", "rule_card_order", "call_time", "replace_shoe"]
    assert not report.row.open


def test_options_that_a_corrected_card_gives_belong_to_the_incident_of_the_error(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=("4s", "2d"))
        await floor.do(SUE, "t1", "report_excess_card.1", cards=["3h"])
        await floor.do(SUE, "t1", "correct_card.1", shoe="t1 1", draw=2, card="Ah")
        (open_row,) = await Incidents(floor.floor.house_log).list(SUE, IncidentFilter(), 10)
        assert (open_row.open, open_row.waits) == (True, IncidentWait.CHOICES)
        await floor.do(DORA, "t1", "choose_option.1", who="ann", choice="return")
        await floor.do(SUE, "t1", "correct_card.1", shoe="t1 1", draw=2, card="3h")

    (report,) = _played(database_url, play, "da-hu-ying-xiong")
    assert _commands(report) == ["report_excess_card", "correct_card", "choose_option", "correct_card"]
    assert (report.row.kind, report.row.open, report.moved_minor) == (Irregularity.EXCESS_CARD, False, {})


def test_a_bad_shoe_stays_open_until_another_one_is_there(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=("4s", "2d"))
        await floor.do(SUE, "t1", "report_foreign_card.1", reason="a joker")
        (open_row,) = await Incidents(floor.floor.house_log).list(SUE, IncidentFilter(), 10)
        assert open_row.waits == IncidentWait.SHOE
        await floor.do(SUE, "t1", "load_shoe.1", shoe="t1 2", decks=8)
        await floor.do(SUE, "t1", "load_shoe.1", shoe="t1 3", decks=8)

    (report,) = _played(database_url, play)
    assert _commands(report) == ["report_foreign_card", "load_shoe"]
    assert report.moved_minor == {"ann": 100_00, "ben": 50_00}
    assert report.after is not None
    assert report.after.stakes == ()


def test_bets_that_go_back_for_want_of_insurance_are_one_incident_a_round(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=INSURED[:4])
        await floor.do(DORA, "t1", "deal_card.1", card=INSURED[4], not_offered=True)
        await floor.do(DORA, "t1", "open_insurance.1")
        await floor.do(DORA, "t1", "deal_card.1", card=INSURED[5])
        missed = {"box": 1, "side": "banker", "reason": "asked for it"}
        await floor.do(MAX, "t1", "return_uninsured_bets.1", who="ann", **missed)

    (report,) = _played(database_url, play)
    assert (report.row.kind, report.moved_minor) == (OtherKind.UNINSURED, {"ann": 100_00})


def test_a_late_offer_is_an_incident(tmp_path: Path) -> None:
    async def play() -> list[IncidentRow]:
        async with running(str(tmp_path / "floor.db")) as floor:
            at = await manual_table(floor, rules="da-hu-ying-xiong", observing=True, face_down=True, burn=False)
            await at.do(DORA, "open_betting")
            await at.do(DORA, "place_bet", who="ann", box=1, bet="banker", stake_minor=100_00)
            await at.do(DORA, "close_betting")
            for _ in range(4):
                await at.do(DORA, "deal_card")
            for place, card in enumerate(("As", "2s", "3d", "3h"), 1):
                await at.do(DORA, "turn_card", place=place, card=card)
            await at.do(DORA, "deal_card", not_offered=True)
            await at.do(MAX, "offer_late_insurance")
            await at.do(DORA, "take_insurance", who="ann", box=1, stake_minor=10_00)
            return await Incidents(floor.house_log).list(SUE, IncidentFilter(), 10)

    (row,) = asyncio.run(play())
    assert (row.kind, row.version, row.open) == (OtherKind.UNINSURED, row.last, False)


def test_two_irregularities_of_a_round_are_two_incidents_that_name_each_other(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=NATURAL[:2])
        await floor.do(SUE, "t1", "report_dealing_error.1", reason="the sleeve")
        await floor.do(SUE, "t1", "report_interruption.1", reason="the lights")
        await _dealing(floor)
        late = {"who": "ann", "box": 1, "bet": "tie", "tried": "placed", "amount_minor": 5_00}
        await floor.do(DORA, "t1", "report_late_bet.1", **late)
        await floor.do(DORA, "t1", "report_later_error.1", round=1, reason="a chip had rolled")
        await floor.do(SID, "t1", "rule.1", effect="adjust", reason="goodwill", amounts={"ann": 7_00})

    reports = _played(database_url, play)
    shown = [(each.row.kind, each.row.round, each.same_round) for each in reports]
    assert shown == [
        (Irregularity.DEALING_ERROR, 1, (2, 4)),
        (Irregularity.INTERRUPTION, 1, (1, 4)),
        (OtherKind.LATE_BET, 2, (5,)),
        (Irregularity.LATER_ERROR, 1, (1, 2)),
        (Irregularity.RULING, 2, (3,)),
    ]
    assert not any(each.row.open for each in reports), "what an interruption ends is over"
    assert reports[0].moved_minor == {}
    assert reports[1].moved_minor == {"ann": 100_00, "ben": 50_00}
    assert reports[4].moved_minor == {"ann": 7_00}
    assert reports[3].before == reports[3].after is not None, "an earlier round stays as it was"


def test_a_ruling_on_what_is_open_belongs_to_it(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=(*NATURAL, "5h"))
        await floor.do(SID, "t1", "rule.1", effect="void", reason="the cards fell")

    (report,) = _played(database_url, play)
    assert _commands(report) == ["deal_card", "rule"]
    assert (report.row.kind, report.row.open) == (Irregularity.EXCESS_CARD, False)


def test_a_correction_is_no_incident(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=NATURAL)
        await floor.do(SUE, "t1", "correct_card.1", shoe="t1 1", draw=3, card="4c", reason="wrong key")

    assert _played(database_url, play) == []


def test_everything_that_goes_wrong_has_a_number(database_url: str) -> None:
    """In the order in which it happened, and each entry that belongs to it has it."""
    troubled(database_url)
    with opened(database_url) as database:
        assert verify(database).faults == []
        entries = all_entries(database)
    rows = _rows(database_url)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    assert [row.version for row in rows] == sorted(row.version for row in rows)
    numbered = {number for entry in entries if (number := context_of(entry).incident)}
    assert numbered == {row.number for row in rows}
    wrong = ("irregularity_", "option_", "options_", "ruled.", "round_voided", "uninsured_bet", "late_bet")
    for entry in entries:
        assert not tag_of(entry).startswith(wrong) or context_of(entry).incident, entry
    for _, command in groupby(entries, key=lambda entry: entry.command_id):
        assert len({entry.context for entry in command}) == 1


def test_a_repeated_command_has_the_number_it_had(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _dealing(floor, cards=NATURAL[:2])
        body = {"command": "report_dealing_error.1", "reason": "the sleeve"}
        first = await floor.floor.submit(SUE, "t1", "once", body)
        assert (await floor.floor.submit(SUE, "t1", "once", body)).entries == first.entries

    assert len(_played(database_url, play)) == 1


def test_no_such_incident(database_url: str) -> None:
    async def play(floor: Night) -> None:
        with pytest.raises(FloorRefused) as refused:
            await Incidents(floor.floor.house_log).find(SUE, 1)
        assert refused.value.code is FloorCode.UNKNOWN_INCIDENT

    assert _played(database_url, play) == []


# ---- the list


def test_the_list_is_newest_first_and_can_be_narrowed(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await _table(floor)
        await _table(floor, "t2")
        incidents = Incidents(floor.floor.house_log)
        for table in ("t1", "t2", "t1"):
            await _betting(floor, table)
            await floor.do(SUE, table, "report_interruption.1", reason="the lights")

        async def numbers(**wanted: object) -> list[int]:
            return [row.number for row in await incidents.list(SUE, IncidentFilter(**wanted), 10)]  # type: ignore[arg-type]

        (last, *_) = await incidents.list(SUE, IncidentFilter(), 1)
        assert await numbers() == [3, 2, 1]
        assert await numbers(table="t1") == [3, 1]
        assert await numbers(table="t1", round=1) == [1]
        assert await numbers(before=3) == [2, 1]
        assert await numbers(from_us=last.at_us) == [3]
        assert await numbers(until_us=last.at_us) == [2, 1]
        with pytest.raises(FloorRefused):
            await incidents.list(Actor("ann", Position.PLAYER), IncidentFilter(), 10)

    night(database_url, play)


# ---- several processes


def test_numbers_have_no_gap_when_processes_take_them_at_once(postgres_url: str) -> None:
    async def play() -> None:
        databases = [open_database(postgres_url) for _ in range(2)]
        try:
            floors = [Night(await Floor.start(databases[0]))]
            for table in ("t1", "t2"):
                await _table(floors[0], table)
            floors.append(Night(await Floor.start(databases[1])))
            for _ in range(5):
                for table in ("t1", "t2"):
                    await _betting(floors[0], table)
                await asyncio.gather(
                    *(
                        floor.do(SUE, table, "report_interruption.1", reason="the lights")
                        for floor, table in zip(floors, ("t1", "t2"), strict=True)
                    )
                )
        finally:
            for database in databases:
                database.close()

    asyncio.run(play())
    assert [row.number for row in _rows(postgres_url)] == list(range(1, 11))
    with opened(postgres_url) as database:
        assert verify(database).faults == []


# ---- forged numbers


def _renumbered(url: str, change: Callable[[Entry, int], int]) -> None:
    """Give the entries of t1 other numbers, with hashes and caches that fit."""

    def forge(entries: list[Entry]) -> list[Entry]:
        changed = []
        for entry in entries:
            context = context_of(entry)
            number = change(entry, context.incident)
            text = msgspec.json.encode(msgspec.structs.replace(context, incident=number)).decode()
            changed.append(msgspec.structs.replace(entry, context=text))
        return changed

    rewrite(url, "t1/1", forge)


FORGED: dict[str, Callable[[Entry, int], int]] = {
    "the second is gone": lambda _, number: 0 if number == 2 else number,
    "the first is gone": lambda _, number: 0 if number == 1 else number,
    "all but the first are gone": lambda _, number: 0 if number > 1 else number,
    "another number": lambda _, number: 99 if number == 2 else number,
    "two are one": lambda _, number: 1 if number == 2 else number,
    "the wrong way round": lambda _, number: {1: 2, 2: 1}.get(number, number),
    "a choice belongs to none": lambda entry, number: 0 if tag_of(entry) == "option_chosen.1" else number,
    "a bet belongs to one": lambda entry, number: 1 if tag_of(entry) == "bet_placed.1" else number,
}


@pytest.mark.slow
@pytest.mark.parametrize("change", FORGED)
def test_forged_numbers_are_found(tmp_path_factory: pytest.TempPathFactory, change: str) -> None:
    url = str(tmp_path_factory.mktemp("forged") / "floor.db")
    troubled(url)
    _renumbered(url, FORGED[change])
    with opened(url) as database:
        assert FaultCode.INCIDENTS_DIFFER in {fault.code for fault in verify(database).faults}


# ---- the table of incidents is a cache


def test_a_rebuild_repairs_every_row(database_url: str) -> None:
    troubled(database_url)
    kept = _rows(database_url)
    tamper(
        database_url,
        ("UPDATE incidents SET kind = 'ruling', waits = 'shoe' WHERE number = 1", ()),
        ("DELETE FROM incidents WHERE number = 3", ()),
        ("UPDATE incidents SET number = 99 WHERE number = 4", ()),
    )
    with opened(database_url) as database:
        assert [fault.code for fault in verify(database).faults] == [FaultCode.INCIDENTS_DIFFER]
    assert rebuild(database_url).differed == 4
    assert _rows(database_url) == kept
    assert rebuild(database_url).incidents == len(kept)


# ---- what the server itself does


def test_a_round_that_the_server_left_is_an_incident_of_its_table(database_url: str) -> None:
    """At a virtual shoe it was interrupted; at a real one the dealer is asked, and the answer belongs to it."""

    async def play() -> list[IncidentReport]:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            for at in (await sealed_table(floor, name="v1", rules=RULES), await manual_table(floor, "m1", RULES)):
                await at.do(DORA, "open_betting")
                assert (await at.bet("ann", 100_00)).refusal is None
        clock.passes(60)
        async with running(database_url, clock) as floor:
            for table in ("v1", "m1"):
                await floor.take_over(floor.table(table))
            incidents = Incidents(floor.house_log)
            waiting = await incidents.list(SUE, IncidentFilter(table="m1"), 10)
            assert [row.waits for row in waiting] == [IncidentWait.RESUME]
            await At(floor, "m1", "later").do(DORA, "resume_round")
            return [await incidents.find(SUE, number) for number in (1, 2)]

    interrupted, restarted = asyncio.run(play())
    assert (interrupted.row.kind, interrupted.moved_minor) == (Irregularity.INTERRUPTION, {"ann": 100_00})
    assert (restarted.row.kind, _commands(restarted)) == (OtherKind.RESTART, ["report_restart", "resume_round"])
    assert not restarted.row.open
    with opened(database_url) as database:
        assert verify(database).faults == []
