"""Everything that pages and their WebSockets show a person, as JSON to search in."""

import re
from collections.abc import Iterator

import httpx2
import msgspec
from starlette.routing import Route
from websockets.sync.client import connect

from punto.floor.house.projections.proposals import Proposal
from punto.library import book
from punto.web.pages import page_routes
from punto.web.pages.dealer.correction_forms import CORRECTIONS
from punto.web.pages.dealer.dialogs import _FORMS, _MENUS
from tests.waiting import DEADLINE_S
from tests.web.page_tree import Element, read_html
from tests.web.serving import Server

DIALOGS = (
    *_MENUS,
    *_FORMS,
    *CORRECTIONS,
    "open_table",
    "shoe",
    "approval?proposal={proposal}",
)
"""Of the console."""
_AMOUNT = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d\d))?(?![\w.])")


def pages(served: Server, table: str) -> list[str]:
    """The addresses of all pages and dialogs, and of the first open proposal."""

    async def work() -> tuple[list[str], tuple[Proposal, ...]]:
        paths = [route.path for route in page_routes(served.service) if isinstance(route, Route)]
        return paths, await served.service.proposals.all_open()

    paths, proposals = served.run(work())
    rules = book(served.floor.table(table).setup.book)
    values = {
        "table": table,
        "book": rules.id,
        "clause": next(iter(rules.clauses)),
        "number": "1",
        "round": "1-1",
        "proposal": proposals[0].id if proposals else "none",
    }
    found = [
        each.format(**values)
        for path in paths
        if not path.startswith("/static/")
        for each in ([path.replace("{dialog}", dialog) for dialog in DIALOGS] if "{dialog}" in path else [path])
    ]
    assert not any("{" in path for path in found), found
    return found


def pages_told(served: Server, client: httpx2.Client, table: str = "t1") -> dict[str, bytes]:
    """The content of every page, and the first message of its WebSocket."""
    told: dict[str, bytes] = {}
    for path in pages(served, table):
        page = read_html(client.get(path, headers={"accept-language": "en"}).text)
        told[f"page {path}"] = searchable(page)
        body = next(page.all("body"), None)  # a dialog has none
        live = body.attributes.get("data-live") if body is not None else ""
        if live:
            for name, html in _pieces(served, client, live).items():
                told[f"page {path} live {name}"] = searchable(read_html(html))
    return told


def _pieces(served: Server, client: httpx2.Client, live: str) -> dict[str, str]:
    who = {name: client.headers[name] for name in ("authorization",) if name in client.headers}
    address = served.url.replace("http", "ws", 1) + live
    with connect(address, additional_headers=who, compression=None, proxy=None, open_timeout=DEADLINE_S) as socket:
        pieces: dict[str, str] = msgspec.json.decode(socket.recv(DEADLINE_S))["pieces"]
    assert pieces
    return pieces


def searchable(page: Element) -> bytes:
    """Text and attributes: as they are, word by word, and amounts in the smallest unit."""
    texts = [page.words, *_attributes(page)]
    numbers = set[int]()
    for whole, cents in _AMOUNT.findall(" ".join(texts)):
        number = int(whole.replace(",", ""))
        numbers |= {number, number * 100 + int(cents or 0)}
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    return msgspec.json.encode({"texts": texts, "words": sorted(words), "numbers": sorted(numbers)})


def _attributes(page: Element) -> Iterator[str]:
    for element in page.all():
        yield from (value for name, value in element.attributes.items() if name not in ("class", "id", "d", "for"))
