"""The way in: visitors with a name, the staff with name and password, and the change of a one-time password."""

from punto.floor.errors import FloorCode, FloorRefused
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PlainAsked, layout_of
from punto.web.pages.base.templates import page

MAX_ADDRESS = 300


class EnterAsked(PlainAsked, frozen=True):
    """Where to go afterwards."""

    to: str | None = None


class SignInPage(PageContext, frozen=True, kw_only=True):
    """The way in."""

    template = "enter.html"
    to: str
    visitors: bool
    to_change: str
    """Who has to change their one-time password; empty: nobody."""


def own_address(to: str | None) -> str:
    """An address of this server to go to afterwards; the lobby where another one is given.

    Browsers take two slashes at the beginning, or a backslash, for another host, and leave line ends out.
    """
    if not to or len(to) > MAX_ADDRESS or not to.startswith("/") or to.startswith("//"):
        return "/"
    return "/" if "\\" in to or not to.isprintable() else to


async def enter(call: HttpRequest) -> Raw:
    """The page."""
    spoken = call.language
    rules = await call.service.floor_view.rules()
    context = SignInPage(
        layout=layout_of(call, "enter", "/enter"),
        to=own_address(call.query.to),
        visitors=rules.visitors,
        to_change=await to_change(call),
    )
    return await page(context, spoken)


async def to_change(call: HttpRequest) -> str:
    """Who has signed in with a one-time password, which has to be changed first; empty: nobody."""
    if not call.token or call.actor is not None:
        return ""
    try:
        held = await call.service.sessions.standing(call.token)
    except FloorRefused as refused:
        if refused.code is not FloorCode.NOT_SIGNED_IN:
            raise
        return ""
    return held.name if held.to_change else ""


ENDPOINTS = (Endpoint("GET", "/enter", enter, "The way in", query=EnterAsked, access=Access.ANYBODY),)
