"""A proposal, for the queue of those who approve and for the console of those who propose."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from punto.catalogue.sentence import Language, phrase
from punto.floor.errors import FloorRefused
from punto.floor.house.positions import OFF
from punto.floor.house.projections.proposals import Proposal
from punto.floor.house.projections.stops import find_stop
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import without_version
from punto.floor.people.approvals.proposals import may_approve
from punto.floor.running.live_table import LiveTable
from punto.rules.refusals import Clause
from punto.table.records.identity import player_number
from punto.table.records.ledger import player_of
from punto.web.api.previews import preview_of_proposal
from punto.web.http.context import Service
from punto.web.messages.record import ChangedValue
from punto.web.pages.base.i18n import Translator, translator
from punto.web.pages.base.templates import Context
from punto.web.pages.parts.proposal_figures import figures_of
from punto.web.words.consequence_words import meaning
from punto.web.words.event_words import Writer
from punto.web.words.stop_words import stop_subject


class ShownProposal(Struct, frozen=True):
    """A proposal in words."""

    id: str
    address: str
    """Of its API, to approve and to decline it."""
    title: str
    where: str
    by: str
    figures: tuple[ChangedValue, ...]
    """What is approved, value by value. `before` is set where something changes."""
    follows: tuple[str, ...]
    """Empty for an act of the house."""
    means: tuple[str, ...]
    """What that means for the players and what comes next; empty once something else would follow."""
    book: str
    clauses: tuple[Clause, ...]
    who_may: str
    state: str
    decided: str
    reason: str
    mine: bool
    may_approve: bool
    happened: datetime | None
    """When it happened, if it is entered later."""


class ProposalPiece(Context, frozen=True, kw_only=True):
    template = "approvals/proposal.html"
    proposal: ShownProposal


async def show_proposal(service: Service, by: Actor, proposal: Proposal, language: Language) -> ShownProposal:
    """A proposal in the words of one reader."""
    day = await service.floor_view.gaming_day()
    fields, table = proposal.fields, proposal.table
    events = proposal.shown_events
    happened_us, lapsed = proposal.happened_at_us, proposal.lapsed(service.floor.clock.now_us())
    state = "lapsed" if lapsed else proposal.state
    live = service.floor.tables.get(table)
    settings = live.state.settings if live is not None else None
    t = translator(language, at_shuffler=live is not None and live.state.at_shuffler)
    names = await service.player_names.of(frozenset({*_players(events), *_asked(fields), *_at_table(live)}))
    told = (await preview_of_proposal(service, proposal, language)).words if table and not lapsed else None
    writer = Writer(t, names, settings.box_labels if settings else ())
    return ShownProposal(
        id=proposal.id,
        address=_address(proposal),
        title=t(f"command.{_name(proposal)}") if table else await _act(service, proposal, t),
        where=_where(service.floor.title_of(table), fields.get("round") or 0, t),
        by=t("approvals.by", by=proposal.by, position=proposal.position),
        figures=await figures_of(service, proposal, writer) if live is not None or not table else (),
        follows=(writer.lines(events) or (t("approvals.nothing_follows"),)) if table else (),
        means=meaning(told) if told is not None else (),
        book=live.rules.id if live is not None else "",
        clauses=proposal.clauses,
        who_may=t("approvals.who_may", positions=proposal.may_approve),
        state=state,
        decided=t("approvals.decided_by", state=state, by=proposal.decided_by) if proposal.decided_by else "",
        reason=t("approvals.because", reason=proposal.reason) if proposal.reason else "",
        mine=proposal.is_by(by.name),
        may_approve=not lapsed and may_approve(by, proposal),
        happened=day.local(happened_us) if happened_us else None,
    )


def _address(proposal: Proposal) -> str:
    of_table = f"/tables/{quote(proposal.table, safe='')}" if proposal.table else ""
    return f"/api{of_table}/proposals/{quote(proposal.id)}"


def _name(proposal: Proposal) -> str:
    return without_version(proposal.what)


async def _act(service: Service, proposal: Proposal, t: Translator) -> str:
    fields = proposal.fields
    values = {"name": fields.get("name", ""), "position": fields.get("position") or OFF}
    if number := fields.get("stop"):
        values |= {"stop": number, "what": await _stopped(service, number, t), "reason": fields.get("reason", "")}
    return t.write(phrase(f"act.{_name(proposal)}", **values))


async def _stopped(service: Service, number: int, t: Translator) -> str:
    try:
        stop = await service.floor.database.read(lambda transaction: find_stop(transaction, number))
    except FloorRefused:  # no such stop: the approval will say so
        return "?"
    return stop_subject(stop, t)


def _where(table: str, number: int, t: Translator) -> str:
    if not table:
        return t("approvals.of_house")
    return t("approvals.at_table", table=table, round=number) if number else t("approvals.before_first", table=table)


def _asked(fields: Mapping[str, Any]) -> set[str]:
    """The registered players whom a command names."""
    named = (fields.get("who"), fields.get("player_id"), *(fields.get("amounts") or ()))
    bets = (each["who"] for each in fields.get("bets") or ())
    return {who for who in (*named, *bets) if who and player_number(who) is not None}


def _at_table(live: LiveTable | None) -> set[str]:
    """The registered players with chips at a table: whoever closes it sees them."""
    held = (player_of(account) for account in (live.state.balances if live is not None else ()))
    return {who for who in held if who and player_number(who) is not None}


def _players(events: Sequence[Mapping[str, Any]]) -> set[str]:
    """The registered players whom events name."""
    lines = [*events, *(each for event in events for each in event.get("differences", ()))]
    return {who for line in lines if player_number(who := line.get("who", "")) is not None}
