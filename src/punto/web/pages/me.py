"""The page of a person's own account: sessions, PIN, TOTP, and the terminal that this browser is."""

from datetime import datetime

from msgspec import Struct

from punto.floor.journal.actor import Actor
from punto.floor.people.accounts.own_account import OwnSession, SecondFactors
from punto.floor.people.accounts.terminals import Terminal
from punto.floor.settings.gaming_day import GamingDay
from punto.table.records.positions import MANAGER_UP
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PageLayout, PageQuery, Visitor, rest_of_query, shown_stops
from punto.web.pages.base.templates import page


class ShownSession(Struct, frozen=True):
    id: str
    here: bool
    locked: bool
    started: datetime | None
    """None if an earlier release opened it."""
    seen: datetime | None
    """None if its owner locked it."""
    terminal: str


class MePage(PageContext, frozen=True, kw_only=True):
    template = "me.html"
    sessions: tuple[ShownSession, ...]
    second_factors: SecondFactors
    totp_to_set_up: bool
    terminal: Terminal | None
    """The terminal that this browser is."""
    may_enrol: bool
    terminals: tuple[Terminal, ...]
    """Empty unless they may enrol."""
    tables: tuple[tuple[str, str], ...]
    """Name and title of each; empty unless they may enrol."""


async def me(call: HttpRequest) -> Raw:
    service = call.service
    standing = await service.sessions.standing(call.token, active=True)
    own = await service.own_account.sessions(call.token)
    actor = standing.actor()
    day = await service.floor_view.gaming_day()
    manager = actor if isinstance(actor, Actor) and actor.position in MANAGER_UP else None
    context = MePage(
        layout=PageLayout(
            who=Visitor(standing.name, standing.position),
            here="me",
            path="/me",
            odds=service.config.odds,
            also=rest_of_query(call),
            zone=day.zone,
            stopped=shown_stops(service.floor, actor if isinstance(actor, Actor) else None, call.language),
        ),
        sessions=tuple(_shown(each, day) for each in own),
        second_factors=await service.own_account.second_factors(call.token),
        totp_to_set_up=standing.totp_to_set_up,
        terminal=await service.terminals.get(call.terminal) if call.terminal else None,
        may_enrol=manager is not None,
        terminals=tuple(await service.terminals.list(manager)) if manager else (),
        tables=tuple((name, service.floor.title_of(name)) for name in sorted(service.floor.tables)) if manager else (),
    )
    return await page(context, call.language)


def _shown(session: OwnSession, day: GamingDay) -> ShownSession:
    return ShownSession(
        session.id,
        session.here,
        session.locked,
        day.local(session.started_us) if session.started_us else None,
        day.local(session.seen_us) if session.seen_us else None,
        session.terminal,
    )


ENDPOINTS = (Endpoint("GET", "/me", me, "Your own account", query=PageQuery, access=Access.SESSION),)
