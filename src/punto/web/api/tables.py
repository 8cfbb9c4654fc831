"""The tables of the floor: the list, one of them, a new one, play money."""

import asyncio

import msgspec

from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.table_setup import TableSetup
from punto.library import book
from punto.web.api.commands import accepted, legal_now
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import Accepted, LegalList, Lobby, LobbyTable, Seen, TableAsked
from punto.web.views.table_cache import Showing
from punto.web.views.visibility import Sight


async def lobby(call: HttpRequest) -> Lobby:
    """All tables, as anybody may see them."""
    rules = await call.service.floor_view.rules()
    found = []
    for name in sorted(call.service.floor.tables):
        showing = await call.service.showings.of(name)
        found.append(await in_the_list(showing, rules))
    return Lobby(tables=tuple(found), visitors=rules.visitors)


async def in_the_list(showing: Showing, rules: FloorRules) -> LobbyTable:
    """A table as the list has it."""
    view = await showing.view(Sight.PUBLIC)
    return LobbyTable(
        table=view.table,
        book=view.book,
        title=view.title,
        phase=view.phase,
        shoes=showing.live.setup.shoes,
        settings=view.settings,
        taken=tuple(view.seats),
        round=view.round.number if view.round else None,
        marks=view.marks,
        play_money_minor=rules.play_money_minor(view.table) or None,
    )


async def one(call: HttpRequest) -> Raw:
    """One table, and oneself at it."""
    showing = await call.service.showings.of(call.path["table"])
    state = await showing.view_json(call.sight)
    me = showing.me(call.actor.name, call.actor.position) if call.actor else None
    return Raw(msgspec.json.encode({"state": state, "me": me}))


async def create(call: HttpRequest) -> LobbyTable:
    """A further table, closed."""
    asked = call.body
    rules = await asyncio.to_thread(book, asked.book)
    decks = rules.require_decks(asked.decks)
    setup = TableSetup(asked.name, asked.book, asked.shoes, decks, asked.pace, asked.seed)
    await call.service.floor.create_table(call.by, setup)
    showing = await call.service.showings.of(asked.name)
    return await in_the_list(showing, await call.service.floor_view.rules())


async def options(call: HttpRequest) -> LegalList:
    """What one could do now, and within which bounds."""
    live = await call.service.floor.find_table(call.path["table"])
    return LegalList(legal=await legal_now(call, live))


async def play_money(call: HttpRequest) -> Accepted:
    """The play money of a table, for a visitor."""
    table = call.path["table"]
    return await accepted(call, await call.service.visitors.buy_in(call.token, table))


ENDPOINTS = (
    Endpoint("GET", "/api/tables", lobby, "All tables", Lobby, access=Access.ANYBODY),
    Endpoint("POST", "/api/tables", create, "Add a table", LobbyTable, TableAsked, status=201),
    Endpoint("GET", "/api/tables/{table}", one, "A table, and oneself at it", Seen, access=Access.ANYBODY),
    Endpoint("GET", "/api/tables/{table}/legal", options, "What would be accepted now", LegalList, cost=DEAR),
    Endpoint("POST", "/api/tables/{table}/play-money", play_money, "Get a visitor's play money", Accepted),
)
