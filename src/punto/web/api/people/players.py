"""The house's register of players. Staff and auditors read it; pit supervisors and above change it."""

from typing import Annotated

from msgspec import Meta

from punto.floor.house.projections.players import Player
from punto.floor.people.looks import LookKind
from punto.floor.people.players import DEFAULT_FOUND, MAX_FOUND
from punto.web.http.endpoint import Endpoint, HttpRequest
from punto.web.messages import Message, RequestBody


class PlayerRequest(RequestBody, frozen=True):
    """What the register has about a player. `card` is the number of their card, null if they have none."""

    name: str
    card: str | None = None
    notes: str = ""


class PlayersQuery(RequestBody, frozen=True):
    search: str = ""
    """Part of a name, or a whole id or card number. Empty: all players."""
    after: str = ""
    """The last id of the page before. Empty: the first page."""
    most: Annotated[int, Meta(ge=1, le=MAX_FOUND)] = DEFAULT_FOUND


class PlayerView(Message, frozen=True):
    """A player in the register. Commands and events name them by `id`. `notes` is null for dealers."""

    id: str
    name: str
    card: str | None
    notes: str | None
    registered_us: int


class CodeRequest(RequestBody, frozen=True):
    """The table for which a player gets a code."""

    table: str


class PlayerCodeView(Message, frozen=True):
    """A code with which a player signs in, once. It is sent only here."""

    player: str
    table: str
    code: str
    expires_us: int
    """When the code and the session opened with it end: with the gaming day."""


class PlayerList(Message, frozen=True):
    """Players in the order of their ids."""

    players: tuple[PlayerView, ...]


async def search(call: HttpRequest) -> PlayerList:
    query = call.query
    found = await call.service.players.search(call.by, query.search, query.most, query.after)
    if found:
        await call.service.looks.saw(call.by, LookKind.REGISTER, *(player.id for player in found))
    return PlayerList(players=tuple(map(_view, found)))


async def register(call: HttpRequest) -> PlayerView:
    request = call.body
    player = await call.service.players.register(call.by, request.name, request.card, request.notes)
    call.service.player_names.refresh()
    return _view(player)


async def find(call: HttpRequest) -> PlayerView:
    player = await call.service.players.find(call.by, call.path["player"])
    await call.service.looks.saw(call.by, LookKind.REGISTER, player.id)
    return _view(player)


async def change(call: HttpRequest) -> PlayerView:
    request = call.body
    player = await call.service.players.change(
        call.by, call.path["player"], name=request.name, card=request.card, notes=request.notes
    )
    call.service.player_names.refresh()
    return _view(player)


async def erase(call: HttpRequest) -> None:
    await call.service.players.erase(call.by, call.path["player"])
    call.service.player_names.refresh()


async def issue_code(call: HttpRequest) -> PlayerCodeView:
    issued = await call.service.player_codes.issue(call.by, call.path["player"], call.body.table)
    return PlayerCodeView(player=issued.player, table=issued.table, code=issued.code, expires_us=issued.expires_us)


async def revoke_code(call: HttpRequest) -> None:
    await call.service.player_codes.revoke(call.by, call.path["player"])


def _view(player: Player) -> PlayerView:
    return PlayerView(
        id=player.id, name=player.name, card=player.card, notes=player.notes, registered_us=player.registered_us
    )


_PLAYER = "/api/players/{player}"

ENDPOINTS = (
    Endpoint(
        "GET", "/api/players", search, "Search the register of players", PlayerList, query=PlayersQuery, tag="players"
    ),
    Endpoint(
        "POST", "/api/players", register, "Register a player", PlayerView, PlayerRequest, status=201, tag="players"
    ),
    Endpoint("GET", _PLAYER, find, "Get a player", PlayerView, tag="players"),
    Endpoint("PUT", _PLAYER, change, "Change a player", PlayerView, PlayerRequest, tag="players"),
    Endpoint("DELETE", _PLAYER, erase, "Erase a player", status=204, tag="players"),
    Endpoint(
        "POST",
        f"{_PLAYER}/code",
        issue_code,
        "Give a player a code to sign in at a table",
        PlayerCodeView,
        CodeRequest,
        status=201,
        tag="players",
    ),
    Endpoint(
        "DELETE", f"{_PLAYER}/code", revoke_code, "Void a player's code and sign them out", status=204, tag="players"
    ),
)
