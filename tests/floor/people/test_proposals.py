"""Approval leads to what was shown, or to nothing, also while the table goes on at random."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from punto import book
from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.proposals import Proposal
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import context_of, event_of
from punto.floor.journal.exceptions import last_exceptions
from punto.floor.journal.house_events import AccountCreated, ProposalApproved, ProposalDeclined
from punto.floor.people.acting import Acting
from punto.floor.people.approvals.four_eyes import ALONE
from punto.floor.people.approvals.house_acts import HouseActs
from punto.floor.people.approvals.proposals import Proposals, encode
from punto.floor.people.approvals.proposed_acts import CreateAccount
from punto.floor.people.duty import Duty
from punto.floor.people.stops import Stops
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes import card_lookup
from punto.rules.refusals import Refusal
from punto.table import legal
from punto.table.moves.listing import SOME_ID
from punto.table.preview import SHOW_CARDS, check_preview, shown
from punto.table.records.commands import CloseTable, client_fields
from punto.table.records.positions import Position
from punto.table.records.state import Phase as TablePhase
from punto.table.records.state import Table
from tests.floor.playing import At
from tests.floor.staff_floor import Staffed, refused, run
from tests.lanes import examples, same_each_time
from tests.table.tables import settings as table_settings

CARDS = ("5h", "9c", "2d", "3s", "7c", "As", "8d", "Kh")
PROPOSER, APPROVER = Actor("dora", Position.DEALER), Actor("cass", Position.SHIFT_MANAGER)


class Drawn:
    """Choices out of hypothesis' numbers."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def pick(self, among: list[Any]) -> Any:
        return among[self._data.draw(st.integers(0, len(among) - 1))]

    def number(self, most: int) -> int:
        return self._data.draw(st.integers(0, most))


async def moved(at: At, live: LiveTable, some: Drawn) -> None:
    """Give something that a supervisor can give now, with a card for it if it needs one."""
    by = Actor("sue", Position.PIT_SUPERVISOR)
    options = [move.command for move in legal(live.rules, live.state, by.name, by.position)]
    options = [option for option in options if not isinstance(option, CloseTable)]
    if not options:
        return
    fields = client_fields(some.pick(options))
    if "card" in fields and fields["card"] is not None:
        fields["card"] = some.pick(list(CARDS))
    await at.ask(by, fields.pop("command").removesuffix(".1"), **fields)


@pytest.mark.slow
def test_approval_leads_to_what_was_shown_or_to_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    outcomes: list[str] = []

    def on_a_floor(test: Callable[[Staffed], Awaitable[None]]) -> None:
        run(str(tmp_path_factory.mktemp("proposals") / "floor.db"), test)

    @settings(
        max_examples=examples(12),
        derandomize=same_each_time(),
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        some = Drawn(data)

        async def test(house: Staffed) -> None:
            for by in (PROPOSER, APPROVER):
                await house.hired(by.name, by.position)
            await house.table("t1")
            at, live = At(house.floor, "t1"), house.floor.table("t1")
            wanted = table_settings(live.rules, least=10_00, most=500_00, observing=True)
            await at.do(Actor("sue", Position.PIT_SUPERVISOR), "open_table", settings=msgspec.to_builtins(wanted))
            proposals = Proposals(house.floor, house.acting)
            for number in range(12):
                for _ in range(some.number(6)):
                    await moved(at, live, some)
                made = await _proposed(proposals, live, some, f"p{number}")
                if made is None:
                    continue
                for _ in range(some.number(2)):
                    await moved(at, live, some)
                outcomes.append(await _approved(proposals, live, made))

        on_a_floor(test)

    check()
    assert {"approved", FloorCode.PREVIEW_CHANGED} <= set(outcomes)


async def _proposed(proposals: Proposals, live: LiveTable, some: Drawn, proposal: str) -> Proposal | None:
    """A proposal of something that the approver could give now, with chips of the floor for it if it needs some."""
    options = [move.command for move in legal(live.rules, live.state, APPROVER.name, APPROVER.position)]
    options = [option for option in options if not isinstance(option, (*SHOW_CARDS, CloseTable))]
    if not options:
        return None
    before = live.head
    fields = client_fields(some.pick(options))
    if SOME_ID in fields.values():
        return None
    if "piles" in fields:
        fields["piles"] = [{"value_minor": 100_00, "count": 1}]
    made = await proposals.propose(PROPOSER, "t1", proposal, fields)
    assert live.head == before
    return None if isinstance(made, Refusal) else made


async def _approved(proposals: Proposals, live: LiveTable, made: Proposal) -> str:
    """What became of it, with the table as it has to be then."""
    assert live.head is not None
    before, state = live.head, live.state
    try:
        approved, answer = await proposals.approve(APPROVER, "t1", made.id)
    except FloorRefused as refused:
        assert (live.head, live.state) == (before, state)
        return str(refused.code)
    if answer.refusal is not None:
        assert (live.head, live.state) == (before, state)
        return str(answer.refusal.code)
    entries = await live.after(live.openings, before.version)
    assert tuple(entries) == answer.entries
    assert encode(shown(map(event_of, entries))) == made.events
    assert {(entry.actor, context_of(entry).proposed_by) for entry in entries} == {(APPROVER.name, PROPOSER.name)}
    assert live.state.phase is not TablePhase.CLOSED
    again, same = await proposals.approve(APPROVER, "t1", made.id)
    assert (again, same) == (approved, answer)
    return "approved"


def test_no_command_that_a_shoe_or_a_scan_completes_has_a_preview() -> None:
    rules, table = book("commission-insurance"), Table()
    assert all(check_preview(rules, table, kind, card_named=False) for kind in card_lookup._CARD_COMMANDS.values())


# ---- on both databases


ERROR = {"command": "report_dealing_error.1", "reason": "a card fell"}
SUE, ADAM = Actor("sue", Position.PIT_SUPERVISOR), Actor("adam", Position.ADMINISTRATOR)


async def dealt(house: Staffed) -> At:
    """A table with two cards out, and its staff."""
    for by in (PROPOSER, SUE, APPROVER, ADAM):
        await house.hired(by.name, by.position)
    await house.table("t1")
    at = At(house.floor, "t1")
    wanted = table_settings(house.floor.table("t1").rules, least=10_00, most=500_00, observing=True)
    await at.do(SUE, "open_table", settings=msgspec.to_builtins(wanted))
    await at.do(SUE, "load_shoe", shoe="s1", decks=8)
    await at.do(PROPOSER, "burn_cards", card="2h")
    await at.do(PROPOSER, "open_betting")
    await at.do(PROPOSER, "place_bet", who="box 1", box=1, bet="banker", stake_minor=50_00)
    await at.do(PROPOSER, "close_betting")
    await at.do(PROPOSER, "deal_card", card="5h")
    await at.do(PROPOSER, "deal_card", card="9c")
    return at


def test_it_is_written_with_its_approval_or_not_at_all(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await dealt(house)
        proposals, live = Proposals(house.floor, house.acting), house.floor.table("t1")
        made = await proposals.propose(PROPOSER, "t1", "p1", ERROR)
        assert isinstance(made, Proposal)
        # declined by somebody else between the look and the write: the command is not written either
        stale = [await proposals.require(SUE, "t1", "p1")]
        await proposals.decline(SUE, "t1", "p1", "nothing fell")
        before = live.head
        with pytest.raises(FloorRefused) as refused:
            await proposals._give(APPROVER, stale[0])
        assert refused.value.code is FloorCode.PROPOSAL_OVER
        live.stale = True
        await proposals.propose(PROPOSER, "t1", "p2", ERROR)
        assert live.head == before
        _, answer = await proposals.approve(SUE, "t1", "p2")
        assert [context_of(entry).approved_by for entry in answer.entries] == ["sue", "sue"]
        kinds = [event for _, _, event in await house.told() if isinstance(event, ProposalApproved | ProposalDeclined)]
        assert [type(event) for event in kinds] == [ProposalDeclined, ProposalApproved]

    run(database_url, test)


def test_an_act_and_its_exceptions(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        await house.hired(ADAM.name, ADAM.position)
        await house.table("t1")
        await house.accounts.create(ADAM, "dan", Position.DEALER, ALONE)
        await house.hired(APPROVER.name, APPROVER.position)
        await refused(house.accounts.create(ADAM, "eve", Position.DEALER, ALONE), FloorCode.SECOND_PERSON_NEEDED)
        proposals = Proposals(house.floor, house.acting)
        acts = HouseActs(house.floor, proposals, house.accounts, house.visitors, Stops(house.floor))
        await acts.propose(ADAM, "act", CreateAccount("eve", Position.DEALER))
        await refused(acts.propose(ADAM, "act", CreateAccount("eva", Position.DEALER)), FloorCode.COMMAND_ID_TAKEN)
        _, secrets = await acts.approve(APPROVER, "act")
        assert secrets.password
        assert (await house.sessions.sign_in("eve", secrets.password)).name == "eve"
        found = await house.database.read(lambda transaction: last_exceptions(transaction, 1_000, 100))
        alone = [(one.by, type(one.event)) for one in found if one.alone]
        assert alone == [("adam", AccountCreated)]

    run(database_url, test)


@pytest.mark.slow
def test_a_process_approves_what_was_proposed_at_another(postgres_url: str) -> None:
    async def test(house: Staffed) -> None:
        at = await dealt(house)
        other = open_database(postgres_url)
        try:
            floor = await Floor.start(other, house.clock)
            there = Proposals(floor, Acting(floor, house.visitors.rules, Duty(floor.house_log).now))
            here = Proposals(house.floor, house.acting)
            assert isinstance(await here.propose(PROPOSER, "t1", "p1", ERROR), Proposal)
            await at.do(PROPOSER, "deal_card", card="2d")
            await refused(there.approve(SUE, "t1", "p1"), FloorCode.PREVIEW_CHANGED)
            assert isinstance(await here.propose(PROPOSER, "t1", "p2", ERROR), Proposal)
            _, answer = await there.approve(SUE, "t1", "p2")
            assert len(answer.entries) == 2
            _, again = await here.approve(APPROVER, "t1", "p2")
            assert again == answer
        finally:
            other.close()

    run(postgres_url, test)
