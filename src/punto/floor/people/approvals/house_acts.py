"""Acts of the house that two people do together: accounts, positions, passwords, tokens, and the rule that wants two.

Both are administrator or shift manager; two pit managers or above release gaming. What is bound is the act itself: it
says all that follows from it.
"""

from contextlib import suppress
from functools import partial

import msgspec
from msgspec import Struct

from punto.floor.chips.floor_chips import change_chip_set, chips_change, find_chip_set
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused, id_taken
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.house.projections.proposals import Proposal, ProposalState
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import NO_CONTEXT, EntryContext
from punto.floor.journal.event_base import OFFICERS
from punto.floor.journal.house_events import AccountsConfirmed, HouseEvent
from punto.floor.journal.token_bounds import TokenBounds
from punto.floor.people.accounts.accounts import Accounts
from punto.floor.people.approvals.four_eyes import Mandate, Tried, find_four_eyes, in_force, judge_alone, second_needed
from punto.floor.people.approvals.lone_accounts import UnconfirmedActs, find_lone_acts
from punto.floor.people.approvals.proposals import Proposals, encode
from punto.floor.people.approvals.proposed_acts import (
    AnyAct,
    AssignPosition,
    ChangeChipSet,
    ChangeFloorRules,
    ChangeFloorSettings,
    ConfirmAccounts,
    CreateAccount,
    IssueToken,
    ReleaseGaming,
    ResetPassword,
)
from punto.floor.people.approvals.signers import require_acts, require_signs
from punto.floor.people.floor_rules import (
    FloorRules,
    check_floor_rules,
    find_floor_rules,
    is_open,
    leaving_play_money,
)
from punto.floor.people.sessions.visitors import Visitors
from punto.floor.people.stops import MAY_STOP, Stops
from punto.floor.running.floor import Floor
from punto.floor.settings.floor_settings import (
    MAY_CHANGE_SETTINGS,
    FloorSettings,
    SettingsAfter,
    by_two,
    change_settings,
    find_settings,
    settings_change,
)
from punto.table.procedure.chip_set import ChipSet
from punto.table.records.positions import Position, in_order


class Secrets(Struct, frozen=True):
    """What an act gives out, once."""

    password: str | None = None
    """The one-time password of an account."""
    token: str | None = None


class HouseActs:
    def __init__(
        self, floor: Floor, proposals: Proposals, accounts: Accounts, visitors: Visitors, stops: Stops
    ) -> None:
        self._floor, self._proposals, self._stops = floor, proposals, stops
        self._accounts, self._visitors = accounts, visitors

    async def change_rules_alone(self, by: Actor, rules: FloorRules) -> None:
        """Change the floor's rules as one person.

        Refused if they would no longer want two people, or if a table that is open would be one for money from now on:
        to open one takes two people.
        """
        await check_floor_rules(self._floor.house_log, by, rules)

        def judge(transaction: Transaction) -> EntryContext:
            before, switched_off = find_four_eyes(transaction), not rules.four_eyes
            switched_off &= find_floor_rules(transaction).four_eyes
            ended = switched_off or (before.in_force and not in_force(transaction, rules))
            opens = rules.four_eyes and any(map(partial(is_open, transaction), leaving_play_money(transaction, rules)))
            if (ended or opens) and before.officers >= 2:
                raise second_needed()
            return EntryContext(alone=ended or opens)

        await self._floor.database.read(judge)  # before anybody is cashed out; what counts is the one below
        await self._visitors.change_rules(by, rules, Mandate(judge=judge))

    async def change_settings_alone(self, by: Actor, settings_after: SettingsAfter) -> FloorSettings:
        """Change the floor's settings as one person. Refused if that needs two: see :func:`by_two`."""

        def judge(transaction: Transaction) -> EntryContext:
            before = find_settings(transaction)
            return _BY_ONE(transaction) if by_two(before, settings_after(before)) else NO_CONTEXT

        return await change_settings(self._floor.house_log, by, settings_after, judge)

    async def change_chips_alone(self, by: Actor, chip_set: ChipSet) -> None:
        """The same for the chip set."""

        def judge(transaction: Transaction) -> EntryContext:
            return NO_CONTEXT if find_chip_set(transaction) == chip_set else _BY_ONE(transaction)

        await change_chip_set(self._floor.house_log, by, chip_set, judge)

    async def propose(self, by: Actor, proposal_id: str, act: AnyAct) -> Proposal:
        """Keep an act that could be done now. The same id and act again give the same proposal."""
        may = _may(act)
        await self._proposals.require_person(by, may, "propose_act", "")
        body = encode(act)
        earlier = await self._proposals.find_earlier(by, proposal_id)
        if earlier is not None:
            if earlier.table or earlier.body != body:
                raise id_taken(proposal_id)
            return earlier
        await self._try(by, act)
        positions = ",".join(in_order(may))
        now_us = self._floor.clock.now_us()
        proposal = Proposal(proposal_id, "", "", body, "[]", positions, by.name, by.position, now_us, 0)
        return await self._proposals.keep(by, proposal)

    async def approve(self, by: Actor, proposal_id: str) -> tuple[Proposal, Secrets]:
        """Do what another person has proposed. Again, it does nothing and gives out no secret."""
        proposal = await self._proposals.require(by, "", proposal_id)
        if proposal.state == ProposalState.APPROVED:
            return proposal, Secrets()
        await self._proposals.require_approver(by, proposal)
        approved = self._proposals.approval(by, proposal)
        act = msgspec.json.decode(proposal.body, type=AnyAct)
        may = _may(act)

        def judge(transaction: Transaction) -> EntryContext:
            require_signs(transaction, proposal.by, proposal.at_us, "", may)
            require_acts(transaction, by, "", self._floor.clock.now_us())
            approved(transaction)
            return EntryContext(proposed_by=proposal.by, approved_by=by.name)

        try:
            secrets = await self._do(by, act, Mandate(may, judge, proposal.by))
        except FloorRefused:
            proposal = await self._proposals.require(by, "", proposal_id)
            if proposal.state != ProposalState.APPROVED:
                raise
            return proposal, Secrets()  # the same request twice at once
        return await self._proposals.require(by, "", proposal_id), secrets

    async def _try(self, by: Actor, act: AnyAct) -> None:
        """Refuse an act that cannot be done."""
        if isinstance(act, ChangeFloorRules):  # the rest would cash people out
            await check_floor_rules(self._floor.house_log, by, act.rules, OFFICERS)
            return
        with suppress(Tried):
            await self._do(by, act, Mandate(_may(act), only_try=True))

    async def _do(self, by: Actor, act: AnyAct, mandate: Mandate) -> Secrets:
        match act:
            case CreateAccount():
                return Secrets(password=await self._accounts.create(by, act.name, act.position, mandate))
            case AssignPosition():
                await self._accounts.assign(by, act.name, act.position, mandate)
            case ResetPassword():
                return Secrets(password=await self._accounts.reset_password(by, act.name, mandate))
            case IssueToken():
                bounds = TokenBounds(act.work, act.table)
                token = await self._accounts.issue_token(by, act.name, act.position, bounds, act.days, mandate)
                return Secrets(token=token)
            case ChangeFloorRules():
                await self._visitors.change_rules(by, act.rules, mandate)
            case ReleaseGaming():
                await self._stops.release(by, act.stop, act.reason, mandate)
            case ConfirmAccounts():
                await self._confirm(by, act, mandate)
            case ChangeFloorSettings():
                await mandate.change(self._floor.house_log, by, settings_change(act.changes.applied_to))
            case ChangeChipSet():
                await mandate.change(self._floor.house_log, by, chips_change(ChipSet(act.chips)))
        return Secrets()

    async def lone_acts(self, by: Actor) -> UnconfirmedActs:
        """What one person did alone about accounts and tokens, and two have not confirmed."""
        await self._floor.house_log.require(by, OFFICERS | MAY_AUDIT, "list_lone_acts")
        return await self._floor.database.read(find_lone_acts, long=True)

    async def _confirm(self, by: Actor, act: ConfirmAccounts, mandate: Mandate) -> None:
        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            found = find_lone_acts(transaction).acts
            names = {each.name for each in found if each.version <= act.up_to}
            if not names or names != {*act.names}:
                raise FloorRefused(FloorCode.PREVIEW_CHANGED, variant="accounts")
            return None, [AccountsConfirmed(act.up_to, tuple(sorted(names)))]

        await mandate.change(self._floor.house_log, by, change)


def _may(act: AnyAct) -> frozenset[Position]:
    """Who proposes and approves it."""
    if isinstance(act, ChangeFloorSettings | ChangeChipSet):
        return MAY_CHANGE_SETTINGS
    return MAY_STOP if isinstance(act, ReleaseGaming) else OFFICERS


def _settings_by_two() -> FloorRefused:
    return FloorRefused(FloorCode.SECOND_PERSON_NEEDED, variant="settings")


_BY_ONE = judge_alone(_settings_by_two)
