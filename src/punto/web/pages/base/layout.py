"""What every page has around it, and what every address may ask for."""

from typing import Any
from urllib.parse import quote, urlencode

from msgspec import structs

from punto.web.http.endpoint import HttpRequest
from punto.web.messages import RequestBody
from punto.web.pages.base.handler import who
from punto.web.pages.base.i18n import Tongue


class PlainAsked(RequestBody, frozen=True):
    """A page that can be asked for in another language and nothing else."""

    lang: str | None = None
    """The language, from now on."""


def frame(call: HttpRequest, here: str, path: str) -> dict[str, Any]:
    """Who looks, at which of the pages, at which address, and whether there are pages of odds."""
    return {
        "who": who(call.actor),
        "here": here,
        "path": path,
        "odds": call.service.config.odds,
        "also": also_asked(call),
    }


def also_asked(call: HttpRequest) -> str:
    """What the address asks for besides its language, as the switch between the languages hands it on."""
    asked = {name: value for name, value in structs.asdict(call.query).items() if name != "lang" and value}
    return f"&{urlencode(asked)}" if asked else ""


def now_ms(call: HttpRequest) -> int:
    """The server's time, from which a page counts down."""
    return call.service.floor.clock.now_us() // 1_000


def table_path(table: str, page: str = "") -> str:
    """The address of a table, or of one of its pages, whatever the table is called."""
    return f"/tables/{quote(table, safe='')}{f'/{page}' if page else ''}"


def name_and_kind(title: str, t: Tongue) -> tuple[str, str]:
    """A book's title in two: its name, and what stands in brackets after it."""
    name, _, kind = title.partition(" (")
    return t(name), t(kind.removesuffix(")")) if kind else ""
