"""The sign-in page: visitors by name, registered players by code, staff by password.

One-time passwords are changed here too.
"""

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.live_table import LiveTable
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page

MAX_ADDRESS = 300
STAFF_PAGES = frozenset({"approvals", "audit", "incidents", "me", "pit", "reports", "settings", "start"})
STAFF_PAGES_OF_TABLE = frozenset({"deal", "guide"})


class SignInQuery(PageQuery, frozen=True):
    """``to`` is the address to go to after signing in."""

    to: str | None = None
    staff: str = ""
    """Not empty: the form for staff."""


class SignInPage(PageContext, frozen=True, kw_only=True):
    template = "enter.html"
    to: str
    visitors: bool
    for_staff: bool
    """Whether it asks for an account: visitors and players see that only if they want it."""
    codes: bool
    """Whether there is a table for which registered players get codes."""
    to_change: str
    """Name of the person who must change a one-time password; empty: nobody."""


def own_address(to: str | None) -> str:
    """The address if it is one of this server, else the lobby.

    Browsers treat ``//`` at the start, and a backslash, as the start of another host, and drop line breaks.
    """
    if not to or len(to) > MAX_ADDRESS or not to.startswith("/") or to.startswith("//"):
        return "/"
    return "/" if "\\" in to or not to.isprintable() else to


def leads_to_staff(to: str | None) -> bool:
    """Whether only staff have something to do at the address.

    >>> [leads_to_staff(to) for to in ("/pit?x=1", "/tables/T/deal", "/tables/T", "/tables/deal", None)]
    [True, True, False, False, False]
    """
    first, *rest = (to or "/").partition("?")[0].strip("/").split("/")
    return first in STAFF_PAGES or (first == "tables" and len(rest) > 1 and rest[1] in STAFF_PAGES_OF_TABLE)


async def enter(call: HttpRequest) -> Raw:
    rules = await call.service.floor_view.rules()
    codes = any(_takes_codes(live, rules) for live in call.service.floor.tables.values())
    context = SignInPage(
        layout=layout_of(call, "enter", "/enter"),
        to=own_address(call.query.to),
        visitors=rules.visitors,
        for_staff=bool(call.query.staff) or leads_to_staff(call.query.to) or not (rules.visitors or codes),
        codes=codes,
        to_change=await to_change(call),
    )
    return await page(context, call.language)


def _takes_codes(live: LiveTable, rules: FloorRules) -> bool:
    settings = live.state.settings
    return settings is not None and not settings.felt and not rules.for_play_money(live.setup.name)


async def to_change(call: HttpRequest) -> str:
    """Name of the person who has signed in with a one-time password; empty: nobody."""
    if not call.token or call.actor is not None:
        return ""
    try:
        session = await call.service.sessions.standing(call.token)
    except FloorRefused as refused:
        if refused.code is not FloorCode.NOT_SIGNED_IN:
            raise
        return ""
    return session.name if session.to_change else ""


ENDPOINTS = (Endpoint("GET", "/enter", enter, "Sign-in page", query=SignInQuery, access=Access.ANYBODY),)
